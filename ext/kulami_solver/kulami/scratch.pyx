"""Memory of searches that are over, kept for the next ones. `scratch.pxd` says what is in it."""

from libc.stdlib cimport calloc, free as release, malloc

from kulami_solver.core.bits cimport fetch_add
from kulami_solver.kulami.rules cimport MAX_FIELDS

cdef enum:
    MOST_LISTS = 25             # pieces with more of them are not kept ...
    MOST_KEPT = 8               # ... nor more pieces than this of a kind: some 14 MiB

# For searches without areas, and with. Any thread takes from them and adds to them: methods of
# lists are done in one piece, also without Python's lock. If threads add at the same time, a few
# more than MOST_KEPT are kept, which does no harm.
cdef tuple kept = ([], [])


cdef class Scratch:
    """Lists of moves, as many as were asked for at most so far, and room for an ending."""

    def __dealloc__(self):
        release(self.moves)
        release(self.panels)
        release(self.mixed)

    cdef int make_lists(self, int wanted) except -1:
        """Have so many lists of moves; what the old ones hold is lost."""
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
        # All of a child is written before it is read, but for this where areas do not count: then
        # it has to be 0, and nobody writes it.
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

    cdef MixedEnding *mixed_ending(self) except NULL:
        """Room for an ending in which areas or chains count."""
        if self.mixed == NULL:
            self.mixed = <MixedEnding *>calloc(1, sizeof(MixedEnding))
            if self.mixed == NULL:
                raise MemoryError("no memory for a search")
        return self.mixed


cdef Scratch take_scratch(bint areas):
    """A piece that is kept, or a new one, for a search in which areas count or do not."""
    cdef Scratch scratch
    try:
        scratch = (<list>kept[areas]).pop()
    except IndexError:
        scratch = Scratch()
        scratch.areas = areas
    scratch.users = 1
    return scratch


cdef int leave_scratch(Scratch scratch) except -1:
    """One of the searches that hold a piece is over; keep it after the last, if it is worth it."""
    cdef list others = kept[scratch.areas]
    # The searches that share a piece may end in different threads.
    cdef bint last = fetch_add(&scratch.users, -1) == 1
    if last and scratch.lists <= MOST_LISTS and len(others) < MOST_KEPT:
        others.append(scratch)
    return 0
