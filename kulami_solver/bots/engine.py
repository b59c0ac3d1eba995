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

The last output of a program that failed is kept for the report.

A Python bot that can neither hang nor end this process is such a program, too: `PythonBot` runs
`kulami engine` with it.

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
import itertools
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import IO, Any, Final

from ..core.interruption import awake
from ..core.whole_numbers import real
from ..errors import KulamiError, checked_kind, quoted, reason
from ..game import Option
from .description import BotDescription
from .dialect import dialect_of, option_of, read_value
from .overheard import SHOWN, places_of, show
from .program import WAITING, Program
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
_LINE: Final = 1 << 16  # longest line read, in bytes
_TRACEBACK: Final = "Traceback (most recent call last):"
_NOT_MADE: Final = "kulami: error: "
_WIDEST: Final = 400  # characters of a line that is kept for a report
_NEXT_LINE: Final = 0.02  # seconds without another line, after which the wait for lines ends
_FIRST_LINE: Final = 0.3  # seconds for the first line to come from a program that has failed
_VARIABLE: Final = "KULAMI_ENGINE_LOG"


class Engine:
    """A program that speaks UGI, as a bot. It is started at its first use.

    Args:
        command: the program and its arguments; or a description, which has a name, too.
        name: what to call it in messages; by default the program's name.
        patience: seconds it may take for a move if the clock has no seconds.
        grace: seconds it may take beyond those of the clock.
        game: what it plays, one of `kulami_solver.game.GAMES`.

    Attributes:
        starting: seconds it may take to say ugiok and readyok.
        untold: the options of its description that it cannot be told, each with the reason.

    Examples:
        >>> import sys
        >>> from kulami_solver import Layout, Position
        >>> engine = Engine([sys.executable, "-m", "kulami_solver", "engine", "--bot", "greedy"])
        >>> engine.choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
        >>> engine.title.startswith("kulami greedy"), engine.close()
        (True, None)
    """

    starting = 10.0
    _program: Program | None = None
    _first: tuple[str, ...] = ("uginewgame",)  # said to it once it has started

    def __init__(
        self,
        command: Sequence[str] | BotDescription,
        name: str | None = None,
        patience: float = PATIENCE,
        grace: float = GRACE,
        *,
        game: str = "kulami",
    ) -> None:
        self._dialect = dialect_of(game)
        meant = "the command of an engine is a list of words, its program first"
        if not isinstance(command, BotDescription):
            words = tuple(checked_kind(command, Iterable, meant, BotError))
            command = BotDescription(name or os.path.basename(str(*words[:1])), words)
        for word in command.command or [None]:
            checked_kind(word, str, meant, BotError)
        self.description: Final = command
        self.command: Final = list(command.command)
        if real(patience) is None or real(grace) is None:
            raise BotError(f"patience {quoted(patience)} or grace {quoted(grace)} is no seconds")
        self.patience = patience
        self.grace = grace
        self.name = command.name
        self.title = self.name
        """The engine's name for itself, once it has sent it."""
        self._introduction: list[str] = []
        self._complaints: collections.deque[str] = collections.deque(maxlen=WAITING)
        self._silent = False
        self._failed = False
        self._options: dict[str, Option] = {}
        self._told: dict[str, str] = {}
        self.untold: tuple[str, ...] = ()
        self._begun: dict[str, bytes] = {}

    # As a bot

    def start(self) -> None:
        """Start it now.

        Raises:
            BotError: if it cannot be started, or does not speak UGI.
        """
        try:
            self._ready()
        except (BotCrashed, BotTimedOut) as error:
            self._failed = True
            self._show()
            raise BotError(f"{error}; it does not speak UGI") from None

    def new_game(self) -> None:
        """Tell it that another game begins; start it again if it has ended."""
        if self._program is None or self._program.has_ended():
            self._ready()
        else:
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
        try:
            self._ready()
            self._complaints.clear()
            self._failed = False
            return self._chosen(position, clock or Clock(), told)
        except BotCrashed:
            self._failed = True  # its last output may still be on the way
            raise

    def _place(self, position: Any, told: Mapping[str, Any]) -> None:
        """Set up a position, for the next `go`."""
        self._ready()
        notation, values = self._dialect.text(position, told)
        for name in self._dialect.defaults:
            self._set(name, values[name])
        self._say(f"position fen {notation}")
        self._be_in_step(awake() + self.starting)

    def _chosen(self, position: Any, clock: Clock, told: Mapping[str, Any]) -> str:
        self._place(position, told)
        self._say(_go(clock))
        limit = self.patience if clock.latest is None else max(0.0, clock.latest) + self.grace
        deadline = awake() + limit
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
        """Return the options that a position needs with values that the engine has not named."""
        values = self._dialect.text(position, told)[1]
        return [
            name
            for name in self._dialect.defaults
            if values[name] != self._usual(name) and not self._takes(name, values[name])
        ]

    def _usual(self, option: str) -> str:
        """The value that an option has until the engine is told another."""
        own = self._options.get(option)
        return self._dialect.defaults[option] if own is None or own.default is None else own.default

    def _takes(self, option: str, value: str) -> bool:
        """Whether the engine has named the option, and this value of it."""
        if option not in self._options:
            return False
        try:
            return read_value(self._options[option], value) == value
        except KulamiError:
            return False

    def close(self) -> None:
        """End the program: ask it to, and do not wait for long."""
        self._ended_by("quit")
        self._show()

    def _show(self) -> None:
        """Show the last output of a program that has failed, unless somebody has heard it out."""
        if self._failed:
            show(*self.hear_out(), name=self.name)

    def _ended_by(self, line: str, seconds: float = 0.5) -> bool:
        """End the program by its last line, or by the end of its input if that is empty.

        Return whether it has ended by itself within some seconds.
        """
        program = self._program
        if program is not None and not program.has_ended():
            self._log.write(">", line)
            with contextlib.suppress(OSError, ValueError):
                if line:
                    program.send(f"{line}\n".encode())
                else:
                    program.close_input()
        ended = program is None or program.has_ended(seconds)
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
                if heard and len(self._complaints) == heard and not _goes_on(self._complaints[-1]):
                    break
            self._silent = not self._complaints
            self._failed = False
        lines = self._lines_taken()
        begin = lines.index(_TRACEBACK) if _TRACEBACK in lines else 0
        return tuple(lines[begin:][-SHOWN:])

    def _lines_taken(self) -> list[str]:
        return [self._complaints.popleft()[:_WIDEST] for _ in range(len(self._complaints))]

    # The program

    def _ready(self) -> None:
        """Start the program, or start it again."""
        if self._program is not None:
            if not self._program.has_ended():
                return
            # Some end after each answer on purpose.
            self._failed = self._how_it_ended() != "ends with code 0"
        self.close()
        self._complaints.clear()
        self._options.clear()
        self._told.clear()
        folder, more = self.description.folder, self.description.environment
        try:
            self._program = program = Program(self.command, os.environ | more, folder)
            self._log = _Log(self.name, program.process.pid, shlex.join(self.command))
        except BotError:
            self._end()
            raise
        except (OSError, ValueError) as error:
            name, why = self.command[0], reason(error) + (f" (dir={folder})" if folder else "")
            meant = "" if folder else _meant(self.command)
            raise BotError("cannot_be_started", command=name, why=why, meant=meant) from None
        self._begun = {}
        program.listen(_said(program.stdout, self._log, "<", self._begun))
        complaints = self._kept(_said(program.stderr, self._log, "!", {}))
        program.read("stderr", self._complaints.extend, complaints)
        deadline = awake() + self.starting
        self._say("ugi")
        self._introduction = []
        while (line := self._hear(deadline, f"no ugiok in {self.starting:g} s")) != "ugiok":
            self._introduction.append(line)
            words = line.split()
            if words[:2] == ["id", "name"]:
                self.title = " ".join(words[2:]) or self.title
            elif option := option_of(line):
                self._options[option.name.lower()] = option
        self.untold = tuple(self._tell_options())
        self._be_in_step(deadline)
        for line in self._first:
            self._say(line)

    def _tell_options(self) -> Iterator[str]:
        """Tell it the options of its description; yield those that it cannot be told, and why."""
        for name, value in self.description.options.items():
            own = self._options.get(name.lower())
            try:
                if name.lower() in self._dialect.defaults:
                    raise KulamiError("the arena says what is played")
                if own is None:
                    named = sorted(self._options.keys() - self._dialect.defaults.keys())
                    raise KulamiError(f"it has {', '.join(named) or 'no options of its own'}")
                self._say(f"setoption name {own.name} value {read_value(own, value)}")
            except BotError:
                raise
            except KulamiError as error:
                yield f"option.{name}={value}: {error}"

    def _be_in_step(self, deadline: float) -> None:
        """Wait until the engine has read all lines; what it says before that is no answer."""
        self._say("isready")
        while self._hear(deadline, f"no readyok in {self.starting:g} s") != "readyok":
            pass

    def _set(self, option: str, value: str) -> None:
        """Tell it the value of an option, or its own default where it has not named the value."""
        if not self._takes(option, value):
            value = self._usual(option)
        if option in self._options and self._told.get(option, self._usual(option)) != value:
            self._say(f"setoption name {self._options[option].name} value {value}")
            self._told[option] = value

    def _say(self, line: str) -> None:
        assert self._program is not None
        self._log.write(">", line)
        try:
            self._program.send(line.encode() + b"\n")
        except (OSError, ValueError):
            raise self._crashed() from None

    def _hear(self, deadline: float, late: str) -> str:
        assert self._program is not None
        try:
            line: str | None = self._program.hear(deadline)
        except TimeoutError:
            if begun := self._begun.get("<", b"").decode("utf-8", "replace").strip():
                late += f": {quoted(begun, 120)} has no line end"
            self._log.write("*", late)
            self._end()
            raise BotTimedOut(f"{self.name}: {late}") from None
        if line is None:
            raise self._crashed()
        return line.strip()

    def _without_move(self, why: str, fault: str) -> BotError:
        """The error of an engine that gives a reason for having no move."""
        kinds = {"": BotRefused, BotRefused.kind: BotRefused, IllegalAnswer.kind: IllegalAnswer}
        kind = kinds.get(fault, BotCrashed)
        # A bot in its own process has the same name there, so the reason may begin with it.
        own = why.startswith((f"{self.name} ", f"{self.name}: "))
        return kind(why if own else f"{self.name}: {why}")

    def _kept(self, lines: Iterator[str]) -> Iterator[str]:
        """What is kept of the lines of its stderr."""
        return map(str.strip, lines)

    def _crashed(self) -> BotError:
        how = self._how_it_ended()  # then its last words have come
        self._failed = True
        said = f", saying {quoted(self._complaints[-1], 120)}" if self._complaints else ""
        return BotCrashed(f"{self.name} {how}{said}")

    def _how_it_ended(self) -> str:
        assert self._program is not None
        how = self._program.how_it_ended()
        self._end()
        return how

    def _end(self) -> None:
        """End the program with all that it has started and left behind."""
        program, self._program = self._program, None
        if program is not None:
            program.end()


