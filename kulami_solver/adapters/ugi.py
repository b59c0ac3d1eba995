"""The engine's side of UGI, the Universal Game Interface: any bot, on stdin and stdout.

    ugi                              id name ..., option name ..., ugiok
    setoption name NAME value VALUE  scoring 0|1|2|chains, marbles 1-64, shortend true|false,
                                     move overhead 0-5000 (ms), and bot, any name that the command
                                     line takes
    isready                          readyok
    uginewgame
    position startpos [moves ...]    the rulebook's square
    position fen KFN [moves ...]
    go [movetime MS] [nodes N] [depth N] [infinite] [p1time MS p2time MS p1inc MS p2inc MS]
                                     info ..., bestmove FIELD
    stop                             ends the search, which still names its move
    query gameover|p1turn|result     response true|false, and p1win|p2win|draw|none
    quit

If a bot gives its opinion of its field, the engine passes it on before the move:
`info depth PLIES score cp HUNDREDTHS_OF_A_POINT wdl WIN DRAW LOSS nodes N time MS pv FIELDS`; the
chances are estimates, in thousandths.

`move overhead` of the time given, but at most half of it, is kept in reserve for the way to the
arena and back. With a clock for the game each move gets at most three quarters of the time left.

If a bot has no move, the engine says `info string fault crash` (or `illegal`, `timeout`),
`info string error: ...` and `bestmove none`. It says the last two for a position without a move.

Player 1 is red. Options, start and notation are Kulami's here; those of another game are in its
`bots.dialect.Dialect`. A line that is not understood is answered by `info string error: ...` and
otherwise ignored, as the protocol asks.

Source: kz04px, Universal Game Interface.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from ..bots.arena import part_of
from ..bots.dialect import dialect_of, read_value, ugi_line
from ..bots.naming import make_player
from ..bots.overheard import traceback_of
from ..bots.protocol import (
    PATIENCE,
    BotCrashed,
    BotError,
    Clock,
    Player,
    SolvingBot,
    Thought,
    raised,
)
from ..core.background import starting_threads
from ..errors import KulamiError, quoted
from ..game import NOBODY, Option, State, in_turn

__all__ = ["Server"]

_PLAYERS: Final = ("p1", "p2")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_MOST: Final = 1e15  # of any limit of `go`
_LEAST: Final = 0.001  # seconds that a bot gets even if its time has run out
_OVERHEAD: Final = Option("move overhead", "number", 50, "ms in reserve", least=0, most=5000)
_INFINITE: Final = 1e9
_LAST_WORD: Final = 1.0  # seconds that a bot told to stop has for its move
_REPORTED: Final = 10  # one in this many progress reports, which come every 50 ms, is passed on


class Server:
    """A bot that answers UGI.

    Args:
        bot: its name; `setoption` can change it.
        say: prints a line.
        seed: of the bot.
        version: what to add to the engine's name.
        game: what it plays, one of `kulami_solver.game.GAMES`.
        complain: prints the traceback of what a bot has raised.

    Examples:
        >>> server = Server("greedy", print)
        >>> server.serve(["ugi", "position fen AAB/CCB r/3 b a1", "query p1turn", "go", "quit"])
        id name kulami greedy
        id author the kulami_solver authors
        option name scoring type combo default 0 var 0 var 1 var 2 var chains
        option name marbles type spin default 28 min 1 max 64
        option name shortend type check default false
        option name move overhead type spin default 50 min 0 max 5000
        option name bot type string default greedy
        ugiok
        response false
        bestmove c1
    """

    def __init__(
        self,
        bot: str,
        say: Callable[[str], None],
        seed: int = 0,
        version: str = "",
        game: str = "kulami",
        complain: Callable[[str], object] = lambda _line: None,
    ) -> None:
        self._game = game
        self._complain = complain
        self._dialect = dialect_of(game)
        self._say = say
        self._seed = seed
        self._version = version
        self._name = bot
        self._player: Player = make_player(bot, seed, game=game)
        self._options = self._dialect.defaults
        self._overhead: int = _OVERHEAD.default
        self._start: str | None = None
        self._moves: list[str] = []
        self._state: State | None = self._arranged()
        self._thinking: threading.Thread | None = None
        self._unready: BotError | None = None
        self._stop = threading.Event()
        self._endless = False
        self.failed = False
        """Whether the bot has failed to give a move."""

    def serve(self, lines: Iterable[str]) -> None:
        """Answer line after line, of a text too, until `quit` or the last line.

        A search that is running at the last line is still answered, if it has an end.
        """
        try:
            for line in lines.splitlines() if isinstance(lines, str) else lines:
                words = line.split()
                if words == ["quit"]:
                    self._stop.set()
                    self._wait(_LAST_WORD)
                    return
                if words:
                    self._answer(words)
            if self._endless:
                self._stop.set()
            self._wait(PATIENCE)
        finally:
            self._stop.set()
            self._player.close()

    def _answer(self, words: list[str]) -> None:
        command, *rest = words
        after_a_search: dict[str, Callable[[list[str]], None]] = {
            "setoption": self._set,
            "uginewgame": self._begin,
            "position": self._place,
            "go": self._go,
        }
        try:
            if command in after_a_search:
                self._wait()
                after_a_search[command](rest)
            elif command == "ugi":
                self._introduce()
            elif command == "isready":
                self._say("readyok")
            elif command == "stop":
                self._stop.set()
                self._wait(_LAST_WORD)
            elif command == "query":
                self._query(rest)
            else:
                raise KulamiError(f"unknown command {quoted(command)}")
        except KulamiError as error:
            self._show(error)
            self._say(f"info string error: {error}")

    def _begin(self, _words: list[str]) -> None:
        """Begin another game; a bot that fails here has no move later."""
        self._unready = None
        try:
            self._player.new_game()
        except BotError as error:
            self._unready = error

    def _show(self, error: BaseException) -> None:
        """Print the traceback of what a bot has raised."""
        if lines := traceback_of(error):
            self._complain("\n".join(lines))

    def _introduce(self) -> None:
        for line in (
            f"id name {self._dialect.title} {self._player.name}{self._version}",
            "id author the kulami_solver authors",
            *map(ugi_line, (*self._options_named(), _OVERHEAD)),
            ugi_line(Option("bot", "text", self._name, "any name of a bot")),
            "ugiok",
        ):
            self._say(line)

    def _options_named(self) -> Iterable[Option]:
        """The game's options, less those for bots that this one does not take."""
        told, taken = in_turn(self._dialect.state(None, {})).for_bots()[1], self._player.taken
        for option in self._dialect.options:
            if taken is None or option.name in taken or option.name not in told:
                yield option

    def _set(self, words: list[str]) -> None:
        if words[:1] != ["name"] or "value" not in words:
            raise KulamiError("setoption: write setoption name NAME value VALUE")
        place = words.index("value")
        name, value = " ".join(words[1:place]).lower(), " ".join(words[place + 1 :])
        if name in self._options:
            self._options[name] = self._dialect.read_option(name, value)
        elif name == _OVERHEAD.name:
            self._overhead = int(read_value(_OVERHEAD, value))
        elif name == "bot":
            player = make_player(value, self._seed, game=self._game)
            self._player.close()
            self._player, self._name = player, value
        else:
            raise KulamiError(f"there is no option {quoted(name)}")
        if name in self._options:
            # The board stays. If it does not fit the new options, there is no state. A position
            # that was refused before may be possible now, but is not refused twice.
            refused, self._state = self._state is None, None
            with contextlib.suppress(*[KulamiError] if refused else []):
                self._state = self._arranged()

    def _place(self, words: list[str]) -> None:
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        given = words[: words.index("moves")] if "moves" in words else words
        self._state = None
        if given == ["startpos"]:
            self._start = None
        elif given[:1] == ["fen"]:
            self._start = " ".join(given[1:])
        else:
            notation = self._dialect.game.notation
            raise KulamiError(f"position: write position startpos, or position fen {notation}")
        self._moves = moves
        self._state = self._arranged()

    def _arranged(self) -> State:
        return self._dialect.after(self._dialect.state(self._start, self._options), self._moves)

    def _known(self) -> State:
        if self._state is None:
            raise KulamiError(
                "there is no valid position: give one with position fen "
                f"{self._dialect.game.notation}"
            )
        return self._state

    def _query(self, words: list[str]) -> None:
        state = self._known()
        over = state.to_move == NOBODY
        if words == ["gameover"]:
            self._say(f"response {str(over).lower()}")
        elif words == ["p1turn"]:
            # A position has a turn when the game is over, too.
            turn = getattr(state.position, "turn", None)
            first = state.to_move == 0 if turn is None else turn == state.game.seats[0]
            self._say(f"response {str(first).lower()}")
        elif words == ["result"]:
            result = "none"
            if over:
                first, second = state.returns()
                result = "p1win" if first > second else "p2win" if first < second else "draw"
            self._say(f"response {result}")
        else:
            raise KulamiError("query: ask for gameover, p1turn or result")

    # Thinking in a thread, so that `stop` is read meanwhile

    def _go(self, words: list[str]) -> None:
        begun = time.monotonic()
        try:
            state = self._known()
            if state.to_move == NOBODY:
                raise KulamiError("go: the game is over")
        except KulamiError as error:
            self._no_move(error)
            return
        limits, wrong = _limits(words)
        if wrong is not None:
            self._say(f"info string error: {wrong}")
        self._stop = threading.Event()
        self._endless = "infinite" in words
        time_given = _INFINITE if self._endless else self._time_given(limits, state)
        nodes, depth = limits.get("nodes"), limits.get("depth")
        left = [limits[name] / 1000 for player in _PLAYERS if (name := f"{player}time") in limits]
        clock = Clock(
            None if time_given is None else max(time_given / 1000, _LEAST),
            None if nodes is None else max(1, int(nodes)),
            None if depth is None else max(1, int(depth)),
            self._stop,
            increment=limits.get(f"{_PLAYERS[state.to_move]}inc", 0.0) / 1000,
            left=tuple(left) if len(left) == len(_PLAYERS) else (),
            seat=state.to_move,
        )
        thinking = threading.Thread(
            target=self._think, args=(state, clock, begun), name="kulami-engine", daemon=True
        )
        try:
            with starting_threads():
                thinking.start()
        except KulamiError as error:
            self._no_move(error)
            return
        self._thinking = thinking

    def _no_move(self, error: KulamiError) -> None:
        """Say what is wrong; the arena expects a bestmove after each go."""
        self._say(f"info string error: {error}")
        self._say("bestmove none")

    def _time_given(self, limits: dict[str, float], state: State) -> float | None:
        """Milliseconds that the bot may think, None for no limit."""
        own = _PLAYERS[state.to_move]
        left = limits.get("movetime", limits.get(f"{own}time"))
        if left is None:
            return None
        part = left
        if "movetime" not in limits:
            part = part_of(left, limits.get(f"{own}inc", 0), state, self._player.bot)
        # The overhead is taken from the time left, not from the part for this move.
        return min(part, left - min(self._overhead, left / 2))

    def _think(self, state: State, clock: Clock, begun: float) -> None:
        if clock.seconds is not None:
            # A thread may have to wait for its start if processors are busy.
            left = begun + clock.seconds - time.monotonic()
            clock = replace(clock, seconds=max(left, _LEAST))
        bot = self._player.bot
        try:
            if self._unready is not None:
                raise self._unready
            more = {"report": self._reporter()} if isinstance(bot, SolvingBot) else {}
            move = self._player.choose(state, clock, **more)
        except BotError as error:
            move = self._failure(error, str(error), error.kind)
        except BaseException as error:  # the bot's own: Ctrl-C reaches only the main thread
            message = f"{self._player.name} {raised(error)}"
            move = self._failure(error, message, BotCrashed.kind)
        else:
            with contextlib.suppress(Exception):  # the move counts, whatever else the bot tells
                thought = self._player.thought
                if thought is not None:
                    self._say(_info(thought, time.monotonic() - begun))
                if isinstance(bot, SolvingBot):
                    self._say(f"info string {'proved' if bot.proved else 'not proved'}")
        if self._endless:
            self._stop.wait()  # only `stop` ends an infinite search
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._say(f"bestmove {move}")

    def _failure(self, error: BaseException, message: str, kind: str) -> str:
        """Report why the bot has no move; return the answer in place of a move."""
        self.failed = True
        self._show(error)
        self._say(f"info string fault {kind}")
        self._say(f"info string error: {message}")
        return "none"

    def _reporter(self) -> Callable[[Any], None]:
        count = 0

        def report(progress: Any) -> None:
            nonlocal count
            count += 1
            if count % _REPORTED == 0:
                self._say(
                    f"info nodes {progress.nodes} time {round(progress.seconds * 1000)} "
                    f"score lower {progress.lower} upper {progress.upper}"
                )

        return report

    def _wait(self, seconds: float | None = None) -> None:
        """Wait for the search for at most `seconds`; an endless search is told to stop."""
        if self._thinking is None:
            return
        if self._endless:
            self._stop.set()
        self._thinking.join(seconds)
        if not self._thinking.is_alive():
            self._thinking = None
            self._endless = False


