"""Tournaments of several bots by `kulami match`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import good, kulami

from kulami_solver.bots.arena import FinishedGame
from kulami_solver.bots.match import Result
from kulami_solver.bots.tournament import Tournament, pairings_of
from kulami_solver.errors import KulamiError

SMALL = ("--layout", "AABBCC/DDDEEE/FFGGHH")
THREE = ("match", "random", "greedy", "alphabeta:2", *SMALL)


def records_of(path: Path) -> list[dict[str, Any]]:
    """The games of a file in the order of their numbers."""
    first, *lines = map(json.loads, path.read_text().splitlines())
    assert first["journal"] == "match"
    return sorted(lines, key=lambda record: int(record["game"]))


def test_a_round_robin(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    found = good(*THREE, "--games", "6", "--save", str(path), "--json").answer
    assert found["bots"] == ["random", "greedy", "alphabeta:2"]
    assert (found["format"], found["games"], found["new"]) == ("round-robin", 18, 18)
    rated = {row["bot"]: row for row in found["ratings"]}
    assert sorted(rated) == ["alphabeta:2", "greedy", "random"]
    assert [row["elo"] for row in found["ratings"]] == sorted(
        (row["elo"] for row in rated.values()), reverse=True
    )
    assert abs(sum(row["elo"] for row in rated.values())) < 1e-6
    for place, bot in enumerate(found["bots"]):
        row, entries = rated[bot], found["table"][place]
        assert row["low"] < row["elo"] < row["high"]
        assert entries[place] is None
        met = [entry for entry in entries if entry is not None]
        assert row["games"] == 12 == sum(entry["games"] for entry in met)
        points = sum(entry["wins"] + entry["draws"] / 2 for entry in met)
        assert row["score"] == pytest.approx(points / 12)
    assert [match["bots"] for match in found["pairings"]] == [
        ["random", "greedy"],
        ["random", "alphabeta:2"],
        ["greedy", "alphabeta:2"],
    ]
    assert good("replay", str(path), "--json").answer["disagree"] == 0


def test_pairings_play_the_same_openings_with_both_colours(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    good(*THREE, "--games", "4", "--save", str(path))
    records = records_of(path)
    assert [record["game"] for record in records] == list(range(1, 13))
    for opening in range(2):
        played = records[6 * opening : 6 * opening + 6]
        assert len({tuple(game["moves"][: game["opening"]]) for game in played}) == 1
        seats = [(game["red"], game["black"]) for game in played]
        assert sorted(seats[1::2]) == sorted((black, red) for red, black in seats[::2])
        assert len(set(seats)) == 6


def test_each_pairing_is_the_match_of_these_two() -> None:
    """Bots whose answers do not hang on their luck play there as in a match of their own."""
    words = ("greedy", "alphabeta:1", "alphabeta:2", *SMALL, "--games", "4", "--json")
    for match in good("match", *words).answer["pairings"]:
        alone = good("match", *match["bots"], *words[3:]).answer
        assert match == {key: alone[key] for key in match}


def test_ctrl_c_before_any_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **options: Any) -> FinishedGame:
        raise KeyboardInterrupt

    monkeypatch.setattr("kulami_solver.bots.match.play_game", interrupted)
    for bots in (("greedy", "random"), THREE[1:]):
        ran = kulami("match", *bots)
        assert ran.err == "kulami: interrupted: Ctrl-C; no game is over\n"
        assert "%" not in ran.out


def test_what_makes_no_tournament_is_refused() -> None:
    for bots, kind, said in (
        (["greedy"], "round-robin", "a match needs two bots or more, not 1: "),
        (["a", "b", " a"], "round-robin", "'a' is in the tournament twice: "),
        (["a", "b"], "gauntlet", "a gauntlet of two bots is a match: "),
        (["a", "b", "c"], "swiss", "'swiss' is no format: use round-robin or gauntlet"),
    ):
        with pytest.raises(KulamiError, match=f"^{said}"):
            pairings_of(bots, kind)


def test_ratings_are_rounded_and_those_of_two_are_of_their_match() -> None:
    tournament = Tournament(["a", "b", "c"], margins=False)
    for pairing in range(3):
        tournament.add(pairing, [Result(0, 9), Result(None, 9)])
    said = re.findall(r"^ +\d  ([abc]) +([+-]\d+)", tournament.text(), re.MULTILINE)
    ratings = tournament.ratings()
    assert said == [(row["bot"], f"{round(row['elo']):+}") for row in ratings]
    assert any(round(row["elo"]) != int(row["elo"]) for row in ratings)
    two = Tournament(["a", "b"], margins=False)
    for pair in range(9):
        two.add(pair, [Result(0, 9), Result(None, 9)])
    a, b = two.ratings()
    low, high = two.to_json()["elo_interval"]
    assert (a["elo"], a["low"], a["high"]) == pytest.approx((-b["elo"], low / 2, high / 2))
    assert (b["high"], b["low"]) == pytest.approx((-low / 2, -high / 2))
    assert a["score"] == two.to_json()["score"] == two.table()[0][1]["score"]  # type: ignore[index]


def test_what_has_not_been_played_is_not_rated() -> None:
    tournament = Tournament(["a", "b", "c"], margins=False)
    assert {row["elo"] for row in tournament.ratings()} == {None}
    tournament.add(1, [Result(0, 9), Result(None, 9)])
    rows = {row["bot"]: (row["elo"], row["games"], row["score"]) for row in tournament.ratings()}
    assert rows["b"] == (None, 0, 0.5)
    assert rows["a"][0] > rows["c"][0]
    assert [row["bot"] for row in tournament.ratings()] == ["a", "c", "b"]
    assert tournament.games == 2
    assert 1 in tournament
    assert 0 not in tournament
    row, _points = (line for line in tournament.text().splitlines() if line.startswith("  3  b"))
    assert row.split() == ["3", "b", "0", "-"]
    assert Tournament(["a", "b", "c"]).text() == (
        "round robin of 3 bots: 0 games, 0 openings, the same for each two bots"
    )
    assert Tournament(["a", "b"]).text() == "a against b: 0 games, 0 openings"


def test_a_figure_is_an_svg_pdf_or_png(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever keeps it from being drawn is told before the first game."""
    monkeypatch.setattr("kulami_solver.cli.games._play", None)
    ran = kulami(*THREE, "--plot", str(tmp_path / "figure.gif"))
    assert (ran.code, "name a file that ends in .svg" in ran.err) == (2, True)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    ran = kulami(*THREE, "--plot", str(tmp_path / "figure.svg"))
    assert (ran.code, 'pip install "kulami-solver[plot]"' in ran.err) == (2, True)
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    for name, begins in (("f.svg", b"<?xml"), ("f.pdf", b"%PDF"), ("f.png", b"\x89PNG")):
        for path in (tmp_path / name, tmp_path / f"again.{name}"):
            good(*THREE, "--games", "2", "--plot", str(path))
        assert (tmp_path / name).read_bytes().startswith(begins)
        assert (tmp_path / name).read_bytes() == (tmp_path / f"again.{name}").read_bytes()


