# Objects that serve one thread at a time
#
#     busy     0   no thread is using the object
#              1   a thread is using it, whether or not it holds Python's lock
#
# Python's lock does not stop two threads from using one object: a thread releases it for long work,
# and a free-threaded Python has none. So a thread that has to be alone takes the object first. A
# second thread gets an error instead of memory that changes while it works. The next thread that
# takes the object sees everything that this one has written.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport release_store, take


cdef inline int begin_alone(uint64_t *busy) except -1:
    """Keep other threads out until `end_alone`; raise a RuntimeError if one is at work."""
    if take(busy):
        raise RuntimeError(
            "another thread is searching with this object: make one for each thread"
        )
    return 0


cdef inline void end_alone(uint64_t *busy) noexcept nogil:
    release_store(busy, 0)
