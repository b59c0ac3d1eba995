"""Just 4 Fun's words on the help pages of commands that all games have."""

from __future__ import annotations

from typing import Final

SHOW = """\
On the board a field has its number and the stones on it; in brackets, or in
the player's colour, where it is a player's for good. --png needs the png extra
(Pillow).

examples
  kulami just4fun show --deal 7 --moves "12=5+7"
  kulami just4fun show --position "2006 12:r2 r18b20 b r1.4.7.12,b? - {5.7}"
  kulami just4fun show --deal 7 --svg board.svg
"""

PLAY = """\
Everyone sees the own hand alone; opponents play by what 'advise' estimates.
Type a move (12=5+7, or discard), or one of
  moves   your legal moves                   undo    take your last move back
  advice  what they are estimated to score   jfn     what you know, as one line
  odds    what hands of unseen cards make    record  the game, for replay
  best    play the best estimate for me      quit    leave (or end the input)
  board   draw the board again

--save adds the game to FILE, one that is over or not, also after Ctrl-C: a
record of JSON on a new line, as 'kulami just4fun replay' reads them. A FILE
that is there keeps its games; one that holds anything else is refused.

examples
  kulami just4fun play --deal 7
  kulami just4fun play --deal 7 --players rbg --side green --time 1
"""

REPLAY = """\
A record is an object of JSON on one line:
  {"start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -", "line": 3, "hand": 2,
   "moves": ["3=1+2", "2=2"], "draws": [[4, 4], []], "winner": "red"}
draws has the cards drawn after each move; winner is null for a draw; line and
hand are 4 if they are missing. Blank lines and lines that start with # are
skipped, but count as lines. The exit code is 1 if a record disagrees.
"""

BOTS = """\
a bot is one of
  random  greedy (most points at once)
  advised (best estimate over deals of what is hidden: --nodes are deals)
  perfect (double-dummy: it has to see all cards, so it plays no match)
  module:name           a class or an instance in a Python module; it has
                        choose(position), and returns a move or its text
  "exec ./bot --fast"   a program that speaks UGI, with positions as JFN
"""

MATCH = (
    BOTS
    + """
Two players. Each deal is played twice with colours swapped. Bots are shown
what a player sees. A bot that answers with no legal move, too late, or not at
all loses that game; after sixty turns in a row without a stone a game is
counted as it stands. A file of --save is one that 'kulami just4fun replay'
reads. The rest is as in 'kulami match'.

example
  kulami just4fun match greedy random --games 20
"""
)

CHECK = (
    BOTS
    + """
Positions are late ones of random games; in each of them a move can spoil
something. What every move is worth, a win 1, a draw 0, a loss -1, is solved
double-dummy: all cards and their order are known. Bots are shown all that,
too, or with --hidden only what a player sees: then nobody can be right always.
The rest is as in 'kulami check'.

example
  kulami just4fun check greedy --positions 50
"""
)

ENGINE = (
    BOTS
    + """
UGI as in 'kulami engine', with JFN for KFN and the options line and hand; the
hand that the player does not see is r? or b?. startpos is a deal on the
printed board. Player 1 is red. The stock may be open, for perfect.
"""
)

WORDS: Final = {
    "show": SHOW,
    "play": PLAY,
    "replay": REPLAY,
    "match": MATCH,
    "check": CHECK,
    "engine": ENGINE,
}
"""By the command."""
