"""Links out of docs/: to files of the repository that are pages of the site as well.

Documents are read in the repository too, where `[data](../data/README.md#small-boards-solved)` is
right. `outside_pages` of conf.py says which page of the site stands for such a file; here links are
turned that way before a page is parsed.
"""

from __future__ import annotations

import re
from os.path import normpath, relpath
from pathlib import PurePosixPath

from sphinx.application import Sphinx

_LINK = re.compile(r"(?<=\]\()(\.\.?/[^)#\s]*)(?=[)#])")


def turn_links(app: Sphinx, page: str, source: list[str]) -> None:
    """Turn links of a page that lead out of docs/ to the pages that stand for their targets."""
    folder = PurePosixPath(page).parent

    def turned(found: re.Match[str]) -> str:
        target = normpath(folder / found[1])
        pages: dict[str, str] = app.config.outside_pages
        return relpath(pages[target], folder) if target in pages else found[1]

    source[0] = _LINK.sub(turned, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen for pages that are read."""
    app.add_config_value("outside_pages", {}, "env")
    app.connect("source-read", turn_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