def test_standings_are_told_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off a terminal now and then; they add up to the report, and name a test's ratio."""
    monkeypatch.setattr("kulami_solver.core.progress.TOLD_EVERY", 0.0)
    ran = good(*THREE, "--games", "4", "--json")
    told = re.findall(r"^(.+/\d+): (\d+) of 12 games, 0 min$", ran.err, re.MULTILINE)
    assert [int(games) for _, games in told] == [2, 4, 6, 8, 10, 12]
    best = [f"{row['bot']} {row['score'] * row['games']:g}/8" for row in ran.answer["ratings"]]
    assert told[-1][0] == ", ".join(best)
    ran = good("match", "greedy", "random", *SMALL, "--games", "4", "--sprt", "0", "100")
    assert re.search(r"^greedy [\d.]+/4, random [\d.]+/4, LLR -?\d\.\d\d: 4 of", ran.err, re.M)


def test_saved_games_are_rated_as_they_were_in_their_tournament(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    played = good(*THREE, "--games", "8", "--save", str(path), "--json").answer
    halves = tmp_path / "evenings"
    halves.mkdir()
    lines = path.read_text().splitlines()[1:]
    for number in (0, 1):
        (halves / f"{number}.jsonl").write_text("\n".join(lines[number::2]))
    first, last = str(halves / "0.jsonl"), str(halves / "1.jsonl")
    for words in ([str(path)], [str(halves)], [last, first], [last, str(path), str(path)]):
        ran = good("match", "--json", "--ratings", *words)
        found = ran.answer
        copies = re.findall(r"note: (\d+) games that an earlier file has, too, left out", ran.err)
        assert copies == ([str(len(lines) + len(lines[1::2]))] if len(words) > 2 else [])
        for one, other in zip(found["ratings"], played["ratings"], strict=True):
            assert one == pytest.approx(other)
    two = good("match", "greedy", "random", *SMALL, "--games", "6", "--save", f"{path}2", "--json")
    found = good("match", "--json", "--ratings", f"{path}2").answer
    assert found["ratings"] == two.answer["ratings"]


def test_a_club_is_rated_from_its_games(tmp_path: Path) -> None:
    """Whoever met whom; games without an end or names are left out, those given up count."""
    path = tmp_path / "club.jsonl"
    begun = {"board": "AAB/CCB", "level": 0, "first": "red", "moves": ["a1"]}
    games = [
        {**begun, "red": "Ann", "black": "Bob", "winner": "red"},
        {**begun, "red": "Bob", "black": "Ann", "winner": "black"},
        {**begun, "red": "Ann", "black": "Bob", "winner": "red"},
        {**begun, "red": "Cid", "black": "Dan", "winner": "black"},
        {**begun, "red": "Ann", "black": "Bob"},
        {**begun, "winner": "red"},
        {**begun, "red": "Ann", "black": "Ann", "winner": "red"},
    ]
    path.write_text("\n".join(map(json.dumps, games)) + "\nnonsense\n")
    ran = kulami("match", "--ratings", str(path), "--json")
    assert (ran.code, "3 games without an end, or" in ran.err) == (2, True)
    rows = {row["bot"]: row for row in ran.answer["ratings"]}
    found = {bot: (row["games"], row["score"]) for bot, row in rows.items()}
    assert found == {"Ann": (3, 1), "Bob": (3, 0), "Cid": (1, 0), "Dan": (1, 1)}
    assert rows["Ann"]["elo"] > rows["Bob"]["elo"]
    assert all(row["low"] < row["elo"] < row["high"] for row in rows.values())
    assert "4 players: 4 games\n" in kulami("match", "--ratings", str(path)).out
    path.write_text(json.dumps(games[5]))
    for words in (["--ratings", str(path)], ["greedy", "--ratings", str(path)]):
        ran = kulami("match", *words)
        assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("game", ["malawi", "just4fun"])
def test_games_of_the_siblings_are_rated(game: str, tmp_path: Path) -> None:
    path = str(tmp_path / "games.jsonl")
    small = {"malawi": ("--board", "2x4"), "just4fun": ("--board", "3x3", "--stones", "3")}[game]
    match = (game, "match", "greedy", "random", *small, "--games", "6")
    played = good(*match, "--save", path, "--json").answer
    assert good(game, "match", "--ratings", path, "--json").answer["score"] == played["score"]


def test_a_test_has_the_errors_that_are_asked_for() -> None:
    match = ("match", "greedy", "random", *SMALL, "--games", "2")
    found = good(*match, "--sprt", "0", "9", "--alpha", "0.01", "--beta", "0.2", "--json").answer
    assert (found["sprt"]["alpha"], found["sprt"]["beta"]) == (0.01, 0.2)
    for words in (("--alpha", "0.1"), ("--sprt", "0", "9", "--beta", "0.5"), ("--beta", "x")):
        assert kulami(*match, *words).code == 2
