"""Positions of Kulami: the options that give one, files of many, typed text, boards as text.

Typed text is converted to the notations; files and programs have to keep to these:

    D4          d4           a field
    R, B        r, b         a marble, or the side to move
    ..R.        2r1          squares without a marble, one by one
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Options, Parser
from kulami_solver.cli.output import CommandError, refused_at
from kulami_solver.cli.results import LINE_LIMIT, RECORD_LIMIT, input_lines, text_lines
from kulami_solver.core.notation import QUOTES, joined, parse_fields, plain_lines
from kulami_solver.errors import KulamiError, quoted
from kulami_solver.kulami.position.edition import OPTIONS, Edition, chosen

#: A position or layout as text; `values` stand on its legal fields.
board_text = partial(output.board_text, "kulami_solver.kulami.drawing.render")

#: Takes the answer to a line that is no position.
Refuse: TypeAlias = Callable[[Mapping[str, object]], None]

#: The endings of files with layouts, which are read in a folder, and of others with positions.
_LAYOUT_FILES = (".txt", ".text", ".layout", ".board", ".json", ".jsonl", ".csv", ".gz")
_TEXT_FILES = (*_LAYOUT_FILES, ".kfn", ".kbn", ".hagen", ".kdb", ".dat", ".md")

#: Panels of a whole board.
_PANELS = 17

#: How long to wait for a pipe before other work is done, in seconds.
_PIPE_WAIT = 0.01

_FIELD = re.compile(r"\b[A-P](?=(?:[1-9]|1[0-6])\b)")
_COLOURS = str.maketrans("RB", "rb")
_GUILLEMETS = "\xab\xbb"
_FREE = re.compile(r"[0-9.]+")
# Digits of a number of squares that are read: such a number is already too large for any board.
_DIGITS = 4


def scoring(text: str) -> ks.Scoring:
    """A scoring by its name.

    >>> scoring("chains").name
    'CHAINS'
    """
    return ks.Scoring.parse(text)


def add_position_options(parser: Parser, *, many: bool = True, one: bool = False) -> None:
    """Add the options that give one position, or many.

    Args:
        parser: the parser that gets the options.
        many: whether to add --input for a file of positions; without it, the empty square board is
            the default.
        one: whether the command refuses --input, of which its help then says nothing.
    """
    parser.meant = _meant
    group = parser.group("the position")
    source = group.one_of(required=many)
    source.value("--kfn", "TEXT", "'LAYOUT MARBLES TURN LAST'")
    source.value(
        "--layout",
        "TEXT",
        "rows like AAB/CCB, a name, or FILE: an empty board" if many else "an empty board (square)",
    )
    source.value("--hagen", "TEXT", "200 characters; with --turn and --last")
    source.value("--kbn", "TEXT", "200 characters; player 1 is --first (red)")
    if one:
        source.file("--input", argparse.SUPPRESS)
    elif many:
        source.input("KFN")
    else:
        parser.set_defaults(input=None)
    add_no_field_option(group)
    group.value("--moves", "FIELDS", "marbles placed from there: 'd4 d7'")
    sides = ("red", "black") if many else ("red", "black", "random")
    group.choice("--first", sides, "who began (red), with --layout or --kbn")
    group.choice("--turn", ("red", "black"), "side to move, with --hagen")
    group.value("--last", "FIELDS", "the newest two marbles, with --hagen: f8,d3")
    group.of_game(*OPTIONS)


def add_layouts_options(parser: Options, words: str) -> None:
    """Add --layout for layouts that are taken in turn, and --no-field; `words` say what for."""
    parser.value("--layout", "TEXT", f"{words}; FILE or several in turn", action="append")
    add_no_field_option(parser)


def add_no_field_option(parser: Options) -> None:
    """Add --no-field to a parser or a group of its options, beside --layout."""
    parser.number("--no-field", -(10**9), 10**9, "the number in a grid that stands for no field")


def _meant(word: str) -> str | None:
    """The option that a word without an option is meant for, if that is clear."""
    if len(word.split()) == 4:
        return "--kfn"
    if word in ("square", "rulebook") or ("/" in word and not _is_file_name(word)):
        return "--layout"
    return None


def edition(args: argparse.Namespace) -> Edition:
    """The edition that the options give."""
    return Edition(**chosen(args))


def add_scoring_option(parser: Options, words: str = "") -> None:
    """Add --scoring to a parser or a group of its options; it has a default unless `words` say."""
    usual = (
        "0 panels (default), 1 panels and area, 2 panels, area and chains, chains panels and chains"
    )
    parser.value("--scoring", "0|1|2|chains", words or usual, scoring, None if words else "0")


def add_goal_option(parser: Options) -> None:
    """Add --goal."""
    parser.choice("--goal", ("margin", "outcome"), "by how much, or only who wins", "margin")


def layout(args: argparse.Namespace, option: str = "--layout") -> ks.Layout:
    """The one layout that the options give; see `layouts`."""
    found = layouts(args, option)
    if len(found) > 1:
        raise CommandError(
            f"{option}: {quoted(args.layout)} has {len(found)} layouts, and this command takes "
            "one: write the one you mean"
        )
    return found[0]


def layouts(args: argparse.Namespace, option: str = "--layout") -> tuple[ks.Layout, ...]:
    """The layouts that the options give: of a file or a folder's files, or one by name or text.

    Args:
        args: of the command; `layout` is what was typed, `no_field` as add_no_field_option says.
        option: for messages.

    Raises:
        CommandError: there is no such layout, or a file has a wrong one or none.
    """
    from kulami_solver.kulami.position.layout import close_layout_name, named_layout

    found: list[ks.Layout] = []
    for text in args.layout if isinstance(args.layout, list) else [args.layout]:
        named = named_layout(text)
        if named is not None:
            if os.path.exists(text):
                output.warn([f"{option} {text}: the layout of this name; the file is ./{text}"])
            found.append(named)
            continue
        if _is_file_name(text):
            found += _layouts_in(text, args.no_field, option)
            continue
        if text == "random":
            raise CommandError(
                f"{option}: random stands for no layout here; take one that 'kulami layout "
                "--random SEED' prints"
            )
        meant = close_layout_name(text)
        if meant is not None:
            raise CommandError(
                f"{option}: {quoted(text)} is not a layout's name; did you mean {meant}? (If these "
                "are the panels of a single row, put a / behind it: an empty row below it changes "
                "nothing.)"
            )
        if args.no_field is not None and text.replace("/", "").replace(".", "").isalpha():
            raise CommandError("--no-field is for a grid of numbers: leave it out here")
        with refused_at(option):
            found.append(ks.Layout.parse(text, args.no_field))
    return tuple(found)


def _layouts_in(text: str, no_field: int | None, option: str) -> list[ks.Layout]:
    """The layouts of a file, or of the files of a folder."""
    from kulami_solver.core.files import files_in  # slow to import
    from kulami_solver.kulami.position.layout import named_layout
    from kulami_solver.kulami.position.layout_text import texts_of

    path = os.path.expanduser(text)
    if not os.path.exists(path):
        raise CommandError(
            f"{option}: {quoted(text)} looks like the name of a file, and there is no such "
            "file; give a layout, or positions with --input FILE"
        )
    if _is_layout(text) and not text.startswith(("./", "../")):
        output.warn([f"{option} {text}: the file of this name; other letters make it the layout"])
    found = []
    for file in files_in(path, _LAYOUT_FILES) if os.path.isdir(path) else [path]:
        lines = text_lines(option, file, RECORD_LIMIT, "one layout")
        for number, listed in texts_of(lines):
            with refused_at(f"{file} line {number}"):
                found.append(named_layout(listed) or ks.Layout.parse(listed, no_field))
    if not found:
        raise CommandError(
            f"{option}: {quoted(text)} has no layout: write one a line, such as AAB/CCB"
        )
    return found


def layouts_or_random(args: argparse.Namespace) -> tuple[ks.Layout, ...]:
    """The layouts that the options give, to be taken in turn; none if they are to be random.

    Raises:
        CommandError: as for `layouts`.
    """
    if args.layout not in (None, ["random"]):
        return layouts(args)
    if args.no_field is not None:
        raise CommandError("--no-field goes with --layout; leave it out here")
    return ()


def openings(args: argparse.Namespace) -> str | tuple[ks.Position, ...]:
    """The openings of a match: `random`, `balanced`, or the different positions of a file."""
    option, text = "--openings", str(args.openings)
    if text in ("random", "balanced"):
        return text
    found = []
    for number, line in enumerate(text_lines(option, text, LINE_LIMIT, "one position"), 1):
        if line and not line.startswith("#"):
            with refused_at(f"{text} line {number}"):
                opening = _of_kfn(line, args)
                if opening.is_over:
                    raise KulamiError("the game is over: no opening")
                found.append(opening)
    if not found:
        raise CommandError(f"{option}: {quoted(text)} has no position: write one KFN a line")
    return tuple(dict.fromkeys(found))


def _is_file_name(text: str) -> bool:
    """Whether a text is more likely the name of a file or a folder than a layout.

    >>> [_is_file_name(text) for text in ("board.txt", "./positions.kfn", "AAB/CCB", ".AA/BB.")]
    [True, True, False, False]
    """
    # A file of a layout's name is hardly there by accident.
    return text.lower().endswith(_TEXT_FILES) or os.path.exists(os.path.expanduser(text))


def _is_layout(text: str) -> bool:
    """Whether a text is a layout of rows with a panel of several fields, as paths hardly are.

    >>> [_is_layout(text) for text in ("AAB/CCB", "book", "maps/four", "AAB/x.txt")]
    [True, False, False, False]
    """
    try:
        return "/" in text and any(len(panel.fields) > 1 for panel in ks.Layout.parse(text).panels)
    except KulamiError:
        return False


def positions(args: argparse.Namespace, refuse: Refuse = output.json_line) -> Iterator[ks.Position]:
    """The positions that the options give: one, or those of --input as they are read.

    Warnings about unusual layouts go to stderr, once for each layout.

    Args:
        args: of the command.
        refuse: takes the answer to a line of --input that is no position, when it is read.

    Raises:
        CommandError: the options contradict each other or do not give a valid position.
    """
    _refuse_contradictions(args)
    if args.input is None:
        found: Iterator[ks.Position | None] = iter([_after_moves(_begun(args), args)])
    else:
        found = _from_file(args, refuse)
    for position in _noticed(found):
        assert position is not None
        yield position


def arriving_positions(args: argparse.Namespace, refuse: Refuse) -> Iterator[ks.Position | None]:
    """The positions of --input; None each time that a pipe or terminal has none to read.

    Args:
        args: of the command.
        refuse: as for `positions`.

    Raises:
        CommandError: as for `positions`.
    """
    _refuse_contradictions(args)
    return _noticed(_from_file(args, refuse, wait=_PIPE_WAIT))


def one_game(args: argparse.Namespace) -> tuple[ks.Position, tuple[str, ...]]:
    """The start of a game, by default the empty square board, and its moves.

    Raises:
        CommandError: as for `positions`.
    """
    if all(getattr(args, source) is None for source in ("kfn", "layout", "hagen", "kbn")):
        args.layout = "square"
    if args.first == "random":
        args.first = random.choice(("red", "black"))
    _refuse_contradictions(args)
    (start,) = _noticed(iter([_begun(args)]))
    assert start is not None
    _after_moves(start, args)
    return start, parse_fields(fields_as_typed(args.moves or ""))


def _noticed(positions: Iterator[ks.Position | None]) -> Iterator[ks.Position | None]:
    from kulami_solver.kulami.position.layout_text import layout_warnings

    warned: set[ks.Layout] = set()
    for position in positions:
        layout = None if position is None else position.layout
        if layout is not None and layout not in warned:
            warned.add(layout)
            # A small board is never a standard one: that needs no warning.
            whole = len(layout.panels) >= _PANELS
            output.warn(layout_warnings(layout.panels, layout.rows, whole=whole))
        yield position


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Refuse options that do not apply to the kind of position given."""
    uses = {
        "--no-field": (args.no_field, ("layout",)),
        "--moves": (args.moves, ("kfn", "layout", "hagen", "kbn")),
        "--first": (args.first, ("layout", "kbn")),
        "--turn": (args.turn, ("hagen",)),
        "--last": (args.last, ("hagen",)),
    }
    for option, (value, sources) in uses.items():
        if value is not None and all(getattr(args, source) is None for source in sources):
            takers = joined([f"--{source}" for source in sources], "or")
            raise CommandError(f"{option} goes with {takers}; leave it out here")
    if args.hagen is not None and args.turn is None:
        raise CommandError("--hagen does not say whose turn it is; add --turn red or --turn black")
    if args.hagen is not None and args.last is None and set(args.hagen) & {"1", "2"}:
        raise CommandError(
            "--hagen does not say which marbles are the last; add them newest first: --last f8,d3"
        )


