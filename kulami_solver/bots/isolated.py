"""A Python bot from a module, in its own process; it can hang or end that without harm.

    this process                                that process
    ("make", (module, bot, path of modules))    ->
                                                <-  (None, names of the arguments it takes)
    ("choose", (position, what is offered))     ->
                                                <-  (None, (answer, answer in words))
                                                <-  (fault, None)

Both are pickled. A late bot is ended with its process, and made again for its next move. Its output
goes to stderr, each line after its name, and so does the traceback of an exception, once for each
place that raises one.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import io
import os
import pickle
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final

from ..core.interruption import awake
from ..core.whole_numbers import whole
from ..errors import Phrase, quoted
from .overheard import SHOWN, NamedLines, exception_lines, places_of
from .program import Program
from .protocol import (
    GRACE,
    PATIENCE,
    BotCrashed,
    BotError,
    BotRefused,
    BotTimedOut,
    Clock,
    IllegalAnswer,
    Player,
    raised,
)

_SERVE: Final = f"import sys, {__name__} as bot; bot.serve(sys.argv[1])"
_START: Final = 30.0  # seconds until the process is there and has made its bot
_KINDS: Final = {
    kind.kind: kind for kind in (BotCrashed, BotError, BotRefused, BotTimedOut, IllegalAnswer)
}


class IsolatedBot:
    """A bot that runs in another process.

    Args:
        name: of the bot, `module:name`.
        game: the module of its game.

    Raises:
        BotError: if there is no such bot.
    """

    def __init__(self, name: str, game: str) -> None:
        self.name = name
        self._game = game
        self._program: Program | None = None
        self.taken: frozenset[str] | None = frozenset()
        """As that of its `Player` in the other process."""
        self._start()

    def new_game(self) -> None:
        """Tell it that another game begins."""
        self._asked("new_game", (), PATIENCE)

    def choose(self, position: Any, clock: Clock, **told: Any) -> object:
        """Return the bot's answer.

        Raises:
            BotCrashed: if it raises an exception, or its process has ended.
            BotTimedOut: if it is late; it is ended then.
            IllegalAnswer: if the answer is an object of the bot's own.
        """
        limit = PATIENCE if clock.latest is None else max(0.0, clock.latest) + GRACE
        # Without `stop`, because no other process can see it.
        offered = {**told, "clock": replace(clock, stop=None)}
        answer, words = self._asked("choose", (position, offered), limit)
        try:
            return _KnownClasses(answer, self._game).load()
        except Exception:
            raise IllegalAnswer(
                f"{self.name} answers {quoted(Phrase(words))}, which is no move"
            ) from None

    def close(self) -> None:
        """Let the bot close itself, but not for long, and end the process."""
        program = self._program
        if program is not None:
            with contextlib.suppress(OSError, ValueError):
                program.send(pickle.dumps(("close", ())))
                program.has_ended(0.5)
        self._end()

    def __del__(self) -> None:
        self._end()

    def _start(self) -> None:
        self._program = Program([sys.executable, "-c", _SERVE, self.name])
        self._program.listen(_pickled(self._program.stdout))
        self.taken = self._asked("make", (self._game, sys.path), _START, "not made")

    def _asked(self, method: str, arguments: Any, limit: float, late: str = "no move") -> Any:
        if self._program is None:
            self._start()
        program = self._program
        assert program is not None
        try:
            program.send(pickle.dumps((method, arguments)))
            said = program.hear(awake() + limit)
        except TimeoutError:
            self._end()
            why = f"{late} in {limit:g} s"
            raise BotTimedOut(f"{self.name}: {why}") from None
        except (OSError, ValueError):
            said = None
        except BaseException:
            self._end()  # the answer may still come, and would be taken for the next one
            raise
        if said is None:
            how = program.how_it_ended()
            self._end()
            raise BotCrashed(f"{self.name} {how}")
        fault, found = said
        if fault is not None:
            if method == "make":
                self._end()
            raise fault
        return found

    def _end(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            program.end()


def _pickled(stream: IO[bytes]) -> Iterator[Any]:
    """The objects of a stream, until it ends."""
    with contextlib.suppress(EOFError, OSError, ValueError), stream:
        while True:
            yield pickle.load(stream)


class _KnownClasses(pickle.Unpickler):
    """A reader of plain values and of the game's own objects: nothing of the bot's runs here."""

    def __init__(self, packed: bytes, game: str) -> None:
        super().__init__(io.BytesIO(packed))
        self._room = game.rpartition(".")[0] or game

    def find_class(self, module: str, name: str) -> Any:
        if module == self._room or module.startswith(f"{self._room}."):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of the game")


# In the bot's process


def serve(name: str) -> None:
    """Answer with the bot of this name until nobody asks any more, or it is to close."""
    requests, answers = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
    # Neither the bot nor a program that it starts may read or write there.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    player: Any = None
    told = set()
    with NamedLines(name, sys.stderr) as said, contextlib.redirect_stdout(said):
        for method, arguments in _pickled(requests):
            fault: BotError | None = None
            answer: Any = None
            try:
                if method == "make":
                    player, answer = _made(name, *arguments)
                elif method == "choose":
                    answer = _answer(player.ask(*arguments))
                elif method == "new_game":
                    player.new_game()
                else:
                    player.close()
                    return
            except BaseException as error:
                fault = _fault(name, error)
                places = places_of(fault.details)
                if fault.details and places not in told:
                    print(*fault.details, sep="\n", file=said)
                told.add(places)
            pickle.dump((fault, answer), answers)
            answers.flush()


def _made(name: str, game: str, path: list[str]) -> tuple[Player, frozenset[str] | None]:
    """Make the bot; its game is imported now, and not in the time of its first move."""
    sys.path[:] = path
    importlib.import_module(game)
    module, _, rest = name.partition(":")
    player = Player(imported_bot(module, rest), name)
    return player, player.taken


def _answer(answer: object) -> tuple[bytes, str]:
    """Return an answer pickled, and in words in case nobody can read that."""
    plain = answer
    if isinstance(answer, str):
        plain = str.__str__(answer)
    elif (number := whole(answer)) is not None:
        plain = number
    packed = b""
    with contextlib.suppress(Exception):
        packed = pickle.dumps(plain)
    return packed, quoted(answer)


def _fault(name: str, error: BaseException) -> BotError:
    """Return what the bot has raised as an error of this package alone."""
    if isinstance(error, BotError):
        fault = _KINDS.get(error.kind, BotError)(error)
        cause = error.__cause__
    else:
        fault, cause = BotCrashed(f"{name} {raised(error)}"), error
    if isinstance(error, BotError) and error.details:
        fault.details = error.details
    elif cause is not None:
        fault.details = exception_lines(cause)[-SHOWN:]
    return fault


def find_in_working_folder() -> None:
    """Have Python find the modules of the working folder, as with `python -m`."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def _module_of_file(path: str) -> ModuleType:
    """Run a file as a module. Python finds what lies beside it, but nothing in place of its own."""
    folder, file = os.path.split(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.append(folder)
    name = f"{file.removesuffix('.py')} of {folder}"  # no other module has this name
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _only_bot(path: str) -> str:
    """The name of the class with `choose`, or of the function `choose`, that a Python file has.

    Raises:
        BotError: if it has none, or several, or cannot be read.
    """
    try:
        body = ast.parse(Path(path).read_bytes()).body
    except OSError as error:
        raise BotError(f"{path}: {error.strerror}") from None
    except SyntaxError as error:
        raise BotError(f"{path} line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise BotError(f"{path} is no Python file: {error}") from None
    found = [
        node.name
        for node in body
        if isinstance(node, ast.ClassDef) and any(map(_is_choose, node.body))
    ]
    if not found and any(map(_is_choose, body)):
        return "choose"
    if not found:
        raise BotError(
            f"{path} has neither choose(position) nor a class with it: say which bot it has, as "
            f"{path}:NAME, or 'exec python {path}' if it speaks UGI"
        )
    if len(found) > 1:
        raise BotError(f"{path} has the bots {', '.join(found)}: say which, as {path}:{found[0]}")
    return found[0]


def _is_choose(node: ast.stmt) -> bool:
    return getattr(node, "name", "") == "choose"


def imported_bot(module_name: str, path: str) -> object:
    """Return the bot a module has under a name; a class is instantiated.

    Args:
        module_name: of the module, or the path of its file, which ends in .py.
        path: the name, in a class perhaps; empty for the only bot of a file.

    Raises:
        BotError: if it has none.
    """
    find_in_working_folder()
    of_file = module_name.endswith(".py")
    if of_file and not os.path.isfile(module_name):
        raise BotError(f"{module_name}: No such file; name a Python file")
    path = path or _only_bot(module_name)
    try:
        found = (_module_of_file if of_file else importlib.import_module)(module_name)
    except ModuleNotFoundError as error:
        if of_file or (error.name != module_name.partition(".")[0] and error.name != module_name):
            raise BotError("module_not_imported", module=module_name, why=error) from None
        raise BotError(
            f"there is no module {quoted(module_name)}: name one that Python finds from here"
        ) from None
    except (Exception, SystemExit) as error:
        raise BotError(f"{module_name} cannot be imported: it {raised(error)}") from error
    bot: object = found
    for step in path.split("."):
        if not hasattr(bot, step):
            raise BotError("module_without", module=module_name, name=path)
        bot = getattr(bot, step)
    if isinstance(bot, type):
        try:
            return bot()
        except (Exception, SystemExit) as error:
            what = f"{module_name}:{path}() {raised(error)}"
            raise BotError(f"{what}; a bot's class is made without arguments") from error
    return bot
