"""A search looks at its budgets and at Ctrl-C itself: no other thread has to run for it to end."""

from __future__ import annotations

import functools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
from command_line import completed
from random_just4fun import with_stock
from random_play import positions

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.core.background import run_watched
from kulami_solver.core.watch import Limited
from kulami_solver.kulami.estimate.learned_tree import LearnedTree
from kulami_solver.kulami.position.scoring import Scoring
from kulami_solver.kulami.solve.evaluation import viewing
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.textbook import Textbook

SQUARE = ks.Position(ks.Layout.square())


DEALT = just4fun.deal(just4fun.Board.parse("2006"), 1)


SEARCHES: dict[str, Callable[..., Any]] = {
    **{f"solve, {one}": lambda one=one, **o: ks.solve(SQUARE, one, **o) for one in Scoring},
    "solve, every move": lambda **o: ks.solve(SQUARE, every_move=True, **o),
    "solve, outcome": lambda **o: ks.solve(SQUARE, goal="outcome", **o),
    "malawi": lambda **o: malawi.search(malawi.Position.start(malawi.Board(6, 6)), **o),
    "just4fun": lambda **o: just4fun.solve(with_stock(DEALT, ordered=True, seed=1), **o),
    "expect": lambda **o: just4fun.expect(with_stock(DEALT, ordered=False, seed=1), **o),
}
each_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.fixture
def _pressed_soon() -> Iterator[None]:
    """Ctrl-C in a third of a second, without a thread."""
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@each_search
@pytest.mark.usefixtures("_alone")
def test_its_time_ends_it(search: Callable[..., Any]) -> None:
    begun = time.monotonic()
    search(time=0.1)
    assert time.monotonic() - begun < 20


@each_search
@pytest.mark.usefixtures("_alone", "_pressed_soon")
def test_ctrl_c_ends_it_with_what_is_known(search: Callable[..., Any]) -> None:
    with pytest.raises(ks.SolveInterrupted) as caught:
        search()
    assert caught.value.solution.seconds > 0


@each_search
def test_it_can_be_watched_and_stopped(search: Callable[..., Any]) -> None:
    """What is told on the way is closer and closer; an event that is set at first ends it then."""
    seen: list[Any] = []
    event = threading.Event()

    def watch(state: Any) -> None:
        seen.append(state)
        if len(seen) == 2:
            event.set()

    found = search(progress=watch, stop=event)
    assert 2 <= len(seen) < 10
    nodes = [state.nodes for state in (*seen, found)]
    assert nodes == sorted(nodes)
    within = [getattr(state, "within", None) or 0 for state in seen]
    assert within == sorted(within)
    assert search(stop=event).nodes <= 1


@pytest.mark.parametrize("nodes", [1, 1000])
@pytest.mark.parametrize("name", SEARCHES)
def test_its_nodes_end_it(name: str, nodes: int) -> None:
    """A search of Kulami does the last plies, when it has come to them, to their end."""
    spent = SEARCHES[name](nodes=nodes).nodes
    assert spent <= nodes or (name.startswith("solve") and spent < nodes + 1000)


def _look() -> Callable[..., object]:
    solver = Solver(SQUARE, Scoring.LEVEL0, 1 << 16)
    solver.bounds(SQUARE)
    return solver.look_ahead(1 << 20).look


def _tree() -> Callable[..., object]:
    tree = LearnedTree(viewing(SQUARE.layout.geometry, Scoring.LEVEL0))
    return functools.partial(tree.look, *SQUARE.view, SQUARE.supply)


def _textbook() -> Callable[..., object]:
    book = Textbook(SQUARE.layout.geometry, 1 << 16, False, False)
    return lambda seconds: book.margin(*SQUARE.view, SQUARE.supply, None, seconds)


def _late() -> Callable[..., object]:
    """Positions that are solved in the thread that asks, one after the other."""
    position = next(positions(24))

    def search(seconds: float) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            ks.solve(position)

    return search


@pytest.mark.usefixtures("_alone", "_pressed_soon")
@pytest.mark.parametrize("make", [_look, _tree, _textbook, _late])
def test_what_ends_a_look_is_passed_on_and_it_looks_again(make: Callable[[], Any]) -> None:
    """Ctrl-C, and a question whether to stop that fails."""
    look, begun = make(), time.process_time()
    with pytest.raises(KeyboardInterrupt):
        look(seconds=60)
    assert time.process_time() - begun < 2
    if make in (_look, _tree):
        with pytest.raises(BrokenError):
            look(seconds=60, stopped=mock.Mock(side_effect=BrokenError))
        assert look(seconds=0.05)
    assert time.process_time() - begun < 4
    look(seconds=0.05)


@pytest.mark.usefixtures("_pressed_soon")
def test_ctrl_c_ends_a_search_by_several_threads() -> None:
    with pytest.raises(ks.SolveInterrupted) as caught:
        ks.solve(SQUARE, threads=3)
    assert caught.value.solution.nodes > 0


class BrokenError(Exception):
    """Something that goes wrong while a search is watched."""


@pytest.mark.usefixtures("_alone")
def test_a_report_that_fails_stops_the_work_first() -> None:
    solver = Solver(SQUARE, Scoring.LEVEL0, 1 << 20)
    ended = []

    def work() -> None:
        ended.append(solver.inquire(SQUARE).reached)

    def report(_seconds: float) -> None:
        raise BrokenError

    with pytest.raises(BrokenError):
        run_watched(work, solver, report=report)
    assert ended == [False]


def test_ctrl_c_that_is_deferred_waits_for_the_end_of_the_work() -> None:
    """Work that is told to stop may still have something to write down."""
    ended = []

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        run_watched(work, Limited(), deferred=True)
    assert ended == [True]


def test_what_watches_a_search_may_search() -> None:
    found: list[ks.Solution] = []

    def progress(_: object) -> None:
        found.append(ks.solve(ks.Position(ks.Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))))

    ks.solve(SQUARE, time=0.2, progress=progress)
    assert {one.margin for one in found} == {2}


def test_threads_that_run_only_when_this_one_waits() -> None:
    """As gevent makes of all threads."""
    program = (
        "from gevent import monkey; monkey.patch_all(); import kulami_solver as ks; "
        "start = ks.Position(ks.Layout.square()); "
        "print(ks.solve(start, time=0.2).exact, ks.solve(start, time=0.2, threads=2).exact)"
    )
    pytest.importorskip("gevent")
    done = completed([sys.executable, "-c", program])
    assert (done.stdout, done.stderr) == ("False False\n", "")
