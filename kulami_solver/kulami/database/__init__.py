"""Solved positions in files, with and without keys: built, read, checked."""

from ... import storage  # noqa: F401  (it says what comes before msgspec)
