"""The choice of a compiled variant: the fastest one that this processor can run.

A wheel for x86-64 has every compiled module twice, from the same C files:

    kulami_solver/core/table.*.so               for any processor that the wheel is for
    kulami_solver/x86_64_v3/core/table.*.so     for those with AVX2, BMI2 and what goes with them

The rooms (sub-packages) core, kulami, malawi and just4fun look for their modules in the chosen
variant's folder first, then in their own. So all modules are of one variant, and the choice never
changes while a search is running. Memory layouts and answers are the same in all variants.

The environment variable KULAMI_VARIANT selects another one of `available()`, for comparisons.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from . import processor

_V2: Final = {"sse3", "ssse3", "sse4_1", "sse4_2", "popcnt"}
_V3: Final = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}
_V4: Final = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

LEVELS: Final = {"x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
"""The levels of x86-64 that can be variants, lowest first, and the features that they need."""

_PACKAGE: Final = os.path.dirname(os.path.dirname(__file__))


def folder_of(level: str) -> str:
    """The folder of a variant."""
    return os.path.join(_PACKAGE, level.replace("-", "_"))


def base() -> str:
    """The name of the variant in the rooms' own folders."""
    return processor.MARCH or "default"


def available() -> tuple[str, ...]:
    """Return the variants that are installed, whether they can run here or not, the base first.

    Example:
        >>> base() in available()
        True
    """
    return (base(), *(level for level in LEVELS if os.path.isdir(folder_of(level))))


def refusal(variant: str) -> str:
    """Return why a variant of `available()` cannot run here; an empty text if it can."""
    # AVX-512 is no requirement of the base: code compiled for a processor with AVX-512 has hardly
    # any of its instructions, and simulators such as valgrind lack them.
    needed = LEVELS.get(variant) or set(processor.NEEDED) - (_V4 - _V3)
    lacking = sorted(needed.difference(processor.features()))
    return f"this processor does not offer {', '.join(lacking)}" if lacking else ""


def chosen_from(variants: tuple[str, ...], wanted: str | None) -> str:
    """Return the variant to run.

    Args:
        variants: those installed, the base first and then from the slowest to the fastest.
        wanted: the value of KULAMI_VARIANT; empty or None to have the fastest that can run.

    Raises:
        ImportError: there is no such variant, or it cannot run here.

    Examples:
        >>> chosen_from(("x86-64-v2",), "x86-64-v3")
        Traceback (most recent call last):
        ...
        ImportError: KULAMI_VARIANT=x86-64-v3: there is no such variant; name x86-64-v2 or unset it
    """
    if wanted:
        if wanted not in variants:
            raise ImportError(
                f"KULAMI_VARIANT={wanted}: there is no such variant; "
                f"name {' or '.join(variants)} or unset it",
                name="kulami_solver",
            )
        reason = refusal(wanted)
        if reason:
            raise ImportError(f"KULAMI_VARIANT={wanted}: {reason}; unset it", name="kulami_solver")
        return wanted
    for variant in reversed(variants):
        reason = refusal(variant)
        if not reason:
            return variant
    raise ImportError(
        f"kulami_solver is compiled for {base()} here, and {reason}: install a wheel that is made "
        "for others too, or compile it on this machine",
        name="kulami_solver",
    )


CHOSEN: Final = chosen_from(available(), os.environ.get("KULAMI_VARIANT"))
"""The variant that this process runs."""


def with_variant_first(path: Sequence[str], room: str) -> list[str]:
    """Return the folders in which a room looks for its modules, in order."""
    return [*([] if base() == CHOSEN else [os.path.join(folder_of(CHOSEN), room)]), *path]
