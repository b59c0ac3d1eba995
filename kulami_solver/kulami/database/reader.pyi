"""A database, asked for single positions (compiled)."""

from typing import Any

class Reader:
    """Answers positions from a database; the kinds of file derive from it."""

    def get(self, own: int, other: int, last: int, before: int) -> int | None: ...
    def get_many(
        self, own: Any, other: Any, last: Any, before: Any, margins: Any, absent: int
    ) -> None: ...
