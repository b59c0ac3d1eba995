"""Kulami on the page: its questions, its drawing, its search and its bots."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ...bots import AlphaBeta, Greedy, Master, MonteCarlo, Perfect, Random
from ...bots.kulami.solving import HIGHEST, USUAL, of_level
from ...bots.protocol import Player
from ...drawing.svg import picture_and_marks_svg
from ...game import Answer
from ...kulami.drawing.render import marks_of_fields, middle_of, wood_of
from ...kulami.estimate.chances import add_estimates, estimate_value
from ...kulami.game_record import GameRecord
from ...kulami.position.layout import Layout, owner_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Part, Scoring
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

if TYPE_CHECKING:
    from ...kulami.estimate.chances import ValueEstimate

#: Nodes of the search that estimates are made from: they take about a tenth of a second.
_LOOKED_AT: Final = 50_000

# Fields in a chain at least; the ways to the next field of an area, and along a chain.
_CHAIN: Final = 5
_BESIDE: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
_WAYS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


@functools.lru_cache(maxsize=64)
def board_shown(layout: Layout) -> dict[str, Any]:
    """Return the picture of an empty board, the places of its fields, and the marks for them.

    Examples:
        >>> board = board_shown(Layout.parse("AAB/AAC"))
        >>> board["fields"]["b1"], board["panels"][1]
        ([130, 70], {'name': 'B', 'fields': ('c1',)})
    """
    wood = wood_of(layout)
    svg, marks = picture_and_marks_svg(wood, marks_of_fields())
    return {
        "layout": str(layout),
        "width": wood.width,
        "height": wood.height,
        "svg": svg,
        "marks": marks,
        "fields": {
            name: [round(place) for place in middle_of(layout, number)]
            for number, name in enumerate(layout.fields)
        },
        "panels": [
            {"name": panel.name, "fields": tuple(layout.fields[field] for field in panel.fields)}
            for panel in layout.panels
        ],
    }


def layout_shown(layout: Layout) -> dict[str, Any]:
    """Return the description of a layout.

    Examples:
        >>> layout_shown(Layout.square())["fields"]
        64
    """
    return {
        "layout": str(layout),
        "fields": len(layout),
        "unusual": [warning.told() for warning in layout.warnings],
    }


def position_shown(position: Position, scoring: Scoring) -> dict[str, Any]:
    """Return the description of a position.

    Examples:
        >>> shown = position_shown(Position(Layout.parse("AAB/AAC")).play("a1"), Scoring.LEVEL0)
        >>> shown["turn"], shown["legal"], shown["barred"], shown["score"]["panels"]
        ('black', ['c1'], ['A'], [4, 0])
    """
    layout = position.layout
    score = position.score(scoring)
    barred = {
        layout.panel_of(number).name
        for number in (position.last_field, position.barred_field)
        if number >= 0
    }
    marbles = {"red": position.red, "black": position.black}
    ended = None
    if position.is_over:
        ended = "stuck" if position.supply else "marbles"
    return {
        "kfn": position.kfn(),
        "layout": str(layout),
        "scoring": scoring.value,
        "turn": position.turn,
        "over": position.is_over,
        "ended": ended,
        "legal": list(position.legal_fields),
        "last": list(position.last),
        "barred": sorted(barred),
        "red": list(layout.names(position.red)),
        "black": list(layout.names(position.black)),
        "score": {
            "red": score.red,
            "black": score.black,
            "panels": _pair(score.panels),
            "area": _pair(score.area),
            "chains": _pair(score.chains),
        },
        "panels": [owner_of(panel, position.red, position.black) for panel in layout.panels],
        "areas": {colour: list(largest_area(position, colour)) for colour in marbles},
        "chains": {colour: list(chains(position, colour)) for colour in marbles},
        **position.edition,
    }


@functools.lru_cache(maxsize=256)
def estimate(position: Position, scoring: Scoring, every_move: bool) -> ValueEstimate:
    """Return the estimate that goes with an open value: many ask about the same positions."""
    return estimate_value(position, scoring, nodes=_LOOKED_AT, every_move=every_move)


def _pair(part: Part) -> list[int]:
    return [part.red, part.black]


def largest_area(position: Position, colour: str) -> tuple[str, ...]:
    """Return the fields of a colour's largest area; of equal areas, the first.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> largest_area(Position.from_kfn("AAB/AAC rr/b1b r c2,a1"), "red")
        ('a1', 'b1')
    """
    squares = _squares(position, colour)
    best: list[str] = []
    while squares:
        reached = [next(iter(squares))]
        area = [squares.pop(reached[0])]
        while reached:
            column, row = reached.pop()
            for over, down in _BESIDE:
                beside = column + over, row + down
                if beside in squares:
                    area.append(squares.pop(beside))
                    reached.append(beside)
        best = max(best, area, key=len)
    return tuple(sorted(best, key=position.layout.index))


def chains(position: Position, colour: str) -> tuple[tuple[str, ...], ...]:
    """Return the fields of each of a colour's chains, from one end to the other.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> chains(Position(Layout.square()), "red")
        ()
    """
    squares = _squares(position, colour)
    found = []
    for column, row in squares:
        for over, down in _WAYS:
            if (column - over, row - down) in squares:
                continue
            run = [(column, row)]
            while (step := (run[-1][0] + over, run[-1][1] + down)) in squares:
                run.append(step)
            if len(run) >= _CHAIN:
                found.append(tuple(squares[square] for square in run))
    return tuple(found)


def _squares(position: Position, colour: str) -> dict[tuple[int, int], str]:
    """Return the column and row of each field with a marble of a colour, row by row."""
    mask = position.red if colour == "red" else position.black
    named = zip(position.layout.squares, position.layout.fields, strict=True)
    return {square: name for number, (square, name) in enumerate(named) if mask >> number & 1}


class KulamiPage(GamePage):
    """Kulami's part of the page."""

    asked = Kulami
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

    def report(self, inquiry: Inquiry, search: Task) -> Callable[[Answer], dict[str, Any]]:
        """Return what makes JSON of an answer, as `kulami solve --json --estimate` prints it."""
        asked, state = inquiry.asked, inquiry.state
        if not getattr(asked, "estimate", False):
            return super().report(inquiry, search)

        def told(found: Any) -> dict[str, Any]:
            said: dict[str, Any] = found.to_json()
            is_open = any(one["margin"] is None for one in (said, *said["moves"]))
            looked = estimate(state.position, state.game.scoring, asked.all) if is_open else None
            add_estimates(said, looked)
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
