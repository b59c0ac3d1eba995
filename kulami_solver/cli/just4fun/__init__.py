"""`kulami just4fun ...`: the third game, with commands of its own.

positions   which position is meant; show
odds        odds
records     replay
solving     solve, expect
advising    advise
play        play
bots        match, check
"""

from __future__ import annotations

from kulami_solver.cli.arguments import Commands, add_group
from kulami_solver.cli.just4fun import advising, bots, odds, play, positions, records, solving

DETAILS = """\
a position is one of
  --position "BOARD STONES LEFT TURN HANDS STOCK DISCARDS"
        3x3 1:r1,6:r1b1 r2b1 b r1.3,b2.4 3.5.12 {2}
        BOARD is 2006 (the printed one), HEIGHTxWIDTH, or rows like 1,2/4,3;
        LEFT has the players in order of play and their stones still to place;
        a hand is r1.3, r- without a card, r? hidden; the stock is 3.5.12 in
        the order of drawing, {3.5.12} where that is unknown, - for none
  --deal SEED [--board 2006] [--players rb] [--stones 20]
        the start of a game, with cards dealt from the whole deck
with --line 4, the fields in a row that win, and --hand 4, the cards of a hand;
--moves plays on from there: 12=5+7 plays the cards 5 and 7 and places a stone
on field 12, discard=3+4 puts away a hand that makes no field
examples
  kulami just4fun odds
  kulami just4fun play --deal 7
  kulami just4fun COMMAND --help
"""


def add_commands(commands: Commands) -> None:
    """Add `just4fun` and its commands."""
    group = add_group(
        commands, "just4fun", "Just 4 Fun", "the sibling with cards: solve, odds ...", DETAILS
    )
    solving.add_commands(group)
    advising.add_commands(group)
    odds.add_commands(group)
    positions.add_commands(group)
    records.add_commands(group)
    play.add_commands(group)
    bots.add_commands(group)