class PythonBot(Engine):
    """A Python bot as an engine of this package, in a process of its own.

    What it prints is shown on stderr at once, and the traceback of what it raises once for each
    place that raises something.

    Args:
        name: of the bot: `FILE.py`, `FILE.py:NAME` or `module:name`.
        game: what it plays.
    """

    starting = 30.0  # a module may load much
    _first = ("setoption name move overhead value 0", "uginewgame")

    def __init__(self, name: str, game: str) -> None:
        words = [] if game == "kulami" else [game]
        command = (sys.executable, "-m", "kulami_solver", *words, "engine", "--bot", name)
        path = os.pathsep.join(str(folder) for folder in sys.path if folder)
        more = {"PYTHONPATH": path}
        super().__init__(BotDescription(name, command, environment=more), game=game)
        self._places: set[tuple[str, ...]] = set()

    def start(self) -> None:
        """Start it now, and make the bot.

        Raises:
            BotError: if there is no such bot, or it cannot be made.
        """
        self._ready()

    def choose(self, position: Any, *, clock: Clock | None = None, **told: Any) -> str:
        """Return the bot's answer; the errors are those of an engine."""
        self._show()  # what it has printed of a traceback, or what nobody has heard out
        return super().choose(position, clock=clock, **told)

    def hear_out(self) -> tuple[str, ...]:
        """Return the traceback of what it has raised at its last move."""
        lines = super().hear_out()
        self._complaints.extend(lines)
        self._show()
        return lines

    def _kept(self, lines: Iterator[str]) -> Iterator[str]:
        """Its tracebacks, and why it cannot be made; the other lines are shown as they come."""
        for line in lines:
            own = line.removeprefix(f"{self.name}|").removeprefix(" ")
            if self._complaints or own == _TRACEBACK or own.startswith(_NOT_MADE):
                yield own
            else:
                show(line)

    def _show(self) -> None:
        """Show the lines that are kept, unless others had the same places, and forget them."""
        lines = self._lines_taken()
        places = places_of(lines)
        if lines and (not places or places not in self._places):
            show(*lines, name=self.name)
        self._places.add(places)

    def _crashed(self) -> BotError:
        how = self._how_it_ended()
        if not (self._complaints and self._complaints[-1].startswith(_NOT_MADE)):
            return BotCrashed(f"{self.name} {how}")
        error = BotError(self._complaints.pop().removeprefix(_NOT_MADE))
        error.details = tuple(self._complaints)[-SHOWN:]
        self._show()
        return error


