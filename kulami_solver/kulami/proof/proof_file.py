"""The file of a proof: its header, and writing it.

docs/file-format.md describes it. A proof holds choices alone: the field that each
step `Ge` names. The reader derives everything else from the root, ply by ply (`proof_walk.pxd`).
"""

from __future__ import annotations

import os
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec

from ...core.files import write_atomically
from ...errors import KulamiError
from ...storage.container import (
    PROOF_MAGIC,
    Count,
    DatabaseError,
    beginning,
    check_claims,
    padded,
    size_and_checksum,
)
from ...storage.container import Header as AnyHeader
from ...storage.container import Section as AnySection
from ..position.position import Position
from ..position.scoring import Scoring
from .proof_rules import ProofBoard
from .proof_walk import NOTHING

CLAIMS: Final = {"win": (1, NOTHING), "draw": (0, 0), "loss": (-NOTHING, -1)}
"""The lower and the upper bound of the margin that a proved outcome claims."""


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
        path: of the file.
        about: the header without its list of sections.
        choices: of the steps `Ge`, in their order.
        bits: number of bits of the choices.

    Returns:
        The size of the file.
    """
    section = padded(choices or b"\0")
    said = {"kind": "choices", "bits": bits, **size_and_checksum(section)}
    begin, size = beginning(PROOF_MAGIC, {"game": "kulami", **about}, [said])
    write_atomically(path, [begin, section])
    return size
