"""An Executor over the workers of a dask.distributed cluster.

It is distributed's own, `Client.get_executor`, behind one that names its tasks, so that the
dashboard can be read; takes any arguments by name; lets the cluster forget each task as soon as its
result is here, since a remembered task is done again if its worker dies; and says in a sentence
that a cluster is gone.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import itertools
import os
import re
import secrets
import time
import weakref
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar, cast

from ..core.background import starting_threads
from ..core.files import passing_folder
from ..core.tasks import Needs
from ..errors import ClusterError, quoted
from .workers import code_here, lacking, run_task

Result = TypeVar("Result")

_ADDRESS: Final = re.compile(r"(tcp|tls|ws|wss|ucx)://[^\s/]+:[0-9]{1,5}", re.ASCII)

# How long to wait for a scheduler, and then for its first worker, in seconds.
_SCHEDULER: Final = 8.0
_FIRST_WORKER: Final = 15.0

# How long all workers may take to answer a question asked of all at once, in seconds: a worker that
# loads a library over a network is slow.
_ANSWER: Final = 60.0

# The seconds between two looks for silence, and the looks without any worker before a report:
# workers that are restarted need a while.
_LOOK: Final = 2.0
_EMPTY: Final = 5

# The name of a task that nobody has named.
_NAMELESS: Final = "kulami_solver"


def connect(
    address: str,
    *,
    security: object | None = None,
    timeout: float = _SCHEDULER,
    patience: float | None = _FIRST_WORKER,
) -> Cluster:
    """Return an executor whose tasks run on the workers of a dask scheduler.

    Args:
        address: the scheduler's address, like tcp://127.0.0.1:8786, or tls://HOST:PORT.
        security: certificates, a `distributed.Security`; None for those of dask's own settings.
        timeout: seconds to wait for the scheduler.
        patience: seconds to wait for its first worker; None to wait without end.

    Returns:
        A `concurrent.futures.Executor`, to be closed after use, best by `with`.

    Raises:
        ClusterError: if it is not an address, no scheduler or no worker answers there, or
            distributed is not installed.

    Examples:
        ```
        with kulami_solver.cluster.connect("tcp://127.0.0.1:8786") as executor:
            kulami_solver.build("small.kdb", root, executor=executor)
        ```
    """
    if not isinstance(address, str) or not _ADDRESS.fullmatch(address):
        raise ClusterError(
            f"{quoted(address, 80)} is no address of a scheduler: give one like "
            "tcp://127.0.0.1:8786, or tls://HOST:PORT"
        )
    try:
        with starting_threads():
            import distributed
    except ImportError:
        raise ClusterError("extra_missing", package="distributed", extra="cluster") from None
    except (ValueError, TypeError, AttributeError, LookupError, OSError) as error:
        raise ClusterError(
            f"dask cannot read its settings: {' '.join(str(error).split())[:200]}: mend the files "
            "in DASK_CONFIG, or the variables DASK_..."
        ) from None
    base: Any = distributed.Client  # without types

    class TimedClient(base):  # type: ignore[misc]
        """A client that does not wait for ever for what is no scheduler, nor sign off from it."""

        def __del__(self) -> None:
            if getattr(self, "status", None) == "running":
                super().__del__()

        async def _ensure_connected(self, timeout: float | None = None) -> None:
            limit = None if timeout is None else timeout + 1
            await asyncio.wait_for(super()._ensure_connected(timeout), limit)

    try:
        with starting_threads():
            client = TimedClient(address, timeout=timeout, security=security, set_as_default=False)
    except (
        *(OSError, ValueError, TypeError, RuntimeError, ImportError),
        asyncio.TimeoutError,
    ) as error:
        said = re.sub(r"in <[^>]*>: |\[Errno -?\d+\] ", "", str(error.__cause__ or error))
        reason = " ".join(said.split())[:200] or "what listens there is no scheduler, or a busy one"
        raise ClusterError(
            f"no scheduler answers at {address} within {timeout:g} s ({reason}): start one with "
            "scripts/cluster.sh or 'dask scheduler', or give its address"
        ) from None
    cluster = Cluster(client, address, patience)
    try:
        cluster.wait_for_worker()
    except BaseException:
        cluster.shutdown(wait=False)
        raise
    return cluster


class Cluster(concurrent.futures.Executor):
    """The workers of a scheduler as an executor; `connect` makes it.

    A cancelled task is dropped if it has not begun; a task that has begun goes on until it asks
    `core.tasks.is_wanted`, or ends. A task whose worker dies is done again by another worker, so it
    must be repeatable; a task whose workers die four times fails.

    Attributes:
        address: the scheduler's address.
    """

    def __init__(self, client: Any, address: str, patience: float | None) -> None:
        self.address: Final = address
        self._patience: Final = patience
        self._client: Final[Any] = client
        self._pool: Final[Any] = client.get_executor(pure=False)
        self._code: Final = code_here()  # which workers must have as well
        self._mark: Final = secrets.token_hex(8)
        self._numbers: Final = itertools.count()
        self._promised: set[concurrent.futures.Future[Any]] = set()
        self._last_news = 0.0
        self._shut = False

    # The methods of an Executor

    def submit(
        self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Result]:
        """Have a worker call a function; all of it is pickled: function, arguments and result."""
        return self._submit(_NAMELESS, next(self._numbers), fn, args, kwargs)

    def submit_as(
        self, name: str, part: int, function: Callable[..., Result], *arguments: Any
    ) -> concurrent.futures.Future[Result]:
        """Have a worker call a function; the dashboard shows it by a name and a part's number."""
        return self._submit(name, part, function, arguments, {})

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which goes on running.

        Args:
            wait: whether to wait until all tasks are done.
            cancel_futures: whether to drop the tasks that have not begun.
        """
        if self._shut:
            return
        self._shut = True
        if cancel_futures or not wait:
            for future in list(self._promised):
                future.cancel()
        concurrent.futures.wait(list(self._promised))
        with contextlib.suppress(Exception):  # a cluster that is gone cannot be left
            self._client.close(timeout=2)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(wait=kind is None)

    @property
    def _max_workers(self) -> int:
        """How many tasks can run at the same time now; Python's executors use this name, too."""
        return max(1, sum(self.workers().values()))

    # The workers

    def workers(self) -> dict[str, int]:
        """Return how many threads each worker has, by its address.

        Raises:
            ClusterError: if the scheduler does not answer.
        """
        found = self._asked(self._scheduler.ncores(), _ANSWER)
        return {str(worker): int(threads) for worker, threads in found.items()}

    def wait_for_worker(self) -> None:
        """Wait until there is a worker, as long as `connect` was told.

        Raises:
            ClusterError: if no worker has come in that time.
        """
        patience = self._patience

        async def wait() -> bool:
            begun = asyncio.get_running_loop().time()
            while not await self._scheduler.ncores():
                waited = asyncio.get_running_loop().time() - begun
                if patience is not None and waited > patience:
                    return False
                await asyncio.sleep(0.1)
            return True

        if not self._asked(wait(), None if patience is None else patience + _ANSWER):
            raise ClusterError(
                f"the scheduler at {self.address} has no workers: start some with 'dask worker "
                f"{self.address} --nthreads 1 --memory-limit 0'"
            )

    @contextlib.contextmanager
    def watched(self, report: Callable[[str], None], patience: float = 60.0) -> Iterator[None]:
        """Report silence on the cluster while the context lasts, one sentence each time.

        `report` is called when all workers are gone and stay away, when the scheduler does not
        answer, and when no task has ended for a while: which worker hangs, since when, and what to
        do. It is called in another thread. Work waits for workers without end.

        Args:
            report: called with the sentence.
            patience: seconds of silence that are not unusual.
        """
        watching = self._begin(_Silence(self, report, patience).watch())
        try:
            yield
        finally:
            watching.cancel()

    @property
    def _scheduler(self) -> Any:
        """The connection to the scheduler, None if that is gone."""
        return self._client.scheduler

    def _waiting_since(self) -> float | None:
        """When the last task ended or the first began; None if no task is under way."""
        return self._last_news if self._promised else None

    def run_on_workers(
        self, function: Callable[..., Result], *arguments: Any
    ) -> dict[str, Result | Exception]:
        """Have every worker call a function at once, even while it works on a task.

        Args:
            function: the function; it must not take long.
            arguments: its arguments.

        Returns:
            By the workers' addresses, the function's result or exception. A worker that ends
            meanwhile is left out.

        Raises:
            ClusterError: if not all of them answer.
        """

        async def ask() -> dict[str, Result | Exception] | None:
            answers = self._client.run(function, *arguments, on_error="return", asynchronous=True)
            with contextlib.suppress(asyncio.TimeoutError):
                found: dict[str, Result | Exception] = await asyncio.wait_for(answers, _ANSWER)
                return found
            return None

        answers = self._asked(ask(), 2 * _ANSWER)
        if answers is None:
            raise ClusterError(
                f"a worker at {self.address} has not answered for {_ANSWER:.0f} seconds: see which "
                "one hangs and end it, or wait for it"
            )
        here = self.workers()
        return {worker: answer for worker, answer in answers.items() if worker in here}

    def check_workers(self, needs: Needs) -> None:
        """Check that every worker can do some work, as `core.tasks.check_workers` asks.

        Raises:
            ClusterError: if one cannot: it names the worker and the remedy.
        """
        alike, thing = needs.alike or (None, "")
        wanted = None if alike is None else alike()
        with contextlib.ExitStack() as stack:
            files = [os.path.abspath(path) for path in needs.files]
            if needs.folder is not None:
                # Another folder of this name does not have what is put there now.
                beside = Path(os.path.abspath(needs.folder), "kulami-token")
                token = stack.enter_context(passing_folder(beside)) / "token"
                token.touch()
                files.append(str(token))
            sizes = [(path, os.stat(path).st_size) for path in files]
            answers: dict[str, str | Exception] = {}
            while not answers:  # all workers may have ended while they were asked
                self.wait_for_worker()
                answers = self.run_on_workers(lacking, self._code, sizes, alike, wanted, thing)
        for worker, answer in answers.items():
            if isinstance(answer, Exception):
                reason = " ".join(f"{type(answer).__name__}: {answer}".split())[:200]
                answer = (
                    f"cannot run kulami_solver {self._code} ({reason}): install the same there as "
                    "here, and start it again"
                )
            if answer:
                raise ClusterError(f"worker {worker} {answer}")

    @property
    def dashboard(self) -> str | None:
        """The address of the scheduler's dashboard, None if it has none."""
        try:
            services = self._asked(self._scheduler.identity(n_workers=0), _ANSWER)
        except (ClusterError, TypeError):
            return None
        has_one = "dashboard" in services.get("services", {})
        return str(self._client.dashboard_link) if has_one else None

    # Internals

    def _submit(
        self,
        name: str,
        part: int,
        function: Callable[..., Result],
        arguments: tuple[Any, ...],
        named: dict[str, Any],
    ) -> concurrent.futures.Future[Result]:
        import cloudpickle  # type: ignore[import-untyped]

        if self._shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        promised: concurrent.futures.Future[Result] = concurrent.futures.Future()
        work = cloudpickle.dumps((function, arguments, named))
        # The dashboard groups tasks by the first part of the key, up to a hyphen. Keys are unique.
        shown = name.replace("-", "_")
        key = (shown, part, f"{self._mark}.{next(self._numbers)}")
        if self._client.status != "running":
            raise self._gone()
        try:
            remote = self._pool.submit(run_task, work, self._code, key=key)
        except Exception as error:
            if self._client.status == "running":
                raise
            raise self._gone() from error
        if not self._promised:
            self._last_news = time.monotonic()
        self._promised.add(promised)
        # Nobody holds `remote` once it is done: then the cluster forgets the task.
        promised.add_done_callback(functools.partial(self._ended, weakref.ref(remote)))
        remote.add_done_callback(functools.partial(self._deliver, promised))
        return promised

    def _deliver(
        self, promised: concurrent.futures.Future[Any], remote: concurrent.futures.Future[Any]
    ) -> None:
        """Pass on a result as soon as it is here."""
        from distributed.scheduler import KilledWorker

        failure = self._gone() if remote.cancelled() else remote.exception()
        if failure is not None and failure.__traceback__ is not None:
            # The first frame is distributed's here, and would hold `remote`.
            failure.__traceback__ = failure.__traceback__.tb_next
        if isinstance(failure, KilledWorker):
            name, part, *_ = map(str, cast("tuple[object, ...]", failure.task))
            failure = ClusterError(
                f"task '{name} part {part}' has ended {failure.allowed_failures + 1} workers, the "
                f"last {failure.last_worker.address}: see what their logs say, give them more "
                "memory or smaller tasks, and start again"
            )
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # cancelled meanwhile
            if failure is None:
                promised.set_result(remote.result())
            else:
                promised.set_exception(failure)

    def _ended(
        self,
        remote: weakref.ref[concurrent.futures.Future[Any]],
        promised: concurrent.futures.Future[Any],
    ) -> None:
        self._promised.discard(promised)
        self._last_news = time.monotonic()
        if promised.cancelled():
            promised.set_running_or_notify_cancel()  # only this wakes those who wait for it
            if (begun := remote()) is not None:
                begun.cancel()

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"the scheduler at {self.address} is gone: start it and its workers again, then the "
            "same once more; what was kept is taken up"
        )

    def _begin(self, work: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)

    def _asked(self, question: Coroutine[Any, Any, Result], seconds: float | None) -> Result:
        asked = self._begin(question)
        try:
            return asked.result(seconds)
        except (concurrent.futures.TimeoutError, OSError, AttributeError) as error:
            asked.cancel()
            if isinstance(error, AttributeError) and self._scheduler is not None:
                raise
            raise self._gone() from None


