"""A file of played games that can be found by position: an SQLite database.

    games        a row a game:      number   name   game   changed   link   record   more
    positions    a row a position:  key   number (of the game)   ply

The caller chooses the `name`; a new game replaces an old one of the same name. `changed` is a time
in milliseconds since 1970; the newest game comes first. `link` and `record` each hold the whole
game, `record` as JSON in the game's own form. `more` is JSON of the caller. `key` is a digest of
the position's key in 128 bits, so that two different positions are confused with a probability of
2^-100 in the largest file.

Each change is one transaction, which waits until it is on the disk. It happens completely or not at
all, whatever ends the process, and several processes can use the file at the same time. Between
changes one file holds everything and can be copied: there is no write-ahead log. The journal beside
it is empty then, but keeps its place on the disk, so that a full disk lets games be deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ..core.closing import Closing
from .container import DatabaseError

MOST_GAMES: Final = 50_000
"""The largest number of games in a file."""

MOST_BYTES: Final = 256 << 20
"""The largest size of a file in bytes."""

_APPLICATION: Final = int.from_bytes(b"KuGa", "big")
_VERSION: Final = 1
_PATIENCE: Final = 10.0  # seconds to wait for another process that is writing
_PAGE: Final = 4096
_RESERVED: Final = 2 << 20  # bytes of the journal; deleting a game of 400 moves takes 1.5 MB

_SCHEMA: Final = (
    "CREATE TABLE games (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
    "game TEXT NOT NULL, changed INTEGER NOT NULL, link TEXT NOT NULL, record TEXT NOT NULL, "
    "more TEXT NOT NULL)",
    "CREATE TABLE positions (key BLOB NOT NULL, number INTEGER NOT NULL, ply INTEGER NOT NULL, "
    "PRIMARY KEY (key, number, ply)) WITHOUT ROWID",
    "CREATE INDEX newest ON games (changed)",
    "CREATE INDEX of_game ON positions (number)",
)


class KeptGame(NamedTuple):
    """A game in the file.

    Attributes:
        name: the game's name in the file.
        game: which game is played, "kulami".
        changed: the time of the last change, in milliseconds since 1970.
        link: the contents of a link to the game.
        record: the game as JSON.
        more: further data of the caller, as JSON.
    """

    name: str
    game: str
    changed: int
    link: str
    record: str
    more: str


_COLUMNS: Final = ", ".join(KeptGame._fields)


def _text(raw: bytes) -> str:
    """Return a text of the file; a damaged one must not hide the others."""
    return raw.decode(errors="surrogateescape")


class GameFile(Closing):
    """A file of games. Threads and processes may share it.

    Args:
        path: the file; it is made if it is missing.
        most_games: the largest number of games in the file.
        most_bytes: the largest size of the file.

    Attributes:
        path: the file's path.

    Raises:
        DatabaseError: if it is no such file, was written by a newer version, or is damaged, or its
            folder is missing.
        OSError: if it cannot be read and written.

    Examples:
        >>> import tempfile
        >>> game = KeptGame("a", "kulami", 1, "#moves=d4", "{}", "{}")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with GameFile(f"{folder}/games.sqlite") as games:
        ...         games.keep(game, {"start": 0, "after d4": 1})
        ...     with GameFile(f"{folder}/games.sqlite") as games:
        ...         games.holding("kulami", "after d4") == [(game, 1)], games.count()
        True
        (True, 1)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        most_games: int = MOST_GAMES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.path: Final = os.fspath(path)
        self._most_games: Final = most_games
        self._lock: Final = threading.Lock()
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise DatabaseError(f"{self.path}: games are kept in a file, and this is none")
        self._place: Final = os.path.abspath(self.path)  # SQLite has names of its own: ":memory:"
        if not os.path.isdir(os.path.dirname(self._place)):
            folder = os.path.dirname(self.path)
            raise DatabaseError("no_folder_there", path=self.path, folder=folder)
        with open(self._place, "ab") as file:  # the system explains a refusal better than SQLite
            self._made: Final = os.fstat(file.fileno())
        self._open: sqlite3.Connection | None = sqlite3.connect(
            self._place, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        self._open.text_factory = _text
        try:
            with self._asked() as asked:
                self._check(asked)
                self._reserve(asked)
                asked.execute(f"PRAGMA max_page_count = {most_bytes // _PAGE}")
        except BaseException:
            self.close()
            raise

    def _check(self, asked: sqlite3.Connection) -> None:
        """Refuse a file that is no file of games, and turn an empty file into one."""
        asked.execute("PRAGMA trusted_schema = OFF")
        with _changing(asked):  # another process may be doing the same
            application, version = (
                asked.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version")
            )
            found = asked.execute(
                "SELECT sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite%'"
            )
            schema = sorted(sql for (sql,) in found)
            if not (schema or application or version):
                for sql in _SCHEMA:
                    asked.execute(sql)
                asked.execute(f"PRAGMA application_id = {_APPLICATION}")
                asked.execute(f"PRAGMA user_version = {_VERSION}")
                return
        if application != _APPLICATION:
            raise DatabaseError(
                f"{self.path}: this is the database of another application: name another file, or "
                "one that is not there yet"
            )
        if version > _VERSION:
            raise DatabaseError(
                f"{self.path}: a newer version of kulami has written this file of games, in format "
                f"{version}; this one knows formats up to {_VERSION}"
            )
        if schema != sorted(_SCHEMA):
            raise DatabaseError("games_damaged", path=self.path, why="its tables are not as made")
        (health,) = asked.execute("PRAGMA quick_check(1)").fetchone()
        if health != "ok":
            raise DatabaseError("games_damaged", path=self.path, why=str(health).split("\n")[0])

    def _reserve(self, asked: sqlite3.Connection) -> None:
        """Give the journal its place on the disk, unless the disk is full already."""
        asked.execute("PRAGMA journal_mode = PERSIST")
        # Nobody else writes meanwhile. A journal that begins with zeros is empty, however long.
        journal = f"{self._place}-journal"
        with _changing(asked), contextlib.suppress(OSError), open(journal, "ab") as file:
            file.write(bytes(max(_RESERVED - file.tell(), 0)))

    def close(self) -> None:
        """Close the file, after a running change has ended."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None

    # Changes

    def keep(self, game: KeptGame, plies: Mapping[str, int], seen: int | None = None) -> bool:
        """Keep a game, in place of the one with the same name.

        Args:
            game: the game.
            plies: the number of moves after which each of its positions came up, by the
                position's key.
            seen: the time of the last change of the game that this one is to take the place of.

        Returns:
            False if the file has a later game of that name, or another than the one `seen`: it
            stays.

        Raises:
            DatabaseError: if the file is full, or cannot be written.
        """
        with self._asked() as asked, _changing(asked):
            before = asked.execute(
                "SELECT number, changed FROM games WHERE name = ?", (game.name,)
            ).fetchone()
            if before is None:
                (count,) = asked.execute("SELECT count(*) FROM games").fetchone()
                if count >= self._most_games:
                    raise DatabaseError("games_too_many", path=self.path, count=count)
                number = None
            else:
                number, changed = before
                if changed > game.changed or seen not in (None, changed):
                    return False
                asked.execute("DELETE FROM positions WHERE number = ?", (number,))
            made = asked.execute(
                f"INSERT OR REPLACE INTO games (number, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, *game),
            )
            asked.executemany(
                "INSERT INTO positions VALUES (?, ?, ?)",
                [(_digest(game.game, key), made.lastrowid, ply) for key, ply in plies.items()],
            )
        return True

    def delete(self, name: str) -> bool:
        """Delete the game with a name; return False if there is none."""
        with self._asked() as asked, _changing(asked):
            asked.execute(
                "DELETE FROM positions WHERE number = (SELECT number FROM games WHERE name = ?)",
                (name,),
            )
            return asked.execute("DELETE FROM games WHERE name = ?", (name,)).rowcount > 0

    # Questions

    def get(self, name: str) -> KeptGame | None:
        """Return the game with a name; None if there is none."""
        with self._asked() as asked:
            row = asked.execute(f"SELECT {_COLUMNS} FROM games WHERE name = ?", (name,)).fetchone()
        return row and KeptGame(*row)

    def __iter__(self) -> Iterator[KeptGame]:
        """Yield all games."""
        with self._asked() as asked:
            yield from map(KeptGame._make, asked.execute(f"SELECT {_COLUMNS} FROM games"))

    def count(self) -> int:
        """Return how many games there are."""
        with self._asked() as asked:
            found: int = asked.execute("SELECT count(*) FROM games").fetchone()[0]
        return found

    def listed(self, skip: int = 0, most: int = 100) -> list[KeptGame]:
        """Return games, the newest first.

        Args:
            skip: how many of the newest to leave out.
            most: how many at most.
        """
        with self._asked() as asked:
            found = asked.execute(
                f"SELECT {_COLUMNS} FROM games ORDER BY changed DESC, number DESC LIMIT ? OFFSET ?",
                (most, skip),
            )
            return [KeptGame(*row) for row in found]

    def holding(self, game: str, key: str, most: int = 100) -> list[tuple[KeptGame, int]]:
        """Return the games in which a position came up, the newest first.

        Args:
            game: which game is played.
            key: of the position.
            most: how many at most.

        Returns:
            Each game with the number of moves after which the position first came up.
        """
        with self._asked() as asked:
            found = asked.execute(
                f"SELECT {_COLUMNS}, min(ply) FROM positions JOIN games USING (number) "
                "WHERE key = ? GROUP BY number ORDER BY changed DESC, number DESC LIMIT ?",
                (_digest(game, key), most),
            )
            return [(KeptGame(*row[:-1]), row[-1]) for row in found]

    @contextlib.contextmanager
    def _asked(self) -> Iterator[sqlite3.Connection]:
        """Yield the database to one thread at a time; explain SQLite's refusals in a sentence."""
        with self._lock:
            if self._open is None:
                raise DatabaseError(f"{self.path}: the file of games is closed; open it again")
            try:
                if not os.path.samestat(self._made, os.stat(self._place)):
                    raise DatabaseError("games_gone", path=self.path)
                yield self._open
            except FileNotFoundError:
                raise DatabaseError("games_gone", path=self.path) from None
            except sqlite3.DatabaseError as error:
                raise self._explained(str(error)) from None

    def _explained(self, why: str) -> DatabaseError:
        """Return the error that explains SQLite's refusal."""
        if "not a database" in why:
            return DatabaseError(
                f"{self.path}: this is no file of games: name another one, or one that is not "
                "there yet"
            )
        if "is full" in why:
            return DatabaseError("games_full", path=self.path)
        if "is locked" in why:
            return DatabaseError("games_locked", path=self.path)
        if "no such table" in why:  # the file is empty
            return DatabaseError("games_gone", path=self.path)
        if "malformed" in why:
            return DatabaseError("games_damaged", path=self.path, why=why)
        return DatabaseError("games_failed", path=self.path, why=why)


@contextlib.contextmanager
def _changing(asked: sqlite3.Connection) -> Iterator[None]:
    """Make the block one transaction, which leaves no change if it fails."""
    asked.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.OperationalError):  # SQLite may have done so itself
            asked.execute("ROLLBACK")
        raise
    asked.execute("COMMIT")


def _digest(game: str, key: str) -> bytes:
    return hashlib.blake2b(f"{game} {key}".encode(), digest_size=16).digest()
