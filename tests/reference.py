"""The rules of Kulami once more, slow and obvious, and a plain minimax over them.

Written from the rulebook alone and sharing no code with the package, so that everything fast can
be checked against it.  Nothing here is clever: a layout is a dict from squares to panel names, a
position is two sets of squares, whose turn it is and the last two marbles, and every question is
answered by looking at all the squares.

    (0, 0) (1, 0) (2, 0)      a square is (column from the left, row from the top),
    (0, 1) (1, 1) (2, 1)      so a1 is (0, 0) and c2 is (2, 1)

A *field* is a square which holds a hole: a key of the layout's dict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Square: TypeAlias = tuple[int, int]

#: The scorings, and what each counts beside the panels: (largest area, chains).
SCORINGS: dict[str, tuple[bool, bool]] = {
    "0": (False, False),
    "1": (True, False),
    "2": (True, True),
    "chains": (False, True),
}

RULEBOOK_LAYOUT = (
    "...AABB../.CCAADDD./.CCEEFFGG/HCCEEFFGG/HIIIJJJGG/HIIIKKKL./.MMMKKKL./.NNOOPPQQ/...OOPP.."
)
SQUARE_LAYOUT = "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ"


@dataclass(frozen=True)
class Rules:
    """What stays the same during a game."""

    rows: tuple[str, ...]  # the layout as text, all rows equally wide
    panel: dict[Square, str]  # the panel of every field
    marbles: int = 28  # of each colour
    short_end: bool = False  # the Spanish edition: over once one player has placed all


@dataclass(frozen=True)
class State:
    """What changes during a game."""

    red: frozenset[Square]
    black: frozenset[Square]
    turn: str  # "r" or "b"
    last: tuple[Square, ...]  # the last two marbles, newest first; fewer where fewer are known


@dataclass(frozen=True)
class Parts:
    """The three parts of the score, each (red, black), whatever the scoring counts."""

    panels: tuple[int, int]
    area: tuple[int, int]
    chains: tuple[int, int]


# Names and texts ---------------------------------------------------------------------------------


def field_name(square: Square) -> str:
    """The name of a square: ``(0, 0)`` is ``a1``."""
    column, row = square
    return "abcdefghijklmnop"[column] + str(row + 1)


def field_square(name: str) -> Square:
    """The square of a name: ``c2`` is ``(2, 1)``; ValueError where there is none."""
    column = "abcdefghijklmnop".index(name[0])
    if name[1:] not in [str(number) for number in range(1, 17)]:
        raise ValueError(f"{name!r} is no field name")
    return column, int(name[1:]) - 1


def reading_order(square: Square) -> tuple[int, int]:
    """Sorts squares row by row from the top, each row from the left."""
    column, row = square
    return row, column


def layout_rows(text: str) -> tuple[str, ...]:
    """The rows of a layout text, the shorter ones filled up with ``.``."""
    rows = text.split("/")
    width = max(len(row) for row in rows)
    return tuple(row + "." * (width - len(row)) for row in rows)


def parse_layout(text: str) -> dict[Square, str]:
    """The panel of every field of a layout text; ValueError unless all panels are rectangles."""
    panel: dict[Square, str] = {}
    for row, line in enumerate(layout_rows(text)):
        for column, letter in enumerate(line):
            if letter != ".":
                panel[column, row] = letter
    if not 1 <= len(panel) <= 64:
        raise ValueError(f"{len(panel)} fields")
    for name in set(panel.values()):
        squares = [square for square in panel if panel[square] == name]
        columns = [column for column, _ in squares]
        rows = [row for _, row in squares]
        width = max(columns) - min(columns) + 1
        height = max(rows) - min(rows) + 1
        if width * height != len(squares):
            raise ValueError(f"panel {name} is not a rectangle")
    return panel


def parse_marbles(text: str, rows: tuple[str, ...]) -> dict[Square, str]:
    """The colour of every marble of KFN's second field; ValueError off the fields or the grid."""
    colours: dict[Square, str] = {}
    if text == "-":
        return colours
    for row, line in enumerate(text.split("/")):
        column = 0
        number = ""
        for character in line + " ":
            if character.isdigit():
                number += character
                continue
            column += int(number or "0")
            number = ""
            if character == " ":
                break
            if character not in "rb":
                raise ValueError(f"{character!r} is no marble")
            if row >= len(rows) or column >= len(rows[row]) or rows[row][column] == ".":
                raise ValueError(f"no field at {column, row}")
            colours[column, row] = character
            column += 1
        if row >= len(rows) or column > len(rows[row]):
            raise ValueError("more squares than the layout has")
    return colours


