"""Solved positions in files, with and without keys: built, read, checked."""
