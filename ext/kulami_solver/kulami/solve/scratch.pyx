"""Memory of ended searches, kept for the next ones. Its parts: `scratch.pxd`."""

from libc.stdlib cimport calloc, free as release, malloc

from kulami_solver.kulami.position.rules cimport MAX_FIELDS

cdef enum:
    MOST_LISTS = 25             # pieces with more of them are not kept ...
    MOST_KEPT = 8               # ... nor more pieces than this of a kind: some 14 MiB

# For searches without areas, and with. Any thread takes from them and adds to them: methods of
# lists are atomic, also without Python's lock. If threads add at the same time, a few more than
# MOST_KEPT are kept, which does no harm.
cdef tuple kept = ([], [])


cdef class Scratch:
    """Lists of moves, as many as any search has needed so far, and room for an ending."""

    def __dealloc__(self):
        release(self.moves)
        release(self.panels)
        release(self.mixed)

    cdef int make_lists(self, int wanted) except -1:
        """Make room for the wanted number of lists; the old lists' contents are lost."""
        cdef int i, j
        if wanted <= self.lists:
            return 0
        release(self.moves)
        self.lists = 0
        wanted = max(wanted, <int>MOST_LISTS)
        self.moves = <MoveList *>malloc(wanted * sizeof(MoveList))
        if self.moves == NULL:
            raise MemoryError("no memory for a search")
        self.lists = wanted
        # A child is written in full before it is read, except this field where areas do not count:
        # there it has to be 0, and nobody writes it.
        for i in range(wanted):
            for j in range(MAX_FIELDS):
                self.moves[i].child[j].open_areas = 0
        return 0

    cdef PanelEndings *panel_endings(self) except NULL:
        """Room for endings in which only panels count."""
        if self.panels == NULL:
            self.panels = <PanelEndings *>calloc(1, sizeof(PanelEndings))
            if self.panels == NULL:
                raise MemoryError("no memory for a search")
        return self.panels

    cdef MixedEndings *mixed_endings(self) except NULL:
        """Room for endings in which areas or chains count."""
        if self.mixed == NULL:
            self.mixed = <MixedEndings *>calloc(1, sizeof(MixedEndings))
            if self.mixed == NULL:
                raise MemoryError("no memory for a search")
        return self.mixed


cdef Scratch take_scratch(bint areas):
    """Take a kept piece, or make a new one, for a search with or without areas."""
    cdef Scratch scratch
    try:
        scratch = (<list>kept[areas]).pop()
    except IndexError:
        scratch = Scratch()
        scratch.areas = areas
    return scratch


cdef int leave_scratch(Scratch scratch) except -1:
    """Give a piece back after a search: it is kept if it is small and few are kept."""
    cdef list others = kept[scratch.areas]
    if scratch.lists <= MOST_LISTS and len(others) < MOST_KEPT:
        others.append(scratch)
    return 0