def _goes_on(line: str) -> bool:
    """Whether more of a traceback comes after this line."""
    return not line or line.startswith(" ") or line == _TRACEBACK


def _go(clock: Clock) -> str:
    times = {f"p{player}time": seconds for player, seconds in enumerate(clock.left, 1)}
    if not clock.left:
        times = {} if clock.seconds is None else {"movetime": clock.seconds}
    elif clock.increment:
        times |= {f"p{player}inc": clock.increment for player in range(1, len(clock.left) + 1)}
    limits = {word: max(1, round(seconds * 1000)) for word, seconds in times.items()}
    counts = {"nodes": clock.nodes, "depth": clock.depth}
    limits |= {word: count for word, count in counts.items() if count is not None}
    return " ".join(["go", *(f"{word} {limit}" for word, limit in limits.items())])


def _meant(command: Sequence[str]) -> str:
    """How a program that cannot be started is named, in words: in this folder, or in quotes."""
    for count in range(1, len(command) + 1):
        file = " ".join(command[:count])
        here = file if os.path.dirname(file) else f"./{file}"
        if os.path.isfile(file) and here != command[0]:
            return f'; did you mean "exec {shlex.join([here, *command[count:]])}"?'
    words = list(itertools.takewhile(lambda word: not word.startswith("-"), command))
    if len(words) < 2 or os.path.exists(command[0]):
        return ""
    return f'; quotes hold a name with blanks together: "exec {shlex.quote(" ".join(words))}"'


