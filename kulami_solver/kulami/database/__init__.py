"""Solved positions in files: built, read, checked."""

from ... import storage  # noqa: F401  (it says what comes before msgspec)
