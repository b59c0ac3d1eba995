from kulami_solver.kulami.search import Search

def guess(search: Search) -> int: ...
def outlook(search: Search, plies: int) -> float: ...
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
    search: Search, own: int, other: int, last: int, before: int, supply: int, outcome: bool
) -> tuple[int, int, bool, int | None, list[int], bool]: ...
