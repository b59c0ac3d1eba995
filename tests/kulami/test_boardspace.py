"""Games of BoardSpace. All of them are made here, from the form that its program writes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver import GameRecord, Layout, Position
from kulami_solver.kulami.game_record import read_games
from kulami_solver.kulami.position.boardspace import board_number
from kulami_solver.kulami.position.layout import published_layouts

LETTERS = {"red": "W", "black": "B"}


def game_on(key: int, seed: int, marbles: int = 28, first: str = "red") -> GameRecord:
    """A random game on the board of a key."""
    rng = random.Random(seed)
    board = published_layouts()[f"boardspace-{board_number(key)}"]
    start = position = Position(Layout.parse(board), first, marbles)
    moves = []
    while not position.is_over:
        moves.append(rng.choice(position.legal_fields))
        position = position.play(moves[-1])
    return GameRecord.played(start, moves)


def as_boardspace(record: GameRecord, key: int, revision: int = 102, swap: bool = False) -> str:
    """A game in the form of BoardSpace; with `swap` the second player swaps colours first."""
    lines = [f"(;\nGM[Kulami]VV[1]\nDT[]\nSU[Kulami 2 {key} {revision}]"]
    lines += ['P0[id "Ann"]', 'P1[id "Ben"]', "; P0[0 Start P0]"]
    number = 1
    turn = record.start.turn
    for ply, move in enumerate(record.moves):
        player = f"P{(ply + (swap and ply > 0)) % 2}"
        if swap and ply == 1:
            lines += [f"; P1[{number} Swap ]TM[10]", f"; P1[{number + 1} Done ]TM[11]"]
            number += 2
        column, row = move.field[0].upper(), 9 - int(move.field[1:])
        lines.append(f"; {player}[{number} Dropb {LETTERS[turn]} {column} {row}]TM[{number * 900}]")
        lines.append(f"; {player}[{number + 1} Done ]TM[{number * 901}]")
        number += 2
        turn = "black" if turn == "red" else "red"
    return "\n".join([*lines, ")\n"])


@pytest.mark.parametrize("revision", [101, 102, 103])
def test_a_game_is_read_as_it_was_played(revision: int) -> None:
    keys = (0, 1234, -7, 2**31 - 1)
    games = [game_on(key, key, 32 if revision == 101 else 28) for key in keys]
    texts = [as_boardspace(*given, revision) for given in zip(games, keys, strict=True)]
    found = list(read_games("# four\n\n" + "\n".join(texts)))
    for one, game in zip(found, games, strict=True):
        assert (one.start, one.moves, one.result) == (game.start, game.moves, game.result)
        assert one.headers == {"Red": "Ann", "Black": "Ben"}
    assert GameRecord.from_text(texts[0]).start == games[0].start


def test_who_swaps_has_the_other_colour() -> None:
    game = game_on(5, 1)
    found = GameRecord.from_text(as_boardspace(game, 5, swap=True))
    assert found.moves == game.moves
    assert found.headers == {"Red": "Ben", "Black": "Ann"}


@pytest.mark.landing
def test_commands_take_them(tmp_path: Path) -> None:
    file = tmp_path / "games.sgf"
    texts = [as_boardspace(game_on(key, key), key) for key in (1, 2)]
    file.write_text("(; SU[Kulami-R 2 1 102])\n".join(texts), encoding="ascii")
    ran = kulami("replay", str(file), "--json")
    assert (ran.code, ran.answer["games"], ran.answer["disagree"]) == (2, 2, 0)
    assert "game 2: the board 'Kulami-R' is not known" in ran.err
    file.write_text(texts[0], encoding="ascii")
    assert good("grade", str(tmp_path), "--json").answers[0]["moves"]
