"""The file of a proof: what its header says, and how it is written.

docs/file-format.md describes it. A proof holds choices alone: which field each step `Ge` names. All
else follows from the root, ply by ply, and who reads it works it out (`proof_walk.pxd`).
"""

from __future__ import annotations

import os
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec

from ..core.files import write_atomically
from ..errors import KulamiError
from ..storage.container import (
    PROOF_MAGIC,
    Count,
    DatabaseError,
    beginning,
    check_claims,
    padded,
    size_and_checksum,
)
from ..storage.container import Header as AnyHeader
from ..storage.container import Section as AnySection
from .position import Position
from .proof_rules import ProofBoard
from .proof_walk import NOTHING
from .scoring import Scoring

CLAIMS: Final = {"win": (1, NOTHING), "draw": (0, 0), "loss": (-NOTHING, -1)}
"""What a proved outcome claims of the margin: at least, and at most."""


class Choices(AnySection, frozen=True, tag="choices"):
    """The section with the choices."""

    bits: Count


class ProofHeader(AnyHeader, frozen=True, tag="kulami"):
    """The header; `docs/file-format.md` says what the keys mean."""

    MAGIC: ClassVar[bytes] = PROOF_MAGIC
    OTHER: ClassVar[str] = "no_proof"

    sections: tuple[Choices]
    root: str
    marbles: Annotated[int, msgspec.Meta(ge=1, le=64)]
    short_end: bool
    scoring: str
    value: Annotated[int, msgspec.Meta(ge=-1000, le=1000)] | Literal["win", "draw", "loss"]
    depth_left: Annotated[int, msgspec.Meta(ge=0, le=64)]
    steps: Count
    plies: Annotated[tuple[tuple[Count, Count, Count], ...], msgspec.Meta(min_length=1)]
    semi_strong: bool = False


def claimed(value: int | str) -> tuple[int, int]:
    """Return what a value claims of a margin: at least, and at most.

    Examples:
        >>> claimed(-3), claimed("draw")
        ((-3, -3), (0, 0))
    """
    return CLAIMS[value] if isinstance(value, str) else (value, value)


def board_of(position: Position, scoring: Scoring) -> ProofBoard:
    """The rules that a proof about a position is checked by."""
    return ProofBoard(str(position.layout), scoring.area, scoring.chains)


def root_of(name: str, header: ProofHeader) -> tuple[Position, Scoring]:
    """Return what a proof is about, once its header has been found to say so.

    Raises:
        DatabaseError: if the header says what cannot be.
    """
    try:
        root = Position.from_kfn(header.root, header.marbles, header.short_end)
        scoring = Scoring.parse(header.scoring)
    except KulamiError as error:
        raise DatabaseError("header_not_understood", path=name, why=str(error)) from None
    claims = {
        "root": header.root == root.kfn(),
        "scoring": header.scoring == scoring.value,
        "steps": header.steps == sum(map(sum, header.plies)),
        "bits": header.sections[0].bits <= 8 * header.sections[0].bytes,
        "value": isinstance(header.value, int) or not header.semi_strong,
    }
    check_claims(name, claims.items())
    return root, scoring


def write_proof(
    path: str | os.PathLike[str], about: dict[str, Any], choices: bytes, bits: int
) -> int:
    """Write a proof; the file appears when it is complete.

    Args:
        path: where to.
        about: the header without its list of sections.
        choices: of the steps `Ge`, in their order.
        bits: how many bits they are.

    Returns:
        The size of the file.
    """
    section = padded(choices or b"\0")
    said = {"kind": "choices", "bits": bits, **size_and_checksum(section)}
    begin, size = beginning(PROOF_MAGIC, {"game": "kulami", **about}, [said])
    write_atomically(path, [begin, section])
    return size
