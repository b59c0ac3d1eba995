"""One hard position as a tree of jobs, for any `concurrent.futures.Executor`.

solving     entry point: hands out jobs and collects answers until the value is proved
tree        the first plies, their proved bounds, and the choice of the next question
guesses     guesses of margins, for the tree
jobs        the job of a worker: one question about a leaf
answers     the journal, from which a stopped search continues
progress    the progress of the search
proof       a proof of the value, from the tree and from parts that workers prove
proof_jobs  the job of a worker for a proof: one part
"""

from __future__ import annotations

from .progress import TreeProgress
from .solving import solve_position

__all__ = ["TreeProgress", "solve_position"]
