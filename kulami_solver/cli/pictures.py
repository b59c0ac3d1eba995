"""Pictures of one position: the options --svg and --png, and the files that they name."""

from __future__ import annotations

import argparse
from typing import Protocol

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser
from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import KulamiError


class Drawable(Protocol):
    """A thing with pictures: a position, or a solution with the values on it."""

    def svg(self) -> str:
        """Return the picture as SVG."""
        ...

    def png(self) -> bytes:
        """Return the picture as PNG."""
        ...


def add_picture_options(parser: Parser, shows: str = "") -> None:
    """Add --svg and --png; `shows` describes the pictures."""
    parser.output("--svg", f"write a drawing{shows}")
    parser.output("--png", f"write a picture{shows}")


def wants_picture(args: argparse.Namespace) -> bool:
    """Whether a picture was asked for."""
    return bool(args.svg or args.png)


def check_picture_options(args: argparse.Namespace) -> None:
    """Refuse pictures of many positions, and file names that do not fit the kind of picture."""
    if getattr(args, "input", None) is not None and wants_picture(args):
        option = "--svg" if args.svg else "--png"
        raise CommandError("picture_of_one", option=option)
    for option, name in (("--svg", args.svg), ("--png", args.png)):
        if name == "-":
            raise CommandError("picture_to_stdout", option=option)
        if name:
            output.check_picture_name(option, name, f".{option[2:]}")


def write_pictures(args: argparse.Namespace, drawn: Drawable) -> dict[str, object]:
    """Write the pictures asked for; return their file names by kind.

    Raises:
        CommandError: a picture cannot be drawn or written.
    """
    written: dict[str, object] = {}
    if args.svg:
        output.write_file("--svg", args.svg, drawn.svg().encode())
        written["svg"] = args.svg
    if args.png:
        try:
            picture = drawn.png()
        except KulamiError as error:
            raise CommandError(error.at("option_place", name="png")) from None
        output.write_file("--png", args.png, picture)
        written["png"] = args.png
    return written
