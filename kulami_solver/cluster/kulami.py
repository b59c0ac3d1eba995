"""What a cluster does for Kulami beside the tasks of builds and batches: one hard position."""

from __future__ import annotations

from ..kulami.tree import TreeProgress, solve_position

__all__ = ["TreeProgress", "solve_position"]
