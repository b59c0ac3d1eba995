"""Databases of Kulami that are read by slices: where there is no NumPy, and no path to the file.

A browser is such a place. `plain_reader` finds the records; what a position is, and what follows
from its value, is as for every database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from ..errors import KulamiError
from ..storage.container import DatabaseError
from .look_up import LookUp
from .material import MAX_FIELDS
from .plain_reader import FileError, PlainDatabase, Readable
from .position import Position
from .scoring import Scoring
from .solve import solve

#: Margins that are remembered: a line or the values of all moves come to many positions twice.
_REMEMBERED: Final = 50_000
#: Positions that a search for a way from the root may try.
_TRIED: Final = 20_000
#: Nodes of a search for what lies behind the last ply of a file, which is a dozen plies at most.
_NODES: Final = 1 << 22
#: The codes of what can be wrong with a file.
_CODES: Final = {
    "other": "chosen_other",
    "game": "chosen_game",
    "version": "chosen_version",
    "damaged": "chosen_damaged",
    "closed": "chosen_changed",
}
_SAID: Final = {
    "chosen_other": {"game": "Kulami", "command": "kulami build"},
    "chosen_game": {"game": "Kulami"},
}


class SlicedDatabase(LookUp):
    """An open database that is read by slices, as `PlainDatabase` reads it.

    Without keys it is only asked about positions to which moves lead from its root, for which it
    has the right values: a search for such moves comes before the first look-up.

    Args:
        name: the file's, for messages.
        file: the file.

    Attributes:
        positions: how many it holds, up to equivalence.
        keyless: whether it keeps no keys, so that it cannot tell for certain what is not in it.

    Raises:
        DatabaseError: if it is no database of Kulami, is of a later version, or damaged.

    Examples:
        >>> import mmap
        >>> with open("data/3x4-level2.kdb", "rb") as file:
        ...     database = SlicedDatabase("3x4", mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
        >>> database.probe(database.root).margin
        0
    """

    position_type: ClassVar = Position

    def __init__(self, name: str, file: Readable) -> None:
        self.path = name
        try:
            self._plain: Final = PlainDatabase(name, file)
            self.root = Position.from_kfn(
                self._plain.root, self._plain.marbles, self._plain.short_end
            )
            self.scoring = Scoring.parse(self._plain.scoring)
        except FileError as error:
            raise self._refused(error) from None
        except OSError:
            raise DatabaseError("chosen_changed", path=name) from None
        except KulamiError:
            raise DatabaseError("chosen_damaged", path=name) from None
        self.layout = self.root.layout
        self.positions: Final = self._plain.positions
        self.keyless: Final = self._plain.fingerprint is not None
        self._margins: Final[dict[tuple[int, int, int, int], int | None]] = {}

    def close(self) -> None:
        """Close the file."""
        self._plain.close()

    def holds(self, game: Sequence[Position]) -> bool:
        """Return whether the last position of a game can be probed.

        Args:
            game: its positions, one move after the other, or the last one alone.
        """
        position = game[-1]
        if not self.may_hold(position):
            return False
        if self.keyless:
            begun = any(earlier.view == self.root.view for earlier in game)
            if not begun and not leads_to(self.root, position):
                return False
        return self.get(position) is not None

    def get(self, position: Position) -> int | None:
        """Return a position's margin for the side to move, None if it is not in the file.

        Args:
            position: of a database without keys, one that comes about from its root.

        Raises:
            DatabaseError: if the file is damaged where it is read, or has changed.
        """
        if not self.may_hold(position):
            return None
        view = position.view
        if view not in self._margins:
            if len(self._margins) >= _REMEMBERED:
                self._margins.clear()
            self._margins[view] = self._margin(position)
        return self._margins[view]

    def _margin(self, position: Position) -> int | None:
        ply = (position.red | position.black).bit_count()
        ply -= (self.root.red | self.root.black).bit_count()
        kept = self._plain.kept
        if position.is_over or ply in kept or ply < 0:
            return self._read(position)
        if ply > kept[-1]:
            return solve(position, self.scoring, nodes=_NODES).margin
        after = [self.get(position.play(field)) for field in position.legal_fields]
        margins = [-margin for margin in after if margin is not None]
        return max(margins) if len(margins) == len(after) else None

    def _read(self, position: Position) -> int | None:
        try:
            return self._plain.get(position.kfn())
        except FileError as error:
            raise self._refused(error) from None
        except OSError:
            raise DatabaseError("chosen_changed", path=self.path) from None

    def _refused(self, error: FileError) -> DatabaseError:
        code = _CODES[error.kind]
        return DatabaseError(code, path=self.path, **_SAID.get(code, {}))

    def _implausible(self, code: str, position: Position) -> KulamiError:
        return DatabaseError("chosen_damaged", path=self.path)


def leads_to(root: Position, position: Position, most: int = _TRIED) -> bool:
    """Return whether moves have been found that lead from one position to another.

    They are looked for from the end: the newest marble is taken away, then the one before it, and
    the next one may be any of its colour from which that move was legal. Colours may be exchanged.

    Args:
        root: the first position.
        position: the last one, of the same layout.
        most: positions that are tried before the answer is no.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> leads_to(start, start.play("a1").play("c1"))
        True
        >>> leads_to(start.play("a1"), start.play("a2"))
        False
    """
    goal = own, other, *_ = root.view
    fixed, begun = own | other, (own | other).bit_count()
    count = (position.red | position.black).bit_count()
    mine, theirs = position.view[:2] if (count - begun) % 2 == 0 else position.view[1::-1]
    if own & ~mine or other & ~theirs:
        return False
    legal = root.layout.geometry.legal
    waiting, seen = [position.view], {position.view}
    while waiting and len(seen) <= most:
        here = waiting.pop()
        if here == goal:
            return True
        own, other, last, before = here
        if last < 0 or fixed >> last & 1:
            continue
        # `other` has placed `last`. Before that it was the one to move, and had placed `earlier`.
        other ^= 1 << last
        count = (own | other).bit_count() - begun
        if count == 0:
            earliest = [root.view[3]]
        elif count == 1:
            earliest = [root.view[2]]
        else:
            earliest = [field for field in range(MAX_FIELDS) if other & ~fixed & 1 << field]
        for earlier in earliest:
            after = other, own, before, earlier
            if after not in seen and legal(other, own, before, earlier) >> last & 1:
                seen.add(after)
                waiting.append(after)
    return False
