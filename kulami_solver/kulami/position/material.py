"""The contents of the box, and how they are written: panels and the characters that name them."""

from __future__ import annotations

from typing import Final

MAX_FIELDS: Final = 64
"""The most fields a layout may have."""

NO_FIELD: Final = "."
"""Stands in a layout's text for a square that is no field."""

PANEL_NAMES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
"""The characters that may name a panel."""

STANDARD_PANELS: Final = {(2, 3): 4, (2, 2): 5, (1, 3): 4, (1, 2): 4}
"""How many panels of each size, shorter side first, are in the box."""
