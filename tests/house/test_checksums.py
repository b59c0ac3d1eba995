"""data/README.md names the SHA-256 of each file of data."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path


def test_every_file_has_the_checksum_that_the_page_says(repository: Path) -> None:
    folder = repository / "data"
    page = (folder / "README.md").read_text(encoding="utf-8")
    said = {name: digest for digest, name in re.findall(r"^([0-9a-f]{64})  (\S+)$", page, re.M)}
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "README.md"]
    assert said == {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
