"""One hard position as a tree of jobs, for any `concurrent.futures.Executor`.

solving     entry point: hands out jobs and collects answers until the value is proved
tree        the first plies, their proved bounds, guesses, and the choice of the next question
jobs        the job of a worker: one question about a leaf; the journal of their answers
"""

from __future__ import annotations

from .solving import TreeProgress, solve_position

__all__ = ["TreeProgress", "solve_position"]
