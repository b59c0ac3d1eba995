"""Two games of Just 4 Fun, with all that the package says of every state, one line of JSON each.

    python tests/just4fun_playthrough.py > tests/positions/just4fun-playthrough.jsonl

writes them anew; what changes then is a change of the rules or the notation, to be looked at
line by line.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from kulami_solver.game import CHANCE, NOBODY, State, load_game
from kulami_solver.just4fun import solve

GAMES: list[tuple[int, dict[str, Any]]] = [
    (3, {"board": "2,5,7/3,1,9/4,8,6", "stones": 4, "line": 3, "hand": 3, "seed": 11}),
    (5, {"board": "2006", "players": "gyr", "stones": 4, "seed": 4}),
    (8, {"board": "3x4", "stones": 4, "line": 4, "hand": 2, "seed": 9, "dummy": True}),
]


def playthrough() -> Iterator[dict[str, Any]]:
    """Yield what is said of each state of the games."""
    for seed, options in GAMES:
        draw = random.Random(seed)
        state: State = load_game("just4fun", **options).start()
        while True:
            yield described(state)
            if state.to_move == NOBODY:
                break
            # `random` alone is the same in every version of Python.
            state = state.play(state.moves[int(draw.random() * len(state.moves))])


def described(state: State) -> dict[str, Any]:
    """What is said of a state."""
    position = state.position
    said: dict[str, Any] = {
        "notation": state.notation(),
        "to_move": state.to_move,
        "moves": list(state.moves),
        "standing": position.standing(),
        "settled": {str(field): owner for field, owner in position.settled.items()},
        "majorities": list(position.majorities),
    }
    if state.to_move == CHANCE:
        said["chances"] = [str(chance) for chance in state.chances()]
    elif state.to_move == NOBODY:
        said["returns"] = [str(won) for won in state.returns()]
        said["line"] = position.winning_line
    else:
        said["known"] = state.known_to(state.to_move)
        if not state.game.has_chance:
            found = solve(position, every_move=True)
            said["outcomes"] = {str(move.move): move.outcome for move in found.moves}
            said["outcomes"] = dict(sorted(said["outcomes"].items()))
    return said


if __name__ == "__main__":
    for record in playthrough():
        print(json.dumps(record))
