"""Kulami on paper: `kulami rules`, of the page's texts and its `rules/page.json`; score sheets."""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.kulami.positions import board_text, fields_as_typed
from kulami_solver.cli.output import CommandError

_PACKAGE: Final = Path(ks.__file__).parent
_OF_ALL: Final = _PACKAGE / "web" / "static"
_OWN: Final = _PACKAGE / "web" / "kulami" / "static"
_TEXTS: Final = ("texts", "rules/texts")
_LANGUAGES: Final = ("en", "de", "fr", "es", "nl")

_HEAD: Final = """<!DOCTYPE html>
<html lang="{}"><meta charset="utf-8"><title>{}</title>
<style>
body {{ max-width: 42em; margin: auto; font-family: sans-serif }}
p svg {{ max-width: 22em; height: auto; break-inside: avoid }} td {{ padding-right: 1.5em }}
</style>
"""

# An element of HTML and its text, or the rows of a table, or a position and its caption.
_Part = tuple[str, Any]


def add_commands(commands: Commands) -> None:
    """Add `rules`."""
    parser = add_command(commands, "rules", run, "print the rules")
    parser.choice("--language", _LANGUAGES, "of the text (en)", "en")
    parser.output("--html", "write a page with pictures, to be printed", ".html")


def run(args: argparse.Namespace) -> int:
    """Print the rules, or write them as a page."""
    parts = list(_parts(args.language))
    words = "\n\n".join(map(_as_text, parts))
    if args.html is not None:
        page = [_HEAD.format(args.language, escape(parts[0][1])), *map(_as_html, parts), ""]
        output.write_file("--html", args.html, "\n".join(page).encode())
        words = f"wrote {args.html}"
    return output.answer(args, {"language": args.language, "text": words}, words)


def _parts(language: str) -> Iterator[_Part]:
    """What there is to print, from the title on."""
    texts: dict[str, str] = {}
    folders = [static / name for static in (_OF_ALL, _OWN) for name in _TEXTS]
    for folder in (_PACKAGE / "sentences", *folders):
        texts |= json.loads((folder / f"{language}.json").read_text("utf-8"))
    page = json.loads((_OWN / "rules" / "page.json").read_text("utf-8"))
    facts = {"game": "Kulami", **page["facts"]}

    def fact(name: str) -> str:
        if not isinstance(facts[name], list):
            return str(facts[name])
        *before, last = map(str, facts[name])
        return texts["list_and"].format(before=", ".join(before), last=last)

    def said(name: str) -> str:
        text = texts[name] if name in texts else fact(name)
        text = re.sub(r"\{(\w+)\}", lambda hole: fact(hole[1]), text.replace("*", ""))
        return text[:1].upper() + text[1:]

    yield "h1", said("rules_title")
    drawn = None
    for section in page["sections"]:
        yield "h2", said(f"section_{section['name']}")
        for part in section["parts"]:
            ((kind, value),) = part.items()
            if kind == "position":
                position = _position(**page["positions"][value])
                if position != drawn:
                    yield "figure", (position, said(value))
                else:
                    yield "p", said(value)
                drawn = position
            elif kind == "table":
                yield "table", [list(map(said, row)) for row in value]
            elif kind == "list":
                yield from (("p", f"{n}. {said(one)}") for n, one in enumerate(value, 1))
            else:
                yield {"text": "p", "head": "h3"}[kind], said(value)


def _position(start: dict[str, str], moves: tuple[str, ...] = (), **_: Any) -> ks.Position:
    if "kfn" in start:
        return ks.Position.from_kfn(start["kfn"])
    named = {"square": ks.Layout.square, "rulebook": ks.Layout.rulebook}
    return ks.Position(named[start["layout"]](), start["first"]).play_all(moves)


def _as_text(part: _Part) -> str:
    kind, value = part
    if kind == "figure":
        board, _, _ = board_text(value[0]).rpartition("\n")
        return f"{board}\n{_as_text(('p', value[1]))}"
    if kind == "table":
        wide = [max(map(len, column)) for column in zip(*value, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, wide)).rstrip() for row in value)
    return textwrap.fill(value.upper() if kind == "h2" else value, 79, break_on_hyphens=False)


def _as_html(part: _Part) -> str:
    kind, value = part
    if kind == "figure":
        from kulami_solver.drawing.svg import picture_svg
        from kulami_solver.kulami.drawing.render import picture_of

        return f"<p>{picture_svg(picture_of(value[0], caption=value[1]))}</p>"
    if kind == "table":
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in value)
        value = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table>{value}</table>"
    return f"<{kind}>{escape(value)}</{kind}>"


def write_sheet(path: str, position: ks.Position, played: str | None) -> None:
    """Write a score sheet: with the position that moves have led to, or else an empty board.

    Raises:
        CommandError: the name is of no SVG or HTML, or it cannot be written.
    """
    from kulami_solver.drawing.svg import picture_svg
    from kulami_solver.kulami.drawing.render import score_sheet

    ending = path.rpartition(".")[2].lower()
    if ending not in ("svg", "html"):
        raise CommandError(f"--sheet: {path}: name a file that ends in .svg or .html")
    moves = fields_as_typed(played or "").replace(",", " ").split()
    plies = min(len(position.layout), position.edition.in_all)
    drawn = picture_svg(score_sheet(position if moves else position.layout, plies, moves))
    head = _HEAD.format("en", "Kulami") if ending == "html" else ""
    output.write_file("--sheet", path, f"{head}{drawn}\n".encode())
