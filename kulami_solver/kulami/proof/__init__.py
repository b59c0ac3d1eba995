"""Proofs of values that anyone can check."""
