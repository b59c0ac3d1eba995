"""Solved databases: every position reachable from one, with its exact margin, in a file.

shape      what is kept of a position, worked out for a root
build      enumerate, solve backwards, pack; estimate says beforehand whether it will fit
format     the file's header, sections and checksums
probe      open a file and ask it
verify     compute every value again
export     as a table, and as a picture
"""

from __future__ import annotations

from .build import Built, build
from .format import DatabaseError, NotInDatabaseError
from .probe import ABSENT, Database, Ply, open_database
from .verify import Verified, verify

__all__ = [
    "ABSENT",
    "Built",
    "Database",
    "DatabaseError",
    "NotInDatabaseError",
    "Ply",
    "Verified",
    "build",
    "open_database",
    "verify",
]
