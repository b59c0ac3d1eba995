"""`solve_many`: the same solutions as `solve`, in order, from threads and processes."""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import kulami_solver as ks

SMALL = ks.Position(ks.Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
CHILDREN = [SMALL.play(field) for field in SMALL.legal_fields]
ENDLESS = ks.Position(ks.Layout.square())
MEMORY = "1M"

# A fraction of a second, and what a busy machine may add to it.
SOON = 2.0


def known(solution: ks.Solution) -> tuple[object, ...]:
    """All that does not depend on the clock."""
    answer = solution.to_json()
    del answer["seconds"]
    return (solution.position, *map(str, answer.values()))


def expected(**options: Any) -> list[tuple[object, ...]]:
    return [known(ks.solve(position, **options)) for position in CHILDREN]


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_solutions_are_those_of_solve_in_order(workers: int | None) -> None:
    solutions = list(ks.solve_many(CHILDREN, workers=workers, memory=MEMORY))
    assert [known(solution) for solution in solutions] == expected(memory=MEMORY)


def test_options_are_passed_on() -> None:
    options: dict[str, Any] = {"scoring": ks.Scoring.LEVEL2, "goal": "outcome", "memory": MEMORY}
    options |= {"nodes": 20, "every_move": True}
    solutions = list(ks.solve_many(CHILDREN, workers=2, threads=1, **options))
    assert [known(solution) for solution in solutions] == expected(**options)
    assert not all(solution.exact for solution in solutions)
    assert all(solution.moves for solution in solutions)


class Immediate(Executor):
    """An executor that says nothing of itself and does each job when it is given."""

    def __init__(self) -> None:
        self.begun = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        # What is sent and what comes back must survive the way to another machine.
        work = pickle.loads(pickle.dumps((fn, args, kwargs)))
        self.begun += 1
        done: Future[Any] = Future()
        done.set_result(pickle.loads(pickle.dumps(work[0](*work[1], **work[2]))))
        return done


def test_any_executor() -> None:
    executor = Immediate()
    solutions = list(ks.solve_many(CHILDREN, executor=executor, memory=MEMORY))
    assert [known(solution) for solution in solutions] == expected(memory=MEMORY)
    assert executor.begun == len(CHILDREN)


def test_no_positions() -> None:
    assert list(ks.solve_many([])) == []
    assert list(ks.solve_many(iter([None, None]))) == []


def test_an_endless_iterable_is_not_swallowed() -> None:
    taken = 0

    def endless() -> Iterator[ks.Position]:
        nonlocal taken
        while True:
            taken += 1
            yield CHILDREN[taken % len(CHILDREN)]

    solutions = ks.solve_many(endless(), workers=2, memory=MEMORY)
    assert taken == 0
    assert len(list(itertools.islice(solutions, 50))) == 50
    solutions.close()
    assert 50 <= taken <= 50 + 2 * 16


def test_a_solution_does_not_wait_for_the_next_position() -> None:
    answered: list[ks.Solution] = []

    def one_at_a_time() -> Iterator[ks.Position | None]:
        for number, position in enumerate(CHILDREN[:5]):
            deadline = time.monotonic() + 60
            while len(answered) < number:
                assert time.monotonic() < deadline, "the solution is held back"
                time.sleep(0.001)
                yield None
            yield position

    for solution in ks.solve_many(one_at_a_time(), workers=3, memory=MEMORY):
        answered.append(solution)
    assert [solution.position for solution in answered] == CHILDREN[:5]


def test_a_slow_position_does_not_keep_the_others_from_being_solved() -> None:
    with ThreadPoolExecutor(2) as pool:
        solutions = ks.solve_many(
            [ENDLESS, *CHILDREN, *CHILDREN], executor=pool, memory=MEMORY, time=0.3
        )
        assert not next(solutions).exact
        begun = time.monotonic()
        assert all(solution.exact for solution in solutions)
        assert time.monotonic() - begun < SOON


def test_what_the_iterable_raises_comes_after_the_solutions() -> None:
    def failing() -> Iterator[ks.Position]:
        yield from CHILDREN[:3]
        raise OSError("the disk is gone")

    solutions = ks.solve_many(failing(), workers=2, memory=MEMORY)
    assert [solution.position for solution in itertools.islice(solutions, 3)] == CHILDREN[:3]
    with pytest.raises(OSError, match="the disk is gone"):
        next(solutions)


def test_the_tables_of_all_workers_have_to_fit() -> None:
    from kulami_solver.core.memory import available_memory

    each = f"{available_memory() // 3 >> 20}M"
    assert list(ks.solve_many([], workers=2, memory=each)) == []
    with pytest.raises(ks.BudgetError, match="4 tables of"):
        ks.solve_many([], workers=4, memory=each)


def test_closing_ends_the_searches() -> None:
    with ThreadPoolExecutor(2) as pool:
        solutions = ks.solve_many(
            [CHILDREN[0], ENDLESS, ENDLESS, ENDLESS], executor=pool, memory=MEMORY
        )
        assert next(solutions).exact
        solutions.close()
        begun = time.monotonic()
    assert time.monotonic() - begun < SOON


def press_ctrl_c(after: float) -> None:
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(after, signal.pthread_kill, (main, signal.SIGINT)).start()


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals go to the main one"
)
def test_ctrl_c_loses_nothing() -> None:
    """The third position is done while the second is searched; a fourth has been begun."""
    solutions = ks.solve_many(
        [CHILDREN[0], ENDLESS, CHILDREN[1], ENDLESS, ENDLESS, CHILDREN[2]], workers=2, memory=MEMORY
    )
    assert known(next(solutions)) == expected(memory=MEMORY)[0]
    press_ctrl_c(0.3)
    begun = time.monotonic()
    with pytest.raises(ks.SolveInterrupted) as caught:
        next(solutions)
    assert time.monotonic() - begun < 0.3 + SOON
    first, (second, third) = caught.value.solution, caught.value.later
    assert first.position == third.position == ENDLESS
    assert first.nodes > 0
    assert not first.exact
    assert not third.exact
    assert known(second) == expected(memory=MEMORY)[1]
    assert list(solutions) == []


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals go to the main one"
)
def test_ctrl_c_while_another_process_searches_on() -> None:
    """A search out of reach ends by its budget; until then its position has its first bounds."""
    with ProcessPoolExecutor(1) as pool:
        assert next(ks.solve_many(CHILDREN, executor=pool, memory=MEMORY)).exact
        press_ctrl_c(0.2)
        with pytest.raises(ks.SolveInterrupted) as caught:
            next(ks.solve_many([ENDLESS, CHILDREN[0]], executor=pool, memory=MEMORY, time=1))
    assert not caught.value.solution.exact
    assert caught.value.solution.lower < caught.value.solution.upper
    assert caught.value.later == ()


