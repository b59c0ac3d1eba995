"""The commands about Kulami, which need no name of a game before them.

positions   the options that give a position, and the reading of many from a file
            fields as people type them, boards as text
solving     solve
rules       score, moves, perft
databases   build, probe, info, verify, export
proofs      prove, and other commands on a proof
estimating  estimate
boards      layout, show
games       replay, engine, check, match, grade, as for every game
labelling   labels
puzzles     puzzles
play        play
hagen       hagen
"""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "solving": ("solve",),
    "rules": ("score", "moves", "perft"),
    "databases": ("build", "probe", "info", "verify", "export"),
    "proofs": ("prove",),
    "estimating": ("estimate",),
    "boards": ("layout", "show"),
    "games": ("replay", "engine", "check", "match", "grade"),
    "labelling": ("labels",),
    "puzzles": ("puzzles",),
    "play": ("play",),
    "hagen": ("hagen",),
}
"""The modules that add commands, in the order of `kulami --help`, and the commands of each."""
