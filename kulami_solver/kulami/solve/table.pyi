"""What a search may ask besides its table (compiled)."""

class Contradiction(AssertionError):  # noqa: N818  (the error is in what was given)
    """Values that a search was given cannot all be true."""

class Oracle:
    """Knows the margins of some positions."""

    failure: BaseException | None
