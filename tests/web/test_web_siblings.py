"""Malawi and Just 4 Fun on the page's server: positions, values, bots, and who sees which cards."""

from __future__ import annotations

import json
import re
import signal
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from web_server import Server, serving, within

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.errors import KulamiError
from kulami_solver.just4fun.cards import DECK

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

from kulami_solver.malawi.replay import read_game
from kulami_solver.web.games import Inquiry
from kulami_solver.web.just4fun import PAGE as JUST4FUN
from kulami_solver.web.malawi import PAGE as MALAWI
from kulami_solver.web.malawi import Malawi
from kulami_solver.web.replays import Replays
from kulami_solver.web.searches import Limits

SMALL: dict[str, Any] = {"board": "3x3", "stones": 2, "line": 3, "hand": 2, "seed": 3}
BOTH = ["red", "blue"]


# Every game


MALAWI_3X4 = malawi.Position.start(malawi.Board(3, 4))
#: What is asked, the position, and bots of the page.
TOLD: dict[str, tuple[dict[str, Any], Any, tuple[str, ...]]] = {
    "kulami": (
        {"layout": "rulebook", "moves": "d6,d3,i3"},
        ks.Position(ks.Layout.rulebook()).play_all("d6 d3 i3"),
        ("random", "greedy", "alphabeta", "alphabeta:2", "mcts:50", "perfect"),
    ),
    "malawi": (
        {"board": "3x4", "moves": "a4-a2;b1:a1,c1"},
        MALAWI_3X4.play_all("a4-a2 b1:a1,c1"),
        ("random", "greedy", "perfect"),
    ),
    "just4fun": (
        {"seed": 9, "players": "rgby", "see": ["red"]},
        just4fun.deal(just4fun.Board.parse("2006"), 9, players="rgby"),
        ("random", "greedy", "advised"),
    ),
}


@pytest.mark.parametrize("game", TOLD)
def test_a_position_is_told_drawn_and_played_on(server: Server, game: str) -> None:
    asked, position, bots = TOLD[game]
    told = server.good(f"/api/{game}/position", asked)
    legal = {
        "kulami": lambda: position.legal_fields,
        "malawi": lambda: position.legal_turns,
        "just4fun": lambda: position.legal_moves,
    }[game]()
    assert (told["legal"], told["turn"]) == ([*map(str, legal)], position.turn)
    if game == "just4fun":
        assert told["notation"] == just4fun.known_to(position, "red").jfn()
        assert told["seats"] == ["red", "green", "blue", "yellow"]
        last = server.events(f"/api/{game}/analyse", {**asked, "time": 0.3})[-1][1]
        assert (last["kind"], last["method"]) == ("estimate", "playouts")
    else:
        notation = position.kfn() if game == "kulami" else position.mfn()
        name = "kfn" if game == "kulami" else "mfn"
        assert told["kfn" if game == "kulami" else "notation"] == notation
        again = server.good(f"/api/{game}/position", {name: notation})
        assert again == {**told, "movers": []} if game == "malawi" else again == told
        drawn = server.ask(f"/api/{game}/picture", {name: notation})[1].decode()
        assert drawn == position.svg()
    if game == "kulami":
        assert (told["barred"], tuple(told["last"])) == (["E", "G"], position.last)
        assert (told["red"], told["black"]) == (["i3", "d6"], ["d3"])
        # The board is that of the picture, and its marks are, too.
        board = server.good("/api/board", {"layout": "rulebook"})
        planks = re.findall(r'<rect [^>]* rx="7" [^>]*>', drawn)
        assert len(planks) == 34
        assert all(plank in board["svg"] for plank in planks)
        assert set(board["marks"]) == {"red", "black", "legal", "last", "before"}
        for mark in re.findall(r"url\(#[^)]*\)", board["marks"]["red"]):
            assert mark in drawn
            assert f'id="{mark[5:-1]}"' in board["svg"]
    for bot in bots:
        question = {**asked, "bot": bot, "time": 0.2, "bot_seed": 5}
        if game == "kulami":
            question["seed"] = question.pop("bot_seed")
        both = [server.good(f"/api/{game}/move", question)["move"] for _ in range(2)]
        assert both[0] in map(str, legal)
        assert bot in ("perfect", "advised") or both[0] == both[1]


