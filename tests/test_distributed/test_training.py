"""Learners over shards: the same bytes whoever works on them, and what a run tells."""

from __future__ import annotations

import gzip
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import parameter_mixing
from waiting import PATIENCE

import rosenblatt
from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger, distribute
from rosenblatt.distributed import WorkerLost, engines, mixing, tasks
from rosenblatt.distributed.distribution_report import DistributionReport
from rosenblatt.distributed.shards import Shard, slices
from rosenblatt.engine.rows import ordering
from rosenblatt.errors import DataError, InputError, ParameterError

from .test_merging import digest

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
X, Y = rosenblatt.datasets.digits()
WORDS = [
    "the",
    "dog",
    "barks",
    "a",
    "cat",
    "sleeps",
    "she",
    "ran",
    "far",
    "dogs",
    "run",
    "fast",
    "one",
    "two",
]
TAGS = ["D", "N", "V", "D", "N", "V", "P", "V", "A", "V", "C", "C"]
SENTENCES = [[WORDS[(i * k + k) % 12] for k in range(1, 6)] for i in range(40)]
TAGGED = [[TAGS[WORDS.index(word)] for word in sentence] for sentence in SENTENCES]
CASES: dict[str, Any] = {
    "linear": (Perceptron(max_iter=3), X[Y < 2], Y[Y < 2]),
    "multiclass": (Perceptron(max_iter=3), X, Y),
    "averaged": (AveragedPerceptron(max_iter=3), X.astype(np.float32), Y),
    "tagger": (SequenceTagger(max_iter=3), SENTENCES, TAGGED),
}


def outcome(case: str, folder: Path, **options: Any) -> str:
    learner, examples, labels = CASES[case]
    done = distribute(learner, **{"shards": 5, **options}).fit(examples, labels)
    return digest(done.to_local(), folder)


# ---------------------------------------------------------------------- what mixing is


