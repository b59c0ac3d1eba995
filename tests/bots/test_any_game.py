"""Grades, checks, pages and names know no game: a toy with dice and three seats has them, too."""

from __future__ import annotations

import functools
import random
from fractions import Fraction
from pathlib import Path

import pytest
from toy_game import Dice, DiceState, expected

from kulami_solver.bots import BotError, Clock, Player, make_player
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.bots.case import Case, case_key, case_of, draw_cases
from kulami_solver.bots.check import check, choices_in_parallel, choices_of
from kulami_solver.bots.fingerprint import bot_fingerprint
from kulami_solver.bots.grade import grade
from kulami_solver.bots.match import GameTerms, MatchReport, pairs_in_parallel, play_pair
from kulami_solver.bots.naming import BotNames, bots_of
from kulami_solver.bots.page import check_page
from kulami_solver.bots.report import csv_text, text
from kulami_solver.core.game_records import numbered_records
from kulami_solver.errors import KulamiError
from kulami_solver.game import CHANCE, GAMES, NOBODY, Answer, MoveAnswer, Question, State, load_game
from kulami_solver.kulami.solve.batch import solve_many

START = Dice().start()


class Silent:
    """Has no answer."""

    def choose(self, position: str) -> None:
        return None


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
            before = Opening(START, game.moves[: move.ply - 1]).end
            after = Opening(START, game.moves[: move.ply]).end
            assert isinstance(before, DiceState)
            assert isinstance(after, DiceState)
            seat = before.to_move
            assert expected(before)[seat] - expected(after)[seat] == move.cost


def test_what_is_known_is_not_searched() -> None:
    asked: list[State] = []

    class Halves:
        def answer(self, question: Question) -> Answer:
            state, half = question.state, Fraction(1, 2)
            asked.append(state)
            moves = tuple(MoveAnswer(move, half, half) for move in state.moves)
            return Answer(state.position, half, half, moves=moves)

    found = grade(START, ["1", "take", "2", "pass"], sources=(Halves(),))
    assert [move.cost for move in found.moves] == [0, 0]
    assert [len(state.notation().split()) for state in asked] == [3, 1]
    assert not found.to_json()["finished"]


def test_an_illegal_move_is_counted() -> None:
    with pytest.raises(KulamiError, match=r"^move 2: steal is not among"):
        grade(START, ["1", "steal"])


def test_a_check_and_its_page() -> None:
    positions = cases(40)
    assert {type(case) for case in positions} == {Case}
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
    page = check_page(report, shown=5)
    assert "&lt;hesitant&gt;" in page
    assert "whose every move has a known value" in page
    # There is no picture: it is drawn as text, and the values stand below.
    assert page.count('<pre class="board">') == 5
    worst = report.blunders[0].case
    assert f'<pre class="board">{worst.state.drawn()}</pre>' in page
    assert '<span class="good">take +' in page
    assert '<span class="bad">pass ' in page


@pytest.mark.usefixtures("registered")
def test_bots_have_names_in_one_way() -> None:
    names = BotNames(
        game="dice",
        called="bot of dice",
        shown=("hesitant",),
        plain={"hesitant": lambda seed: Hesitant()},
    )
    assert names.make(" hesitant ").name == "Hesitant"
    assert names.make("test_any_game:Hesitant").name == "test_any_game:Hesitant"
    # There is no UGI of dice, so a bot cannot be run as an engine.
    assert isinstance(names.make("test_any_game:Hesitant", isolated=True).bot, Hesitant)
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


def test_a_game_that_is_not_there_has_no_names() -> None:
    with pytest.raises(KulamiError, match="no bots of 'dice' have names"):
        bots_of("dice")


