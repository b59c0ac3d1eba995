"""What bots of every game do alike: games, matches, forfeits, checks, grades, names and UGI.

A toy with dice, hidden coins and three seats is one of them: no room of the package knows it.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import just4fun_reference as reference
import pytest
from command_line import good, kulami
from toy_game import Dice, DiceState, expected

from kulami_solver.bots import BotError, Clock, Player, just4fun, make_player
from kulami_solver.bots.arena import Opening, draw_chance, play_game
from kulami_solver.bots.case import Case, case_key, draw_cases
from kulami_solver.bots.check import check, choices_in_parallel, choices_of
from kulami_solver.bots.fingerprint import bot_fingerprint
from kulami_solver.bots.grade import grade
from kulami_solver.bots.just4fun.builtin import Advised
from kulami_solver.bots.just4fun.match import Just4FunTerms
from kulami_solver.bots.kulami.match import KulamiTerms
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.bots.malawi.builtin import Greedy, Perfect
from kulami_solver.bots.match import GameTerms, MatchTerms, play_numbered
from kulami_solver.bots.naming import BotNames, bots_of
from kulami_solver.bots.page import check_page
from kulami_solver.bots.report import csv_text, text
from kulami_solver.bots.tournament import Tournament
from kulami_solver.core.game_records import numbered_records
from kulami_solver.core.intervals import wilson
from kulami_solver.errors import KulamiError
from kulami_solver.game import (
    CHANCE,
    GAMES,
    NOBODY,
    Answer,
    Budget,
    MoveAnswer,
    Question,
    State,
    load_game,
)
from kulami_solver.just4fun import Move, known_to
from kulami_solver.just4fun.game import make_game
from kulami_solver.just4fun.replay import check_record as check_cards
from kulami_solver.kulami.game_record import check_record
from kulami_solver.malawi import Board, Position, Turn, build

# For each game, a small board on which a bot that looks ahead beats random.
BOARDS = {
    "kulami": ("--layout", "square"),
    "malawi": ("--board", "3x4"),
    "just4fun": ("--board", "3x3", "--stones", "3", "--line", "3", "--hand", "2"),
    "dice": (),
}
START = Dice().start()
CARDS = {"board": "3x3", "stones": 3, "line": 3, "hand": 2}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in; the toy is registered by one line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "dice", "toy_game")
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


def command(game: str, *words: str) -> list[str]:
    """A command of a game."""
    return [*([] if game == "kulami" else [game]), *words]


def match(game: str, *bots: str) -> list[str]:
    """A match on the game's board."""
    return command(game, "match", *bots, *BOARDS[game], "--json")


def records(file: str) -> list[dict[str, Any]]:
    """The games of a file of results, in the order of their numbers."""
    first, *lines = (json.loads(line) for line in Path(file).read_text().splitlines())
    assert first["journal"] == "match"
    return sorted(lines, key=lambda record: int(record["game"]))


# Bots of the toy, and of any game


