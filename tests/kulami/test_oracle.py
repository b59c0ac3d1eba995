"""Searches that ask a database: the same values from fewer nodes, and damage is never believed."""

from __future__ import annotations

import concurrent.futures
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from command_line import SMALL, good, kulami

import kulami_solver as ks
from kulami_solver.game import Answer, Budget, Question, Source, Spare, load_game, searched


def late_positions(free: int, count: int, marbles: int = 28) -> Iterator[ks.Position]:
    """Positions of random games on random layouts, with so many free fields."""
    draw = random.Random(free)
    while count:
        layout = ks.Layout.random(draw.randrange(1000), irregular=bool(count % 2))
        position = ks.Position(layout, draw.choice(["red", "black"]), marbles)
        while not position.is_over and position.free_count > free:
            position = position.play(draw.choice(position.legal_fields))
        if not position.is_over:
            count -= 1
            yield position


def assert_same(helped: ks.Solution, alone: ks.Solution) -> None:
    """Both say the same of a position, and what they say of its line is true."""
    assert helped.exact
    assert alone.exact
    assert (helped.margin, helped.outcome) == (alone.margin, alone.outcome)
    assert {move.field: move.margin for move in helped.moves} == {
        move.field: move.margin for move in alone.moves
    }
    end = helped.position.play_all(helped.line)
    assert end.is_over
    assert end.margin(helped.scoring) == alone.margin * (-1) ** len(helped.line)


