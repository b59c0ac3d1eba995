"""`kulami malawi ...`: the second game, with commands of its own.

positions   which position is meant; show, turns
solving     solve
databases   build, probe, info, verify
play        play
bots        match, check, grade, engine
"""

from __future__ import annotations

from kulami_solver.cli.arguments import Commands, add_group
from kulami_solver.cli.malawi import bots, databases, play, positions, solving

DETAILS = """\
a position is one of
  --board 3x4 [--beads 2]      columns x rows, beads on each figure: the start
                               of a game
  --mfn "b2b2/../r2r2 r"       rows from the top, then the side to move
and --turns plays on from there: a4-a2 is a move, a4xa1 a hit, a4:b4,c4 a
redistribution
examples
  kulami malawi solve --board 3x4
  kulami malawi play --board 6x6
  kulami malawi COMMAND --help
"""


def add_commands(commands: Commands) -> None:
    """Add `malawi` and its commands."""
    group = add_group(commands, "malawi", "Malawi", "the sibling game: solve, play ...", DETAILS)
    solving.add_commands(group)
    databases.add_commands(group)
    positions.add_commands(group)
    play.add_commands(group)
    bots.add_commands(group)