class Taker:
    """Takes whatever it gets, and remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []

    def choose(self, position: str, seat: int) -> str:
        self.seen.append((position, seat))
        return "take"


class Hesitant:
    """Takes a two, and passes a one."""

    def choose(self, position: str) -> str:
        return "take" if position[-1] == "2" else "pass"


class First:
    """Plays the first move, but for one seat, of which it says or does something else."""

    def __init__(self, wrong: int | None = None, fault: str = "") -> None:
        self.wrong, self.fault = wrong, fault

    def choose(self, position: Any, **told: Any) -> object:
        players = getattr(position, "players", ("red", "black"))
        if (told["seat"] if "seat" in told else players.index(position.turn)) == self.wrong:
            if self.fault == "crash":
                raise LookupError("nothing there")
            return "banana"
        names = ("legal_fields", "legal_moves", "turns")
        found = [getattr(position, name) for name in names if hasattr(position, name)]
        return found[0][0] if found else "take"


# The arena


def test_three_seats_chance_and_hidden_hands() -> None:
    taker = Taker()
    bots = (Player(First(), "one"), Player(taker), Player(Hesitant(), "other"))
    game = play_game(bots, Opening(START), seed=5)
    assert game.players == ("one", "Taker", "other")
    assert (len(game.moves), game.forfeit, game.end.to_move) == (12, None, NOBODY)
    assert Player(lambda position: "take").untold(START) == ()  # chance begins
    # A bot sees its own coins and its own throw, and no one else's.
    first, second = game.moves[2], game.moves[8]
    assert taker.seen == [(f"[] {first}", 1), (f"[{first}] {second}", 1)]
    assert sum(game.shares) == 1
    throws = {play_game(bots, Opening(START), seed=seed).moves[::2] for seed in range(20)}
    assert play_game(bots, Opening(START), seed=5).moves == game.moves
    assert len(throws) > 5
    draw = random.Random(1)
    assert 0.63 < Counter(draw_chance(START, draw) for _ in range(3000))["1"] / 3000 < 0.70
    same = play_game([Player(First(0, "x"))] * 3, Opening(START, ("1", "pass") * 6))
    assert (same.winner, same.shares) == (None, (Fraction(1, 3),) * 3)
    with pytest.raises(ValueError, match="2 bots for 3 seats"):
        play_game(bots[:2], Opening(START))
    nothing = play_game([Player(lambda position: None, "none")] * 3, Opening(START.play("1")))
    assert nothing.message == "none answers None, which is no choice"


def test_bots_see_their_own_hand_alone() -> None:
    seen = []

    def watching(position: Any) -> Move:
        seen.append(position)
        move: Move = position.legal_moves[-1]
        return move

    game = make_game("2006", stones=3, players="rbg")
    assert play_game([Player(watching) for _ in range(3)], Opening(game.start())).forfeit is None
    for position in seen:
        hands = dict(zip(position.players, position.hands, strict=True))
        assert hands.pop(position.turn) is not None
        assert set(hands.values()) == {None}
        assert not position.ordered
    state = game.start()
    assert state.known_to(1) == known_to(state.position, "blue").jfn()


# Matches


@pytest.mark.parametrize("game", BOARDS)
def test_a_match_is_the_same_from_its_file_and_by_two_processes(game: str) -> None:
    bots = ("random" if game == "dice" else "greedy", "random")
    words = [*match(game, *bots), "--games", "10"]
    report = good(*words, "--save", "games.jsonl").answer
    assert report["games"] == 10 == report["wins"] + report["draws"] + report["losses"]
    assert report["wins"] > report["losses"] or game == "dice"
    assert ("mean_margin" in report) == (game == "kulami")
    assert report["interval"][0] < report["score"] <= report["interval"][1]
    again = good(*words, "--save", "games.jsonl").answer
    assert (again.pop("from_file"), again.pop("new")) == (10, 0)
    assert again.items() <= report.items()
    assert good(*words, "--workers", "2").answer == report
    if game in ("kulami", "just4fun"):
        replayed = good(*command(game, "replay", "games.jsonl", "--json")).answer
        assert (replayed["games"], replayed["disagree"]) == (10, 0)
    played, seats, points = records("games.jsonl"), load_game(game).seats, Fraction(0)
    for place, record in enumerate(played):
        assert [record[seat] for seat in seats] == [
            bots[(seat + place) % 2] for seat in range(len(seats))
        ]
        if game == "kulami":
            won = [record["score"][seat] for seat in seats]
        elif game == "dice":
            won = [int(x) for x in Opening(START, tuple(record["moves"])).end.returns()]
        else:
            won = [int(seat == record["winner"]) for seat in seats]
        best = {(seat + place) % 2 for seat, part in enumerate(won) if part == max(won)}
        points += Fraction(0 in best, len(best))
    assert report["score"] == float(points / 10)
    if not load_game(game).has_chance:  # where luck goes on after the deal
        for there, back in zip(played[::2], played[1::2], strict=True):
            opening = there.get("opening", 4)
            assert there["board"] == back["board"]
            assert there["moves"][:opening] == back["moves"][:opening]
    Path("games.jsonl").write_text(Path("games.jsonl").read_text().replace('"moves"', '"move"', 1))
    assert "line 2 is damaged" in kulami(*words, "--save", "games.jsonl").err


LOSERS = {0: ("a", "c"), 1: ("c", "a"), 2: ("a", "c"), 3: ("c", "a")}
"""Who has a seat in the first and in the second game of a pair of a and c."""


@pytest.mark.parametrize("fault", ["illegal", "crash"])
@pytest.mark.parametrize(
    ("terms", "check"),
    [
        (KulamiTerms("AABBCC/DDDEEE/FFGGHH"), check_record),
        (GameTerms(load_game("malawi", board="2x4")), None),
        *(
            (Just4FunTerms(load_game("just4fun", players=players, **CARDS)), check_cards)
            for players in ("rb", "gry", "gyrb")
        ),
        (GameTerms(Dice()), None),
    ],
    ids=["kulami", "malawi", "two", "three", "four", "dice"],
)
def test_a_forfeit_names_its_seat_and_its_bot_everywhere(
    terms: MatchTerms, check: Callable[..., Any] | None, fault: str
) -> None:
    """In the game, its record, the report's JSON, the totals and the table; both games."""
    seats = terms.game.seats
    for wrong, seat in enumerate(seats):
        tournament = Tournament(["a", "b", "c"], margins=False)
        players = [Player(First(wrong, fault), name) for name in tournament.bots]
        games = play_numbered(players, tournament.pairings, 4, terms)
        told: list[Any] = []
        faults: list[dict[str, Any]] = []
        for place, (game, loser) in enumerate(zip(games, LOSERS[wrong], strict=True)):
            others = [one for one in range(len(seats)) if one != wrong]
            assert (game.forfeit, game.fault, game.players[wrong]) == (wrong, fault, loser)
            assert game.shares[wrong] == 0
            assert {game.shares[one] for one in others} == {Fraction(1, len(others))}
            assert game.winner == (others[0] if len(others) == 1 else None)
            record = json.loads(json.dumps(terms.record(game)))
            assert [record[one] for one in seats] == [
                "ac"[(one + place) % 2] for one in range(len(seats))
            ]
            assert (record["forfeit"], record["fault"], record[seat]) == (seat, fault, loser)
            both = {one % 2 for one in others}
            if "score" not in record:
                assert record["winner"] == (seats[others[0]] if len(both) == 1 else None)
            assert check is None or check(record).agrees
            told.append(terms.result(record))
            assert "ac"[(told[-1].winner + place) % 2] != loser
            ply = len(record["moves"]) + 1
            assert game.message.startswith(f"{loser} ")
            found = {"game": 9 + place, "bot": loser, "ply": ply, "fault": fault}
            faults.append(found | {"message": game.message, "details": list(game.details)})
        tournament.add(4, told)
        report = tournament.to_json()
        assert report["faults"] == faults
        assert report["crashes"] == ([1, 0, 1] if fault == "crash" else [0, 0, 0])
        (met,) = [one for one in report["pairings"] if one["games"]]
        assert met["bots"] == ["a", "c"]
        assert [met[key] for key in ("wins", "draws", "losses", "score")] == [1, 0, 1, 0.5]
        table = report["table"]
        assert [table[0][2][key] for key in ("games", "wins", "draws", "losses")] == [2, 1, 0, 1]
        said = tournament.text()
        word = {"illegal": "an illegal move", "crash": "a crash"}[fault]
        for bot in "ac":
            assert f"forfeit  {bot} loses 1 by {word}\n" in said
        for one in faults:
            assert f"  game {one['game']}, ply {one['ply']}: {one['bot']} " in said
        assert "forfeit  b" not in said