def parse_kfn(text: str, marbles: int = 28, short_end: bool = False) -> tuple[Rules, State]:
    """The rules and the position of a KFN line; ValueError unless it is valid."""
    layout, stones, turn, names = text.split(" ")
    panel = parse_layout(layout)
    colours = parse_marbles(stones, layout_rows(layout))
    red = frozenset(square for square in colours if colours[square] == "r")
    black = frozenset(square for square in colours if colours[square] == "b")
    if turn not in ("r", "b"):
        raise ValueError(f"turn {turn!r}")
    own, other = (red, black) if turn == "r" else (black, red)
    if not 0 <= len(other) - len(own) <= 1:
        raise ValueError("the counts do not fit the turn")
    if max(len(red), len(black)) > marbles:
        raise ValueError("more marbles than there are")
    last = tuple(field_square(name) for name in names.split(",")) if names != "-" else ()
    if len(last) > 2 or (not last and colours):
        raise ValueError("LAST names too many or too few")
    if last and last[0] not in other:
        raise ValueError("the last marble is not the other player's")
    if len(last) == 2 and last[1] not in own:
        raise ValueError("the marble before the last is not the mover's")
    rules = Rules(layout_rows(layout), panel, marbles, short_end)
    return rules, State(red, black, turn, last)


def format_kfn(rules: Rules, state: State) -> str:
    """The KFN line of a position, with every row of both boards written in full."""
    marble_rows = []
    for row, line in enumerate(rules.rows):
        marble_row = ""
        empty = 0
        for column in range(len(line)):
            square = (column, row)
            if square in state.red or square in state.black:
                marble_row += str(empty) if empty else ""
                marble_row += "r" if square in state.red else "b"
                empty = 0
            else:
                empty += 1
        marble_row += str(empty) if empty else ""
        marble_rows.append(marble_row)
    stones = "/".join(marble_rows) if state.red or state.black else "-"
    last = ",".join(field_name(square) for square in state.last) or "-"
    return " ".join(["/".join(rules.rows), stones, state.turn, last])


# Play --------------------------------------------------------------------------------------------


def start(
    layout: str, first: str = "r", marbles: int = 28, short_end: bool = False
) -> tuple[Rules, State]:
    """The empty board of a layout text, with ``first`` (``r`` or ``b``) to move."""
    rules = Rules(layout_rows(layout), parse_layout(layout), marbles, short_end)
    return rules, State(frozenset(), frozenset(), first, ())


def reachable_fields(rules: Rules, state: State) -> list[Square]:
    """The fields which the rules of placing allow, whether or not there is a marble to place."""
    fields = []
    for square in rules.panel:
        if square in state.red or square in state.black:
            continue
        if state.last:
            column, row = square
            last_column, last_row = state.last[0]
            if column != last_column and row != last_row:
                continue
            if rules.panel[square] in [rules.panel[marble] for marble in state.last]:
                continue
        fields.append(square)
    return sorted(fields, key=reading_order)


def is_over(rules: Rules, state: State) -> bool:
    """Whether the game has ended: no field, no marble, or (Spanish) one player has placed all."""
    red_left = rules.marbles - len(state.red)
    black_left = rules.marbles - len(state.black)
    own_left = red_left if state.turn == "r" else black_left
    if own_left == 0:
        return True
    if rules.short_end and (red_left == 0 or black_left == 0):
        return True
    return not reachable_fields(rules, state)


def legal_fields(rules: Rules, state: State) -> list[Square]:
    """The fields the side to move may play, row by row; none once the game is over."""
    return [] if is_over(rules, state) else reachable_fields(rules, state)


def play(state: State, square: Square) -> State:
    """The position after the side to move has played a legal field."""
    last = (square, *state.last[:1])
    if state.turn == "r":
        return State(state.red | {square}, state.black, "b", last)
    return State(state.red, state.black | {square}, "r", last)


# Score -------------------------------------------------------------------------------------------


