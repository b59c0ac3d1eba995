"""Pictures of boards: `kulami layout` and `kulami show`."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.kulami.paper import write_sheet
from kulami_solver.cli.kulami.positions import (
    add_no_field_option,
    add_position_options,
    add_scoring_option,
    board_text,
    layout,
    positions,
)
from kulami_solver.cli.kulami.solving import guess_words, is_open
from kulami_solver.cli.output import EXIT_OK, CommandError
from kulami_solver.cli.results import answer_each
from kulami_solver.errors import KulamiError

# Most seconds that --values may take for one position.
_LONGEST: Final = 10.0


def add_commands(commands: Commands) -> None:
    """Add `layout` and `show`."""
    parser = add_command(commands, "layout", run_layout, "print and check a layout")
    words = (
        "a name (see --list), rows of panel letters separated by / (. is no field), a grid of "
        "numbers (1 1 2/3 3 2), rectangles (2x1@a1,1x2@c1) or FILE with one of these"
    )
    parser.value("layout", "LAYOUT", words, nargs="?")
    add_no_field_option(parser)
    parser.switch("--list", "name the layouts that come with the program")
    words = "a random square layout; the same seed gives the same one everywhere"
    parser.number("--random", 0, 10**18, words, metavar="SEED")
    parser.switch("--irregular", "with --random: any shape inside 10x10")
    parser.switch("--compact", "with --random: likewise, without holes, as people lay boards")

    parser = add_command(commands, "show", run_show, "draw a position")
    add_position_options(parser)
    parser.choice("--color", ("auto", "always", "never"), "colours (auto)", "auto")
    parser.pictures()
    parser.output("--sheet", "write a score sheet, as SVG or HTML")
    written = ("board", "kfn", "hagen", "kbn")
    parser.choice("--as", written, "print the position so (board)", "board", dest="notation")
    group = parser.group("values")
    group.switch("--values", "solve it, and show what every legal field is worth")
    add_scoring_option(group)
    group.seconds("--time", "most that --values may take for one position (10)", _LONGEST)


def run_layout(args: argparse.Namespace) -> int:
    """Print a layout, its panels and its unusual features."""
    if args.list:
        if args.layout is not None or args.random is not None or args.irregular or args.compact:
            raise CommandError("--list names all layouts: give nothing beside it")
        return _list(args)
    found = _layout(args)
    shapes = [
        {
            "name": panel.name,
            "width": panel.width,
            "height": panel.height,
            "fields": [found.fields[field] for field in panel.fields],
        }
        for panel in found.panels
    ]
    told = {
        "layout": str(found),
        "width": found.width,
        "height": found.height,
        "panels": len(found.panels),
        "fields": len(found),
        "shapes": shapes,
        "warnings": list(found.warnings),
    }
    output.answer(args, told, _layout_text(found))
    output.warn(found.warnings)
    return EXIT_OK


def _list(args: argparse.Namespace) -> int:
    """Name the layouts that come with the program."""
    from kulami_solver.kulami.position.layout import published_layouts

    known = {"square": str(ks.Layout.square()), "rulebook": str(ks.Layout.rulebook())}
    known |= published_layouts()
    shown = {name: board for name, board in known.items() if not name.startswith("boardspace-")}
    wide = max(map(len, shown))
    lines = [f"{name:<{wide}}  {board}" for name, board in shown.items()]
    last = len(known) - len(shown) - 1
    lines.append(f"{'boardspace-N':<{wide}}  board N of BoardSpace, 0 to {last}")
    return output.answer(args, {"layouts": known}, "\n".join(lines))


def _layout(args: argparse.Namespace) -> ks.Layout:
    if args.random is not None:
        if args.layout is not None:
            raise CommandError("give a layout or --random SEED, not both")
        if args.no_field is not None:
            raise CommandError("--no-field is for a grid of numbers: leave out --random")
        return ks.Layout.random(args.random, args.irregular, args.compact)
    for option in ("irregular", "compact"):
        if getattr(args, option):
            raise CommandError(f"{f'--{option}'} goes with --random SEED; add it or leave both out")
    if args.layout is None:
        raise CommandError("no layout given; give square, rulebook, a layout text or --random SEED")
    return layout(args, "layout")


def _layout_text(layout: ks.Layout) -> str:
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
    output.wants_picture(args)
    asked = {"--scoring": args.scoring is not ks.Scoring.LEVEL0, "--time": args.time != _LONGEST}
    for option, given in asked.items():
        if given and not args.values:
            raise CommandError(f"{option} goes with --values; leave it out here")
    if args.values and args.notation != "board":
        raise CommandError(f"--values: --as {args.notation} has no place for them; leave one out")
    return answer_each(args, positions(args), partial(_show, args))


def _show(args: argparse.Namespace, position: ks.Position) -> int:
    solution = None
    if args.values:
        solution = ks.solve(position, args.scoring, time=args.time, every_move=True)
    written = output.write_pictures(args, solution or position)
    if args.sheet is not None:
        write_sheet(args.sheet, position, args.moves)
        written["sheet"] = args.sheet
    text = _notation(args, position, solution)
    if output.in_json(args):
        answer = {"kfn": position.kfn(), "text": text, "over": position.is_over}
        if solution is not None:
            answer["moves"] = solution.to_json()["moves"]
        output.json_line({**answer, **written, "warnings": list(position.layout.warnings)})
    elif written and args.notation == "board":
        output.line("\n".join(f"wrote {name}" for name in written.values()))
    else:
        output.line(text)
    return EXIT_OK


def _proved(solution: ks.Solution) -> str:
    """The value of a position, and how much is known of its fields."""
    words = str(solution.words())
    if is_open(solution):
        return f"{words}; a guess: {guess_words(solution.position, solution.scoring)}"
    return words


def _notation(args: argparse.Namespace, position: ks.Position, solution: ks.Solution | None) -> str:
    """The position in the notation of --as; stderr tells what that cannot express."""
    from kulami_solver.kulami.position import notation

    if args.notation == "board":
        colored = not output.in_json(args) and output.wants_color(args.color)
        if solution is None:
            return board_text(position, colored)
        board = board_text(position, colored, values=solution.values)
        return board if position.is_over else f"{board}\n{_proved(solution)}"
    loses = {"kfn": notation.kfn_loses, "hagen": notation.hagen_loses, "kbn": notation.kbn_loses}
    writes = {"kfn": position.kfn, "hagen": position.hagen, "kbn": position.kbn}
    try:
        text = writes[args.notation]()
    except KulamiError as error:
        raise error.at(f"--as {args.notation}") from None
    lost = loses[args.notation](position)
    if lost:
        output.warn([f"--as {args.notation} leaves out: {', '.join(lost)}"])
    return text
