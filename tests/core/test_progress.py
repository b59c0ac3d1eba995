"""The one progress line: what it draws, when, and what is left of it; and work that is watched."""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.core import progress
from kulami_solver.core.progress import ProgressLine
from kulami_solver.kulami.solve.solver import Search
from kulami_solver.malawi import searching


class Screen(io.StringIO):
    """A stderr that notes what is drawn, a terminal unless told otherwise."""

    def __init__(self, terminal: bool = True) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    @property
    def drawn(self) -> list[str]:
        """What has stood on the line, one after the other."""
        return [shown.strip() for shown in self.getvalue().split("\r") if shown.strip()]

    @property
    def left(self) -> str:
        """What stands on the line now."""
        line = ""
        for shown in self.getvalue().split("\r"):
            line = shown + line[len(shown) :]
        return line.strip()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal on which lines are drawn at once."""
    found = Screen()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=found))
    monkeypatch.setattr(progress, "DRAWN_AFTER", 0.0)
    return found


def test_words_count_total_and_rate_are_drawn(screen: Screen) -> None:
    with ProgressLine(" moves") as line:
        line.show(10, 40, "solving")
        time.sleep(0.15)
        line.show(20, 40)
        assert re.fullmatch(
            r"solving: +50%\|.*\| 20/40 \[00:00<00:00, +[\d.]+ moves/s\]", screen.left
        )
        rate = float(re.findall(r"([\d.]+) moves/s", screen.left)[0])
        assert 10 < rate < 70  # of the ten since the first call, not of all twenty
        time.sleep(0.15)
        line.show(30, None)
        assert re.match(r"solving: 30 moves \[", screen.left)
    assert screen.left == ""
    line.show(40, 40)
    assert screen.left == ""


@pytest.mark.parametrize(
    ("shown", "stands"),
    [
        ([(0, 2_500_000), (1_250_000, 2_500_000)], r"1\.25M/2\.50M"),
        ([(0, 500, "layer 1"), (500, 500), (3, 900, "layer 2")], "^layer 2.*3/900"),
        ([(7, 9, "reading"), (7, 9, "reading"), (7, 9, "writing")], "^writing"),
    ],
    ids=["large", "another step", "new words"],
)
def test_what_is_drawn(screen: Screen, shown: list[Any], stands: str) -> None:
    with ProgressLine(" positions") as line:
        for one in shown:
            time.sleep(0.15)
            line.show(*one)
        assert re.search(stands, screen.left)


@pytest.mark.parametrize(
    "setting", [("MININTERVAL", "abc"), ("NCOLS", "abc"), ("BAR_FORMAT", "{l_bar}{x}")]
)
def test_settings_for_other_programs_are_left_aside(
    setting: tuple[str, str], screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "tqdm"]:
        monkeypatch.delitem(sys.modules, module)  # it reads them when it is imported
    monkeypatch.setenv(f"TQDM_{setting[0]}", setting[1])
    with ProgressLine(" moves") as line:
        line.show(10, 40, "solving")
        time.sleep(0.15)
        line.show(20, 40)
    assert "20/40" in screen.drawn[-1]
    assert os.environ[f"TQDM_{setting[0]}"] == setting[1]


def test_it_makes_room_and_comes_back(screen: Screen) -> None:
    with ProgressLine(" positions") as line:
        line.hide()
        line.show(0, 9)
        time.sleep(0.15)
        line.show(1, 9)
        assert "1/9" in screen.left
        line.hide()
        assert screen.left == ""
        time.sleep(0.15)
        line.show(1, 9)
        assert "1/9" in screen.left


def test_nothing_is_written_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))
    with ProgressLine(" positions") as line:
        for done in range(3):
            line.show(done, 9, "solving")
            time.sleep(0.11)
            line.hide()
    assert screen.getvalue() == ""


@pytest.mark.parametrize("always", [False, True])
def test_where_nobody_sees_it_only_who_asks_gets_it(
    monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    screen = Screen(terminal=False)
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr(progress, "DRAWN_AFTER", 0.0)
    with ProgressLine(" positions", always=always) as line:
        line.show(0, 9)
        time.sleep(0.15)
        line.show(1, 9)
    assert bool(screen.drawn) is always


class Gone(io.StringIO):
    """A stderr that cannot be written to any more."""

    def write(self, _text: str) -> int:
        raise OSError("gone")

    def isatty(self) -> bool:
        return True


def _closed() -> Screen:
    screen = Screen()
    screen.close()
    screen.isatty = lambda: True  # type: ignore[method-assign]
    return screen


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("since", [0, 1, 2, 3], ids=["at once", "shown", "hidden", "closed"])
@pytest.mark.parametrize(
    "stderr", [lambda: None, _closed, Gone, object], ids=["none", "closed", "gone", "no file"]
)
def test_without_a_stderr_the_work_goes_on(
    stderr: Callable[[], object],
    since: int,
    always: bool,
    screen: Screen,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may be missing from the beginning, or be closed while a line is shown."""
    for told_every in (0.0, 60.0):
        monkeypatch.setattr(progress, "TOLD_EVERY", told_every)
        now = SimpleNamespace(stderr=screen)
        monkeypatch.setattr(progress, "sys", now)
        steps: list[Callable[[ProgressLine], object]] = [
            lambda line: line.show(1, 9, "solving"),
            lambda line: line.hide(),
            lambda line: line.close(),
        ]
        if not since:
            now.stderr = stderr()
        line = ProgressLine(" positions", always=always)
        for number, step in enumerate(steps, 1):
            if number == since:
                now.stderr = stderr()
                if line._bar is not None:
                    line._bar.fp = now.stderr
            step(line)
            step(line)