# Registered by one line, and without a folder of its own in any room


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "dice", "toy_game")
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_match_of_three_seats(workers: int) -> None:
    """Each bot has every second seat, and both have the same openings."""
    terms = GameTerms(load_game("dice"), seed=5)
    names = ("test_any_game:Hesitant", "random")
    report = MatchReport(*names, margins=False)
    if workers:
        playing = pairs_in_parallel(names, 1, dict.fromkeys(range(4), (0, 1)), terms, workers)
    else:
        first, second = (terms.player(name, 1 + place) for place, name in enumerate(names))
        assert first.name == names[0]
        playing = iter([(pair, play_pair(first, second, pair, terms)) for pair in range(4)])
    points = Fraction(0)
    for number, games in playing:
        for place, game in enumerate(games):
            assert game.players == tuple(names[(seat + place) % 2] for seat in range(3))
            assert game.forfeit is None
            assert [Opening(START, game.moves).end.to_move] == [NOBODY]
            best = max(game.end.returns())
            mine = {(s + place) % 2 == 0 for s in range(3) if game.end.returns()[s] == best}
            points += Fraction(1, 2) if len(mine) == 2 else Fraction(int(mine == {True}))
        records = [terms.record(game) for game in games]
        assert records[0].keys() == {"moves", "winner", "ann", "bob", "cid", "seconds"}
        report.add(number, [terms.result(record) for record in records])
    assert (report.games, report.faults) == (8, [])
    assert report.score == points / 8
    assert terms.to_json()["game"] == "dice"


@pytest.mark.usefixtures("registered")
def test_a_forfeit_in_one_of_three_seats_is_a_win_of_the_other_bot() -> None:
    terms = GameTerms(load_game("dice"))
    bots = terms.player("test_any_game:Silent", 0), terms.player("random", 0)
    report = MatchReport("Silent", "random", margins=False)
    report.add(0, [terms.result(terms.record(game)) for game in play_pair(*bots, 0, terms)])
    assert report.counts == {"wins": 0, "draws": 0, "losses": 2}
    assert {fault["bot"] for fault in report.faults} == {"Silent"}
    for bot in bots:
        bot.close()


@pytest.mark.usefixtures("registered")
def test_a_check_by_what_evaluate_says() -> None:
    drawn = list(draw_cases(load_game("dice"), 1, 20))
    for case in drawn:
        seat = case.state.to_move
        for move, value in case.values.items():
            assert value == expected(case.state.play(move))[seat]
    answers = choices_in_parallel(
        "random", 1, drawn, Clock(), 2, functools.partial(make_player, game="dice")
    )
    found = sorted(answers, key=lambda answer: answer.case.line)
    again = choices_of(
        make_player("random", 1, game="dice"), sorted(drawn, key=lambda case: case.line)
    )
    assert [answer.played for answer in found] == [answer.played for answer in again]
    assert 0 < sum(answer.optimal for answer in found) < 20
    with pytest.raises(BotError, match="has to see all that is hidden"):
        make_player("perfect", game="dice").choose(drawn[0].state)


@pytest.mark.usefixtures("registered")
def test_what_a_bot_of_another_package_is_can_be_told() -> None:
    assert "dice/toy_game.py" in bot_fingerprint("random", "dice")["files"]
    files = bot_fingerprint("test_any_game:Hesitant", "dice")["files"]
    assert {"dice/toy_game.py", "test_any_game.py"} <= files.keys()


def test_what_takes_long_to_solve_is_not_drawn() -> None:
    """Half of the states of a random game on the square would take hours."""
    assert len(list(draw_cases(load_game("kulami", layout="square"), 1, 3))) == 3


def test_moves_and_lines_may_be_one_text() -> None:
    start = load_game("kulami", layout="AAB/AAC").start()
    assert grade(start, "a1 c1 c2 a2").moves == grade(start, ["a1", "c1", "c2", "a2"]).moves
    assert list(numbered_records("# two\n{}\n\n[]")) == [(2, 1, "{}"), (4, 2, "[]")]
    with pytest.raises(KulamiError, match="an iterable of Positions, not 'AAB"):
        solve_many("AAB/CCB - r -")  # type: ignore[arg-type]