class _Silence:
    """Watches a scheduler, its workers and the tasks that they have from us.

    A process that has ended is noticed without this, and its tasks are done by others. A process
    that hangs (it was stopped, or its machine has no memory left) keeps its connections and its
    tasks.

    Args:
        cluster: whose scheduler and tasks.
        report: called with a sentence, once for each silence.
        patience: seconds of silence that are not unusual.
    """

    def __init__(self, cluster: Cluster, report: Callable[[str], None], patience: float) -> None:
        self._cluster: Final = cluster
        self._report: Final = report
        self._patience: Final = patience
        self._empty = 0
        self._heard: dict[str, tuple[float, float]] = {}  # a worker's last sign, and our note of it
        self._told: float | None = None  # the beginning of the silence that has been reported

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(min(_LOOK, self._patience / 4))
            with contextlib.suppress(OSError, AttributeError):  # no scheduler: reported elsewhere
                try:
                    await asyncio.wait_for(self._look(), self._patience)
                except asyncio.TimeoutError:
                    self._report(
                        f"the scheduler at {self._cluster.address} has not answered for "
                        f"{self._patience:.0f} seconds: see whether its machine hangs; if it does "
                        "not come back, end it, start it and its workers again, then the same once "
                        "more, and what was kept is taken up"
                    )
                    await self._cluster._scheduler.ncores()  # wait as long as it takes

    async def _look(self) -> None:
        scheduler = self._cluster._scheduler
        self._empty = 0 if await scheduler.ncores() else self._empty + 1
        if self._empty == _EMPTY:
            self._report(
                f"no worker is left: start some at {self._cluster.address}, and the work goes on"
            )
        since = self._cluster._waiting_since()
        if since is None or self._empty or time.monotonic() - since < self._patience / 2:
            self._heard.clear()
            return
        seen = (await scheduler.identity())["workers"]
        now = time.monotonic()
        for worker, about in seen.items():
            if self._heard.get(worker, (None, 0))[0] != about["last_seen"]:
                self._heard[worker] = (about["last_seen"], now)
        if now - since < self._patience or self._told == since:
            return
        self._told = since
        busy = [worker for worker, tasks in (await scheduler.processing()).items() if tasks]
        silent = [worker for worker in busy if now - self._heard[worker][1] > self._patience / 4]
        ended = f"no task has ended for {now - since:.0f} seconds"
        if silent:
            last = time.localtime(self._heard[silent[0]][0])
            self._report(
                f"{ended}: the worker at {silent[0]} hangs, it was last heard of at "
                f"{time.strftime('%H:%M:%S', last)}; end it, and another one does its task, or let "
                "the scheduler end such workers (worker-ttl, which scripts/cluster.sh sets)"
            )
        elif busy:
            self._report(
                f"{ended}: {len(busy)} of the workers work, among them the one at {busy[0]}, and "
                "all of them answer; long tasks are nothing unusual"
            )
