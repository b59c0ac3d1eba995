"""Programs that speak UGI, the Universal Game Interface, as bots.

    arena                                   engine
    ugi                                     id name Mine / option name scoring ... / ugiok
    setoption name scoring value 2          (only if the engine has named that option)
    isready                                 readyok
    uginewgame
    position fen LAYOUT MARBLES TURN LAST
    isready                                 readyok
    go movetime 500                         info ... / bestmove d4

The arena knows the rules and keeps the time: a late engine is ended, an ended engine is started
again for its next move, and the arena checks every move it gives.

An engine without a move says `bestmove none`, after the reason: `info string error: REASON`, with
`info string fault crash` or `illegal` if its bot has failed. Otherwise it refuses the position.

The last output of a program that failed is kept for the report. Of a Python bot in a process of its
own (see `overheard`) the output is passed on after each move, and a traceback only the first time
it comes from one place.

`KULAMI_ENGINE_LOG` names a file that logs the lines between an arena and its engines, for their
authors. Engines in all processes add to it, a line each time:

    06:30:01.118 4711 my-bot * ./my-bot --threads 1      it was started
    06:30:01.121 4711 my-bot > go movetime 500           the arena
    06:30:01.619 4711 my-bot < bestmove d4               the engine
    06:30:01.622 4711 my-bot ! warning: table is full    its stderr
    06:30:09.840 4711 my-bot * no move in 1 s            it was late, and is ended
"""

from __future__ import annotations

import collections
import contextlib
import os
import queue
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import IO, Any, Final

from ..core.background import starting_threads
from ..errors import quoted, reason
from .dialect import dialect_of
from .overheard import SHOWN
from .processes import Leash, has_ended
from .protocol import (
    GRACE,
    PATIENCE,
    BotCrashed,
    BotError,
    BotRefused,
    BotTimedOut,
    Clock,
    IllegalAnswer,
)

__all__ = ["Engine"]

_ERROR: Final = "info string error: "
_START: Final = 10.0  # seconds to say ugiok and readyok
_LAST_WORDS: Final = 0.2  # seconds for the lines of an engine that has ended
_STEP: Final = 0.2  # seconds between two looks at whether the engine is still there
_LINE: Final = 1 << 16  # longest line read, in bytes
_WAITING: Final = 10_000  # most lines kept of an engine that talks without end
_TRACEBACK: Final = "Traceback (most recent call last):"
_NEXT_LINE: Final = 0.02  # seconds without another line, after which the wait for lines ends
_FIRST_LINE: Final = 0.3  # seconds for the first line to come from a program that has failed
_VARIABLE: Final = "KULAMI_ENGINE_LOG"


