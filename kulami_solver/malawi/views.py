"""The interface of a position for drawing, which `Position` imports."""

from __future__ import annotations

from typing import Protocol

from ..errors import Phrase
from .notation import Placement


class PositionView(Protocol):
    """A position, as `Position` describes it."""

    @property
    def columns(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def placement(self) -> Placement: ...
    @property
    def turn(self) -> str: ...
    def mfn(self) -> str: ...
    def standing(self) -> Phrase: ...
