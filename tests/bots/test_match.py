"""Matches between bots, and what games cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import good, kulami

from kulami_solver import Layout, Position, Scoring
from kulami_solver.bots import Greedy, Player, Random
from kulami_solver.bots.arena import FinishedGame, Opening, play_game
from kulami_solver.bots.grade import Grade, grade
from kulami_solver.bots.kulami.case import Refutation
from kulami_solver.bots.kulami.match import KulamiTerms, draw_opening
from kulami_solver.cli.kulami.games import estimated_moves
from kulami_solver.core.notation import so_many
from kulami_solver.game import Answer, MoveAnswer, Number, Question
from kulami_solver.kulami.estimate.chances import estimate_value
from kulami_solver.kulami.game import state_of
from kulami_solver.kulami.game_record import check_record

SMALL = "AABBCC/DDDEEE/FFGGHH"


def test_balanced_openings_have_even_chances_and_are_the_same_each_time() -> None:
    def bias(opening: Opening) -> float:
        chances = estimate_value(opening.end.position, nodes=2000)
        return abs(chances.win + chances.draw / 2 - 0.5)

    balanced, usual = KulamiTerms(openings="balanced"), KulamiTerms()
    openings = [balanced.opening(number) for number in range(12)]
    assert [len(opening.moves) for opening in openings] == [6] * 12
    assert max(map(bias, openings)) <= 0.08
    assert max(bias(usual.opening(number)) for number in range(12)) > 0.2
    assert balanced.opening(3) == openings[3]


class Open:
    """A source that leaves every value open."""

    def answer(self, question: Question) -> Answer:
        moves = tuple(MoveAnswer(move, -1, 1) for move in question.state.moves)
        return Answer(question.state.position, -1, 1, moves=moves)


def graded(game: FinishedGame, **budget: Any) -> Grade:
    """A game of the arena, graded."""
    return grade(game.start, game.moves, **budget)


def test_adjudicated_games_end_with_best_play() -> None:
    player = Player(Random(3))
    opening = draw_opening(4, scoring=Scoring.LEVEL1)
    players = (player, player)
    game = play_game(players, opening, adjudicate=KulamiTerms(free=20).adjudicate)
    assert game.adjudicated is not None
    assert check_record(KulamiTerms().record(game)).agrees
    found = graded(game, time=None, nodes=100_000)
    assert found.first_ply <= game.adjudicated + 1
    assert {move.cost for move in found.moves if move.ply > game.adjudicated} == {0}


def test_the_arena_keeps_the_time_of_bots_in_its_own_process() -> None:
    class Sleeper:
        def choose(self, position: Position) -> str:
            import time

            time.sleep(0.8)
            return position.legal_fields[0]

    from kulami_solver.bots import Clock

    opening = Opening(state_of(Position(Layout.parse(SMALL))))
    game = play_game((Player(Sleeper()), Player(Greedy())), opening, Clock(seconds=0.1))
    assert (game.forfeit, game.fault, game.winner) == (0, "timeout", 1)


class TestGrade:
    """`kulami grade`."""

    def test_costs_explain_the_result(self) -> None:
        """Along the moves the value changes by what they cost, and ends as the score."""
        opening = draw_opening(11, Layout.parse(SMALL), plies=0, scoring=Scoring.LEVEL1)
        player = Player(Random(1))
        game = play_game((player, player), opening)
        found = graded(game)
        assert found.first_ply == 1
        value: Number = 0
        for move in reversed(found.moves):
            if move is found.moves[-1]:
                value = game.end.returns()[("red", "black").index(move.colour)]
            else:
                value = -value
            assert move.value == value
            value = move.value + move.cost
            assert value == move.case.best

    def test_estimates_are_told_from_what_is_proved(self) -> None:
        """They stand where nothing is solved, under keys of their own, and nowhere else."""
        opening = draw_opening(12, Layout.parse(SMALL), plies=0)
        game = play_game((Player(Random(1)), Player(Random(2))), opening)
        exact = graded(game)
        found = graded(game, nodes=10, estimate=estimated_moves)
        first = found.first_ply
        assert found.estimated is not None
        assert [move.ply for move in found.estimated] == [*range(1, first)]
        told = found.to_json()
        assert set(told) - set(exact.to_json()) == {"estimates"}
        for one, move in zip(told["estimates"], exact.moves, strict=False):
            assert list(one["estimate"]) == ["margin", "win", "draw", "loss"]
            assert one["best_estimate"]["margin"] >= one["estimate"]["margin"]
            assert (one["field"], one["colour"]) == (move.played, move.colour)
        words, rest = found.text().split("solved from")
        assert words.count(" about ") == first - 1
        assert "nothing of this is proved" in words
        assert "about" not in rest
        assert "estimates" not in exact.to_json()
        command = ["grade", "--layout", SMALL, "--moves", "a1", "--json"]
        assert good(*command, "--estimate").answer["estimates"] == []
        assert "estimates" not in good(*command).answer

    def test_a_turning_point_is_explained(self) -> None:
        """Both lines are best play, and the panels are those whose owners differ at their ends."""
        opening = draw_opening(0, Layout.parse(SMALL), plies=0)
        game = play_game((Player(Random(0)), Player(Random(100))), opening)
        found = graded(game)
        assert found.turning_points
        for move in found.turning_points:
            why, position = move.refutation, move.case.position
            assert isinstance(why, Refutation)
            end = position.play_all(why.line)
            sign = 1 if end.turn == position.turn else -1
            assert (why.line[0], sign * end.margin()) == (move.played, move.value)
            assert why.best in move.case.best_moves
            for panel in why.turned:
                mask = sum(1 << end.layout.index(field) for field in panel.fields)
                lead = (end.red & mask).bit_count() - (end.black & mask).bit_count()
                assert panel.owner == ("red" if lead > 0 else "black" if lead < 0 else None)
                assert panel.owner != panel.instead
            assert f"     {why.words}\n" in found.text()
        told = found.to_json()["moves"]
        explained = [move["ply"] for move in told if "refutation" in move]
        assert explained == found.to_json()["turning_points"]

    def test_only_as_far_as_the_budget_goes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Positions are counted if nothing is said, so that a busy machine grades alike."""
        opening = draw_opening(12)
        game = play_game((Player(Random(1)), Player(Random(2))), opening)
        found = graded(game, time=None, nodes=1000)
        first = found.first_ply
        assert 1 < first < len(game.moves)
        told = found.to_json()
        assert told["exact_from"] == told["from_ply"] == first
        assert told["beyond"] == f"move {first - 1} would take more than 1,000 positions"
        assert f"solved from move {first} on; {told['beyond']}\n" in found.text()
        cut = grade(opening.start, game.moves[:3], nodes=10)
        assert cut.text().endswith(
            "give more with --time (move 3 would take more than 10 positions)"
        )
        none = graded(game, sources=(Open(),)).to_json()
        assert (none["from_ply"], none["exact_from"]) == (len(game.moves) + 1, None)
        monkeypatch.setattr("kulami_solver.bots.grade.NODES", 1000)
        assert grade(opening.start, game.moves).text() == found.text()
        assert "would take" not in grade(found.moves[0].case.state, game.moves[first - 1 :]).text()