@given(st.integers(0, 2**32), st.integers(1, 4), st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_mixing_is_what_the_oracle_says(
    seed: int, n_shards: int, by_mistakes: bool, shuffled: bool
) -> None:
    random = np.random.default_rng(seed)
    rows, epochs = random.standard_normal((13, 3)), 3
    labels = random.choice([-1, 1], 13)
    labels[:2] = -1, 1
    sizes = [13 * k // n_shards for k in range(n_shards + 1)]
    shards = [(rows[a:b], labels[a:b].astype(float)) for a, b in pairwise(sizes)]
    orders = []
    for epoch in range(1, epochs + 1):
        orders.append([])
        for k, (own, _) in enumerate(shards):
            order = np.arange(len(own))
            if shuffled:
                ordering.shuffled(order, mixing.shard_seed(7, epoch, k))
            orders[-1].append(order.tolist())
    expected = parameter_mixing.mixed(shards, orders, by_mistakes=by_mistakes)
    learner = AveragedPerceptron(
        max_iter=epochs, fit_intercept=False, random_state=7, shuffle=shuffled, tol=None
    )
    mix = "mistakes" if by_mistakes else "uniform"
    done = distribute(learner, shards=n_shards, mix=mix, n_workers=1).fit(rows, labels)
    model, ran = done.to_local(), done.to_local().n_iter_
    assert done.report_.mistakes == expected.mistakes[:ran]
    if ran == epochs:
        np.testing.assert_allclose(model.raw_coef_[0], expected.weights, atol=1e-9)
        np.testing.assert_allclose(model.coef_[0], expected.average, atol=1e-9)
        assert done.report_.weighted_mistakes == pytest.approx(expected.weighted_mistakes)


def test_rounding_cannot_prove_a_margin_away() -> None:
    """Every update adds 1 + 2⁻²³, of which float32 keeps the 1 alone once the weight is above 4."""
    value = np.float32(1.0) + np.finfo(np.float32).eps
    signs = np.array([1, -1] * 20)
    rows = (value * signs[:, None]).astype(np.float32)
    learner = Perceptron(margin=100.0, fit_intercept=False, max_iter=20, tol=None)
    done = distribute(learner, shards=2).fit(rows, signs)
    assert done.to_local().coef_.dtype == np.float32
    assert float(value) <= done.report_.margin_ceiling < 1.001


def test_the_report_says_who_would_be_faster() -> None:
    """One learner reads for a second; an epoch over all rows takes twice one over half of them."""

    def report(seconds_alone: float, clock: list[float]) -> DistributionReport:
        found = DistributionReport("threads", 2, "uniform", [50, 50], {0: 50, 1: 50}, 0.0, 1.0)
        found.read, found.clock, found.errors = 1.0, clock, [0.5, 0.2, 0.3]
        found.alone = [(seconds_alone, 0.4), (2 * seconds_alone, 0.2)]
        return found

    # Mixing was best after two epochs and 9 seconds, for which one learner takes 1 + 2 · 2 · s.
    slow_mixing = str(report(1.5, [5.0, 9.0, 12.0]).verdict)
    assert slow_mixing.startswith(
        "one machine would be faster: 9 s until 20.00% of the validation set were wrong, and about "
        "7 s for 2 epochs of one learner over all examples"
    )
    assert slow_mixing.endswith("it came to 20.00% in 3 s, mixing in 9 s")
    fast_mixing = str(report(2.5, [5.0, 9.0, 12.0]).verdict)
    assert fast_mixing.startswith("mixing was faster: 9 s until 20.00% of the validation set")
    assert "about 11 s for 2 epochs" in fast_mixing
    without = report(2.5, [5.0, 9.0, 12.0])
    without.alone = []
    assert without.verdict is None


def test_the_bound_of_the_mixing_theorem_holds_on_separable_rows() -> None:
    rows = rosenblatt.datasets.separable(200, 5, margin=0.1, seed=3)
    margin = rosenblatt.theory.max_margin(rows.X, rows.y).margin
    for mix in ("uniform", "mistakes"):
        done = distribute(Perceptron(tol=None), shards=4, mix=mix).fit(rows.X, rows.y)
        report = done.report_
        assert done.to_local().stop_reason_ == "separated"
        assert done.to_local().converged_
        assert report.margin_ceiling >= margin
        assert report.weighted_mistakes <= (report.radius / margin) ** 2
        assert report.weighted_mistakes <= report.least_bound <= (report.radius / margin) ** 2


def test_training_errors_are_those_of_what_predicts() -> None:
    for case in ("multiclass", "averaged"):
        learner, examples, labels = CASES[case]
        model = distribute(learner, shards=3).fit(examples, labels).to_local()
        assert model.n_training_errors_ == int((model.predict(examples) != labels).sum())
        assert not model.converged_
    tagger = distribute(SequenceTagger(), shards=3).fit(SENTENCES, TAGGED).to_local()
    wrong = sum(a != b for a, b in zip(tagger.predict(SENTENCES), TAGGED, strict=True))
    assert tagger.n_training_errors_ == wrong


def test_a_validation_set_ends_the_run_and_the_best_epoch_predicts() -> None:
    learner = AveragedPerceptron(max_iter=50, n_iter_no_change=2)
    done = distribute(learner, shards=4).fit(
        X[:1200], Y[:1200], validation_set=(X[1200:], Y[1200:])
    )
    model = done.to_local()
    assert model.stop_reason_ == "early_stopping"
    assert model.score(X[1200:], Y[1200:]) == max(model.validation_scores_)
    assert "of the validation set were wrong" in str(done.report_.verdict)
    assert len(done.report_.alone) == mixing.EPOCHS_ALONE


def test_balanced_classes_are_counted_over_all_shards(tmp_path: Path) -> None:
    counts = np.bincount(Y)
    factors = {k: len(Y) / (10 * int(n)) for k, n in enumerate(counts)}
    found = []
    for weight in ("balanced", factors):
        learner = Perceptron(max_iter=2, class_weight=weight)
        found.append(distribute(learner, shards=3).fit(X, Y).to_local().coef_)
    np.testing.assert_array_equal(*found)


# ---------------------------------------------------------------------- the same bytes


@pytest.mark.parametrize("case", CASES)
def test_threads_and_processes_come_to_the_same_bytes(case: str, tmp_path: Path) -> None:
    found = {outcome(case, tmp_path, n_workers=n) for n in (1, 2, 4)}
    found.add(outcome(case, tmp_path, engine="processes", n_workers=2))
    assert len(found) == 1


@pytest.mark.parametrize("case", CASES)
def test_other_seeds_shards_and_mixes_come_to_other_bytes(case: str, tmp_path: Path) -> None:
    learner, examples, labels = CASES[case]
    found = {outcome(case, tmp_path), outcome(case, tmp_path, shards=4)}
    found.add(outcome(case, tmp_path, mix="mistakes"))
    other = type(learner)(**learner.get_params() | {"random_state": 1})
    found.add(digest(distribute(other, shards=5).fit(examples, labels).to_local(), tmp_path))
    assert len(found) == 4


@pytest.mark.parametrize("case", ["averaged", "tagger"])
def test_learning_from_a_shard_changes_nothing_that_others_use(case: str) -> None:
    learner, examples, labels = CASES[case]
    workers, shards = engines.Threads(1), slices((examples, labels), 2)
    run = mixing.MixingRun(learner, workers, shards, "uniform", None, None)
    run.learn()
    run.result.mistakes_per_epoch.append(1)
    light, starts = run._fresh()
    before, first = pickle.dumps((light, starts)), tasks.learn(light, shards[0], starts[0], 7)[0]
    again = tasks.learn(light, shards[0], starts[0], 7)[0]
    assert pickle.dumps((light, starts)) == before
    assert {name: table.tobytes() for name, table in first.tables.items()} == {
        name: table.tobytes() for name, table in again.tables.items()
    }


def test_a_shard_gets_and_returns_only_the_weights_of_its_own_features() -> None:
    sentences, tags = [["a", "b"], ["c", "d"]] * 3, [["X", "Y"], ["Y", "X"]] * 3
    workers, shards = engines.Threads(1), slices((sentences, tags), 2)
    run = mixing.MixingRun(SequenceTagger(), workers, shards, "uniform", None, None)
    run.learn()
    run.result.mistakes_per_epoch.append(1)
    light, starts = run._fresh()
    n_rows = run.learner._model.weights.n_rows
    assert 0 < len(starts[0]["rows"]) < n_rows
    part, _ = tasks.learn(light, shards[0], starts[0], 7)
    assert len(part.features) == len(part.tables["rows"]) < n_rows


def test_a_killed_process_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound, killed = outcome("averaged", tmp_path), []
    perform = engines._Worker.perform

    def killing(self: Any, common: bytes, job: Any) -> Any:
        if self.process is not None and len(killed) < 4:
            killed.append(os.kill(self.process.pid, signal.SIGKILL))
        return perform(self, common, job)

    monkeypatch.setattr(engines._Worker, "perform", killing)
    assert outcome("averaged", tmp_path, engine="processes", n_workers=2) == sound
    assert len(killed) == 4


class Poison:
    """Ends the process that reads it."""

    def __reduce__(self) -> Any:
        return os._exit, (1,)


def test_a_task_that_always_kills_its_process_ends_with_a_sentence() -> None:
    workers = engines.Processes(1)
    try:
        shard = Shard("key", "shard 3", (Poison(),))
        with pytest.raises(WorkerLost, match="shard 3: 4 processes died"):
            workers.run(tasks.summarize, b"", [shard])
    finally:
        workers.close([])


def test_an_interrupt_ends_processes_that_hang() -> None:
    code = """
        import os, signal, rosenblatt
        from rosenblatt.distributed import engines
        start = engines._Worker._start
        def hanging(worker):
            start(worker)
            os.kill(worker.process.pid, signal.SIGSTOP)
            print(worker.process.pid, flush=True)
        engines._Worker._start = hanging
        X, y = rosenblatt.datasets.digits()
        learner = rosenblatt.Perceptron()
        rosenblatt.distribute(learner, engine="processes", n_workers=1).fit(X, y)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as driver:
        assert driver.stdout is not None
        worker = int(driver.stdout.readline())
        driver.send_signal(signal.SIGINT)
        _, said = driver.communicate(timeout=PATIENCE)
    assert said.rstrip().endswith("KeyboardInterrupt")
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_a_driver_that_is_killed_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.rbt"
    code = f"""
        import os, rosenblatt
        from rosenblatt.distributed import mixing
        X, y = rosenblatt.datasets.digits()
        keep = mixing.MixingRun._keep
        def killed(run, reason):
            keep(run, reason)
            if run.result.n_iter == 3:
                os.kill(os.getpid(), 9)
        mixing.MixingRun._keep = killed
        learner = rosenblatt.AveragedPerceptron(max_iter=6)
        rosenblatt.distribute(learner, shards=4, checkpoint={str(path)!r}).fit(X, y)
    """
    died = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert died.returncode == -signal.SIGKILL
    learner = AveragedPerceptron(max_iter=6)
    assert rosenblatt.load(path).n_iter_ == 3
    resumed = distribute(learner, shards=4, checkpoint=path).fit(X, Y)
    whole = distribute(learner, shards=4).fit(X, Y)
    assert digest(resumed.to_local(), tmp_path) == digest(whole.to_local(), tmp_path)
    assert resumed.report_.mistakes == whole.report_.mistakes
    assert resumed.report_.weighted_mistakes == whole.report_.weighted_mistakes
    with pytest.raises(ParameterError, match="no checkpoint of this run"):
        distribute(learner, shards=5, checkpoint=path).fit(X, Y)


def test_a_tagger_with_a_validation_set_resumes_exactly(tmp_path: Path) -> None:
    path, dev = tmp_path / "run.rbt", (SENTENCES[30:], TAGGED[30:])
    for epochs in (2, 5):
        learner = SequenceTagger(max_iter=epochs, n_iter_no_change=9)
        resumed = distribute(learner, shards=3, checkpoint=path)
        resumed.fit(SENTENCES[:30], TAGGED[:30], validation_set=dev)
    whole = distribute(learner, shards=3).fit(SENTENCES[:30], TAGGED[:30], validation_set=dev)
    assert digest(resumed.to_local(), tmp_path) == digest(whole.to_local(), tmp_path)


# ---------------------------------------------------------------------- files


def svmlight(rows: slice) -> bytes:
    lines = rosenblatt.io.svmlight_lines(X[rows], Y[rows].tolist())
    return "".join(lines).encode()


def test_a_file_is_cut_between_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "digits.svm"
    path.write_bytes(svmlight(slice(None)))
    done = distribute(Perceptron(max_iter=2), shards=7).fit_files(path)
    assert sum(done.report_.examples) == len(Y)
    model = done.to_local()
    assert model.predict(X).shape == Y.shape
    assert model.schema_.kind == "svmlight"
    two = distribute(Perceptron(max_iter=2), shards=7, engine="processes").fit_files(str(path))
    assert digest(two.to_local(), tmp_path) == digest(model, tmp_path)


def test_patterns_packed_and_empty_files_are_read(tmp_path: Path) -> None:
    for k in range(3):
        packed = gzip.compress(svmlight(slice(k, None, 3)))
        (tmp_path / f"part-{k}.svm.gz").write_bytes(packed)
    (tmp_path / "part-3.svm").write_bytes(b"")
    done = distribute(Perceptron(max_iter=2)).fit_files(str(tmp_path / "part-*"))
    assert done.report_.examples == [599, 599, 599]
    more = distribute(Perceptron(max_iter=2), shards=6).fit_files(str(tmp_path / "part-*.gz"))
    assert sum(more.report_.examples) == len(Y)
    assert len(more.report_.examples) == 6


def test_addresses_of_fsspec_are_read_as_files_are(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    for k in range(3):
        with fsspec.open(f"memory://digits/part-{k}.svm.gz", "wb") as file:
            file.write(gzip.compress(svmlight(slice(k, None, 3))))
        (tmp_path / f"part-{k}.svm").write_bytes(svmlight(slice(k, None, 3)))
        with fsspec.open(f"memory://digits/part-{k}.svm", "wb") as file:
            file.write(svmlight(slice(k, None, 3)))
    learner, found = Perceptron(max_iter=2), set[str]()
    for folder, ending in ((tmp_path, ""), ("memory://digits", ""), ("memory://digits", ".gz")):
        done = distribute(learner, shards=3).fit_files(f"{folder}/part-*.svm{ending}")
        found.add(digest(done.to_local(), tmp_path))
    assert len(found) == 1
    cut = distribute(learner, shards=7).fit_files("memory://digits/part-*.svm")
    assert sum(cut.report_.examples) == len(Y)
    with pytest.raises(ParameterError, match=r"memory://digits/none-\*.svm matches no file"):
        distribute(learner).fit_files("memory://digits/none-*.svm")


def test_packed_rows_are_read_where_they_lie(tmp_path: Path) -> None:
    (tmp_path / "digits.svm").write_bytes(svmlight(slice(None)))
    rosenblatt.io.pack(tmp_path / "digits.svm", tmp_path / "digits.rows")
    for engine in ("threads", "processes"):
        learner = AveragedPerceptron(max_iter=2)
        done = distribute(learner, shards=5, engine=engine).fit_files(tmp_path / "digits.rows")
        assert done.report_.examples == [359, 359, 360, 359, 360]
        assert done.to_local().schema_.kind == "svmlight"


def test_packed_files_have_one_schema_and_whole_blocks(tmp_path: Path) -> None:
    columns = {
        "one": "size,kind\n1,a\n2,b\n",
        "two": "size,kind\n3,b\n9,a\n",
        "three": "w,z\n1,a\n2,b\n",
    }
    for name, text in columns.items():
        (tmp_path / f"{name}.csv").write_text(text)
    one, two, three = (tmp_path / f"{name}.rows" for name in columns)
    schema = rosenblatt.io.pack(tmp_path / "one.csv", one).schema
    rosenblatt.io.pack(tmp_path / "two.csv", two, schema=schema)
    rosenblatt.io.pack(tmp_path / "three.csv", three)
    learner = Perceptron(max_iter=2)
    assert distribute(learner).fit_files([one, two]).report_.examples == [2, 2]
    with pytest.raises(DataError, match=r"three\.rows: these rows were packed with other columns"):
        distribute(learner).fit_files([one, three])
    damaged = bytearray(two.read_bytes())
    damaged[4096] ^= 1
    two.write_bytes(damaged)
    with pytest.raises(DataError, match=r"two\.rows: .*block 1 of X is damaged"):
        distribute(learner).fit_files([one, two])


def test_quoted_line_ends_are_no_cut(tmp_path: Path) -> None:
    rows = [f'{i},"line\nand ""line"" {i % 3}",{"ab"[i % 2]}\n' for i in range(60)]
    path = tmp_path / "notes.csv"
    path.write_text("number,note,kind\n" + "".join(rows))
    done = distribute(Perceptron(max_iter=2), shards=9).fit_files(path, target="kind")
    assert sum(done.report_.examples) == 60
    assert set(done.to_local().classes_) == {"a", "b"}


def test_sentences_and_texts_are_read(tmp_path: Path) -> None:
    pairs = zip(SENTENCES, TAGGED, strict=True)
    lines = [" ".join(f"{w}/{t}" for w, t in zip(*pair, strict=True)) for pair in pairs]
    (tmp_path / "tagged.txt").write_text("\n".join(lines) + "\n")
    tagger = distribute(SequenceTagger(max_iter=3), shards=4).fit_files(tmp_path / "tagged.txt")
    assert tagger.to_local().score(SENTENCES, TAGGED) > 0.9
    texts = [
        f"{'spam' if i % 2 else 'ham'}\t{'win money' if i % 2 else 'lunch'} {i}\n"
        for i in range(20)
    ]
    (tmp_path / "mail.txt").write_text("".join(texts))
    mail = distribute(Perceptron(), shards=3).fit_files(tmp_path / "mail.txt", format="text")
    assert mail.to_local().converged_


def test_a_fault_in_a_piece_names_its_line_in_the_file(tmp_path: Path) -> None:
    lines = svmlight(slice(0, 200)).split(b"\n")
    lines[150] = b"1 7:oops"
    (tmp_path / "bad.svm").write_bytes(b"\n".join(lines))
    for engine in ("threads", "processes"):
        with pytest.raises(DataError, match=r"bad\.svm:151:5: .*oops"):
            distribute(Perceptron(), shards=6, engine=engine).fit_files(tmp_path / "bad.svm")


def test_what_cannot_be_read_ends_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="matches no file"):
        distribute(Perceptron()).fit_files(str(tmp_path / "none-*.svm"))
    (tmp_path / "empty.svm").write_bytes(b"")
    with pytest.raises(InputError, match="no examples in any"):
        distribute(Perceptron()).fit_files(tmp_path / "empty.svm")
    (tmp_path / "one.svm").write_bytes(svmlight(slice(0, 20)))
    (tmp_path / "text.svm").write_bytes(b"a 1:1\nb 1:2\n")
    both = [tmp_path / "one.svm", tmp_path / "text.svm"]
    with pytest.raises(InputError, match="labels of different shards"):
        distribute(Perceptron()).fit_files(both)


# ---------------------------------------------------------------------- odd shards and arguments


def test_shards_of_one_class_and_few_rows_are_learned_from() -> None:
    order = np.argsort(Y, kind="stable")
    done = distribute(Perceptron(max_iter=3), shards=10).fit(X[order], Y[order])
    assert done.to_local().classes_.tolist() == list(range(10))
    assert done.report_.class_difference > 0.8
    tiny = distribute(Perceptron(), shards=64).fit([[1.0], [-1.0], [2.0]], [1, 0, 1])
    assert len(tiny.report_.examples) == 3
    assert tiny.to_local().converged_


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        (rosenblatt.KernelPerceptron(), {}, "no weight vectors"),
        (rosenblatt.VotedPerceptron(), {}, "no weight vectors"),
        (rosenblatt.StructuredPerceptron(), {}, "StructuredPerceptron has no weight vectors"),
        (Perceptron(record=True), {}, "record=True is for a learner that sees all"),
        (Perceptron(early_stopping=True), {}, "validation_set"),
        (SequenceTagger(tag_dictionary=2), {}, "tag_dictionary"),
        (Perceptron(), {"shards": 0}, "shards=0"),
        (Perceptron(), {"mix": "best"}, "mix='best'"),
        (Perceptron(), {"engine": "spark"}, "engine='spark'"),
        (Perceptron(), {"engine": "threads", "client": "tcp://x"}, "client is for"),
        (Perceptron(), {"n_workers": 0}, "n_workers=0"),
    ],
)
def test_what_cannot_be_distributed_is_refused(learner: Any, options: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        distribute(learner, **options)


def test_before_fit_there_is_no_model() -> None:
    with pytest.raises(ValueError, match="not fitted"):
        distribute(Perceptron()).predict(X)


def test_ending_at_the_limit_is_a_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        distribute(Perceptron(max_iter=1), shards=2).fit(X, Y)
    assert [w.filename for w in caught] == [__file__]
