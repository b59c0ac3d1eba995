"""Grades, checks, pages and names know no game: a toy with dice and three seats has them, too."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from toy_game import Dice, DiceState, expected

from kulami_solver.bots import BotError, Player
from kulami_solver.bots.arena import Opening, play_game, play_on
from kulami_solver.bots.case import Case, StateCase, case_key, case_of
from kulami_solver.bots.check import check
from kulami_solver.bots.grade import grade
from kulami_solver.bots.naming import BotNames, bots_of
from kulami_solver.bots.page import html_page
from kulami_solver.bots.report import csv_text, text
from kulami_solver.errors import KulamiError
from kulami_solver.game import CHANCE, NOBODY, State

START = Dice().start()


class Hesitant:
    """Takes a two, and passes a one."""

    def choose(self, position: str) -> str:
        return "take" if position[-1] == "2" else "pass"


def cases(count: int) -> list[Case]:
    """States of random games in which somebody is to move, each with its values."""
    draw = random.Random(1)
    found: list[Case] = []
    while len(found) < count:
        state: State = START
        for _ in range(1 + 2 * draw.randrange(6)):
            state = state.play(draw.choice(state.moves))
        assert isinstance(state, DiceState)
        moves = {move: expected(state.play(move))[state.to_move] for move in state.moves}
        found.append(case_of(state, moves))
    return found


def test_a_game_with_dice_is_graded() -> None:
    moves = ["1", "pass", "2", "take", "1", "take", "2", "take", "1", "pass", "2", "pass"]
    found = grade(START, moves)
    assert [move.ply for move in found.moves] == [2, 4, 6, 8, 10, 12]
    assert [move.colour for move in found.moves] == ["ann", "bob", "cid"] * 2
    assert [move.cost for move in found.moves] == [1, 0, 0, 0, 1, 2]
    # A coin that is lost is lost whatever the dice will show: 4/3 on average.
    assert found.moves[0].value == Fraction(4, 3)
    assert found.moves[0].to_json() == {
        "ply": 2,
        "colour": "ann",
        "move": "pass",
        "value": "4/3",
        "best": ["take"],
        "best_value": "7/3",
        "cost": 1,
        "outcome": ["win", "win"],
    }
    told = found.to_json()
    assert (told["plies"], told["finished"], told["from_ply"]) == (12, True, 2)
    assert [told[seat]["lost"] for seat in ("ann", "bob", "cid")] == [1, 1, 2]
    lines = found.text().splitlines()
    assert lines[0] == "12 moves, ann 2, bob 2, cid 1"
    assert lines[4].split() == ["2", "ann", "pass", "+4/3", "1", "take"]


def test_the_value_along_a_game_changes_by_its_costs_and_by_the_dice_alone() -> None:
    for seed in range(10):
        players = [Player(Hesitant()) for _ in range(3)]
        game = play_game(players, Opening(START), seed=seed)
        for move in grade(START, game.moves).moves:
            before = play_on(START, game.moves[: move.ply - 1])
            after = play_on(START, game.moves[: move.ply])
            assert isinstance(before, DiceState)
            assert isinstance(after, DiceState)
            seat = before.to_move
            assert expected(before)[seat] - expected(after)[seat] == move.cost


def test_what_is_known_is_not_searched() -> None:
    asked: list[State] = []

    def known(state: State) -> dict[str, Fraction]:
        asked.append(state)
        return dict.fromkeys(state.moves, Fraction(1, 2))

    found = grade(START, ["1", "take", "2", "pass"], known=known)
    assert [move.cost for move in found.moves] == [0, 0]
    assert [len(state.notation().split()) for state in asked] == [3, 1]
    assert not found.to_json()["finished"]


def test_an_illegal_move_is_counted() -> None:
    with pytest.raises(KulamiError, match=r"^move 2: steal is not among"):
        grade(START, ["1", "steal"])


def test_a_check_and_its_page() -> None:
    positions = cases(40)
    assert {type(case) for case in positions} == {StateCase}
    assert len({case_key(case) for case in positions}) > 20
    assert all(case.state.to_move not in (CHANCE, NOBODY) for case in positions)
    report = check(Player(Hesitant(), "<hesitant>"), positions)
    wrong = [case for case in positions if str(case.position[-1]) == "1"]
    assert len(report) - report.optimal == len(wrong)
    assert report.mean_loss == len(wrong) / 40
    assert report.worst_loss == 1
    assert "plays pass, right is take; loses 1" in text(report)
    assert csv_text(report).startswith("notation,origin,played,best,value,")
    assert report.to_json()["blunders"][0]["notation"] == report.blunders[0].case.column("notation")
    page = html_page(report, 5)
    assert "&lt;hesitant&gt;" in page
    assert "whose every move has a known value" in page
    # There is no picture: it is drawn as text, and the values stand below.
    assert page.count('<pre class="board">') == 5
    worst = report.blunders[0].case
    assert f'<pre class="board">{worst.state.drawn()}</pre>' in page
    assert '<span class="good">take +' in page
    assert '<span class="bad">pass ' in page


def test_bots_have_names_in_one_way() -> None:
    def isolated(name: str, seed: int) -> Player:
        return Player(Hesitant(), f"{name} apart")

    names = BotNames(
        game="dice",
        called="bot of dice",
        shown=("hesitant",),
        plain={"hesitant": lambda seed: Hesitant()},
        more={},
        isolated=isolated,
        built_from=(),
    )
    assert names.make(" hesitant ").name == "Hesitant"
    assert names.make("test_any_game:Hesitant").name == "test_any_game:Hesitant"
    assert names.make("test_any_game:Hesitant", isolated=True).name.endswith(" apart")
    for name in ("hesitant:3", "nobody", "", "a b:c", "exec"):
        with pytest.raises(BotError, match=r"is no bot of dice: use hesitant|names no program"):
            names.make(name)


@pytest.mark.parametrize("game", ["kulami", "malawi"])
def test_every_game_names_its_bots_so(game: str) -> None:
    names = bots_of(game)
    for name in names.shown:
        assert names.make(name).name == name
        assert name in names
    for name in ("random:", "greedy:4", "perfect:", "nobody", "two words:Bot"):
        with pytest.raises(BotError, match=f"is no {names.called}: use random"):
            names.make(name)
    with pytest.raises(BotError, match=r"perfect:none\.kdb is no bot"):
        names.make("perfect:none.kdb")
    with pytest.raises(BotError, match="cannot be started"):
        names.make("exec /nonexistent/bot")
    with pytest.raises(BotError, match="there is no module"):
        names.make("no_such_module:Bot")


def test_a_game_without_names() -> None:
    with pytest.raises(KulamiError, match="no bots of 'dice' have names"):
        bots_of("dice")
