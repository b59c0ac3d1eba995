"""Kulami's words on the help pages of commands that all games have."""

from __future__ import annotations

from typing import Final

BOTS = """\
a bot is one of
  random  greedy  alphabeta:4  mcts  mcts:5000  perfect  master
  level:1 ... level:8   from beginner to master
  master:0.5            at most so many seconds for a move; from 1,000 on the
                        number is one of nodes
  perfect:FILE          likewise, but first looks positions up in a database,
                        or plays from a proof
  module:name           a class or an instance in a Python module; it has
                        choose(position)
  "exec ./bot --fast"   a program that speaks UGI
"""

ENGINE = (
    BOTS
    + """
UGI: ugi, isready, setoption name scoring|marbles|shortend|move overhead|bot
value ..., uginewgame, position startpos|fen KFN [moves ...], go [movetime MS]
[nodes N] [depth N] [infinite] [p1time MS p2time MS p1inc MS p2inc MS], stop,
query gameover|p1turn|result, quit. Player 1 is red. The option
"move overhead" keeps so many milliseconds of each move in reserve (50). What a
bot prints goes to stderr, each line after its name, and so does the traceback
of its exceptions.
"""
)

CHECK = (
    BOTS
    + """
Positions come from the suite shipped with the package, which has every field's
exact value, or with --live from random games, and are solved then. An answer
is optimal if no field is worth more; a bot that gives no legal field in time
is judged as if it had played the worst one.
In JSON, interval is the 95 % interval of optimal_rate, seconds the mean time
of a move, and losses are points of margin; flips counts spoilt outcomes,
only_move_rate the only right fields found, from_file the answers that FILE of
--results had already, and new those given now. The exit code is 1 if the bot
has given no legal field at all.
Several bots are asked the same positions and compared: a difference of two is
known better than the rates, as it comes of the positions in which just one of
them is right. In JSON, only_first and only_second count these.
FILE notes what the bot is: its files, and the versions of kulami_solver and
Python. It is not taken up by a bot whose module, or what that imports from its
own folder, has changed, or whose program, or a file that its words name; data
that a bot opens by itself is not looked at.
What a Python bot prints goes to stderr, and so does the traceback of its
exceptions.

examples
  kulami check greedy
  kulami check mcts --nodes 5000 --html mcts.html
  kulami check "exec ./new" "exec ./old" mcts:100 --movetime 0.2
  kulami check "exec ./my-bot" --movetime 0.5 --results my-bot.jsonl
"""
)

MATCH = (
    BOTS
    + """
Each opening, some marbles placed at random, is played twice with colours
swapped. A bot that answers with no legal field, too late, or not at all loses
that game; the exit code is 1 if one of them has lost every game so. Elo,
interval and SPRT are from pairs of games, for the first bot.
Three bots or more play a tournament: every two that meet play the same
openings, and --games counts for each two. Ratings are those of Bradley and
Terry's model, a draw being half a win and half a loss; Elo 0 is the mean of
all bots, in a gauntlet that of the others. An interval is of 95 %.
With --clock 60+0.5 each bot has 60 seconds for a game and half a second more
after each move. A Python bot's clock has left, seat and increment besides
seconds, a part of what is left; a program is told by 'go p1time ...'.
What a Python bot prints goes to stderr, and so does the traceback of its
exceptions. A FILE of --save is not taken up by a bot that has changed since,
as with 'kulami check --results'; in JSON, from_file counts the games that it
had already.

examples
  kulami match mcts alphabeta:4 --games 200 --save games.jsonl
  kulami match "exec ./new" "exec ./old" --movetime 0.2 --sprt 0 20
  kulami match greedy alphabeta:2 mcts:100 level:3 --games 20 --save many.jsonl
  kulami match "exec ./mine" mcts:100 level:3 --format gauntlet
"""
)

