"""Many rows: shuffled, packed, over shards; beside rows in order and in memory, text and vw.

Run as a script with a folder and a name it trains on packed rows and prints how much memory of its
own the process needed; the table runs it so.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import files
import growth
import mixing
import numpy as np
import shuffling
from reading import alone
from report import Row, Skipped
from running import Benchmarks, run
from timing import interleaved, seconds

from rosenblatt import Perceptron, io
from rosenblatt.arrays import SparseRows
from rosenblatt.evaluate import check_data
from rosenblatt.tables.readers.packed_rows import RowsWriter

LEARN = ["--quiet", "--noconstant", "--sgd", "--loss_function", "hinge"]
FIVE_EPOCHS = ["--passes", "5", "-c", "-k", "--holdout_off"]
MAX_PRIVATE = 300e6
ROLLUP = Path("/proc/self/smaps_rollup")


def _target(name: str) -> Path:
    files.FOLDER.mkdir(exist_ok=True)
    return files.FOLDER / f"{name}.rows"


def _fit(X: Any, y: Any, epochs: int = 1, **how: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Perceptron(max_iter=epochs, tol=None, **how).fit(X, y)


def packing(n_bytes: int, repeats: int) -> list[Row]:
    """Text to a packed file, beside text to a matrix in memory."""
    path, _ = files.sparse(n_bytes)
    target = _target("text")
    times = interleaved(
        repeats,
        ours=seconds(lambda: io.pack(path, target)),
        peer=seconds(lambda: io.read_svmlight(path)),
    )
    note = f"{target.stat().st_size / 1e6:.0f} MB packed"
    target.unlink()
    return [Row("packed: from text / text to CSR", **times, least_of_peer=0.8, note=note)]


def epochs(n_bytes: int, repeats: int) -> list[Row]:
    """An epoch over packed rows, beside one over the same rows in memory; both with a shuffle."""
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((n_bytes // 400, 100), np.float32)
    sparse = io.iter_svmlight(files.sparse(n_bytes)[0]).whole()
    tables = {
        "dense, d = 100": (dense, (dense @ rng.standard_normal(100) > 0).astype(int)),
        "dense, d = 20": (dense.reshape(-1, 20), rng.integers(2, size=dense.size // 20)),
        "CSR": (sparse.rows, sparse.labels),
    }
    rows = []
    for name, (X, y) in tables.items():
        target = _target("epoch")
        packed = io.pack((X, y), target)
        for shuffle in (False, True):
            times = interleaved(
                repeats,
                ours=seconds(partial(_fit, packed.X, packed.y, shuffle=shuffle)),
                peer=seconds(partial(_fit, X, y, shuffle=shuffle)),
            )
            how = "shuffled" if shuffle else "in order"
            work = f"packed: {name}, {how} / in memory"
            rows.append(Row(work, **times, least_of_peer=0.8))
        target.unlink()
    return rows


def wabbit(n_bytes: int, repeats: int) -> list[Row]:
    """Five epochs from text, in memory or packed on the way, beside vw and a cache; then again."""
    path, same = files.sparse(n_bytes)
    target = _target("wabbit")

    def ours() -> None:
        X, y = io.read_svmlight(path)
        assert _fit(X, y, 5, shuffle=False).n_iter_ == 5

    def pack() -> None:
        packed = io.pack(path, target)
        assert _fit(packed.X, packed.y, 5, shuffle=False).n_iter_ == 5

    def again() -> None:
        packed = io.read_packed(target)
        _fit(packed.X, packed.y, 5, shuffle=False)

    def peer() -> float:
        return float(alone("wabbit", "-d", str(same), *LEARN, *FIVE_EPOCHS)["ms"]) / 1000

    try:
        times = interleaved(
            repeats, ours=seconds(ours), pack=seconds(pack), again=seconds(again), peer=peer
        )
    finally:
        Path(f"{same}.cache").unlink(missing_ok=True)
        target.unlink(missing_ok=True)
    pack_first, packed = times.pop("pack"), times.pop("again")
    return [
        Row("five epochs from text, in memory / vw -c", **times, least_of_peer=5.0),
        Row("packed: five epochs from text / vw -c", pack_first, peer=times["peer"]),
        Row("packed: five epochs from the file / vw -c", packed, peer=times["peer"]),
    ]


def arrow(n_bytes: int, repeats: int) -> list[Row]:
    """The same sparse rows in an Arrow file of one batch of lists: to write, to map and learn."""
    try:
        import pyarrow as pa
    except ImportError:
        raise Skipped("pyarrow is not installed.") from None
    block = io.iter_svmlight(files.sparse(n_bytes)[0]).whole()
    X, y = block.rows, block.labels
    target, other = _target("arrow"), files.FOLDER / "rows.arrow"

    def write() -> None:
        lists = [pa.ListArray.from_arrays(X.indptr, values) for values in (X.data, X.indices)]
        batch = pa.record_batch([*lists, pa.array(y)], ["data", "indices", "labels"])
        with pa.OSFile(str(other), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
            writer.write_batch(batch)

    def learn() -> None:
        with pa.memory_map(str(other)) as file:
            batch = pa.ipc.open_file(file).get_batch(0)
            data, indices = (batch.column(name) for name in ("data", "indices"))
            rows = SparseRows(
                data.values.to_numpy(),
                indices.values.to_numpy(),
                data.offsets.to_numpy(),
                X.shape[1],
            )
            _fit(rows, batch.column("labels").to_numpy(), shuffle=False)

    def learn_packed() -> None:
        packed = io.read_packed(target, verify=False)
        _fit(packed.X, packed.y, shuffle=False)

    writing = interleaved(
        repeats, ours=seconds(lambda: io.pack((X, y), target)), peer=seconds(write)
    )
    learning = interleaved(repeats, ours=seconds(learn_packed), peer=seconds(learn))
    target.unlink()
    other.unlink()
    return [
        Row("packed: to write / Arrow IPC, no digests", **writing),
        Row("packed: to map and run an epoch / Arrow IPC", **learning),
    ]


# ---------------------------------------------------------------------- memory of its own


def private(n_bytes: int) -> list[Row]:
    """Megabytes that training on packed rows needs for itself, with nothing in the page cache."""
    if not ROLLUP.exists():
        raise Skipped("this system does not tell which memory is private.")
    rows = []
    for name, make in (("CSR", _large_csr), ("dense, d = 20", _large_dense)):
        target = _target("large")
        try:
            make(target, n_bytes)
            for how in ("in order", "shuffled"):
                _drop_from_cache(target)
                done = subprocess.run(
                    [sys.executable, __file__, str(target), how],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                work = f"packed: MB of its own, {target.stat().st_size / 1e9:.1f} GB {name}, {how}"
                rows.append(Row(work, float(done.stdout) / 1e6, most=MAX_PRIVATE / 1e6))
        finally:
            target.unlink(missing_ok=True)
    return rows


def table(n_rows: int) -> list[Row]:
    """Memory of its own that training on a CSV file of numbers needs, beside a float32 matrix.

    That of Python and the packages it loads, about 25 MB, counts as well.
    """
    if not ROLLUP.exists():
        raise Skipped("this system does not tell which memory is private.")
    data, model = _target("numbers").with_suffix(".csv"), _target("numbers").with_suffix(".rbt")
    growth.numbers(50)(data, n_rows)
    rows, size = list[Row](), 4.0 * 50 * n_rows
    try:
        for learner in ("averaged", "auto"):
            arguments = ["train", data, "--learner", learner, "--epochs", "3", "--quiet"]
            process = subprocess.Popen(
                [sys.executable, "-m", "rosenblatt", *map(str, arguments), "--out", str(model)]
            )
            most, rollup = 0, Path(f"/proc/{process.pid}/smaps_rollup")
            while process.poll() is None:
                with contextlib.suppress(OSError, KeyError):  # it has just ended
                    most = max(most, _own_bytes(rollup))
                time.sleep(0.01)
            if process.returncode:
                raise SystemExit("training on a table failed")
            work = f"CSV {n_rows:,} x 50, {learner}: own memory / float32"
            rows.append(Row(work, most / size, most=3.0, note="a ratio, not ms"))
    finally:
        data.unlink()
        model.unlink(missing_ok=True)
    return rows


def checked(n_rows: int, repeats: int) -> list[Row]:
    """A look at a CSV file of numbers before training, beside reading it."""
    data = _target("checked").with_suffix(".csv")
    growth.numbers(50)(data, n_rows)

    def read() -> None:
        io.read_table(str(data), "y")

    def check() -> None:
        check_data("table", io.read_table(str(data), "y"))

    try:
        times = interleaved(repeats, ours=seconds(check), limit=seconds(read))
    finally:
        data.unlink()
    return [Row(f"check / read, CSV {n_rows:,} x 50", **times, most_of_limit=3.0)]


def _large_csr(target: Path, n_bytes: int) -> None:
    small, _ = files.sparse(200_000_000)
    io.pack([small] * -(-n_bytes // 165_000_000), target)


def _large_dense(target: Path, n_bytes: int) -> None:
    rng = np.random.default_rng(0)
    w = rng.standard_normal(20, np.float32)
    n_blocks = max(1, n_bytes // 8_000_000)
    with RowsWriter(str(target)) as writer:
        for _ in range(n_blocks):
            X = rng.standard_normal((100_000, 20), np.float32)
            writer.add(X, (X @ w > 0).astype(np.int32))
        names = [{"kind": "number", "name": str(j), "center": 0.0, "scale": 1.0} for j in range(20)]
        columns = [{**name, "gaps": False} for name in names]
        schema = {"kind": "table", "target": None, "missing": [], "columns": columns}
        card = {"n_features": 20, "schema": schema, "sources": []}
        writer.finish(np.array([0, 1]), np.arange(2), card)


def _drop_from_cache(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _own_bytes(rollup: Path = ROLLUP) -> int:
    lines = rollup.read_text().splitlines()[1:]
    found = {name: int(value.split()[0]) for name, value in (line.split(":") for line in lines)}
    return 1024 * found["Private_Dirty"]


def _train(path: str, how: str) -> None:
    """Two epochs in this process; prints the most memory of its own that it had at any time."""
    most, done = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.02):
            most = max(most, _own_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    packed = io.read_packed(path)
    model = _fit(packed.X, packed.y, 2, shuffle=how == "shuffled")
    assert model.n_training_errors_ >= 0
    done.set()
    watcher.join()
    print(most)


def _benchmarks(megabytes: int, repeats: int) -> Benchmarks:
    n_bytes = megabytes * 1_000_000
    shuffled = {
        f"shuffle {name}": partial(shuffling.times, name, n_bytes, repeats)
        for name in shuffling.TIMES
    }
    return {
        **shuffled,
        **{f"shuffle errors {name}": partial(shuffling.errors, name) for name in shuffling.ERRORS},
        "packed text": partial(packing, n_bytes, repeats),
        "packed epochs": partial(epochs, n_bytes, repeats),
        "packed wabbit": partial(wabbit, n_bytes, repeats),
        "packed arrow": partial(arrow, n_bytes, repeats),
        "packed private": partial(private, 10 * n_bytes),
        "table private": partial(table, 400_000),  # of fewer rows Python itself is most of it
        "table check": partial(checked, 5_000 * megabytes, repeats),
        "mixing digits": partial(mixing.digits, None if megabytes >= 200 else 10_000),
        "mixing tagger": partial(mixing.tagger, None if megabytes >= 200 else 1_000),
        "parallel": partial(mixing.parallel, n_bytes, repeats),
    }


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2] in ("in order", "shuffled"):
        _train(*sys.argv[1:])
    else:
        packages = ["numpy", "vowpalwabbit", "pyarrow"]
        run(_benchmarks(200, 5), __doc__, packages, quick=_benchmarks(20, 3))
