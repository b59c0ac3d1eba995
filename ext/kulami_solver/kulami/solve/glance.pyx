"""A tree's view of a position, and a quick estimate of its value: see `glance.pxd`."""

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport popcount
from kulami_solver.kulami.position.rules cimport Geometry
from kulami_solver.kulami.solve.weights cimport SIXTY_FOURTH, LearnedEvaluation


cdef class Viewing:
    """The tables for looking at positions of a layout, at one scoring.

    Args:
        geometry: the layout's tables.
        evaluation: its weights.
        areas, chains: whether areas and chains count.
    """

    def __cinit__(
        self, Geometry geometry not None, LearnedEvaluation evaluation not None, bint areas,
        bint chains
    ):
        self.geometry = geometry
        self.evaluation = evaluation
        self.viewer.rules = &geometry.tables
        self.viewer.evaluation = &evaluation.tables
        self.viewer.areas = areas
        self.viewer.chains = chains

    cdef int begin(
        self, Glance *g, Windows *windows, uint64_t own, uint64_t other, int last, int before,
        int supply
    ) except -1:
        """Set up a position.

        Raises:
            ValueError: there is no such position.
        """
        self.geometry.check_marbles(own, other)
        begin_glance(
            &self.viewer, g, windows, own, other, self.geometry.checked(last),
            self.geometry.checked(before), supply
        )
        return 0

    def features(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]:
        """The features of a position whose game is not over; arguments as for the exact search.

        Returns:
            Plies to come, replies, fields of the second ply, and the terms of areas and chains;
            then for each panel: size, free fields, difference, and whether each side can play there
            next.
        """
        cdef const Viewer *v = &self.viewer
        cdef Glance g
        cdef Windows windows[2]
        cdef int terms[GLANCE_TERMS]
        cdef uint64_t second
        cdef int i
        self.begin(&g, windows, own, other, last, before, supply)
        second = second_of(v, &g)
        for i in range(GLANCE_TERMS):
            terms[i] = 0
        if v.areas:
            describe_areas(v, &g, second, terms)
        if v.chains:
            describe_chains(v, &g, &windows[0], &windows[1], second, terms + AREA_TERMS)
        numbers = [plies_of(v, &g), popcount(g.legal), popcount(second)]
        return numbers + [terms[i] for i in range(GLANCE_TERMS)], [
            (
                v.rules.size[i], popcount(free_of(v, &g) & v.rules.panel[i]), g.lead[i],
                (g.legal & v.rules.panel[i]) != 0, (second & v.rules.panel[i]) != 0,
            )
            for i in range(v.rules.panels)
        ]

    def value(self, uint64_t own, uint64_t other, int last, int before, int supply) -> float:
        """The estimated value of a position in points; the margin if its game is over."""
        cdef Glance g
        cdef Windows windows[2]
        self.begin(&g, windows, own, other, last, before, supply)
        if not g.legal:
            return present_margin(&self.viewer, &g, windows)
        return glance_value(&self.viewer, &g, windows) / <double>SIXTY_FOURTH