def _after_moves(start: ks.Position, args: argparse.Namespace) -> ks.Position:
    if args.moves is None:
        return start
    with refused_at("--moves"):
        return start.play_all(fields_as_typed(args.moves))


def _begun(args: argparse.Namespace) -> ks.Position:
    """The position that the options give before --moves are played."""
    options = chosen(args)
    if args.kfn is not None:
        with refused_at("--kfn"):
            position = ks.Position.from_kfn(kfn_as_typed(args.kfn), **options)
        _hint_at_name(position.layout)
        return position
    if args.layout is not None:
        board = layout(args)
        with refused_at("--layout"):
            return ks.Position(board, first=args.first or "red", **options)
    if args.hagen is not None:
        with refused_at("--last"):
            last = None if args.last is None else parse_fields(fields_as_typed(args.last))
        with refused_at("--hagen"):
            return ks.Position.from_hagen(args.hagen, turn=args.turn, last=last, **options)
    with refused_at("--kbn"):
        return ks.Position.from_kbn(args.kbn, first=args.first or "red", **options)


def _hint_at_name(layout: ks.Layout) -> None:
    """Give a hint if a KFN's layout is a single row that looks like the name of a layout."""
    from kulami_solver.kulami.position.layout import close_layout_name

    if layout.height == 1 and (meant := close_layout_name(str(layout))):
        output.warn(
            [
                f"--kfn: the layout of this position is a single row, {layout}; did you mean "
                f"--layout {meant}? A KFN has no names of layouts"
            ]
        )


