"""Kulami's own part of the bots: their names, its dialect of UGI, its cases and its matches."""

from __future__ import annotations

from ...core import imported_when_used

__getattr__ = imported_when_used(
    __name__, {"words": ("BOTS", "DIALECT"), "case": ("Case", "state_of")}
)