def panel_points(rules: Rules, state: State) -> tuple[int, int]:
    """Each panel's number of fields to the colour with more marbles on it: (red, black)."""
    size = Counter(rules.panel.values())
    red_on = Counter(rules.panel[square] for square in state.red)
    black_on = Counter(rules.panel[square] for square in state.black)
    red = sum(size[name] for name in size if red_on[name] > black_on[name])
    black = sum(size[name] for name in size if black_on[name] > red_on[name])
    return red, black


def largest_area(marbles: frozenset[Square]) -> int:
    """The size of the largest set of these marbles connected by their sides."""
    largest = 0
    unseen = set(marbles)
    while unseen:
        waiting = [unseen.pop()]
        size = 0
        while waiting:
            column, row = waiting.pop()
            size += 1
            for neighbour in (
                (column + 1, row),
                (column - 1, row),
                (column, row + 1),
                (column, row - 1),
            ):
                if neighbour in unseen:
                    unseen.remove(neighbour)
                    waiting.append(neighbour)
        largest = max(largest, size)
    return largest


def chain_lengths(marbles: frozenset[Square]) -> list[int]:
    """The lengths of all the maximal straight runs of five or more of these marbles."""
    lengths = []
    for step_column, step_row in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column, row in marbles:
            if (column - step_column, row - step_row) in marbles:
                continue  # not where the run begins
            length = 0
            while (column + length * step_column, row + length * step_row) in marbles:
                length += 1
            if length >= 5:
                lengths.append(length)
    return lengths


def score_parts(rules: Rules, state: State) -> Parts:
    """All three parts of the score as they lie on the board."""
    return Parts(
        panel_points(rules, state),
        (largest_area(state.red), largest_area(state.black)),
        (sum(chain_lengths(state.red)), sum(chain_lengths(state.black))),
    )


def totals(rules: Rules, state: State, scoring: str) -> tuple[int, int]:
    """The points of red and of black: the panels, and differences to the one who has more."""
    counts_area, counts_chains = SCORINGS[scoring]
    parts = score_parts(rules, state)
    red, black = parts.panels
    for counted, (red_part, black_part) in (
        (counts_area, parts.area),
        (counts_chains, parts.chains),
    ):
        if counted:
            red += max(0, red_part - black_part)
            black += max(0, black_part - red_part)
    return red, black


def margin(rules: Rules, state: State, scoring: str) -> int:
    """The score as it stands, the side to move's minus the other's."""
    red, black = totals(rules, state, scoring)
    return red - black if state.turn == "r" else black - red


# Search ------------------------------------------------------------------------------------------


def minimax(rules: Rules, state: State, scoring: str, memo: dict[State, int] | None = None) -> int:
    """The exact margin for the side to move under best play by both.

    Every position below this one is visited; with ``memo`` (a dict which belongs to these rules
    and this scoring) each of them only once.
    """
    if memo is not None and state in memo:
        return memo[state]
    fields = legal_fields(rules, state)
    if fields:
        value = max(-minimax(rules, play(state, field), scoring, memo) for field in fields)
    else:
        value = margin(rules, state, scoring)
    if memo is not None:
        memo[state] = value
    return value


def field_values(
    rules: Rules, state: State, scoring: str, memo: dict[State, int] | None = None
) -> dict[str, int]:
    """The exact margin of every legal field, for the side to move."""
    return {
        field_name(field): -minimax(rules, play(state, field), scoring, memo)
        for field in legal_fields(rules, state)
    }


def outcome(value: int) -> str:
    """What a margin means: ``win``, ``draw`` or ``loss``."""
    return "win" if value > 0 else "loss" if value < 0 else "draw"


def perft(rules: Rules, state: State, depth: int) -> list[int]:
    """Leaves at depth 1, 2 ... depth; an ended game is one leaf at every depth beyond its end."""
    return [sum(1 for _ in leaves(rules, state, plies)) for plies in range(1, depth + 1)]


def leaves(rules: Rules, state: State, depth: int) -> Iterator[State]:
    """Every way to play ``depth`` plies, or fewer where the game ends."""
    fields = legal_fields(rules, state) if depth else []
    if not fields:
        yield state
    for field in fields:
        yield from leaves(rules, play(state, field), depth - 1)
