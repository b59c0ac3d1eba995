"""What a refusal says, as a code with values, so that the page can say it in the reader's language.

The package explains in English, in one sentence; programs get that sentence. The page asks with
`Prefer: codes`, and is told besides which of the sentences below it is:

    {"error": "move 3: red cannot play d7: it is taken",
     "move": 3, "code": "taken", "values": {"side": "red", "field": "d7"}}

A sentence that is not among them has no code, and is shown as it is. Values are parts of the
sentence: names of fields, numbers, and under `side` and `other` names of players.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ..errors import KulamiError

__all__ = ["CODES", "recognized", "told", "with_code"]

_COUNTED: Final = re.compile(r"(?:move|turn) ([0-9]{1,4}): ")
_LISTED: Final = re.compile(r"number ([0-9]{1,4}) of the list: ")

_PLAY: Final = r"(?P<side>red|black) cannot play (?P<field>\S+): "
_OVER: Final = r"(?P<field>\S+) cannot be played: the game is over, (?P<side>red|black) "
_TURN: Final = r"(?P<side>red|black) cannot play (?P<move>\S+): "
_CARRIES: Final = _TURN + r"the figure on (?P<figure>\S+) has (?P<beads>\d+) beads?, so "
_CARDS: Final = r"(?P<side>red|blue|green|yellow) cannot play (?P<move>\S+): "

_SENTENCES: Final = {
    # A field of Kulami
    "taken": _PLAY + "it is taken",
    "panel_last": _PLAY + r"it is on the panel of the last marble, (?P<last>\S+)",
    "panel_before": _PLAY + r"it is on the panel of the last marble but one, (?P<last>\S+)",
    "not_in_line": _PLAY + r"it is not in the row or column of the last marble, (?P<last>\S+)",
    "over_no_field": _OVER + "has no legal field",
    "over_all_placed": _OVER + r"has placed all (?P<count>\d+) marbles",
    "over_one_placed": _OVER + r"is to move, but one side has placed all (?P<count>\d+) marbles",
    "no_such_field": r"there is no field (?P<field>\S+) in this layout: row \d+ has (?P<fields>.+)",
    "no_field_name": r"(?P<text>'.+'.*) is not a field: write a column letter a-p, .+",
    # Layouts
    "layout_empty": "the layout has no field: name at least one panel",
    "layout_too_many": r"the layout has (?P<count>\d+) fields: at most (?P<most>\d+) can be used",
    "layout_rows": r"the layout has (?P<count>\d+) rows: at most (?P<most>\d+) are possible",
    "layout_wide": r"layout row (?P<row>\d+) is (?P<count>\d+) squares wide: "
    r"at most (?P<most>\d+) are possible",
    "layout_letter": r"layout row (?P<row>\d+) has (?P<text>.+) on square (?P<square>\d+): "
    "a panel is named .+",
    "not_rectangle": r"panel (?P<panel>\S) is not a rectangle: it lies on (?P<where>\S+) but not "
    r"on (?P<field>\S+); give every panel its own name",
    "not_standard": r"not the 17 standard panels: (?P<panels>.+) \(standard numbers in brackets\)",
    "not_one_piece": "not in one piece: (?P<panels>.+) do not touch",
    # Positions of Kulami
    "differ": r"red has (?P<red>\d+) marbles on the board and black (?P<black>\d+): "
    "they differ by at most one",
    "other_turn": r"(?P<side>red|black) is to move with (?P<own>\d+) marbles on the board against "
    r"(?P<others>\d+): give the turn to (?P<other>red|black)",
    "too_many_marbles": r"(?P<side>red|black) has (?P<count>\d+) marbles on the board and "
    r"(?P<most>\d+) in all: ask for more .+",
    "no_last": "marbles are on the board, but none is named as the last one: .+",
    "last_of_empty": "(?P<field>.+) is named as the last marble of an empty board: .+",
    "wrong_last": r"the newest marble is said to be on (?P<field>\S+), but (?P<side>red|black), "
    "who has just moved, has no marble there",
    "wrong_before": r"the second newest marble is said to be on (?P<field>\S+), but "
    "(?P<side>red|black), who is to move, has no marble there",
    # Notations
    "nothing_to_read": "there is nothing to read: paste a KFN, .+",
    "kfn_form": r"a KFN is 'LAYOUT MARBLES TURN LAST' with single spaces between: (?P<text>.+)",
    "mfn_form": r"an MFN is 'ROWS TURN' with a single space between: (?P<text>.+)",
    "jfn_form": "a JFN is '.+', 7 parts with a single space between: (?P<text>.+)",
    "hagen_turn": "a Hagen board does not say who is to move: .+",
    "hagen_last": "a Hagen board does not say which marbles were placed last: .+",
    "so_many_games": r"there are (?P<count>\d+) games: ask for one of them",
    "so_many_positions": r"there are (?P<count>\d+) positions: ask for one of them",
    "record_begins_later": "a record is of a whole game, and this one begins with marbles on the "
    "board: take its KFN",
    "hagen_letters": r"a Hagen board has no letter (?:left )?for panel (?P<panel>\S), "
    r"(?P<size>\S+): .+",
    "grid_size": r"a (?P<notation>Hagen|KBN) board is 10x10 squares, the layout has a field on "
    r"(?P<field>\S+): use KFN",
    "loses_marbles": r"(?P<count>\d+) marbles of each colour",
    "loses_end": "the game ends as soon as one player has placed all marbles",
    "loses_turn": "(?P<side>red|black) is to move",
    "loses_last": r"the last marbles are (?P<fields>\S+)",
    "loses_size": r"the layout is (?P<size>\S+) squares",
    "loses_first": "player 1 is (?P<side>red|black)",
    # A turn of Malawi
    "no_turn": "(?P<text>.+) is no turn: .+",
    "no_such_square": r"(?:.+ cannot play \S+: )?(?P<text>'\S+') is not on a board of "
    r"(?P<board>\S+): its last square is (?P<last>\S+)",
    "others_figure": _TURN + r"the figure on (?P<figure>\S+) is (?P<other>red|black)'s",
    "no_figure": _TURN + r"there is no figure on (?P<figure>\S+)",
    "no_bead": _TURN + r"the figure on (?P<figure>\S+) has no bead, so it cannot act",
    "own_receive": _TURN + r"beads go to other figures of (?:red|black)'s only",
    "receivers": _CARRIES + r"name (?P<count>\d+) receivers?",
    "not_empty": _TURN + r"(?P<target>\S+) is not empty",
    "none_to_hit": _TURN + r"there is no figure of (?P<other>red|black)'s on (?P<target>\S+)",
    "no_bead_to_take": _TURN + r"the figure on (?P<target>\S+) has no bead to take",
    "not_in_row": _TURN + r"(?P<target>\S+) is not in the row or column of (?P<figure>\S+)",
    "goes_exactly": _CARRIES + r"it goes exactly \d+, and (?P<target>\S+) is (?P<away>\d+) away",
    "hits_exactly": _CARRIES + r"it hits at exactly \d+, and (?P<target>\S+) is (?P<away>\d+) away",
    "in_between": _TURN + r"a figure stands between (?P<figure>\S+) and (?P<target>\S+)",
    "malawi_over": r"(?P<move>\S+) cannot be played: the game is over, .+",
    "repeated": "the game is drawn: .+ has come up three times",
    # A move of Just 4 Fun
    "no_move": "(?P<text>.+) is no move: write .+",
    "other_sum": r"'(?P<move>\S+)' is no move: the cards (?P<cards>\S+) add up to (?P<sum>\d+), "
    r"not to field (?P<field>\d+)",
    "not_in_hand": _CARDS + r"the hand is (?P<hand>\S+), without (?P<cards>\S+)",
    "hidden_hand": _CARDS + "the hand is hidden, and does not allow it",
    "put_away_whole": _CARDS + r"a hand is put away whole, which is (?P<whole>\S+)",
    "put_away_only": _CARDS + "a hand is put away only when no cards of it make a field to place "
    "on",
    "no_such_number": _CARDS + r"the board has (?P<count>\d+) fields?",
    "two_behind": _CARDS + r"an opponent has at least two stones more on field (?P<field>\d+)",
    "just4fun_over": "nothing can be played: game over, .+",
    "sees_all": "perfect has to see all cards: it plays double-dummy games of two",
    # The server
    "busy": r"(?P<count>\d+) searches work or wait already: ask again in a moment",
    "no_memory": "there is not enough memory for this search now: ask again in a moment",
    "ended_early": "the search was ended before it (?:had an answer: ask again|began)",
    "too_many_columns": r"a board of (?P<count>\d+) columns: the page has room for (?P<most>\d+)",
    "too_many_moves": r"the game has (?P<count>\d+) moves: (?P<most>\d+) are replayed at most",
}

CODES: Final = tuple(_SENTENCES)
"""The codes there are."""

_PATTERNS: Final = {code: re.compile(pattern) for code, pattern in _SENTENCES.items()}


def recognized(sentence: str) -> dict[str, Any]:
    """Return which sentence this is: `code` and `values`, and `move` where it counts moves.

    Examples:
        >>> recognized("move 3: red cannot play d7: it is taken")
        {'move': 3, 'code': 'taken', 'values': {'side': 'red', 'field': 'd7'}}
        >>> recognized("something new")
        {}
    """
    found: dict[str, Any] = {}
    for prefix in (_COUNTED, _LISTED):
        counted = prefix.match(sentence)
        if counted:
            found["move"] = int(counted[1])
            sentence = sentence[counted.end() :]
    for code, pattern in _PATTERNS.items():
        match = pattern.fullmatch(sentence)
        if match:
            return {**found, "code": code, "values": match.groupdict()}
    return found


def with_code(sentence: str) -> dict[str, Any]:
    """Return a remark with its code and values, where it has some.

    Examples:
        >>> with_code("32 marbles of each colour")["code"]
        'loses_marbles'
    """
    return {"sentence": sentence, **recognized(sentence)}


def told(error: BaseException) -> dict[str, Any]:
    """Return what an error says, with its code and values."""
    if isinstance(error, MemoryError):
        error = KulamiError("no_memory")
    said = error.told() if isinstance(error, KulamiError) else {"error": str(error)}
    return said if "code" in said else said | recognized(str(error))
