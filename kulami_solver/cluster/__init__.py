"""More than one machine: work handed to the workers of a dask.distributed cluster.

    connect     the way in: an Executor from a scheduler's address
    executor    that Executor: names its tasks, lets go of them early, says what has gone wrong
    survey      before work begins: can every worker do it?
    workers     what is done on the workers themselves

    kulami      the way to the tree of one hard position (`kulami_solver/kulami/tree`)

Nothing in the first four knows a game, and nothing here searches one. The rest of the package knows
of clusters only what `core/tasks.py` asks of any Executor. dask.distributed, the `cluster` extra,
is imported by `connect` alone, and by what runs on workers.

>>> from kulami_solver import cluster
>>> cluster.connect("127.0.0.1:8786")
Traceback (most recent call last):
...
kulami_solver.errors.ClusterError: '127.0.0.1:8786' is no address of a scheduler: give one like \
tcp://127.0.0.1:8786, or tls://HOST:PORT
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import imported_when_used
from ..errors import ClusterError
from .executor import Cluster, connect

if TYPE_CHECKING:
    from .kulami import TreeProgress, solve_position

__all__ = ["Cluster", "ClusterError", "TreeProgress", "connect", "solve_position"]

__getattr__ = imported_when_used(__name__, {"kulami": ("TreeProgress", "solve_position")})
