"""Files of other people: kept, checked, and asked for in one sentence when they are missing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from downloads import Download, MissingError, cache

pytestmark = pytest.mark.sources


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file to fetch; what is fetched is kept beside it."""
    monkeypatch.setenv("KULAMI_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "thing-1.0.tgz"
    path.write_bytes(b"thing")
    return path


def download(path: Path, content: bytes = b"thing") -> Download:
    """What is to be fetched: a file with this content."""
    return Download("a thing", path.as_uri(), hashlib.sha256(content).hexdigest(), "ask for it")


def test_a_file_is_fetched_once(source: Path) -> None:
    kept = download(source).fetched()
    assert kept == cache() / "downloads" / "thing-1.0.tgz"
    source.unlink()
    assert download(source).fetched().read_bytes() == b"thing"


def test_what_has_been_spoilt_is_fetched_again(source: Path) -> None:
    download(source).fetched().write_bytes(b"spoilt")
    assert download(source).fetched().read_bytes() == b"thing"


def test_another_file_than_was_chosen_is_never_kept(source: Path) -> None:
    with pytest.raises(MissingError, match=r"a thing from .* has the checksum .*: ask for it"):
        download(source, b"another thing").fetched()
    assert not (cache() / "downloads" / source.name).exists()


def test_a_file_that_is_not_there(source: Path) -> None:
    source.unlink()
    with pytest.raises(MissingError, match=r"a thing cannot be fetched from .*: ask for it"):
        download(source).fetched()
