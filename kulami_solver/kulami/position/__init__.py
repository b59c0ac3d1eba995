"""Layouts, positions, scoring and their notations."""
