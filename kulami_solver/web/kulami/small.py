"""The small boards whose values come with the package."""

from __future__ import annotations

import csv
import functools
from typing import Any, Final

from ...bots.kulami.suite import shipped
from ...errors import KulamiError

_SMALL_BOARDS: Final = "small-boards.csv"


@functools.lru_cache(maxsize=1)
def small_boards() -> list[dict[str, Any]]:
    """Return the small layouts, each with its value to the side that begins, by scoring.

    Raises:
        KulamiError: if the table did not come with this installation.

    Examples:
        >>> small_boards()[0]
        {'layout': 'AAA/AAA/BBB', 'values': {'0': 3, '1': 3, '2': 3, 'chains': 3}}
    """
    table = shipped(_SMALL_BOARDS)
    if table is None:
        raise KulamiError("no_small_boards", file=_SMALL_BOARDS)
    found: dict[str, dict[str, int]] = {}
    with open(table, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["layout"], {})[row["scoring"]] = int(row["value"])
    return [{"layout": layout, "values": values} for layout, values in found.items()]
