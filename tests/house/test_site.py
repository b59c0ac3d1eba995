"""The site of the documentation: it is built without a warning, and holds together.

Building it takes 20 seconds of a processor. One test does, so that it is built once.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from public_modules import MODULES

# docs/training.md describes the environments of other frameworks.
PUBLIC = [name for name in MODULES if not name.endswith((".openspiel", ".pettingzoo"))]


class Page(HTMLParser):
    """What a page of the site has: places to link to, links, and text for people."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.text: list[str] = []
        self._silent = 0
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
        self._silent += tag in ("code", "pre", "script", "style", "title")

    def handle_endtag(self, tag: str) -> None:
        """Note where code ends."""
        self._silent -= tag in ("code", "pre", "script", "style", "title")

    def handle_data(self, data: str) -> None:
        """Keep text that is not code."""
        if not self._silent:
            self.text.append(data)


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
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "docs", tmp_path],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    pages = {path: Page(path) for path in tmp_path.rglob("*.html")}
    assert len(pages) > 30
    assert list(broken_links(tmp_path, pages)) == []
    assert list(what_is_asked_of_others(pages)) == []
    assert list(markup_left_over(pages)) == []
    assert list(undocumented(pages)) == []
    assert list(commands_left_out(pages[tmp_path / "reference" / "commands.html"])) == []
    assert list(words_not_found(tmp_path, pages)) == []
    boards = (tmp_path / "reference" / "boards.html").read_text(encoding="utf-8")
    assert boards.count("<svg") >= 20
    assert ">chen-patrick<" in boards
    notebook = (tmp_path / "notebook.html").read_text(encoding="utf-8")
    assert notebook.count("<svg") >= 10


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


def words_not_found(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """What people look for (`search_words` of conf.py) and the search would not put first."""
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    for word in ("regret", "tournament", "c++", "torch", "cite", "resign", "benchmark", "endgame"):
        ((number, name, main), *_) = found["indexentries"].get(word, [(0, "", False)])
        page = pages[site / f"{found['docnames'][number]}.html"]
        if not main or name not in page.places:
            yield word


def what_is_asked_of_others(pages: dict[Path, Page]) -> Iterator[str]:
    """Files that a page would have from another host."""
    for path, page in pages.items():
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{path.name}: {address}"


def markup_left_over(pages: dict[Path, Page]) -> Iterator[str]:
    """Texts in which a mark of reStructuredText or Markdown is to be seen."""
    for path, page in pages.items():
        for text in page.text:
            marked = "`" in text or "](" in text or "**" in text
            if marked and text.strip() != "**":  # which stands before keyword arguments
                yield f"{path.name}: {text.strip()}"


def undocumented(pages: dict[Path, Page]) -> Iterator[str]:
    """Public names without a place in the reference."""
    places = set[str]().union(*(page.places for page in pages.values()))
    for name in PUBLIC:
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            found = getattr(module, public)
            homes = {name, getattr(found, "__module__", name), "kulami_solver"}
            documented = places & {f"{home}.{public}" for home in homes}
            if not documented and not public.startswith("_") and public != "quoted":
                yield f"{name}.{public}"


def commands_left_out(page: Page) -> Iterator[str]:
    """Commands without a section."""
    from kulami_solver.cli import build_parser

    (commands,) = (a for a in build_parser()._actions if isinstance(a.choices, dict))
    assert isinstance(commands.choices, dict)
    for name in commands.choices:
        if f"kulami-{name}" not in page.places and name not in ("malawi", "just4fun"):
            yield name
