"""The features and the value of the learned evaluation. `learned.pxd` explains it."""

from kulami_solver.core.bits cimport popcount
from kulami_solver.kulami.estimate.learned cimport learned_value, terms_of
from kulami_solver.kulami.solve.panel_sums cimport difference_of
from kulami_solver.kulami.position.rules cimport Tables
from kulami_solver.kulami.solve.search cimport Search
from kulami_solver.kulami.estimate.weights cimport SIXTY_FOURTH, TERMS


def features(Search search not None) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]:
    """The features of the position that a search holds, whose game is not over.

    Returns:
        Plies to come, replies, fields of the second ply, and the terms of areas and chains; then
        for each panel: size, live fields, difference, and whether each side can play there next.
    """
    cdef const Tables *t = search.searcher.rules
    cdef int terms[TERMS]
    cdef int p
    terms_of(&search.searcher, &search.root, terms)
    numbers = [search.root.plies, popcount(search.root.legal), popcount(search.root.second)]
    return numbers + [terms[p] for p in range(TERMS)], [
        (
            t.size[p], popcount(search.root.live & t.panel[p]),
            difference_of(&search.root, p, search.root.turn),
            (search.root.legal & t.panel[p]) != 0, (search.root.second & t.panel[p]) != 0,
        )
        for p in range(t.panels)
    ]


def evaluate_root(Search search not None) -> float:
    """`learned_value` of the position that a search holds, in points."""
    return learned_value(&search.searcher, &search.root) / <double>SIXTY_FOURTH
