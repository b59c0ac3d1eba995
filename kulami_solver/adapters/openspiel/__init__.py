"""The games in OpenSpiel: importing this registers `kulami`, `malawi` and `just4fun`.

    kulami      layout=square, scoring=level0, first=red, marbles=28, short_end=False,
                returns=margin
    malawi      board=6x6, beads=2, plies=2000
    just4fun    board=printed, players=2, stones=20, line=4, hand=4, deck=full, hands=hidden

A game begins from a notation of its own by `game.new_initial_state(text)`. Games and states can be
serialized and pickled; the program that reads them must import this module as well.

OpenSpiel writes parameters into one line of text and reads them back from it, so a text that it
would take for a number, a truth value or a game cannot be a parameter.

    wrapping    a `kulami_solver.game.State` as a state of OpenSpiel; texts that can be parameters
    kulami, malawi, just4fun    the games: parameters, actions, observations
    just4fun_table              Just 4 Fun from the deal on, with its past

Needs OpenSpiel, the `openspiel` extra. Source: github.com/google-deepmind/open_spiel, `spiel.h`,
`python/games`.

Examples:
    >>> import pyspiel
    >>> state = pyspiel.load_game("kulami(layout=AAB/CCB)").new_initial_state()
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']
"""

from __future__ import annotations

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "OpenSpiel is not installed: pip install 'kulami_solver[openspiel]', "
        "which needs Python 3.11 or later"
    ) from error

from . import just4fun, kulami, malawi

KulamiGame = kulami.KulamiGame
MalawiGame = malawi.MalawiGame
Just4FunGame = just4fun.Just4FunGame

for _game_type, _game in (
    (kulami.GAME_TYPE, KulamiGame),
    (malawi.GAME_TYPE, MalawiGame),
    (just4fun.GAME_TYPE, Just4FunGame),
):
    pyspiel.register_game(_game_type, _game)
