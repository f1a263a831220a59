"""The readers beside their peers, in one run.

python benchmarks/io.py [--quick] [--only WORD] [--json FILE]

The files are seeded and kept in the temporary folder. All are read once before anything is timed,
so the disk plays no part; the limit of a reading is the cost of fetching the bytes. Vowpal Wabbit
has a thread of its own for reading, and so have we for svmlight, so a fair run wants two idle
processors; both also run on one. Its time is that of its own work, without the start of a process;
ours is that of a process which has read the file before, as it has with two threads.
Tables are read on one thread. As with the learners, the table reports and does not judge.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["POLARS_MAX_THREADS"] = "1"

import statistics
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import files
import numpy as np
import scipy.sparse  # noqa: F401  # loaded on our first matrix, which is not what is timed
from reading import alone
from report import Row, Skipped
from running import Benchmarks, run
from timing import Measurement, interleaved, seconds

import rosenblatt.io
from rosenblatt import Perceptron

# Reading alone, and a plain learner; the options of vw were too close to rank.
READ = ["--quiet", "--noconstant", "--noop"]
LEARN = ["--quiet", "--noconstant", "--sgd", "--loss_function", "hinge"]
FIVE_EPOCHS = ["--passes", "5", "-c", "-k", "--holdout_off"]
ARROW_BLOCKS = (1 << 18, 1 << 20, 1 << 22, 1 << 24)


def svmlight(n_bytes: int, repeats: int) -> list[Row]:
    """A file to a CSR matrix, beside a pass of Vowpal Wabbit over the same rows."""
    path, same = files.sparse(n_bytes)
    X, _ = rosenblatt.io.read_svmlight(path)
    _check_wabbit(same, X.shape[0], X.nnz)
    name = f"svmlight {_size(path)} to CSR"
    quickest: dict[str, float] = {}
    first: list[float] = []
    times = interleaved(
        repeats,
        limit=seconds(lambda: _fetch(path)),
        ours=_noted(seconds(lambda: rosenblatt.io.read_svmlight(path)), "ours", quickest),
        float32=seconds(lambda: rosenblatt.io.read_svmlight(path, dtype="float32")),
        vw=_noted(_wabbit(same, *READ), "vw", quickest),
        vw_alone=_wabbit(same, *READ, reading="wabbit on one processor"),
        alone=_again(path, first),
    )
    process = interleaved(
        min(repeats, 3),
        ours=lambda: alone("svmlight", str(path))["process_ms"] / 1000,
        peer=lambda: alone("wabbit", "-d", str(same), *READ)["process_ms"] / 1000,
    )
    limited = {"ours": times["ours"], "limit": times["limit"]}
    # A busy machine costs vw, which keeps two processors busy, more than us.
    note = f"the quickest of each: {1000 * quickest['ours']:.0f}, {1000 * quickest['vw']:.0f}"
    alone_note = f"the first reading of each process: {statistics.median(first):.0f}"
    one_thread = {"ours": times["alone"], "peer": times["vw"], "note": alone_note}
    return [
        Row(f"{name} / vw, a pass", **limited, peer=times["vw"], least_of_peer=3.5, note=note),
        Row(f"{name}, one thread / vw, a pass", **one_thread, least_of_peer=2.8),
        Row(f"{name}, one thread / vw on one", times["alone"], peer=times["vw_alone"]),
        Row(f"{name} / vw, whole process", **process),
        Row(f"{name} of float32 / vw", times["float32"], peer=times["vw"]),
    ]


def loader(n_bytes: int, repeats: int) -> list[Row]:
    """The same beside scikit-learn's loader."""
    from sklearn.datasets import load_svmlight_file

    path, _ = files.sparse(n_bytes)
    X, _ = rosenblatt.io.read_svmlight(path)
    equal = (load_svmlight_file(str(path))[0] != X).nnz == 0
    times = interleaved(
        repeats,
        ours=seconds(lambda: rosenblatt.io.read_svmlight(path)),
        peer=seconds(lambda: load_svmlight_file(str(path))),
    )
    note = f"{X.shape[0]:,} rows, {X.nnz:,} values, equal: {equal}"
    name = f"svmlight {_size(path)} to CSR / scikit-learn"
    return [Row(name, **times, least_of_peer=15.0, note=note)]


def epochs(n_bytes: int, repeats: int) -> list[Row]:
    """Five epochs from the file, beside Vowpal Wabbit with a cache that is made on the way."""
    path, same = files.sparse(n_bytes)
    model = Perceptron(max_iter=5, tol=None, shuffle=False)

    def ours() -> None:
        model.fit(*rosenblatt.io.read_svmlight(path))
        assert model.n_iter_ == 5, model.stop_reason_

    try:
        times = interleaved(repeats, ours=seconds(ours), peer=_wabbit(same, *LEARN, *FIVE_EPOCHS))
    finally:
        Path(f"{same}.cache").unlink(missing_ok=True)
    note = f"epochs: {model.n_iter_}"
    return [Row(f"five epochs from {_size(path)} / vw -c", **times, least_of_peer=5.0, note=note)]


def table(n_bytes: int, repeats: int) -> list[Row]:
    """Numbers with commas between them, beside pyarrow and the data frames."""
    path = files.table(n_bytes)
    peers = _table_peers(path)
    times = interleaved(
        repeats,
        limit=seconds(lambda: _fetch(path)),
        ours=seconds(lambda: _our_table(path)),
        **{name: seconds(act) for name, act in peers.items()},
    )
    limited = {name: times.pop(name) for name in ("ours", "limit")}
    ours, theirs = _our_table(path), next(iter(peers.values()))()
    equal = all(np.array_equal(ours.columns[name], theirs[name]) for name in ours.names)
    note = f"{len(ours):,} rows of {len(ours.names)} numbers and a label, equal: {equal}"
    bars = [{"least_of_peer": 1.0, "note": note}] + [{}] * (len(times) - 1)
    return [
        Row(f"csv {_size(path)} / {name}", **limited, peer=peer, **bar)
        for (name, peer), bar in zip(times.items(), bars, strict=True)
    ]


