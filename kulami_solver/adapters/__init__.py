"""Kulami spoken to other programs: UGI and the Hagen server."""
