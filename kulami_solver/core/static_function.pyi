"""Static functions (compiled); `static_function.pxd` shows how they lie."""

from typing import Any

def hashes_of(frames: Any, starts: Any, details: Any, salt: int) -> Any: ...
def pack(hashes: Any, codes: Any, fingerprint: int) -> bytes | None: ...

class StaticFunction:
    """A static function to read."""

    def __init__(self, raw: Any, keys: int, salt: int) -> None: ...
