"""Notations: positions as text, and text as positions.

Three notations are read and written. Reading gives a `Placement`, the content of the text as plain
data; `Position` decides whether it is a position.

KFN
    ``LAYOUT MARBLES TURN LAST``, one line, everything but the marbles still in the bags:
    ``AAB/AAC 1r1/2b r c2,b1``

Hagen
    200 characters, a panel letter and a digit for each square of 10x10, row by row. ``a`` is no
    field, ``b``-``e`` are panels of 6, ``f``-``j`` of 4, ``k``-``n`` of 3, ``o``-``r`` of 2;
    ``0`` is empty, ``1`` black, ``2`` red. It has no turn and no last marbles.

KBN
    The same shape in capitals; ``A`` is no field, the other letters are free. ``1`` and ``2`` are
    the two players' marbles, ``3`` and ``4`` their last ones; player 1 has moved first, so the
    turn follows from the counts. It does not say which colour player 1 has.
"""

from __future__ import annotations

from ...core.notation import field_name, parse_field, parse_fields
from .grid_notation import hagen_loses, kbn_loses, read_hagen, read_kbn, write_hagen, write_kbn
from .kfn import Placement, kfn_loses, read_kfn, write_kfn

__all__ = [
    "Placement",
    "field_name",
    "hagen_loses",
    "kbn_loses",
    "kfn_loses",
    "parse_field",
    "parse_fields",
    "read_hagen",
    "read_kbn",
    "read_kfn",
    "write_hagen",
    "write_kbn",
    "write_kfn",
]
