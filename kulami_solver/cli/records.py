"""Recorded games, of any game: `replay` checks them, `grade` judges their moves."""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name, workers_asked_for
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.results import RECORD_LIMIT, named, result_file, taken_from_file, text_lines
from kulami_solver.core.compressed import ENDING
from kulami_solver.core.files import files_in
from kulami_solver.core.game_records import before_move
from kulami_solver.core.interruption import interrupts_deferred
from kulami_solver.core.notation import joined, so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.accuracy import GradedGame
    from kulami_solver.bots.grade import Estimating, Grade
    from kulami_solver.cli.game import ReadGame
    from kulami_solver.cluster import Cluster
    from kulami_solver.storage.kept_work import ResultFile

    #: The start and the moves of a game, and the sources of the values of moves.
    SourcedGame = tuple[ks.game.State, tuple[str, ...], Sequence[ks.game.Source]]

# The endings of files of games in a folder; other files there are ignored.
_ENDINGS: Final = (".jsonl", ".json", ".txt", ".sgf")
_ALL_ENDINGS: Final = tuple(end + packed for packed in ("", ENDING) for end in _ENDINGS)


def add_replay(commands: Commands, game: GameCommands) -> None:
    """Add `replay`."""
    parser = add_command(commands, "replay", run_replay, "check games against the rules", game)
    parser.file("file", "one record a line (- for standard input)")


def run_replay(game: GameCommands, args: argparse.Namespace) -> int:
    """Check every record of a file, name those that disagree, and return the exit code."""
    games = 0
    disagreements: list[dict[str, object]] = []
    name = named(args.file)

    def check(number: int, place: int, record: object) -> None:
        nonlocal games
        verdict = game.checked(record, number, place)
        games += 1
        if verdict.agrees:
            return
        where = {"line": verdict.number, "game": place} if game.tells_lines else {}
        disagreements.append({"record": verdict.number, **where, "reason": verdict.reason})
        if not args.json:
            words = f" (game {place})" if where and place != verdict.number else ""
            output.line(f"record {verdict.number}{words}: {verdict.reason}")

    refused = each_record(game.records(text_lines("FILE", args.file, RECORD_LIMIT)), check, name)
    if not games:
        output.warn([f"{name} holds no game record"])
    count = len(disagreements)
    told = {"games": games, "disagree": count, "disagreements": disagreements}
    output.answer(args, told, f"{so_many(games, 'game')}, {count} disagree")
    if refused:
        return EXIT_BAD_INPUT
    return EXIT_FAILED if disagreements else EXIT_OK


def each_record(
    records: Iterable[tuple[int, int, object]], take: Callable[[int, int, object], None], name: str
) -> int:
    """Take each record of a file; say which cannot be read or taken, and go on.

    Args:
        records: as `GameCommands.records` yields them.
        take: takes the numbers of line and game, and the record; it may raise a `KulamiError`.
        name: of the file.

    Returns:
        The number of games that were refused.

    Raises:
        CommandError: none of them can be read; it says why the first cannot.
        DatabaseError: a file of values is damaged, which is not the fault of a record.
    """
    refused: list[str] = []
    taken = 0
    for number, place, record in records:
        try:
            if isinstance(record, KulamiError):
                raise record
            take(number, place, record)
        except ks.DatabaseError:
            raise
        except KulamiError as error:
            refused.append(f"{name}: {error}")
            if taken:
                output.message("error", refused[-1])
            continue
        if not taken:
            for before in refused:
                output.message("error", before)
        taken += 1
    if refused and not taken:
        raise CommandError(refused[0])
    return len(refused)


def add_grade(commands: Commands, game: GameCommands) -> None:
    """Add `grade`."""
    summary = f"judge the {game.moves_word} of recorded games"
    parser = add_command(commands, "grade", run_grade, summary, game)
    words = "files of recorded games (- for standard input), or folders of such files"
    nargs = "*" if game.typed_by else "+"
    parser.value("file", "GAME", words, file_name, nargs=nargs)
    parser.number("--game", 1, 10**9, "grade only the Nth game")
    parser.seconds("--time", "for each position (20 million nodes, however long)")
    game.add_grade_options(parser)
    parser.processes("grade")
    parser.file("--results", "keep the grades in FILE, and go on")


