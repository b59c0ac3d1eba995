"""A bot's program: a process with pipes that leads a group, and that ends with this one."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final

from ..core.background import starting_threads
from ..core.interruption import awake, interrupts_deferred

WAITING: Final = 10_000
"""How much of what a program says is kept until somebody hears it."""

_STEP: Final = 0.2  # seconds between two looks at whether the program is still there
_LAST_WORDS: Final = 0.2  # seconds for the last words of a program that has ended

# It holds whatever ends this process: the system closes the pipe that the shell reads.
_LEASH: Final = 'read _; kill -9 "-$1"; kill -9 "$1"'


class Program:
    """A program that runs beside this process; Ctrl-C at a terminal does not reach it.

    When this process ends in any way, the program and all that it has started end as well, unless
    they have left its session.

    Args:
        command: the program and its arguments.
        environment: its variables; None for those of this process.
        folder: where it is started; empty for the working folder.

    Attributes:
        process: the program.

    Raises:
        OSError, ValueError: if it cannot be started.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, folder: str = ""
    ) -> None:
        self._said: Final[queue.Queue[Any]] = queue.Queue(WAITING)
        self._readers: list[threading.Thread] = []
        self._leash: subprocess.Popen[bytes] | None = None
        with interrupts_deferred(), starting_threads():
            self.process: Final = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=folder or None,
                start_new_session=True,
            )
            with suppress(OSError):  # there is no such shell
                self._leash = subprocess.Popen(
                    ["/bin/sh", "-c", _LEASH, "sh", str(self.process.pid)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                )

    @property
    def stdout(self) -> IO[bytes]:
        """What it writes to stdout."""
        assert self.process.stdout is not None
        return self.process.stdout

    @property
    def stderr(self) -> IO[bytes]:
        """What it writes to stderr."""
        assert self.process.stderr is not None
        return self.process.stderr

    def listen(self, said: Iterable[Any]) -> None:
        """Have a thread take what the program says, which `hear` returns."""

        def take() -> None:
            for one in said:
                self._said.put(one)  # a full queue blocks a program that nobody listens to
            self._said.put(None)

        self.read("stdout", take)

    def read(self, name: str, read: Any, *arguments: Any) -> None:
        """Have a thread read one of the program's streams until it ends."""
        called = f"kulami-bot-{name}"
        reader = threading.Thread(target=read, args=arguments, name=called, daemon=True)
        with starting_threads():
            reader.start()
        self._readers.append(reader)

    def send(self, words: bytes) -> None:
        """Write to its stdin.

        Raises:
            OSError, ValueError: if it has ended.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(words)
        self.process.stdin.flush()

    def close_input(self) -> None:
        """End its stdin."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def hear(self, deadline: float) -> Any:
        """Return what it says next; None if it has ended.

        Args:
            deadline: the time by `core.interruption.awake` at which it is late.

        Raises:
            TimeoutError: if it is late.
        """
        while (left := deadline - awake()) > 0:
            # What it has said comes first. Its end need not end the pipe: a helper that it has
            # left behind may hold that.
            ended = self.has_ended()
            with suppress(queue.Empty):
                return self._said.get(timeout=min(left, _STEP))
            if ended:
                return None
        raise TimeoutError

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Whether it ends within some seconds.

        Nobody waits for it here, so its number stays its own, and `end` may still end its group.
        """
        deadline = time.monotonic() + seconds
        while self.process.returncode is None:
            if hasattr(os, "waitid"):
                with suppress(ChildProcessError):
                    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
                    if os.waitid(os.P_PID, self.process.pid, flags) is not None:
                        break
            elif self.process.poll() is not None:
                break
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.005)
        return True

    def how_it_ended(self) -> str:
        """End it if it has not ended, and say how it did."""
        ended = self.has_ended(0.5)
        self.end()
        code = self.process.returncode
        if not ended or code is None:
            return "has closed its output"
        return f"ends with code {code}" if code >= 0 else f"is ended by signal {-code}"

    def end(self) -> None:
        """End it with all that it has started and left behind."""
        leash, self._leash = self._leash, None
        if leash is not None:
            leash.kill()
            leash.wait()
            assert leash.stdin is not None
            leash.stdin.close()
        # Once somebody has waited for it, its number may belong to another process.
        if self.process.returncode is None:
            for end in (getattr(os, "killpg", os.kill), os.kill):
                with suppress(OSError):
                    end(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        with suppress(queue.Empty):
            while True:  # a full queue would hold its reader
                self._said.get_nowait()
        # Whatever has left the program's session may hold its pipes for ever.
        for reader in self._readers:
            reader.join(_LAST_WORDS)
        self.close_input()