# Malawi


def test_what_is_drawn_is_never_proved_by_a_search(server: Server) -> None:
    """It says how far it has looked."""
    last = server.events("/api/malawi/analyse", {"board": "3x4", "time": 0.5})[-1][1]
    assert (last["outcome"], last["within"] > 4, last["seconds"] < 3) == (None, True, True)


def test_a_database_of_malawi_knows_draws(tmp_path: Path) -> None:
    path = tmp_path / "2x6.kdb"
    malawi.build(path, malawi.Board(2, 6))
    with serving("--database", str(path)) as found:
        games = found.good("/api/options")["games"]
        assert games["malawi"]["databases"] == [{"board": "2x6", "beads": 2}]
        told = found.events("/api/malawi/analyse", {"board": "2x6"})
        assert [kind for kind, _ in told] == ["solution"]
        last = told[0][1]
        assert (last["source"], last["outcome"], last["plies"]) == ("database", "draw", None)
        worth = {turn["turn"]: turn["outcome"] for turn in last["turns"]}
        assert set(worth.values()) == {"draw", "loss"}
        best = found.good("/api/malawi/move", {"board": "2x6", "bot": "perfect"})["move"]
        assert worth[best] == "draw"


# Just 4 Fun


def test_a_hand_is_told_to_who_asks_to_see_it(server: Server) -> None:
    dealt = just4fun.deal(just4fun.Board.parse("2006"), 7)
    hidden = server.good("/api/just4fun/position", {"seed": 7})
    assert hidden["hands"] == {"red": None, "blue": None}
    assert hidden["cards"] == {"red": 4, "blue": 4}
    assert hidden["legal"] is None
    assert hidden["notation"] is None
    own = server.good("/api/just4fun/position", {"seed": 7, "see": ["red"]})
    assert own["hands"] == {"red": list(dealt.hands[0] or ()), "blue": None}
    assert own["legal"] == [str(move) for move in dealt.legal_moves]
    assert own["notation"] == just4fun.known_to(dealt, "red").jfn()
    assert server.good("/api/just4fun/position", {"seed": 7, "see": ["blue"]})["legal"] is None
    every = server.good("/api/just4fun/position", {"seed": 7, "see": BOTH})
    assert every["hands"]["blue"] == list(dealt.hands[1] or ())
    others = server.good("/api/just4fun/position", {"seed": 8, "see": BOTH})
    assert others["hands"] != every["hands"]
    assert "the hand of red is hidden" in server.refused("/api/just4fun/analyse", {"seed": 7})
    picture = server.ask("/api/just4fun/picture", {"seed": 7, "see": ["red"]})[1].decode()
    assert picture.count(">?</text>") == 4
    # Nothing of what is hidden is said anywhere.
    blue = "b" + ".".join(map(str, dealt.hands[1] or ()))
    for answer in (json.dumps(own), picture, json.dumps(hidden)):
        assert blue not in answer