@pytest.mark.parametrize(("game", "best"), [("malawi", "perfect"), ("just4fun", "advised")])
def test_the_siblings_have_tournaments_and_programs(game: str, best: str) -> None:
    """A program plays as the bot that it is; tests/transcripts.txt has what else it answers."""
    words = [*match(game, "random", "greedy", best), "--games", "2", "--save", "games.jsonl"]
    found = good(*words).answer
    assert found["games"] == 6 == found["new"]
    assert len(found["ratings"]) == len(found["table"]) == 3
    assert "mean_margin" not in found["pairings"][0]
    assert good(*words).answer["from_file"] == 6
    told = good(game, "engine", stdin=b"ugi\nquit\n").out
    assert told.startswith(f"id name kulami {game} {best} ")
    assert told.endswith("ugiok\n")
    program = f"exec {sys.executable} -m kulami_solver {game} engine --bot"
    here = good(*match(game, "greedy", "random"), "--games", "4").answer
    there = good(*match(game, f"{program} greedy", "random"), "--games", "4").answer
    assert (there["wins"], there["losses"], there["faults"]) == (here["wins"], here["losses"], [])
    report = kulami(*match(game, f"{program} unruly:nonsense", "random"), "--games", "2").answer
    assert {found["fault"] for found in report["faults"]} == {"illegal"}


