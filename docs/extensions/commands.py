"""The directive `commands`: the reference of the command line, made from its parsers.

    ```{commands} kulami
    ```

has a section for each command of the program, with its help as a terminal shows it. Commands that
have commands themselves are left to a directive of their own, as `kulami malawi`.
"""

from __future__ import annotations

import argparse
import os

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from kulami_solver.cli import build_parser

_COLUMNS = "84"


class Commands(SphinxDirective):
    """The commands of a program, a section each."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        os.environ["COLUMNS"] = _COLUMNS
        program: argparse.ArgumentParser = build_parser()
        for name in self.arguments[0].split()[1:]:
            program = _commands(program)[name]
        parsers = [one for one in _commands(program).values() if not _commands(one)]
        return [self._section(parser) for parser in parsers]

    def _section(self, parser: argparse.ArgumentParser) -> nodes.section:
        name = nodes.make_id(parser.prog)
        section = nodes.section(ids=[name], names=[name])
        self.state.document.note_explicit_target(section)
        said = parser.format_help()
        section += [
            nodes.title("", parser.prog),
            nodes.literal_block(said, said, language="none"),
        ]
        return section


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of a program's commands, by name; none if it has no commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
