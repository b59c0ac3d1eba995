"""The parser of the command line: one-line errors, the kinds of options, and what some stand for.

--movetime, --nodes, --depth   limits of a bot's thinking: a `Clock`
--workers                      the machines of a cluster: `workers_asked_for`
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NoReturn

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.output import CommandError
from kulami_solver.core.notation import so_many
from kulami_solver.errors import KulamiError, quoted
from kulami_solver.registry import GAMES, module_of, part

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from kulami_solver.bots.protocol import Clock
    from kulami_solver.cluster import Cluster


_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)

#: How the address of a scheduler is shown in help.
ADDRESS: Final = "tcp://HOST:PORT"
_DOCS: Final = "docs/cluster.md"

# Words that people type to ask for help.
_HELP = ("help", "h", "?")

#: What `add_subparsers` returns; generic only for the type checker.
Commands = Any


class Options(argparse._ActionsContainer):
    """A container of options: the parser of a command, or a group of options."""

    def value(
        self,
        name: str,
        metavar: str,
        words: str,
        read: Callable[[str], Any] = str,
        default: object = None,
        **how: Any,
    ) -> None:
        """Add an option, or a word, whose text is read by `read`; `how` is for `add_argument`."""
        self.add_argument(name, metavar=metavar, type=read, default=default, help=words, **how)

    def number(
        self,
        name: str,
        low: int | None,
        high: int | None,
        words: str,
        default: int | None = None,
        metavar: str = "N",
    ) -> None:
        """Add an option that takes a whole number from `low` to `high`; None is no bound."""
        self.value(name, metavar, words, whole_number(low, high), default)

    def seconds(self, name: str, words: str, default: float | None = None) -> None:
        """Add an option that takes a time."""
        self.value(name, "SECONDS", words, seconds, default)

    def memory(self, words: str, default: str | None = None) -> None:
        """Add --memory."""
        self.value("--memory", "SIZE", words, memory_size, default)

    def bots(self, words: str) -> None:
        """Add words that name bots, and --engines, a file that describes some."""
        self.add_argument("bots", metavar="BOT", nargs="*", default=[], help=f"see below; {words}")
        self.file("--engines", "more of them, described in JSON or TOML")

    def build(
        self,
        threads: str = "threads to use",
        force: str = (
            "build whatever the estimate says, throw away another build's work, and replace a "
            "file that is there"
        ),
    ) -> None:
        """Add the options for the resources of a build; two of them with the given help."""
        self.number("--threads", 1, 256, threads)
        self.memory("what may be used: 4G, 500M; a plain number is MiB")
        self.switch("--force", force)

    def clock(self) -> None:
        """Add the limits of a bot's thinking."""
        group = self.group("limits for each move")
        group.seconds("--movetime", "time")
        group.number("--nodes", 1, 10**15, "positions")
        group.number("--depth", 1, 64, "plies")

    def seed(self) -> None:
        """Add --seed."""
        self.number("--seed", 0, 2**31, "of whatever is left to chance (0)", 0)

    def workers(self, what: str) -> None:
        """Add --workers with the address of a scheduler, whose workers do what `what` says."""
        self.value("--workers", "ADDRESS", f"whose workers {what}: see {_DOCS}", address)

    def processes(self, do: str, usual: str = "one a processor", count: int | None = None) -> None:
        """Add `--workers` for processes of this machine, or the workers of a scheduler.

        Args:
            do: what they do.
            usual: how many, in words.
            count: how many.
        """
        words = f"processes that {do} ({usual}), or ADDRESS ({_DOCS})"
        self.value("--workers", "N|ADDRESS", words, workers_or_address, count)

    def pictures(self, shows: str = "") -> None:
        """Add --svg and --png; `shows` describes the pictures."""
        self.output("--svg", f"write a drawing{shows}", ".svg")
        self.output("--png", f"write a picture{shows}", ".png")

    def file(self, name: str, words: str, metavar: str = "FILE") -> None:
        """Add an option, or a word, that names a file."""
        self.value(name, metavar, words, file_name)

    def input(self, one: str) -> None:
        """Add --input, a file with `one` on each line."""
        self.file("--input", f"one {one} a line (-: standard input), one answer in JSON each")

    def output(self, name: str, words: str, ending: str | None = None, nargs: Any = None) -> None:
        """Add an option, or a word, that names a file to be written, which is checked at once.

        Args:
            name: of the option or word.
            words: the help.
            ending: of the names of such files; None if the name that is given tells the kind.
            nargs: as argparse has it.
        """
        metavar = name.upper() if nargs else "FILE"
        self.add_argument(name, nargs=nargs, metavar=metavar, type=Output(ending), help=words)

    def choice(
        self,
        name: str,
        choices: Iterable[str],
        words: str,
        default: str | None = None,
        metavar: str | None = None,
        **how: Any,
    ) -> None:
        """Add an option, or a word, with a choice of values; `how` is for `add_argument`."""
        among = tuple(choices)
        self.value(name, metavar or "|".join(among), words, str, default, choices=among, **how)

    def switch(self, name: str, words: str) -> None:
        """Add an option without a value."""
        self.add_argument(name, action="store_true", help=words)

    def of_game(self, *options: ks.game.Option) -> None:
        """Add options of a game; each is None, or False for a switch, unless it is given."""
        for option in options:
            name = f"--{option.name.replace('_', '-')}"
            words = f"{option.words} ({option.default})"
            if option.kind == "switch":
                self.switch(name, option.words)
            elif option.kind == "choice":
                self.choice(name, option.choices, words)
            elif option.kind == "number":
                self.number(name, option.least, option.most, words)
            else:
                self.value(name, "TEXT", words)

    def group(self, title: str) -> Group:
        """Return a new group of options, which the help page shows below its title."""
        group = Group(self, title)
        self._action_groups.append(group)
        return group

    def one_of(self, required: bool = False) -> OneOf:
        """Return a new group of options, of which at most one may be given."""
        group = OneOf(self, required=required)
        self._mutually_exclusive_groups.append(group)
        return group