def _our_table(path: Path) -> Any:
    return rosenblatt.io.read_table(path, target="label")


def _table_peers(path: Path) -> dict[str, Callable[[], Any]]:
    """Pyarrow with the blocks it is quickest with, and others if installed, each on one thread."""
    try:
        from pyarrow import csv
    except ImportError:
        raise Skipped("pyarrow is not installed.") from None

    def arrow(block: int) -> Any:
        options = csv.ReadOptions(use_threads=False, block_size=block)
        return csv.read_csv(path, read_options=options)

    tried = interleaved(2, **{str(size): seconds(partial(arrow, size)) for size in ARROW_BLOCKS})
    best = int(min(tried, key=tried.__getitem__))
    peers: dict[str, Callable[[], Any]] = {
        f"pyarrow, {best >> 10} KiB blocks": partial(arrow, best)
    }
    with suppress(ImportError):
        import pandas

        peers["pandas"] = partial(pandas.read_csv, path, engine="c")
    with suppress(ImportError):
        import polars

        peers["polars"] = partial(polars.read_csv, path)
    return peers


def memory(n_bytes: int, times: int) -> list[Row]:
    """The most memory a process needs that reads a large file in blocks."""
    path = files.repeated(files.sparse(n_bytes)[0], times)
    try:
        found, size = alone("blocks", str(path)), _size(path)
    finally:
        path.unlink()
    bare = alone("nothing")
    note = (
        f"of it {bare['scipy.sparse']:.0f} MB Python, NumPy and SciPy (without SciPy "
        f"{bare['numpy']:.0f}); {found['rows']:,} rows in {found['ms'] / 1000:.1f} s"
    )
    return [Row(f"svmlight {size} in blocks, peak MB", found["peak_mb"], most=200.0, note=note)]


def others(n_bytes: int, repeats: int) -> list[Row]:
    """The other ways in, for the record."""
    path, same = files.sparse(n_bytes)
    readings: dict[str, tuple[Path, Callable[[Path], Iterable[Any]] | None]] = {
        "svmlight in blocks": (path, _reader("iter_svmlight")),
        "svmlight.gz in blocks": (files.packed(path), _reader("iter_svmlight")),
        "vw text in blocks": (same, _reader("iter_vw")),
        "labelled text in blocks": (files.text(n_bytes), _reader("iter_text")),
    }
    rows = []
    for name, (file, read) in readings.items():
        if read is None:
            continue
        ours = interleaved(repeats, ours=seconds(partial(_exhaust, read, file)))["ours"]
        rows.append(Row(f"{name}, {_size(file)}", ours, note=_speed(file, ours)))
    return rows


def _reader(name: str) -> Callable[[Path], Iterable[Any]] | None:
    return getattr(rosenblatt.io, name, None)


def _exhaust(read: Callable[[Path], Iterable[Any]], path: Path) -> None:
    for _ in read(path):
        pass


def _wabbit(path: Path, *arguments: str, reading: str = "wabbit") -> Measurement:
    return lambda: alone(reading, "-d", str(path), *arguments)["ms"] / 1000


def _again(path: Path, first: list[float]) -> Measurement:
    """On one thread in a process of its own, by its second reading; `first` gets the first."""

    def again() -> float:
        found = alone("svmlight on one processor", str(path))
        first.append(found["first_ms"])
        return float(found["ms"]) / 1000

    return again


def _noted(measurement: Measurement, name: str, quickest: dict[str, float]) -> Measurement:
    """The measurement as it is; the smallest goes into `quickest`."""

    def noted() -> float:
        took = measurement()
        quickest[name] = min(took, quickest.get(name, took))
        return took

    return noted


def _check_wabbit(path: Path, n_rows: int, n_values: int) -> None:
    """That vw reads every row and every value, as it says itself when it is not quiet."""
    said = alone("wabbit", "-d", str(path), *READ[1:])["said"]
    for line in (f"number of examples = {n_rows}", f"total feature number = {n_values}"):
        assert line in said, f"{line} was expected of vw, which said:\n{said}"


def _fetch(path: Path, piece: int = 1 << 20) -> None:
    buffer = bytearray(piece)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:,.0f} MB"


def _speed(path: Path, ms: float) -> str:
    return f"{path.stat().st_size / ms / 1000:.0f} MB/s of the file"


def _benchmarks(megabytes: int, repeats: int) -> Benchmarks:
    n_bytes = megabytes * 1_000_000
    return {
        "svmlight": partial(svmlight, n_bytes, repeats),
        "svmlight, scikit-learn": partial(loader, n_bytes, min(repeats, 3)),
        "epochs": partial(epochs, n_bytes, min(repeats, 5)),
        "table": partial(table, n_bytes, min(repeats, 5)),
        "memory": partial(memory, n_bytes, 10),
        "others": partial(others, n_bytes // 10, min(repeats, 5)),
    }


if __name__ == "__main__":
    packages = ["numpy", "scipy", "scikit-learn", "vowpalwabbit", "pyarrow", "pandas", "polars"]
    run(_benchmarks(200, 7), __doc__, packages, quick=_benchmarks(20, 5))