@pytest.fixture(scope="module")
def first_field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What comes after one first field of a 4x5 board, at level 0."""
    path = tmp_path_factory.mktemp("oracle") / "b1.kdb"
    ks.build(path, ks.Position(ks.Layout.parse(SMALL)).play("b1"))
    return path


@pytest.mark.parametrize("scoring", ks.Scoring)
def test_values_are_those_without(scoring: ks.Scoring, tmp_path: Path) -> None:
    draw = random.Random(3)
    hits = 0
    for position in late_positions(19, 8):
        root = position
        for _ in range(draw.randrange(1, 4)):
            if not root.is_over:
                root = root.play(draw.choice(root.legal_fields))
        if root.is_over:
            continue
        ks.build(tmp_path / "late.kdb", root, scoring)
        with ks.open_database(tmp_path / "late.kdb") as database:
            for asked in (position, position.exchanged(), root):
                alone = ks.solve(asked, scoring, every_move=True)
                helped = ks.solve(asked, scoring, every_move=True, database=database)
                assert_same(helped, alone)
                hits += helped.hits
                assert ks.solve(asked, scoring, threads=2, database=database).margin == alone.margin
                outcome = ks.solve(asked, scoring, "outcome", database=database)
                assert outcome.outcome == alone.outcome
    assert hits > 150


@pytest.mark.parametrize("short_end", [False, True])
def test_marbles_that_run_out(short_end: bool, tmp_path: Path) -> None:
    start = ks.Position(ks.Layout.parse(SMALL), marbles=8, short_end=short_end)
    ks.build(tmp_path / "few.kdb", start.play("b1"))
    hits = {}
    with ks.open_database(tmp_path / "few.kdb") as database:
        for marbles in (7, 8, 28):
            for short in (False, True):
                position = ks.Position(start.layout, "black", marbles, short)
                helped = ks.solve(position, every_move=True, database=database)
                assert_same(helped, ks.solve(position, every_move=True))
                hits[marbles, short] = helped.hits
    assert [limit for limit, count in hits.items() if count] == [(8, short_end)]


def test_nodes_fall_and_bounds_hold_when_a_budget_ends_it(first_field: Path) -> None:
    start = ks.Position(ks.Layout.parse(SMALL))
    alone = ks.solve(start)
    with ks.open_database(first_field) as database:
        helped = ks.solve(start, database=database)
        assert helped.margin == alone.margin
        assert helped.nodes < alone.nodes
        assert helped.hits > 0
        assert (helped.source, alone.source) == ("search", "search")
        known = ks.solve(start.play("b1"), database=database)
        assert (known.nodes, known.source) == (0, "database")
        assert [move.margin for move in ks.analyse(start, database=database)] == [
            move.margin for move in ks.analyse(start)
        ]
        # More marbles than fields are all the same.
        assert ks.solve(ks.Position(start.layout, marbles=13), database=database).hits > 0
        for nodes in (1, 10, 50, 100, 200):
            stopped = ks.solve(start, nodes=nodes, database=database)
            assert stopped.lower <= alone.lower == alone.upper <= stopped.upper
        assert not ks.solve(start, nodes=1, database=database).exact


def test_many_positions_and_other_processes(first_field: Path) -> None:
    start = ks.Position(ks.Layout.parse(SMALL))
    asked = [start, start.play("b1"), start.play("c3"), ks.Position(ks.Layout.parse("AAB/CCB"))]
    margins = [ks.solve(position).margin for position in asked]
    with ks.open_database(first_field) as database:
        solutions = list(ks.solve_many(asked, workers=2, database=database))
        assert [solution.margin for solution in solutions] == margins
        assert [solution.source for solution in solutions] == [
            "search", "database", "search", "search",
        ]  # fmt: skip
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            apart = list(ks.solve_many(asked, executor=pool, database=database))
        assert [solution.margin for solution in apart] == margins
        assert [solution.hits > 0 for solution in apart] == [True, True, True, False]


def test_another_scoring_is_refused(first_field: Path) -> None:
    start = ks.Position(ks.Layout.parse(SMALL))
    with (
        ks.open_database(first_field) as database,
        pytest.raises(ks.DatabaseError, match="counts by scoring 0, and 2 is asked for"),
    ):
        ks.solve(start, ks.Scoring.LEVEL2, database=database)


def test_damage_is_never_believed(first_field: Path, tmp_path: Path) -> None:
    """Whatever is damaged, a search says so or gives the right margin."""
    start = ks.Position(ks.Layout.parse(SMALL))
    right = ks.solve(start).margin
    whole = first_field.read_bytes()
    path = tmp_path / "damaged.kdb"
    draw = random.Random(5)
    with ks.open_database(first_field) as database:
        sections = [s for s in database.header["sections"] if s["kind"] == "records"]
        begin = len(whole) - sum(s["bytes"] for s in database.header["sections"])
    refused = 0
    for threads in (1, 2):
        for section in sections[:8]:
            damaged = bytearray(whole)
            at = begin + section["offset"] + draw.randrange(section["bytes"])
            damaged[at] ^= 1 << draw.randrange(8)
            path.write_bytes(damaged)
            with ks.open_database(path) as database:
                try:
                    assert ks.solve(start, threads=threads, database=database).margin == right
                except ks.DatabaseError:
                    refused += 1
    assert refused >= 4


def test_what_is_left_of_a_budget_is_for_the_search_without_a_damaged_one(
    first_field: Path,
) -> None:
    asked: list[tuple[Budget, int]] = []

    class Failing:
        nodes = 70

        def __init__(self, question: Question, sources: Sequence[Source]) -> None:
            asked.append((question.budget, len(sources)))

        def narrow(self, _: object) -> Answer:
            if len(asked) > 1:
                return Answer(None, 0, 0, nodes=5)
            time.sleep(0.1)
            raise ks.DatabaseError(f"{first_field}: damaged")

    question = Question(load_game("kulami", layout=SMALL).start(), budget=Budget(60.0, 100))
    with ks.open_database(first_field) as database:
        found = searched(Failing, question, [Spare(database)])
    (_, before), (left, after) = asked
    assert (before, after, left.nodes, found.nodes) == (1, 0, 30, 75)
    assert left.seconds is not None
    assert 50 < left.seconds <= 59.9


def test_damage_found_by_other_processes_is_told_once(first_field: Path, tmp_path: Path) -> None:
    path, told = tmp_path / "damaged.kdb", list[Exception]()
    content = bytearray(first_field.read_bytes())
    content[len(content) // 2 :: 99] = bytes(len(content[len(content) // 2 :: 99]))
    path.write_bytes(content)
    asked = [ks.Position(ks.Layout.parse(SMALL))] * 40
    with ks.open_database(path) as database, concurrent.futures.ProcessPoolExecutor(2) as pool:
        spare = Spare(database, told.append)
        assert {one.margin for one in ks.solve_many(asked, executor=pool, database=spare)} == {2}
        with pytest.raises(ks.DatabaseError, match="damaged, what is at byte"):
            list(ks.solve_many(asked, executor=pool, database=database))
    assert len(told) == 1


def test_the_command(first_field: Path, tmp_path: Path) -> None:
    words = ["solve", "--layout", SMALL, "--database", str(first_field)]
    said = good(*words, "--json").answer
    alone = good(*words[:3], "--json").answer
    assert (said["margin"], said["source"]) == (alone["margin"], "search")
    assert said["hits"] > 0
    assert alone["hits"] == 0
    assert said["nodes"] < alone["nodes"]
    assert "from the database" in good(*words).out
    lines = f"{SMALL} - r -\n{SMALL} 1r3/5/5/5 b b1\nAAB/CCB - r -\n".encode()
    ran = kulami(
        "solve", "--input", "-", "--threads", "2", "--database", str(first_field), stdin=lines
    )
    assert [answer["source"] for answer in ran.answers] == ["search", "database", "search"]
    assert ran.answers[0]["margin"] == alone["margin"]
    ran = kulami(*words, "--scoring", "2")
    assert ran.code == 2
    assert "give --scoring 0" in ran.err
