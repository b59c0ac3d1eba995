# Objects that serve one thread at a time
#
#     busy     0   nobody is at work with the object
#              1   a thread is, whether or not it holds Python's lock
#
# Python's lock does not keep two threads out of one object: it is given up while there is work to
# do, and a free-threaded Python has none. So a thread that has to be alone takes the object first.
# A second thread gets an error instead of memory that changes under it. The thread that takes the
# object next sees all that the one before has written.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport release_store, take


cdef inline int begin_alone(uint64_t *busy) except -1:
    """Keep other threads out until `end_alone`; raises a RuntimeError if one is at work."""
    if take(busy):
        raise RuntimeError(
            "another thread is searching with this object: make one for each thread"
        )
    return 0


cdef inline void end_alone(uint64_t *busy) noexcept nogil:
    release_store(busy, 0)
