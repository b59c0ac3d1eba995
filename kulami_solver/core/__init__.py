"""Compiled parts that know no game: bit tricks and the transposition table."""
