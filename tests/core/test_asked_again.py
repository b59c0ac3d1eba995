"""Objects that are asked again: each answer is that of a new object, whatever was asked before.

The positions that one object is asked about look alike: the same marbles with other newest ones,
so that other panels are barred, two marbles exchanged, fewer marbles to come, colours exchanged,
and what is played from there. Between them, budgets end questions in the middle.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import late_roots
import pytest
from random_just4fun import small_position, with_stock
from random_play import random_position

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.core.background import Stopped
from kulami_solver.core.table import TranspositionTable
from kulami_solver.errors import PositionError
from kulami_solver.just4fun.expectation import Expecter
from kulami_solver.just4fun.search import Search as DuelSearch
from kulami_solver.just4fun.solving import compiled_rules, compiled_view
from kulami_solver.kulami.database.collection import Collection
from kulami_solver.kulami.estimate.learned_tree import LearnedTree
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import prove
from kulami_solver.kulami.solve import solver as solver_module
from kulami_solver.kulami.solve.evaluation import viewing
from kulami_solver.kulami.solve.heuristics import Deepening
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.textbook import Textbook
from kulami_solver.malawi.rules import Rules as MalawiRules
from kulami_solver.malawi.search import Search as MalawiSearch

BOARDS = [
    *("ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG", "AAB.C/DEB.C/DE.FF/GGGHH", "ABCDEF/AGHIJF/KGLMMF"),
    *("AABBC/AABBC/.DD.E/.DD.E/FFGGE/FFGGE", "ABCDE/FGHIJ/KLMNO/PQRST"),
]


class Told(NamedTuple):
    """Bounds of a value, and all else that is said, which budgets may change."""

    lower: float
    upper: float
    more: object = None


NOTHING = Told(-math.inf, math.inf)


class Kind(NamedTuple):
    """A kind of objects: how one is made, what it is asked, and with how many nodes at most."""

    make: Callable[[Any], Any]
    ask: Callable[[Any, Any, int | None], Told]
    free: int = 16


def related(root: ks.Position, draw: random.Random) -> list[ks.Position]:
    """Positions that look like this one, and positions that follow it."""
    found = [root, root.exchanged()]
    marbles = {"red": root.red, "black": root.black}
    mine, theirs = marbles.pop(root.turn), *marbles.values()
    newest, *_ = (field for field in root.last)
    names, arranged = root.layout.names, functools.partial(ks.Position.arranged, root.layout)
    for _ in range(8):
        last = [draw.choice([newest, newest, draw.choice(names(theirs))])]
        last += draw.choice([[], [draw.choice(names(mine))]])
        with contextlib.suppress(PositionError):
            found.append(arranged(root.red, root.black, root.turn, last, root.marbles))
    # Panels that are full have no part in what is to come, but for what they count.
    masks = (sum(1 << field for field in panel.fields) for panel in root.layout.panels)
    full = sum(mask for mask in masks if not mask & root.free_fields)
    for one, other in itertools.product(names(root.red & full), names(root.black & full)):
        both = sum(1 << root.layout.index(field) for field in (one, other))
        if not {one, other} & {*root.last}:
            found.append(
                arranged(root.red ^ both, root.black ^ both, root.turn, root.last, root.marbles)
            )
            if found[-1].margin() == root.margin() or len(found) > 16:
                found.pop()
    placed = max(root.red.bit_count(), root.black.bit_count())
    found.append(ks.Position.from_kfn(root.kfn(), marbles=draw.randint(placed + 1, placed + 6)))
    while not found[-1].is_over and draw.random() < 0.7:
        found.append(found[-1].play(draw.choice(found[-1].legal_fields)))
    return [position for position in found if not position.is_over]


def signs(lower: int, upper: int) -> tuple[int, int]:
    return (lower > 0) - (lower < 0), (upper > 0) - (upper < 0)


def asked_solver(solver: Solver, position: ks.Position, nodes: int | None) -> Told:
    """The margin or, of every second position, who wins; with every field, and a line."""
    solver.allow(nodes)
    goal: Any = ("margin", "outcome")[position.red.bit_count() % 2]
    found = solver.inquire(position, goal, moves=True, line=True)
    if goal == "outcome":
        return Told(
            *signs(found.lower, found.upper), {k: signs(*v) for k, v in found.moves.items()}
        )
    if nodes is None:
        end = position.play_all(" ".join(position.layout.fields[field] for field in found.line))
        assert end.margin(solver.scoring) == found.lower * (-1) ** len(found.line)
    return Told(found.lower, found.upper, found.moves)


def asked_textbook(book: Textbook, position: ks.Position, nodes: int | None) -> Told:
    margin = book.margin(*position.view, position.supply, nodes)
    assert nodes is None or book.nodes <= nodes
    return NOTHING if margin is None else Told(margin, margin, nodes or book.nodes)


def asked_look(of: tuple[Solver, Deepening], position: ks.Position, nodes: int | None) -> Told:
    """What a look of three plies says of each field."""
    of[0].bounds(position)
    values = of[1].look(3, nodes=nodes, every=True)
    return Told(0, 0, values) if nodes is None else NOTHING


def asked_tree(grown: list[Any], position: ks.Position, nodes: int | None) -> Told:
    """A tree is kept if it is asked about the same position again, or about what followed it."""
    tree, before = grown
    grown[1] = position
    values = tree.look(*position.view, position.supply, visits=nodes or 300, going_on=True)
    fields = position.layout.fields
    assert {fields[field] for field in values} == {*position.legal_fields}
    line = position
    for field in tree.line():
        line = line.play(fields[field])
    if tree.kept and position.view != before.view:
        before = before.play_all(position.last[::-1])
    assert not tree.kept or (before.view, before.supply) == (position.view, position.supply)
    return NOTHING if nodes or tree.kept else Told(0, 0, values)


def asked_source(source: Any, position: ks.Position, _: int | None) -> Told:
    """What a file says of a position and of its fields, if it holds it."""
    try:
        found = source.probe(position, every_move=True)
    except ks.NotInDatabaseError:
        return NOTHING
    return Told(
        found.lower, found.upper, {move.field: (move.lower, move.upper) for move in found.moves}
    )


def asked_malawi(search: MalawiSearch, position: malawi.Position, nodes: int | None) -> Told:
    search.limit_nodes(-1 if nodes is None else nodes)
    said = [
        ask(*position.view, plies)
        for plies in range(6)
        for ask in (search.wins_within, search.loses_within)
    ]
    return Told(0, 0, said) if None not in said else NOTHING


def asked_duel(
    search: DuelSearch, question: tuple[just4fun.Position, int], nodes: int | None
) -> Told:
    """-1, 0 or 1 for the side to move."""
    position, drawn = question
    search.limit_nodes(-1 if nodes is None else nodes)
    view = compiled_view(position)
    draws, wins = search.reaches(view, drawn, 0), search.reaches(view, drawn, 1)
    lower = 1 if wins else 0 if draws else -1
    return Told(lower, -1 if draws is False else 0 if wins is False else 1)


def asked_expecter(expecter: Expecter, position: just4fun.Position, nodes: int | None) -> Told:
    expecter.limit_nodes(-1 if nodes is None else nodes)
    cards = compiled_view(position), bytes(position.stock), bytes(position.discards)
    try:
        low, high = (expecter.value(*cards, hopeful) for hopeful in (False, True))
    except Stopped:
        return NOTHING
    return Told(0, 0, (low, high))


def check_again(kind: Kind, root: Any, places: list[Any], draw: random.Random) -> int:
    """Ask one object in any order; returns how many questions were answered whole."""
    used, whole = kind.make(root), 0
    for _ in range(3):
        for place in draw.sample(places, len(places)):
            nodes = draw.choice([None, None, 1, 20, 200, 2000])
            found = kind.ask(used, place, nodes)
            truth = kind.ask(kind.make(root), place, None)
            assert found.lower <= truth.lower <= truth.upper <= found.upper, place
            if nodes is None and found is not NOTHING:
                assert found.more == truth.more, place
                assert found[:2] == truth[:2], place
                whole += truth is not NOTHING
    return whole


def solver_of(threads: int, scoring: ks.Scoring) -> Callable[[ks.Position], Solver]:
    return lambda root: Solver(root, scoring, 1 << 16, threads=threads)


def look_of(scoring: ks.Scoring) -> Callable[[ks.Position], tuple[Solver, Deepening]]:
    def make(root: ks.Position) -> tuple[Solver, Deepening]:
        solver = Solver(root, scoring, 1 << 16)
        return solver, Deepening(solver.search, TranspositionTable(1 << 20))

    return make


SEARCHES: dict[str, Callable[[ks.Scoring], Kind]] = {
    "solver": lambda scoring: Kind(solver_of(1, scoring), asked_solver),
    "three threads": lambda scoring: Kind(solver_of(3, scoring), asked_solver, 12),
    "textbook": lambda scoring: Kind(
        lambda root: Textbook(root.layout.geometry, 1 << 16, scoring.area, scoring.chains),
        asked_textbook,
        13,
    ),
    "look": lambda scoring: Kind(look_of(scoring), asked_look, 22),
    "tree": lambda scoring: Kind(
        lambda root: [LearnedTree(viewing(root.layout.geometry, scoring)), None], asked_tree, 22
    ),
}


def roots(draw: random.Random, free: int) -> Iterator[ks.Position]:
    while True:
        layout = ks.Layout.parse(draw.choice(BOARDS))
        if draw.random() < 0.5:
            layout = ks.Layout.random(draw.randrange(1 << 30))
        root = random_position(layout, min(free, len(layout) - 4), draw.randrange(1 << 30))
        if root is not None:
            yield root


# A look takes positions for equal whose areas or chains it values a little differently.
ASKED = [
    (name, scoring)
    for name, scoring in itertools.product(SEARCHES, ks.Scoring)
    if name != "look" or scoring is ks.Scoring.LEVEL0
]


@pytest.mark.parametrize(("name", "scoring"), ASKED)
def test_searches_of_kulami(
    name: str, scoring: ks.Scoring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver_module, "_ALONE", 0)
    kind, draw = SEARCHES[name](scoring), random.Random(name)
    whole = 0
    for root in itertools.islice(roots(draw, kind.free), 8):
        whole += check_again(kind, root, related(root, draw), draw)
    assert whole > 10


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_share_the_nodes_that_a_question_may_take(threads: int) -> None:
    """Endings are searched to their end, so each of them may take some more."""
    start = ks.Position(ks.Layout.square())
    solver = Solver(start, ks.Scoring.LEVEL0, 1 << 20, threads=threads)
    spent = 0
    for search in solver._searches:
        for nodes in (20_000, 10_000):
            before = search.nodes
            search.set_position(*start.view, start.supply)
            solver.allow(nodes)
            assert search.null_window(0) is None
            spent += search.nodes - before
    assert 30_000 <= spent < 40_000


def source_of(name: str, folder: Path, scoring: ks.Scoring) -> Callable[[Any], Any]:
    """What opens the file of a folder, or the folder."""
    path = folder / "it.kdb"
    if name == "folder":
        return lambda _: Collection(folder, scoring)
    return lambda _: open_proof(path) if name == "proof" else ks.open_database(path)


@pytest.mark.parametrize("name", ["database", "folder", "proof"])
def test_files_of_kulami(name: str, tmp_path: Path) -> None:
    """A file of one line of play knows less than one of all, and says no more after others."""
    draw = random.Random(name)
    whole = 0
    for number, root in enumerate(itertools.islice(roots(draw, 9), 4)):
        scoring = draw.choice([*ks.Scoring])
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "it.kdb"
        if name == "proof":
            prove(path, root, scoring, semi_strong=number % 2 == 0, depth_left=number % 4)
        else:
            ks.build(path, root, scoring, executor=late_roots.Inline(), shard=50)
        opened = source_of(name, folder, scoring)
        places = [root, *(root.play(field) for field in root.legal_fields)]
        places += related(draw.choice(places), draw)
        whole += check_again(Kind(opened, asked_source), root, places, draw)
        for place in places:
            told = asked_source(opened(root), place, None)
            margin = ks.solve(place, scoring).margin
            assert margin is not None
            assert told.lower <= margin <= told.upper
    assert whole > 10


def test_the_search_of_malawi() -> None:
    draw = random.Random(1)
    whole = 0
    for size in ((3, 3), (3, 4), (2, 6), (4, 4)):
        rules = MalawiRules(*size)
        kind = Kind(lambda _: MalawiSearch(rules, TranspositionTable(1 << 12)), asked_malawi)  # noqa: B023
        places = [malawi.Position.start(malawi.Board(*size))]
        while len(places) < 12 and not places[-1].is_over:
            places.append(places[-1].play(draw.choice(places[-1].legal_turns)))
        whole += check_again(kind, places[0], places, draw)
    assert whole > 20


def test_the_searches_of_just4fun() -> None:
    draw = random.Random(2)
    duel = Kind(
        lambda root: DuelSearch(
            compiled_rules(root), TranspositionTable(1 << 12), bytes(root.stock), root.hand
        ),
        asked_duel,
    )
    expecter = Kind(lambda root: Expecter(compiled_rules(root), root.hand), asked_expecter)
    whole = 0
    for number in range(12):
        root = with_stock(small_position(draw, 9, 2), ordered=True, seed=number)
        games: list[tuple[just4fun.Position, int]] = []
        for _ in range(3):
            position = root
            while not position.is_over and position.ordered:
                games.append((position, len(root.stock) - len(position.stock)))
                position = position.play(draw.choice(position.legal_moves))
        whole += check_again(duel, root, games[:12], draw)
        unordered = [with_stock(one, ordered=False, seed=1) for one, _ in games[:6]]
        whole += check_again(expecter, unordered[0], unordered, draw)
    assert whole > 60