class Engine:
    """A program that speaks UGI, as a bot. It is started at its first use.

    Args:
        command: the program and its arguments.
        name: what to call it in messages; by default the program's name.
        patience: seconds it may take for a move if the clock has no seconds.
        grace: seconds it may take beyond those of the clock.
        game: what it plays, one of `kulami_solver.game.GAMES`.
        aloud: pass on its stderr to this process's stderr.

    Examples:
        >>> import sys
        >>> from kulami_solver import Layout, Position
        >>> engine = Engine([sys.executable, "-m", "kulami_solver", "engine", "--bot", "greedy"])
        >>> engine.choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
        >>> engine.title.startswith("kulami greedy"), engine.close()
        (True, None)
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str | None = None,
        patience: float = PATIENCE,
        grace: float = GRACE,
        *,
        game: str = "kulami",
        aloud: bool = False,
    ) -> None:
        self._dialect = dialect_of(game)
        self.command: Final = list(command)
        self.patience = patience
        self.grace = grace
        self.name = name or os.path.basename(self.command[0])
        self.title = self.name
        """The engine's name for itself, once it has sent it."""
        self._introduction: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._leash: Leash | None = None
        self._readers: list[threading.Thread] = []
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING)
        self._complaints: collections.deque[str] = collections.deque(maxlen=_WAITING)
        self._last_lines: tuple[str, ...] = ()
        self._aloud = aloud
        self._traces: set[tuple[str, ...]] = set()
        self._silent = False
        self._failed = False
        self._options: set[str] = set()
        self._told: dict[str, str] = {}

    # As a bot

    def start(self) -> None:
        """Start it now.

        Raises:
            BotError: if it cannot be started, or does not speak UGI.
        """
        try:
            self._ready()
        except (BotCrashed, BotTimedOut) as error:
            raise BotError("does_not_speak_ugi", why=error) from None

    def new_game(self) -> None:
        """Tell it that another game begins."""
        if self._process is not None and not has_ended(self._process):
            self._say("uginewgame")

    def choose(self, position: Any, *, clock: Clock | None = None, **told: Any) -> str:
        """Return the engine's best move.

        Args:
            position: what the game's bots are given.
            clock: how long it may think.
            told: the game's further arguments for bots; in Kulami `scoring`.

        Raises:
            BotCrashed: if it cannot be started, has ended, or says that its bot has failed.
            BotRefused: if it says that it has no move.
            BotTimedOut: if it is late; it is ended then.
            IllegalAnswer: if it reports that its bot has named no legal field.
        """
        self._take_down()
        self._failed = False
        try:
            return self._chosen(position, clock or Clock(), told)
        except BotCrashed:
            self._failed = True  # its last output may still be on the way
            raise
        finally:
            if not self._failed:
                self._take_down()

    def _place(self, position: Any, told: Mapping[str, Any]) -> None:
        """Set up a position, for the next `go`."""
        self._ready()
        notation, values = self._dialect.text(position, told)
        for name, usual in self._dialect.defaults.items():
            self._set(name, values[name], usual)
        self._say(f"position fen {notation}")
        self._be_in_step(time.monotonic() + _START)

    def _chosen(self, position: Any, clock: Clock, told: Mapping[str, Any]) -> str:
        self._place(position, told)
        self._say(_go(clock))
        limit = self.patience if clock.latest is None else max(0.0, clock.latest) + self.grace
        deadline = time.monotonic() + limit
        why = fault = ""
        while True:
            line = self._hear(deadline, f"no move in {limit:g} s")
            words = line.split()
            if line.startswith(_ERROR):
                why = line[len(_ERROR) :].strip()
            elif words[:3] == ["info", "string", "fault"]:
                fault = " ".join(words[3:])
            elif words[:1] == ["bestmove"]:
                if words[1:2] == ["none"]:
                    raise self._without_move(why or line, fault)
                return words[1] if len(words) > 1 else ""

    def lacking(self, position: Any, told: Mapping[str, Any]) -> list[str]:
        """Return the options that a position needs, and that the engine has not named."""
        values = self._dialect.text(position, told)[1]
        usual = self._dialect.defaults
        return [name for name in usual if values[name] != usual[name] and name not in self._options]

    def close(self) -> None:
        """End the program, and pass on its last output: ask it to, and do not wait for long."""
        self._ended_by("quit")
        if self._complaints:
            self._take_down()

    def _ended_by(self, line: str, seconds: float = 0.5) -> bool:
        """End the program by its last line, or by the end of its input if that is empty.

        Return whether it has ended by itself within some seconds.
        """
        process = self._process
        if process is not None and not has_ended(process):
            self._log.write(">", line)
            assert process.stdin is not None
            with contextlib.suppress(OSError, ValueError):
                if line:
                    process.stdin.write(f"{line}\n".encode())
                    process.stdin.flush()
                else:
                    process.stdin.close()
        ended = process is None or has_ended(process, seconds)
        self._end()
        return ended

    def __del__(self) -> None:
        self._end()

    # Its output

    def hear_out(self) -> tuple[str, ...]:
        """Return the program's output about its last move, after a wait if it crashed.

        The wait is short, and even shorter for a program without output at its last crash.
        """
        if self._failed:
            deadline = time.monotonic() + (_NEXT_LINE if self._silent else _FIRST_LINE)
            while time.monotonic() < deadline:
                heard = len(self._complaints)
                time.sleep(_NEXT_LINE)
                if heard and len(self._complaints) == heard:
                    break
            self._silent = not self._complaints
            self._failed = False
            self._take_down()
        return self._last_lines

    def _take_down(self) -> None:
        """Take the output so far as the output about this move."""
        lines = []
        while self._complaints:
            lines.append(self._complaints.popleft())
        mark = f"{self.name}| "
        plain = [line.removeprefix(mark).removeprefix(mark.strip()) for line in lines]
        begin = plain.index(_TRACEBACK) if _TRACEBACK in plain else len(plain)
        self._last_lines = tuple((plain[begin:] or plain)[-SHOWN:])
        if not self._aloud or sys.stderr is None:
            return
        # Only the line numbers: the exception's text may differ for each position.
        places = tuple(line for line in plain[begin:] if line.startswith("  File "))
        if places in self._traces:
            lines = lines[:begin]
        self._traces.add(places)
        with contextlib.suppress(OSError):
            sys.stderr.write("".join(f"{line}\n" for line in lines))
            sys.stderr.flush()

    # The program

    def _ready(self) -> None:
        """Start the program, or start it again."""
        if self._process is not None and not has_ended(self._process):
            return
        self.close()
        self._lines = queue.Queue(_WAITING)
        self._complaints.clear()
        self._options.clear()
        self._told.clear()
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the arena; and all its children end with it
            )
        except (OSError, ValueError) as error:
            program, meant = self.command[0], ""
            if os.path.basename(program) == program and os.path.isfile(program):
                here = shlex.join([f"./{program}", *self.command[1:]])
                meant = f'; did you mean "exec {here}"?'
            raise BotError(
                "cannot_be_started", command=program, why=reason(error), meant=meant
            ) from None
        self._process = process
        self._leash = Leash(process.pid)
        self._readers = []
        try:
            self._log = _Log(self.name, process.pid, shlex.join(self.command))
        except BotError:
            self._end()
            raise
        assert process.stdout is not None
        assert process.stderr is not None
        stdout = _said(process.stdout, self._log, "<")
        stderr = _said(process.stderr, self._log, "!")
        for name, target, arguments in (
            ("stdout", _listen, (stdout, self._lines)),
            ("stderr", self._complaints.extend, (stderr,)),
        ):
            reader = threading.Thread(
                target=target, args=arguments, name=f"kulami-engine-{name}", daemon=True
            )
            with starting_threads():
                reader.start()
            self._readers.append(reader)
        deadline = time.monotonic() + _START
        self._say("ugi")
        self._introduction = []
        while (line := self._hear(deadline, f"no ugiok in {_START:g} s").strip()) != "ugiok":
            self._introduction.append(line)
            words = line.split()
            if words[:2] == ["id", "name"]:
                self.title = " ".join(words[2:]) or self.title
            elif words[:2] == ["option", "name"] and len(words) > 2:
                self._options.add(words[2].lower())
        self._be_in_step(deadline)
        self._say("uginewgame")

    def _be_in_step(self, deadline: float) -> None:
        """Wait until the engine has read all lines; what it says before that is no answer."""
        self._say("isready")
        while self._hear(deadline, f"no readyok in {_START:g} s").strip() != "readyok":
            pass

    def _set(self, option: str, value: str, usual: str) -> None:
        if option in self._options and self._told.get(option, usual) != value:
            self._say(f"setoption name {option} value {value}")
            self._told[option] = value

    def _say(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._log.write(">", line)
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._crashed() from None

    def _hear(self, deadline: float, late: str) -> str:
        assert self._process is not None
        line: str | None = ""
        while line == "" and (left := deadline - time.monotonic()) > 0:
            # What it has said comes first. Its end need not end the pipe: a helper that it has
            # left behind may hold that.
            ended = has_ended(self._process)
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=min(left, _STEP))
            if line == "" and ended:
                line = None
        if line is None:
            raise self._crashed()
        # An engine that talks without end is late as well.
        if line == "" or time.monotonic() > deadline:
            self._log.write("*", late)
            self._end()
            raise BotTimedOut("bot_late", name=self.name, why=late)
        return line

    def _without_move(self, why: str, fault: str) -> BotError:
        """The error of an engine that gives a reason for having no move."""
        kinds: dict[str, type[BotError]] = {"": BotRefused}
        kinds |= {kind.kind: kind for kind in (BotRefused, IllegalAnswer)}
        kind = kinds.get(fault, BotCrashed)
        # A bot in its own process has the same name there, so the reason may begin with it.
        return kind(why if why.startswith(f"{self.name} ") else f"{self.name}: {why}")

    def _crashed(self) -> BotCrashed:
        process = self._process
        assert process is not None
        ended = has_ended(process, 0.5)  # its last words may still be on their way
        self._end()
        code = process.returncode
        how = "has closed its output"
        if ended and code is not None:
            how = f"ends with code {code}" if code >= 0 else f"is ended by signal {-code}"
        said = f", saying {quoted(self._complaints[-1], 120)}" if self._complaints else ""
        return BotCrashed("bot_program_fails", name=self.name, how=how, said=said)

    def _end(self) -> None:
        """End the program with all that it has started and left behind."""
        process, self._process = self._process, None
        if process is None or self._leash is None:
            return
        self._leash.end(waited_for=process.returncode is not None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with contextlib.suppress(queue.Empty):
            while True:  # a full queue would hold its reader
                self._lines.get_nowait()
        # Whatever has left the program's session may hold its pipes for ever.
        for reader in self._readers:
            reader.join(_LAST_WORDS)
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()


def _go(clock: Clock) -> str:
    words = ["go"]
    if clock.left:
        for player, seconds in enumerate(clock.left, 1):
            words += [f"p{player}time", _milliseconds(seconds)]
        if clock.increment:
            for player in range(1, len(clock.left) + 1):
                words += [f"p{player}inc", _milliseconds(clock.increment)]
    elif clock.seconds is not None:
        words += ["movetime", _milliseconds(clock.seconds)]
    if clock.nodes is not None:
        words += ["nodes", str(clock.nodes)]
    if clock.depth is not None:
        words += ["depth", str(clock.depth)]
    return " ".join(words)


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))


