"""Kulami on the page: its questions, its drawing, its search and its bots."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ...bots import AlphaBeta, Greedy, Master, MonteCarlo, Perfect, Random
from ...bots.kulami.levels import HIGHEST, USUAL, of_level
from ...bots.kulami.solving import Solving, proved_field
from ...bots.protocol import Player
from ...kulami.chances import add_estimates, estimate_value
from ...kulami.game import GAME
from ...kulami.game_record import GameRecord
from ...kulami.look_up import LookUp
from ...kulami.solution import Progress
from ...kulami.solve import solve
from ...kulami.solver import SearchStopped
from ...storage.container import NotInDatabaseError
from ...storage.database import Database
from ..games import TIME, GamePage, Question, Values
from ..opponents import Opponent, opponent
from ..replays import Replayed
from ..requests import Line, Threads, Whole
from ..searches import Task, Work
from . import exchange
from .puzzles import puzzle_shown, puzzles_shown
from .requests import Arrange, Board, Import, Kulami, Puzzled, Shape, layout_of
from .shown import board_shown, layout_shown, position_shown
from .small import small_boards

if TYPE_CHECKING:
    from ...kulami.chances import ValueEstimate
    from ...kulami.game import KulamiState
    from ...kulami.plain_reader import Readable
    from ...kulami.probe import Database as KulamiDatabase
    from ...kulami.proof import Proof, ProvedSolution
    from ...kulami.sliced_probe import SlicedDatabase
    from ...kulami.solution import Goal, Solution

#: The most steps of a proof that is searched for a line: they take a tenth of a second.
_STEPS_FOR_A_LINE: Final = 1_000_000
#: Nodes of the search that estimates are made from: they take about a tenth of a second.
_LOOKED_AT: Final = 50_000


class KulamiPage(GamePage):
    """Kulami's part of the page."""

    asked = Kulami
    is_first = True
    preloaded = ("game.js", "board.js")
    bots: ClassVar[Mapping[str, Opponent]] = {
        "random": Opponent(lambda _strength, seed: Random(seed)),
        "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
        "level": Opponent(of_level, 1, USUAL, HIGHEST),
        "alphabeta": Opponent(lambda strength, _seed: AlphaBeta(strength), 1, 4, 8),
        "mcts": Opponent(MonteCarlo, 10, 1000, 100_000),
        "perfect": Opponent(lambda _strength, seed: Perfect(seed=seed), timed=True),
        "master": Opponent(lambda _strength, _seed: Master(), timed=True),
    }
    more: ClassVar = {
        "analyse": (
            ("all", bool, False),
            TIME,
            ("goal", Literal["margin", "outcome"], "margin"),
            ("estimate", bool, False),
            ("threads", Threads | None, None),
        ),
        "move": (("bot", Line, "master"), TIME, ("seed", Whole, 0)),
    }
    further: ClassVar = {
        "layouts": (None, lambda _none: {"small": small_boards()}),
        "board": (Board, lambda asked: board_shown(layout_of(asked.layout))),
        "layout": (Shape, lambda asked: layout_shown(asked.found())),
        "arrange": (Arrange, lambda asked: {"kfn": asked.position().kfn()}),
        "import": (Import, exchange.take_in),
        "puzzles": (None, lambda _none: puzzles_shown()),
        "puzzle": (Puzzled, lambda asked: puzzle_shown(asked.number)),
    }

    def database_shown(self, database: Any) -> dict[str, Any]:
        return {"layout": str(database.layout), "scoring": database.scoring.value}

    def chosen_file(self, name: str, file: Readable) -> SlicedDatabase:
        from ...kulami.sliced_probe import SlicedDatabase  # few readers have one

        return SlicedDatabase(name, file)

    def file_shown(self, source: SlicedDatabase) -> dict[str, Any]:
        """Return the contents of a database, and its first position."""
        return {
            "scoring": source.scoring.value,
            "kfn": source.root.kfn(),
            "marbles": source.root.marbles,
            "short_end": source.root.short_end,
            "positions": source.positions,
        }

    def shown(self, question: Question) -> dict[str, Any]:
        basics = self.basics(question)
        del basics["movers"]  # the two players take turns
        return {**basics, **position_shown(question.state.position, question.asked.counts)}

    def picture(self, question: Question) -> str | bytes:
        position = question.state.position
        found: str | bytes = position.svg() if question.asked.format == "svg" else position.png()
        return found

    def exported(self, question: Question) -> dict[str, Any]:
        return exchange.written(question.asked)

    def record(self, game: Replayed) -> dict[str, Any]:
        """Return a game as a record, from any start."""
        start = game.begun
        return GameRecord.played(start.position, game.played, start.game.scoring).to_json()

    def record_with(self, game: Replayed, besides: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a game as a record, with comments and variations, if all moves are legal."""
        return GameRecord.from_json(super().record_with(game, besides)).to_json()

    def valuing(self, question: Question) -> Work:
        asked, limits = question.asked, question.limits
        options = {
            "threads": limits.threads_for(asked.threads),
            "goal": asked.goal,
            "every_move": asked.all,
        }

        def work(search: Task) -> None:
            estimates = _Estimates(search, asked.all) if asked.estimate else None

            def told(solution: Solution) -> dict[str, Any]:
                return solution.to_json() if estimates is None else estimates.told(solution)

            def report(progress: Progress) -> None:
                if progress.solution is not None:
                    search.tell("progress", told(progress.solution))

            seconds = limits.time(asked.time)
            found = _known(question, seconds, search, asked.all, asked.goal)
            if found is None:
                found = _solution(question, seconds, search, progress=report, **options)
            search.tell("solution", told(found))

        return work

    def solved(
        self, question: Question, seconds: float, search: Task
    ) -> tuple[dict[str, Any], Values | None]:
        threads = question.limits.threads
        found = _known(question, seconds, search, every_move=True)
        # As a rule a proof has only bounds of the moves that it does not choose.
        if found is None or not _all_exact(found):
            found = _solution(question, seconds, search, threads=threads, every_move=True)
        exact = _all_exact(found)
        return found.to_json(), {one.field: one.lower for one in found.moves} if exact else None

    def estimates(self, question: Question) -> Mapping[str, Any]:
        state = question.state
        return estimate_value(state.position, state.game.scoring, every_move=True).moves

    def bot(self, question: Question) -> Any:
        """Return the bot that is asked for; bots that solve also play from proofs."""
        bot = opponent(question.asked.bot, question.asked.seed, self.bots)
        if isinstance(bot, Solving):
            proofs = _proofs(question.sources)
            bot.sources = tuple(functools.partial(proved_field, proof) for proof in proofs)
        return bot

    def chosen(self, question: Question, move: str, player: Player) -> dict[str, Any]:
        thought = player.thought
        return {
            "kfn": question.state.position.kfn(),
            "field": move,
            "move": move,
            "bot": question.asked.bot,
            "proved": thought is not None and bool(thought.proved),
            "score": None if thought is None else thought.score,
            "line": [move] if thought is None else list(thought.line),
        }


class _Estimates:
    """The estimates of a position during its search: made once, when first needed."""

    def __init__(self, search: Task, every_move: bool) -> None:
        self._search: Final = search
        self._every_move: Final = every_move
        self._found: ValueEstimate | None = None

    def told(self, solution: Solution) -> dict[str, Any]:
        """Return a solution as `kulami solve --json --estimate` prints it."""
        exact = [move.margin is not None for move in solution.moves]
        if self._found is None and (solution.margin is None or not all(exact)):
            self._found = estimate_value(
                solution.position,
                solution.scoring,
                nodes=_LOOKED_AT,
                every_move=self._every_move,
                stop=self._search.stop,
            )
        answer = solution.to_json()
        add_estimates(answer, self._found)
        return answer


def _known(
    question: Question, seconds: float, search: Task, every_move: bool, goal: Goal = "margin"
) -> Solution | None:
    """Return the solution of a position from files; None if it has to be searched."""
    found = _looked_up(question, every_move)
    return found or _proved(question, seconds, search, every_move, goal)


def _looked_up(question: Question, every_move: bool) -> Solution | None:
    """Return the solution from the first database that is looked up and not searched with."""
    position = question.state.position
    for source in question.sources:
        looked_up = isinstance(source, LookUp) and not isinstance(source, Database)
        if looked_up and source.scoring is question.state.game.scoring and position in source:
            found: Solution = source.probe(position, every_move=every_move)
            return found
    return None


def _proved(
    question: Question, seconds: float, search: Task, every_move: bool, goal: Goal = "margin"
) -> ProvedSolution | None:
    """Return the solution of the first proof with the exact value; None if none has it in time."""
    state = question.state
    database = _database_of(question.sources, state)
    if database is not None and state.position in database:
        return None  # the database knows the value of every move, too
    for proof in _proofs(question.sources):
        if proof.scoring is state.game.scoring:
            with contextlib.suppress(NotInDatabaseError, SearchStopped):
                line = proof.steps <= _STEPS_FOR_A_LINE
                found = proof.probe(
                    state.position,
                    every_move=every_move,
                    line=line,
                    time=seconds,
                    stop=search.stop,
                )
                if found.exact and found.goal in ("margin", goal):
                    return found
    return None


def _proofs(sources: Sequence[LookUp | Proof]) -> list[Proof]:
    """Return the sources that are no databases, without importing the module of proofs."""
    return [one for one in sources if not isinstance(one, LookUp)]


def _all_exact(found: Solution) -> bool:
    return all(move.margin is not None for move in found.moves)


def _solution(
    question: Question, seconds: float, search: Task, *, threads: int, **options: Any
) -> Solution:
    """Solve a position within the server's limits."""
    state = question.state
    return solve(
        state.position,
        state.game.scoring,
        threads=threads,
        memory=question.limits.table(GAME.table_plies(state), seconds, threads),
        time=seconds,
        database=_database_of(question.sources, state),
        stop=search.stop,
        **options,
    )


def _database_of(
    sources: Sequence[KulamiDatabase | Proof], state: KulamiState
) -> KulamiDatabase | None:
    """Return the first database of this board with the position, else the first of this board."""
    position = state.position
    of_board = [
        database
        for database in sources
        if isinstance(database, Database)
        and database.scoring is state.game.scoring
        and database.layout == position.layout
        and database.root.marbles == position.marbles
        and database.root.short_end == position.short_end
    ]
    holding = (database for database in of_board if position in database)
    return next(holding, of_board[0] if of_board else None)


PAGE: Final = KulamiPage("kulami")
"""Kulami's part of the page."""
