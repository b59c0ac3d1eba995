"""Threads that share what may be shared, and what happens to those that share what may not be.

Everything is held against what one thread finds. The tests run on every Python: with Python's lock
they switch between threads as often as it lets them, without it threads meet in earnest.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.machinery
import itertools
import random
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
from command_line import completed
from random_play import positions

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.adapters.batch import Batch
from kulami_solver.adapters.ugi import Server
from kulami_solver.bots import AlphaBeta, MonteCarlo, Player
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.core.background import Stopped
from kulami_solver.core.table import TranspositionTable
from kulami_solver.game import load_game
from kulami_solver.just4fun.duel import Rules as Just4FunRules
from kulami_solver.just4fun.expectation import Expecter
from kulami_solver.just4fun.search import Search as Just4FunSearch
from kulami_solver.kulami.estimate.learned_tree import LearnedTree
from kulami_solver.kulami.solve import solver as solver_module
from kulami_solver.kulami.solve.best_play import Inquiry
from kulami_solver.kulami.solve.evaluation import viewing
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.solve.table import Oracle
from kulami_solver.kulami.textbook import Textbook
from kulami_solver.malawi.rules import Rules as MalawiRules
from kulami_solver.malawi.search import Search as MalawiSearch

DATA = Path(__file__).resolve().parents[2] / "data"
THREADS = 4
DUEL = "5,9,3/7,6,1/2,8,4 2:b1,3:b1,6:r2,9:r1 r2b3 b r1.3.3,b1.3.3 2.1.1.5.2.2.4.2 -"
CHANCE = "1x3 - r2b1 r r1.1,b3.3 {1.2.3} -"
REFUSED = "another thread is searching with this object"

Found = TypeVar("Found")


@pytest.fixture(autouse=True)
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], Found], threads: int = THREADS) -> list[Found]:
    """What `work` returns in so many threads that begin together; it is told which it is in."""
    barrier = threading.Barrier(threads)

    def begun_together(number: int) -> Found:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begun_together, range(threads)))


# Imports


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its lock"
)
def test_no_module_turns_the_lock_on() -> None:
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    package = Path(ks.__file__).parent
    modules = [
        ".".join(path.relative_to(package.parent).parts).split(".cpython")[0]
        for path in sorted(package.rglob("*"))
        if path.name.endswith(suffixes) and path.with_name("__init__.py").exists()
    ]
    assert len(modules) > 20
    modules += ["kulami_solver.cli", "kulami_solver.bots.match", "kulami_solver.adapters.ugi"]
    imports = "".join(f"import {module}\n" for module in modules)
    program = f"{imports}import sys\nprint(sys._is_gil_enabled())"
    found = completed([sys.executable, "-W", "error", "-c", program])
    assert (found.stdout, found.stderr) == ("False\n", "")


# Values that are shared


@pytest.mark.parametrize("round_", range(5))
def test_a_layout_and_a_position_of_all_threads(round_: int) -> None:
    text = str(ks.Layout.random(round_, irregular=True))

    def ask(position: ks.Position) -> list[object]:
        layout = position.layout
        found: list[object] = [position.kfn(), hash(position), layout.panels, layout.warnings]
        found += [str(position.canonical()), str(layout.canonical()), position.perft(2)]
        for field in position.legal_fields:
            child = position.play(field)
            found += [child.legal_fields, child.score(ks.Scoring.LEVEL2), child.rotated().kfn()]
        return found

    expected = ask(ks.Position(ks.Layout.parse(text)))
    shared = ks.Position(ks.Layout.parse(text))
    assert at_once(lambda _: ask(shared)) == [expected] * THREADS


def test_positions_of_the_sibling_games() -> None:
    def ask_malawi(position: malawi.Position) -> list[object]:
        turns = position.legal_turns
        return [turns, [position.play(turn).mfn() for turn in turns], position.mfn()]

    def ask_just4fun(position: just4fun.Position) -> list[object]:
        found = [position.legal_moves, position.majorities, position.scores, hash(position)]
        return [*found, [position.play(move).jfn() for move in position.legal_moves]]

    board = malawi.Board(3, 4)
    for _ in range(5):
        expected = ask_malawi(malawi.Position.start(board))
        start = malawi.Position.start(board)
        assert at_once(lambda _: ask_malawi(start)) == [expected] * THREADS  # noqa: B023
        shared = just4fun.Position.from_jfn(DUEL, line=3, hand=3)
        asked = ask_just4fun(just4fun.Position.from_jfn(DUEL, line=3, hand=3))
        assert at_once(lambda _: ask_just4fun(shared)) == [asked] * THREADS  # noqa: B023


# Searches


@pytest.mark.parametrize("scoring", list(ks.Scoring))
def test_searches_side_by_side(scoring: ks.Scoring) -> None:
    """Each thread solves all positions, in another order; what they are done with goes round."""
    places = list(itertools.islice(positions(13), 6))
    alone = [ks.solve(place, scoring, every_move=True) for place in places]

    def solve(number: int) -> None:
        for step in range(len(places)):
            at = (step * (number + 1) + number) % len(places)
            found = ks.solve(places[at], scoring, every_move=True, memory="64K")
            assert found.margin == alone[at].margin
            assert {(m.field, m.margin) for m in found.moves} == {
                (m.field, m.margin) for m in alone[at].moves
            }

    at_once(solve)


def _batches(number: int) -> object:
    places = itertools.islice(positions(12), 20)
    return [found.margin for found in ks.solve_many(places, workers=1 + number % 2)]


def _siblings(number: int) -> object:
    duel = just4fun.Position.from_jfn(DUEL, line=3, hand=3)
    return (
        malawi.search(malawi.Position.start(malawi.Board(2, 4)), memory="64K").value,
        malawi.solve_board(malawi.Board(2, 3), threads=1 + number % 2).outcome,
        just4fun.solve(duel, every_move=True, memory="64K").outcome,
        just4fun.expect(just4fun.Position.from_jfn(CHANCE, hand=2)).expected,
    )


def _bots(_: int) -> object:
    players = Player(MonteCarlo(60, seed=1)), Player(AlphaBeta(2))
    start = load_game("kulami", layout="ABBCD/ABBCD/ABBEE/FFFEE").start()
    return [play_game(players, Opening(start), seed=seed).moves for seed in range(2)]


def _engines(_: int) -> object:
    said: list[str] = []
    lines = ["ugi", "isready", "position startpos moves a1", "go nodes 200"]
    Server("mcts:200", said.append, seed=3).serve(lines)
    assert any(line.startswith("bestmove") for line in said)
    return [line for line in said if not line.startswith("info")]


@pytest.mark.parametrize("work", [_batches, _siblings, _bots, _engines])
def test_side_by_side(work: Callable[[int], object]) -> None:
    alone = work(0)
    assert at_once(work) == [alone] * THREADS


def test_threads_that_share_a_solver() -> None:
    """An answer is right or refused; what is asked again until it is answered, is answered."""
    start = next(positions(24))
    places = [start, *(start.play(field) for field in start.legal_fields[:4])]
    alone = [ks.solve(place).margin for place in places]
    solver = Solver(start, ks.Scoring.LEVEL0, 1 << 20)

    def margin_of(place: ks.Position, alone: bool) -> int:
        while True:
            try:
                if alone:
                    found = Inquiry(solver.search, (*place.view, place.supply))
                    found.find()
                else:
                    found = solver.inquire(place)
            except RuntimeError as refusal:
                if not str(refusal).startswith(REFUSED):
                    raise
                continue
            assert found.reached
            return found.lower

    def settle(number: int) -> None:
        for place, expected in list(zip(places, alone, strict=True))[:: 1 if number % 2 else -1]:
            assert margin_of(place, number == 3) == expected

    at_once(settle)


class _Asked(NamedTuple):
    """A search that takes long: a question, one that would be answered at once, what ends it."""

    question: Callable[[], object]
    short: Callable[[], object]
    end: Callable[[], object]


def _kulami() -> _Asked:
    start = ks.Position(ks.Layout.square())
    solver = Solver(start, ks.Scoring.LEVEL0, 1 << 16)
    solver.bounds(start)
    search = solver.search
    return _Asked(lambda: search.null_window(1), lambda: solver.bounds(start), solver.stop)


def _malawi() -> _Asked:
    start = malawi.Position.start(malawi.Board(6, 6))
    search = MalawiSearch(MalawiRules(6, 6), TranspositionTable(1 << 16))
    return _Asked(
        lambda: search.wins_within(*start.view, 60),
        lambda: search.wins_within(*start.view, 0),
        search.stop,
    )


def _view(
    stones: int,
) -> tuple[tuple[int, int], tuple[int, int], tuple[bytes, bytes], tuple[int, int], int]:
    return (0, 0), (0, 0), (bytes([1, 2, 3, 5]), bytes([1, 2, 4, 6])), (stones, stones), 0


def _just4fun() -> _Asked:
    search = Just4FunSearch(
        Just4FunRules(36, []), TranspositionTable(1 << 16), bytes(range(1, 13)) * 4, 4
    )
    return _Asked(
        lambda: search.reaches(_view(20), 0, 1), lambda: search.reaches(_view(0), 0, 1), search.stop
    )


def _expectation() -> _Asked:
    expecter = Expecter(Just4FunRules(36, []), 4)
    deck = bytes(range(1, 13)) * 4

    def question() -> None:
        with pytest.raises(Stopped):
            expecter.value(_view(20), deck, b"", False)

    return _Asked(question, lambda: expecter.value(_view(0), deck, b"", False), expecter.stop)


def _textbook() -> _Asked:
    """Nothing ends it from outside: short searches until then."""
    book, over = Textbook(ks.Layout.square().geometry, 1 << 16, False, False), threading.Event()

    def question() -> None:
        while not over.is_set():
            book.margin(0, 0, -1, -1, 56, None, 0.02)

    return _Asked(question, lambda: book.margin(0, 0, -1, -1, 0), over.set)


def _look(kind: str) -> _Asked:
    start, over = ks.Position(ks.Layout.square()), threading.Event()
    solver = Solver(start, ks.Scoring.LEVEL0, 1 << 16)
    solver.bounds(start)
    tree = LearnedTree(viewing(start.layout.geometry, ks.Scoring.LEVEL0))
    grown = functools.partial(tree.look, *start.view, start.supply)
    look = grown if kind == "tree" else solver.look_ahead(1 << 20).look
    question = functools.partial(look, seconds=60, stopped=over.is_set)
    return _Asked(question, lambda: look(seconds=0.001), over.set)


MADE = [_kulami, _malawi, _just4fun, _expectation, _textbook]


@pytest.mark.parametrize(
    "make", [*MADE, functools.partial(_look, "tree"), functools.partial(_look, "look")]
)
def test_a_search_refuses_a_second_thread(make: Callable[[], _Asked]) -> None:
    asked = make()

    def ask() -> None:
        asking = True
        while asking:
            with contextlib.suppress(RuntimeError):  # the short question was there first
                asked.question()
                asking = False

    thread = threading.Thread(target=ask)
    thread.start()
    refusal = ""
    deadline = time.monotonic() + 20
    while not refusal and thread.is_alive() and time.monotonic() < deadline:
        try:
            asked.short()
            time.sleep(0.001)
        except RuntimeError as error:
            refusal = str(error)
    asked.end()
    thread.join()
    assert refusal.startswith(REFUSED)
    asked.short()  # nobody is at work any more


def test_a_solver_answers_again_wherever_it_was_interrupted() -> None:
    place = next(positions(9))
    solver = Solver(place, ks.Scoring.LEVEL0, 1 << 16)
    expected = ks.solve(place).margin
    for steps in itertools.count():
        left = steps

        def interrupt(frame: FrameType, event: str, _: object) -> Any:
            """Be Ctrl-C after so many steps of Python's in the module of solvers."""
            nonlocal left
            if frame.f_code.co_filename != solver_module.__file__:
                return None
            frame.f_trace_opcodes = True
            left -= event == "opcode"
            if left < 0:
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        try:
            sys.settrace(interrupt)
            found = solver.inquire(place, line=True)
        except KeyboardInterrupt:
            continue
        finally:
            sys.settrace(before)
        break
    assert steps > 50
    assert found.lower == found.upper == expected
    assert place.layout.fields[found.line[0]] in place.legal_fields