def _listen(said: Iterator[str], lines: queue.Queue[str | None]) -> None:
    """Put an engine's lines into a queue as they come, and None at the end."""
    for line in said:
        lines.put(line)  # a full queue blocks the engine, which has said more than anyone reads
    lines.put(None)


def _said(stream: IO[bytes], log: _Log, mark: str) -> Iterator[str]:
    """The lines of a stream that are not empty, until it ends; they are logged as they come."""
    with contextlib.suppress(OSError, ValueError), stream:
        while raw := stream.readline(_LINE):
            if line := raw.decode("utf-8", "replace").strip():
                log.write(mark, line)
                yield line


class _Log:
    """The log of one engine; it writes nothing if no file is named.

    Args:
        name: of the engine.
        process: its number.
        command: how it was started.

    Raises:
        BotError: if the file cannot be written.
    """

    def __init__(self, name: str, process: int, command: str) -> None:
        self._path: Final = os.environ.get(_VARIABLE)
        self._begin: Final = f"{process} {name}"
        try:
            self._write("*", command)
        except OSError as error:
            raise BotError(
                "no_engine_log", variable=_VARIABLE, file=self._path, why=reason(error)
            ) from None

    def write(self, mark: str, line: str) -> None:
        """Add a line; a failure to write does not stop a game."""
        with contextlib.suppress(OSError):
            self._write(mark, line)

    def _write(self, mark: str, line: str) -> None:
        if not self._path:
            return
        now = datetime.now().strftime("%H:%M:%S.%f")[:-3]
        # One write in append mode: lines of several processes do not mix.
        with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{now} {self._begin} {mark} {line}\n")
