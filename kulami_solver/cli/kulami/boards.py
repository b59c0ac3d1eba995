"""Pictures of boards: `kulami layout` and `kulami show`."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_OK, CommandError
from kulami_solver.cli.kulami import positions
from kulami_solver.cli.kulami.drawn import MARKS, board_text
from kulami_solver.cli.kulami.solving import guess_words, is_open
from kulami_solver.cli.pictures import add_picture_options, check_picture_options, write_pictures
from kulami_solver.cli.reading import answer_each
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.position.words import range_words

if TYPE_CHECKING:
    from kulami_solver.kulami.position.layout import Layout
    from kulami_solver.kulami.position.position import Position
    from kulami_solver.kulami.solve.solution import Solution


LAYOUT_DETAILS = """\
In JSON, panels and fields are numbers; shapes lists each panel with its
fields.

examples
  kulami layout rulebook
  kulami layout AAB/CCB
  kulami layout --random 5 --irregular
"""

SHOW_DETAILS = f"""\
{MARKS}

In a picture the newest marble has a ring and a dot, the one before it a ring,
and a legal field a green ring. With --values legal fields have their values
for the side to move in its place: +2 wins by 2, ≥2 wins by 2 or more. Colours
are used on a terminal unless NO_COLOR is set. --png needs the png extra
(Pillow).

examples
  kulami show --layout square --moves "d4 d7"
  kulami show --kfn "AAB/CCB r b a1" --svg board.svg
  kulami show --layout AAB/CCB --moves A1 --values
  kulami show --layout rulebook --moves d6 --as kbn
"""


def add_commands(commands: Commands) -> None:
    """Add `layout` and `show`."""
    parser = add_command(commands, "layout", run_layout, "print and check a layout", LAYOUT_DETAILS)
    parser.add_argument(
        "layout",
        metavar="LAYOUT",
        type=positions.layout_text,
        nargs="?",
        help="square, rulebook, or rows of panel letters separated by / (. is no field)",
    )
    parser.number(
        "--random",
        0,
        10**18,
        "a random square layout; the same seed gives the same one everywhere",
        metavar="SEED",
    )
    parser.switch("--irregular", "with --random: any shape inside 10x10")

    parser = add_command(commands, "show", run_show, "draw a position", SHOW_DETAILS)
    positions.add_position_options(parser)
    parser.choice("--color", ("auto", "always", "never"), "colours (auto)", "auto")
    add_picture_options(parser)
    parser.add_argument(
        "--as",
        dest="notation",
        choices=("board", "kfn", "hagen", "kbn"),
        default="board",
        help="print the position in this notation",
    )
    group = parser.group("values")
    group.switch("--values", "solve it, and show what every legal field is worth")
    positions.add_scoring_option(group)
    group.seconds("--time", "most that --values may take for one position (10)", 10.0)


def run_layout(args: argparse.Namespace) -> int:
    """Print a layout, its panels and its unusual features."""
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
    from kulami_solver.kulami.position.layout import Layout

    if args.random is not None:
        if args.layout is not None:
            raise CommandError("layout_or_random")
        return Layout.random(args.random, irregular=args.irregular)
    if args.irregular:
        raise CommandError("irregular_alone")
    if args.layout is None:
        raise CommandError("layout_none")
    return positions.layout("layout", args.layout)


def _layout_text(layout: Layout) -> str:
    lines = [board_text(layout), "", f"layout   {layout}"]
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
    check_picture_options(args)
    if args.values and args.notation != "board":
        raise CommandError("as_without_values", notation=args.notation)
    return answer_each(args, positions.positions(args), partial(_show, args))


def _show(args: argparse.Namespace, position: Position) -> int:
    solution = None
    if args.values:
        from kulami_solver.kulami.solve.solve import solve

        solution = solve(position, args.scoring, time=args.time, every_move=True)
    written = write_pictures(args, solution or position)
    text = _notation(args, position, solution)
    if args.json or args.input is not None:
        answer = {"kfn": position.kfn(), "text": text, "over": position.is_over}
        if solution is not None:
            answer["moves"] = solution.to_json()["moves"]
        output.json_line({**answer, **written, "warnings": list(position.layout.warnings)})
    elif written and args.notation == "board":
        output.line("\n".join(f"wrote {name}" for name in written.values()))
    else:
        output.line(text)
    return EXIT_OK


def _proved(solution: Solution) -> str:
    """The value of a position, and how much is known of its fields."""
    words = range_words(solution.lower, solution.upper, solution.position.turn)
    if is_open(solution):
        return f"{words}; a guess: {guess_words(solution.position, solution.scoring)}"
    return words


def _notation(args: argparse.Namespace, position: Position, solution: Solution | None) -> str:
    """The position in the notation of --as; stderr tells what that cannot express."""
    from kulami_solver.kulami.position import notation

    if args.notation == "board":
        colored = not args.json and args.input is None and output.wants_color(args.color)
        if solution is None:
            return board_text(position, colored)
        board = board_text(position, colored, values=solution.values)
        return board if position.is_over else f"{board}\n{_proved(solution)}"
    loses = {"kfn": notation.kfn_loses, "hagen": notation.hagen_loses, "kbn": notation.kbn_loses}
    writes = {"kfn": position.kfn, "hagen": position.hagen, "kbn": position.kbn}
    try:
        text = writes[args.notation]()
    except KulamiError as error:
        raise error.at("as_place", notation=args.notation) from None
    lost = loses[args.notation](position)
    if lost:
        output.warn([f"--as {args.notation} leaves out: {', '.join(lost)}"])
    return text
