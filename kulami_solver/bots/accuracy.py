"""The accuracy of players over several graded games: in each game, and in all of them.

a.jsonl 1  Ann     83 % optimal (20 of 24 choices), lost 9
           Bob    100 % optimal (22 of 22 choices), lost 0
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.notation import so_many
from ..errors import harmless
from .grade import Grade, GradedMove, accuracy_of, accuracy_words


@dataclass(frozen=True)
class GradedGame:
    """A graded game.

    Attributes:
        name: the file it was read from, and its number there.
        grade: the cost of its moves, with a player for each seat.
    """

    name: str
    grade: Grade

    @property
    def players(self) -> Mapping[str, str]:
        """Names, by the seat."""
        return self.grade.players


def players_of(record: object, seats: Iterable[str]) -> dict[str, str]:
    r"""Return the players of a game by seat; a seat without a name in the record stands for itself.

    Examples:
        >>> players_of({"red": "Ann", "moves": []}, ("red", "black"))
        {'red': 'Ann', 'black': 'black'}
        >>> players_of({"headers": {"Black": "Bob"}}, ("red", "black"))
        {'red': 'red', 'black': 'Bob'}
        >>> players_of({"red": "\x1b[31mAnn"}, ("red",)) == {"red": r"\x1b[31mAnn"}
        True
    """
    named: dict[str, Any] = record if isinstance(record, dict) else {}
    headers = named.get("headers")
    if isinstance(headers, dict):
        named = {name.lower(): value for name, value in headers.items()} | named
    given = {seat: named.get(seat) for seat in seats}
    told = {seat: name for seat, name in given.items() if isinstance(name, str)}
    return {seat: harmless(told.get(seat, seat), lines=False) for seat in given}


def accuracies(games: Sequence[GradedGame]) -> dict[str, dict[str, Any]]:
    """Return the accuracy of each player over all games.

    Returns:
        By the player's name, in order of appearance: `games`, and the keys of `Grade.of`.
    """
    found: dict[str, dict[str, Any]] = {}
    for player in dict.fromkeys(name for game in games for name in game.players.values()):
        played = [game for game in games if player in game.players.values()]
        found[player] = {
            "games": len(played),
            **accuracy_of(move for game in played for move in _moves(game, player)),
        }
    return found


def accuracy_table(games: Sequence[GradedGame]) -> str:
    """Return as text the players' accuracy in each game, and over all games."""
    lines = [so_many(len(games), "game"), ""]
    wide = max(len(game.name) for game in games)
    names = max(len(name) for game in games for name in game.players.values())
    for game in games:
        for number, (seat, player) in enumerate(game.players.items()):
            head = "" if number else game.name
            judged = accuracy_words(game.grade.of(seat))
            lines.append(f"{head:<{wide}}  {player:<{names}} {judged}")
    for player, found in accuracies(games).items():
        whole = f"{accuracy_words(found)}, {so_many(found['games'], 'game')}"
        lines += ["", f"{player:<{names}} {whole}"]
    return "\n".join(lines)


def _moves(game: GradedGame, player: str) -> list[GradedMove]:
    """The graded moves of a player in a game."""
    seats = {seat for seat, name in game.players.items() if name == player}
    return [move for move in game.grade.moves if move.colour in seats]