def _info(thought: Thought, seconds: float) -> str:
    """Return the info line of a bot's opinion of its choice, after `seconds`."""
    words = ["info"]
    if thought.depth is not None:
        words += ["depth", str(thought.depth)]
    if thought.score is not None:
        words += ["score", "cp", str(round(100 * thought.score))]
    if thought.chances is not None:
        win, draw, _ = (round(1000 * chance) for chance in thought.chances)
        words += ["wdl", str(win), str(draw), str(1000 - win - draw)]
    if thought.nodes is not None:
        words += ["nodes", str(thought.nodes)]
    return " ".join([*words, "time", str(round(1000 * seconds)), "pv", *thought.line])


def _limits(words: list[str]) -> tuple[dict[str, float], KulamiError | None]:
    """Return the limits that the words after `go` set, and what is wrong with them.

    A bot always moves, since anything else loses the game: words that are not known are skipped, a
    clock below 0 has run out, and a limit that cannot be read is the least one.
    """
    limits: dict[str, float] = {}
    wrong = None
    for word, value in pairwise([*words, ""]):
        if word in ("movetime", "nodes", "depth", "p1time", "p2time", "p1inc", "p2inc"):
            readable = _NUMBER.fullmatch(value)
            limits[word] = min(max(0.0, float(value)), _MOST) if readable else 0.0
            if not readable:
                wrong = KulamiError(f"go: after {word} comes a whole number, not {quoted(value)}")
    return limits, wrong
