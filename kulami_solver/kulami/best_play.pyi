from kulami_solver.kulami.search import Search

def guess(search: Search) -> int: ...
def outlook(search: Search, plies: int, twice: bool = True) -> float: ...
def follow(
    search: Search,
    own: int,
    other: int,
    last: int,
    before: int,
    supply: int,
    first: int | None,
    target: int | None,
    reply: int | None,
) -> tuple[list[int], bool]: ...
def settle(
    searches: list[Search], positions: list[tuple[int, int, int, int, int]], outcome: bool
) -> list[tuple[int, int, bool, int | None, list[int], bool]]: ...
def settle_moves(
    search: Search, own: int, other: int, last: int, before: int, supply: int
) -> tuple[int, dict[int, int]] | None: ...
