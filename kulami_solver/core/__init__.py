"""Parts, mostly compiled, that know no game: bit tricks and the transposition table."""

from __future__ import annotations

from .variants import with_variant_first

__path__ = with_variant_first(__path__, "core")
