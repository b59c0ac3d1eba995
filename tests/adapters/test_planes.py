"""What learners are shown, by all adapters at once, against the slow reference."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import reference

import kulami_solver as ks
from kulami_solver.adapters.planes import PLANES, Planes

LAYOUTS = ("AAB./CCBD", "AABB/CCDD", ".AAB/CC.B/DDD.", "square", "rulebook")


def expected(kfn: str, seat: int, height: int, width: int) -> dict[str, Any]:
    """The planes of a position by the rules in plain Python."""
    rules, state = reference.parse_kfn(kfn)
    planes = {name: np.zeros((height, width), np.float32) for name in PLANES}
    marbles = (state.red, state.black)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(
        rules.panel[square] for square in sorted(rules.panel, key=reference.reading_order)
    ), 1)}  # fmt: skip
    barred = {rules.panel[square] for square in state.last}
    shown = {
        "own": marbles[seat],
        "other": marbles[1 - seat],
        "legal": reference.legal_fields(rules, state),
        "barred": [square for square, panel in rules.panel.items() if panel in barred],
        "last": state.last[:1],
        "before": state.last[1:],
        "fields": rules.panel,
    }
    for name, squares in shown.items():
        for x, y in squares:
            planes[name][y, x] = 1
    for (x, y), panel in rules.panel.items():
        planes["panel_size"][y, x] = list(rules.panel.values()).count(panel)
        planes["panel_id"][y, x] = numbers[panel]
    over = reference.is_over(rules, state)
    planes["to_move"][:] = not over and state.turn == "rb"[seat]
    planes["ones"][:] = 1
    return planes


def games() -> Iterator[tuple[ks.Layout, list[int]]]:
    """Random games to their ends, as numbers of fields."""
    draw = random.Random(3)
    for name in LAYOUTS:
        named = {"square": ks.Layout.square, "rulebook": ks.Layout.rulebook}
        layout = named[name]() if name in named else ks.Layout.parse(name)
        position, moves = ks.Position(layout), []
        while not position.is_over:
            moves.append(layout.index(draw.choice(position.legal_fields)))
            position = position.play(moves[-1])
        yield layout, moves


def test_every_adapter_shows_what_the_reference_sees() -> None:
    """Each plane, for both seats, at each position of whole games, its end included."""
    observe: dict[str, Any] = {}
    try:
        import pyspiel
        from open_spiel.python.observation import make_observation

        import kulami_solver.adapters.openspiel  # noqa: F401  (registers the game)

        observe["openspiel"] = lambda layout: pyspiel.load_game("kulami", {"layout": str(layout)})
    except ImportError:
        pass
    try:
        from kulami_solver.adapters import pettingzoo

        observe["pettingzoo"] = lambda layout: pettingzoo.KulamiEnv(layout=layout)
    except ImportError:
        pass
    for layout, moves in games():
        game: Any = observe["openspiel"](layout) if "openspiel" in observe else None
        state: Any = game and game.new_initial_state()
        seen = game and make_observation(game)
        environment = observe["pettingzoo"](layout) if "pettingzoo" in observe else None
        if environment is not None:
            environment.reset()
        if seen is not None:
            assert tuple(seen.dict) == PLANES
            assert game.observation_tensor_size() == len(PLANES) * layout.height * layout.width
        position = ks.Position(layout)
        for number in (*moves, None):
            for seat in (0, 1):
                wanted = expected(position.kfn(), seat, layout.height, layout.width)
                stacked = np.stack([wanted[name] for name in PLANES])
                assert np.array_equal(Planes(layout).of(position, seat), stacked)
                wider = Planes(layout, layout.height + 1, layout.width + 2).of(position, seat)
                assert np.array_equal(wider[:9, : layout.height, : layout.width], stacked[:9])
                assert not wider[:9, layout.height :].any()
                if seen is not None:
                    seen.set_from(state, seat)
                    assert seen.tensor.tolist() == state.observation_tensor(seat)
                    assert seen.tensor.tolist() == stacked.reshape(-1).tolist()
                    assert all(np.array_equal(seen.dict[name], wanted[name]) for name in PLANES)
                if environment is not None:
                    shown = environment.observe(f"player_{seat}")
                    assert np.array_equal(shown, stacked)
            if number is not None:
                position = position.play(number)
                if state is not None:
                    state.apply_action(number)
                if environment is not None:
                    environment.step(number)
    if not observe:
        pytest.skip("neither OpenSpiel nor PettingZoo is here; the planes themselves are right")
