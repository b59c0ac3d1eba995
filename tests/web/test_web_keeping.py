"""`kulami serve --keep`: games of the page in a file, found by position."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import kulami
from web_server import Server, serving

from kulami_solver import GameRecord, Layout, Position
from kulami_solver.just4fun.replay import check_record
from kulami_solver.kulami.position.layout import named_layout
from kulami_solver.malawi.replay import read_game


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "games.sqlite"


@pytest.fixture(scope="module")
def keeper(path: Path) -> Iterator[Server]:
    with serving("--keep", str(path)) as server:
        yield server


def keep(server: Server, key: str, link: str, changed: int = 1, **more: Any) -> Any:
    said = {"id": key, "hash": link, "changed": changed, "more": more}
    return server.good("/api/kept/keep", said)


def record(path: Path, name: str) -> Any:
    with sqlite3.connect(path) as file:
        found = file.execute("SELECT record FROM games WHERE name = ?", (name,)).fetchone()
    return json.loads(found[0])


def found(server: Server, game: str, **asked: Any) -> dict[str, int]:
    games = server.good(f"/api/{game}/kept", asked)["games"]
    return {one["id"]: one["ply"] for one in games}


def delete(server: Server, *keys: str) -> None:
    for key in keys:
        assert server.good("/api/kept/delete", {"id": key}) == {"deleted": True}


def test_a_game_of_kulami_is_kept_whole_and_found_on_every_image(
    keeper: Server, path: Path
) -> None:
    link = "#layout=AAB/CCB&moves=a1,a2,c2&first=red&scoring=2&ply=1"
    assert keep(keeper, "k1", link, 5, name="Ä", players={"red": "human"}) == {"kept": True}
    game = GameRecord.from_json(record(path, "k1"))
    assert (game.fields, game.scoring.value) == (("a1", "a2", "c2"), "2")
    assert game.result is not None
    # Turned, with black first and other names of panels.
    turned = {"layout": "YX/YX/ZZ", "first": "black"}
    assert found(keeper, "kulami", **turned, moves="b1") == {"k1": 1}
    assert found(keeper, "kulami", **turned, moves="b1,a1") == {"k1": 2}
    assert found(keeper, "kulami", **turned, moves="b3") == {}
    assert found(keeper, "kulami", layout="AAB/CCB", moves="a1", marbles=3) == {}
    told = {"id": "k1", "game": "kulami", "hash": link, "changed": 5, "name": "Ä"}
    told |= {"players": {"red": "human"}}
    assert keeper.good("/api/kept", {})["games"] == [told]
    delete(keeper, "k1")
    # So is one that begins with marbles.
    keep(keeper, "k2", "#kfn=AAB/AAC 2r/3 b c1&moves=b1&scoring=0&marbles=5&short_end=true")
    game = GameRecord.from_json(record(path, "k2"))
    assert (game.start.marbles, game.start.short_end, game.fields) == (5, True, ("b1",))
    delete(keeper, "k2")


@pytest.mark.parametrize(
    ("link", "line", "moves"),
    [
        # The line of the link is a variation of the game.
        (
            "#layout=AAB/CCB&moves=a1,c1",
            {
                "moves": ["a1", "a2", "c2"],
                "comments": {"0": "First.", "2": "Then."},
                "variations": {"2": [{"moves": ["c1"], "comments": {"1": "Or."}}]},
            },
            ["a1", "a2", "c2"],
        ),
        (
            "#game=malawi&board=2x3&moves=a3:b3",
            {"moves": ["a3xa1"], "variations": {"1": [{"moves": ["a3:b3"]}]}},
            ["a3xa1"],
        ),
        # What is none, or not by the rules, is left out.
        ("#layout=AAB/CCB&moves=a1", {"moves": ["a1"], "comments": {"9": "Late."}}, None),
        (
            "#layout=AAB/CCB&moves=a1",
            {"moves": ["a1"], "variations": {"1": [{"moves": ["z9"]}]}},
            None,
        ),
        ("#layout=AAB/CCB&moves=a1", {"moves": ["z9"]}, None),
        ("#layout=AAB/CCB&moves=a1", [], None),
        ("#layout=AAB/CCB&moves=a1", {"moves": 3}, None),
    ],
)
def test_a_record_has_comments_and_variations(
    keeper: Server, path: Path, link: str, line: Any, moves: list[str] | None
) -> None:
    assert keep(keeper, "v1", link, line=line) == {"kept": True}
    said = record(path, "v1")
    assert keeper.good("/api/kept", {})["games"][0]["line"] == line  # the page gets it as it was
    delete(keeper, "v1")
    kept = {name: said[name] for name in ("moves", "comments", "variations") if name in said}
    assert kept == ({"moves": ["a1"]} if moves is None else line)
    if "game=" not in link:
        GameRecord.from_json(said)


def test_a_game_is_found_by_all_that_was_tried(keeper: Server) -> None:
    """By the line of its link, and by the line with its variations, unless these are no game."""
    line = {
        "moves": ["d4", "d7", "a7"],
        "variations": {
            "1": [{"moves": ["a1"]}, {"moves": ["z9"]}],
            "2": [{"moves": ["d8"], "variations": {"1": [{"moves": ["d8", "a8"]}]}}],
        },
    }
    link = "#layout=square&moves=d4,d7"
    keep(keeper, "w1", link, line=line)
    for moves, ply in (("", 0), ("d4,d7", 2), ("d4,d7,a7", 3), ("a1", 1), ("d4,d8,a8", 3)):
        assert found(keeper, "kulami", layout="square", moves=moves) == {"w1": ply}
    assert found(keeper, "kulami", layout="square", moves="a2") == {}
    keep(keeper, "w1", link, line={"moves": 3})
    assert found(keeper, "kulami", layout="square", moves="a1") == {}
    delete(keeper, "w1")


def test_a_game_with_many_variations_has_the_positions_of_the_longest_game(
    keeper: Server, path: Path
) -> None:
    """So that it can be deleted when the disk is full."""
    begun = Position(Layout.parse(str(named_layout("rulebook"))))
    tried = [
        {"moves": [first, then]}
        for first in begun.legal_fields
        for then in begun.play(first).legal_fields
    ]
    line = {"moves": ["d4"], "variations": {"1": tried}}
    keep(keeper, "l1", "#layout=rulebook&moves=d4", line=line)
    with sqlite3.connect(path) as file:
        (count,) = file.execute(
            "SELECT count(*) FROM positions JOIN games USING (number) WHERE name = 'l1'"
        ).fetchone()
    assert len(tried) > count == 401
    assert found(keeper, "kulami", layout="rulebook", moves="d4") == {"l1": 1}
    delete(keeper, "l1")


CARDS: dict[str, Any] = {"board": "3x3", "stones": 2, "line": 3, "hand": 3}


def test_games_of_the_siblings_are_records_of_theirs(keeper: Server, path: Path) -> None:
    keep(keeper, "m1", "#game=malawi&board=2x3&moves=a3:b3;b1xb3")
    assert read_game(record(path, "m1")).end.notation() == "b2b2/../r0r0 r"
    assert found(keeper, "malawi", board="2x3", moves="b3:a3") == {"m1": 1}
    for name, more in (("j1", ""), ("j2", "&dummy=true")):
        asked = {**CARDS, "seed": 4, "see": ["red", "blue"], "dummy": bool(more)}
        moves = keeper.whole("just4fun", asked)
        played = ";".join(moves).replace("+", "%2B")
        start = "#game=just4fun&board=3x3&stones=2&line=3&hand=3&seed=4"
        keep(keeper, name, f"{start}&moves={played}{more}")
        verdict = check_record(record(path, name))
        assert verdict.agrees, verdict.reason
        assert len(record(path, name)["moves"]) == len(moves)
    # Other cards, the same stones: nothing is told of a hand.
    assert found(keeper, "just4fun", **CARDS, seed=77) == {"j2": 0, "j1": 0}
    delete(keeper, "m1", "j1", "j2")
    assert keeper.good("/api/kept/delete", {"id": "m1"}) == {"deleted": False}


def test_what_was_changed_later_stays_and_the_newest_comes_first(keeper: Server) -> None:
    for number in range(4):
        keep(keeper, f"n{number}", "#layout=AAB/AAC&moves=a1", number)
    assert keep(keeper, "n3", "#layout=AAB/AAC&moves=c1", 2) == {"kept": False}
    # What somebody else has changed stays, and is told, for who says what they have seen.
    ours = {"id": "n3", "hash": "#layout=AAB/AAC&moves=c1", "changed": 4}
    told = keeper.good("/api/kept/keep", {**ours, "seen": 2})
    assert (told["kept"], told["game"]["changed"]) == (False, 3)
    assert told["game"]["hash"] == "#layout=AAB/AAC&moves=a1"
    assert keeper.good("/api/kept/keep", {**ours, "id": "n4", "seen": 2}) == {"kept": True}
    delete(keeper, "n4")
    listed = keeper.good("/api/kept", {})
    assert listed["count"] == 4
    assert [one["id"] for one in listed["games"]] == ["n3", "n2", "n1", "n0"]
    assert listed["games"][0]["hash"] == "#layout=AAB/AAC&moves=a1"
    assert [one["id"] for one in keeper.good("/api/kept", {"skip": 3})["games"]] == ["n0"]
    assert keeper.good("/api/kept/keep", {**ours, "seen": 3}) == {"kept": True}
    delete(keeper, "n0", "n1", "n2", "n3")


GOOD = {"id": "x", "hash": "#layout=square&moves=d4", "changed": 1}


@pytest.mark.parametrize(
    ("what", "more", "said"),
    [
        ("keep", {"hash": None}, "hash has to be"),
        ("keep", {"id": ""}, "id has to be"),
        ("keep", {"id": "a b"}, "id has to be a name of at most 40 letters (a to z), digits, "),
        ("keep", {"id": "x" * 41}, "at most 40"),
        ("keep", {"hash": "#" + "x" * 20_000}, "at most 20000"),
        ("keep", {"changed": -1}, "changed has to be"),
        ("keep", {"changed": 1.5}, "changed has to be"),
        ("keep", {"more": []}, "more has to be an object"),
        ("keep", {"more": {"x": "y" * 210_000}}, "200,000 are kept"),
        ("keep", {"extra": 1}, "unknown field `extra`"),
        ("keep", {"hash": "javascript:alert(1)"}, "the link of a game"),
        ("keep", {"hash": "xlayout=square"}, "the link of a game"),
        ("keep", {"hash": "#"}, "which position is meant"),
        ("keep", {"hash": "#game=chess&moves=e4"}, "hash: there is no game 'chess': kulami, "),
        ("keep", {"hash": "#layout=square&see=red"}, "hash: the request cannot be read: unknown"),
        ("keep", {"hash": "#layout=square&seed=x"}, "seed has to be a whole number from 0 to"),
        ("keep", {"hash": "#" + "&".join(f"a{n}=1" for n in range(99))}, "the link of"),
        ("keep", {"hash": "#layout=square&moves=d4,d4"}, "move 2"),
        ("keep", {"hash": "#layout=AAB/ABB&moves=a1"}, "not a rectangle"),
        ("keep", {"hash": "#game=malawi&board=2x3&moves=" + "a3-a2;" * 401}, "401"),
        ("", {"skip": -1}, "skip has to be"),
        ("delete", {"id": "../x"}, "id has to be"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    keeper: Server, what: str, more: dict[str, Any], said: str
) -> None:
    good = {"id": "x", "hash": "#layout=square&moves=d4", "changed": 1} if what == "keep" else {}
    before = keeper.good("/api/kept", {})["count"]
    assert said in keeper.refused(f"/api/kept/{what}".rstrip("/"), {**good, **more})
    assert keeper.good("/api/kept", {})["count"] == before


def test_two_servers_have_one_file_and_ctrl_c_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with serving("--keep", str(path)) as one, serving("--keep", str(path)) as other:
        for number in range(10):
            keep(one, f"a{number}", "#layout=AAB/AAC&moves=a1")
            keep(other, f"b{number}", "#layout=AAB/AAC&moves=c1")
        assert one.good("/api/kept", {})["count"] == other.good("/api/kept", {})["count"] == 20
        one.running.send_signal(signal.SIGINT)
        one.running.communicate(timeout=30)
        keep(other, "last", "#layout=AAB/AAC&moves=c1,a1")
        other.running.send_signal(signal.SIGINT)
        other.running.communicate(timeout=30)
    assert {entry.name for entry in tmp_path.iterdir()} == {"games.sqlite", "games.sqlite-journal"}
    with serving("--keep", str(path)) as again:
        assert again.good("/api/kept", {})["count"] == 21


def test_a_flipped_bit_in_a_game_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    moves = ("a1", "a1,c1", "a1,a2", "a1,c1", "a1,a2,c2", "a1,a2")
    with serving("--keep", str(path)) as server:
        for number, played in enumerate(moves):
            keep(server, f"g{number}", f"#layout=AAB/CCB&moves={played}", name=f"game {number}")
    content = path.read_bytes()
    for sound, flipped in (
        (b'{"name":"game 1"', b'z"name":"game 1"'),
        (b'"name":"game 2"', b'"name":"gam\xe5 2"'),
        (b"g3kulami#layout", b"\xe73kulami#layout"),
        (b"&moves=a1,a2,c2", b"\xa6moves=a1,a2,c2"),
    ):
        assert content.count(sound) == 1
        content = content.replace(sound, flipped)
    path.write_bytes(content)
    with serving("--keep", str(path)) as server:
        told = server.good("/api/kept", {})
        assert [one["id"] for one in told["games"]] == ["g5", "g0"]
        assert (told["damaged"], told["count"]) == (4, 6)
        here = found(server, "kulami", layout="AAB/CCB", moves="a1")
        assert here == {"g0": 1, "g5": 1}
        server.running.send_signal(signal.SIGINT)
        _, warned = server.running.communicate(timeout=30)
    assert "left out as damaged" in warned


def test_no_visitor_reads_where_the_server_has_its_file(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with serving("--keep", str(path)) as server:
        keep(server, "g", "#layout=AAB/CCB&moves=a1")
        path.unlink()
        for question in ({}, {"layout": "AAB/CCB"}):
            place = "/api/kulami/kept" if question else "/api/kept"
            for headers in ({}, {"prefer": "codes"}):
                status, answer = server.ask(place, question, headers)
                assert status == 400
                assert b"has been removed" in answer
                assert str(tmp_path).encode() not in answer


def test_the_page_is_told_whether_there_is_a_file(server: Server, keeper: Server) -> None:
    assert keeper.good("/api/options")["keeps_games"] is True
    assert "keeps_games" not in server.good("/api/options")
    for path in ("/api/kept", "/api/kept/keep", "/api/kept/delete", "/api/kulami/kept"):
        assert server.ask(path, {})[0] == 404


def test_a_file_of_something_else_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("notes", encoding="utf-8")
    ran = kulami("serve", "--keep", str(path))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "no file of games" in ran.err


def test_a_folder_that_is_missing_is_to_be_made_first(tmp_path: Path) -> None:
    path = tmp_path / "none" / "games.sqlite"
    ran = kulami("serve", "--keep", str(path))
    said = f"kulami: error: {path}: there is no folder {path.parent}; make it first\n"
    assert (ran.code, ran.err) == (2, said)
