"""The file: a header with everything about the positions, then sections with a checksum each.

    0     magic "KULAMIDB"; "KULAMIPF" for a proof
    8     version, u32
    12    bytes of the header's JSON text, u32; a multiple of 64
    16    bytes of the whole file, u64
    24    zero, u64
    32    SHA-256 of bytes 0-31 and of the JSON text
    64    JSON text, filled up with spaces
    ...   sections, each filled up with zeros to a multiple of 64 bytes

Numbers are little-endian. `docs/file-format.md` describes the rest.

A file may come from anywhere, so nothing in it is used before it is checked, in this order: the
checksum of the header; the header against the schema of its game; where its sections lie. What
only a game can tell is checked where that game's databases are opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import shutil
import stat
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Final, Generic, Protocol, TypeVar

import msgspec

from ..core.file_length import FileLength
from ..core.files import replacement
from ..errors import KulamiError

MAGIC: Final = b"KULAMIDB"
PROOF_MAGIC: Final = b"KULAMIPF"
VERSION: Final = 1
ALIGNMENT: Final = 64
_FIXED: Final = struct.Struct("<8sIIQQ")
# Where threads use a schema for the first time at once, msgspec 0.22 may end the process.
_CONVERTING: Final = threading.Lock()
_LONGEST_TEXT: Final = 1 << 28
# What the commands that read a game's databases begin with.
COMMANDS: Final = {"kulami": "kulami", "malawi": "kulami malawi"}

KEYLESS: Final = "-compact"
"""What is behind the game's name in the header of a database without keys."""


Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A number of things in a header."""


class DatabaseError(KulamiError):
    """A file is no database, is damaged or closed, or cannot be written."""


class NotInDatabaseError(KulamiError, LookupError):
    """A position is not in a database."""


def check_byte_order(name: str | os.PathLike[str]) -> None:
    """Refuse databases on a machine that has numbers the other way round than they do.

    Args:
        name: of the file that is to be built or read.

    Raises:
        DatabaseError: on a big-endian machine.
    """
    if sys.byteorder != "little":
        raise DatabaseError("byte_order", file=name_of(name))


def padded(content: bytes, filler: bytes = b"\0") -> bytes:
    """Fill up to a multiple of 64 bytes.

    Examples:
        >>> len(padded(b"x" * 65))
        128
    """
    return content + filler * (-len(content) % ALIGNMENT)


def padded_size(size: int) -> int:
    """What so many bytes take in a file.

    Examples:
        >>> padded_size(64), padded_size(65)
        (64, 128)
    """
    return size + -size % ALIGNMENT


def size_and_checksum(content: bytes) -> dict[str, int | str]:
    """What a header says of a section's content, whatever it is.

    Examples:
        >>> size_and_checksum(padded(b"x"))["bytes"]
        64
    """
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What a header says of a section of any game; games add to it.

    Attributes:
        offset: where it begins, from the first section on.
        bytes: its size, with what fills it up.
        sha256: of these bytes, in hexadecimal.
    """

    offset: Count
    bytes: Annotated[int, msgspec.Meta(gt=0, le=(1 << 63) - 1, multiple_of=ALIGNMENT)]
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game"):
    """What every header has; a game's own derives from it and is the schema of its files."""

    MAGIC: ClassVar[bytes] = MAGIC
    """What the file begins with."""
    OTHER: ClassVar[str] = "no_database"
    """The code of the error if it does not."""

    sections: tuple[Section, ...]


class _Game(msgspec.Struct):
    """The one key that is read of a header before its game is known."""

    game: str | None = None


_TAKEN_FOR: Final = {MAGIC: "database_for_proof", PROOF_MAGIC: "proof_for_database"}
"""The codes of the errors if one kind of file was taken for another."""

H = TypeVar("H", bound=Header)
Decoded = TypeVar("Decoded")


