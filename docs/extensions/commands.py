"""The directive `commands`: the reference of the command line, made from its parsers.

    ```{commands} kulami
    ```

has a section for each command of the program, with its usage, what it says of itself, and its
options. A group of options that several commands share, word for word, stands once at the
beginning. Commands that have commands themselves are left to a directive of their own, as
`kulami malawi`.
"""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from kulami_solver.cli import build_parser
from kulami_solver.cli.arguments import help_text

_COLUMNS = "84"
_ALIKE = 3  # so many commands have to have a group of options for it to be told once
_LINKED = re.compile(r"(docs/[\w-]+\.md|(?<![\w-])--[a-z][\w-]*)")


class Group(NamedTuple):
    """Some options of a command: the group's title and each option with its help."""

    title: str
    options: tuple[tuple[str, str], ...]


class Commands(SphinxDirective):
    """The commands of a program, a section each."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        os.environ["COLUMNS"] = _COLUMNS
        program = commands_of(build_parser(), self.arguments[0].split()[1:])
        parsers = [parser for parser in program if _subcommands(parser) is None]
        seen = Counter(group for parser in parsers for group in set(_groups(parser)))
        shared = [group for group in seen if group.title and seen[group] >= _ALIKE]
        answer: list[nodes.Node] = []
        targets: dict[Group, str] = {}
        for number, group in enumerate(shared, 1):
            name = f"{_identity(self.arguments[0])}-{_identity(group.title)}"
            name += f"-{number}" if name in targets.values() else ""
            targets[group] = name
            users = [parser.prog for parser in parsers if group in _groups(parser)]
            section = self._section(name, _capital(group.title))
            told = nodes.paragraph("", "Of ")
            for place, user in enumerate(users):
                told += nodes.Text("" if not place else " and " if user == users[-1] else ", ")
                told += _internal(_identity(user), nodes.literal("", user))
            told += nodes.Text(".")
            section += [told, self._options(group)]
            answer.append(section)
        answer += [self._command(parser, targets) for parser in parsers]
        return answer

    def _command(self, parser: argparse.ArgumentParser, targets: dict[Group, str]) -> nodes.section:
        section = self._section(_identity(parser.prog), parser.prog)
        section += nodes.paragraph("", parser.description or "")
        usage = parser.format_usage().removeprefix("usage: ").rstrip()
        section += _literal(re.sub(r"^ {7}", "", usage, flags=re.MULTILINE))
        for group in _groups(parser):
            if group in targets:
                told = nodes.paragraph("", "And the options of ")
                told += _internal(targets[group], nodes.Text(group.title))
                told += nodes.Text(".")
                section += told
                continue
            if group.title:
                section += nodes.rubric("", _capital(group.title))
            section += self._options(group)
        section += self._epilog(help_text(parser.prog))
        return section

    def _section(self, name: str, title: str) -> nodes.section:
        section = nodes.section(ids=[name], names=[name])
        self.state.document.note_explicit_target(section)
        section += nodes.title("", title)
        return section

    def _options(self, group: Group) -> nodes.definition_list:
        listed = nodes.definition_list(classes=["options"])
        for option, said in group.options:
            item = nodes.definition_list_item()
            item += nodes.term("", "", nodes.literal("", option))
            item += nodes.definition("", self._paragraph(said))
            listed += item
        return listed

    def _epilog(self, text: str) -> Iterator[nodes.Node]:
        """Paragraphs, and blocks as they are where lines are indented."""
        for block in filter(None, text.strip("\n").split("\n\n")):
            lines = block.split("\n")
            if any(line.startswith("  ") for line in lines):
                if not lines[0].startswith(" "):
                    yield self._paragraph(f"{_capital(lines.pop(0))}:")
                yield _literal("\n".join(line.removeprefix("  ") for line in lines))
            else:
                yield self._paragraph(" ".join(lines))

    def _paragraph(self, text: str) -> nodes.paragraph:
        """A text in which options are set as such, and names of documents lead to them."""
        paragraph = nodes.paragraph()
        for place, part in enumerate(_LINKED.split(text)):
            if place % 2 == 0:
                paragraph += nodes.Text(part)
            elif part.startswith("--"):
                paragraph += nodes.literal("", part)
            else:
                page = part[len("docs/") : -len(".md")]
                paragraph += addnodes.pending_xref(
                    "",
                    nodes.inline("", page),
                    refdomain="std",
                    reftype="doc",
                    reftarget=f"/{page}",
                    refexplicit=True,
                    refwarn=True,
                    refdoc=self.env.docname,
                )
        return paragraph


def commands_of(parser: argparse.ArgumentParser, names: list[str]) -> list[argparse.ArgumentParser]:
    """The parsers of a program's commands, or of those of one of its commands."""
    subparsers = _subcommands(parser)
    assert subparsers is not None, f"{parser.prog} has no commands"
    if names:
        return commands_of(subparsers[names[0]], names[1:])
    return list(subparsers.values())


def _subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser] | None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return None


def _groups(parser: argparse.ArgumentParser) -> list[Group]:
    """The options of a command by groups; argparse's own two are one without a title."""
    formatter = parser._get_formatter()
    groups: dict[str, list[tuple[str, str]]] = {}
    for group in parser._action_groups:
        own = group in (parser._positionals, parser._optionals)
        for action in group._group_actions:
            if action.help == argparse.SUPPRESS or "--help" in action.option_strings:
                continue
            said = formatter._expand_help(action) if action.help else ""
            option = formatter._format_action_invocation(action)
            groups.setdefault("" if own else group.title or "", []).append((option, said))
    return [Group(title, tuple(options)) for title, options in groups.items()]


def _identity(text: str) -> str:
    return nodes.make_id(text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _literal(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="none")


def _internal(target: str, said: nodes.Node) -> nodes.reference:
    return nodes.reference("", "", said, refid=target, internal=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
