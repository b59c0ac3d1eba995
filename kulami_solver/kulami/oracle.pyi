"""What a search may ask besides its table (compiled)."""

class Oracle:
    """Knows the margins of some positions."""

    failure: BaseException | None
