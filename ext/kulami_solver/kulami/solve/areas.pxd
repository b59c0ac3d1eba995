# The largest area of one colour: how large it is, and how large it can still become
#
# The marbles of a colour form components, connected by their sides. The future depends on two
# properties of a component:
#
#     size      the number of its marbles
#     around    the fields beside them, of any kind. The live ones, which play can still reach,
#               are its border
#
# A marble on field x and all components with x around them become one component. So the list is
# updated move by move, without another look at the board. A component without a border is closed:
# it cannot change any more, and only the largest closed one matters. Components of equal size and
# border are interchangeable. So are positions with the same multiset of such components, and with
# the same largest closed size if that is larger than all the open ones.
#
# Bound. Let the final largest area A be larger than the present one. Take a spanning tree of A from
# its largest old component: every other old component in A is tied to a new marble beside it. So A
# has at most
#
#     size of that component  +  sum over new marbles x of  share(x)
#     share(x) = 1 + sizes of the components with x around them
#
# marbles. No share needs to count the largest of all open components: if it is in A, it is the
# root, and if not, it is tied to nothing. With n marbles to come, A has at most
# largest + the n largest shares.

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from kulami_solver.core.bits cimport high_product, lowest
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, Tables

cdef enum:
    MAX_COMPONENTS = 32                  # marbles of a colour on 64 fields, no two side by side

cdef struct Areas:
    uint64_t around[MAX_COMPONENTS]      # of the open components
    uint8_t size[MAX_COMPONENTS]
    uint8_t components              # number of open components
    uint8_t closed                  # size of the largest closed one
    uint8_t now                     # size of the largest area


cdef inline void copy_areas(const Areas *source, Areas *copy) noexcept nogil:
    cdef int i
    copy.components = source.components
    copy.closed = source.closed
    copy.now = source.now
    for i in range(source.components):
        copy.around[i] = source.around[i]
        copy.size[i] = source.size[i]


cdef inline void place_in_areas(const Tables *t, Areas *a, int field) noexcept nogil:
    """One more marble of this colour."""
    cdef uint64_t around = t.beside[field]
    cdef int size = 1
    cdef int kept = 0
    cdef int i
    for i in range(a.components):
        if a.around[i] >> field & 1:
            around |= a.around[i]
            size += a.size[i]
        else:
            a.around[kept] = a.around[i]
            a.size[kept] = a.size[i]
            kept += 1
    a.around[kept] = around
    a.size[kept] = size
    a.components = kept + 1
    a.now = max(<int>a.now, size)


cdef inline void begin_areas(const Tables *t, Areas *a, uint64_t marbles) noexcept nogil:
    a.components = a.closed = a.now = 0
    while marbles:
        place_in_areas(t, a, lowest(marbles))
        marbles &= marbles - 1


cdef inline int area_gain(const Areas *a, int field) noexcept nogil:
    """By how much one marble on `field` would enlarge the largest area."""
    cdef int size = 1
    cdef int i
    for i in range(a.components):
        size += a.size[i] & -<int>(a.around[i] >> field & 1)
    return max(0, size - <int>a.now)


cdef inline int area_ceiling(Areas *a, uint64_t live, int marbles) noexcept nogil:
    """Put closed components aside; return the most that the largest area can become."""
    cdef uint8_t share[MAX_FIELDS]
    cdef uint8_t fields_with[MAX_FIELDS + 1]
    cdef uint64_t border
    cdef int kept = 0, largest = 0, root = 0, i, total
    for i in range(a.components):
        if not (a.around[i] & live):
            a.closed = max(<int>a.closed, <int>a.size[i])
            continue
        a.around[kept] = a.around[i]
        a.size[kept] = a.size[i]
        if a.size[i] > largest:
            largest = a.size[i]
            root = kept
        kept += 1
    a.components = kept
    if marbles == 0:
        return a.now
    memset(share, 1, sizeof(share))
    for i in range(kept):
        if i == root:
            continue
        border = a.around[i] & live
        while border:
            share[lowest(border)] += a.size[i]
            border &= border - 1
    memset(fields_with, 0, sizeof(fields_with))
    i = 0
    border = live
    while border:
        total = share[lowest(border)]
        border &= border - 1
        fields_with[total] += 1
        i = max(i, total)
    total = largest
    while i > 0 and marbles > 0:
        kept = min(marbles, <int>fields_with[i])
        total += kept * i
        marbles -= kept
        i -= 1
    return max(<int>a.now, total)


cdef inline void hash_areas(
    const Areas *a, uint64_t live, uint64_t salt, uint64_t *index, uint64_t *signature
) noexcept nogil:
    """Add the hash of the open components, in any order, and of a larger closed one, if any.

    Each component's border and size go through two multiplications to 128 bits. The second one
    is a square, so sums over different multisets are equal only by chance, 2^-64.
    """
    cdef uint64_t x, low, high
    cdef int largest = 0
    cdef int i
    for i in range(a.components + 1):
        if i < a.components:
            largest = max(largest, <int>a.size[i])
            x = (a.around[i] & live) ^ salt
            high = <uint64_t>0x9E3779B97F4A7C15 * (2 * a.size[i] + 1)
        elif a.closed > largest:
            x = salt
            high = <uint64_t>0xD6E8FEB86659FD93 * (2 * a.closed + 1)
        else:
            break
        low = x * high
        x = high_product(x, high) ^ low ^ high
        x += x << 21 | 1
        low = x * x
        high = high_product(x, x)
        index[0] += low ^ (high >> 17)
        signature[0] += high + (low ^ (low >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
