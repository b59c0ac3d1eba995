"""The compiled game of Kulami: rules, scoring bounds and the exact search."""

from __future__ import annotations

from ..core import compiled  # noqa: F401  (it says why, if the compiled modules cannot run here)
