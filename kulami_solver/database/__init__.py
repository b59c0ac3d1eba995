"""Solved databases: every position reachable from one, with its exact margin, in a file.

shape         what is kept of a position, worked out for a root
estimate      whether a build will fit, before it starts
building      enumerate, solve backwards, pack
format        the file's header, sections and checksums
probe         open a file and ask it
verification  compute every value again
export        as a table, and as a picture
"""

from __future__ import annotations

from .building import Built, build
from .findings import Verified
from .format import DatabaseError, NotInDatabaseError
from .probe import ABSENT, Database, Ply, open_database
from .verification import verify

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