def test_what_an_oracle_failed_with_is_replaced_by_all_threads() -> None:
    oracle = Oracle()

    def fail(number: int) -> None:
        for turn in range(2000):
            oracle.failure = ValueError(f"{number} {turn}") if turn % 3 else None
            found = oracle.failure
            assert found is None or isinstance(found, ValueError)

    at_once(fail)


# Bots


def test_actions_that_change_while_they_are_played() -> None:
    """What is not legal any more is not played."""
    batch = Batch(3000, ks.Layout.square(), seed=1)
    actions = batch.random_actions()
    good = actions.copy()
    over = threading.Event()

    def scribble() -> None:
        while not over.is_set():
            actions[:] = 0
            actions[:] = good

    thread = threading.Thread(target=scribble)
    thread.start()
    for _ in range(60):
        good[:] = batch.random_actions()
        with contextlib.suppress(ks.IllegalMoveError):
            batch.step(actions)
    over.set()
    thread.join()
    shown = batch.arrays()
    for red, black, supply in zip(shown["red"], shown["black"], shown["supply"], strict=True):
        assert int(red).bit_count() + int(black).bit_count() == 56 - supply


# Databases


def _places() -> list[ks.Position]:
    with ks.open_database(DATA / "4x4-level0.kdb") as database:
        places = [database.root]
    draw = random.Random(1)
    for _ in range(60):
        place = places[0]
        while not place.is_over and draw.random() < 0.9:
            place = place.play(draw.choice(place.legal_fields))
            places.append(place)
    return places


