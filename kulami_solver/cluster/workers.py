"""The part that runs on a worker: its tasks, and the check whether it can do them."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from ..core.tasks import while_wanted
from ..core.version import __version__
from ..errors import ClusterError

_PACKAGE: Final = Path(os.path.abspath(__file__)).parent.parent
_CODE: Final = (".py", ".so", ".pyd")


@functools.cache
def code_here() -> str:
    """Return the package's version and a digest of its code, Python and compiled, as it is here."""
    digest = hashlib.sha256()
    for path in sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _CODE):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{__version__} {digest.hexdigest()[:16]}"


def run_task(work: bytes, code: str) -> Any:
    """Do a task.

    Args:
        work: a function, its arguments and its keyword arguments, pickled.
        code: `code_here` of the process that gives the task.

    Raises:
        ClusterError: if this worker has other code: it has come after the others were checked.
    """
    from distributed import get_worker

    worker = get_worker()
    if lack := lacking(code, ()):
        raise ClusterError(f"worker {worker.address} {lack}")
    key = worker.get_current_task()
    dropped = False

    def wanted() -> bool:
        nonlocal dropped
        task = worker.state.tasks.get(key)
        dropped = dropped or task is None or task.state not in ("executing", "long-running")
        return not dropped

    function, arguments, named = pickle.loads(work)
    with while_wanted(wanted):
        result = function(*arguments, **named)
    if dropped:  # the function may have ended early: that is no result
        raise ClusterError(f"worker {worker.address} was told that a task was not wanted any more")
    return result


def lacking(
    code: str,
    sizes: Sequence[tuple[str, int]],
    alike: Callable[[], object] | None = None,
    wanted: object = None,
    thing: str = "",
) -> str:
    """Return what keeps this worker from some work, and the remedy; an empty text if nothing does.

    Args:
        code: `code_here` of the process that gives the work.
        sizes: files that must be seen here, with their sizes.
        alike: a function that must return `wanted` here, or None.
        thing: what that function looks at.
    """
    if code_here() != code:
        return (
            f"has other code of kulami_solver ({code_here()} in {_PACKAGE}) than there is here "
            f"({code}): install the same there, compiled alike, a source tree by pip install -e, "
            "and start it again"
        )
    for path, size in sizes:
        if not os.path.exists(path) or os.path.getsize(path) != size:
            return (
                f"does not see {path} as it is here: the folder has to be the same one, under the "
                "same name, on all machines"
            )
    if alike is not None and alike() != wanted:
        return (
            f"has another {thing} than there is here: start it in a folder where it finds the same "
            "files"
        )
    return ""
