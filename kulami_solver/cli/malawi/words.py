"""Malawi's words on the help pages of commands that all games have."""

from __future__ import annotations

from typing import Final

MARKS = """\
on a board
  r2  b4   a red figure with 2 beads, a black one with 4
  r0  b0   figures without beads, which stay where they are
below it, whose turn it is, how many turns are legal, and each side's beads"""

PLAY = """\
Type a turn, or one of
  turns   what every legal turn is worth     undo    take your last turn back
  best    play the best turn for me          mfn     the position as one line
  board   draw the board again               grade   what the turns have cost
  quit    leave (or end the input)

--save adds the game to FILE, one that is over or not, also after Ctrl-C: a
record of JSON on a new line. A FILE that is there keeps its games; one that
holds anything else is refused.

examples
  kulami malawi play --board 3x4
  kulami malawi play --board 6x6 --side black --time 10
"""

BOTS = """\
a bot is one of
  random  greedy (most beads at once)  perfect (by search: --nodes, --movetime)
  perfect:FILE          likewise, but first looks positions up in a database
  module:name           a class or an instance in a Python module; it has
                        choose(position), and returns a turn or its text
  "exec ./bot --fast"   a program that speaks UGI, with positions as MFN
"""

MATCH = (
    BOTS
    + """
Each opening, some turns at random, is played twice with colours swapped. A bot
that answers with no legal turn, too late, or not at all loses that game, and
the exit code is 1 if one of them has lost every game so; a position that comes
up for the third time is a draw. The rest is as in 'kulami match'.

example
  kulami malawi match greedy perfect --board 3x4 --games 20
"""
)

CHECK = (
    BOTS
    + """
Positions come from random games; in each of them a turn can spoil something.
What every turn is worth, a win 1, a draw 0, a loss -1, is looked up in the
--database, or else the board is solved first if that takes no minute. An
answer is optimal if no turn is worth more, however fast it wins. The rest is
as in 'kulami check'.

example
  kulami malawi check greedy --board 3x4 --positions 200
"""
)


GRADE = """\
GAME is a file as 'kulami malawi match --save' writes it: a record of JSON on
each line, with board, beads, moves and winner. A game that is not over needs
no winner. Without GAME, --board or --mfn say where one game begins, and
--turns are its turns. A folder stands for its files that end in .jsonl, .json
or .txt. Games are counted from 1; blank lines and lines that begin with # do
not count. If a game cannot be read, the others are graded and the exit code
is 2.

The command judges a game from its end backwards, as far as it knows the exact
value of every turn: a win is worth 1, a draw 0, a loss -1. Values come from
the --database of the board. Without one, the board is solved first, if this
takes less than a minute. If it takes longer, each position is searched for
--time, which proves wins and losses, but no draws. It does not matter how fast
a turn wins.

columns
  ply      the number of the turn in the game, and who made it
  turn     the turn
  points   the value after this turn and best play, for the side that moved: a
           win +1, a draw +0, a loss -1
  cost     by how much the best turn's points are greater; - if they are not
  best     if the turn cost something: the turns that cost nothing, and what
           happened ('a win becomes a loss')
Below the table each player has a line. It says how many turns cost nothing,
among those that had a choice, and what all turns cost. The same follows for
each third of the game, if several of them have such turns. Several games end
with a table by game and by player.

In JSON, best lists the best turns of every turn, and best_points is their
value. outcome is the outcome before and after the turn. phases has the players
by opening, middle and end. With several files, each game has its file, and a
last line has games and players.

--guess SIDE asks you for the turns of one side, and says what they are worth.

example
  kulami malawi match greedy perfect --board 3x4 --games 2 --save games.jsonl
  kulami malawi grade games.jsonl
  kulami malawi grade --board 3x4 --turns "a4-a2 c1-c3"
"""

ENGINE = (
    BOTS
    + """
UGI as in 'kulami engine', with MFN for KFN and no options but move overhead
and bot; startpos is the start of a game on 6x6. Player 1 is red.
"""
)

WORDS: Final = {
    "engine": ENGINE,
    "check": CHECK,
    "match": MATCH,
    "grade": GRADE,
    "play": PLAY,
    "show": f"{MARKS}\n",
}
"""By the command."""
