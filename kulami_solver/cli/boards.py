"""Boards to look at: `kulami layout` and `kulami show`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kulami_solver.cli import output, positions
from kulami_solver.cli.arguments import Commands, add_command, file_name, whole_number
from kulami_solver.cli.ending import EXIT_OK, CommandError
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.kulami.layout import Layout
    from kulami_solver.kulami.position import Position


LAYOUT_DETAILS = """\
In JSON, panels and fields are numbers; shapes lists each panel with its
fields.

examples
  kulami layout rulebook
  kulami layout AAB/CCB
  kulami layout --random 5 --irregular
"""

SHOW_DETAILS = f"""\
{output.MARKS}

In a picture the newest marble has a ring and a dot, the one before it a ring,
and a legal field a green ring. Colours are used on a terminal unless NO_COLOR
is set. --png needs the png extra (Pillow).

examples
  kulami show --layout square --moves "d4 d7"
  kulami show --kfn "AAB/CCB r b a1" --svg board.svg
  kulami show --layout rulebook --moves d6 --as kbn
"""


def add_commands(commands: Commands) -> None:
    """Add `layout` and `show`."""
    parser = add_command(commands, "layout", run_layout, "print and check a layout", LAYOUT_DETAILS)
    parser.add_argument(
        "layout",
        metavar="LAYOUT",
        nargs="?",
        help="square, rulebook, or rows of panel letters separated by / (. is no field)",
    )
    parser.add_argument(
        "--random",
        metavar="SEED",
        type=whole_number(0, 10**18),
        help="a random square layout; the same seed gives the same one everywhere",
    )
    parser.add_argument(
        "--irregular", action="store_true", help="with --random: any shape inside 10x10"
    )

    parser = add_command(commands, "show", run_show, "draw a position", SHOW_DETAILS)
    positions.add_position_options(parser)
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours (auto)"
    )
    parser.add_argument("--svg", metavar="FILE", type=file_name, help="write a drawing")
    parser.add_argument("--png", metavar="FILE", type=file_name, help="write a picture")
    parser.add_argument(
        "--as",
        dest="notation",
        choices=("board", "kfn", "hagen", "kbn"),
        default="board",
        help="print the position in this notation",
    )


def run_layout(args: argparse.Namespace) -> int:
    """Print a layout, its panels and what is unusual about it."""
    layout = _layout(args)
    if args.json:
        shapes = [
            {
                "name": panel.name,
                "width": panel.width,
                "height": panel.height,
                "fields": [layout.fields[field] for field in panel.fields],
            }
            for panel in layout.panels
        ]
        output.json_line(
            {
                "layout": str(layout),
                "width": layout.width,
                "height": layout.height,
                "panels": len(layout.panels),
                "fields": len(layout),
                "shapes": shapes,
                "warnings": list(layout.warnings),
            }
        )
    else:
        output.line(_layout_text(layout))
    output.warn(layout.warnings)
    return EXIT_OK


def _layout(args: argparse.Namespace) -> Layout:
    from kulami_solver.kulami.layout import Layout

    if args.random is not None:
        if args.layout is not None:
            raise CommandError("give a layout or --random SEED, not both")
        return Layout.random(args.random, irregular=args.irregular)
    if args.irregular:
        raise CommandError("--irregular goes with --random SEED; add it or leave both out")
    if args.layout is None:
        raise CommandError("no layout given; give square, rulebook, a layout text or --random SEED")
    return positions.layout("layout", args.layout)


def _layout_text(layout: Layout) -> str:
    lines = [output.board(layout), "", f"layout   {layout}"]
    lines.append(f"panels   {len(layout.panels)}, {len(layout)} fields")
    by_shape: dict[tuple[int, int], list[str]] = {}
    for panel in layout.panels:
        short, long = sorted((panel.width, panel.height))
        by_shape.setdefault((long, short), []).append(panel.name)
    for (long, short), names in sorted(by_shape.items(), reverse=True):
        lines.append(f"{f'{short}x{long}':<9}{' '.join(names)}")
    return "\n".join(lines)


def run_show(args: argparse.Namespace) -> int:
    """Draw each position."""
    if args.input is not None and (args.svg or args.png):
        option = "--svg" if args.svg else "--png"
        raise CommandError(f"{option} draws one position; give it by --kfn instead of --input")
    for option, name in (("--svg", args.svg), ("--png", args.png)):
        if name == "-":
            raise CommandError(f"{option}: a drawing goes to a file; name one instead of -")
        if name:
            output.check_picture_name(option, name, f".{option[2:]}")
    for position in positions.positions(args):
        _show(args, position)
    return EXIT_OK


def _show(args: argparse.Namespace, position: Position) -> None:
    written: dict[str, object] = {}
    if args.svg:
        output.write_file("--svg", args.svg, position.svg().encode())
        written["svg"] = args.svg
    if args.png:
        output.write_file("--png", args.png, _png(position))
        written["png"] = args.png
    text = _notation(args, position)
    if args.json or args.input is not None:
        answer = {"kfn": position.kfn(), "text": text, "over": position.is_over}
        output.json_line({**answer, **written, "warnings": list(position.layout.warnings)})
    elif written and args.notation == "board":
        output.line("\n".join(f"wrote {name}" for name in written.values()))
    else:
        output.line(text)


def _png(position: Position) -> bytes:
    try:
        return position.png()
    except KulamiError as error:
        raise CommandError(f"--png: {error}") from None


def _notation(args: argparse.Namespace, position: Position) -> str:
    """The position as --as wants it; what that cannot carry is said on stderr."""
    from kulami_solver.kulami import notation

    if args.notation == "board":
        colored = not args.json and args.input is None and output.wants_color(args.color)
        return output.board(position, colored)
    loses = {"kfn": notation.kfn_loses, "hagen": notation.hagen_loses, "kbn": notation.kbn_loses}
    writes = {"kfn": position.kfn, "hagen": position.hagen, "kbn": position.kbn}
    try:
        text = writes[args.notation]()
    except KulamiError as error:
        raise CommandError(f"--as {args.notation}: {error}") from None
    lost = loses[args.notation](position)
    if lost:
        output.warn([f"--as {args.notation} leaves out: {', '.join(lost)}"])
    return text