def matched(path: Path, lines: Sequence[str], *words: str) -> tuple[dict[str, Any], str]:
    path.write_text("\n".join(lines))
    ran = kulami("match", "alphabeta:2", "greedy", "--openings", str(path), "--json", *words)
    assert ran.code == 0
    return json.loads(ran.out), ran.err


def test_an_opening_or_a_game_counts_once(tmp_path: Path) -> None:
    """However often a file names an opening, and however often the same game is played."""
    path = tmp_path / "openings.kfn"
    one, two = ("AABBC/AABBC/DDEEC/FFEEG r1b2/5/5/5 r c1,a1", "AABBC/AABBC/DDEEC/FFEEG - r -")
    for lines in ([one], [one, one], [one, two], [two, one, one, two]):
        there = len(set(lines))
        found, said = matched(path, lines, "--games", "40")
        assert (found["games"], found["openings"]) == (2 * there, there)
        assert found["different"] == 2 * there
        assert f"{2 * there} games are played and not 40; --repeat" in said
        test = ("--repeat", "--sprt", "0", "50")
        found, said = matched(path, lines, "--games", "80", *test)
        assert (found["games"], found["openings"], found["different"]) == (80, there, 2 * there)
        assert (found["sprt"]["verdict"], said) == (None, "")
        assert abs(found["sprt"]["ratio"]) < 1
        apart = kulami("match", "alphabeta:2", "greedy", "--openings", str(path), *test[:1])
        assert f"{so_many(there, 'opening')}; different games: {2 * there}\n" in apart.out
