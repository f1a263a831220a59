"""Engines that run tasks on shards: threads, processes or a Dask cluster, with identical results.

An engine runs a task of `rosenblatt.distributed.tasks` on every shard and returns the results in
the order of the shards. A worker that dies is restarted; an error inside a task ends the run.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rosenblatt import checks
from rosenblatt.distributed.dask_collections import Partition
from rosenblatt.distributed.shards import Shard
from rosenblatt.distributed.tasks import AnyShard, forget
from rosenblatt.errors import MissingExtra, ParameterError, RosenblattError
from rosenblatt.models.parallel import n_processors
from rosenblatt.plurals import count

if TYPE_CHECKING:
    # The result of a task.
    Found = TypeVar("Found")

MAX_TRIES = 4
MAX_SECONDS_WITHOUT_WORKERS = 60.0
PICKLE_PROTOCOL = 5
Task = Callable[..., Any]
ADVICE = "Is there enough memory? More and smaller shards need less."


class WorkerLost(RosenblattError, ConnectionError):
    """Raised if every worker that tried a task died."""


class Engine(Protocol):
    """Workers that run tasks on shards."""

    n_workers: int

    def run(
        self,
        task: Callable[..., Found],
        common: object,
        shards: Sequence[AnyShard],
        *more: Iterable[object],
    ) -> list[Found]:
        """Return ``task(common, shard, …)`` for each shard; ``more`` has an argument for each."""

    def close(self, shards: Sequence[AnyShard]) -> None:
        """Stop the workers and free the examples of these shards."""


class Threads:
    """Threads of this process: nothing is copied, and the compiled loops run in parallel."""

    def __init__(self, n_workers: int, client: Any = None) -> None:
        self.n_workers = n_workers
        self._pool = ThreadPoolExecutor(n_workers, "rosenblatt")

    def run(
        self,
        task: Callable[..., Found],
        common: object,
        shards: Sequence[AnyShard],
        *more: Iterable[object],
    ) -> list[Found]:
        jobs = zip(shards, *more, strict=True)
        return list(self._pool.map(lambda job: task(common, *job), jobs))

    def close(self, shards: Sequence[AnyShard]) -> None:
        self._pool.shutdown(cancel_futures=True)
        forget({shard.key for shard in shards})


class Processes(Threads):
    """Processes, each with a thread that sends jobs to it and restarts it if it dies.

    A worker is a new interpreter that imports only this package, so a script needs no guard around
    its main part. It reads its shards once and caches them. There is no limit on the time of a job;
    Ctrl-C ends the processes.
    """

    def __init__(self, n_workers: int, client: Any = None) -> None:
        super().__init__(n_workers)
        self.workers = [_Worker() for _ in range(n_workers)]

    def run(
        self,
        task: Callable[..., Found],
        common: object,
        shards: Sequence[AnyShard],
        *more: Iterable[object],
    ) -> list[Found]:
        jobs = list(zip(shards, *more, strict=True))
        n = self.n_workers
        pickled = pickle.dumps((task, common), PICKLE_PROTOCOL)

        # Worker k always gets the same shards (k, k + n, …), so it reads each of them once.
        def run_jobs_of(k: int) -> list[Found]:
            return [self.workers[k].perform(pickled, job) for job in jobs[k::n]]

        results = list(self._pool.map(run_jobs_of, range(n)))
        return [results[i % n][i // n] for i in range(len(jobs))]

    def close(self, shards: Sequence[AnyShard]) -> None:
        for worker in self.workers:
            worker.is_closed = True
            worker.end()
        super().close(shards)
        # A thread may have restarted its process in the meantime.
        for worker in self.workers:
            worker.end()


class _Worker:
    """A process that performs one job after another; it starts with its first job."""

    process: Any = None
    is_closed = False
    # The task and its common argument, and the keys of the shards, that the process already has.
    _common: bytes
    _known_keys: set[str]

    def perform(self, common: bytes, job: tuple[Any, ...]) -> Any:
        """Return the result of a job; restart the process if it dies."""
        shard, *more = job
        for _ in range(0 if self.is_closed else MAX_TRIES):
            if self.process is None or self.process.poll() is not None:
                self._start()
            # Send only what the process does not have yet.
            new_common = None if self._common is common else common
            shard_or_key = shard.key if shard.key in self._known_keys else shard
            message = pickle.dumps((new_common, shard_or_key, more), PICKLE_PROTOCOL)
            try:
                pickle.dump(message, self.process.stdin, PICKLE_PROTOCOL)
                self.process.stdin.flush()
                result, error = pickle.loads(pickle.load(self.process.stdout))
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                # The process died: try again with a new one, unless the engine was closed.
                if self.is_closed:
                    break
                self.end()
                continue
            self._common = common
            self._known_keys.add(shard.key)
            if error is not None:
                raise error
            return result
        raise WorkerLost(
            f"{shard.name}: {MAX_TRIES} processes died of it, one after the other. {ADVICE}"
        )

    def _start(self) -> None:
        self.end()
        # The new interpreter finds the same packages; an empty entry is the current folder.
        path = [folder or os.getcwd() for folder in sys.path]
        code = f"import sys; sys.path[:] = {path!r}; import {__name__} as engines; engines.serve()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._common = b""
        self._known_keys = set()

    def end(self) -> None:
        """Kill the process, if there is one."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def serve() -> None:
    """Run as a worker: perform jobs from standard input, and write results to standard output."""
    # Ctrl-C is handled by the process that started this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source = sys.stdin.buffer
    # Results go to a copy of standard output. Anything that a library prints goes to standard error
    # instead, because it would corrupt the results.
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    shards: dict[str, AnyShard] = {}
    common: Any = None
    while True:
        try:
            message = pickle.load(source)
        except EOFError:
            return
        try:
            new_common, shard, more = pickle.loads(message)
            if new_common is not None:
                common = pickle.loads(new_common)
            # A shard is sent once, and later only its key.
            if not isinstance(shard, str):
                shards[shard.key] = shard
            key = shard if isinstance(shard, str) else shard.key
            task, argument = common
            reply = pickle.dumps((task(argument, shards[key], *more), None), PICKLE_PROTOCOL)
        except Exception as error:
            reply = pickle.dumps((None, error), PICKLE_PROTOCOL)
        pickle.dump(reply, target, PICKLE_PROTOCOL)
        target.flush()