def run_grade(game: GameCommands, args: argparse.Namespace) -> int:
    """Grade each game of some files, or the one on the command line."""
    from kulami_solver.bots.accuracy import accuracies, accuracy_table

    typed = [name for name in game.typed_by if getattr(args, name)]
    if args.file and not set(typed) <= {game.fills}:
        option = next(name for name in typed if name != game.fills).replace("_", "-")
        raise CommandError(
            f"--{option} goes without GAME, whose records say it; leave one of them out"
        )
    if not typed and not args.file:
        raise CommandError(f"give GAME, a file of games, or one game by --{game.typed_by[0]}")
    files = list(files_of(args.file))
    several = args.file != files or len(files) > 1
    if several and args.game is not None:
        raise CommandError("--game goes with one file of games; name that file alone")
    games: list[GradedGame] = []
    refused, complete = 0, True
    grades = _Grades(game, args)
    try:
        with ExitStack() as stack:
            grades.begin(files, stack)
            for file in files if args.file else [None]:
                show = functools.partial(_tell_grade, game, args, file, several, games)
                try:
                    refused += _grade_each(game, args, grades, file, show)
                except CommandError as error:
                    if not several:
                        raise
                    refused += 1
                    output.message("error", error)
    except KeyboardInterrupt:
        complete = False
    from_file = grades.from_file
    counts = {"from_file": from_file, "new": len(games) - from_file} if args.results else {}
    if games and args.json and (several or counts or not complete):
        output.json_line({"games": len(games), "players": accuracies(games), **counts})
    elif games and not args.json and (len(games) > 1 or not complete):
        output.line(accuracy_table(games))
    if from_file and not args.json:
        output.line(f"\n{taken_from_file(args.results, from_file, len(games), 'games')}")
    if not complete:
        remedy = f"; go on with --results {args.results}" if args.results else ""
        said = f"this is after {so_many(len(games), 'game')}" if games else "no game is graded"
        return output.interrupted(said + remedy)
    return EXIT_BAD_INPUT if refused else EXIT_OK


class _Grades:
    """The grades of games: from a file of results, made by processes ahead, or made here.

    Args:
        game, args: of the command.

    Attributes:
        from_file: how many grades were in the file.
    """

    def __init__(self, game: GameCommands, args: argparse.Namespace) -> None:
        self._game, self._args = game, args
        self._estimate = game.estimating(args)
        self.from_file = 0
        self._kept: dict[str, dict[str, Any]] = {}
        self._found: dict[str, Grade] = {}
        self._coming: Iterator[tuple[ReadGame, Grade]] = iter(())
        self._ahead: dict[str, ReadGame] = {}
        self._results: ResultFile | None = None

    def begin(self, files: Sequence[str], stack: ExitStack) -> None:
        """Open what is needed; have processes begin with the games of files if they are several.

        Only what can be read twice is graded there.
        """
        from kulami_solver.bots.grade import grade
        from kulami_solver.bots.processes import workers_at
        from kulami_solver.core.budgets import workers_of
        from kulami_solver.core.tasks import Needs, check_workers

        args = self._args
        self._sources = self._game.sources(args, stack)
        if args.results is not None:
            task = {"journal": "grade", "game": self._game.name, "time": args.time}
            self._results = stack.enter_context(result_file("--results", args.results, task))
            self._kept = {str(record.get("of")): record for record in self._results.known}
        cluster = stack.enter_context(workers_asked_for(args))
        check_workers(cluster, Needs())
        for file in filter(os.path.isfile, files if args.workers != 1 else ()):
            with contextlib.suppress(KulamiError):
                lines = text_lines("GAME", file, RECORD_LIMIT)
                for number, place, record in self._game.records(lines, self._args):
                    if self._args.game in (None, place):
                        with contextlib.suppress(KulamiError):
                            read = self._game.read_record(record, number, place)
                            if not self._sources(read[0]):  # a source answers at once
                                self._ahead.setdefault(_name_of(*read), read)
        for key in self._kept.keys() & self._ahead.keys():
            del self._ahead[key]
        workers: Cluster | int
        workers = cluster or min(workers_of(self._args.workers), len(self._ahead))
        if workers in (0, 1):
            self._ahead.clear()
            return
        crashed = "a process that grades has ended; try --workers 1 to see why"
        grading = stack.enter_context(workers_at(workers, "grade", crashed))
        work = functools.partial(grade, time=args.time, estimate=self._estimate)
        self._coming = grading.done(work, self._ahead.values(), 2 * grading.number)

    def of(self, record: object, number: int, place: int) -> Grade:
        """Return the grade of a game, by its record.

        Raises:
            KulamiError: if there is none.
        """
        read = start, moves = self._game.read_record(record, number, place)
        key = _name_of(start, moves)
        if key in self._kept:
            from kulami_solver.bots.grade import regraded

            found = regraded(start, moves, self._kept[key], self._estimate)
            if found is not None:
                self.from_file += 1
                return found
        with ProgressLine(" games") as line:
            while key in self._ahead and key not in self._found:
                line.show(len(self._found), len(self._ahead), "grading")
                if (done := next(self._coming, None)) is None:
                    break  # a process has ended, which was said
                self._keep(*done)
        if key not in self._found:
            sourced = start, moves, self._sources(start)
            self._keep(read, graded(sourced, self._args.time, self._estimate))
        return self._found[key]

    def _keep(self, read: ReadGame, grade: Grade) -> None:
        key = _name_of(*read)
        with interrupts_deferred():
            self._found[key] = grade
            if self._results is not None:
                self._results.add({"of": key, **grade.kept()})


