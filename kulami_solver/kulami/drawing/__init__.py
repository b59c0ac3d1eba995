"""Boards as text and as pictures."""
