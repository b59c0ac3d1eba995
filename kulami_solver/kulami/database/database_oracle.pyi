"""A solved database as an oracle (compiled)."""

from typing import final

from kulami_solver.kulami.database.packed_reader import PackedReader
from kulami_solver.kulami.solve.oracle import Oracle

@final
class DatabaseOracle(Oracle):
    """Answers positions from a database."""

    def __init__(self, reader: PackedReader) -> None: ...