def _name_of(start: ks.game.State, moves: Sequence[str]) -> str:
    """A short text that identifies a game in a file of results."""
    told = repr((ks.game.options_of(start.game), start.notation(), [*moves]))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def files_of(given: Sequence[str]) -> Iterator[str]:
    """The named files, and the files of games in the named folders."""
    for path in given:
        if not os.path.isdir(path):
            yield path
            continue
        found = files_in(path, _ALL_ENDINGS)
        if not found:
            raise CommandError(f"{path} holds no file that ends in {joined(_ENDINGS, 'or')}")
        yield from found


def _tell_grade(
    game: GameCommands,
    args: argparse.Namespace,
    file: str | None,
    several: bool,
    games: list[GradedGame],
    number: int,
    place: int,
    found: Grade,
) -> None:
    """Print the grade of a game, and keep it among `games`."""
    from kulami_solver.bots.accuracy import GradedGame

    name = _named(file)
    called = f"{os.path.basename(name)} {place}" if several else str(place)
    games.append(GradedGame(called, found))
    if args.json:
        where = {"file": name} if several else {}
        output.json_line({**where, "game": place, "line": number, **found.to_json()})
        return
    before = f"{name}, " if several else ""
    line = "" if place == number else f" (line {number})"
    database = "a --database of the board, or " if "database" in args else ""
    output.line(f"{before}game {place}{line}: {found.text(f'give {database}more with --time')}\n")


def _named(file: str | None) -> str:
    return "the command line" if file is None else named(file)


def _grade_each(
    game: GameCommands,
    args: argparse.Namespace,
    grades: _Grades,
    file: str | None,
    take: Callable[[int, int, Grade], None],
) -> int:
    """Grade each game that is asked for, and return the number of those that cannot be read.

    Args:
        game, args: of the command.
        grades: the grades.
        file: a file of games; None for the game on the command line.
        take: takes the line's number, the game's, and its grade.

    Raises:
        CommandError: if there are none, or none can be read.
    """
    name = _named(file)
    last = 0

    def chosen() -> Iterator[tuple[int, int, object]]:
        nonlocal last
        lines = () if file is None else text_lines("GAME", file, RECORD_LIMIT)
        records = _typed(game, args) if file is None else game.records(lines, args)
        for number, last, record in records:
            if args.game in (None, last):
                yield number, last, record

    def grade_one(number: int, place: int, record: object) -> None:
        from dataclasses import replace  # slow to import

        from kulami_solver.bots.accuracy import players_of

        try:
            found = grades.of(record, number, place)
        except KulamiError as error:
            if (before := before_move(record, error)) is None:
                raise
            with contextlib.suppress(KulamiError):
                grade_one(number, place, before)
            raise
        players = players_of(record, found.begun.game.seats)
        take(number, place, replace(found, players=players))

    refused = each_record(chosen(), grade_one, name)
    if last == 0:
        raise CommandError(f"{name} holds no games; name a file with a record a line")
    if args.game is not None and last < args.game:
        which = "game; ask for it" if last == 1 else "games; ask for one of them"
        raise CommandError(f"{name} holds {last} {which}")
    return refused


def reader(
    game: GameCommands, args: argparse.Namespace, stack: ExitStack
) -> Callable[[object, int, int], SourcedGame]:
    """Return the function that reads a record, by the numbers of its line and of the game.

    It returns what `graded` takes.
    """
    sources = game.sources(args, stack)

    def read(record: object, number: int, place: int) -> SourcedGame:
        start, moves = game.read_record(record, number, place)
        return start, moves, sources(start)

    return read


def _typed(game: GameCommands, args: argparse.Namespace) -> Iterator[tuple[int, int, object]]:
    try:
        yield 1, 1, game.typed_record(args)
    except KulamiError as error:
        yield 1, 1, error


def graded(
    read: SourcedGame,
    time: float | None = None,
    estimate: Estimating | None = None,
) -> Grade:
    """Grade a game, with a progress line.

    Args:
        read: the start and the moves of a game, and the sources of the values of moves.
        time: most that one position may take, in seconds; None for a limit of nodes.
        estimate: the result of `GameCommands.estimating`.
    """
    from kulami_solver.bots.grade import grade

    start, moves, sources = read
    with ProgressLine(" moves") as drawn:
        judged: list[object] = []
        drawn.show(0, len(moves), "solving")

        def watch(move: object) -> None:
            judged.append(move)
            drawn.show(len(judged), len(moves))

        return grade(start, moves, time=time, sources=sources, estimate=estimate, progress=watch)
