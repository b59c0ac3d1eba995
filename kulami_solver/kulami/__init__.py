"""The compiled game of Kulami: rules, scoring bounds and the exact search."""

from __future__ import annotations

from ..core.variants import with_variant_first

__path__ = with_variant_first(__path__, "kulami")
