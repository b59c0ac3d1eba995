"""One hard position as a tree of jobs, for any `concurrent.futures.Executor`.

solving     the way in: jobs handed out, answers taken in, until the value is proved
tree        the first plies, what is proved of them and what is to be asked next
guesses     of margins, for the tree
jobs        what a worker does: one question about a leaf
answers     the journal, with which a stopped search goes on
progress    how far it is
proof       a proof of the value, from the tree and from parts that workers prove
proof_jobs  what a worker does for a proof: one part
"""

from __future__ import annotations

from .progress import TreeProgress
from .solving import solve_position

__all__ = ["TreeProgress", "solve_position"]
