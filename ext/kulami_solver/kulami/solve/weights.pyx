"""The weights of the learned evaluation, arranged for a layout."""

from libc.stdlib cimport calloc, free as release


cdef class Weights:
    """Weights for layouts whose panels have these sizes, at one scoring.

    Args:
        sizes: of the panels, each once.
        phases: for each `PHASE_PLIES` plies to come, from 0 on, a mapping: `panels` from a size to
            the three weights of each state (live fields 0 .. size, difference from the least to
            the most), and `replies`, `parity`, `second` and `terms`. Larger numbers of plies use
            the weights of the last phase.
    """

    def __cinit__(self, sizes, phases):
        cdef PanelWeight *weight
        cdef int k, i
        self.start = {}
        for size in sorted(sizes):
            self.start[size] = self.states + size
            self.states += (size + 1) * (2 * size + 1)
        self.panels = <PanelWeight *>calloc(PHASES * self.states, sizeof(PanelWeight))
        if self.panels == NULL:
            raise MemoryError("no memory for the weights of an evaluation")
        for k in range(PHASES):
            phase = phases[min(k, len(phases) - 1)]
            self.phase[k].panels = self.panels + k * self.states
            for i in range(REPLIES):
                self.phase[k].replies[i] = phase["replies"][i]
            for i in range(2):
                self.phase[k].parity[i] = phase["parity"][i]
            self.phase[k].second = phase["second"]
            for i in range(len(phase["terms"])):
                self.phase[k].terms[i] = phase["terms"][i]
            for size, first in self.start.items():
                states = iter(phase["panels"][size])
                for free in range(size + 1):
                    for difference in range(free - size, size - free + 1):
                        weight = &self.panels[
                            k * self.states + <int>(first + free * (2 * size + 1) + difference)
                        ]
                        weight.standing, weight.now, weight.later = next(states)

    def __dealloc__(self):
        release(self.panels)


cdef class LearnedEvaluation:
    """The evaluation for a layout: all weights, and the place of each panel's weights."""

    def __cinit__(self, Geometry geometry not None, Weights weights not None):
        cdef int p
        self.weights = weights
        for p in range(PHASES):
            self.tables.phase[p] = weights.phase[p]
        for p in range(geometry.tables.panels):
            self.tables.start[p] = weights.start[<int>geometry.tables.size[p]]
