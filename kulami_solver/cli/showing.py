"""The picture and the legal moves of a position: `show` and `moves`, for any game."""

from __future__ import annotations

import argparse
import functools

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_OK
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.options import add_picture_options, check_picture_options, write_pictures


def add_show(commands: Commands, game: GameCommands) -> None:
    """Add `show`."""
    run = functools.partial(run_show, game)
    parser = add_command(commands, "show", run, "draw a position")
    game.add_position_options(parser)
    parser.choice("--color", ("auto", "always", "never"), "colours (auto)", "auto")
    if game.has_pictures:
        add_picture_options(parser)


def run_show(game: GameCommands, args: argparse.Namespace) -> int:
    """Draw a position."""
    if game.has_pictures:
        check_picture_options(args)
    state = game.state(args)
    written = write_pictures(args, state.position) if game.has_pictures else {}
    if args.json:
        told = game.told(state)
        text = {} if "text" in told else {"text": state.drawn()}
        named = {game.notation_word: state.notation(), **text}
        output.json_line({**named, **told, **written})
    elif written:
        output.line("\n".join(f"wrote {name}" for name in written.values()))
    else:
        output.line(game.drawn(state, output.wants_color(args.color)))
        output.line(state.notation())
    return EXIT_OK


def add_moves(commands: Commands, game: GameCommands) -> None:
    """Add `moves`, under the game's word for them."""
    run = functools.partial(run_moves, game)
    parser = add_command(commands, game.moves_word, run, f"print the legal {game.moves_word}")
    game.add_position_options(parser)


def run_moves(game: GameCommands, args: argparse.Namespace) -> int:
    """Print the legal moves."""
    state = game.state(args)
    turn = state.game.seats[state.to_move] if state.to_move >= 0 else None
    named = {game.notation_word: state.notation(), "turn": turn}
    told = {**named, game.moves_word: list(state.moves)}
    output.answer(args, told, " ".join(state.moves) or game.standing(state))
    return EXIT_OK
