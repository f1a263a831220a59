"""Who works on the shards: threads, processes or a Dask cluster; the results are the same bytes.

An engine runs a task of `rosenblatt.distributed.tasks` on every shard and gives the results in the
order of the shards. What dies on the way is started again; what fails by itself ends the run.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

from rosenblatt import checks
from rosenblatt.core.parallel import n_processors
from rosenblatt.distributed.shards import Shard
from rosenblatt.distributed.tasks import AnyShard, forget
from rosenblatt.errors import MissingExtra, ParameterError, RosenblattError
from rosenblatt.plurals import count

TRIES = 4
SECONDS_WITHOUT_WORKERS = 60.0
Task = Callable[..., Any]
HELP = "Is there enough memory? More and smaller shards need less."


class WorkerLost(RosenblattError, ConnectionError):
    """A task could not be finished: those who worked on it died, one after the other."""


class Threads:
    """Threads of this process: nothing is copied, and the loops run side by side."""

    def __init__(self, n_workers: int, client: Any = None) -> None:
        self.n_workers, self._pool = n_workers, ThreadPoolExecutor(n_workers, "rosenblatt")

    def run(self, task: Task, common: Any, shards: Sequence[AnyShard], *more: Any) -> list[Any]:
        """``task(common, shard, …)`` for each shard; ``more`` has lists of as many."""
        jobs = zip(shards, *more, strict=True)
        return list(self._pool.map(lambda job: task(common, *job), jobs))

    def close(self, shards: Sequence[AnyShard]) -> None:
        self._pool.shutdown(cancel_futures=True)
        forget({shard.key for shard in shards})


class Processes(Threads):
    """Processes, each with a thread that sends it jobs and starts it again if it dies.

    A worker is a new interpreter that imports this package alone, so that a script needs no guard
    around its main part. It reads its shards once and keeps them. Nothing limits the time that a
    job may take; Ctrl-C ends the processes.
    """

    def __init__(self, n_workers: int, client: Any = None) -> None:
        super().__init__(n_workers)
        self.workers = [_Worker() for _ in range(n_workers)]

    def run(self, task: Task, common: Any, shards: Sequence[AnyShard], *more: Any) -> list[Any]:
        jobs, n = list(zip(shards, *more, strict=True)), self.n_workers
        packed = pickle.dumps((task, common), 5)

        def own(k: int) -> list[Any]:
            return [self.workers[k].perform(packed, job) for job in jobs[k::n]]

        parts = list(self._pool.map(own, range(n)))
        return [parts[i % n][i // n] for i in range(len(jobs))]

    def close(self, shards: Sequence[AnyShard]) -> None:
        for worker in self.workers:
            worker.is_closed = True
            worker.end()
        super().close(shards)
        for worker in self.workers:
            worker.end()


class _Worker:
    """A process that performs one job after the other; started when there is one."""

    process: Any = None
    is_closed = False
    _common: bytes
    _known: set[str]

    def perform(self, common: bytes, job: tuple[Any, ...]) -> Any:
        shard, *more = job
        for _ in range(0 if self.is_closed else TRIES):
            if self.process is None or self.process.poll() is not None:
                self._start()
            # What the process has already is not sent again.
            news = None if self._common is common else common
            sent = shard.key if shard.key in self._known else shard
            message = pickle.dumps((news, sent, more), 5)
            try:
                pickle.dump(message, self.process.stdin, 5)
                self.process.stdin.flush()
                result, error = pickle.loads(pickle.load(self.process.stdout))
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                if self.is_closed:
                    break
                self.end()
                continue
            self._common = common
            self._known.add(shard.key)
            if error is not None:
                raise error
            return result
        raise WorkerLost(f"{shard.name}: {TRIES} processes died of it, one after the other. {HELP}")

    def _start(self) -> None:
        self.end()
        path, pipe = [folder or os.getcwd() for folder in sys.path], subprocess.PIPE
        code = f"import sys; sys.path[:] = {path!r}; import {__name__} as engines; engines.serve()"
        self.process = subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)
        self._common, self._known = b"", set()

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def serve() -> None:
    """What a worker does: jobs from standard input until it ends; only results are written.

    Ctrl-C is for the process that started it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    shards: dict[str, AnyShard] = {}
    common: Any = None
    while True:
        try:
            message = pickle.load(source)
        except EOFError:
            return
        try:
            news, shard, more = pickle.loads(message)
            common = common if news is None else pickle.loads(news)
            shard = shards[shard] if isinstance(shard, str) else shards.setdefault(shard.key, shard)
            answer = pickle.dumps((common[0](common[1], shard, *more), None), 5)
        except Exception as error:
            answer = pickle.dumps((None, error), 5)
        pickle.dump(answer, target, 5)
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
        self._lost = CancelledError, CommClosedError, KilledWorker
        self._held: dict[str, Any] = {}
        self._opened = []
        if client is None:
            local = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": 50}
            client = distributed.LocalCluster(n_workers, threads_per_worker=1, **local)
            self._opened.append(client)
        if not isinstance(client, distributed.Client):
            try:
                client = distributed.Client(client)
            except (OSError, ValueError) as error:
                raise WorkerLost(f"no Dask scheduler answers at {client}: {error}") from None
            self._opened.insert(0, client)
        self.client, self.n_workers = client, len(client.ncores())

    def run(self, task: Task, common: Any, shards: Sequence[AnyShard], *more: Any) -> list[Any]:
        jobs, results = list(zip(shards, *more, strict=True)), dict[int, Any]()
        for attempt in range(TRIES):
            time.sleep(attempt)  # until a worker that died is known to be dead
            try:
                everywhere = self.client.scatter(common, hash=False)
                waiting = {
                    k: self.client.submit(task, everywhere, *map(self._placed, job), pure=False)
                    for k, job in enumerate(jobs)
                    if k not in results
                }
                self._wait_for(list(waiting.values()))
                for k, future in waiting.items():
                    results[k] = future.result()
            except ModuleNotFoundError as error:
                raise MissingExtra(f"a worker of the cluster lacks a package: {error}") from None
            except (TimeoutError, *self._lost):
                self._held.clear()  # what was sent there may have died with its worker
            if len(results) == len(jobs):
                return [results[k] for k in range(len(jobs))]
        lost = count(len(jobs) - len(results), "shard")
        raise WorkerLost(f"{lost}: workers of the cluster died {TRIES} times of it. {HELP}")

    def _placed(self, own: Any) -> Any:
        """What a task gets on the cluster: tables and, once, examples at hand are sent there."""
        if isinstance(own, dict):
            return self.client.scatter([own], hash=False)[0]  # of a dict the keys would be taken
        if isinstance(own, Shard) and own.key not in self._held:
            self._held[own.key] = self.client.scatter(own, hash=False)
        if hasattr(own, "delayed") and own.key not in self._held:
            self._held[own.key] = self.client.compute(own.delayed)
        return self._held.get(getattr(own, "key", ""), own)

    def _wait_for(self, futures: list[Any]) -> None:
        """Until all are done or lost, but not without end where nobody works on them."""
        last_seen = time.monotonic()
        while any(future.status == "pending" for future in futures):
            try:
                self._wait(futures, timeout=1.0)
            except (TimeoutError, *self._lost):
                pass
            if self.client.status != "running":
                raise WorkerLost("the connection to the Dask scheduler is lost.")
            if self.client.ncores():
                last_seen = time.monotonic()
            if time.monotonic() - last_seen > SECONDS_WITHOUT_WORKERS:
                raise WorkerLost("the Dask cluster has had no worker for a minute.")

    def close(self, shards: Sequence[AnyShard]) -> None:
        self._held.clear()
        if len(self._opened) < 2 and self.client.status == "running":
            self.client.run(forget, {shard.key for shard in shards}, on_error="ignore")
        for opened in self._opened:
            opened.close()


ENGINES: dict[str, Any] = {"threads": Threads, "processes": Processes, "dask": Dask}


def engine_of(engine: str | None, client: Any, n_workers: int | None) -> Callable[[], Any]:
    """What makes the engine of this name; a client or an address means Dask."""
    name = checks.choice("engine", engine or ("threads" if client is None else "dask"), *ENGINES)
    if client is not None and name != "dask":
        raise ParameterError(f"client is for engine='dask', not for engine={name!r}.")
    checks.whole("n_workers", n_workers, at_least=1, none="one for each processor")
    n = n_workers or n_processors()
    return lambda: ENGINES[name](n, client)
