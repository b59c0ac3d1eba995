"""Just 4 Fun's own part of the bots: its bots, deals, records, and positions to judge by."""

from __future__ import annotations

from ...core.lazy import imported_when_used

__getattr__ = imported_when_used(
    __name__, {"naming": ("BOTS",), "dialect": ("DIALECT",), "suite": ("case_of",)}
)
