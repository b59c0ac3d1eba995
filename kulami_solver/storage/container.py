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
checksum of the header; the header against the schema of its game; the places of its sections.
Checks that need to know the game are made when that game's databases are opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import mmap
import os
import shutil
import stat
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Final, Generic, TypeVar

import msgspec

from ..core.file_length import FileLength
from ..core.files import mapping, named_file, replacement
from ..core.locks import beside, free_in_forks
from ..core.notation import so_many
from ..errors import KulamiError, quoted
from ..registry import module_of

MAGIC: Final = b"KULAMIDB"
PROOF_MAGIC: Final = b"KULAMIPF"
VERSION: Final = 1
ALIGNMENT: Final = 64
_FIXED: Final = struct.Struct("<8sIIQQ")
# When several threads use a schema for the first time at once, msgspec 0.22 may end the process.
_CONVERTING: Final = free_in_forks(threading.Lock())
_LONGEST_TEXT: Final = 1 << 28


Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A count in a header."""


class DatabaseError(KulamiError):
    """A file is no database, is damaged or closed, or cannot be written."""


class OtherGameError(DatabaseError):
    """A file of another game than the wanted one."""


class NotInDatabaseError(KulamiError, LookupError):
    """A position is not in a database."""


def check_byte_order(name: str | os.PathLike[str]) -> None:
    """Refuse databases on a machine with the other byte order.

    Args:
        name: of the file that is to be built or read.

    Raises:
        DatabaseError: on a big-endian machine.
    """
    if sys.byteorder != "little":
        raise DatabaseError(
            f"{name_of(name)}: databases are little-endian, and this machine is big-endian; build, "
            "read and verify them on another one"
        )


def padded(content: bytes, filler: bytes = b"\0") -> bytes:
    """Fill up to a multiple of 64 bytes.

    Examples:
        >>> len(padded(b"x" * 65))
        128
    """
    return content + filler * (-len(content) % ALIGNMENT)


def padded_size(size: int) -> int:
    """The size in a file of a number of bytes.

    Examples:
        >>> padded_size(64), padded_size(65)
        (64, 128)
    """
    return size + -size % ALIGNMENT


def size_and_checksum(content: bytes) -> dict[str, int | str]:
    """A header's entries for the content of any section.

    Examples:
        >>> size_and_checksum(padded(b"x"))["bytes"]
        64
    """
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """A header's entries for a section of any game; games add their own.

    Attributes:
        offset: its begin, counted from the first section's.
        bytes: its size, including padding.
        sha256: of these bytes, in hexadecimal.
    """

    offset: Count
    bytes: Annotated[int, msgspec.Meta(gt=0, le=(1 << 63) - 1, multiple_of=ALIGNMENT)]
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game"):
    """The entries of every header; a game's own class derives from it and is its files' schema."""

    MAGIC: ClassVar[bytes] = MAGIC
    """The first bytes of the file."""
    OTHER: ClassVar[str] = "no_database"
    """The code of the error if the file begins with other bytes."""

    sections: tuple[Section, ...]


def header_with(options: Iterable[Any]) -> Any:
    """Return a type of headers that have these options of a game, too."""
    entries = [(option.name, option.type()) for option in options]
    return msgspec.defstruct("Header", entries, bases=(Header,), frozen=True)


class _Game(msgspec.Struct):
    """The only key of a header that is read before its game is known."""

    game: str | None = None


_TAKEN_FOR: Final = {MAGIC: "database_for_proof", PROOF_MAGIC: "proof_for_database"}
"""The codes of the errors if a file is of the other kind."""

H = TypeVar("H", bound=Header)
Decoded = TypeVar("Decoded")


def beginning(
    magic: bytes, about: dict[str, Any], sections: list[dict[str, Any]]
) -> tuple[bytes, int]:
    """Return the bytes of a file before its first section, and the size of the whole file.

    Args:
        magic: the first bytes.
        about: the header without its list of sections.
        sections: the header's entries for each section, including "bytes" and "sha256".
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
        path: the file's path; the file appears there when it is complete.
        about: the header without its list of sections.
        sections: for each, its entries in the header, including "bytes" and "sha256", and the file
            that holds it, alone or together with its neighbours.
        check: reads the whole file under a temporary name; if it raises, no file appears.

    Returns:
        The size of the file.

    Raises:
        DatabaseError: if the check finds wrong contents.
    """
    begin, size = beginning(MAGIC, about, [described for described, _ in sections])
    with replacement(path) as writing:
        with open(writing, "wb") as file:
            file.write(begin)
            for source in dict.fromkeys(source for _, source in sections):
                with open(source, "rb") as part:
                    shutil.copyfileobj(part, file, 1 << 20)
        if check is not None:
            try:
                check(writing)
            except DatabaseError as error:
                raise DatabaseError(
                    f"{path}: was not written, since what is read of it is not what was meant "
                    f"({error}); remove {beside(path, '.building')} and build it again"
                ) from None
    return size


def checked_header(name: str, file: mmap.mmap, schema: type[H]) -> tuple[H, dict[str, Any], int]:
    """Read the header of a file.

    Args:
        name: the file's, for messages.
        file: its bytes.
        schema: the header of the game that is wanted.

    Returns:
        The header; the same as plain JSON; where the first section begins.

    Raises:
        DatabaseError: if it is no database, is of another game or another version, is damaged, or
            its header makes no sense.
    """
    text = _text(name, file, schema.MAGIC, schema.OTHER)
    check_game(name, _decoded(name, text, _Game).game, str(schema.__struct_config__.tag))
    # Against the schema first: whatever it does not know takes no memory.
    header = _decoded(name, text, schema)
    said = _decoded(name, text, dict[str, Any])
    begin = end = ALIGNMENT + len(text)
    for section in header.sections:
        if section.offset != end - begin:
            raise DatabaseError(
                f"{name}: its sections do not lie one after the other; build it again"
            )
        end += section.bytes
    if end != len(file):
        raise DatabaseError(f"{name}: its sections do not fill it; build it again")
    return header, said, begin


def check_claims(name: str, claims: Iterable[tuple[str, bool]]) -> None:
    """Refuse a file whose header makes impossible claims.

    Args:
        name: the file's.
        claims: for each claim, its name, and whether it can be true.

    Raises:
        DatabaseError: if a claim cannot be true.
    """
    for what, is_so in claims:
        if not is_so:
            raise DatabaseError(
                f"{name}: its header says of its {what} what cannot be; copy or build it again"
            )


class OpenFile(Generic[H]):
    """A database mapped into memory, its header checked against a schema.

    Args:
        path: the file.
        schema: the header of the game that is wanted.

    Attributes:
        name: the file's, for messages.
        place: its absolute path, whatever the working folder is later.
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
        self.place: Final = os.path.abspath(self.name)
        self._closed = False
        # No other thread may release the memory between the check that it is there and its use.
        self._lock: Final = free_in_forks(threading.Lock())
        with _regular_file(path, self.name) as file:
            self._mapped: Final = _mapped(file, self.name)
            self._length: Final = FileLength(file.fileno())
        try:
            self.size: Final = len(self._mapped)
            found = checked_header(self.name, self._mapped, schema)
            self.header, self.said, self._begin = found
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._closed

    def close(self) -> None:
        """Release the file; its memory stays as long as other objects refer to it."""
        self._closed = True
        self._length.close()
        with self._lock, contextlib.suppress(BufferError):
            self._mapped.close()

    def check_open(self) -> None:
        """Check that the file may be read.

        Raises:
            DatabaseError: if it has been closed, or its size has changed.
        """
        # Reading memory that is mapped beyond the end of a file ends the process (SIGBUS).
        found = self._length.now()
        if found != self.size or self._mapped.closed:
            if self._closed or found < 0 or self._mapped.closed:
                raise DatabaseError(f"{self.name}: the file is closed; open it again")
            raise DatabaseError(
                f"{self.name}: has {found} bytes now, and had {self.size} when it was opened; copy "
                "or build it again, and open it anew"
            )

    def identity(self) -> bytes:
        """The identity of the file: sizes, and the checksum of its header."""
        return bytes(self._held(0, ALIGNMENT))

    def _held(self, begin: int, size: int) -> memoryview:
        """Some of the file's bytes, which stay in memory as long as the view exists."""
        with self._lock:
            self.check_open()
            return memoryview(self._mapped)[begin : begin + size]

    def content(self, section: dict[str, Any]) -> memoryview:
        """A section's bytes, after their checksum has been verified.

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
    """The game of a database, from its header.

    Args:
        path: the file.
        proof: whether the file must be a proof instead.

    Raises:
        DatabaseError: if it is no database, is of another version, truncated or damaged.
        OSError: if it cannot be read.
    """
    name = name_of(path)
    with _regular_file(path, name) as file, _mapped(file, name) as mapped:
        text = _text(name, mapped, *((PROOF_MAGIC, "no_proof") if proof else ()))
        return _decoded(name, text, _Game).game


def is_proof(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as a proof does."""
    return begins_with(path, PROOF_MAGIC)


