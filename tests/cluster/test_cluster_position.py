"""One hard position on many workers: values, budgets, the journal, and what happens on the way."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cluster_processes import cluster_of
from command_line import as_results, good, kulami, process, results_in, until
from random_play import positions, random_position

import kulami_solver as ks
from kulami_solver.kulami.workers.jobs import Answer, Terms, answer
from kulami_solver.kulami.workers.solving import TreeProgress, solve_position
from kulami_solver.kulami.workers.tree import Tree

SCORINGS = tuple(ks.Scoring)

# Job sizes that make everything from one job to a tree down to the last plies.
TINY = (1, 1, 8, 100, 1000, 10_000)


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def check(position: ks.Position, scoring: ks.Scoring, draw: random.Random, two: Executor) -> None:
    """Solve a position in a tree with tiny leaves, and compare all of it with `solve`."""
    every_move = draw.random() < 0.5
    known = ks.solve(position, scoring, every_move=every_move)
    size = draw.choice(TINY)
    found = solve_position(position, scoring, executor=two, job_nodes=size, every_move=every_move)
    assert (found.margin, found.outcome) == (known.margin, known.outcome), position.kfn()
    assert found.exact
    assert found.lower == found.upper
    end = position.play_all(found.line)
    score = end.score(scoring)
    sign = 1 if position.turn == "red" else -1
    assert end.is_over
    assert sign * (score.red - score.black) == found.margin
    values = {move.field: (move.lower, move.upper) for move in found.moves}
    assert values == {move.field: (move.lower, move.upper) for move in known.moves}
    decided = solve_position(position, scoring, "outcome", executor=two, job_nodes=size)
    assert decided.outcome == known.outcome
    assert decided.lower <= known.lower <= decided.upper
    assert position.play_all(decided.line).is_over


def small_positions(draw: random.Random) -> Iterator[ks.Position]:
    """Late positions on random layouts, small boards, few marbles, and short ends."""
    while True:
        seed = draw.randrange(10**6)
        free = draw.choice((7, 8, 9, 10, 12, 14, 16, 18))
        position = random_position(ks.Layout.random(seed), free, seed)
        if position is not None:
            yield position
        text = draw.choice(("AAB/CCB", "ABBCD/ABBCD/ABBEE", "AABB/CCDD/EEFF", "AB.CC/AB.DD/EEEDD"))
        few = draw.choice((28, 4, 3))
        start = ks.Position(ks.Layout.parse(text), marbles=few, short_end=draw.random() < 0.5)
        for _ in range(draw.randrange(4)):
            if not start.is_over:
                start = start.play(draw.choice(start.legal_fields))
        yield start


def compare(count: int, seed: int, two: Executor) -> None:
    draw = random.Random(seed)
    for number, position in zip(range(count), small_positions(draw), strict=False):
        check(position, SCORINGS[number % 4], draw, two)


def test_values_are_those_of_solve(two: Executor) -> None:
    compare(120, 1, two)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 6))
def test_values_are_those_of_solve_on_many_positions(seed: int, two: Executor) -> None:
    compare(1000, seed, two)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize(
    "kfn",
    [
        "AAB/AAC r/2b r c2,a1",  # one move
        "AAB/CCB rbr/brb r a2,c1",  # a full board
        "AB/AB r b a1",  # a move that ends the game
        "AAB/CCB r b a1",  # panels that are decided early
    ],
)
def test_degenerate_positions(kfn: str, scoring: ks.Scoring, two: Executor) -> None:
    position = ks.Position.from_kfn(kfn)
    for size in (1, 1000):
        found = solve_position(position, scoring, executor=two, job_nodes=size, every_move=True)
        known = ks.solve(position, scoring, every_move=True)
        assert found.margin == known.margin
        assert len(found.moves) == len(known.moves) == len(position.legal_fields)
        assert bool(found.line) == (not position.is_over)


@pytest.fixture(scope="module")
def hard() -> ks.Position:
    """Some 10^5 nodes."""
    return next(positions(30))


def test_two_processes(hard: ks.Position) -> None:
    seen: list[TreeProgress] = []
    with ProcessPoolExecutor(2) as executor:
        found = solve_position(hard, executor=executor, job_nodes=20_000, progress=seen.append)
    assert found.margin == ks.solve(hard).margin
    assert len(seen) > 5
    for before, after in itertools.pairwise(seen):
        assert (before.lower, -before.upper) <= (after.lower, -after.upper)
        assert before.done < after.done
        assert before.nodes <= after.nodes
        assert before.dropped <= after.dropped <= after.done + after.open + 100
    assert seen[-1].lower == seen[-1].upper == found.margin
    assert seen[-1].nodes <= found.nodes


def test_overhead_of_the_tree(hard: ks.Position) -> None:
    """On one worker, a tree of jobs takes hardly more nodes than the search in one piece."""
    with ThreadPoolExecutor(1) as one:
        found = solve_position(hard, executor=one, job_nodes=20_000)
    assert found.nodes < 1.6 * ks.solve(hard).nodes


def test_budgets_leave_true_bounds(hard: ks.Position, two: Executor) -> None:
    margin = ks.solve(hard).margin
    assert margin is not None
    stop = threading.Event()
    stop.set()
    for limits in ({"nodes": 50_000}, {"time": 0.05}, {"stop": stop}):
        found = solve_position(hard, executor=two, job_nodes=5000, **limits)
        assert not found.exact
        assert found.margin is None
        assert found.lower <= margin <= found.upper


def test_few_marbles_on_many_fields(two: Executor) -> None:
    """The effort goes by the marbles there: workers search, instead of a tree of every leaf."""
    start = ks.Position(ks.Layout.rulebook(), marbles=4)
    found = solve_position(start, executor=two, time=60)
    assert (found.margin, found.exact) == (ks.solve(start).margin, True)
    assert found.nodes > 0


def test_time_ends_the_search_before_the_first_job(two: Executor) -> None:
    """Splitting leaves of an empty board until one is small enough takes half a minute."""
    start = ks.Position(ks.Layout.rulebook()).play_all("d6 d3")
    found = solve_position(start, "2", executor=two, job_nodes=1, time=0.5)
    assert found.nodes == 0
    assert found.seconds < 3


def test_stopped_half_way_and_taken_up(tmp_path: Path) -> None:
    """What the journal has is not asked again, though workers have forgotten all.

    Of this position a fifth was searched twice when leaves that had been split were asked about
    anew in one piece.
    """
    hard = next(itertools.islice(positions(30), 1, None))
    journal = tmp_path / "j.jsonl"
    with ThreadPoolExecutor(1) as one:

        def go(forgotten: bool = True, **options: Any) -> ks.Solution:
            if forgotten:
                forget()
            return solve_position(hard, executor=one, job_nodes=10_000, **options)

        whole = go().nodes
        first = go(journal=journal, nodes=whole // 2)
        assert not first.exact
        kept = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
        assert sum(record["nodes"] for record in kept) == first.nodes
        second = go(journal=journal)
        assert second.margin == ks.solve(hard).margin
        assert first.nodes + second.nodes <= 1.1 * whole
        written = journal.read_text()
        third = go(False, journal=journal)
        assert third.margin == second.margin
        assert hard.play_all(third.line).is_over
        assert journal.read_text() == written  # no leaf was asked about: all nodes are the line's
        assert third.nodes < whole // 15


def forget() -> None:
    """Give the jobs of this process a new table, by solving something else."""
    answer(ks.Position(ks.Layout.parse("AAB/CCB")), Terms(ks.Scoring.LEVEL0, 6), 1, 1000)


# What is not believed


@dataclass
class Journal:
    """The journal of a position, and what it holds instead."""

    path: Path
    two: Executor

    def solve(self, position: ks.Position, scoring: int = 0, **options: Any) -> ks.Solution:
        options = {"executor": self.two, "job_nodes": 300, "journal": self.path, **options}
        return solve_position(position, scoring, **options)

    def begin(self, position: ks.Position) -> None:
        """Write the first line alone."""
        self.path.unlink(missing_ok=True)
        self.solve(position, nodes=1)
        self.header, *_ = results_in(self.path)

    def hold(self, **record: Any) -> None:
        """Write a line with the right checksum behind it."""
        usual = {"fields": "", "beta": 0, "nodes": 300, "facts": []}
        self.path.write_text(as_results(self.header, usual | record))


@pytest.fixture
def journal(tmp_path: Path, two: Executor) -> Journal:
    return Journal(tmp_path / "j.jsonl", two)


def test_a_journal_goes_on_unless_it_is_of_others_or_damaged(journal: Journal) -> None:
    """Each line of each of two is whole; `check` tells which of them it belongs to."""
    position, other = itertools.islice(positions(20), 2)
    solved = journal.solve(other)
    lines_of_other = journal.path.read_text().splitlines()
    journal.path.unlink()
    solved = journal.solve(position)
    text = journal.path.read_text()
    lines = text.splitlines()
    assert len(lines) > 3
    with pytest.raises(ks.KulamiError, match="holds results with kfn"):
        journal.solve(position.play(position.legal_fields[0]))
    with pytest.raises(ks.KulamiError, match="holds results with scoring '0', not '1'"):
        journal.solve(position, 1)
    journal.path.write_text(text[:-20])  # the power went
    assert journal.solve(position).margin == solved.margin
    changed = json.dumps({**json.loads(lines[1]), "beta": json.loads(lines[1])["beta"] + 1})
    begin = lines[0].replace(position.kfn(), other.kfn())
    for asked, wrong, said in (
        (position, [lines[0], changed, *lines[2:]], "line 2 is damaged"),
        *(
            (position, [lines[0], line], r"line 2 .*this journal has been changed")
            for line in lines_of_other[1:]
        ),
        (other, [begin, *lines[1:]], r"line 1 .*this journal has been changed"),
    ):
        journal.path.write_text("\n".join(wrong) + "\n")
        with pytest.raises(ks.NotationError, match=said):
            journal.solve(asked)


def test_a_journal_that_says_what_cannot_be_is_not_believed(journal: Journal) -> None:
    """Though every line has its checksum: in form, in bounds that no line of play can keep."""
    position = next(positions(20))
    journal.begin(position)
    forms: tuple[dict[str, Any], ...] = (
        *({"facts": 3}, {"facts": [["", 3, 2]]}, {"facts": [["", -(10**400), 2]]}),
        *({"beta": beta} for beta in (10**9, 10**400, 5000, True)),
        *({"nodes": nodes} for nodes in (10**30, -1)),
    )
    for form in forms:
        journal.hold(**form)
        with pytest.raises(ks.NotationError, match=r"line 2 is (no answer|damaged)"):
            journal.solve(position)
    first, reply = ks.solve(position).line[:2]
    for path, facts in (  # also about positions that come into the tree later
        ("", [["", 5, 9], ["", 2, 4]]),
        (first, [["", 5, 9], ["", 2, 4]]),
        (first, [[reply, 5, 9], [reply, 2, 4]]),
        (next(field for field in position.legal_fields if field != first), [["", 90, 99]]),
    ):
        journal.hold(fields=path, facts=facts)
        with pytest.raises(ks.KulamiError, match="contradicts itself: if there is a journal"):
            journal.solve(position)
    # What no search writes, and no line can be told by: the value is right all the same.
    margin = ks.solve(position).margin
    for beta, nodes in itertools.product((-1024, -600, 0, 600, 1024), (0, 1, 1 << 48)):
        journal.hold(beta=beta, nodes=nodes)
        assert journal.solve(position).margin == margin
    said = 0
    for other in itertools.islice(positions(18), 6):
        journal.begin(other)
        known = ks.solve(other).margin or 0
        for off in (-2, 2):
            journal.hold(facts=[["", known + off, known + off]])
            try:
                journal.solve(other)
            except ks.KulamiError as error:
                said += "it has been changed; delete it" in str(error)
    assert said > 3


# What happens on the way


def test_ctrl_c_leaves_bounds_and_no_job(hard: ks.Position) -> None:
    def interrupt(state: TreeProgress) -> None:
        if state.done >= 5:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(ks.SolveInterrupted) as caught:
            solve_position(hard, executor=executor, job_nodes=5000, progress=interrupt)
        found = caught.value.solution
        margin = ks.solve(hard).margin
        assert margin is not None
        assert found.lower <= margin <= found.upper
        assert not found.exact


class Odd(Executor):
    """Fails at its fifth job; or is slow: Ctrl-C is pressed just before its first answer."""

    def __init__(self, slow: bool) -> None:
        self.slow, self.given = slow, list[Future[Any]]()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append(future)

        def answer_it() -> None:
            found = fn(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGINT)
            future.set_result(found)

        if self.slow:
            future.set_running_or_notify_cancel()
            if len(self.given) == 1:
                threading.Timer(0.2, answer_it).start()
        elif len(self.given) == 5:
            future.set_exception(OSError("the worker is gone"))
        elif len(self.given) < 5:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_loses_no_answer_that_has_come(hard: ks.Position, tmp_path: Path) -> None:
    answer(hard, Terms(ks.Scoring.LEVEL0, hard.plies_left, 16, 1), 0, 100)  # the table is there
    path = tmp_path / "j.jsonl"
    options: dict[str, Any] = {"workers": 1, "job_nodes": 1000, "memory": 16, "journal": path}
    with pytest.raises(ks.SolveInterrupted) as caught:
        solve_position(hard, executor=Odd(slow=True), **options)
    (kept,) = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert kept["nodes"] == caught.value.solution.nodes > 0


def test_failure_of_a_job(hard: ks.Position) -> None:
    executor = Odd(slow=False)
    with pytest.raises(OSError, match="the worker is gone"):
        solve_position(hard, executor=executor, workers=8, job_nodes=5000)
    assert len(executor.given) > 5
    assert all(future.cancelled() for future in executor.given[5:])


def test_needless_jobs() -> None:
    """A job is needless once what it is for has been answered otherwise."""
    start = next(positions(28))
    tree = Tree(start, ks.Scoring.LEVEL0, 2000, lambda: None)
    question = tree.question(tree.root, 1 - tree.root.base)
    jobs = []
    while (job := tree.next_job(question)) is not None:
        jobs.append(job)
    assert len(jobs) > 2
    assert tree.jobs == set(jobs)
    assert not tree.needless([question])
    tree.learn(start, [((), -60, 0)])
    assert set(tree.needless([question])) == set(jobs)
    tree.drop(jobs[0])
    assert tree.jobs == set(jobs[1:])
    with pytest.raises(ks.KulamiError, match="contradicts itself"):
        tree.learn(start, [((), 1, 60)])


def test_table_is_kept_between_jobs() -> None:
    start = next(positions(26))
    for scoring in (ks.Scoring.LEVEL0, ks.Scoring.LEVEL2):
        terms = Terms(scoring, 18)
        first = answer(start, terms, 1, 1 << 30)
        assert first.nodes > 1000
        assert answer(start, terms, 1, 1 << 30) == Answer(first.facts, 1)
        forget()
        assert answer(start, terms, 1, 1 << 30) == first


def test_bad_arguments(two: Executor) -> None:
    start = ks.Position(ks.Layout.parse("AAB/CCB"))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"executor": None}, "executor is None"),
        ({"executor": 3}, "executor is 3"),
        ({"goal": "x"}, "'x' is no goal"),
        ({"job_nodes": 0}, "nodes is 0"),
        ({"workers": 0}, "workers is 0"),
        ({"memory": "lots"}, "'lots' is no memory size"),
        ({"progress": 3}, "progress is 3"),
        ({"stop": 3}, "stop is 3"),
    ]
    for options, error in wrong:
        with pytest.raises(ks.KulamiError, match=error):
            solve_position(start, **{"executor": two, **options})


@pytest.mark.nightly
def test_command_on_a_cluster_whose_workers_die(tmp_path: Path) -> None:
    """Killed half-way and taken up again, with a worker less; the answer is right."""
    position = next(positions(34))
    path = tmp_path / "j.jsonl"
    with cluster_of(tmp_path, 3) as cluster:
        words = ["solve", "--kfn", position.kfn(), "--json", "--results", str(path)]
        words += ["--workers", cluster.address]
        running = process(*words, stdout=subprocess.DEVNULL)
        until(lambda: path.exists() and path.read_bytes().count(b"\n") >= 20, running)
        running.kill()
        running.communicate()
        cluster.kill_worker(0)
        before = path.read_bytes().count(b"\n")
        found = good(*words).answer
        assert found["exact"]
        assert found["margin"] == ks.solve(position).margin
        assert path.read_bytes().count(b"\n") > before


# A file of results, of one position


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command that writes and reads it."""
    monkeypatch.chdir(tmp_path)
    Path("p.kfn").write_text("AAB/CCB r b a1\n")
    return ["solve", "--input", "p.kfn", "--results", "r.jsonl"]


