"""The commands that a game has under its name: the commands of all games, and its own."""

from __future__ import annotations

from kulami_solver.cli import bots, games, grading, play, records, showing
from kulami_solver.cli.arguments import Commands, add_group
from kulami_solver.cli.game import GameCommands
from kulami_solver.registry import part

_SHARED = {
    "show": showing.add_show,
    "moves": showing.add_moves,
    "replay": records.add_replay,
    "play": play.add_play,
    "match": games.add_match,
    "check": bots.add_check,
    "grade": grading.add_grade,
    "engine": bots.add_engine,
}


def add_game(commands: Commands, name: str, whole: bool = True) -> None:
    """Add the group of a game, with its commands if `whole`."""
    own = part(name, "cli")
    game: GameCommands = GameCommands(name) if own is None else own.GAME
    group = add_group(commands, name, game.title, game.summary, game.details)
    if whole:
        game.add_own_commands(group)
        for command in game.shared:
            _SHARED[command](group, game)