@pytest.mark.parametrize("game", ["kulami", "malawi", "just4fun"])
def test_a_seed_is_a_bot_and_an_opening_of_its_own(game: str) -> None:
    start = load_game(game).start()
    chosen = [make_player("random", seed, game=game).choose(start) for seed in (1, *range(20))]
    assert chosen[0] == chosen[2]
    assert len(set(chosen)) > 3
    terms = (Just4FunTerms if game == "just4fun" else GameTerms)(load_game(game), plies=4)
    openings = [terms.opening(number) for number in (3, *range(20))]
    assert openings[0] == openings[4]
    assert len({(opening.start, opening.moves) for opening in openings}) > 10


def test_better_bots_of_the_siblings_do_better() -> None:
    board = load_game("malawi", board="2x6").start()
    build("2x6.kdb", Board(2, 6))
    perfect = bots_of("malawi").make("perfect:2x6.kdb")
    for seed in range(8):
        for opponent in (make_player("random", seed, game="malawi"), Player(Greedy(seed))):
            game = play_game((perfect, opponent), Opening(board))
            assert (game.forfeit, game.end.to_move) == (None, NOBODY)
            assert game.end.returns()[0] >= 0  # the board is a draw
    for seed in range(5):  # where black wins in 4 plies, whatever red does
        players = make_player("random", seed, game="malawi"), Player(Perfect(seed=seed))
        game = play_game(players, Opening(load_game("malawi", board="2x3").start()))
        assert (game.winner, len(game.moves) <= 4) == (1, True)
    position = Position.from_mfn("b1b2/../r2r0 r")
    beads = {str(turn): position.play(turn).beads for turn in position.turns}
    worth = {turn: had["red"] - had["black"] for turn, had in beads.items()}
    assert worth[str(Greedy().choose(position))] == worth["a3xa1"] == max(worth.values())
    state = board.play(board.moves[0])
    assert state.move_of(Turn.parse(state.moves[0])) == state.moves[0]
    terms = Just4FunTerms(make_game("3x3", stones=4, line=3, hand=3))
    advised, other = Player(Advised(deals=6)), make_player("random", game="just4fun")
    points = Fraction(0)
    for number in range(8):
        points += play_game((advised, other), terms.opening(number), seed=number).shares[0]
        points += play_game((other, advised), terms.opening(number), seed=number).shares[1]
    assert points >= 10


# Checks


CASES: dict[str, Callable[[], Iterable[Case]]] = {
    "kulami": lambda: read_suite(count=60),
    "malawi": lambda: draw_cases(load_game("malawi", board="2x4"), 1, 25),
    "just4fun": lambda: just4fun.draw_cases(
        make_game("3x3", stones=4, line=3, hand=3, dummy=True), 1, 25
    ),
    "dice": lambda: draw_cases(load_game("dice"), 1, 25),
}


def value_after(state: State, move: str) -> Any:
    """What a move is worth to who makes it, by another way than that of the cases."""
    after = state.play(move)
    if isinstance(after, DiceState):
        return expected(after)[state.to_move]
    if after.to_move == NOBODY:
        return after.returns()[state.to_move]
    return -after.evaluate(Budget()).lower


