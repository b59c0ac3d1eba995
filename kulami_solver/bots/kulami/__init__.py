"""Kulami's own part of the bots: openings on layouts, and records of games."""

from __future__ import annotations

from ...core.lazy import imported_when_used

__getattr__ = imported_when_used(
    __name__, {"naming": ("BOTS",), "dialect": ("DIALECT",), "suite": ("case_of", "state_of")}
)
