"""Kulami's own use of a cluster, besides builds and batches: one hard position."""

from __future__ import annotations

from ..kulami.solve.tree import TreeProgress, solve_position

__all__ = ["TreeProgress", "solve_position"]