def _from_file(
    args: argparse.Namespace, refuse: Refuse, wait: float | None = None
) -> Iterator[ks.Position | None]:
    return input_lines(args, lambda line: _of_kfn(line, args), refuse, wait)


def _of_kfn(line: str, args: argparse.Namespace) -> ks.Position:
    """The position of a line, in the edition that the options give."""
    return ks.Position.from_kfn(kfn_as_typed(line), **chosen(args))


def fields_as_typed(text: str) -> str:
    """Return a list of fields with small letters; other words stay unchanged.

    Examples:
        >>> fields_as_typed("D4, d7 Q9 A17")
        'd4, d7 Q9 A17'
    """
    return _FIELD.sub(lambda field: field[0].lower(), plain_lines(text))


def kfn_as_typed(text: str) -> str:
    """Return a KFN with its marbles, turn and last marbles as KFN writes them.

    Examples:
        >>> kfn_as_typed("AAB/AAC .R./..B R C2,b1")
        'AAB/AAC 1r1/2b r c2,b1'
        >>> kfn_as_typed("AAB/AAC 1r"), kfn_as_typed('"AAB/AAC 3/3 r -"')
        ('AAB/AAC 1r', 'AAB/AAC 3/3 r -')
    """
    bare = plain_lines(text).strip(QUOTES + _GUILLEMETS)
    parts = bare.replace(" ,", ",").replace(", ", ",").split()
    if len(parts) != 4:
        return text
    layout, marbles, turn, last = parts
    marbles = _FREE.sub(_counted, marbles.translate(_COLOURS))
    return " ".join((layout, marbles, turn.translate(_COLOURS), fields_as_typed(last)))


def _counted(run: re.Match[str]) -> str:
    """A run of points and numbers as one number of empty squares; a number stays as it is."""
    if "." not in run[0]:
        return run[0]
    numbers = (number.lstrip("0")[:_DIGITS] for number in run[0].split("."))
    return str(run[0].count(".") + sum(int(number or 0) for number in numbers))
