"""rosenblatt train and tag train over shards."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import rosenblatt
from cli.shell import run


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    X, y = rosenblatt.datasets.digits()
    for k in range(3):
        lines = "".join(rosenblatt.io.svmlight_lines(X[k:900:3], y[k:900:3].tolist()))
        (tmp_path / f"part-{k}.svm.gz").write_bytes(gzip.compress(lines.encode()))
    dev = "".join(rosenblatt.io.svmlight_lines(X[900:1000], y[900:1000].tolist()))
    (tmp_path / "dev.svm").write_text(dev)
    return tmp_path


def test_a_pattern_is_trained_on_as_in_python(parts: Path) -> None:
    pattern, out = str(parts / "part-*.svm.gz"), parts / "digits.rbt"
    options = ["--learner", "averaged", "--epochs", "4", "--shards", "6", "--seed", "3"]
    done = run("train", pattern, *options, "--out", out, "--dev", parts / "dev.svm")
    assert done.code == 0
    assert "900 rows, 64 features" in done.out
    assert "6 shards of 150 to 150 examples; threads" in done.out
    assert "of the validation set were wrong" in done.out
    learner = rosenblatt.AveragedPerceptron(max_iter=4, random_state=3)
    parallel = rosenblatt.distribute(learner, shards=6)
    with pytest.warns(rosenblatt.errors.ConvergenceWarning):
        parallel.fit_files(pattern, validation_set=parts / "dev.svm")
    rosenblatt.save(parallel.to_local(), parts / "python.rbt")
    assert out.read_bytes() == (parts / "python.rbt").read_bytes()


def test_json_has_the_report(parts: Path) -> None:
    pattern = str(parts / "part-*.svm.gz")
    done = run("train", pattern, "--shards", "3", "--epochs", "2", "--mix", "mistakes", "--json",
               "--out", parts / "m.rbt", "--engine", "processes")  # fmt: skip
    facts = json.loads(done.out)
    assert facts["distribution"]["mix"] == "mistakes"
    assert facts["distribution"]["engine"] == "processes"
    assert [len(epoch) for epoch in facts["distribution"]["mistakes"]] == [3, 3]
    assert sum(facts["classes"].values()) == facts["rows"] == 900


def test_a_table_is_read_by_the_schema_of_its_first_shard(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7},{'red' if i % 2 else 'blue'},{'ab'[i % 2]}\n" for i in range(80))
    (tmp_path / "t.csv").write_text("size,colour,kind\n" + rows)
    done = run("train", tmp_path / "t.csv", "--shards", "4", "--out", tmp_path / "t.rbt")
    assert done.code == 0
    assert "accuracy: 1.0000" in done.out
    again = run("evaluate", tmp_path / "t.rbt", tmp_path / "t.csv")
    assert "1.0000" in again.out


def test_a_tagger_is_trained_over_shards(tmp_path: Path) -> None:
    lines = "the/D dog/N barks/V\na/D cat/N sleeps/V\nshe/P ran/V far/A\n" * 4
    (tmp_path / "tagged.txt").write_text(lines)
    out = tmp_path / "tagger.rbt"
    done = run("tag", "train", tmp_path / "tagged.txt", "--shards", "3", "--out", out)
    assert done.code == 0
    assert "12 sentences" in done.out
    (tmp_path / "new.txt").write_text("the cat barks\n")
    tagged = run("tag", "predict", out, tmp_path / "new.txt")
    assert tagged.out == "the/D cat/N barks/V\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shards", "2", "--one-pass"], "--one-pass has no meaning with --shards"),
        (["--shards", "0"], "from 1 on"),
        (["--shards", "2", "--dev", "0.1"], "name a file; no rows of shards are held out"),
        (["--shards", "2", "--learner", "kernel"], "no weight vectors"),
        (["--cluster", "tcp://x", "--engine", "threads"], "client is for"),
        ([], "does not exist"),
    ],
)
def test_what_has_no_meaning_is_refused(parts: Path, options: list[str], message: str) -> None:
    done = run("train", str(parts / "part-*.svm.gz"), *options)
    assert done.code == 2
    assert message in done.err


def test_a_cluster_that_is_not_there_is_named(parts: Path) -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    address = "tcp://127.0.0.1:1"
    with dask.config.set({"distributed.comm.timeouts.connect": "200ms"}):
        done = run("train", str(parts / "part-*.svm.gz"), "--shards", "2", "--cluster", address)
    assert done.code == 5
    assert done.err.startswith(f"error: no Dask scheduler answers at {address}: ")
