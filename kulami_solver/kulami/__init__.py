"""The compiled game of Kulami: rules, scoring bounds and the exact search."""

from __future__ import annotations

from ..core.variants import look_in_variant_first

look_in_variant_first(__path__, "kulami")