def test_probes_of_one_database() -> None:
    """The threads meet where its parts are opened."""
    places = _places()
    arrays = [np.array([place.view[i] for place in places]) for i in range(4)]
    with ks.open_database(DATA / "4x4-level0.kdb") as database:
        alone = [database.get(place) for place in places]
        lines = [database.probe(place).line for place in places[:10]]
        many = database.probe_many(*arrays).tolist()
    hits = [ks.solve(place).margin for place in places[:6]]

    def probe(number: int) -> None:
        order = random.Random(number).sample(range(len(places)), len(places))
        assert [database.get(places[i]) for i in order] == [alone[i] for i in order]
        assert database.probe_many(*arrays).tolist() == many
        assert [database.probe(place).line for place in places[:10]] == lines
        assert [ks.solve(p, database=database).margin for p in places[:6]] == hits

    for _ in range(3):
        with ks.open_database(DATA / "4x4-level0.kdb") as database:
            at_once(probe)


@pytest.mark.parametrize("rounds", [8, pytest.param(500, marks=pytest.mark.nightly)])
def test_a_database_is_closed_while_it_is_probed(rounds: int) -> None:
    places = _places()
    with ks.open_database(DATA / "4x4-level0.kdb") as database:
        alone = [database.get(place) for place in places]

    def probe_for_ever() -> None:
        for at in itertools.cycle(range(len(places))):
            assert database.get(places[at]) == alone[at]
            ks.solve(places[at], database=database)

    def probe_or_close(number: int) -> None:
        if number:
            with pytest.raises(ks.DatabaseError, match="the file is closed"):
                probe_for_ever()
        else:
            time.sleep(delay)
            database.close()

    for round_ in range(rounds):
        delay = 0.0005 * (round_ % 25)
        database = ks.open_database(DATA / "4x4-level0.kdb")
        at_once(probe_or_close)