def test_a_crafted_answer_is_not_believed(words: list[str]) -> None:
    """Its checksum is right; its form is none, its margin cannot be, or its line does not fit."""
    good(*words)
    header, found = results_in(Path("r.jsonl"))
    none, false = "line 2 is no answer", "line 2 says of a margin what cannot be: delete that line"
    crafted: list[tuple[dict[str, Any], str]] = [
        ({"lower": None}, none),
        ({"margin": {}}, none),
        ({"margin": 1, "lower": 0, "upper": 0}, none),
        ({"best": float("inf")}, "line 2 is damaged"),
        *(({"margin": n, "lower": n, "upper": n}, false) for n in (999, 2)),
        ({"margin": None, "lower": 1, "upper": 0}, false),
        *(({"line": line}, false) for line in (["a1"], 3)),
    ]
    for changes, said in crafted:
        Path("r.jsonl").write_text(as_results(header, found))
        good(*words)
        Path("r.jsonl").write_text(as_results(header, found | changes))
        ran = kulami(*words)
        assert (ran.code, said in ran.err) == (2, True), changes


@pytest.mark.parametrize("content", ["\0" * (1 << 27), "x" * (1 << 27), "[" * (1 << 26)])
def test_a_large_file_that_is_none_is_refused_at_once(content: str, words: list[str]) -> None:
    Path("r.jsonl").write_text(content)
    tracemalloc.start()
    ran = kulami(*words)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 << 20
    assert ran.code == 2
    assert "is no file of results: name another one" in ran.err
    assert Path("r.jsonl").stat().st_size == len(content)


def test_what_is_no_file_and_a_line_that_has_no_end_are_refused(words: list[str]) -> None:
    good(*words)
    with open("r.jsonl", "a", encoding="ascii") as file:
        file.write('{"a":' * (1 << 20))
    assert "line 3 is damaged" in kulami(*words).err
    os.mkfifo("pipe")
    for name in ("/dev/full", "/dev/null", "pipe"):
        ran = kulami(*words[:-1], name)
        assert (ran.code, "is no file of results: name another one" in ran.err) == (2, True)
