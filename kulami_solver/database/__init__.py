"""Solved databases: every position reachable from one, with its exact margin, in a file."""
