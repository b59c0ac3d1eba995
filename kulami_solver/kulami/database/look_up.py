"""Look-ups of positions in a database: margin, line, moves.

A database looks positions up one by one, by `get`. The rest follows from it by the rules: all that
can be reached from a position in a database is in it, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...game import Question
from ...storage.container import DatabaseError, NotInDatabaseError
from ..position.layout import Layout
from ..position.position import Position
from ..position.scoring import Scoring
from ..solve.solution import MoveValue, Solution


class LookUp(ABC):
    """A database of Kulami that is asked position by position.

    Attributes:
        path: the file.
        root: the position from which all its positions can be reached.
        scoring: what counts.
        layout: of all its positions.
    """

    path: str
    root: Position
    scoring: Scoring
    layout: Layout

    @abstractmethod
    def get(self, position: Position) -> int | None:
        """Return a position's margin for the side to move, None if it is not in the file."""

    @abstractmethod
    def _margin(self, position: Position) -> int | None:
        """The margin of a position that passed `may_hold`; None if it is not in the file."""

    def probe(self, position: Position, *, every_move: bool = False) -> Solution:
        """Return the solution of a position: margin, best field, line to the end.

        Args:
            position: any position in the file.
            every_move: the value of every legal field, too.

        Raises:
            NotInDatabaseError: if it is not in the file.
            DatabaseError: if the file is damaged where it is read.
        """
        margin = self._probed(position)
        line = []
        here, keep = position, margin
        while not here.is_over:
            for field in here.legal_fields:
                child = here.play(field)
                if -self._after_move(child) == keep:
                    line.append(field)
                    here, keep = child, -keep
                    break
            else:
                raise self._implausible(f"no field keeps the margin of {here.kfn()}")
        return Solution(
            position=position,
            scoring=self.scoring,
            lower=margin,
            upper=margin,
            best=line[0] if line else None,
            line=tuple(line),
            moves=self.move_values(position) if every_move else (),
            hits=1,
            source="database",
        )

    def answer(self, question: Question) -> Solution | None:
        """Return the solution of a state; None if it is not in the file."""
        state = question.state
        if state.game.scoring is not self.scoring or self.get(state.position) is None:
            return None
        return self.probe(state.position, every_move=question.every_move)

    def move_values(self, position: Position) -> tuple[MoveValue, ...]:
        """Return the value of every legal field, best first.

        Raises:
            NotInDatabaseError: if the position is not in the file.
        """
        self._probed(position)
        moves = []
        for field in position.legal_fields:
            margin = -self._after_move(position.play(field))
            moves.append(MoveValue(field, margin, margin))
        return tuple(sorted(moves, key=lambda move: -move.lower))

    def may_hold(self, position: Position) -> bool:
        """Whether a position has this layout and runs out of marbles when the root's games do."""
        # Each look-up calls this, and a property takes as long as finding the record's part.
        layout, root = position._layout, self.root
        if layout is not self.layout and layout != self.layout:
            return False
        if position._marbles != root._marbles or position._short_end != root._short_end:
            supply, needed = marbles_in_all(position), marbles_in_all(root)
            if supply != needed and min(supply, needed) < len(self.layout):
                return False
        return True

    def _probed(self, position: Position) -> int:
        margin = self.get(position)
        if margin is None:
            raise not_held(self.path, self.root, position)
        return margin

    def _after_move(self, position: Position) -> int:
        """The margin of a position after a move from one that is in the file."""
        margin = self._margin(position)
        if margin is None:
            raise self._implausible(
                f"{position.kfn()} is missing, to which a move leads from a position that it holds"
            )
        return margin

    def _implausible(self, why: str) -> DatabaseError:
        """The error for a position whose value is missing or contradicts another."""
        return DatabaseError(f"{self.path}: damaged, {why}; build it again")


def not_held(path: str, root: Position, position: Position) -> NotInDatabaseError:
    """The error for a position that a file does not hold.

    Args:
        path: the file.
        root: the position that the file was made from.
        position: the one that was asked for.
    """
    return NotInDatabaseError(
        "not_in_database",
        path=path,
        position=position.kfn(),
        root=root.kfn(),
        marbles=root.marbles,
    )


def marbles_in_all(position: Position) -> int:
    """Return how many marbles both sides together may place in a game."""
    return 2 * position.marbles - position.short_end
