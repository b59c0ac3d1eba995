"""The commands about Kulami, which need no name of a game before them.

positions   the options that give a position, and the reading of many from a file
            fields as people type them, boards as text
solving     solve
rules       score, moves, perft
databases   build, probe, info, verify, export, prove
estimating  estimate
boards      layout, show
games       replay, engine, check, match, grade, as for every game
labelling   labels
puzzles     puzzles
play        play
paper       rules
hagen       hagen
"""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "solve and store": {
        "solve": ".solving",
        "estimate": ".estimating",
        **dict.fromkeys(("prove", "build", "probe", "info", "verify", "export"), ".databases"),
        "labels": ".labelling",
        **dict.fromkeys(("layout", "show"), ".boards"),
        **dict.fromkeys(("score", "moves", "perft"), ".rules"),
    },
    "judge bots": {**dict.fromkeys(("check", "match", "engine"), ".games"), "hagen": ".hagen"},
    "games of people": dict.fromkeys(("grade", "replay"), ".games"),
    "play": {"play": ".play", "puzzles": ".puzzles", "serve": "..serving", "rules": ".paper"},
}
"""The heads of `kulami --help`, with the commands below each, and the module that adds them."""
