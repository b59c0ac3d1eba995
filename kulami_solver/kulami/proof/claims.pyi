class Claims:
    """The claims about the positions of one ply; compiled modules alone ask it."""

def limit_claims(most: int) -> int: ...
