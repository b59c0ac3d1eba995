"""Objects that a `with` block closes at its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

_Self = TypeVar("_Self", bound="Closing")


class Closing(ABC):
    """Something that a `with` block closes, however it is left.

    Examples:
        >>> class Door(Closing):
        ...     def close(self):
        ...         print("closed")
        >>> with Door():
        ...     print("open")
        open
        closed
    """

    @abstractmethod
    def close(self) -> None:
        """Release the resources."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
