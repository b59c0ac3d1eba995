"""Matches between bots, and what games cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import reference
from command_line import good, kulami

from kulami_solver import Layout, Position, Scoring
from kulami_solver.bots import Greedy, Player, Random
from kulami_solver.bots.arena import FinishedGame, Opening, play_game
from kulami_solver.bots.grade import Grade, grade
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


def owners(rules: reference.Rules, state: reference.State) -> dict[str, str | None]:
    """The side with more marbles on each panel, which its first field names; None for nobody."""
    leads: dict[str, int] = {}
    firsts: dict[str, str] = {}
    for square in sorted(rules.panel, key=reference.reading_order):
        panel = rules.panel[square]
        firsts.setdefault(panel, reference.field_name(square))
        lead = (square in state.red) - (square in state.black)
        leads[panel] = leads.get(panel, 0) + lead
    return {
        firsts[panel]: "red" if lead > 0 else "black" if lead < 0 else None
        for panel, lead in leads.items()
    }


def graded(game: FinishedGame, **budget: Any) -> Grade:
    """A game of the arena, graded."""
    return grade(game.start, game.moves, **budget)


def test_adjudicated_games_end_with_best_play() -> None:
    player = Player(Random(3))
    opening = draw_opening(4, scoring=Scoring.LEVEL1)
    game = play_game((player, player), opening, adjudicate=KulamiTerms(free=20).adjudicate)
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

    def test_a_mistake_is_explained_by_the_panels_that_end_differently(self) -> None:
        """Both lines are best play by other rules, whose ends have other owners of those panels."""
        explained = 0
        for number in range(40):
            opening = draw_opening(number, Layout.parse(SMALL), plies=0)
            found = graded(play_game((Player(Random(number)), Player(Random(100))), opening))
            for move in found.moves:
                why, told = move.refutation, move.to_json()
                assert ("refutation" in told) == (why is not None) == (move.cost > 0)
                if why is None:
                    continue
                said = told["refutation"]
                rules, state = reference.parse_kfn(move.case.position.kfn())
                sign = 1 if state.turn == "r" else -1
                ends = []
                for line, value in (
                    (said["line"], move.value),
                    (said["best_line"], move.case.best),
                ):
                    end = state
                    for field in line:
                        square = reference.field_square(field)
                        assert square in reference.legal_fields(rules, end)
                        end = reference.play(end, square)
                    score = reference.totals(rules, end, "0")
                    assert (reference.is_over(rules, end), sign * (score[0] - score[1])) == (
                        True,
                        value,
                    )
                    ends.append(owners(rules, end))
                assert (said["line"][0], said["best"]) == (move.played, said["best_line"][0])
                turned = {
                    one["fields"][0]: [one["owner"], one["instead"]] for one in said["panels"]
                }
                differ = {name: [one, ends[1][name]] for name, one in ends[0].items()}
                assert turned == {name: two for name, two in differ.items() if two[0] != two[1]}
                assert sum(one["points"] for one in said["panels"]) == move.cost
                assert f"     {why.words}\n" in found.text()
                explained += 1
        assert explained >= 50

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
