"""From rows of positions to what a learner takes: planes, and parts without leakage.

columns of a file of labels --> label_planes --> (rows, 11, height, width)
layouts, games              --> splits       --> 0 train, 1 validation, 2 test
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...core.whole_numbers import checked_seed, whole_array
from ...errors import KulamiError, checked_kind, quoted
from ...kulami.position.layout import Layout
from ..planes import PLANES, Planes


class Digest:
    """SHA-256 of rows, whatever program wrote their file, and however it is cut into groups.

    It is that of a line for each column, in the order of the names: the name, a blank, and the
    SHA-256 of the column's numbers, little-endian and as wide as `read_labels` has them, or of its
    texts, each with a line feed.

    Examples:
        >>> whole, halves = Digest(), Digest()
        >>> whole.add({"turn": np.array([0, 1], np.uint8), "layout": ["AAB/CCB", "AB"]})
        >>> for row in (0, 1):
        ...     halves.add({"layout": [["AAB/CCB", "AB"][row]], "turn": np.array([row], np.uint8)})
        >>> str(whole) == str(halves), str(whole)[:8]
        (True, '91e20537')
    """

    def __init__(self) -> None:
        self._columns: Final[dict[str, Any]] = {}

    def add(self, columns: Mapping[str, npt.ArrayLike]) -> None:
        """Go on with more rows, all columns of them."""
        for name, given in columns.items():
            column = np.asarray(given)
            if column.dtype.kind in "OU":
                content = "".join(f"{text}\n" for text in column.tolist()).encode()
            else:
                content = column.astype(column.dtype.newbyteorder("<")).tobytes()
            self._columns.setdefault(name, hashlib.sha256()).update(content)

    def __str__(self) -> str:
        lines = (f"{name} {self._columns[name].hexdigest()}\n" for name in sorted(self._columns))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


PARTS: Final = ("train", "validation", "test")

_SHARES: Final = (80, 10, 10)
_FRACTION: Final = float(1 << 64)


def splits(
    layouts: Iterable[Layout | str],
    games: npt.ArrayLike | None = None,
    shares: Sequence[float] = _SHARES,
    seed: int = 0,
) -> npt.NDArray[np.uint8]:
    """Put each row into a part, so that what one part has does not come up in another.

    Rows of one layout are in one part, also if one is mirrored or turned. With games, rows of one
    game on one layout are: that is for files of a single layout. The part depends on layout, game
    and seed alone, so a row stays where it is when a file grows. Parts have about their shares, the
    closer, the more layouts or games there are.

    Args:
        layouts: of each row, as text or as layouts.
        games: of each row, whole numbers.
        shares: of training, validation and test; their sum counts as the whole.
        seed: another one gives other parts.

    Returns:
        A number for each row, of `PARTS`: 0 train, 1 validation, 2 test.

    Raises:
        KulamiError: if the shares are no three numbers from 0 on, the seed is no whole number of 0
            or more, or there is not a game a row.
        LayoutError: if a text is no layout.

    Examples:
        >>> splits(["AAB/CCB", "ABB/ACC", "AB/AB"], seed=3).tolist()  # the first two are mirrored
        [0, 0, 0]
        >>> parts = splits(["AAB/CCB"] * 1000, np.arange(1000) // 2)
        >>> np.bincount(parts).tolist(), bool((parts[::2] == parts[1::2]).all())
        ([834, 80, 86], True)
    """
    try:
        given = np.array([float(share) for share in shares])
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != (3,) or not (given >= 0).all() or not 0 < given.sum() < np.inf:
        raise KulamiError(f"shares are {quoted(shares)}: give three numbers, such as (80, 10, 10)")
    ends = np.cumsum(given) / given.sum()
    checked_kind(layouts, Iterable, "layouts are an iterable of Layouts")
    rows = [layout if isinstance(layout, Layout) else str(layout) for layout in layouts]
    boards = {one: one if isinstance(one, Layout) else Layout.parse(one) for one in set(rows)}
    canonical = {one: str(board.canonical()) for one, board in boards.items()}
    names: list[str] = [canonical[one] for one in rows]
    if games is not None:
        numbers = whole_array(games)
        if numbers is None or numbers.shape != (len(names),):
            raise KulamiError(f"games are {quoted(games, 60)}: give {len(names)} whole numbers")
        pairs = zip(names, numbers.tolist(), strict=True)
        names = [f"{name} {number}" for name, number in pairs]
    seed = checked_seed(seed)
    part_of = {name: _part(f"{seed} {name}", ends) for name in set(names)}
    return np.array([part_of[name] for name in names], np.uint8)


def _part(name: str, ends: npt.NDArray[np.float64]) -> int:
    digest = hashlib.blake2b(name.encode("ascii"), digest_size=8).digest()
    drawn = int.from_bytes(digest, "little") / _FRACTION  # 0 to 1, and 1 by rounding alone
    return int(np.searchsorted(ends[:-1], drawn, "right"))


def _column(labels: Mapping[str, Any], name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(labels[name])
    except (TypeError, LookupError):
        raise KulamiError(
            f"labels are {quoted(labels)}, without a column {name}: give all columns of a file of "
            "labels, by their names"
        ) from None


def label_planes(labels: Mapping[str, Any], rows: Any = slice(None)) -> npt.NDArray[np.float32]:
    """Return the planes of rows of a file of labels, as the side to move sees them.

    All panels are among the planes: without them a net can learn nothing about layouts that it has
    not seen. The planes are those of `kulami_solver.adapters.planes.PLANES`, in their order; they
    are as large as the file's largest layout, and smaller ones lie in their top left corner.

    Args:
        labels: columns by name, as `read_labels` returns them.
        rows: which rows, as NumPy takes them: a slice, numbers, or truth values.

    Returns:
        An array of (rows, planes, height, width).

    Raises:
        KulamiError: if a column or a row is missing.

    Examples:
        >>> columns = {"layout": ["AAB/CCB", "AAB/CCB"], "turn": [1, 0]}
        >>> columns |= {"red": [1, 1], "black": [0, 32], "legal": [6, 8]}
        >>> columns |= {"last": [0, 5], "before": [-1, 0]}
        >>> planes = label_planes(columns)
        >>> planes.shape, planes[0, PLANES.index("other")].tolist()
        ((2, 11, 2, 3), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        >>> planes[1, PLANES.index("barred")].tolist()
        [[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    """
    texts: list[str] = _column(labels, "layout").tolist()
    layouts = {text: Layout.parse(text) for text in dict.fromkeys(texts)}
    height = max((layout.height for layout in layouts.values()), default=0)
    width = max((layout.width for layout in layouts.values()), default=0)
    try:
        chosen = np.arange(len(texts))[rows]
    except IndexError:
        chosen = np.zeros(())
    if chosen.ndim != 1:
        raise KulamiError(
            f"rows are {quoted(rows)}: give a slice, or a list of numbers or truth values, for "
            f"{len(texts)} rows"
        )
    red, black, legal = (_column(labels, name)[chosen] for name in ("red", "black", "legal"))
    turn, last, before = (_column(labels, name)[chosen] for name in ("turn", "last", "before"))
    found = np.empty((len(chosen), len(PLANES), height, width), np.float32)
    of_layout: dict[str, list[int]] = {}
    for place, row in enumerate(chosen.tolist()):
        of_layout.setdefault(texts[row], []).append(place)
    own, other = np.where(turn == 0, red, black), np.where(turn == 0, black, red)
    for text, places in of_layout.items():
        at = np.array(places)
        planes = Planes(layouts[text], height, width)
        found[at] = planes.many(own[at], other[at], legal[at], last[at], before[at])
    return found