def beginning(
    magic: bytes, about: dict[str, Any], sections: list[dict[str, Any]]
) -> tuple[bytes, int]:
    """Return the bytes of a file before its first section, and how long the whole file is.

    Args:
        magic: what it begins with.
        about: the header without its list of sections.
        sections: of each, what the header says of it ("bytes" and "sha256" among it).
    """
    listed = []
    offset = 0
    for described in sections:
        listed.append({**described, "offset": offset})
        offset += described["bytes"]
    raw = padded(msgspec.json.encode({**about, "sections": listed}, order="sorted"), b" ")
    size = ALIGNMENT + len(raw) + offset
    fixed = _FIXED.pack(magic, VERSION, len(raw), size, 0)
    return fixed + hashlib.sha256(fixed + raw).digest() + raw, size


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
            that holds it, or holds it and those beside it.
        check: reads the whole file, still under a passing name; if it raises, none appears.

    Returns:
        The size of the file.

    Raises:
        DatabaseError: if the check finds what was not meant to be written.
    """
    begin, size = beginning(MAGIC, about, [described for described, _ in sections])
    with replacement(path, passing=path.name + ".tmp") as writing:
        with open(writing, "wb") as file:
            file.write(begin)
            for source in dict.fromkeys(source for _, source in sections):
                with open(source, "rb") as part:
                    shutil.copyfileobj(part, file, 1 << 20)
        if check is not None:
            try:
                check(writing)
            except DatabaseError as error:
                raise DatabaseError("not_written", path=path, why=error) from None
    return size


class Readable(Protocol):
    """A file that is read as an `mmap.mmap` is: by slices."""

    def __getitem__(self, part: slice, /) -> bytes:
        """The bytes of a slice, fewer at the end of the file."""


def checked_header(
    name: str, file: Readable, size: int, schema: type[H]
) -> tuple[H, dict[str, Any], int]:
    """Read the header of a file.

    Args:
        name: the file's, for messages.
        file, size: its bytes, and how many there are.
        schema: the header of the game that is wanted.

    Returns:
        The header; the same as plain JSON; where the first section begins.

    Raises:
        DatabaseError: if it is no database, is of another game or a later version, is damaged, or
            its header makes no sense.
    """
    text = _text(name, file, size, schema.MAGIC, schema.OTHER)
    said = _decoded(name, text)
    _check_game(name, _converted(name, said, _Game).game, schema)
    header = _converted(name, said, schema)
    begin = end = ALIGNMENT + len(text)
    for section in header.sections:
        if section.offset != end - begin:
            raise DatabaseError("sections_overlap", path=name)
        end += section.bytes
    if end != size:
        raise DatabaseError("sections_do_not_fill", path=name)
    return header, said, begin


def check_claims(name: str, claims: Iterable[tuple[str, bool]]) -> None:
    """Refuse a file whose header says what cannot be.

    Args:
        name: the file's.
        claims: of each thing its name, and whether it is as it has to be.

    Raises:
        DatabaseError: if one is not.
    """
    for what, is_so in claims:
        if not is_so:
            raise DatabaseError("header_impossible", path=name, part=what)


class OpenFile(Generic[H]):
    """A database mapped into memory, its header checked against a schema.

    Args:
        path: the file.
        schema: the header of the game that is wanted.

    Attributes:
        name: the file's, for messages.
        header: as the schema has it.
        said: the same as plain JSON.
        size: bytes of the file.

    Raises:
        DatabaseError: as for `checked_header`.
        OSError: if the file cannot be read.
    """

    header: H

    def __init__(self, path: str | os.PathLike[str], schema: type[H]) -> None:
        self.name: Final = name_of(path)
        self._closed = False
        # Between looking whether the memory is there and holding it, nobody else may let go of it.
        self._lock: Final = threading.Lock()
        with _regular_file(path, self.name) as file:
            self._mapped: Final = _mapped(file, self.name)
            self._length: Final = FileLength(file.fileno())
        try:
            self.size: Final = len(self._mapped)
            found = checked_header(self.name, self._mapped, self.size, schema)
            self.header, self.said, self._begin = found
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._closed

    def close(self) -> None:
        """Let go of the file; what still refers to its memory keeps that until it goes itself."""
        self._closed = True
        self._length.close()
        with self._lock, contextlib.suppress(BufferError):
            self._mapped.close()

    def check_open(self) -> None:
        """Look whether the file may be read.

        Raises:
            DatabaseError: if it has been closed, or is not as long as it was.
        """
        # To read memory that is mapped beyond the end of a file ends the process (SIGBUS).
        found = self._length.now()
        if found != self.size or self._mapped.closed:
            if self._closed or found < 0 or self._mapped.closed:
                raise DatabaseError("database_closed", path=self.name)
            raise DatabaseError("database_changed", path=self.name, bytes=found, before=self.size)

    def identity(self) -> bytes:
        """What tells the file from any other: sizes, and the checksum of its header."""
        return bytes(self._held(0, ALIGNMENT))

    def _held(self, begin: int, size: int) -> memoryview:
        """Some of the file's bytes, which stay in memory as long as this refers to them."""
        with self._lock:
            self.check_open()
            return memoryview(self._mapped)[begin : begin + size]

    def content(self, section: dict[str, Any]) -> memoryview:
        """A section's bytes, once they have been compared with their checksum.

        Raises:
            DatabaseError: if it is damaged, or the file may not be read.
        """
        at = self._begin + section["offset"]
        part = self._held(at, section["bytes"])
        if hashlib.sha256(part).hexdigest() != section["sha256"]:
            part.release()
            parts = [part for part in ("ply", "layer") if part in section]
            where = "".join(f" of {part} {section[part]}" for part in parts)
            section_of = f"{section['kind']}{where}"
            raise DatabaseError("section_damaged", path=self.name, section=section_of, byte=at)
        return part