def _said(stream: IO[bytes], log: _Log, mark: str, begun: dict[str, bytes]) -> Iterator[str]:
    """The lines of a stream that are not empty, until it ends; they are logged as they come.

    What has come of the next line is kept in `begun`, by the mark.
    """
    rest = b""
    with contextlib.suppress(OSError, ValueError), stream:
        while True:
            raw = stream.read1(_LINE)  # type: ignore[attr-defined]
            *lines, rest = (rest + (raw or b"\n")).split(b"\n")
            if len(rest) >= _LINE:
                lines, rest = [*lines, rest], b""
            begun[mark] = rest
            for one in lines:
                if line := one.decode("utf-8", "replace").rstrip():
                    log.write(mark, line)
                    yield line
            if not raw:
                return


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
            open(self._path or os.devnull, "a").close()
        except OSError as error:
            raise BotError(
                f"{_VARIABLE}: cannot write {self._path} ({reason(error)}); name another file"
            ) from None
        self.write("*", command)

    def write(self, mark: str, line: str) -> None:
        """Add a line; a failure to write does not stop a game."""
        if self._path:
            now = datetime.now().strftime("%H:%M:%S.%f")[:-3]
            said = f"{now} {self._begin} {mark} {line}\n".encode(errors="backslashreplace")
            # One write in append mode: lines of several processes do not mix.
            with contextlib.suppress(OSError), open(self._path, "ab") as file:
                file.write(said)
