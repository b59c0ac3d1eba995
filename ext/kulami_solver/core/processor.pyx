"""This processor's name and features, and the way the package was compiled.

Only this module is compiled for any processor of its kind: it tells whether the other modules,
which setup.py compiles for a certain one, can run here. setup.py passes it the options of that
compilation.
"""

from libc.stdint cimport uint32_t

from kulami_solver.core.bits cimport cpuid, xgetbv

cdef extern from *:
    """
    #ifndef KULAMI_NEEDED
    #define KULAMI_NEEDED ""
    #endif
    #define KULAMI_TEXT_OF(number) #number
    #define KULAMI_TEXT(number) KULAMI_TEXT_OF(number)
    #if defined(__clang__)
      #define KULAMI_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
      #define KULAMI_COMPILER "gcc " __VERSION__
    #elif defined(_MSC_FULL_VER)
      #define KULAMI_COMPILER "MSVC " KULAMI_TEXT(_MSC_FULL_VER)
    #endif
    """
    const char *KULAMI_NEEDED
    const char *KULAMI_COMPILER

COMPILER = KULAMI_COMPILER.decode()
"""The compiler and its version."""

# The leaves of cpuid that list features
_BASIC = 1
_STRUCTURED = 7
_EXTENDED = 0x80000001

cdef enum:
    # Registers that hold the answers of cpuid
    EBX = 1
    ECX = 2
    SYSTEM_SAVES = 1 << 27              # in ECX of the basic leaf: xgetbv can be used
    # Registers that the system has to keep when it changes threads, as bits of xgetbv
    GENERAL = 0
    YMM = 0x06
    ZMM = 0xE6

# Name, leaf, register, bit, and the registers that the feature uses
_FEATURES = (
    ("sse3", _BASIC, ECX, 0, GENERAL),
    ("ssse3", _BASIC, ECX, 9, GENERAL),
    ("sse4_1", _BASIC, ECX, 19, GENERAL),
    ("sse4_2", _BASIC, ECX, 20, GENERAL),
    ("popcnt", _BASIC, ECX, 23, GENERAL),
    ("movbe", _BASIC, ECX, 22, GENERAL),
    ("lzcnt", _EXTENDED, ECX, 5, GENERAL),
    ("bmi", _STRUCTURED, EBX, 3, GENERAL),
    ("bmi2", _STRUCTURED, EBX, 8, GENERAL),
    ("avx", _BASIC, ECX, 28, YMM),
    ("f16c", _BASIC, ECX, 29, YMM),
    ("fma", _BASIC, ECX, 12, YMM),
    ("avx2", _STRUCTURED, EBX, 5, YMM),
    ("avx512f", _STRUCTURED, EBX, 16, ZMM),
    ("avx512dq", _STRUCTURED, EBX, 17, ZMM),
    ("avx512cd", _STRUCTURED, EBX, 28, ZMM),
    ("avx512bw", _STRUCTURED, EBX, 30, ZMM),
    ("avx512vl", _STRUCTURED, EBX, 31, ZMM),
)

NEEDED = tuple(KULAMI_NEEDED.decode().split())
"""Those of `features` that the package's other modules may use."""


def features() -> tuple[str, ...]:
    """Return the features that the processor has and the system lets programs use.

    They have gcc's names. Only those x86 features are tested that distinguish the levels x86-64-v2
    to x86-64-v4; other processors have none of them.

    Example:
        >>> set(features()) >= set(NEEDED)
        True
    """
    cdef uint32_t[4] said
    cdef uint32_t kept = 0
    cpuid(_BASIC, 0, said)
    if said[ECX] & SYSTEM_SAVES:
        kept = xgetbv()
    found = []
    for name, leaf, register, bit, registers in _FEATURES:
        cpuid(leaf, 0, said)
        if said[<int>register] >> <int>bit & 1 and kept & <uint32_t>registers == registers:
            found.append(name)
    return tuple(found)


def name() -> str:
    """Return the processor's own name; empty if it gives none, as on all but x86."""
    cdef uint32_t[12] said
    cdef int i
    for i in range(3):
        cpuid(<uint32_t>0x80000002 + i, 0, said + 4 * i)    # 16 characters each
    text = bytes((<unsigned char *>said)[:sizeof(said)])
    return " ".join(text.partition(b"\0")[0].decode("ascii", "replace").split())