def test_an_interruption_can_be_sent_between_processes() -> None:
    solution = ks.solve(CHILDREN[0], memory=MEMORY)
    sent = pickle.loads(pickle.dumps(ks.SolveInterrupted(solution, (solution,))))
    assert isinstance(sent, ks.SolveInterrupted)
    assert sent.solution == solution
    assert sent.later == (solution,)


FOUR_ON_TWO = """
import signal, sys, time
from concurrent.futures import ProcessPoolExecutor
import kulami_solver as ks
from kulami_solver.errors import PositionError

signal.signal(signal.SIGINT, signal.default_int_handler)
if __name__ == "__main__":
    position = ks.Position(ks.Layout.square())
    try:
        with ProcessPoolExecutor(2) as pool:
            solutions = ks.solve_many([position] * 4, executor=pool, memory="1M", time=30)
            pool.submit(time.sleep, 0).result()
            print("begun", flush=True)
            next(solutions)
    except ks.SolveInterrupted as stopped:
        found = [stopped.solution, *stopped.later]
        print(sum(solution.nodes > 0 for solution in found), "of", len(found))
"""


@pytest.mark.parametrize("everyone", [True, False], ids=["all processes", "this one alone"])
def test_ctrl_c_with_more_positions_than_processes(everyone: bool) -> None:
    """The pool can be left at once, and what its processes have found out is there."""
    running = subprocess.Popen(
        [sys.executable, "-c", FOUR_ON_TWO],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    time.sleep(0.5)
    begun = time.monotonic()
    if everyone:
        os.killpg(running.pid, signal.SIGINT)
    else:
        running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert time.monotonic() - begun < 10, err
    assert running.returncode == 0, err
    # A process may have begun the next one before it was told.
    assert out in ("2 of 2\n", "3 of 3\n", "4 of 4\n")
    assert not list(Path(tempfile.gettempdir()).glob("kulami-stop-*"))


def test_short_positions_go_several_at_once() -> None:
    """In far fewer tasks than there are of them, in order, and never more ahead than otherwise."""
    short = [child.play_all(ks.solve(child).line[:4]) for child in CHILDREN]
    executor = Immediate()
    taken = 0

    def many() -> Iterator[ks.Position]:
        nonlocal taken
        for taken in range(1, 401):
            yield short[taken % len(short)] if taken != 50 else CHILDREN[0]

    solutions = ks.solve_many(many(), executor=executor, workers=2, memory=MEMORY)
    for number, solution in enumerate(solutions, 1):
        assert solution.position == (short[number % len(short)] if number != 50 else CHILDREN[0])
        assert taken - number <= 2 * 16
    assert number == 400
    assert 400 / 16 < executor.begun <= 400 / 8  # that one goes alone


def test_short_positions_that_come_slowly_go_one_by_one() -> None:
    """No solution waits for others to come that would share its way."""
    quick = 70  # go several at once
    position = CHILDREN[0].play_all(ks.solve(CHILDREN[0]).line[:6])
    executor = Immediate()
    taken = 0

    def at_last_slowly() -> Iterator[ks.Position]:
        nonlocal taken
        for taken in range(1, quick + 41):
            if taken > quick:
                time.sleep(0.02)
            yield position

    solutions = ks.solve_many(at_last_slowly(), executor=executor, workers=1, memory=MEMORY)
    ahead = [taken - number for number, _ in enumerate(solutions, 1)]
    assert len(ahead) == quick + 40
    assert max(ahead[quick:]) <= 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_searches_are_not_taken_into_a_fork() -> None:
    """It would wait for threads that it does not have."""
    begun, fresh = ks.solve_many(CHILDREN * 9), ks.solve_many(CHILDREN[:2])
    next(begun)
    child = os.fork()
    if not child:
        signal.alarm(30)
        done = len(list(fresh))
        try:
            list(begun)
        except ks.KulamiError as error:
            os._exit(0 if done == 2 and "begin another here" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert len(list(begun)) == 9 * len(CHILDREN) - 1