def test_a_search_shows_its_bounds_and_nodes(screen: Screen) -> None:
    bounds_and_nodes = re.compile(r"margin [+-]\d+ to [+-]\d+: [\d.]+[kM]? nodes \[")
    for seconds in (0.4, 2.0, 10.0):  # a busy machine draws late
        ks.solve(ks.Position(ks.Layout.rulebook()), time=seconds, memory="4M", progress=True)
        assert screen.left == ""
        if any(map(bounds_and_nodes.match, screen.drawn)):
            return
    pytest.fail(f"drawn: {screen.drawn}")


def test_a_batch_makes_room_for_each_solution(screen: Screen) -> None:
    positions = [ks.Position(ks.Layout.rulebook())] * 3
    for _ in ks.solve_many(positions, workers=1, time=0.3, memory="4M", progress=True):
        assert screen.left == ""
    assert any("1 under way" in shown and "2/3" in shown for shown in screen.drawn)
    assert screen.left == ""


def test_ctrl_c_within_the_work_hands_back_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever thread it meets: a search of either game gives its bounds."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    start = ks.Position(ks.Layout.rulebook())
    monkeypatch.setattr(Search, "work", interrupted)
    with pytest.raises(ks.SolveInterrupted) as caught:
        ks.solve(start, memory="1M")
    assert not caught.value.solution.exact
    monkeypatch.setattr(searching.Search, "work", interrupted)
    board = malawi.Position.start(malawi.Board(2, 4))
    with pytest.raises(ks.SolveInterrupted) as stopped:
        malawi.search(board, memory="1M")
    assert stopped.value.solution.value.within == 0


def test_progress_of_a_search_tells_all_that_is_known_of_the_fields() -> None:
    position = ks.Position.from_kfn(
        "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ "
        "1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
    )
    told: list[ks.Solution] = []
    found = ks.solve(position, "2", every_move=True, progress=told.append)
    values = {move.field: move.lower for move in found.moves}
    assert told
    before = dict.fromkeys(values, (-1000, 1000))
    for known in told:
        assert (known.scoring, known.goal) == (ks.Scoring.LEVEL2, "margin")
        assert known.lower <= found.lower <= known.upper
        bounds = {move.field: (move.lower, move.upper) for move in known.moves}
        assert bounds.keys() <= values.keys()
        for field, (lower, upper) in bounds.items():
            assert before[field][0] <= lower <= values[field] <= upper <= before[field][1]
        before |= bounds
