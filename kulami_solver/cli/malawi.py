"""`kulami malawi ...`: the second game, with commands of its own."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import (
    CommandError,
    Commands,
    Parser,
    add_command,
    file_name,
    seconds,
    whole_number,
)
from kulami_solver.cli.databases import (
    Bar,
    add_build_options,
    add_database_command,
    report_check,
    work_is_kept,
)
from kulami_solver.cli.positions import LINE_LIMIT, text_lines
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.database.verification import Verified
    from kulami_solver.malawi import Board, Position, Solution, Solved
    from kulami_solver.malawi.playing import Game
    from kulami_solver.retrograde import Progress

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

#: What a search that was given no budget takes at most, in seconds ...
PATIENCE = 30.0
#: ... and what a board may take by the estimate to be solved from its ends without --force.
MINUTES = 300.0

DETAILS = """\
a position is one of
  --board 3x4 [--beads 2]      columns x rows, beads on each figure: the start of a game
  --mfn "b2b2/../r2r2 r"       rows from the top, then the side to move
and --turns plays on from there: a4-a2 is a move, a4xa1 a hit, a4:b4,c4 a redistribution
examples
  kulami malawi solve --board 3x4
  kulami malawi play --board 6x6
  kulami malawi COMMAND --help
"""

SOLVE_DETAILS = """\
The start of a game is solved exactly, from all ends of the game backwards (method: retrograde), if
the board is small enough to be done in memory and minutes; --force does it whatever it takes. Other
positions and boards are searched forwards, ply by ply deeper (method: search): that proves a win or
a loss in so many plies, or that there is neither within so many, but never a draw. Without a budget
a search ends after 30 seconds; --time, --nodes and --depth are budgets, and they and --all ask for
a search. Ctrl-C prints what it has proved.

examples
  kulami malawi solve --board 3x4 --beads 2
  kulami malawi solve --board 6x6 --time 60
  kulami malawi solve --mfn "b2b2b2/.r2./.../r2.r2 b" --all
"""

BUILD_DETAILS = """\
Before it starts, a build says no if memory or disk will not do by its estimate (--force builds
all the same). Its work lies in DB.building; after Ctrl-C, or any other end, the same command goes
on from the last layer that was complete.

examples
  kulami malawi build small.kdb --board 3x4
  kulami malawi probe small.kdb --board 3x4 --turns "a4-a2" --all
"""

PLAY_DETAILS = """\
Type a turn, or one of
  turns   what every legal turn is worth       undo    take your last turn back
  best    play the best turn for me            mfn     the position as one line
  board   draw the board again                 quit    leave (so does the end of the input)

examples
  kulami malawi play --board 3x4
  kulami malawi play --board 6x6 --side black --time 10
