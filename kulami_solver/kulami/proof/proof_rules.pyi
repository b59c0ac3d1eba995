"""The rules as a checker of proofs has them (compiled)."""

class ProofBoard:
    """A layout and its scoring, for proofs."""

    def __init__(self, rows: str, areas: bool, chains: bool) -> None: ...
