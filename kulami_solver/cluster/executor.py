"""An Executor over the workers of a dask.distributed cluster.

distributed has an Executor of its own. This one names its tasks, so that the dashboard can be read;
takes any arguments by name; makes the cluster forget each task as soon as its result is here, since
a remembered task is done again if its worker dies; and says in a sentence that a cluster is gone.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, ClassVar, Final, TypeVar, cast

from ..core.background import starting_threads
from ..core.locks import free_in_forks
from ..core.tasks import Needs
from ..errors import BudgetError, ClusterError, quoted
from .workers import code_here, run_task, survey

Result = TypeVar("Result")

_ADDRESS: Final = re.compile(r"(tcp|tls|ws|wss|ucx)://[^\s/]+:[0-9]{1,5}", re.ASCII)

# How long to wait for a scheduler, and then for its first worker, in seconds.
_SCHEDULER: Final = 8.0
_FIRST_WORKER: Final = 15.0

# How long all workers may take to answer a question asked of all at once, in seconds: a worker that
# loads a library over a network is slow.
_ANSWER: Final = 60.0

# How often to check whether a worker that does not answer is still there.
_LOOKS: Final = 15

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
        raise ClusterError(
            "distributed, which clusters need, is not installed: pip install "
            "'kulami_solver[cluster]'"
        ) from None
    except (ValueError, TypeError, AttributeError, LookupError, OSError) as error:
        raise ClusterError(
            f"dask cannot read its settings: {' '.join(str(error).split())[:200]}: mend the files "
            "in DASK_CONFIG, or the variables DASK_..."
        ) from None
    quiet = _Quiet()
    base: Any = distributed.Client  # without types

    class OurClient(base):  # type: ignore[misc]
        """A client that does not sign off from a scheduler that it has not found."""

        def __del__(self) -> None:
            if getattr(self, "status", None) == "running":
                super().__del__()

        async def _ensure_connected(self, timeout: float | None = None) -> None:
            """Connect, with a time limit: distributed waits without end for an answer."""
            connected = super()._ensure_connected(timeout)
            try:
                await asyncio.wait_for(connected, None if timeout is None else timeout + 1)
            except asyncio.TimeoutError:
                raise OSError("what listens there is no scheduler, or a busy one") from None

    try:
        with starting_threads():
            client = OurClient(address, timeout=timeout, security=security, set_as_default=False)
    except BudgetError:
        quiet.end()
        raise
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        quiet.end()
        said = re.sub(r"in <[^>]*>: |\[Errno -?\d+\] ", "", str(error.__cause__ or error))
        reason = " ".join(said.split())[:200] or "no answer"
        raise ClusterError(
            f"no scheduler answers at {address} within {timeout:g} s ({reason}): start one with "
            "scripts/cluster.sh or 'dask scheduler', or give its address"
        ) from None
    cluster = Cluster(client, address, quiet, patience)
    try:
        cluster.wait_for_worker()
    except BaseException:
        cluster.shutdown(wait=False)
        raise
    return cluster


class _Quiet:
    """Silences the logs of distributed while one exists: errors are told in a sentence instead."""

    _lock: ClassVar = free_in_forks(threading.Lock())
    _lasting: ClassVar[int] = 0
    _levels: ClassVar[dict[logging.Logger, int]] = {}  # the former levels of the silenced loggers

    def __init__(self) -> None:
        known = list(logging.root.manager.loggerDict)
        names = ["distributed", "tornado", *(n for n in known if n.startswith("distributed."))]
        with self._lock:
            _Quiet._lasting += 1
            for logger in map(logging.getLogger, names):
                self._levels.setdefault(logger, logger.level)
                logger.setLevel(logging.CRITICAL + 1)

    def end(self) -> None:
        with self._lock:
            _Quiet._lasting -= 1
            if not _Quiet._lasting:  # the last one that exists
                for logger, level in self._levels.items():
                    logger.setLevel(level)
                self._levels.clear()


class Cluster(concurrent.futures.Executor):
    """The workers of a scheduler as an executor; `connect` makes it.

    A cancelled task is dropped if it has not begun; a task that has begun goes on until it asks
    `core.tasks.is_wanted`, or ends. A task whose worker dies is done again by another worker, so it
    must be repeatable; a task whose workers die four times fails.

    Attributes:
        address: the scheduler's address.
    """

    def __init__(
        self, client: Any, address: str, quiet: _Quiet, patience: float | None = _FIRST_WORKER
    ) -> None:
        self.address: Final = address
        self._patience: Final = patience
        self._client: Final[Any] = client
        self._quiet: Final = quiet
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
        self._quiet.end()

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
        self, function: Callable[..., Result], arguments_of: Callable[[int], tuple[Any, ...]]
    ) -> dict[str, Result | Exception | None]:
        """Have every worker call a function at once, even while it works on a task.

        Args:
            function: the function; it must not take long.
            arguments_of: returns its arguments from a worker's number of threads.

        Returns:
            By the workers' addresses, the function's result or exception; None if a worker does not
            answer. A worker that ends meanwhile is left out.
        """
        from distributed.comm.core import CommClosedError

        workers = self.workers()

        async def ask(worker: str, threads: int) -> Result | Exception | None:
            answers = self._client.run(
                function, *arguments_of(threads), workers=[worker], on_error="return",
                asynchronous=True,
            )  # fmt: skip
            try:
                found: dict[str, Result | Exception] = await asyncio.wait_for(answers, _ANSWER)
            except (asyncio.TimeoutError, OSError, ValueError):  # the worker is gone or silent
                return None
            answer = found.get(worker)
            return None if isinstance(answer, CommClosedError) else answer

        async def ask_all() -> dict[str, Result | Exception | None]:
            answers = await asyncio.gather(*(ask(*worker) for worker in workers.items()))
            given = dict(zip(workers, answers, strict=True))
            silent = {worker for worker, answer in given.items() if answer is None}
            for _ in range(_LOOKS):
                here = await self._scheduler.ncores() if silent else {}
                for worker in silent - here.keys():
                    del given[worker]
                silent &= here.keys()
                if silent:  # the scheduler may not know yet that a worker has ended
                    await asyncio.sleep(0.2)
            return given

        return self._asked(ask_all(), 2 * _ANSWER)

    def check_workers(self, needs: Needs) -> None:
        """Check that every worker can do some work, as `core.tasks.check_workers` asks.

        Raises:
            ClusterError: if one cannot: it names the worker and the remedy.
        """

        def ask(
            function: Callable[..., Result], arguments_of: Callable[[int], tuple[Any, ...]]
        ) -> dict[str, Result | Exception | None]:
            answers: dict[str, Result | Exception | None] = {}
            while not answers:  # all workers may have ended while they were asked
                self.wait_for_worker()
                answers = self.run_on_workers(function, arguments_of)
            return answers

        survey(ask, self._code, needs)

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
            remote = self._client.submit(run_task, work, self._code, key=key, pure=False)
        except Exception as error:
            if self._client.status == "running":
                raise
            raise self._gone() from error
        if not self._promised:
            self._last_news = time.monotonic()
        self._promised.add(promised)
        promised.add_done_callback(lambda future: self._ended(future, remote))
        self._begin(self._deliver(remote, promised))
        return promised

    async def _deliver(self, remote: Any, promised: concurrent.futures.Future[Any]) -> None:
        """Pass on the result as soon as it is here, and let the cluster forget the task."""
        from distributed.scheduler import KilledWorker

        result: Any = None
        failure: BaseException | None = None
        try:
            result = await self._client.gather(remote, asynchronous=True)
        except KilledWorker as error:
            name, part, *_ = map(str, cast("tuple[object, ...]", error.task))
            failure = ClusterError(
                f"task '{name} part {part}' has ended {error.allowed_failures + 1} workers, the "
                f"last {error.last_worker.address}: see what their logs say, give them more memory "
                "or smaller tasks, and start again"
            )
        except (asyncio.CancelledError, concurrent.futures.CancelledError):
            failure = self._gone()
        except BaseException as error:
            failure = error
        finally:
            remote.release()
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # cancelled meanwhile
            if failure is None:
                promised.set_result(result)
            else:
                promised.set_exception(failure)

    def _ended(self, promised: concurrent.futures.Future[Any], remote: Any) -> None:
        self._promised.discard(promised)
        self._last_news = time.monotonic()
        if promised.cancelled():
            promised.set_running_or_notify_cancel()  # only this wakes those who wait for it
            self._begin(self._drop(remote))

    async def _drop(self, remote: Any) -> None:
        with contextlib.suppress(Exception):  # there may be no cluster left
            await self._client.cancel([remote], asynchronous=True)

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