"""


def add_commands(commands: Commands) -> None:
    """Add `malawi` and its commands."""
    parser: Parser = commands.add_parser(
        "malawi",
        help="the sibling game: solve, play ...",
        description="Exact answers about Malawi.",
        epilog=DETAILS,
    )
    parser.set_defaults(run=lambda _: parser.error("no command given"))
    group = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)

    command = add_command(group, "solve", run_solve, "find what a position is worth", SOLVE_DETAILS)
    _add_position_options(command)
    command.add_argument("--all", action="store_true", help="the value of every legal turn")
    command.add_argument(
        "--depth",
        metavar="N",
        type=whole_number(1, 1000),
        help="search, and no more than N plies deep",
    )
    command.add_argument(
        "--time", metavar="SECONDS", type=seconds, help="search, and stop after this long"
    )
    command.add_argument(
        "--nodes",
        metavar="N",
        type=whole_number(1, 10**18),
        help="search, and stop after so many positions",
    )
    add_build_options(command)

    command = add_database_command(
        group, "build", run_build, "solve a board, into a file", BUILD_DETAILS
    )
    command.add_argument("--board", metavar="3x4", help="columns x rows", required=True)
    _add_beads_option(command)
    add_build_options(command)

    command = add_database_command(group, "probe", run_probe, "look a position up in a database")
    _add_position_options(command)
    command.add_argument("--all", action="store_true", help="the value of every legal turn")

    add_database_command(group, "info", run_info, "what a database holds, by plies to the end")

    command = add_database_command(
        group, "verify", run_verify, "compute every value of a database again"
    )
    command.add_argument("--threads", metavar="N", type=whole_number(1, 256), help="threads to use")

    command = add_command(group, "show", run_show, "draw a position")
    _add_position_options(command)
    command.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours (auto)"
    )

    command = add_command(group, "turns", run_turns, "print the legal turns")
    _add_position_options(command)

    command = add_command(group, "play", run_play, "play against it", PLAY_DETAILS)
    _add_position_options(command)
    command.add_argument("--side", choices=("red", "black"), default="red", help="yours (red)")
    command.add_argument(
        "--database", metavar="DB", type=file_name, help="play perfectly by this file"
    )
    command.add_argument(
        "--time",
        metavar="SECONDS",
        type=seconds,
        default=2.0,
        help="without a database, search so long for an answer (2)",
    )
    command.add_argument(
        "--seed",
        metavar="N",
        type=whole_number(0, 10**18),
        default=0,
        help="of the choice between turns that are equally good (0)",
    )


# Which position


def _add_beads_option(parser: Any) -> None:
    parser.add_argument(
        "--beads",
        metavar="N",
        type=whole_number(1, 15),
        help="on each figure at the start, with --board (2)",
    )


def _add_position_options(parser: Parser) -> None:
    group = parser.add_argument_group("the position")
    source = group.add_mutually_exclusive_group(required=True)
    source.add_argument("--board", metavar="3x4", help="columns x rows: the start of a game")
    source.add_argument("--mfn", metavar="TEXT", help="'ROWS TURN', like 'b2b2/../r2r2 r'")
    _add_beads_option(group)
    group.add_argument("--turns", metavar="TURNS", help="played from there: 'a4-a2 a1xa2'")


def _board(args: argparse.Namespace) -> Board:
    from kulami_solver.malawi import Board

    try:
        return Board.parse(args.board, 2 if args.beads is None else args.beads)
    except KulamiError as error:
        raise CommandError(f"--board: {error}") from None


def _position(args: argparse.Namespace) -> Position:
    from kulami_solver.malawi import Position

    if args.board is None and args.beads is not None:
        raise CommandError("--beads goes with --board; an MFN has the beads of each figure")
    option = "mfn"
    try:
        if args.board is not None:
            position = Position.start(_board(args))
        else:
            position = Position.from_mfn(args.mfn)
        option = "turns"
        return position.play_all(args.turns or "")
    except KulamiError as error:
        raise CommandError(f"--{option}: {error}") from None


# show, turns


def run_show(args: argparse.Namespace) -> int:
    """Draw a position."""
    position = _position(args)
    if args.json:
        output.json_line(
            {
                "mfn": position.mfn(),
                "text": position.text(),
                "beads": position.beads,
                "over": position.is_over,
                "winner": position.winner,
            }
        )
    else:
        output.line(_drawn(position, output.wants_color(args.color)))
        output.line(position.mfn())
    return EXIT_OK


def _drawn(position: Position, color: bool = False) -> str:
    if color and output.draws_boards():
        return position.ansi()
    return position.text(ascii_only=not output.draws_boards())


def run_turns(args: argparse.Namespace) -> int:
    """Print the legal turns."""
    position = _position(args)
    turns = [str(turn) for turn in position.turns]
    if args.json:
        output.json_line({"mfn": position.mfn(), "turn": position.turn, "turns": turns})
    else:
        output.line(" ".join(turns) if turns else position.standing())
    return EXIT_OK


# solve


def run_solve(args: argparse.Namespace) -> int:
    """Solve a position by whatever suits it."""
    position = _position(args)
    budgeted = (args.depth, args.time, args.nodes) != (None, None, None)
    if args.board is not None and not args.turns and not budgeted and not args.all:
        board = _board(args)
        why_not = _why_not_retrograde(args, board)
        if why_not is None:
            return _retrograde(args, position, board)
        output.message("note", f"{why_not}; searching forwards instead")
    return _search(args, position)


def _why_not_retrograde(args: argparse.Namespace, board: Board) -> str | None:
    """Why a board is not solved from its ends, None if it is."""
    from kulami_solver.database.fit import duration
    from kulami_solver.malawi.solving import check_budget, estimate, workers_of

    threads = workers_of(args.threads)
    try:
        expected = estimate(board, threads)
        check_budget(board, None, threads, args.memory, args.force)
    except KulamiError as error:
        return str(error)
    if expected.seconds > MINUTES and not args.force:
        return f"solving {board} from its ends may take {duration(expected.seconds)} (--force)"
    return None


def _retrograde(args: argparse.Namespace, position: Position, board: Board) -> int:
    from kulami_solver.malawi import Value, solve

    bar = Bar(" positions")
    try:
        solved = solve(
            board,
            threads=args.threads,
            memory=args.memory,
            force=args.force,
            progress=_shown(bar),
        )
    finally:
        bar.close()
    if args.json:
        output.json_line({"mfn": position.mfn(), **_figures(solved), "method": "retrograde"})
        return EXIT_OK
    output.line(_drawn(position))
    output.line()
    output.line(f"value     {Value(solved.outcome, solved.plies).words(position.turn)}")
    output.line(
        f"solved    {solved.reachable:,} positions from the ends of the game backwards "
        f"in {solved.seconds:.2f} s"
    )
    output.line(
        f"          {solved.wins:,} won, {solved.draws:,} drawn, {solved.losses:,} lost "
        f"for the side to move; longest {solved.longest} plies"
    )
    return EXIT_OK


def _figures(solved: Solved) -> dict[str, Any]:
    return {
        "board": str(solved.board),
        "beads": solved.board.beads,
        "reachable": solved.reachable,
        "outcome": solved.outcome,
        "plies": solved.plies,
        "draws": solved.draws,
        "wins": solved.wins,
        "losses": solved.losses,
        "longest": solved.longest,
        "seconds": round(solved.seconds, 3),
    }


def _shown(bar: Bar) -> Callable[[Progress], None]:
    """What draws the progress of an analysis."""

    def show(state: Progress) -> None:
        bar.show(state.done, state.total, f"layer {state.layer}: {state.step}")

    return show


def _search(args: argparse.Namespace, position: Position) -> int:
    from kulami_solver.malawi import SearchInterrupted, search
    from kulami_solver.malawi.searching import SearchProgress

    time = args.time
    if time is None and args.depth is None and args.nodes is None:
        time = PATIENCE
    bar = Bar(" positions")

    def progress(state: SearchProgress) -> None:
        bar.show(state.nodes, None, f"no end within {state.within} plies")

    try:
        solution = search(
            position,
            depth=args.depth,
            time=time,
            nodes=args.nodes,
            memory=args.memory,
            every_turn=args.all,
            progress=progress,
        )
    except SearchInterrupted as stopped:
        bar.close()
        _answer(args, stopped.solution)
        output.message("interrupted", "Ctrl-C; this is what was proved by then")
        return EXIT_INTERRUPTED
    finally:
        bar.close()
    _answer(args, solution)
    return EXIT_OK


def _answer(args: argparse.Namespace, solution: Solution) -> None:
    if args.json:
        unknown = dict.fromkeys(("reachable", "draws", "wins", "losses"))
        output.json_line({**solution.to_json(), **unknown, "method": "search"})
    else:
        output.line(report(solution, args.all))


# What is known of a position


def report(solution: Solution, every_turn: bool) -> str:
    """A solution in words."""
    position = solution.position
    side = position.turn
    lines = [_drawn(position), "", f"value     {solution.value.words(side)}"]
    if solution.best is not None:
        lines.append(f"best      {solution.best}")
    if solution.line:
        lines.append(f"line      {' '.join(str(turn) for turn in solution.line)}")
    if every_turn:
        lines += _turn_lines(solution)
    if solution.source == "search":
        lines.append(f"searched  {solution.nodes:,} positions in {solution.seconds:.2f} s")
    return "\n".join(lines)


def _turn_lines(solution: Solution) -> list[str]:
    side = solution.position.turn
    wide = max((len(str(found.turn)) for found in solution.turns), default=0)
    return [
        f"{'turns' if number == 0 else '':<10}{found.turn!s:<{wide}}  {found.value.words(side)}"
        for number, found in enumerate(solution.turns)
    ]


# build, probe, info, verify


def run_build(args: argparse.Namespace) -> int:
    """Build a database."""
    from kulami_solver.malawi import Value, build

    board = _board(args)
    bar = Bar(" positions")
    try:
        built = build(
            args.database,
            board,
            threads=args.threads,
            memory=args.memory,
            force=args.force,
            progress=_shown(bar),
        )
    except KeyboardInterrupt:
        return work_is_kept(args)
    finally:
        bar.close()
    if args.json:
        output.json_line({"database": built.path, **_figures(built), "bytes": built.bytes})
    else:
        output.line(
            f"{built.path}: {built.reachable:,} positions in {built.bytes:,} bytes "
            f"({built.bytes / built.reachable:.2f} a position), {built.seconds:.1f} s; "
            f"{Value(built.outcome, built.plies).words('red')}"
        )
    return EXIT_OK


def run_probe(args: argparse.Namespace) -> int:
    """Look a position up."""
    from kulami_solver.database import NotInDatabaseError
    from kulami_solver.malawi import open_database

    position = _position(args)
    with open_database(args.database) as database:
        try:
            solution = database.probe(position, every_turn=args.all)
        except NotInDatabaseError as error:
            if args.json:
                nothing = dict.fromkeys(("outcome", "plies", "source"))
                output.json_line({"mfn": position.mfn(), **nothing})
            else:
                output.error(str(error))
            return EXIT_FAILED
    if args.json:
        output.json_line(solution.to_json())
    else:
        output.line(report(solution, args.all))
    return EXIT_OK


def run_info(args: argparse.Namespace) -> int:
    """Say what a database holds."""
    from kulami_solver.malawi import Position, Value, open_database

    with open_database(args.database) as database:
        database.check_sections()
        counted = database.counts()
        start = Position.start(database.board)
        about = {
            "database": database.path,
            "board": str(database.board),
            "beads": database.board.beads,
            "outcome": database.value.outcome,
            "plies": database.value.plies,
            "positions": database.positions,
            "bytes": database.bytes,
            "bytes_per_position": round(database.bytes / database.positions, 3),
            "ok": True,
        }
        if args.json:
            about["values"] = [
                {"outcome": value.outcome, "plies": value.plies, "positions": positions}
                for value, positions in counted.items()
            ]
            output.json_line(about)
            return EXIT_OK
        output.line(_drawn(start))
        output.line()
        output.line(f"{'value':<11}{database.value.words('red')}")
        for name in ("positions", "bytes"):
            output.line(f"{name:<11}{about[name]:,}")
        output.line(f"{'':<11}{about['bytes_per_position']} bytes a position")
        output.line(f"\n{'plies':>7}{'won':>16}{'lost':>16}   for the side to move")
        longest = max(value.plies or 0 for value in counted)
        for plies in range(longest + 1):
            won, lost = (counted.get(Value(outcome, plies), 0) for outcome in ("win", "loss"))
            output.line(f"{plies:>7}{won:>16,}{lost:>16,}")
        output.line(f"{'drawn':>7}{counted.get(Value('draw'), 0):>16,}")
    return EXIT_OK


def run_verify(args: argparse.Namespace) -> int:
    """Check a database thoroughly."""
    from kulami_solver.malawi import open_database, verify

    def check(show: Callable[[int, int], None]) -> Verified:
        with open_database(args.database) as database:
            return verify(database, threads=args.threads, progress=show)

    return report_check(args, check)


# play


def run_play(args: argparse.Namespace) -> int:
    """Play a game at the terminal, or by lines from a pipe."""
    from kulami_solver.malawi.playing import Game

    with contextlib.ExitStack() as stack:
        game = Game(_position(args), _solver(args, stack), args.seed)
        try:
            _play(args, game)
        except KeyboardInterrupt:
            output.message("interrupted", f"go on with --mfn '{game.position.mfn()}'")
            return EXIT_INTERRUPTED
    return EXIT_OK


def _solver(
    args: argparse.Namespace, stack: contextlib.ExitStack
) -> Callable[[Position], Solution]:
    """What values the turns of a position."""
    from kulami_solver.malawi import open_database, search

    database = None
    if args.database is not None:
        database = stack.enter_context(open_database(args.database))

    def valued(position: Position) -> Solution:
        if database is not None and position in database:
            return database.probe(position, every_turn=True)
        return search(position, time=args.time, every_turn=True)

    return valued


def _play(args: argparse.Namespace, game: Game) -> None:
    if args.json:
        _tell(args, game, None, "start")
    else:
        output.line(_drawn(game.position, output.wants_color("auto")))
    entered = _entered(lambda: f"{game.position.turn}> ")
    while True:
        if not game.position.is_over and game.position.turn != args.side:
            _tell(args, game, str(game.answer()), "computer")
            continue
        text = next(entered, "quit")
        try:
            if not _obey(args, game, text):
                return
        except (CommandError, KulamiError) as error:
            output.error(str(error))


def _obey(args: argparse.Namespace, game: Game, text: str) -> bool:
    """Do what was entered; False to leave."""
    if text in ("quit", "exit", "q"):
        if not args.json and not game.position.is_over:
            output.line(f"to go on: --mfn '{game.position.mfn()}'")
        return False
    if text in ("help", "?"):
        output.line(PLAY_DETAILS.partition("\n\n")[0])
    elif text == "board":
        output.line(_drawn(game.position, output.wants_color("auto")))
    elif text == "mfn":
        output.line(game.position.mfn())
    elif text == "turns":
        if args.json:
            output.json_line(game.solution().to_json())
        else:
            output.line("\n".join(_turn_lines(game.solution())))
    elif text == "undo":
        back = 2 if game.position.turn == args.side else 1
        if len(game.turns) < back:
            raise CommandError("there is no turn of yours to take back")
        game.take_back(back)
        _tell(args, game, None, "undo")
    elif text == "best" and not game.position.is_over:
        _tell(args, game, str(game.answer()), "best")
    elif text and text != "best":
        game.play(text)
        _tell(args, game, text, "you")
    return True


def _tell(args: argparse.Namespace, game: Game, turn: str | None, by: str) -> None:
    """Say what has happened, and what has become of the position."""
    position = game.position
    if args.json:
        output.json_line(
            {
                "by": by,
                "turn": turn,
                "mfn": position.mfn(),
                "over": position.is_over,
                "winner": position.winner,
                "repetitions": game.repetitions,
            }
        )
        return
    if by == "computer":
        output.line(f"{'black' if position.turn == 'red' else 'red'}: {turn}")
    output.line(_drawn(position, output.wants_color("auto")))
    if game.repetitions > 2:
        output.line(f"the {game.repetitions}th time: as it stands, this is a draw")


def _entered(prompt: Callable[[], str]) -> Iterator[str]:
    """What a person types, or the lines of a pipe."""
    if output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() has a history with it)
        with contextlib.suppress(EOFError):
            while True:
                yield input(prompt()).strip()
    yield from text_lines("standard input", "-", LINE_LIMIT)
