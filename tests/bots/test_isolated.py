"""What a Python bot answers from its own process: only values and the game's own objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from kulami_solver.bots import make_player
from kulami_solver.bots.protocol import IllegalAnswer
from kulami_solver.game import load_game

BOTS = """
import os

class Reducing:
    def __reduce__(self):
        return os.mkdir, ("made-in-the-arena",)

class Harmful:
    def choose(self, position):
        return Reducing()

class First:
    def choose(self, position):
        return position.turns[0] if hasattr(position, "turns") else position.legal_fields[0]
"""


def test_nothing_of_an_answer_runs_in_the_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "answering.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    harmful = make_player("answering:Harmful", isolated=True)
    with pytest.raises(IllegalAnswer):
        harmful.choose(load_game("kulami", layout="AAB/CCB").start())
    harmful.close()
    assert not (tmp_path / "made-in-the-arena").exists()
    for game, options in (("kulami", {"layout": "AAB/CCB"}), ("malawi", {"board": "2x3"})):
        state = load_game(game, **options).start()
        first = make_player("answering:First", isolated=True, game=game)
        assert first.choose(state) in state.moves
        first.close()
