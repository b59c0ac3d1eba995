"""Solved boards of Malawi: values against the reference, databases that survive and are checked."""

from __future__ import annotations

import functools
import itertools
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import crafted
import malawi_reference as reference
import numpy as np
import pytest
from command_line import completed, kulami
from malawi_agreement import mfn
from tiny_malawi_reader import TinyMalawiReader

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.core import retrograde_driver as retrograde
from kulami_solver.core.certificate import first_wrong
from kulami_solver.core.dense import Reached
from kulami_solver.core.retrograde import Layer
from kulami_solver.core.retrograde_driver import Analysis
from kulami_solver.core.tasks import threads_or
from kulami_solver.errors import CapacityError
from kulami_solver.malawi.header import start_of
from kulami_solver.malawi.index import Index
from kulami_solver.malawi.solving import estimate
from kulami_solver.malawi.values import DECIDED, LOSS
from kulami_solver.storage.database import Verified

NIGHTLY = pytest.mark.nightly
SMALL = malawi.Board(2, 5)
KNOWN = [
    ((2, 3, 2), 156, "loss", 4),
    ((2, 4, 2), 1_775, "loss", 11),
    ((2, 5, 2), 6_170, "loss", 10),
    ((2, 6, 2), 17_476, "draw", None),
    ((3, 3, 1), 196_579, "loss", 12),
    ((3, 3, 2), 211_852, "draw", None),
    pytest.param((3, 4, 1), 3_258_728, "draw", None, marks=NIGHTLY),
    pytest.param((3, 4, 2), 5_272_945, "draw", None, marks=NIGHTLY),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the 2x5 board with 2 beads."""
    path = tmp_path_factory.mktemp("malawi") / "small.kdb"
    malawi.build(path, SMALL, threads=1)
    return path


@pytest.mark.parametrize(("board", "reachable", "outcome", "plies"), KNOWN)
def test_known_values(
    board: tuple[int, int, int], reachable: int, outcome: str, plies: int | None
) -> None:
    solved = malawi.solve_board(malawi.Board(*board))
    assert (solved.reachable, solved.outcome, solved.plies) == (reachable, outcome, plies)
    assert solved.wins + solved.draws + solved.losses == reachable


@pytest.mark.parametrize(
    "board",
    [(2, 3, 1), (2, 4, 1), *[(2, rows, 2) for rows in range(3, 6)]]
    + [pytest.param(board, marks=NIGHTLY) for board in ((2, 5, 1), (2, 6, 1), (2, 6, 2))]
    + [pytest.param((3, 3, beads), marks=NIGHTLY) for beads in (1, 2)],
)
def test_every_value_is_the_reference_s(tmp_path: Path, board: tuple[int, int, int]) -> None:
    expected = reference.solve(reference.start(*board))
    built = malawi.build(tmp_path / "a.kdb", malawi.Board(*board))
    assert built.reachable == len(expected.values)
    counts = Counter(outcome for outcome, _ in expected.values.values())
    assert (built.wins, built.draws, built.losses) == (
        counts["win"],
        counts["draw"],
        counts["loss"],
    )
    with malawi.Database(built.path) as database:
        for grid, (outcome, plies) in expected.values.items():
            value = database.get(malawi.Position.from_mfn(mfn(grid, "r")))
            assert value is not None
            assert (value.outcome, value.plies) == (outcome, plies)
    assert malawi.verify(built.path) == Verified(built.reachable, built.bytes, 0, ())


def test_lines_end_as_announced(small: Path) -> None:
    with malawi.Database(small) as database:
        start = malawi.Position.start(database.board)
        solution = database.probe(start, every_move=True)
        assert len(solution.line) == solution.value.plies == 10
        end = start.play_all(solution.line)
        assert end.winner == "black"
        assert solution.best == solution.line[0]
        assert {found.move for found in solution.turns} == set(start.turns)
        over = database.probe(end, every_move=True)
        assert (over.value.plies, over.best, over.line, over.turns) == (0, None, (), ())


def test_what_is_not_in_it(small: Path) -> None:
    with malawi.Database(small) as database:
        for text in ("b2b2/../../.r9/r2. r", "b2b2/../r2r2 r", "b2b2b2/.../r2r2r2 r"):
            position = malawi.Position.from_mfn(text)
            assert database.get(position) is None
            assert position not in database
            with pytest.raises(ks.NotInDatabaseError, match=r"small\.kdb does not hold"):
                database.probe(position)


def test_a_reader_written_from_the_format_s_page(small: Path) -> None:
    reader = TinyMalawiReader(small)
    expected = reference.solve(reference.start(2, 5, 2))
    assert reader.header["positions"] == len(expected.values)
    for grid, (outcome, plies) in itertools.islice(expected.values.items(), 0, None, 7):
        squares = list(enumerate(square for row in grid for square in row))
        own = {number: square - 1 for number, square in squares if square > 0}
        other = {number: -square - 1 for number, square in squares if square < 0}
        first = {"draw": 0, "win": 32768, "loss": 49152}[outcome]
        assert reader.value(own, other) == first + (plies or 0)
    assert reader.value({8: 4, 9: 0}, {0: 2, 1: 2}) is None


def test_a_position_is_looked_up_without_numpy(small: Path) -> None:
    code = f"""
import sys
for name in ("numpy", "psutil"):
    sys.modules[name] = None
from kulami_solver import malawi
with malawi.Database({str(small)!r}) as database:
    print(database.get(malawi.Position.start(malawi.Board(2, 5))))
"""
    assert "outcome='loss', plies=10" in completed([sys.executable, "-c", code], check=True).stdout


def test_same_bytes_by_more_threads(tmp_path: Path) -> None:
    made = set()
    for threads in (1, 3):
        malawi.build(tmp_path / "a.kdb", malawi.Board(3, 3, 1), threads=threads)
        made.add((tmp_path / "a.kdb").read_bytes())
    assert len(made) == 1


class TestDamage:
    @pytest.mark.parametrize(
        ("true", "false"),
        [
            *((0, DECIDED | 5), (0, DECIDED | LOSS | 6), (DECIDED | 3, DECIDED | 5)),
            *((DECIDED | 5, 0), (DECIDED | LOSS | 2, DECIDED | LOSS | 4)),
            *((DECIDED | LOSS | 4, 0), (DECIDED | LOSS, DECIDED)),
        ],
    )
    def test_a_wrong_value_with_right_checksums(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, true: int, false: int
    ) -> None:
        sound = Analysis.solve
        changed: list[int] = []

        def solve(self: Analysis, layer: int) -> Any:
            counts = sound(self, layer)
            begin, end = self.reached.game.bounds[layer : layer + 2]
            directory = self.reached.directory
            values = self.reached.values[directory[begin // 512] : directory[end // 512]]
            if not changed and true in values:
                changed.append(int((values == true).argmax()))
                values[changed[0]] = false
            return counts

        monkeypatch.setattr(Analysis, "solve", solve)
        malawi.build(tmp_path / "a.kdb", malawi.Board(2, 4))
        assert len(changed) == 1
        problems = malawi.verify(tmp_path / "a.kdb").problems
        assert "does not have the value that follows" in problems[0]

    def test_a_missing_position(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        sound = Analysis.expand

        def expand(self: Analysis, layer: int) -> None:
            sound(self, layer)
            if layer == 0:
                word = int(self.reached.bitmap.argmax())
                bits = int(self.reached.bitmap[word])
                self.reached.bitmap[word] = bits & (bits - 1)

        monkeypatch.setattr(Analysis, "expand", expand)
        malawi.build(tmp_path / "a.kdb", malawi.Board(2, 4))
        problems = malawi.verify(tmp_path / "a.kdb").problems
        assert "leads to a position that is missing" in problems[0]


def test_a_slot_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last slot of the first layer stands for no position, and counts as lost."""
    sound = Analysis.mark, Analysis.expand, Analysis.solve

    def mark(self: Analysis, start: int) -> None:
        empty = self.reached.game.bounds[1] - 1
        assert not self.reached.game.weight(empty)
        sound[0](self, start)
        sound[0](self, empty)

    def solve(self: Analysis, layer: int) -> Any:
        if layer:
            return sound[2](self, layer)
        end = self.reached.directory[self.reached.game.bounds[1] // 512]
        self.reached.values[:end] = DECIDED | LOSS
        return sound[2](self, layer) * 0

    monkeypatch.setattr(Analysis, "mark", mark)
    monkeypatch.setattr(Analysis, "expand", lambda self, layer: layer and sound[1](self, layer))
    monkeypatch.setattr(Analysis, "solve", solve)
    malawi.build(tmp_path / "a.kdb", malawi.Board(2, 4))
    assert "stands for no position" in malawi.verify(tmp_path / "a.kdb").problems[0]


def test_the_header_tells_the_game(small: Path, tmp_path: Path, repository: Path) -> None:
    kulami_file = repository / "data" / "3x4-level2.kdb"
    with ks.open_database(small) as one, ks.open_database(kulami_file) as other:
        assert (type(one), type(other)) == (malawi.Database, ks.Database)
    with pytest.raises(ks.DatabaseError, match="a database of Malawi, not of Kulami"):
        ks.Database(small)
    with pytest.raises(ks.DatabaseError, match="of Kulami, not of Malawi: read it wi"):
        malawi.Database(kulami_file)
    changed = crafted.Crafted.of(small.read_bytes())
    changed.header["game"] = "chess"
    crafted.write(tmp_path / "c.kdb", changed.whole())
    with pytest.raises(ks.DatabaseError, match="a database of another game, 'chess'"):
        ks.open_database(tmp_path / "c.kdb")


class TestWidths:
    """Tables that are full, made so by room for less than there is."""

    @pytest.mark.parametrize("bits", [4, 6])
    @pytest.mark.parametrize("board", [(2, 4, 1), (2, 6, 2)])
    def test_plies_that_do_not_fit_beside_a_count_are_looked_up(
        self, monkeypatch: pytest.MonkeyPatch, board: tuple[int, int, int], bits: int
    ) -> None:
        expected = values_of(board)
        monkeypatch.setattr(retrograde, "Layer", functools.partial(Layer, bits=bits))
        assert (values_of(board) == expected).all()

    def test_a_count_has_room(self) -> None:
        with pytest.raises(ValueError, match="3 bits have no room for a count of"):
            Layer(Reached(Index(2, 3, 1)), 0, bits=3)

    def test_an_end_too_far_away(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        longest = malawi.solve_board(malawi.Board(2, 4)).longest
        monkeypatch.setattr(retrograde, "Layer", functools.partial(Layer, most_plies=longest))
        assert malawi.solve_board(malawi.Board(2, 4)).longest == longest
        monkeypatch.setattr(retrograde, "Layer", functools.partial(Layer, most_plies=5))
        ran = kulami("malawi", "build", str(tmp_path / "a.kdb"), "--board", "2x4")
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert "an end is more than 5 plies away" in ran.err

    def test_too_many_to_be_numbered(self) -> None:
        reached = Reached(Index(2, 3, 1))
        reached.bitmap[0] = 0b111
        assert reached.number(most=3) == 3
        with pytest.raises(CapacityError, match="3 slots are reached, and at most 2 can be"):
            reached.number(most=2)


def values_of(board: tuple[int, int, int]) -> Any:
    """The values of all that can be reached, in the order of slots."""
    index = Index(*board)
    with threads_or(None, 1) as pool:
        analysis = Analysis(index, pool, lambda _: None)
        analysis.mark(start_of(malawi.Board(*board), index))
        for layer in reversed(range(analysis.layers)):
            analysis.expand(layer)
        analysis.reached.number()
        for layer in range(analysis.layers):
            analysis.solve(layer)
    return analysis.reached.values


def test_plies_that_no_value_has_are_never_right() -> None:
    """A forged win in 16,383 plies: it agrees with its successor, and the next one would wrap."""
    index = Index(2, 3, 1)
    slots = [slot for slot in range(index.slots) if index.weight(slot)]
    first = next(slot for slot in slots if min(index.successors(slot) or [0]) > slot)
    reached = Reached(index)
    for slot in slots:
        if slot >= first:
            reached.bitmap[slot >> 6] |= 1 << (slot & 63)
    reached.number()
    reached.values[:] = DECIDED | LOSS | 0x3FFE
    reached.values[0] = DECIDED | 0x3FFF
    found = first_wrong(reached, first // 512 * 512, index.slots, np.zeros(1 << 16, np.uint64))
    assert found == (first, "does not have the value that follows from its successors")


class TestBudget:
    def test_what_does_not_fit_can_be_forced(self, tmp_path: Path) -> None:
        assert malawi.build(tmp_path / "a.kdb", malawi.Board(2, 3), memory="1M", force=True)

    def test_the_estimate_is_above_the_truth(self) -> None:
        assert malawi.solve_board(malawi.Board(2, 3, 15)).reachable
        for board, folded in (((3, 3, 1), 98_485), ((3, 3, 2), 106_089), ((2, 6, 2), 8_742)):
            assert estimate(malawi.Board(*board)).reached > folded
