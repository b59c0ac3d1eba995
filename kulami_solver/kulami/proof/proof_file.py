"""The file of a proof: its header, and writing it.

docs/file-format.md describes it. A proof holds choices alone: the field that each
step `Ge` names. The reader derives everything else from the root, ply by ply (`proof_walk.pxd`).
"""

from __future__ import annotations

import os
from typing import Annotated, ClassVar, Final, Literal, NamedTuple

import msgspec

from ...core.budgets import number_within
from ...core.files import write_atomically
from ...errors import KulamiError, quoted
from ...storage.container import (
    PROOF_MAGIC,
    Count,
    DatabaseError,
    beginning,
    check_claims,
    header_with,
    padded,
    size_and_checksum,
)
from ...storage.container import Section as AnySection
from ..position.edition import OPTIONS, chosen
from ..position.position import Position
from ..position.scoring import Scoring
from .proof_walk import NOTHING, ProofBoard

CLAIMS: Final = {"win": (1, NOTHING), "draw": (0, 0), "loss": (-NOTHING, -1)}
"""The lower and the upper bound of the margin that a proved outcome claims."""


class Choices(AnySection, frozen=True, tag="choices"):
    """The section with the choices."""

    bits: Count


class ProofHeader(header_with(OPTIONS), frozen=True, tag="kulami"):  # type: ignore[misc,call-arg]
    """The header; `docs/file-format.md` says what the keys mean."""

    MAGIC: ClassVar[bytes] = PROOF_MAGIC
    OTHER: ClassVar[str] = "no_proof"

    sections: tuple[Choices]
    root: str
    scoring: str
    value: Annotated[int, msgspec.Meta(ge=-1000, le=1000)] | Literal["win", "draw", "loss"]
    depth_left: Annotated[int, msgspec.Meta(ge=0, le=64)]
    steps: Count
    plies: Annotated[
        tuple[tuple[Count, Count, Count], ...], msgspec.Meta(min_length=1, max_length=65)
    ]
    semi_strong: bool = False


def claimed(value: int | str) -> tuple[int, int]:
    """Return the lower and the upper bound of the margin that a value claims.

    Examples:
        >>> claimed(-3), claimed("draw")
        ((-3, -3), (0, 0))
    """
    return CLAIMS[value] if isinstance(value, str) else (value, value)


def board_of(position: Position, scoring: Scoring) -> ProofBoard:
    """The rules by which a proof about a position is checked."""
    return ProofBoard(str(position.layout), scoring.area, scoring.chains)


def root_of(name: str, header: ProofHeader) -> tuple[Position, Scoring]:
    """Return the root and the scoring of a proof, after checking its header.

    Raises:
        DatabaseError: if the header contradicts itself or makes no sense.
    """
    try:
        root = Position.from_kfn(header.root, **chosen(header))
        scoring = Scoring.parse(header.scoring)
    except KulamiError as error:
        raise DatabaseError(
            f"{name}: not understood ({quoted(str(error))}); build it again"
        ) from None
    claims = {
        "root": header.root == root.kfn(),
        "scoring": header.scoring == scoring.value,
        "steps": header.steps == sum(map(sum, header.plies)),
        "bits": header.sections[0].bits <= 8 * header.sections[0].bytes,
        "value": isinstance(header.value, int) or not header.semi_strong,
    }
    check_claims(name, claims.items())
    return root, scoring


DEPTH_LEFT: Final = 6
"""Positions with at most this number of plies to come are played out by default."""
MOST_DEPTH: Final = 64


def checked_depth(depth_left: int | None) -> int:
    """Return how many plies the checker plays out, `DEPTH_LEFT` for None.

    Raises:
        KulamiError: if it is not a whole number from 0 to `MOST_DEPTH`.
    """
    depth = DEPTH_LEFT if depth_left is None else depth_left
    return number_within(depth, "depth_left", 0, MOST_DEPTH)


class ToProve(NamedTuple):
    """What a proof is to prove, and how.

    Attributes:
        position, scoring: the root, and what counts.
        goal: whether its margin or its outcome alone.
        depth: positions with at most so many plies to come are played out.
        semi_strong: prove what one side's mistakes are worth, too.
    """

    position: Position
    scoring: Scoring
    goal: Literal["margin", "outcome"]
    depth: int
    semi_strong: bool = False

    @property
    def board(self) -> ProofBoard:
        """The rules by which it is checked."""
        return board_of(self.position, self.scoring)

    @property
    def place(self) -> tuple[int, int, int, int, int]:
        """The root, as a walk takes it."""
        return *self.position.view, self.position.supply


class FoundProof(NamedTuple):
    """A proof that has been found.

    Attributes:
        value: what is proved: a margin, or win, draw or loss.
        plies: the numbers of steps of each ply, `Ge`, `Le` and `Play`.
        choices, bits: as the file has them.
        nodes: positions that were searched.
        solving: seconds until the value was known.
    """

    value: int | str
    plies: list[tuple[int, int, int]]
    choices: bytes
    bits: int
    nodes: int
    solving: float


def write_proof(
    path: str | os.PathLike[str], wanted: ToProve, found: FoundProof
) -> tuple[int, tuple[int, int, int]]:
    """Write a proof; the file appears when it is complete.

    Returns:
        The size of the file in bytes, and how many steps of each kind the proof has.
    """
    position = wanted.position
    at_least, at_most, played = steps = tuple(map(sum, zip(*found.plies, strict=True)))
    about = {
        "game": "kulami",
        "root": position.kfn(),
        **position.edition,
        "scoring": wanted.scoring.value,
        "value": found.value,
        "depth_left": wanted.depth,
        "steps": sum(steps),
        "plies": found.plies,
        **({"semi_strong": True} if wanted.semi_strong else {}),
    }
    section = padded(found.choices or b"\0")
    said = {"kind": "choices", "bits": found.bits, **size_and_checksum(section)}
    begin, size = beginning(PROOF_MAGIC, about, [said])
    write_atomically(path, [begin, section])
    return size, (at_least, at_most, played)
