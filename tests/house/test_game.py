"""Every game keeps what `kulami_solver.game` promises, and its values are those of a plain minimax
that knows nothing but the interface."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import random
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kulami_solver import Layout, Position
from kulami_solver.adapters.exact import exact_values
from kulami_solver.adapters.labels import LabelPlan
from kulami_solver.adapters.labels.writing import label_groups
from kulami_solver.bots import Perfect
from kulami_solver.bots.grade import grade
from kulami_solver.errors import KulamiError
from kulami_solver.game import (
    CHANCE,
    GAMES,
    NOBODY,
    Budget,
    Number,
    Option,
    Question,
    State,
    ask,
    descriptor,
    load_game,
    part,
)
from kulami_solver.kulami.game import state_of
from kulami_solver.kulami.solve.solution import MoveValue, Solution
from kulami_solver.registry import installed
from kulami_solver.web.games import GamePage
from kulami_solver.web.places import Places, pages
from kulami_solver.web.searches import Limits

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("kulami", {"layout": "AAB/CCB"}),
    ("kulami", {"layout": "ABBC/ABBC/DDEE", "scoring": 2, "first": "black"}),
    ("kulami", {"layout": "A.B/ACB", "scoring": "chains", "marbles": 2, "short_end": True}),
    ("kulami", {"layout": "A"}),
    ("malawi", {"board": "2x3"}),
    ("malawi", {"board": "3x4", "beads": 1}),
    ("just4fun", {"board": "3x3", "stones": 3, "line": 3, "hand": 3, "dummy": True}),
    ("just4fun", {"board": "2006", "stones": 5, "seed": 3}),
    ("just4fun", {"board": "4x3", "stones": 4, "players": "gyr", "line": 3, "hand": 2}),
    ("just4fun", {"board": "2x3", "stones": 2, "hand": 4, "dummy": True, "hidden": True}),
]
# Those in which chance has no part and no position comes up again.
PLAIN = [case for case in SMALL if case[0] == "kulami" or case[1].get("dummy")]
LONGEST = 300


@pytest.mark.parametrize(("name", "options"), SMALL)
@pytest.mark.parametrize("seed", range(5))
def test_random_games(name: str, options: dict[str, Any], seed: int) -> None:
    game = load_game(name, **options)
    assert game.name == name
    draw = random.Random(seed)
    state = game.start()
    for _ in range(LONGEST):
        if state.to_move == NOBODY:
            break
        assert state.to_move == CHANCE or state.to_move in range(len(game.seats))
        assert (state.to_move == CHANCE) == bool(state.chances())
        assert not state.chances() or sum(state.chances()) == 1
        assert state.moves
        assert len(set(state.moves)) == len(state.moves)
        again = game.read(state.notation())
        assert again.notation() == state.notation()
        assert (again.to_move, again.moves) == (state.to_move, state.moves)
        assert state.drawn()
        with pytest.raises(KulamiError):
            state.returns()
        with pytest.raises(KulamiError):
            state.play("nonsense")
        move = draw.choice(state.moves)
        assert state.drawn(ascii_only=True).isascii()
        if state.to_move != CHANCE:
            assert state.move_of(move) == move
            with pytest.raises(KulamiError):
                state.move_of("nonsense")
            with pytest.raises(TypeError, match=r"^no "):
                state.move_of(None)
            position, offered = state.for_bots()
            assert game.has_hidden or position == state.position
            assert "clock" not in offered  # which every bot is offered, in every game
        after = state.play(move)
        assert after == state.play(move)  # playing changes nothing
        state = after
    assert state.to_move == NOBODY
    assert state.moves == ()
    assert len(state.returns()) == len(game.seats)
    assert sum(state.returns()) == 0
    with pytest.raises(KulamiError):
        state.evaluate(Budget())


def minimax(state: State, known: dict[str, Number]) -> Number:
    """The value for the seat to move of a game of two that cannot go round in circles."""
    notation = state.notation()
    if notation not in known:
        known[notation] = max(
            seen_before(state.play(move), state.to_move, known) for move in state.moves
        )
    return known[notation]


def seen_before(after: State, seat: int, known: dict[str, Number]) -> Number:
    """What a state is worth to the seat that made the move to it."""
    if after.to_move == NOBODY:
        return after.returns()[seat]
    return -minimax(after, known)


@pytest.mark.parametrize(("name", "options"), PLAIN)
def test_values_are_those_of_a_plain_minimax(name: str, options: dict[str, Any]) -> None:
    state = load_game(name, **options).start()
    known: dict[str, Number] = {}
    found = state.evaluate(Budget(), every_move=True)
    assert found.exact
    assert found.lower == minimax(state, known)
    assert found.exact_moves == {
        move: seen_before(state.play(move), 0 if state.to_move == 0 else 1, known)
        for move in state.moves
    }
    assert found.moves[0].move == found.best
    end = state
    for move in found.line:
        end = end.play(str(move))
    assert end.returns()[state.to_move] == found.lower


def forced_win(state: State, seat: int, plies: int) -> bool:
    """Whether a seat can force a win within so many moves, tried out one by one."""
    if state.to_move == NOBODY:
        return state.returns()[seat] == 1
    if plies == 0:
        return False
    tried = (forced_win(state.play(move), seat, plies - 1) for move in state.moves)
    return any(tried) if state.to_move == seat else all(tried)


def test_plies_of_malawi_are_those_of_trying_everything() -> None:
    state = load_game("malawi", board="2x3").start()
    found = state.evaluate(Budget(), every_move=True)
    assert (found.lower, found.upper, found.plies) == (-1, -1, 4)
    assert forced_win(state, 1, 4)
    assert not forced_win(state, 1, 3)
    for move in found.moves:
        assert move.plies is not None
        assert forced_win(state.play(str(move.move)), 1, move.plies - 1)
        assert not forced_win(state.play(str(move.move)), 1, move.plies - 2)


def test_a_position_that_comes_up_for_the_third_time_is_a_draw() -> None:
    state: State = load_game("malawi", board="3x6").start()
    for move in 2 * ["a6-a4", "b1-b3", "a4-a6", "b3-b1"]:
        assert state.to_move != NOBODY
        state = state.play(move)
    assert state.to_move == NOBODY
    assert state.returns() == (0, 0)
    with pytest.raises(KulamiError, match="three times"):
        state.play("a6-a4")


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_text_of_another_board_is_refused(name: str) -> None:
    small, other = [load_game(case[0], **case[1]) for case in SMALL if case[0] == name][:2]
    with pytest.raises(KulamiError, match="this game is played on"):
        other.read(small.start().notation())


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_descriptor_says_what_its_game_takes(name: str) -> None:
    found = descriptor(name)
    takes = inspect.signature(found.make).parameters.values()
    written = [(one.name, str(getattr(one.default, "value", one.default))) for one in takes]
    assert [(option.name, str(option.default)) for option in found.options] == written
    for option in found.options:
        assert option.kind != "choice" or option.default in option.choices
        if option.kind == "number":
            for bound in (option.least, option.most):
                assert bound is None or load_game(name, **{option.name: bound})
            if option.most is not None:
                with pytest.raises(KulamiError):
                    load_game(name, **{option.name: option.most + 1}).start()
    assert found.name == name == found.make().name
    assert set(found.make().seats) <= set(found.seats)
    for options in found.samples:
        start = found.make(**options).start()
        assert start.evaluate(Budget(seconds=10)).exact
        assert found.table_plies(start) > 0


def test_what_a_room_has_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GAMES:
        found = part(name, "bots")
        assert found is not None
        assert found.BOTS.game == name
    assert part("kulami", "storage") is None
    assert part("chess", "bots") is None
    # A game of one module, and one that is a package of its own.
    monkeypatch.setitem(GAMES, "dice", "toy_game")
    assert descriptor("dice").make().start().to_move == CHANCE
    assert part("dice", "bots") is None
    monkeypatch.setitem(GAMES, "json", "json.game")
    assert part("json", "decoder") is importlib.import_module("json.decoder")
    assert part("json", "bots") is None


def test_a_game_of_another_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "dicegame/__init__.py": "",
        "dicegame/game.py": "from toy_game import GAME",
        "dicegame/bots.py": "",
        "dicegame-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: dicegame\nVersion: 1\n",
        "dicegame-1.dist-info/entry_points.txt": "[kulami_solver.games]\ndice = dicegame.game\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    with pytest.raises(KulamiError, match="there is no game 'dice'"):
        load_game("dice")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    try:
        state = load_game("dice").start()
        assert (state.to_move, state.moves) == (CHANCE, ("1", "2"))
        bots = part("dice", "bots")
        assert bots is not None
        assert bots.__name__ == "dicegame.bots"
        assert part("dice", "web") is None
        assert "dice" not in GAMES
        assert "dice" in [page.descriptor.name for page in pages()]
    finally:
        installed.cache_clear()


@pytest.mark.parametrize("text", ["def make(:", "GAMES = 1"])
def test_the_page_does_without_a_game_that_cannot_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    metadata = tmp_path / "spoilt-1.dist-info"
    metadata.mkdir()
    (tmp_path / "spoiltgame.py").write_text(text)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: spoilt\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[kulami_solver.games]\nspoilt = spoiltgame\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "spoiltgame", raising=False)
    installed.cache_clear()
    try:
        named = [page.name for page in pages()]
        assert set(GAMES) <= set(named)
        assert "spoilt" not in named
        (said,) = [one for one in caplog.records if "'spoilt'" in one.getMessage()]
        assert said.exc_info
    finally:
        installed.cache_clear()


@pytest.mark.parametrize(
    "name", ["mfn", "moves", "see", "time", "bot", "bot_seed", "draws", "format"]
)
def test_an_option_has_a_name_that_the_page_does_not_need(name: str) -> None:
    """A question of the page says both by their names: one would be taken for the other."""
    found = descriptor("malawi")
    options = (*found.options, Option(name, "text", "", "of no use"))
    with pytest.raises(KulamiError, match=f"malawi: no option can be called '{name}'"):
        dataclasses.replace(found, options=options)


def test_every_word_of_a_question_is_kept_from_options() -> None:
    found = descriptor("malawi")
    said = {word for kind in GamePage("malawi").kinds.values() for word in kind.__struct_fields__}
    for word in said - {"seed", *(option.name for option in found.options)}:
        with pytest.raises(KulamiError, match="no option can be called"):
            dataclasses.replace(found, options=(Option(word, "text", "", "of no use"),))


class Known:
    """A source of values for Kulami: a dictionary, by positions, for the side to move."""

    position_type = Position

    def __init__(self, margins: dict[Position, int]) -> None:
        self.margins = margins

    def answer(self, question: Question) -> Solution | None:
        here = question.state.position
        after = {field: here.play(field) for field in here.legal_fields}
        if not {here, *after.values()} <= self.margins.keys():
            return None
        worth = {field: -self.margins[one] for field, one in after.items()}
        best = max(worth, key=lambda field: worth[field])
        moves = tuple(MoveValue(field, value, value) for field, value in worth.items())
        margin, scoring = self.margins[here], question.state.game.scoring
        return Solution(here, margin, margin, best, (best,), moves, scoring=scoring)


def test_a_new_source_is_one_class_for_solve_page_grade_labels_and_bots() -> None:
    """Its values are no real ones, so that it shows who has answered."""
    start = Position(Layout.parse("ABBC/ABBC/DDEE"))
    known = Known({start: 77, **{start.play(field): -70 for field in start.legal_fields}})
    best = start.legal_fields[3]
    known.margins[start.play(best)] = -77
    assert ask(Question(state_of(start), every_move=True), [known]).best == best
    assert ask(Question(state_of(start.play(best))), [known]).source == "search"  # it asks on
    assert Perfect([known]).choose(start) == best
    assert exact_values([start], known).margins.tolist() == [77]
    groups, _ = label_groups(LabelPlan(2, (12, 12), layout=start.layout), [0], 1 << 20, known)
    assert 77 in groups[0][1]["margin"]
    assert grade(start, [best], sources=[known]).moves[0].case.values[best] == 77
    place = Places(Limits(), [known]).place("/api/analyse")
    assert place is not None
    assert place.kind is not None
    heard: list[Any] = []
    reader = SimpleNamespace(stop=threading.Event(), tell=lambda _kind, said: heard.append(said))
    place.answer(place.kind(layout=str(start.layout)))(reader)
    assert heard[-1]["best"] == best
