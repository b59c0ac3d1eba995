"""Exact values of many positions at once, with every legal field, for training.

    batch, or positions --> exact_values --> margins   (positions,)      for the side to move
                                             values    (positions, 64)   after each field
                                             regret(actions), optimal(actions)

The values come from a solved database, about a million fields a second, from a semi-strong proof,
from whatever else is a `kulami_solver.game.Source`, or from searches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..core.whole_numbers import whole_array
from ..errors import IllegalMoveError, KulamiError, PositionError, checked_kind, quoted
from ..game import Answer, Question, Source, ask
from ..kulami.database.probe import ABSENT, Database, arrays_of, not_held
from ..kulami.game import state_of
from ..kulami.position.layout_text import MAX_FIELDS
from ..kulami.position.position import Position, checked_position
from ..kulami.position.scoring import Scoring
from ..kulami.proof.proof import Proof
from ..kulami.solve.batch import solve_many
from ..storage.container import DatabaseError, NotInDatabaseError
from .batch import NO_ACTION, Batch

__all__ = ["exact_values"]

NO_VALUE: Final = -32768
"""The value of a field that is not legal."""

_AT_ONCE: Final = 1 << 15  # positions looked up together: some megabytes of their fields

Margins = npt.NDArray[np.int16]


@dataclass(frozen=True)
class ExactValues:
    """The values of positions and of their legal fields under best play.

    Attributes:
        margins: (positions,), for the side to move; of a game that is over, its final margin.
        values: (positions, 64), the margin after each field, for the side that plays it;
            `NO_VALUE` (-32768) where the field is not legal.
    """

    margins: Margins
    values: Margins

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Which games are over: no field is legal there."""
        found: npt.NDArray[np.bool_] = (self.values == NO_VALUE).all(axis=1)
        return found

    def regret(self, actions: npt.ArrayLike) -> Margins:
        """Return the points that actions give away, 0 for the best ones.

        Args:
            actions: (positions,), a field number each; -1 where the game is over.

        Raises:
            KulamiError: if they are no whole numbers, or their number is not that of the positions.
            IllegalMoveError: if one is not legal.

        Examples:
            >>> from kulami_solver import Layout
            >>> start = Position(Layout.parse("AAB/CCB")).play("a1")
            >>> exact_values([start, start]).regret([2, 3]).tolist()
            [0, 2]
        """
        given = whole_array(actions)
        if given is None or given.shape != self.margins.shape or given.dtype == object:
            raise KulamiError(
                f"actions are {quoted(actions, 60)}: give {len(self.margins)} whole numbers, one a "
                "position"
            )
        fields = given.astype(np.int64)
        over = self.over
        known = (fields >= 0) & (fields < MAX_FIELDS)
        found = self.values[np.arange(len(fields)), np.where(known, fields, 0)]
        wrong = np.where(over, fields != NO_ACTION, ~known | (found == NO_VALUE))
        if wrong.any():
            number = int(np.flatnonzero(wrong)[0])
            raise IllegalMoveError(
                f"position {number}: field {int(given[number])} is not legal; give a legal one, -1 "
                "where the game is over"
            )
        lost: Margins = np.where(over, np.int16(0), self.margins - found).astype(np.int16)
        return lost

    def optimal(self, actions: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which actions are best; False if the game is over. Errors as for `regret`."""
        best: npt.NDArray[np.bool_] = (self.regret(actions) == 0) & ~self.over
        return best

    def optimal_rate(self, actions: npt.ArrayLike) -> float:
        """Return the share of best actions in the games that are not over, 0 to 1; 1 if all are.

        Errors are those of `regret`.

        Examples:
            >>> from kulami_solver import Layout
            >>> start = Position(Layout.parse("AAB/CCB")).play("a1")
            >>> exact_values([start, start]).optimal_rate([2, 3])
            0.5
        """
        going_on = int((~self.over).sum())
        return int(self.optimal(actions).sum()) / going_on if going_on else 1.0


def exact_values(
    positions: Batch | Sequence[Position],
    source: Source | None = None,
    scoring: Scoring | str | int | None = None,
    *,
    workers: int | None = None,
) -> ExactValues:
    """Value positions, and every legal field in each.

    Args:
        positions: the games of a batch, as they stand, or positions.
        source: a database that holds the positions; None to solve them, equal ones once. Or
            an open proof: a semi-strong one has the value of every field in positions after best
            play of the other side. Of any other `Source`, positions that it does not know are
            solved.
        scoring: the scoring; by default that of the batch, else of the database, else level 0.
        workers: how many threads search side by side; None for one a core.

    Raises:
        NotInDatabaseError: if the database lacks a position, or the proof lacks the exact value of
            one of a position's fields.
        DatabaseError: if the source is no open database of Kulami, is damaged where it is read, or
            has another scoring.
        PositionError: if `positions` is neither a batch nor positions.
        NotationError: if it is not a scoring.

    Examples:
        >>> import tempfile
        >>> from kulami_solver import Layout, build, open_database
        >>> layout = Layout.parse("AAB/CCB")
        >>> batch = Batch(3, layout)
        >>> _ = batch.step([0, 1, 5])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = build(folder + "/small.kdb", Position(layout))
        ...     with open_database(folder + "/small.kdb") as database:
        ...         stored = exact_values(batch, database)
        >>> solved = exact_values(batch)
        >>> stored.margins.tolist(), bool((stored.values == solved.values).all())
        ([0, 0, 0], True)
    """
    if source is not None and (isinstance(source, type) or not hasattr(source, "answer")):
        raise DatabaseError(
            f"source is {quoted(source, 60)}: give a database that open_database(path) has opened, "
            "an open proof, or None to solve the positions"
        )
    if scoring is None and isinstance(positions, Batch):
        scoring = positions.scoring
    elif scoring is None:
        scoring = getattr(source, "scoring", Scoring.LEVEL0)
    chosen = Scoring.parse(scoring)
    if not isinstance(source, (Database, Proof)):
        return _asked(_listed(positions), chosen, source, workers)
    if chosen is not source.scoring:
        raise DatabaseError(
            "other_scoring", path=source.path, scoring=source.scoring.value, asked=chosen.value
        )
    if isinstance(source, Proof):
        return _proved(_listed(positions), source)
    return _stored(positions if isinstance(positions, Batch) else _listed(positions), source)


def _listed(positions: Batch | Sequence[Position]) -> list[Position]:
    if isinstance(positions, Batch):
        return [positions.position(game) for game in range(len(positions))]
    meant = "give a Batch or a list of Positions, of a single one [position]"
    checked_kind(positions, Iterable, meant, PositionError)
    return [checked_position(position) for position in positions]


def _asked(
    positions: list[Position], scoring: Scoring, source: Source | None, workers: int | None
) -> ExactValues:
    """The values from any source, or from searches; equal positions are asked about once."""
    margins = np.empty(len(positions), np.int16)
    values = np.full((len(positions), MAX_FIELDS), NO_VALUE, np.int16)
    places: dict[Position, list[int]] = {}
    for place, position in enumerate(positions):
        places.setdefault(position, []).append(place)
    answers: Iterable[Answer]
    if source is None:
        answers = solve_many(places, scoring, every_move=True, workers=workers)
    else:
        states = (state_of(position, scoring) for position in places)
        answers = (ask(Question(state, every_move=True), [source]) for state in states)
    for answer in answers:
        here = places[answer.position]
        margins[here] = int(answer.lower)  # exact: nothing limits the search
        for move in answer.moves:
            values[here, answer.position.layout.index(str(move.move))] = int(move.lower)
    return ExactValues(margins, values)


def _proved(positions: list[Position], source: Proof) -> ExactValues:
    values = np.full((len(positions), MAX_FIELDS), NO_VALUE, np.int16)
    margins = np.empty(len(positions), np.int16)
    fields = [
        (place, position.layout.index(field), position.play(field))
        for place, position in enumerate(positions)
        for field in position.legal_fields
    ]
    found = source.bounds_many([after for *_, after in fields])
    for (place, field, after), bounds in zip(fields, found, strict=True):
        if bounds is None or not bounds.exact:
            raise NotInDatabaseError(
                f"{source.path} does not say exactly what {after.last[0]} is worth in "
                f"{positions[place].kfn()}: give a database, or None to solve it"
            )
        values[place, field] = -bounds.lower
    for place, position in enumerate(positions):
        over = position.is_over
        margins[place] = position.margin(source.scoring) if over else values[place].max()
    return ExactValues(margins, values)


def _stored(positions: Batch | list[Position], source: Database) -> ExactValues:
    if isinstance(positions, Batch):
        _, games = np.unique(positions.numbers, return_index=True)
        boards = [positions.position(game) for game in games]
        arrays = positions.arrays()
        red, black, turn = arrays["red"], arrays["black"], arrays["turn"] == 1
        own, other = np.where(turn, black, red), np.where(turn, red, black)
        legal, last = arrays["legal"], arrays["last"]
        ended = np.where(turn, -arrays["margin"], arrays["margin"])
    else:
        boards = positions
        own, other, last, _ = arrays_of(positions)
        legal = np.array([position.legal_mask for position in positions], np.uint64)
        ended = np.array(
            [position.margin(source.scoring) if position.is_over else 0 for position in positions],
            np.int16,
        )
    for position in boards:
        if not source.may_hold(position):
            raise not_held(source.path, source.root, position)
    values = np.full((len(own), MAX_FIELDS), NO_VALUE, np.int16)
    for start in range(0, len(own), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        rows, fields = np.nonzero(_spread(legal[some]))
        played = np.uint64(1) << fields.astype(np.uint64)
        found = source.probe_many(
            other[some][rows], own[some][rows] | played, fields.astype(np.int8), last[some][rows]
        )
        absent = np.flatnonzero(found == ABSENT)
        if len(absent):
            place = start + int(rows[absent[0]])
            lost = positions.position(place) if isinstance(positions, Batch) else positions[place]
            raise not_held(source.path, source.root, lost)
        values[some][rows, fields] = -found
    best = values.max(axis=1)
    margins: Margins = np.where(best == NO_VALUE, ended, best).astype(np.int16)
    return ExactValues(margins, values)


def _spread(legal: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
    """Masks of fields as (positions, 64) of 0 and 1."""
    octets = legal.astype("<u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets, axis=1, bitorder="little")