GRADE = """\
GAME is a file of games, as records in JSON or as text; 'kulami replay --help'
shows both. Text may also be as people write it: see docs/notation.md. A game
that is not over needs no score. Without GAME, the options give one game: the
position in which it begins, and --moves. A folder stands for its files that
end in .jsonl, .json or .txt. Games are counted from 1; blank lines and lines
that begin with # do not count. If a game cannot be read, the others are graded
and the exit code is 2.

The command solves a game from its end backwards, as long as --time suffices
for each position. From there on it judges every move by the exact values of
all fields.

columns
  ply      the number of the move in the game, and who made it
  field    the field that was played
  margin   the margin after this move and best play, for the side that moved
  cost     by how much the best field's margin is greater; - if it is not
  best     if the move cost something: the fields that cost nothing. If the
           move changed who wins, also what happened ('a win becomes a loss').
           The next line then gives the reason: the reply, and the panels that
           have another owner at the end than after the best field
Below the table each player has a line. It says how many moves cost nothing,
among those that had a choice, and what all moves cost. The same follows for
each third of the game, if several of them have such moves. Several games end
with a table by game and by player; the records have the players' names.

In JSON, best lists the best fields of every move, and best_margin is their
margin. outcome is the outcome before and after the move. refutation has the
line and all panels that have another owner. phases has the players by opening,
middle and end. With several files, each game has its file, and a last line
has games and players.

--estimate says about what the moves before the first solved one are worth,
with chances. Nothing of this is proved. In JSON the key is estimates, and each
move has an estimate.

--guess SIDE asks you for the moves of one side, from the first solved one on.
It says what your guess and the move of the game are worth, and keeps a score.

examples
  kulami grade games.jsonl --guess red
  kulami grade games.jsonl --game 2 --estimate
  kulami grade my-games/
  kulami grade --layout AAB/CCB --moves "a1 c1"
"""

REPLAY = """\
A record is an object of JSON on one line:
  {"board": ["AAB", "AAC"], "level": 0, "first": "red",
   "moves": ["a1", "c1", "c2", "a2"], "score": {"red": 1, "black": 1}}
Blank lines and lines that start with # are skipped, but count as lines: a
record goes by the number of its line, and, where that is another, by that of
its game as well, which is the N of 'kulami grade --game N'.
board is rows or a layout's text; level is 0, 1, 2 or "chains"; marbles (28)
and short_end (false) may be added, and start, a KFN line, for a game that does
not begin with the empty board. A game that is not over disagrees. The exit
code is 1 if a record disagrees.
FILE may also hold games as text, which are right or refused:
  [Layout "AAB/AAC"]
  [Scoring "0"]
  1. a1 c1 2. c2 a2 {a comment} 1-1
"""

TYPED = """\
Type a field, or one of
  values  what every legal field is worth    undo    take your last marble back
  best    play the best field for me         kfn     the position as one line
  board   draw the board again               score   the score as it is now
  grade   what the moves so far have cost    help    this list
  quit    leave (or end the input)"""

PLAY = f"""\
{TYPED}
Leaving says with which options the game goes on. --save adds the game to FILE,
one that is over or not, also after Ctrl-C: a record of JSON on a new line, as
'kulami match --save' writes them and 'kulami grade' and 'replay' read them. A
FILE that is there keeps its games; one that holds anything else is refused.
Where values cannot be proved in the time, best plays a guess, and says so.

With --puzzles there is no bot: in each position one field alone is best. A
wrong answer is played out; hint, show, next, board, kfn, help and quit can be
typed, too. When you leave, the streak is told, and the --from to go on with.

{BOTS}
examples
  kulami play
  kulami play --puzzles
  kulami play --layout rulebook --side black --bot mcts:20000
  kulami play --bot "exec ./my-bot" --time 0.5 --scoring 2
"""

WORDS: Final = {
    "engine": ENGINE,
    "check": CHECK,
    "match": MATCH,
    "grade": GRADE,
    "replay": REPLAY,
    "play": PLAY,
}
"""By the command."""
