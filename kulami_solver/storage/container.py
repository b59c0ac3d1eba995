"""The file: a header with everything about the positions, then sections with a checksum each.

    0     magic "KULAMIDB"
    8     version, u32
    12    bytes of the header's JSON text, u32; a multiple of 64
    16    bytes of the whole file, u64
    24    zero, u64
    32    SHA-256 of bytes 0-31 and of the JSON text
    64    JSON text, filled up with spaces
    ...   sections, each filled up with zeros to a multiple of 64 bytes

Numbers are little-endian. `docs/file-format.md` describes the rest.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import shutil
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..core.files import replacement
from ..errors import KulamiError, quoted

__all__ = [
    "ALIGNMENT",
    "VERSION",
    "DatabaseError",
    "NotInDatabaseError",
    "check_game",
    "check_section",
    "open_file",
    "padded",
    "write_database",
]

MAGIC: Final = b"KULAMIDB"
VERSION: Final = 1
ALIGNMENT: Final = 64
_FIXED: Final = struct.Struct("<8sIIQQ")
_LONGEST_TEXT: Final = 1 << 28
# What the commands that read a game's databases begin with.
_COMMANDS: Final = {"kulami": "kulami", "malawi": "kulami malawi"}


class DatabaseError(KulamiError):
    """A file is no database, is damaged, or cannot be written."""


class NotInDatabaseError(KulamiError, LookupError):
    """A position is not in a database."""


def padded(content: bytes, filler: bytes = b"\0") -> bytes:
    """Fill up to a multiple of 64 bytes.

    Examples:
        >>> len(padded(b"x" * 65))
        128
    """
    return content + filler * (-len(content) % ALIGNMENT)


def write_database(
    path: Path,
    about: dict[str, Any],
    sections: list[tuple[dict[str, Any], Path]],
    check: Callable[[Path], None] | None = None,
) -> int:
    """Write a database out of its sections.

    Args:
        path: where to; the file appears there when it is complete.
        about: the header without its list of sections.
        sections: of each, what the header says of it ("bytes" and "sha256" among it), and the file
            that holds it.
        check: called with the whole file under a passing name; if it raises, none appears.

    Returns:
        The size of the file.
    """
    listed = []
    offset = 0
    for described, _ in sections:
        listed.append({**described, "offset": offset})
        offset += described["bytes"]
    text = json.dumps({**about, "sections": listed}, sort_keys=True, separators=(",", ":"))
    raw = padded(text.encode("ascii"), b" ")
    size = ALIGNMENT + len(raw) + offset
    fixed = _FIXED.pack(MAGIC, VERSION, len(raw), size, 0)

    with replacement(path, passing=path.name + ".tmp") as writing:
        with open(writing, "wb") as file:
            file.write(fixed + hashlib.sha256(fixed + raw).digest() + raw)
            for _, source in sections:
                with open(source, "rb") as part:
                    shutil.copyfileobj(part, file, 1 << 20)
        if check is not None:
            check(writing)
    return size


def open_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], mmap.mmap, int]:
    """Map a database into memory and check its header.

    Returns:
        (header, the file, where its sections begin).

    Raises:
        DatabaseError: if it is no database, is of a later version, or is damaged.
        OSError: if the file cannot be read.
    """
    name = os.fspath(path)
    if not stat.S_ISREG(os.stat(path).st_mode):  # To open a pipe is to wait for who writes to it.
        raise DatabaseError(f"{name}: no regular file, so no database; name the file of one")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < ALIGNMENT:
            raise DatabaseError(f"{name}: {size} bytes are no Kulami database")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        magic, version, length, total, _ = _FIXED.unpack_from(mapped)
        if magic != MAGIC:
            raise DatabaseError(f"{name}: not a Kulami database (it begins with {magic!r})")
        if version != VERSION:
            raise DatabaseError(
                f"{name}: a database of version {version}; this program reads version {VERSION}: "
                "update it, or build the database again"
            )
        if size < total:
            raise DatabaseError(
                f"{name}: truncated, {total - size} of its {total} bytes are missing; "
                "copy or build it again"
            )
        begin = ALIGNMENT + length
        digest = mapped[32:ALIGNMENT]
        if (
            length > _LONGEST_TEXT
            or begin > size
            or size != total
            or hashlib.sha256(mapped[:32] + mapped[ALIGNMENT:begin]).digest() != digest
        ):
            raise DatabaseError(f"{name}: its header is damaged; copy or build it again")
        header: dict[str, Any] = json.loads(mapped[ALIGNMENT:begin])
        end = sum(section["bytes"] for section in header["sections"])
        if begin + end != size:
            raise DatabaseError(f"{name}: its sections do not fill it; build it again")
    except BaseException:
        mapped.close()
        raise
    return header, mapped, begin


def check_game(name: str, header: dict[str, Any], game: str) -> None:
    """Compare the game a database is of with the one that is wanted.

    Raises:
        DatabaseError: if it is another; the command that reads it is named.
    """
    found = header.get("game")
    if found == game:
        return
    if found in _COMMANDS:
        raise DatabaseError(
            f"{name}: a database of {found.capitalize()}, not of {game.capitalize()}: "
            f"read it with {_COMMANDS[found]} probe, info or verify"
        )
    raise DatabaseError(f"{name}: a database of another game, {quoted(found)}")


def check_section(name: str, mapped: mmap.mmap, begin: int, section: dict[str, Any]) -> None:
    """Compare a section with its checksum.

    Raises:
        DatabaseError: if it is damaged.
    """
    at = begin + section["offset"]
    with memoryview(mapped) as whole, whole[at : at + section["bytes"]] as part:
        same = hashlib.sha256(part).hexdigest() == section["sha256"]
    if not same:
        parts = [part for part in ("ply", "layer") if part in section]
        where = "".join(f" of {part} {section[part]}" for part in parts)
        raise DatabaseError(
            f"{name}: damaged, the {quoted(section['kind'])[1:-1]}{where} at byte {at} do not have "
            "their checksum; copy or build it again"
        )