def begins_with(path: str | os.PathLike[str], magic: bytes) -> bool:
    """Whether a file begins with some bytes; False if it cannot be read, or is a pipe."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def entries_of(path: str | os.PathLike[str], keys: Iterable[str]) -> dict[str, Any]:
    """Some entries of a database's header; only its checksum has been verified.

    Args:
        path: the file.
        keys: those of entries that are texts, numbers, or true or false.

    Returns:
        The entries; None for a key that the header does not have.

    Raises:
        DatabaseError, OSError: as for `game_of`.
    """
    name = name_of(path)
    wanted = msgspec.defstruct("Entries", [(key, str | int | bool | None, None) for key in keys])
    with _regular_file(path, name) as file, _mapped(file, name) as mapped:
        return msgspec.structs.asdict(_decoded(name, _text(name, mapped), wanted))


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file, for messages; numbers, which stand for open files, are refused.

    Raises:
        DatabaseError: if it cannot be the name of a file.
    """
    return named_file(path, "a database or a proof", DatabaseError)


def check_regular(path: str | os.PathLike[str], name: str) -> None:
    """Refuse folders, devices and pipes: opening a pipe would wait for a writer.

    Raises:
        DatabaseError: if it is none.
        OSError: if there is nothing of that name.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise DatabaseError(f"{name}: no regular file; name the file itself")


@contextlib.contextmanager
def _regular_file(path: str | os.PathLike[str], name: str) -> Iterator[BinaryIO]:
    check_byte_order(name)
    check_regular(path, name)
    with open(path, "rb") as file:
        yield file


def _mapped(file: BinaryIO, name: str) -> mmap.mmap:
    try:
        with mapping(name):
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # The file is empty.
        raise DatabaseError(_so_short(name, 0)) from None


def _so_short(name: str, size: int) -> str:
    many = "1 byte is" if size == 1 else f"{size} bytes are"
    return f"{name}: {many} no Kulami file; name one that build or prove has written"


def _text(name: str, file: mmap.mmap, wanted: bytes = MAGIC, other: str = "no_database") -> bytes:
    """The text of a header, after its checksum has been verified."""
    size = len(file)
    if size < ALIGNMENT:
        raise DatabaseError(_so_short(name, size))
    fixed = file[:ALIGNMENT]
    magic, version, length, total, zero = _FIXED.unpack_from(fixed)
    if magic != wanted:
        raise DatabaseError(_TAKEN_FOR.get(magic, other), path=name, magic=f"{magic!r}")
    if version != VERSION:
        raise DatabaseError(
            f"{name}: a database of version {version}; this program reads version {VERSION}: "
            "update it, or build the database again"
        )
    if size < total:
        raise DatabaseError("database_truncated", path=name, missing=total - size, total=total)
    if length > _LONGEST_TEXT or length % ALIGNMENT or ALIGNMENT + length > size or zero:
        raise DatabaseError("header_damaged", path=name)
    text = file[ALIGNMENT : ALIGNMENT + length]
    digest = hashlib.sha256(fixed[:32])
    digest.update(text)
    if digest.digest() != fixed[32:]:
        raise DatabaseError("header_damaged", path=name)
    if size != total:
        behind = so_many(size - total, "byte")
        raise DatabaseError(f"{name}: {behind} too long; copy or build it again")
    return text


def _decoded(name: str, text: bytes, schema: type[Decoded]) -> Decoded:
    """A header that follows a schema."""
    try:
        with _CONVERTING:
            return msgspec.json.decode(text, type=schema)
    except (ValueError, RecursionError) as error:
        raise DatabaseError(
            f"{name}: its header makes no sense ({quoted(str(error), 100)}); build it again"
        ) from None


def descriptor_of(game: object) -> Any:
    """The `Descriptor` of the game that a header names; None if no registered game has files."""
    module = module_of(game) if isinstance(game, str) else None
    found = None if module is None else importlib.import_module(module).GAME
    return None if found is None or found.database is None else found


def check_game(name: str, found: str | None, game: str) -> None:
    """Refuse a database of another game than the wanted one; name the right command."""
    if found == game:
        return
    known = descriptor_of(found)
    if known is not None:
        raise OtherGameError(
            f"{name}: a database of {known.title}, not of {descriptor_of(game).title}: read it "
            f"with {known.command} probe, info or verify (open_database(path))"
        )
    raise OtherGameError(f"{name}: a database of another game, {quoted(found)}")


def refuse_to_replace(target: Path, about: dict[str, Any]) -> None:
    """Refuse to build over a file that is not the same database.

    A damaged or empty file may be replaced: it is of no more use.

    Args:
        target: the file that a build is going to write.
        about: the header of the database to be built, at least the keys that identify the
            database.

    Raises:
        DatabaseError: if the target is a file of another kind, or a sound database with another
            header.
    """
    name = os.fspath(target)
    if not target.exists() or not target.stat().st_size:
        return
    with open(target, "rb") as begun:
        if begun.read(len(MAGIC)) != MAGIC:
            raise DatabaseError(
                f"{name}: a file that is no database is in the way; name another, or give --force "
                "(overwrite=True) to replace it"
            )
    try:
        found = entries_of(target, {"game", *about})
    except DatabaseError:
        return
    if any(found[key] != value for key, value in about.items()):
        known = descriptor_of(found["game"])
        command = "kulami" if known is None else known.command
        raise DatabaseError(
            f"{name}: a finished database of other positions is there, or one made with other "
            f"options ({command} info shows it); name another file, or give --force "
            "(overwrite=True) to replace it"
        )
