"""The site of the documentation: it is built without a warning, and holds together.

Building it takes 20 seconds of a processor. One test does, so that it is built once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from command_line import completed
from public_modules import MODULES

# docs/training.md describes the environments of other frameworks.
PUBLIC = [name for name in MODULES if not name.endswith((".openspiel", ".pettingzoo"))]


class Page(HTMLParser):
    """What a page of the site has: places to link to, and links."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element is, or leads to."""
        had = {name: value or "" for name, value in attrs}
        self.places |= {had[name] for name in ("id", "name") if name in had}
        if tag == "a" and "href" in had:
            self.links.append(had["href"])
        elif tag == "link" and had.get("rel") == "stylesheet":
            self.loaded.append(had["href"])
        elif "src" in had:
            self.loaded.append(had["src"])


def test_the_reference_has_each_public_module(repository: Path) -> None:
    pages = (repository / "docs" / "reference").glob("*.rst")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    found = set(re.findall(r"^\.\. (?:auto)?module:: (\S+)$", text, re.MULTILINE))
    assert {*PUBLIC} - found == set()


@pytest.mark.landing
def test_the_site(repository: Path, tmp_path: Path) -> None:
    pytest.importorskip("furo", reason="the docs extra is not installed: pip install '.[docs]'")
    # To list every name beside its page as well takes a fifth of the time, and can break nothing.
    options = ["-q", "-W", "--keep-going", "-D", "toc_object_entries=0"]
    done = completed([sys.executable, "-m", "sphinx", *options, "docs", tmp_path], cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
    pages = {path: Page(path) for path in tmp_path.rglob("*.html")}
    assert len(pages) > 30
    assert list(broken_links(tmp_path, pages)) == []
    assert list(what_is_asked_of_others(pages)) == []


def broken_links(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Links inside the site that lead nowhere, places on pages included."""
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.is_relative_to(site.resolve()) or not target.is_file():
                yield f"{path.relative_to(site)}: {link}"
            elif place and target in pages and place not in pages[target].places:
                yield f"{path.relative_to(site)}: {link} (no such place)"


def what_is_asked_of_others(pages: dict[Path, Page]) -> Iterator[str]:
    """Files that a page would have from another host."""
    for path, page in pages.items():
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{path.name}: {address}"
