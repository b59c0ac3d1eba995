"""Answers about a position from a database, however the file is read: value, line, turns.

A database looks positions up one by one, by `get`. The rest follows from it by the rules.
"""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

from ..storage.container import DatabaseError, NotInDatabaseError
from .board import Board
from .position import Position, checked_position
from .turns import Turn
from .values import Solution, Value, turn_value, value_in, value_of

if TYPE_CHECKING:
    from ..game import MoveAnswer, Question
    from ..storage.dense import DenseReader
    from .index import Index


class LookUp:
    """A database of Malawi in which positions are looked up one by one.

    Attributes:
        path: the file.
        board: the board of its positions.
    """

    path: str
    board: Board
    if TYPE_CHECKING:  # for those that derive from it alone
        index: Index
        reader: DenseReader
        _file: Any  # an OpenFile or a SlicedFile

        def __contains__(self, position: object) -> bool: ...

    def get(self, position: Position) -> Value | None:
        """Return the value of a position for its side to move; None if it is not in the file.

        Neither the side to move nor a reflection makes a difference: a position with black to move
        is looked up as the same one with red to move.

        Raises:
            PositionError: if it is not a position.
            DatabaseError: if the file is damaged where it is read, was closed, or has another size
                than when it was opened.
        """
        self._file.check_open()
        position = checked_position(position)
        if (position.columns, position.rows) != (self.board.columns, self.board.rows):
            return None
        try:
            slot = self.index.slot(*position.view)
        except ValueError:
            return None  # More beads than the board began with.
        number = self.reader.value_at(slot)
        return None if number is None else value_of(number)

    def probe(self, position: Position, *, every_move: bool = False) -> Solution:
        """Return the solution of a position: value, best turn, line of best play.

        Args:
            position: any position in the file.
            every_move: the value of every legal turn, too.

        Returns:
            The solution. The line goes to the end of the game, or, from a draw, until a position
            comes up for the second time.

        Raises:
            NotInDatabaseError: if it is not in the file.
            DatabaseError: if the file is damaged where it is read.
        """
        begun = clock.perf_counter()
        value = keep = self._probed(position)
        line: list[Turn] = []
        here, seen = position, {position}
        while not here.is_over:
            best = self.turn_values(here)[0]
            if value_in(best) != keep:
                raise self._implausible("no_turn_keeps", position=here.mfn())
            line.append(best.move)
            keep = self._after_turn(here, best.move)
            here = here.play(best.move)
            if here in seen:
                break
            seen.add(here)
        return Solution.of(
            position,
            value,
            best=line[0] if line else None,
            line=tuple(line),
            moves=self.turn_values(position) if every_move else (),
            source="database",
            seconds=clock.perf_counter() - begun,
        )

    def answer(self, question: Question) -> Solution | None:
        """Return the solution of a state; None if it is not in the file."""
        position = question.state.position
        if position not in self:
            return None
        return self.probe(position, every_move=question.every_move)

    def turn_values(self, position: Position) -> tuple[MoveAnswer, ...]:
        """Return the value of every legal turn, best first; none if the game is over.

        Raises:
            NotInDatabaseError: if the position is not in the file.
        """
        if checked_position(position).is_over:
            return ()
        values = [
            turn_value(turn, self._after_turn(position, turn).before_turn())
            for turn in position.legal_turns
        ]
        return tuple(sorted(values, key=lambda found: value_in(found).rank))

    def _after_turn(self, position: Position, turn: Turn) -> Value:
        """The value of the position after a turn, for its side to move."""
        after = position.play(turn)
        value = self.get(after)
        if value is None:
            self._probed(position)  # Raises if it is not in the file itself.
            raise self._implausible("successor_missing", position=position.mfn(), after=after.mfn())
        return value

    def _implausible(self, code: str, **said: object) -> DatabaseError:
        """The error for values that contradict each other."""
        return DatabaseError(code, path=self.path, **said)

    def _probed(self, position: Position) -> Value:
        value = self.get(position)
        if value is None:
            raise NotInDatabaseError(
                "not_in_malawi_database",
                path=self.path,
                position=position.mfn(),
                board=self.board,
                beads=self.board.beads,
            )
        return value
