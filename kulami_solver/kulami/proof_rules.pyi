"""The rules as a checker of proofs has them (compiled)."""

class ProofBoard:
    """A layout and what counts on it, for proofs."""

    def __init__(self, rows: str, areas: bool, chains: bool) -> None: ...