class Group(Options, argparse._ArgumentGroup):
    """Options that stand together on the help page."""


class OneOf(Options, argparse._MutuallyExclusiveGroup):
    """Options of which at most one may be given."""


# Wide enough for `--scoring 0|1|2|chains` and its words on one line.
_Formatter = functools.partial(argparse.RawDescriptionHelpFormatter, max_help_position=26)


class Parser(Options, argparse.ArgumentParser):
    """An argument parser that raises `CommandError` instead of printing its usage."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", _Formatter)
        # Errors come to `parse_known_args`, which knows their causes.
        super().__init__(allow_abbrev=False, exit_on_error=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise an error about the words on the command line."""
        raise CommandError(f"{self._needed(message)} (see '{self.prog} --help')")

    #: Guesses the option that a misplaced word was meant for; returns None if there is none.
    meant: Callable[[str], str | None] | None = None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            import difflib

            close = difflib.get_close_matches(str(value), map(str, action.choices or ()), 1)
            if isinstance(action, argparse._SubParsersAction):
                meant = "--help" if value in _HELP else close[0] if close else None
                if meant is None:
                    self.error(f"unknown command {quoted(value)}")
                self.error(f"unknown command {quoted(value)}; did you mean {meant}?")
            if close:
                error.message += f"; did you mean {close[0]}?"
            raise

    def format_usage(self) -> str:
        """The command and its arguments; `[options]` for all options, which the help lists."""
        formatter = self._get_formatter()
        formatter.add_usage(None, self._get_positional_actions(), [])
        return formatter.format_help().replace(self.prog, f"{self.prog} [options]", 1)

    def format_help(self) -> str:
        """As in argparse, but examples stand at the top, and a text of `help.txt` at the end."""
        text = help_text(self.prog)
        shown = re.search(r"^examples?$|\Z", text, re.MULTILINE)
        place = shown.start() if shown else 0
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        formatter.add_text(text[place:])
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(text[:place])
        return f"{self.format_usage()}\n{formatter.format_help()}"

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """As in argparse, but errors of stdout are raised."""
        if file is None:
            from kulami_solver.cli import output

            output.line(self.format_help().rstrip("\n"))
        else:
            super().print_help(file)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As in argparse, but an unknown word is refused by the command that it was given to."""
        words = [*(sys.argv[1:] if args is None else args)]
        self._refuse_mistyped(words)
        if words and not words[0].startswith("-") and not self._get_positional_actions():
            self._refuse_word(words[0])
        try:
            known, extras = super().parse_known_args(words, namespace)
        except argparse.ArgumentError as error:
            # argparse replaces the words of an error that a reader of a value has raised.
            read = error.__context__
            wrong = str(read) if isinstance(read, KulamiError) else error.message
            self.error(f"{error.argument_name}: {wrong}" if error.argument_name else wrong)
        # Words after an option belong to those before it.
        listed = [one for one in self._get_positional_actions() if one.nargs == "*"]
        if extras and listed and not any(word.startswith("-") for word in extras):
            more = [self._get_value(listed[0], word) for word in extras]
            setattr(known, listed[0].dest, [*getattr(known, listed[0].dest), *more])
        elif extras:
            self._refuse_word(extras[0])
            self.error(f"unknown argument {', '.join(map(quoted, extras[:3]))}")
        self._check_outputs(known)
        return known, []

    def _refuse_mistyped(self, words: list[str]) -> None:
        """Refuse an option that there is not, if one is much like it."""
        import difflib

        for word, value in pairwise([*words, "-"]):
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return  # what follows is no option, or one of a command
            name = word.partition("=")[0]
            options = [option for option in self._option_string_actions if option[:2] == "--"]
            if name[:2] != "--" or " " in name or name in options:
                continue
            begun = [option for option in options if option.startswith(name)]
            close = begun or difflib.get_close_matches(name, options, 1, 0.7)
            if close:
                given = [quoted(one) for one in (word, value) if one is word or value[:1] != "-"]
                self.error(f"unknown argument {', '.join(given)}; did you mean {close[0]}?")

    def _needed(self, message: str) -> str:
        """Return a message of argparse about missing words as a remedy; others unchanged."""
        if one := re.fullmatch("one of the arguments (.+) is required", message):
            return f"give one of {one[1]}"
        _, found, missing = message.partition("the following arguments are required: ")
        return f"give {missing}" if found else message

    def _check_outputs(self, given: argparse.Namespace) -> None:
        """Refuse a file to write that cannot be written, or that another argument names, too."""
        from kulami_solver.cli.output import check_kind, check_picture_name, check_writable

        named = [
            (action, path)
            for action in self._actions
            if action.type is file_name or isinstance(action.type, Output)
            for path in _listed(getattr(given, action.dest))
        ]
        for action, path in named:
            if isinstance(action.type, Output):
                check_writable(_called(action), path)
                for other, used in named:
                    if other is not action and _is_same_file(path, used):
                        raise KulamiError(
                            f"{_called(action)}: {_called(other)} names {path}, too; name another "
                            "file"
                        )
                ending = action.type.ending
                if ending in (".svg", ".png"):
                    check_picture_name(_called(action), path, ending)
                check_kind(path, ending)

    def _refuse_word(self, word: str) -> None:
        """Refuse a misplaced word, if its intended meaning is clear."""
        option = self._option_of_bot(word) or (None if self.meant is None else self.meant(word))
        if option is not None:
            given = shlex.quote(word)
            self.error(f"unknown argument {quoted(word)}: you mean {option} {given}")

    def _option_of_bot(self, word: str) -> str | None:
        """The option for a word that names a bot, where there is one."""
        from kulami_solver.bots.naming import bots_of

        options, kind = self._option_string_actions, word.partition(":")[0]
        if word.isdecimal() and "--level" in options:
            return "--level"
        is_program = word.startswith(("exec ", "cmd=")) or kind.endswith(".py")
        named = "--bot" in options and (is_program or any(kind in bots_of(one) for one in GAMES))
        return "--bot" if named else None


def _listed(value: str | list[str] | None) -> list[str]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _called(action: argparse.Action) -> str:
    return action.option_strings[0] if action.option_strings else str(action.metavar or action.dest)


def _is_same_file(path: str, other: str) -> bool:
    """Whether two names are those of one file, that there is or will be; devices take anything."""
    is_file = os.path.isfile(path) or not os.path.exists(path)
    return is_file and os.path.realpath(path) == os.path.realpath(other)


def add_command(
    commands: Commands, name: str, run: Callable[..., int], summary: str, *given: object
) -> Parser:
    """Add the command `name`, which `run(*given, args)` carries out, with its usual options."""
    described = f"{summary[0].upper()}{summary[1:]}."
    parser: Parser = commands.add_parser(name, help=summary, description=described)
    parser.set_defaults(run=functools.partial(run, *given))
    parser.switch("--json", "answer in JSON, one line")
    return parser


def add_group(commands: Commands, name: str, title: str, summary: str) -> Commands:
    """Add the command `name` of a game, and return the group for its own commands."""
    described = f"Exact answers about {title}."
    parser: Parser = commands.add_parser(name, help=summary, description=described)
    parser.set_defaults(run=lambda _: parser.error("no command given"))
    return parser.add_subparsers(metavar="COMMAND", parser_class=Parser)


def help_text(prog: str) -> str:
    """Return the text below the options on a command's help page; empty if it has none.

    The text is a section of the file `help.txt` in the game's folder, or else in this one; {NAME}
    stands for another section of that file.

    Args:
        prog: the command, such as "kulami malawi solve".
    """
    words = prog.split()
    first = next(iter(GAMES))
    # The names of other packages' games take a while: a command of the first game does without.
    games = (first, *words[1:])
    if len(words) > 2:
        games = (words[1] if module_of(words[1]) else first,)
    for game in games:
        for folder in filter(None, (part(game, "cli"), sys.modules[__package__ or ""])):
            sections = _sections(os.path.dirname(str(folder.__file__)))
            if words[-1] in sections:
                return sections[words[-1]]
    return ""


@functools.cache
def _sections(folder: str) -> dict[str, str]:
    try:
        with open(os.path.join(folder, "help.txt"), encoding="utf-8") as file:
            _, *parts = re.split(r"^== (.+)\n", file.read(), flags=re.MULTILINE)
    except OSError:  # a game of another package may have none
        return {}
    texts = dict(zip(parts[::2], (text.strip("\n") for text in parts[1::2]), strict=True))

    def filled(text: str) -> str:
        return re.sub(r"\{([A-Z]+)\}", lambda name: filled(texts[name[1]]), text)

    return {name: filled(text) for name, text in texts.items()}


def whole_number(low: int | None, high: int | None) -> Callable[[str], int]:
    """A reader of whole numbers from `low` to `high`, for argparse; None is no bound.

    >>> whole_number(1, 64)("28"), whole_number(None, 64)("-28")
    (28, -28)
    """

    def read(text: str) -> int:
        bounds = ks.game.Option("", "number", None, "", low, high)
        if len(text) < 1000 and _WHOLE.fullmatch(text) and bounds.holds(int(text)):
            return int(text)
        way = "," if None in (low, high) else " from"
        raise KulamiError(f"expected a whole number{way} {bounds.range}, not {quoted(text)}")

    return read


def seconds(text: str) -> float:
    """A time budget in seconds, more than 0 and at most 10^9.

    >>> seconds("1.5")
    1.5
    """
    value = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not 0 < value <= 1e9:
        raise KulamiError(
            f"expected seconds, more than 0 and at most 1000000000, not {quoted(text)}"
        )
    return value


def seconds_or_inf(text: str) -> float:
    """A time budget in seconds, or none at all.

    >>> seconds_or_inf("inf"), seconds_or_inf("2")
    (inf, 2.0)
    """
    return math.inf if text.lower() == "inf" else seconds(text)


def game_clock(text: str) -> tuple[float, float]:
    """A time for a game and the increment for each move, in seconds, for argparse.

    >>> game_clock("60"), game_clock("10+0"), game_clock("10+0.1")
    ((60.0, 0.0), (10.0, 0.0), (10.0, 0.1))
    """
    whole, plus, more = text.partition("+")
    none = not plus or ("0" in more and not more.strip("0."))
    return seconds(whole), 0.0 if none else seconds(more)


def address(text: str) -> str:
    """The address of a scheduler; `connect` checks that a scheduler is there.

    >>> address("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    if "://" not in text:
        raise KulamiError(f"expected {ADDRESS} of a scheduler, not {quoted(text, 80)}")
    return text


def workers_or_address(text: str) -> int | str:
    """A number of processes, or the address of a scheduler.

    >>> workers_or_address("2"), workers_or_address("tcp://127.0.0.1:8786")
    (2, 'tcp://127.0.0.1:8786')
    """
    return address(text) if "://" in text else whole_number(1, 256)(text)


def memory_size(text: str) -> str:
    """A size of memory, unchanged.

    >>> memory_size("1.5G")
    '1.5G'
    """
    from kulami_solver.core.memory import parse_memory

    parse_memory(text)
    return text


def file_name(text: str) -> str:
    """The name of a file; only an empty name is refused here."""
    if not text:
        raise KulamiError("expected the name of a file, not ''")
    return text


class Output:
    """A reader of the name of a file to be written, for argparse; `ending` tells its kind."""

    def __init__(self, ending: str | None) -> None:
        self.ending = ending

    def __call__(self, text: str) -> str:
        return file_name(text)


def clock_of(args: argparse.Namespace) -> Clock:
    """The limits given, of a move or, in a match, of a game.

    Raises:
        CommandError: if both are given.
    """
    from kulami_solver.bots.protocol import Clock

    game, increment = getattr(args, "clock", None) or (None, 0.0)
    if game is not None and args.movetime is not None:
        raise CommandError("--clock is for a whole game, --movetime for each move: give one")
    return Clock(args.movetime, args.nodes, args.depth, game=game, increment=increment)


def _answers(page: str) -> bool:
    """Whether a page answers: a scheduler without a dashboard names an address, too."""
    from urllib.request import ProxyHandler, build_opener

    try:
        with build_opener(ProxyHandler({})).open(page, timeout=2):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def workers_asked_for(args: argparse.Namespace) -> Iterator[Cluster | None]:
    """The cluster that --workers names, None if it names none; waits for its first worker.

    Raises:
        CommandError: --threads is given as well.
        ClusterError: there is no such cluster.
    """
    if not isinstance(args.workers, str):
        yield None
        return
    if getattr(args, "threads", None) not in (None, 1):
        raise CommandError(
            "--threads is for work on this machine, and --workers have their own: leave one out"
        )
    import logging

    from kulami_solver.cluster import connect

    with contextlib.ExitStack() as stack:
        logging.disable(logging.CRITICAL)  # what distributed logs is told in a sentence instead
        stack.callback(logging.disable, logging.NOTSET)
        waiting = f"for workers at {args.workers}: start some, and the work begins (Ctrl-C ends it)"
        with output.told_if_late(waiting):
            cluster = stack.enter_context(connect(args.workers, patience=None))
            workers = cluster.workers()
        threads = so_many(sum(workers.values()), "thread")
        said = f"{so_many(len(workers), 'worker')} with {threads} at {cluster.address}"
        dashboard = cluster.dashboard
        if dashboard and _answers(dashboard):
            said += f"; dashboard {dashboard}"
        output.message("note", said)
        with cluster.watched(lambda said: output.message("waiting", said)):
            yield cluster