HIDDEN: list[dict[str, Any]] = [
    {"board": "3x3", "stones": 3, "line": 3, "hand": 2, "seed": 0, "see": ["blue"]},
    {"seed": 7},
    {"seed": 7, "see": ["blue"]},
    {"seed": 7, "players": "rbg", "see": ["green"]},
]


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("asked", HIDDEN)
def test_a_hidden_hand_has_one_sentence_for_every_refusal(
    server: Server, asked: dict[str, Any], step: int
) -> None:
    cards = list(range(1, 20))
    moves = [f"{card}={card}" for card in cards]
    moves += [f"{a + b}={a}+{b}" for a in cards for b in cards if a <= b][::step]
    moves += ["39=7+13+19", "discard", "discard=1", "discard=1+2", "36=12+12+12"]
    said = set()
    for move in moves:
        for path in ("position", "analyse", "move", "picture", "grade", "export"):
            question = {**asked, "moves": [move]}
            status, answer = server.ask(f"/api/just4fun/{path}", question, {"prefer": "codes"})
            if status == 400 and b"ask to see it" not in answer:
                told = json.loads(answer)
                assert set(told) == {"error", "sentence", "move", "code", "values"}
                said.add((told["error"].replace(move, "MOVE"), told["code"]))
                assert told["values"] == {"side": "red", "move": move}
            if path == "position" and status == 200:
                break  # it can be played: that is found out by trying, as docs/page.md says
    sentence = "move 1: red cannot play MOVE: the hand is hidden, and does not allow it"
    assert said == {(sentence, "hidden_hand")}


@pytest.mark.parametrize(
    ("move", "said"),
    [
        *((text, "write 12=5+7 for the cards 5 and 7 on field 12") for text in ("zz", "12", "=")),
        ("12=5+8", "the cards 5+8 add up to 13, not to field 12"),
        ("20=20", "there is no card 20: cards are 1 to 19"),
    ],
)
def test_what_is_no_move_with_any_hand_is_told_what_a_move_is(
    server: Server, move: str, said: str
) -> None:
    for asked in HIDDEN:
        refused = server.refused("/api/just4fun/position", {**asked, "moves": move})
        assert refused.startswith(f"move 1: '{move}' is no move: ")
        assert said in refused


def dealt_otherwise(red: tuple[int, ...]) -> str:
    """A position with these cards in red's hand, and the others in a stock of unknown order."""
    stock = sorted((Counter(DECK) - Counter([*red, 2, 3])).elements())
    hand, rest = (".".join(map(str, cards)) for cards in (red, stock))
    return f"3x3 - r3b3 r r{hand},b2.3 {{{rest}}} -"


@pytest.mark.parametrize("path", ["position", "picture", "export", "analyse", "grade"])
@pytest.mark.parametrize("moves", [[], ["1=1"], ["40=40"], ["9=9"]])
def test_no_answer_depends_on_a_hidden_hand(server: Server, path: str, moves: list[str]) -> None:
    """Positions that differ in red's hand alone are the same to who sees blue's."""
    answers = []
    for red in ((1, 4), (1, 6), (1, 19)):
        asked = {"jfn": dealt_otherwise(red), "line": 3, "hand": 2, "see": ["blue"]}
        asked |= {"moves": moves} | ({"time": 0.2} if path in ("analyse", "grade") else {})
        told = server.ask(f"/api/just4fun/{path}", asked, {"prefer": "codes"})
        if path == "analyse" and told[0] == 200:  # an estimate is another each time
            told = 200, b" ".join(sorted(set(re.findall(rb'"move":"[^"]+"', told[1]))))
        answers.append(told)
    assert answers[0] == answers[1] == answers[2]
    played = moves == ["1=1"]
    refused = {"analyse", "grade"} if not moves else {"grade"} if played else {path}
    assert answers[0][0] == (400 if path in refused else 200)


def test_an_estimate_is_made_of_what_its_player_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[just4fun.Position] = []

    def advised(position: just4fun.Position, **_budget: object) -> None:
        known.append(position)
        raise KulamiError("ended_early")

    monkeypatch.setattr("kulami_solver.web.just4fun.advise", advised)
    for red in ((1, 4), (1, 6), (1, 19)):
        asked: Any = JUST4FUN.kinds["analyse"](
            jfn=dealt_otherwise(red), line=3, hand=2, see=["blue"], moves=["1=1"]
        )
        work = JUST4FUN.valuing(Inquiry(asked, Replays().game(asked), Limits(), ()))
        with pytest.raises(KulamiError, match="ended"):
            work(SimpleNamespace(stop=threading.Event()))
    assert known[0] == known[1] == known[2]
    assert known[0].hands == (None, (2, 3))


