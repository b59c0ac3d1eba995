"""Processes that ask bots: what they let go of when they are ended, and that they do end."""

from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import process, until
from unruly import engine as unruly

from kulami_solver.bots import processes
from kulami_solver.bots.processes import workers_at
from kulami_solver.bots.protocol import BotCrashed
from kulami_solver.core.tasks import first_completed

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a signal")


def begin(folder: str) -> Callable[[], None]:
    return Path(folder, "closed").touch


def end_this_process(times: int) -> int:
    """Tell this worker to end while it asks a bot, as one that the executor ends may be again."""
    try:
        try:
            signal.raise_signal(signal.SIGTERM)
        except (Exception, SystemExit):  # as `Player` does it, for which that is a bot's failure
            return 1
        return 2
    finally:
        for _ in range(1, times):
            signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_ends_in_the_midst_of_a_task(times: int, tmp_path: Path) -> None:
    """An executor would have taken the exit for the task's failure, and the worker waited on."""
    with (
        pytest.raises(BotCrashed, match="it has ended"),
        workers_at(1, "test", "it has ended", begin, (str(tmp_path),)) as workers,
    ):
        workers.submit(end_this_process, times).result(timeout=60)
    assert (tmp_path / "closed").exists()


def test_a_worker_that_waits_ends_without_a_word(tmp_path: Path) -> None:
    """Whatever it is doing: an exception would be printed by the executor, or by a destructor."""
    program = (
        "import signal; from pathlib import Path; from kulami_solver.bots import processes\n"
        f"processes._closing.callback(Path({str(tmp_path / 'closed')!r}).touch)\n"
        "signal.signal(signal.SIGTERM, processes._end_worker)\n"
        "try: signal.raise_signal(signal.SIGTERM)\n"
        "except BaseException as error: print(repr(error))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, b"", b"")
    assert (tmp_path / "closed").exists()


def say_and_wait(folder: str) -> None:
    Path(folder, "worker").write_text(str(os.getpid()), encoding="ascii")
    time.sleep(60)


def test_a_worker_ends_with_its_parent(tmp_path: Path) -> None:
    """The parent has no time to end it, as under `timeout` or a batch system; nobody warns."""
    program = (
        "import sys\n"
        "sys.path.append('..')\n"
        "import test_processes as here\n"
        "from kulami_solver.bots.processes import workers_at\n"
        "with workers_at(1, 'test', 'it has ended', here.begin, (sys.argv[1],)) as workers:\n"
        "    workers.submit(here.say_and_wait, sys.argv[1]).result()\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(words, cwd=Path(__file__).parent, stderr=subprocess.PIPE) as parent:
        said = tmp_path / "worker"
        worker = int(until(lambda: said.exists() and said.read_text(), parent))
        parent.kill()
        assert parent.stderr is not None
        assert parent.stderr.read() == b""
    until(lambda: not is_running(worker))
    assert (tmp_path / "closed").exists()


def begin_to_answer(folder: str) -> None:
    """Write the beginning of a result, and no more of it: a worker may be ended just then."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    frame.f_locals["result_queue"]._writer._send((1000).to_bytes(4, "big"))
    say_and_wait(folder)


def test_half_a_result_is_not_waited_for(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time\n"
        "sys.path.append('..')\n"
        "import test_processes as here\n"
        "from kulami_solver.bots.processes import workers_at\n"
        "with workers_at(2, 'test', 'it has ended') as workers:\n"
        "    workers.submit(here.begin_to_answer, sys.argv[1])\n"
        "    while not pathlib.Path(sys.argv[1], 'worker').exists(): time.sleep(0.01)\n"
        "    raise SystemExit(3)\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    assert subprocess.run(words, cwd=Path(__file__).parent, timeout=60).returncode == 3


def is_running(process: int | str) -> bool:
    """Whether it is; what is left of one whose end nobody has taken note of does not count."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return True


def test_an_exit_of_a_bot_is_its_own_failure(tmp_path: Path) -> None:
    with workers_at(1, "test", "it has ended", begin, (str(tmp_path),)) as workers:
        with pytest.raises(SystemExit):
            workers.submit(exit, 3).result(timeout=60)
        assert workers.submit(abs, -1).result(timeout=60) == 1
    assert (tmp_path / "closed").exists()


def test_a_wait_returns_what_is_done_and_ctrl_c_does_not_come_within_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There it could come while a lock was about to be let go of."""
    done: Future[int] = Future()
    done.set_result(1)
    waiting: Future[int] = Future()
    assert first_completed([done, waiting]) == {done}
    assert first_completed([waiting], 0.0) == set()
    assert first_completed([]) == set()
    came_back = []

    def wait(*_: object) -> tuple[set[Future[int]], set[Future[int]]]:
        signal.raise_signal(signal.SIGINT)
        came_back.append(True)
        return set(), set()

    monkeypatch.setattr(concurrent.futures, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        first_completed([Future[int]()])
    assert came_back == [True]


CLINGING = """
import os, signal, subprocess, sys, threading, time


class Bot:
    def __init__(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=time.sleep, args=(300,)).start()
        helper = subprocess.Popen(["sleep", "300"])
        with open("made", "a") as file:
            file.write(f"{os.getpid()} {helper.pid} ")

    def choose(self, position):
        moves = getattr(position, "turns", None) or position.legal_fields
        return str(moves[0])


class Looping(Bot):
    def choose(self, position):
        open("thinks", "w").close()
        while True:
            pass


if __name__ == "__main__":
    for line in sys.stdin:
        said = {"ugi": "ugiok", "isready": "readyok"}.get(line.strip())
        print(said or "info", flush=True)
        if line.startswith("go"):
            Looping().choose(None)
"""


MATCH = ["match", "BOT", "random", "--games", "2", "--layout", "AAB/CCB"]
CHECK = ["check", "BOT", "--positions", "2", "--workers", "1"]


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (MATCH, None),
        (MATCH, signal.SIGTERM),
        (MATCH, signal.SIGKILL),
        (CHECK, None),
        (CHECK, signal.SIGINT),
        (["malawi", *CHECK, "--board", "2x3"], signal.SIGHUP),
        (["malawi", *CHECK, "--board", "2x3", "PROGRAM"], signal.SIGKILL),
    ],
)
def test_what_a_bot_starts_while_it_is_made_ends_with_the_command(
    words: list[str], number: int | None, tmp_path: Path
) -> None:
    """A loop, a thread that is no daemon, a child, and no ear for Ctrl-C: in its own process."""
    (tmp_path / "clinging.py").write_text(CLINGING, encoding="ascii")
    bot = "clinging:Bot" if number is None else "clinging:Looping"
    bot = f"exec {sys.executable} clinging.py" if "PROGRAM" in words else bot
    words = [bot if one == "BOT" else one for one in words if one != "PROGRAM"]
    with process(*words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=None) as arena:
        try:
            if number is not None:
                until((tmp_path / "thinks").exists, arena)
                arena.send_signal(number)
            ended = arena.wait(60 if number is None else 20)
        finally:
            arena.kill()
    told: dict[int | None, int] = {None: 0, signal.SIGINT: 130, signal.SIGTERM: 143}
    told[signal.SIGHUP] = 129
    assert ended == told.get(number, -signal.SIGKILL)
    until(lambda: not any(map(is_running, (tmp_path / "made").read_text().split())))


def test_the_first_process_of_a_program_is_deaf_to_ctrl_c_too(tmp_path: Path) -> None:
    program = tmp_path / "first.py"
    program.write_text(
        "import multiprocessing, signal\n"
        "from kulami_solver.bots.processes import interrupts_blocked\n\n\n"
        "def tell():\n"
        "    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))\n\n\n"
        "if __name__ == '__main__':\n"
        "    child = multiprocessing.get_context('spawn').Process(target=tell)\n"
        "    with interrupts_blocked():\n"
        "        child.start()\n"
        "    child.join()\n",
        encoding="ascii",
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, check=True)
    assert done.stdout == b"True\n"


def test_ctrl_c_waits_for_a_process_to_start_whichever_thread_gets_it() -> None:
    """A process that is started by halves says so, over many lines."""
    went_on, done = [False], threading.Event()
    threading.Thread(target=done.wait).start()

    def start() -> None:
        with processes.interrupts_blocked():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
            went_on[0] = True

    try:
        with pytest.raises(KeyboardInterrupt):
            start()
    finally:
        done.set()
    assert went_on == [True]


def test_ctrl_c_is_for_the_match_and_not_for_its_bots(tmp_path: Path) -> None:
    """The process of a bot says nothing about it, and is gone afterwards."""
    (tmp_path / "slow_bots.py").write_text(
        "import os, time\n\n\nclass Slow:\n    def choose(self, position):\n"
        "        open(f'asked-{os.getpid()}', 'w').close()\n        time.sleep(0.5)\n"
        "        return position.turns[0]\n",
        encoding="ascii",
    )
    words = ["malawi", "match", "slow_bots:Slow", "random", "--board", "2x6", "--workers", "2"]
    running = process(*words, cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True)
    asked = until(lambda: list(tmp_path.glob("asked-*")), running)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.startswith("kulami: interrupted: Ctrl-C; ")
    assert len(said.splitlines()) == 1
    until(lambda: not any(is_running(file.name.partition("-")[2]) for file in asked))


@pytest.mark.parametrize(
    "fault",
    [
        OSError(30, "Read-only file system"),
        ImportError("This platform lacks a functioning sem_open implementation"),
        NotImplementedError("system provides too few semaphores"),
    ],
)
def test_where_no_semaphore_can_be_made_one_process_does_all(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """Containers and hardened services have no writable /dev/shm."""
    ended = []

    def refuse(*_: object) -> None:
        raise fault

    def begin(word: str) -> Callable[[], None]:
        return lambda: ended.append(word)

    monkeypatch.setattr(processes, "ProcessPoolExecutor", refuse)
    with ExitStack() as stack:
        workers = workers_at(3, "test", "crashed", begin, ("end",))
        with pytest.warns(RuntimeWarning, match="/dev/shm"):
            working = stack.enter_context(workers)
        done = sorted(working.done(pow, ((2, number) for number in range(5)), 2))
        assert [power for _, power in done] == [1, 2, 4, 8, 16]
        with pytest.raises(ZeroDivisionError):
            next(working.done(divmod, [(1, 0)], 1))
    assert ended == ["end"]


# With 14 of 18 fields taken; a move may take 1.5 s, and a pause lasts longer.
SHORT = ("--layout", "AABBCC/DDDEEE/FFGGHH", "--plies", "14", "--games", "2", "--movetime", "1")
PAUSE = 2.0

SLOW = """\
import time


class Slow:
    def choose(self, position):
        with open("thinking", "a") as file:
            file.write("go")
        time.sleep(1)
        return position.legal_fields[0]
"""


@pytest.mark.parametrize(
    ("bot", "more"),
    [
        *((unruly("late"), []), (unruly("late"), ["--workers", "2"])),
        *(("slow_bot:Slow", []), ("mcts", [])),
    ],
    ids=["a program", "in two processes", "a Python bot", "a built-in bot"],
)
def test_a_pause_costs_nobody_a_game(bot: str, more: list[str], tmp_path: Path) -> None:
    (tmp_path / "slow_bot.py").write_text(SLOW, encoding="ascii")
    thinking = tmp_path / "thinking"
    other = unruly("first")
    with subprocess.Popen(
        [sys.executable, "-m", "kulami_solver", "match", bot, other, *SHORT, *more, "--json"],
        cwd=tmp_path,
        env=os.environ | {"KULAMI_ENGINE_LOG": str(tmp_path / "said")},
        stdout=subprocess.PIPE,
        start_new_session=True,  # so that Ctrl-Z reaches all its processes, and this one not
    ) as run:
        try:
            begun = time.monotonic()
            while not _thinks(bot, thinking, tmp_path / "said"):
                assert time.monotonic() < begun + 30
                time.sleep(0.02)
            time.sleep(0.3)
            os.killpg(run.pid, signal.SIGTSTP)
            _, status = os.waitpid(run.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status)
            time.sleep(PAUSE)
            os.killpg(run.pid, signal.SIGCONT)
            out, _ = run.communicate(timeout=60)
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
    found = json.loads(out)
    assert run.returncode == 0
    assert (found["games"], found["faults"]) == (2, [])


def _thinks(bot: str, marked: Path, said: Path) -> bool:
    """Whether the bot thinks about a move just now, or will at once."""
    if bot.startswith("slow"):
        return marked.exists()
    last = said.read_text(encoding="utf-8").splitlines()[-1] if said.exists() else ""
    return ("< bestmove" if bot == "mcts" else "late > go ") in last
