"""Probing: open a database of Malawi and ask it for positions.

A database looks positions up one by one, by `get`. The rest follows from it by the rules: value,
line, turns. It needs no NumPy.
"""

from __future__ import annotations

import os
import time as clock
from typing import Final

from ..errors import quoted
from ..game import MoveAnswer, Question, checked_question
from ..storage.container import DatabaseError, NotInDatabaseError
from ..storage.database import Database as AnyDatabase
from ..storage.database import refuse_other_game
from ..storage.dense import DenseReader
from .board import Turn
from .header import Header, index_by
from .position import Position, checked_position
from .values import Solution, Value, turn_value, value_in, value_of


class Database(AnyDatabase[Header]):
    """An open database; get one from `open_database`, or from this where it is to be of Malawi.

    Each layer's checksum is verified before the layer is used.

    Attributes:
        path: the file.
        board: the board of its positions.
        value: the value of the start for the side that begins.
        positions: the number of positions, a position and its mirror image counted apart.
        bytes: the size of the file.
        header: the file's header.

    Raises:
        DatabaseError: if it is no database, is of another version, of another game, truncated or
            damaged.
        OSError: if it cannot be read.

    Examples:
        >>> import tempfile
        >>> from kulami_solver.malawi import Board, Position
        >>> from kulami_solver.malawi.building import build
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = folder.name + "/small.kdb"
        >>> _ = build(path, Board(2, 4))
        >>> start = Position.start(Board(2, 4))
        >>> with Database(path) as db:
        ...     db.get(start), len(db.probe(start).line), start in db
        (Value(outcome='loss', plies=11, within=None), 11, True)
        >>> folder.cleanup()
        >>> Database("data/3x4-level2.kdb")
        Traceback (most recent call last):
        ...
        kulami_solver.storage.container.OtherGameError: data/3x4-level2.kdb: a database of Kulami, \
not of Malawi: read it with kulami probe, info or verify (open_database(path))
    """

    position_type = Position

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, Header)
        with self._closed_on_failure():
            self.board, self.index = index_by(self.path, self._file.header)
            sections = self.header["sections"]
            self.reader: Final = DenseReader(self.path, sections, self._file.content)
        self.value: Final = Value(self.header["outcome"], self.header["plies"])

    def close(self) -> None:
        super().close()
        self.reader.close()

    def _board_text(self) -> str:
        return str(self.board)

    def counts(self) -> dict[Value, int]:
        """Return how many positions have each value, a position and its mirror image apart."""
        return {value_of(number): count for number, count in self.header["values"]}

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
                raise self._implausible(f"no turn keeps the value of {here.mfn()}")
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
        position = checked_question(question).state.position
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
            raise self._implausible(
                f"it holds {position.mfn()} and not {after.mfn()}, to which a turn leads"
            )
        return value

    def _implausible(self, why: str) -> DatabaseError:
        """The error for values that contradict each other."""
        return DatabaseError(f"{self.path}: damaged, {why}; build it again")

    def _probed(self, position: Position) -> Value:
        value = self.get(position)
        if value is None:
            about = {"path": self.path, "board": self.board, "beads": self.board.beads}
            raise NotInDatabaseError("not_in_malawi_database", **about, position=position.mfn())
        return value


def checked_database(database: object) -> Database:
    """Return `database` if it is one of Malawi; raise a `DatabaseError` otherwise."""
    if not isinstance(database, Database):
        refuse_other_game(database, "malawi")
        raise DatabaseError(
            f"database is {quoted(database)}: give one that open_database has opened"
        )
    return database