def game_of(path: str | os.PathLike[str], *, proof: bool = False) -> str | None:
    """Which game a database is of, as its header says.

    Args:
        path: the file.
        proof: it is to be a proof instead.

    Raises:
        DatabaseError: if it is no database, is of a later version, truncated or damaged.
        OSError: if it cannot be read.
    """
    name = name_of(path)
    with _regular_file(path, name) as file, _mapped(file, name) as mapped:
        text = _text(name, mapped, len(mapped), *((PROOF_MAGIC, "no_proof") if proof else ()))
        return _converted(name, _decoded(name, text), _Game).game


def header_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the header of a database says, as plain JSON; only its checksum has been compared.

    Raises:
        DatabaseError, OSError: as for `game_of`.
    """
    name = name_of(path)
    with _regular_file(path, name) as file, _mapped(file, name) as mapped:
        return _converted(name, _decoded(name, _text(name, mapped, len(mapped))), dict[str, Any])


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file, for messages; numbers, which would be open files, are none.

    Raises:
        DatabaseError: if no file can have it.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or "\0" in name:
        raise DatabaseError("no_database_name", name=path)
    return name


@contextlib.contextmanager
def _regular_file(path: str | os.PathLike[str], name: str) -> Iterator[BinaryIO]:
    check_byte_order(name)
    if not stat.S_ISREG(os.stat(path).st_mode):  # To open a pipe is to wait for who writes to it.
        raise DatabaseError("no_regular_file", path=name)
    with open(path, "rb") as file:
        yield file


def _mapped(file: BinaryIO, name: str) -> mmap.mmap:
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # There is nothing in it.
        raise DatabaseError("no_database_so_short", path=name, bytes=0) from None


def _text(
    name: str, file: Readable, size: int, wanted: bytes = MAGIC, other: str = "no_database"
) -> bytes:
    """The text of a header that has its checksum."""
    if size < ALIGNMENT:
        raise DatabaseError("no_database_so_short", path=name, bytes=size)
    fixed = file[:ALIGNMENT]
    magic, version, length, total, zero = _FIXED.unpack_from(fixed)
    if magic != wanted:
        raise DatabaseError(_TAKEN_FOR.get(magic, other), path=name, magic=f"{magic!r}")
    if version != VERSION:
        raise DatabaseError("database_version", path=name, version=version, own=VERSION)
    if size < total:
        raise DatabaseError("database_truncated", path=name, missing=total - size, total=total)
    if (
        length > _LONGEST_TEXT
        or length % ALIGNMENT
        or ALIGNMENT + length > size
        or size != total
        or zero
    ):
        raise DatabaseError("header_damaged", path=name)
    text = file[ALIGNMENT : ALIGNMENT + length]
    if hashlib.sha256(fixed[:32] + text).digest() != fixed[32:]:
        raise DatabaseError("header_damaged", path=name)
    return text


def _decoded(name: str, text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        raise _senseless(name, error) from None


def _converted(name: str, said: object, schema: type[Decoded]) -> Decoded:
    """A header, if it is what a schema says."""
    try:
        with _CONVERTING:
            return msgspec.convert(said, schema)
    except (ValueError, RecursionError) as error:
        raise _senseless(name, error) from None


def _senseless(name: str, error: Exception) -> DatabaseError:
    return DatabaseError("header_senseless", path=name, why=str(error))


def _check_game(name: str, found: str | None, schema: type[Header]) -> None:
    """Compare the game a database is of with the one that is wanted; name the command for it."""
    game = str(schema.__struct_config__.tag)
    if found == game:
        return
    if found == game + KEYLESS:
        raise DatabaseError("compact_needs_keys", path=name)
    known = None if found is None else found.removesuffix(KEYLESS)
    if known in COMMANDS:
        raise DatabaseError(
            "database_of_known_game",
            path=name,
            found=known.capitalize(),
            wanted=game.removesuffix(KEYLESS).capitalize(),
            command=COMMANDS[known],
        )
    raise DatabaseError("database_of_other_game", path=name, game=found)


def refuse_to_replace(target: Path, about: dict[str, Any]) -> None:
    """Refuse to build over a file that is not the same database.

    What is damaged or empty may be replaced: it is of no more use.

    Args:
        target: the file that a build is going to write.
        about: what its header is going to say of what is built, at least the keys that tell it
            from any other.

    Raises:
        DatabaseError: if a file of another kind, or a sound database of which the header says
            something else is there.
    """
    name = os.fspath(target)
    if not target.exists() or not target.stat().st_size:
        return
    with open(target, "rb") as begun:
        if begun.read(len(MAGIC)) != MAGIC:
            raise DatabaseError("no_database_in_the_way", path=name)
    try:
        found = header_of(target)
    except DatabaseError:
        return
    if any(found.get(key) != value for key, value in about.items()):
        raise DatabaseError(
            "database_in_the_way",
            path=name,
            command=COMMANDS.get(str(found.get("game")).removesuffix(KEYLESS), "kulami"),
        )
