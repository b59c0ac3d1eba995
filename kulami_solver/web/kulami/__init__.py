"""Kulami on the page: its questions, its drawing, its search and its bots."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ...bots import AlphaBeta, Greedy, Master, MonteCarlo, Perfect, Random
from ...bots.kulami.solving import HIGHEST, USUAL, of_level
from ...bots.protocol import Player
from ...game import Answer
from ...kulami.estimate.chances import add_estimates, estimate_value
from ...kulami.game_record import GameRecord
from ..games import TIME, GamePage, Inquiry, Opponent
from ..messages import Line, Threads
from ..replays import Replayed
from ..searches import Task
from .requests import (
    Arrange,
    AskedBoard,
    AskedLayout,
    AskedPuzzle,
    Import,
    Kulami,
    layout_of,
    puzzle_shown,
    puzzles_shown,
    small_boards,
    take_in,
    written,
)
from .shown import board_shown, layout_shown, position_shown

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
        "move": (("bot", Line, "master"), TIME),
    }
    further: ClassVar = {
        "layouts": (None, lambda _none: {"small": small_boards()}),
        "board": (AskedBoard, lambda asked: board_shown(layout_of(asked.layout))),
        "layout": (AskedLayout, lambda asked: layout_shown(asked.found())),
        "arrange": (Arrange, lambda asked: {"kfn": asked.position().kfn()}),
        "import": (Import, take_in),
        "puzzles": (None, lambda _none: puzzles_shown()),
        "puzzle": (AskedPuzzle, lambda asked: puzzle_shown(asked.number)),
    }

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

    def shown(self, inquiry: Inquiry) -> dict[str, Any]:
        basics = self.basics(inquiry)
        del basics["movers"]  # the two players take turns
        return {**basics, **position_shown(inquiry.state.position, inquiry.asked.counts)}

    def exported(self, inquiry: Inquiry) -> dict[str, Any]:
        return written(inquiry.asked)

    def record(self, game: Replayed) -> dict[str, Any]:
        """Return a game as a record, from any start."""
        start = game.begun
        return GameRecord.played(start.position, game.played, start.game.scoring).to_json()

    def record_with(self, game: Replayed, besides: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a game as a record, with comments and variations, if all moves are legal."""
        return GameRecord.from_json(super().record_with(game, besides)).to_json()

    def report(self, inquiry: Inquiry, search: Task) -> Callable[[Answer], dict[str, Any]]:
        """Return what makes JSON of an answer, as `kulami solve --json --estimate` prints it."""
        asked, state = inquiry.asked, inquiry.state
        if not getattr(asked, "estimate", False):
            return super().report(inquiry, search)

        @functools.cache
        def estimate() -> ValueEstimate:
            return estimate_value(
                state.position,
                state.game.scoring,
                nodes=_LOOKED_AT,
                every_move=asked.all,
                stop=search.stop,
            )

        def told(found: Any) -> dict[str, Any]:
            said: dict[str, Any] = found.to_json()
            is_open = any(one["margin"] is None for one in (said, *said["moves"]))
            add_estimates(said, estimate() if is_open else None)
            return said

        return told

    def estimates(self, state: Any) -> Mapping[str, Any]:
        return estimate_value(state.position, state.game.scoring, every_move=True).moves

    def chosen(self, inquiry: Inquiry, move: str, player: Player) -> dict[str, Any]:
        thought = player.thought
        return {
            "kfn": inquiry.state.position.kfn(),
            "field": move,
            "move": move,
            "bot": inquiry.asked.bot,
            "proved": thought is not None and bool(thought.proved),
            "score": None if thought is None else thought.score,
            "line": [move] if thought is None else list(thought.line),
        }


PAGE: Final = KulamiPage("kulami")
"""Kulami's part of the page."""
