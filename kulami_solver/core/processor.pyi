NEEDED: tuple[str, ...]
COMMAND: str
COMPILER: str
CYTHON: str

def features() -> tuple[str, ...]: ...
def name() -> str: ...
