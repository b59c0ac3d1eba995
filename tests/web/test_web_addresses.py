"""The page names its files and questions relative to itself, so that it works below any path."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from kulami_solver.web.files import static_files
from kulami_solver.web.places import pages

#: What begins at the root of the host: in an attribute, an import, a request or a style sheet.
ROOTED = re.compile(r"""(?:href=|src=|href: |src: |from |import\(|fetch\(|url\()["'`]?/\S*""")


def test_no_file_of_the_page_names_an_address_from_the_root_of_its_host() -> None:
    files = static_files(pages())
    assert any(ROOTED.search(text) for text in ('<a href="/static/x">', "fetch(`/api/x`)"))
    found = {
        name: rooted
        for name, file in files.items()
        if name.endswith((".html", ".js", ".css"))
        and (rooted := ROOTED.findall(file.content.decode()))
    }
    assert found == {}


def test_questions_are_asked_by_one_module() -> None:
    asking = [
        name
        for name, file in static_files(pages()).items()
        if re.search(r"fetch\((?!new URL\()", file.content.decode())
    ]
    assert asking == []
