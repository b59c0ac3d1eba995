"""A solved database as an oracle (compiled)."""

from typing import final

from kulami_solver.kulami.oracle import Oracle
from kulami_solver.kulami.packed_reader import PackedReader

@final
class DatabaseOracle(Oracle):
    """Answers positions from a database."""

    def __init__(self, reader: PackedReader) -> None: ...