@pytest.mark.parametrize("game", CASES)
def test_a_check_by_hand(game: str) -> None:
    """The rates are what a search says of the moves that a bot chooses; the page shows them."""
    cases, again = list(CASES[game]()), list(CASES[game]())
    assert cases == again
    assert len({case_key(case) for case in cases}) == len(cases) or game == "dice"
    for case in cases:
        assert case.state.to_move not in (CHANCE, NOBODY)
        assert dict(case.values) == {
            move: value_after(case.state, move) for move in case.state.moves
        }
        assert len(set(case.values.values())) > 1
    report = check(Player(First(), "<first>"), cases)
    lost = [case.best - case.values[case.state.moves[0]] for case in cases]
    right, told = sum(loss == 0 for loss in lost), report.to_json()
    assert (told["positions"], report.optimal) == (len(cases), right)
    assert told["optimal_rate"] == right / len(cases)
    assert told["interval"] == list(wilson(right, len(cases)))
    assert report.mean_loss == sum(lost) / len(cases)
    assert report.worst_loss == max(lost)
    for name in case.grouped_by:
        parts = told[f"by_{name}"].values()
        assert sum(part["positions"] for part in parts) == len(cases)
        total = sum(part["positions"] * part["mean_loss"] for part in parts)
        assert total == pytest.approx(float(sum(lost)))
    losses = [blunder.loss for blunder in report.blunders]
    assert losses == sorted((loss for loss in lost if loss), reverse=True)[: len(losses)]
    rows = list(csv.DictReader(io.StringIO(csv_text(report))))
    assert [Fraction(row["loss"]) for row in rows] == lost
    assert sum(int(row["optimal"]) for row in rows) == right
    page = check_page(report, shown=3)
    assert "&lt;first&gt;" in page
    if report.blunders:
        worst = report.blunders[0]
        assert page.count("<article") == min(3, len(losses))
        assert f"plays {worst.played}, right is " in text(report)
        assert '<span class="bad">' in page or game == "kulami"
    if game == "dice":  # without a picture it is drawn as text, and the values stand below
        assert page.count('<pre class="board">') == min(3, len(losses))
    make = functools.partial(make_player, game=game)
    answers = choices_in_parallel("random", 1, cases, Clock(), 2, make)
    apart = {answer.case.line: answer.played for answer in answers}
    alone = choices_of(make_player("random", 1, game=game), cases)
    assert apart == {answer.case.line: answer.played for answer in alone}
    perfect = make_player("perfect", game=game)
    if game == "dice":
        with pytest.raises(BotError, match="has to see all that is hidden"):
            perfect.choose(cases[0].state)
    else:
        assert check(perfect, cases).optimal_rate == 1


@pytest.mark.parametrize("game", ["malawi", "just4fun", "dice"])
def test_a_check_is_kept_and_a_bot_of_a_file_is_asked(game: str) -> None:
    """Values of turns stand below the pictures: they belong to no square."""
    board = ("--board", "2x4") if game == "malawi" else BOARDS[game]
    words = command(game, "check", "random", *board, "--positions", "9", "--workers", "1")
    kept = ["--results", "kept", "--csv", "all.csv", "--html", "all.html", "--blunders", "2"]
    first = good(*words, *kept, "--json").answer
    again = good(*words, *kept, "--json").answer
    assert [first["new"], again["new"], again["from_file"]] == [9, 0, 9]
    assert (first["optimal_rate"], first["bot"]) == (again["optimal_rate"], "random")
    assert "9 of the 9 answers were in kept already, 0 are new" in good(*words, *kept).out
    assert len(Path("all.csv").read_text().splitlines()) == 10
    page = Path("all.html").read_text("utf-8")
    assert page.count("<article") == page.count('<p class="values">') == 2 or game == "just4fun"
    if game == "just4fun":
        assert (
            good(*words[:2], "advised", "--hidden", *words[3:], "--json").answer["positions"] == 9
        )
    if game == "malawi":
        build("2x4.kdb", Board(2, 4))
        found = good(*words, "--database", "2x4.kdb", "--json").answer
        assert found["optimal_rate"] == first["optimal_rate"]  # without it the board is solved


def test_values_of_cards_are_those_of_the_reference() -> None:
    game = make_game("3x3", stones=3, line=3, hand=2, dummy=True)
    for case in just4fun.draw_cases(game, 2, 8, left=2):
        table, state = reference.read(case.position.jfn(), 3, 2)
        found = reference.Minimax(table).move_outcomes(state)
        worth = {"win": 1, "draw": 0, "loss": -1}
        assert dict(case.values) == {str(Move(*m)): worth[outcome] for m, outcome in found.items()}


