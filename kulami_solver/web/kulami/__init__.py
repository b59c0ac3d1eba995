"""Kulami on the page: its questions, its drawing, its search and its bots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ...bots import AlphaBeta, Greedy, Master, MonteCarlo, Perfect, Random
from ...bots.kulami.solving import HIGHEST, USUAL, Solving, of_level
from ...bots.protocol import Player
from ...game import Answer
from ...kulami.database.look_up import LookUp
from ...kulami.estimate.chances import add_estimates, estimate_value
from ...kulami.game_record import GameRecord
from ..games import TIME, GamePage, Question
from ..opponents import Opponent, opponent
from ..replays import Replayed
from ..requests import Line, Threads, Whole
from ..searches import Task
from . import exchange
from .puzzles import puzzle_shown, puzzles_shown
from .requests import Arrange, Board, Import, Kulami, Puzzled, Shape, layout_of
from .shown import board_shown, layout_shown, position_shown
from .small import small_boards

if TYPE_CHECKING:
    from ...kulami.database.sliced_probe import SlicedDatabase
    from ...kulami.estimate.chances import ValueEstimate
    from ...kulami.plain_reader import Readable

#: Nodes of the search that estimates are made from: they take about a tenth of a second.
_LOOKED_AT: Final = 50_000


class KulamiPage(GamePage):
    """Kulami's part of the page."""

    asked = Kulami
    is_first = True
    values_ends = True
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

    def own(self, sources: Sequence[Any]) -> list[Any]:
        """Return the game's databases, then its proofs: those know fewer moves."""
        return sorted(super().own(sources), key=lambda source: not isinstance(source, LookUp))

    def database_shown(self, database: Any) -> dict[str, Any]:
        return {"layout": str(database.layout), "scoring": database.scoring.value}

    def chosen_file(self, name: str, file: Readable) -> SlicedDatabase:
        from ...kulami.database.sliced_probe import SlicedDatabase  # few readers have one

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

    def report(self, question: Question, search: Task) -> Callable[[Answer], dict[str, Any]]:
        if not getattr(question.asked, "estimate", False):
            return super().report(question, search)
        return _Estimates(search, question.asked.all).told

    def estimates(self, question: Question) -> Mapping[str, Any]:
        state = question.state
        return estimate_value(state.position, state.game.scoring, every_move=True).moves

    def bot(self, question: Question) -> Any:
        """Return the bot that is asked for; bots that solve ask databases and proofs first."""
        bot = opponent(question.asked.bot, question.asked.seed, self.bots)
        if isinstance(bot, Solving):
            bot.sources = question.sources
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

    def told(self, solution: Any) -> dict[str, Any]:
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
        answer: dict[str, Any] = solution.to_json()
        add_estimates(answer, self._found)
        return answer


PAGE: Final = KulamiPage("kulami")
"""Kulami's part of the page."""
