"""FILE.building: the unfinished work of a proof, from which the same call goes on.

The folder is that of `storage.build_folder`. Its files begin with the SHA-256 of the rest:

    choices          the choices found so far; the claims follow from them
    tree             on workers, the claims that the tree of the solve leaves to be proved
    part-...         on workers, a part that is proved
    answers.jsonl    on workers, the journal of the solve
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from ...core.closing import Closing
from ...core.files import write_atomically
from ...storage.build_folder import BuildFolder

_Content = TypeVar("_Content")


class ProofWork(Closing):
    """The folder, which nobody else uses meanwhile.

    Args:
        path: of the proof.
        about: everything that the proof depends on.

    Attributes:
        journal: the path of the journal of the solve.

    Raises:
        DatabaseError: if the folder holds other work, or another process is working in it.
        OSError: if the folder cannot be made.
    """

    def __init__(self, path: str, about: list[str]) -> None:
        self._folder: Final = BuildFolder(
            Path(os.path.realpath(path) if os.path.isfile(path) else path), {"proof": about}
        )
        self._folder.open(force=None)
        self.journal: Final = self._folder.path / "answers.jsonl"

    def load(self, name: str, kind: type[_Content]) -> _Content | None:
        """Return what was kept under a name; None if it is missing or damaged."""
        try:
            content = (self._folder.path / name).read_bytes()
        except FileNotFoundError:
            return None
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            return None
        return msgspec.msgpack.decode(content[32:], type=kind)

    def keep(self, name: str, what: object) -> None:
        """Keep something in place of what has been kept under that name."""
        content = msgspec.msgpack.encode(what)
        write_atomically(self._folder.path / name, [hashlib.sha256(content).digest(), content])

    def close(self) -> None:
        """Release the folder; it stays with its work, or goes if there is none."""
        self._folder.leave()

    def clear(self) -> None:
        """Remove the folder."""
        self._folder.clear()