@pytest.mark.parametrize("words", ["malawi 2x3 --positions 99", "just4fun 1x1 --line 2"])
def test_a_board_may_have_too_few_positions(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kulami_solver.bots.case._TRIES", 100)
    game, board, *more = words.split()
    ran = kulami(game, "check", "greedy", "--board", board, *more)
    assert (ran.code, ran.out) == (2, "")
    assert "ask for no more" in ran.err


def test_what_takes_long_to_solve_is_not_drawn() -> None:
    """Half of the states of a random game on the square would take hours."""
    assert len(list(draw_cases(load_game("kulami", layout="square"), 1, 3))) == 3


# Grades


def test_a_game_with_dice_is_graded() -> None:
    moves = ["1", "pass", "2", "take", "1", "take", "2", "take", "1", "pass", "2", "pass"]
    found = grade(START, moves)
    assert [move.ply for move in found.moves] == [2, 4, 6, 8, 10, 12]
    assert [move.colour for move in found.moves] == ["ann", "bob", "cid"] * 2
    assert [move.cost for move in found.moves] == [1, 0, 0, 0, 1, 2]
    # A coin that is lost is lost whatever the dice will show: 4/3 on average.
    known = {"ply": 2, "colour": "ann", "move": "pass", "value": "4/3", "best": ["take"]}
    assert found.moves[0].to_json() == {
        **known, "best_value": "7/3", "cost": 1, "outcome": ["win", "win"]
    }  # fmt: skip
    told = found.to_json()
    assert (told["plies"], told["finished"], told["from_ply"]) == (12, True, 2)
    assert [told[seat]["lost"] for seat in ("ann", "bob", "cid")] == [1, 1, 2]
    lines = found.text().splitlines()
    assert lines[0] == "12 moves, ann 2, bob 2, cid 1"
    assert lines[4].split() == ["2", "ann", "pass", "+4/3", "1", "take"]
    with pytest.raises(KulamiError, match=r"^move 2: steal is not among"):
        grade(START, ["1", "steal"])


def test_the_value_along_a_game_changes_by_its_costs_and_by_the_dice_alone() -> None:
    for seed in range(10):
        game = play_game([Player(Hesitant()) for _ in range(3)], Opening(START), seed=seed)
        for move in grade(START, game.moves).moves:
            before = Opening(START, game.moves[: move.ply - 1]).end
            after = Opening(START, game.moves[: move.ply]).end
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


def graded(record: dict[str, Any], *words: str) -> Any:
    return good("malawi", "grade", "-", *words, stdin=json.dumps(record).encode())


def test_grades_of_malawi_are_what_the_database_says() -> None:
    """Along the turns the value changes by what they cost, and ends as the game did."""
    board = load_game("malawi", board="2x6").start()
    build("2x6.kdb", Board(2, 6))
    words = ["--board", "2x6", "--games", "6", "--save", "games.jsonl"]
    good("malawi", "match", "greedy", "random", *words)
    found = good("malawi", "grade", "games.jsonl", "--database", "2x6.kdb", "--json").answers
    assert found == good("malawi", "grade", "games.jsonl", "--json").answers  # solved for it
    assert [one["game"] for one in found] == list(range(1, 7))
    straight = 0
    for one, record in zip(found, records("games.jsonl"), strict=True):
        assert (one["board"], one["beads"], one["from_ply"]) == ("2x6", 2, 1)
        assert [move["turn"] for move in one["moves"]] == record["moves"]
        positions = [Position.start(Board(2, 6))]
        for move in record["moves"]:
            positions.append(positions[-1].play(move))
        if len(set(positions)) < len(positions):
            continue  # what has come up before may end the game another time
        straight += 1
        value = {record["winner"]: 1, None: 0}.get(one["moves"][-1]["colour"], -1)
        for move in reversed(one["moves"]):
            assert move["points"] == value
            assert move["best_points"] == value + move["cost"]
            value = -move["best_points"]
        assert value == 0  # the board is a draw
    assert straight > 2
    said = good("malawi", "grade", "games.jsonl", "--game", "2").out
    assert "points  cost  best" in said
    assert "solved from move 1 on" in said
    # Whatever the position is worth by itself, what makes it come up a third time is a draw.
    circle = 2 * ["a6-a4", "a1-a3", "a4-a6", "a3-a1"]
    assert Opening(board, tuple(circle)).end.to_move == NOBODY
    one = graded({"board": "2x6", "moves": circle, "winner": None}, "--json").answer
    assert (one["finished"], one["moves"][-1]["points"]) == (True, 0)
    said = graded({"board": "6x6", "moves": circle[:2]}, "--time", "0.05").out
    assert "no position could be solved in the time: give a --database" in said
    # A bad database is not said to be a bad game: a damaged one is left aside.
    content = Path("2x6.kdb").read_bytes()
    Path("damaged.kdb").write_bytes(content[:-1] + bytes([content[-1] ^ 0xFF]))
    Path("cut.kdb").write_bytes(content[:1000])
    Path("none.kdb").write_text("games\n")
    sound = good("malawi", "grade", "games.jsonl", "--database", "2x6.kdb").out
    for path, code, out, message in (
        ("damaged", 0, sound, "warning: left aside: damaged.kdb: damaged, "),
        ("cut", 0, sound, "warning: left aside: cut.kdb: truncated, "),
        ("none", 2, "", "error: none.kdb: 6 bytes are"),
    ):
        ran = kulami("malawi", "grade", "games.jsonl", "--database", f"{path}.kdb")
        assert (ran.code, ran.out, ran.err.count("\n")) == (code, out, 1)
        assert ran.err.startswith(f"kulami: {message}")


def test_moves_and_lines_may_be_one_text() -> None:
    start = load_game("kulami", layout="AAB/AAC").start()
    assert grade(start, "a1 c1 c2 a2").moves == grade(start, ["a1", "c1", "c2", "a2"]).moves
    assert list(numbered_records("# two\n{}\n\n[]")) == [(2, 1, "{}"), (4, 2, "[]")]


# Names


def test_bots_have_names_in_one_way() -> None:
    names = BotNames(
        game="dice",
        called="bot of dice",
        shown=("hesitant",),
        plain={"hesitant": lambda seed: Hesitant()},
    )
    assert names.make(" hesitant ").name == "Hesitant"
    assert names.make("test_games:Hesitant").name == "test_games:Hesitant"
    # There is no UGI of dice, so a bot cannot be run as an engine.
    assert isinstance(names.make("test_games:Hesitant", isolated=True).bot, Hesitant)
    for name in ("hesitant:3", "nobody", "", "a b:c", "exec"):
        with pytest.raises(BotError, match=r"is no bot of dice: use hesitant|names no program"):
            names.make(name)
    for game in ("kulami", "malawi"):
        names = bots_of(game)
        for name in names.shown:
            assert names.make(name).name == name
            assert name in names
        for name in ("random:", "greedy:4", "perfect:", "nobody", "two words:Bot"):
            with pytest.raises(BotError, match=f"is no {names.called}: use random"):
                names.make(name)
        for name, said in (
            ("perfect:none.kdb", r"perfect:none\.kdb is no bot"),
            ("exec /nonexistent/bot", "cannot be started"),
            ("no_such_module:Bot", "there is no module"),
        ):
            with pytest.raises(BotError, match=said):
                names.make(name)
    with pytest.raises(KulamiError, match="no bots of 'chess' have names"):
        bots_of("chess")
    assert "dice/toy_game.py" in bot_fingerprint("random", "dice")["files"]
    files = bot_fingerprint("test_games:Hesitant", "dice")["files"]
    assert {"dice/toy_game.py", "test_games.py"} <= files.keys()


# Just 4 Fun as a game of chance


def test_chance_draws_what_the_rules_draw() -> None:
    """Card by card, what comes out is as likely as in the reference."""
    game = make_game("3x3", stones=3, line=3, hand=2)
    text = "3x3 - r3b3 r r1.2,b3.4 {5} {6.6.6}"
    state = game.read(text)
    table, begun = reference.read(text, 3, 2)
    longer = make_game("3x3", stones=3, line=3, hand=3)
    half = longer.read("3x3 - r3b3 r r1.2.6,b3.4.7 {5} {6} 9=1+2+6 5")
    assert half.play("1").notation().endswith(" 9=1+2+6 1.5")
    assert longer.read(half.play("1").notation()) == half.play("1")
    chances: dict[tuple[int, ...], Fraction] = {}

    def follow(here: State, chance: Fraction) -> None:
        if here.to_move != CHANCE:
            hand = here.position.hands[0]
            chances[hand] = chances.get(hand, Fraction(0)) + chance
            return
        again = game.read(here.notation())
        assert (again.moves, again.chances()) == (here.moves, here.chances())
        for move, likely in zip(here.moves, here.chances(), strict=True):
            follow(here.play(move), chance * likely)

    follow(state.play("3=1+2"), Fraction(1))
    drawn = reference.draws(table, begun, (3, (1, 2)))
    assert chances == {after.hands[0]: chance for after, chance in drawn.items()}


def test_a_clock_of_a_whole_game_is_moved_on_by_its_increment() -> None:
    left: list[float] = []

    class First:
        def choose(self, position: Any, *, clock: Clock) -> str:
            left.append(clock.left[clock.seat])
            return str(position.legal_fields[0])

    start = Opening(load_game("kulami", layout="AABB/CCDD").start())
    play_game((Player(First()), Player(First())), start, Clock(game=10.0, increment=5.0))
    assert left[:2] == [10, 10]
    assert 14 < left[2] < 15
