"""`kulami just4fun play`: a game against the advice, at the terminal or by lines from a pipe."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.just4fun.advising import add_advice_options, advice_lines
from kulami_solver.cli.just4fun.odds import table
from kulami_solver.cli.just4fun.positions import add_position_options, drawn, position_of
from kulami_solver.cli.reading import LINE_LIMIT, text_lines
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.just4fun import Advice, Position
    from kulami_solver.just4fun.playing import Game

#: What an answer takes where neither --time nor --deals ends it, in seconds.
USUAL_SECONDS = 2.0

DETAILS = """\
Everyone sees the own hand alone; opponents play by what 'advise' estimates.
Type a move (12=5+7, or discard), or one of
  moves   your legal moves                   undo    take your last move back
  advice  what they are estimated to score   jfn     what you know, as one line
  odds    what hands of unseen cards make    record  the game, for replay
  best    play the best estimate for me      quit    leave (or end the input)
  board   draw the board again

examples
  kulami just4fun play --deal 7
  kulami just4fun play --deal 7 --players rbg --side green --time 1
"""


def add_commands(group: Commands) -> None:
    """Add `play`."""
    command = add_command(group, "play", run, "play against the advice", DETAILS)
    add_position_options(command)
    command.add_argument(
        "--side",
        choices=("red", "blue", "green", "yellow"),
        help="yours (the first to move)",
    )
    add_advice_options(command, USUAL_SECONDS)


def run(args: argparse.Namespace) -> int:
    """Play a game at the terminal, or by lines from a pipe."""
    from kulami_solver.just4fun import advise
    from kulami_solver.just4fun.playing import Game

    start = position_of(args)
    if start.hidden:
        raise CommandError("--position: a hand is hidden; give all hands, the game hides them")
    if args.side is None:
        args.side = start.turn
    if args.side not in start.players:
        raise CommandError(f"--side {args.side}: {' and '.join(start.players)} play")
    time = USUAL_SECONDS if args.time is None and args.deals is None else args.time

    def advised(position: Position) -> Advice:
        return advise(position, deals=args.deals, time=time, seed=args.seed, method=args.method)

    game = Game(start, advised, args.seed)
    try:
        _play(args, game)
    except KeyboardInterrupt:
        output.message("interrupted", f"the game so far: {json.dumps(game.record())}")
        return EXIT_INTERRUPTED
    return EXIT_OK


def _play(args: argparse.Namespace, game: Game) -> None:
    _tell(args, game, "start")
    entered = _entered(lambda: f"{game.position.turn}> ")
    while True:
        if not game.position.is_over and game.position.turn != args.side:
            game.answer()
            _tell(args, game, "computer")
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
        return False
    seen = game.seen_by(args.side)
    over = game.position.is_over
    if text in ("help", "?"):
        words = DETAILS.partition("\n\n")[0]
        if args.json:
            output.json_line({"help": words})
        else:
            output.line(words)
    elif text in ("board", "jfn") and args.json:
        _tell(args, game, text)
    elif text == "board":
        output.line(drawn(seen, output.wants_color("auto")))
    elif text == "jfn":
        output.line(seen.jfn())
    elif text == "record":
        output.json_line(game.record())
    elif text == "odds":
        _tell_odds(args, seen)
    elif text == "moves":
        moves = [str(move) for move in game.position.legal_moves]
        if args.json:
            output.json_line({"moves": moves})
        else:
            output.line(" ".join(moves) or game.position.standing())
    elif text == "undo":
        _take_back(args, game)
        _tell(args, game, "undo")
    elif text == "advice" and not over:
        advice = game.advice()
        if args.json:
            output.json_line(advice.to_json())
        else:
            output.line("\n".join(advice_lines(advice)))
    elif text == "best" and not over:
        game.answer()
        _tell(args, game, "best")
    elif text == "discard" and not over:
        # A hand is put away whole, so its cards need not be named.
        forced = game.position.legal_moves[0]
        game.play(forced if forced.field is None else text)
        _tell(args, game, "you")
    elif text and text not in ("advice", "best"):
        game.play(text)
        _tell(args, game, "you")
    return True


def _tell_odds(args: argparse.Namespace, seen: Position) -> None:
    from kulami_solver.just4fun import odds

    found = odds(seen)
    if args.json:
        output.json_line(found.to_json())
    else:
        output.line(table(found))


def _take_back(args: argparse.Namespace, game: Game) -> None:
    """Take back all from the last move of the player on."""
    for back, before in enumerate(reversed(game.positions[:-1]), 1):
        if before.turn == args.side:
            game.take_back(back)
            return
    raise CommandError("there is no move of yours to take back")


def _tell(args: argparse.Namespace, game: Game, by: str) -> None:
    """Say what has happened, and what the player knows of the position."""
    position, seen = game.position, game.seen_by(args.side)
    played = by in ("you", "best", "computer")
    turn = game.turns[-1] if played else None
    player = game.positions[-2].turn if played else None
    if args.json:
        mine = player == args.side
        output.json_line(
            {
                "by": by,
                "player": player,
                "move": None if turn is None else str(turn.move),
                "drawn": list(turn.drawn) if turn is not None and mine else None,
                "position": seen.jfn(),
                "turn": position.turn,
                "over": position.is_over,
                "winner": position.winner,
                "scores": position.scores,
            }
        )
        return
    if by == "computer" and turn is not None:
        output.line(f"{player}: {turn.move}")
    output.line(drawn(seen, output.wants_color("auto")))


def _entered(prompt: Callable[[], str]) -> Iterator[str]:
    """What a person types, or the lines of a pipe."""
    if output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() has a history with it)
        with contextlib.suppress(EOFError):
            while True:
                yield input(prompt()).strip()
        return
    yield from text_lines("standard input", "-", LINE_LIMIT)
