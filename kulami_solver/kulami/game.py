"""Kulami as one of the games of `kulami_solver.game`: its options, and what answers about it."""

from __future__ import annotations

from typing import Any

from ..core.notation import RED, parse_turn
from ..game import Descriptor, Option
from .position.edition import MARBLES, OPTIONS, Edition
from .position.layout import Layout, named_layout
from .position.position import Position
from .position.scoring import Scoring
from .solve.solver import Search, table_plies
from .state import SEATS
from .state import KulamiGame as KulamiGame
from .state import KulamiState as KulamiState
from .state import state_of as state_of


def make_game(
    layout: Layout | str = "square",
    scoring: Scoring | str | int = Scoring.LEVEL0,
    first: str = RED,
    marbles: int = MARBLES,
    short_end: bool = False,
) -> KulamiGame:
    """Return Kulami with these options.

    Args:
        layout: a layout, its rows separated by "/", or "square" or "rulebook".
        scoring: what counts.
        first: the side that begins.
        marbles, short_end: as for `Edition`.

    Raises:
        KulamiError: if one of them makes no sense.

    Examples:
        >>> make_game("square", scoring="chains").scoring
        <Scoring.CHAINS: 'chains'>
    """
    if not isinstance(layout, Layout):
        layout = named_layout(layout) or Layout.parse(layout)
    first = parse_turn(first, "first")
    return KulamiGame(layout, Scoring.parse(scoring), first, Edition(marbles, short_end))


def _read(
    kfn: str,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    layout: object = None,
    first: object = None,
    **options: Any,
) -> KulamiState:
    """The state of a KFN, which has the layout and says who began."""
    return state_of(Position.from_kfn(kfn, **options), scoring)


def _open_database(path: str) -> object:
    from .database.probe import Database

    return Database(path)


def _open_proof(path: str) -> object:
    from .proof.proof import open_proof

    return open_proof(path)


GAME = Descriptor(
    name="kulami",
    title="Kulami",
    make=make_game,
    options=(
        Option("layout", "text", "square", "square, rulebook, or rows of panels with / between"),
        Option(
            "scoring",
            "choice",
            "0",
            "what counts: panels, area (1), chains (2)",
            choices=tuple(one.value for one in Scoring),
        ),
        Option("first", "choice", RED, "the side that begins", choices=SEATS),
        *OPTIONS,
    ),
    notation="KFN",
    seats=SEATS,
    samples=({"layout": "AAB/CCB"}, {"layout": "ABBC/ABBC/DDEE", "scoring": "2"}),
    written=("layout", "first"),
    large=True,
    read=_read,
    database=_open_database,
    table_plies=lambda state: table_plies(state.position.plies_left, state.game.scoring),
    proof=_open_proof,
    search=Search,
)
"""Kulami."""
