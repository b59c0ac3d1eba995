"""Files of other people that a script needs: fetched once, kept for this user, and checked.

They lie in $KULAMI_CACHE; if that is not set in kulami_solver/ below $XDG_CACHE_HOME, or ~/.cache.
What has not the checksum that it had when it was chosen is never used.
"""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 120.0  # seconds without a byte


class MissingError(Exception):
    """Something cannot be had; the message says what, and what to do."""


@dataclass(frozen=True)
class Download:
    """A file of other people.

    Attributes:
        what: what it is, for messages.
        url: where it is.
        sha256: its checksum.
        remedy: what to do if it is not there any more.
    """

    what: str
    url: str
    sha256: str
    remedy: str = "look whether this machine reaches it, and start again"

    def fetched(self) -> Path:
        """Return the file, fetched now if it is not there yet.

        Raises:
            MissingError: if it cannot be fetched, or is another one than was chosen.
        """
        path = cache() / "downloads" / self.url.rpartition("/")[2]
        if path.exists() and _checksum(path.read_bytes()) == self.sha256:
            return path
        try:
            with urllib.request.urlopen(self.url, timeout=_PATIENCE) as answer:
                content: bytes = answer.read()
        except (OSError, urllib.error.URLError) as error:
            raise MissingError(
                f"{self.what} cannot be fetched from {self.url} ({error}): {self.remedy}"
            ) from None
        if _checksum(content) != self.sha256:
            raise MissingError(
                f"{self.what} from {self.url} has the checksum {_checksum(content)}, "
                f"not {self.sha256}: {self.remedy}"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name(f"{path.name}.{os.getpid()}")
        written.write_bytes(content)
        written.replace(path)
        return path


def cache() -> Path:
    """The folder in which such files, and what is made of them, are kept."""
    named = os.environ.get("KULAMI_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "kulami_solver"


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
