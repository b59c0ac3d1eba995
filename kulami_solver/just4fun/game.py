"""Just 4 Fun as one of the games of `kulami_solver.game`: its options, what answers about it."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.background import Searching
from ..errors import PositionError
from ..game import CHANCE, Answer, Descriptor, Option, Question, Source
from . import solving
from .notation import COLOURS, PRINTED, Board
from .state import Just4FunGame as Just4FunGame
from .state import Just4FunState as Just4FunState
from .state import state_of as state_of


def make_game(
    board: Board | str = "2006",
    players: str = "rb",
    stones: int = 20,
    line: int = 4,
    hand: int = 4,
    seed: int = 0,
    dummy: bool = False,
    hidden: bool = False,
) -> Just4FunGame:
    """Return Just 4 Fun with its options.

    Args:
        board: the board or its text, as `Board.parse` takes it.
        players: two to four letters of "rbgy", in the order of play.
        stones: of each player, 1 to 20.
        line: fields in a row that win.
        hand: cards of a hand.
        seed: of the deal.
        dummy: play double-dummy.
        hidden: show bots only what players see, even in double-dummy play.

    Raises:
        KulamiError: if there is no such game.

    Examples:
        >>> state = make_game("3x3", stones=1, line=3, hand=2, dummy=True).start()
        >>> state.position.jfn()[:12], state.to_move
        ('3x3 - r1b1 r', 0)
    """
    numbers = board if isinstance(board, Board) else Board.parse(board)
    game = Just4FunGame(numbers, players, stones, line, hand, seed, dummy, hidden)
    game.start()  # refuses an impossible deal
    return game


def _search(question: Question, _sources: Sequence[Source]) -> Searching[Answer]:
    """The search of a state: double-dummy, or for the expected score with open hands.

    Raises:
        PositionError: if cards are to be drawn, or for the state of another number of players.
    """
    if question.state.to_move == CHANCE:
        raise PositionError("nobody_to_move")
    if question.state.game.dummy:
        return solving.Search(question)
    return solving.ExpectedSearch(question)


GAME = Descriptor(
    name="just4fun",
    title="Just 4 Fun",
    make=make_game,
    options=(
        Option("board", "text", PRINTED, "2006 is the printed one; 3x3, or numbers like 1,2/4,3"),
        Option("players", "text", "rb", "two to four of r, b, g and y, in the order of play"),
        Option("stones", "number", 20, "of each player", least=1, most=20),
        Option("line", "number", 4, "fields in a row that win", least=1, most=64),
        Option("hand", "number", 4, "cards of a hand", least=1, most=12),
        Option("seed", "number", 0, "of the deal", least=0),
        Option("dummy", "switch", False, "double-dummy: all cards and their order are known"),
        Option("hidden", "switch", False, "show bots no more than players see then, too"),
    ),
    notation="JFN",
    seats=tuple(COLOURS.values()),
    samples=(
        {"board": "3x3", "stones": 3, "line": 3, "hand": 3, "dummy": True},
        {"board": "2x3", "stones": 2, "line": 2, "hand": 2, "dummy": True},
    ),
    written=("board", "players", "stones", "seed", "dummy", "hidden"),
    large=True,
    table_plies=lambda state: solving.table_plies(state.position),
    search=_search,
)
"""Just 4 Fun."""