def test_a_database_of_which_the_memory_is_gone() -> None:
    """What a thread finds that asks while another one is about to close it."""
    database = ks.open_database(DATA / "3x4-level2.kdb")
    database._file._mapped.close()
    for ask in (
        database.check_open,
        lambda: database.get(database.root),
        database._file.identity,
        database.check_sections,
    ):
        with pytest.raises(ks.DatabaseError, match="the file is closed; open it again"):
            ask()


def test_builds_side_by_side(tmp_path: Path) -> None:
    roots = [ks.Position(ks.Layout.parse(text)) for text in ("AAB/CCB", "ABBC/ABBC")]
    for place, root in enumerate(roots):
        ks.build(tmp_path / f"alone{place}.kdb", root, shard=500)

    def build(number: int) -> None:
        for place, root in enumerate(roots):
            path = tmp_path / f"{number}-{place}.kdb"
            ks.build(path, root, threads=1 + number % 2, shard=500)
            assert path.read_bytes() == (tmp_path / f"alone{place}.kdb").read_bytes()

    at_once(build)


def test_a_malawi_database_of_all_threads(tmp_path: Path) -> None:
    built = malawi.build(tmp_path / "malawi.kdb", malawi.Board(2, 4), threads=2)
    start = malawi.Position.start(malawi.Board(2, 4))
    places = [start, *(start.play(turn) for turn in start.legal_turns)]
    with malawi.Database(built.path) as database:
        alone = [database.get(place) for place in places]
    with malawi.Database(built.path) as database:
        found = at_once(lambda _: [database.get(place) for place in places])
    assert found == [alone] * THREADS


@pytest.mark.nightly
def test_all_of_it_many_times(tmp_path: Path) -> None:
    for round_ in range(20):
        test_probes_of_one_database()
        for work in (_bots, _siblings):
            test_side_by_side(work)
        test_threads_that_share_a_solver()
        (tmp_path / str(round_)).mkdir()
        test_builds_side_by_side(tmp_path / str(round_))
        for scoring in ks.Scoring:
            test_searches_side_by_side(scoring)
