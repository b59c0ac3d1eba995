"""Words that people look for lead to the right place: `search_words` of conf.py names it.

The search of the site looks in texts and titles, where a word may be missing (*tablebase*), be on
every page (*benchmark*), or be more than letters (*C++*). A word with an entry in the index is
found first.
"""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


def add_entries(app: Sphinx, doctree: nodes.document) -> None:
    """Put an entry of the index where each word of this page leads."""
    sections = {name: one for one in doctree.findall(nodes.section) for name in one["ids"]}
    words: dict[str, str] = app.config.search_words
    for word, place in words.items():
        page, _, name = place.partition("#")
        if page != app.env.docname:
            continue
        if name not in sections:
            raise ValueError(f"search_words of conf.py: {word}: there is no {place}")
        sections[name].insert(1, addnodes.index(entries=[("single", word, name, "main", None)]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen for pages that are read."""
    app.add_config_value("search_words", {}, "env")
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