def test_the_log_tells_nothing_of_what_is_asked() -> None:
    with serving() as found:
        for asked in HIDDEN:
            for move in ("40=40", "19=19", "x"):
                for path in ("position", "analyse", "move", "picture", "grade", "export"):
                    found.ask(f"/api/just4fun/{path}", {**asked, "moves": [move]})
        asked = {**HIDDEN[1], "time": 0.1, "bot": "advised"}
        assert set(found.good("/api/just4fun/move", asked)) == {"move", "bot"}
        found.running.send_signal(signal.SIGINT)
        out, log = found.running.communicate(timeout=30)
    assert (out, log) == ("", "kulami: interrupted: Ctrl-C\n")


def test_what_has_no_time_takes_none(server: Server) -> None:
    asked = {"players": "rbgy", "hand": 6, "seed": 1, "see": ["red"], "time": 0.001}
    assert within(0.75, lambda: server.events("/api/just4fun/analyse", asked))[-1][0] == "solution"


def test_games_of_malawi_and_just4fun_are_graded_and_exported(
    server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "2x3.kdb"
    malawi.build(path, malawi.Board(2, 3))
    moves = [str(turn) for turn in malawi.search(malawi.Position.start(malawi.Board(2, 3))).line]
    asked = {"board": "2x3", "moves": moves}
    with serving("--database", str(path)) as found:
        told = found.events("/api/malawi/grade", asked)
    graded = [said for kind, said in told if kind == "move"]
    assert [said["ply"] for said in graded] == list(range(len(moves), 0, -1))
    assert {said["worth"]["cost"] for said in graded} == {0}
    assert told[-1][0] == "grade"
    end = server.good("/api/malawi/position", asked)["notation"]
    found = server.good("/api/malawi/export", asked)
    assert found["mfn"] == {"text": end, "loses": []}
    assert read_game(json.loads(found["record"]["text"])).moves == tuple(moves)
    dealt = {**SMALL, "dummy": True}
    first = server.good("/api/just4fun/position", dealt)["legal"][0]
    told = server.events("/api/just4fun/grade", {**dealt, "moves": [first]})
    assert [kind for kind, _ in told] == ["move", "grade"]
    refused = server.refused("/api/just4fun/grade", {**SMALL, "moves": [first]})
    assert "is hidden: ask to see it" in refused
    assert server.good("/api/just4fun/export", SMALL) == {}
    # A record would tell what others hold.
    assert [*server.good("/api/just4fun/export", {**SMALL, "see": ["red"]})] == ["jfn"]


@pytest.mark.parametrize("see", [[], ["red"]])
def test_all_hands_are_open_at_the_end_and_not_before(server: Server, see: list[str]) -> None:
    moves = server.whole("just4fun", {**SMALL, "see": BOTH})
    for played in range(len(moves) + 1):
        asked = {**SMALL, "see": see, "moves": moves[:played]}
        told = server.good("/api/just4fun/position", asked)
        ends = played == len(moves)
        assert told["over"] == ends
        assert [name for name, hand in told["hands"].items() if hand is None] == (
            [] if ends else [name for name in BOTH if name not in see]
        )
    assert told["hands"] == server.good("/api/just4fun/position", {**asked, "see": BOTH})["hands"]
    assert [*server.good("/api/just4fun/export", asked)] == ["jfn", "record"]


def test_what_a_position_is_worth_by_what_is_known(server: Server) -> None:
    start = just4fun.deal(just4fun.Board.parse("3x3"), 3, stones=2, line=3, hand=2)

    def last(**asked: Any) -> Any:
        kind, said = server.events("/api/just4fun/analyse", {**SMALL, "time": 5, **asked})[-1]
        assert kind == "solution"
        return said

    # All hands, and the order of the stock: who wins.
    solved = last(dummy=True)
    assert (solved["kind"], solved["exact"]) == ("outcome", True)
    assert solved["outcome"] == just4fun.solve(start).outcome
    # All hands: what is to be expected.
    expected = last(see=BOTH)
    assert (expected["kind"], expected["exact"]) == ("expectation", True)
    exact = just4fun.expect(replace(start, ordered=False))
    assert expected["expected"] == exact.to_json()["expected"]
    # The own hand: an estimate, and called one.
    guessed = last(see=["red"], time=0.5)
    assert (guessed["kind"], guessed["exact"]) == ("estimate", False)
    assert guessed["deals"] > 0
    # Nothing exact is in reach.
    told = server.events("/api/just4fun/analyse", {"seed": 1, "dummy": True, "time": 0.5})
    assert (told[-1][1]["kind"], told[-1][1]["proved"]) == ("estimate", None)
    assert {move["move"] for move in guessed["moves"]} == {str(m) for m in start.legal_moves}


def test_where_the_time_is_too_short_an_estimate_follows_what_is_proved() -> None:
    asked: Any = JUST4FUN.kinds["analyse"](seed=1, stones=2, see=BOTH, time=0.1)
    told: list[tuple[str, str]] = []
    search: Any = SimpleNamespace(
        stop=threading.Event(), tell=lambda kind, said: told.append((kind, said["kind"]))
    )
    JUST4FUN.valuing(Inquiry(asked, Replays().game(asked), Limits(), ()))(search)
    assert told[0] == ("progress", "expectation")
    assert set(told[1:-1]) <= {("progress", "estimate")}
    assert told[-1] == ("solution", "estimate")


def test_perfect_has_to_see_all(server: Server) -> None:
    told = server.good("/api/just4fun/move", {**SMALL, "dummy": True, "bot": "perfect", "time": 1})
    start = just4fun.deal(just4fun.Board.parse("3x3"), 3, stones=2, line=3, hand=2)
    best = just4fun.solve(start, every_move=True)
    assert {str(move.move): move.outcome for move in best.moves}[told["move"]] == best.outcome


# Both


def test_a_move_more_is_played_once() -> None:
    replays = Replays(kept=2)
    moves = [str(turn) for turn in malawi.search(malawi.Position.start(malawi.Board(2, 3))).line]
    states = replays.game(Malawi(board="2x3", moves=moves[:-1])).states
    further = replays.game(Malawi(board="2x3", moves=moves)).states
    assert further[: len(states)] == states
    assert all(one is other for one, other in zip(states, further, strict=False))
    for board in ("2x4", "2x5", "2x6"):
        replays.game(Malawi(board=board))
    fresh = replays.game(Malawi(board="2x3", moves=moves)).states
    assert fresh == further
    assert fresh[0] is not further[0]
    with pytest.raises(KulamiError, match="move 2: "):
        replays.game(Malawi(board="2x3", moves=[moves[0], "a1-a9"]))


def test_perfect_bots_keep_to_the_memory_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(memory=1 << 20, seconds=1.0)
    given: list[str] = []

    def noted(call: Any) -> Any:
        def searched(*args: Any, **options: Any) -> Any:
            given.append(options["memory"])
            return call(*args, **options)

        return searched

    monkeypatch.setattr("kulami_solver.bots.malawi.builtin.search", noted(malawi.search))
    monkeypatch.setattr("kulami_solver.bots.just4fun.builtin.solve", noted(just4fun.solve))
    asked: Any = MALAWI.kinds["move"](bot="perfect", time=0.1)
    dealt: Any = JUST4FUN.kinds["move"](bot="perfect", time=0.1, dummy=True)
    search: Any = SimpleNamespace(stop=threading.Event())
    for sibling, request in ((MALAWI, asked), (JUST4FUN, dealt)):
        game = Replays().game(request)
        told = sibling.choosing(Inquiry(request, game, limits, ()))(search)
        assert told["move"] in game.states[-1].moves
    assert given == ["1024K", "1024K"]