class Dask:
    """A Dask cluster: that of a client or an address, or a new one of local processes."""

    def __init__(self, n_workers: int, client: Any = None) -> None:
        try:
            import distributed
            from distributed.comm import CommClosedError
            from distributed.scheduler import KilledWorker
        except ImportError:
            what = "a Dask cluster needs the package distributed"
            raise MissingExtra(what, extra="dask") from None
        self._wait = distributed.wait
        self._lost_errors = (CancelledError, CommClosedError, KilledWorker)
        # Futures of the shards that were sent to the cluster, by key.
        self._futures: dict[str, Any] = {}
        # The client and the cluster that this engine opened, and has to close in this order.
        self._opened = []
        if client is None:
            client = distributed.LocalCluster(
                n_workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=50,
            )
            self._opened.append(client)
        if not isinstance(client, distributed.Client):
            try:
                client = distributed.Client(client)
            except (OSError, ValueError) as error:
                raise WorkerLost(f"no Dask scheduler answers at {client}: {error}") from None
            self._opened.insert(0, client)
        self.client = client
        self.n_workers = len(client.ncores())

    def run(
        self,
        task: Callable[..., Found],
        common: object,
        shards: Sequence[AnyShard],
        *more: Iterable[object],
    ) -> list[Found]:
        jobs = list(zip(shards, *more, strict=True))
        results: dict[int, Found] = {}
        for attempt in range(MAX_TRIES):
            # Give the scheduler time to notice that a worker died.
            time.sleep(attempt)
            try:
                everywhere = self.client.scatter(common, hash=False)
                waiting = {
                    k: self.client.submit(task, everywhere, *map(self._send, job), pure=False)
                    for k, job in enumerate(jobs)
                    if k not in results
                }
                self._wait_for(list(waiting.values()))
                for k, future in waiting.items():
                    results[k] = future.result()
            except ModuleNotFoundError as error:
                raise MissingExtra(f"a worker of the cluster lacks a package: {error}") from None
            except (TimeoutError, *self._lost_errors):
                # The shards may be lost with the worker, so they are sent again.
                self._futures.clear()
            if len(results) == len(jobs):
                return [results[k] for k in range(len(jobs))]
        lost = count(len(jobs) - len(results), "shard")
        raise WorkerLost(f"{lost}: workers of the cluster died {MAX_TRIES} times of it. {ADVICE}")

    def _send(self, argument: object) -> Any:
        """Send an argument of a task to the cluster, each shard once; return its future.

        Small arguments are returned unchanged.
        """
        if isinstance(argument, dict):
            # In a list, because scatter would send the values of a dict one by one.
            return self.client.scatter([argument], hash=False)[0]
        if isinstance(argument, Shard):
            if argument.key not in self._futures:
                self._futures[argument.key] = self.client.scatter(argument, hash=False)
            return self._futures[argument.key]
        if isinstance(argument, Partition):
            if argument.key not in self._futures:
                self._futures[argument.key] = self.client.compute(argument.delayed)
            return self._futures[argument.key]
        return argument

    def _wait_for(self, futures: list[Any]) -> None:
        """Wait until all futures are done or lost; give up if the cluster has no workers."""
        last_seen = time.monotonic()
        while any(future.status == "pending" for future in futures):
            try:
                self._wait(futures, timeout=1.0)
            except (TimeoutError, *self._lost_errors):
                pass
            if self.client.status != "running":
                raise WorkerLost("the connection to the Dask scheduler is lost.")
            if self.client.ncores():
                last_seen = time.monotonic()
            if time.monotonic() - last_seen > MAX_SECONDS_WITHOUT_WORKERS:
                raise WorkerLost("the Dask cluster has had no worker for a minute.")

    def close(self, shards: Sequence[AnyShard]) -> None:
        self._futures.clear()
        # The workers of a cluster that stays open free the examples of this run.
        if len(self._opened) < 2 and self.client.status == "running":
            self.client.run(forget, {shard.key for shard in shards}, on_error="ignore")
        for opened in self._opened:
            opened.close()


ENGINES: dict[str, Callable[[int, Any], Engine]] = {
    "threads": Threads,
    "processes": Processes,
    "dask": Dask,
}


def engine_factory(engine: str | None, client: Any, n_workers: int | None) -> Callable[[], Engine]:
    """Validate the arguments; return a function that starts the engine.

    A client or an address means Dask.
    """
    default = "threads" if client is None else "dask"
    name = checks.choice("engine", engine or default, *ENGINES)
    if client is not None and name != "dask":
        raise ParameterError(f"client is for engine='dask', not for engine={name!r}.")
    checks.whole("n_workers", n_workers, at_least=1, none="one for each processor")
    n = n_workers or n_processors()
    return lambda: ENGINES[name](n, client)
