"""More than one machine: work handed to the workers of a dask.distributed cluster.

    executor    `connect` makes an Executor from a scheduler's address; it names its tasks, forgets
                them early, explains failures, and tells of a scheduler or worker that is silent
    workers     the part that runs on the workers; the check that every worker can do some work

Both know no game; the tree search of one hard position is `kulami_solver/kulami/workers`. The
rest of the package knows of clusters only what `core/tasks.py` asks of any Executor. Only `connect`
and the code on workers import dask.distributed, the `cluster` extra.

>>> from kulami_solver import cluster
>>> cluster.connect("127.0.0.1:8786")
Traceback (most recent call last):
...
kulami_solver.errors.ClusterError: '127.0.0.1:8786' is no address of a scheduler: give one like \
tcp://127.0.0.1:8786, or tls://HOST:PORT
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import imported_when_used
from ..errors import ClusterError as ClusterError
from .executor import Cluster as Cluster
from .executor import connect

if TYPE_CHECKING:
    from ..kulami.workers import TreeProgress as TreeProgress
    from ..kulami.workers import solve_position

__all__ = ["connect", "solve_position"]

__getattr__ = imported_when_used(__name__, {".kulami.workers": ("TreeProgress", "solve_position")})
