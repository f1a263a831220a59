"""Models that the shell trained, read back with `rosenblatt.load`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from cli.shell import run, written
from cli.tagging import CHUNKS, CHUNKS_NEW, HARBOUR, HARBOUR_NEW

import rosenblatt
from frozen.data import json_lines, mail_lines, svmlight_lines, table_lines, vw_lines
from frozen.outcomes import outcome, settings, shown
from frozen.structured_cases import tagger_outcome

LINES: dict[str, Callable[..., list[str]]] = {
    "csv": table_lines,
    "text": mail_lines,
    "svmlight": svmlight_lines,
    "jsonl": json_lines,
    "vw": vw_lines,
}
# Fewer columns than there are n-grams, so that some share one.
HASHED = {"text": ["--bits", "10"], "csv": ["--bits", "8"], "jsonl": ["--bits", "8"]}
TARGET = {"csv": ["--target", "kind"], "jsonl": ["--target", "kind"]}
ONLINE = ("perceptron", "averaged", "mira", "pa", "soft")
Options = list[str]


def shell(*arguments: str | Path) -> Any:
    done = run(*arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def data(folder: Path, kind: str, seed: int, n: int) -> Path:
    return written(folder, f"{seed}.{kind}", LINES[kind](seed, n))


def reading(kind: str) -> Options:
    return ["--format", kind, *TARGET.get(kind, [])]


def model_outcome(folder: Path, kind: str, model: Path) -> dict[str, Any]:
    learner = rosenblatt.load(model)
    found = learner.schema_.read(data(folder, kind, 9, 24))
    table = learner.schema_.encode(found)
    answers = learner.predict(table if not hasattr(table, "tocsr") else table.tocsr())
    return {
        "settings": settings(learner),
        "schema_": shown(learner.schema_.to_json()),
        **outcome(learner, answers.tolist()),
    }


def train(kind: str, options: Options, folder: Path) -> dict[str, Any]:
    model = folder / "model.rbt"
    usual = HASHED.get(kind, []) if "--exact" not in options else []
    dev = [str(data(folder, kind, 4, 24)) if part == "DEV" else part for part in options]
    shell(
        "train",
        "--learner",
        "averaged",
        data(folder, kind, 1, 64),
        *reading(kind),
        *usual,
        *dev,
        "--out",
        model,
    )
    return model_outcome(folder, kind, model)


def resumed(kind: str, options: Options, again: Options, folder: Path) -> dict[str, Any]:
    train(kind, options, folder)
    model = folder / "model.rbt"
    shell("train", data(folder, kind, 2, 32), *reading(kind), "--resume", model, *again)
    return model_outcome(folder, kind, model)


def stream(kind: str, options: Options, resume: bool, folder: Path) -> dict[str, Any]:
    model, answers = folder / "model.rbt", folder / "answers"
    first = [*reading(kind), *HASHED.get(kind, []), *options, "--out", model]
    said = shell("stream", data(folder, kind, 1, 64), *first, "--predictions", answers)
    if resume:
        more = [*reading(kind), "--resume", model, "--new-classes", "allow"]
        said = shell("stream", data(folder, kind, 2, 32), *more, "--predictions", answers)
    return {
        "mistakes": said["mistakes"],
        "online_mistakes": said["online_mistakes"],
        "curve": shown(said["curve"]),
        "answers": shown(answers.read_text(encoding="utf-8").splitlines()),
        **model_outcome(folder, kind, model),
    }


def tag(file: Path, new: Path, options: list[str], again: list[str], folder: Path) -> Any:
    model = folder / "tagger.rbt"
    shell("tag", "train", file, "--out", model, *options)
    if again:
        shell("tag", "train", new if "--one-pass" in again else file, "--resume", model, *again)
    columns = [line.split() for line in new.read_text(encoding="utf-8").split("\n")]
    tagger = rosenblatt.load(model)
    return {"settings": settings(tagger), **tagger_outcome(tagger, _questions(columns, file))}


def _questions(columns: list[list[str]], file: Path) -> list[Any]:
    """Sentences of a file of columns, as the tagger takes them."""
    found: list[list[Any]] = [[]]
    for line in columns:
        if not line:
            found.append([])
        elif line[0] != "#":
            found[-1].append(line[1] if file == HARBOUR else (line[0], line[1]))
    return [sentence for sentence in found if sentence]


TRAIN: dict[str, tuple[str, Options]] = {
    **{
        f"{learner}/{kind}": (kind, ["--learner", learner, "--epochs", "12"])
        for learner in (*ONLINE, "voted")
        for kind in LINES
    },
    **{
        f"{learner}/dev share": ("csv", ["--learner", learner, "--dev", "0.25"])
        for learner in (*ONLINE, "voted")
    },
    **{
        f"{learner}/one pass": ("svmlight", ["--learner", learner, "--one-pass"])
        for learner in (*ONLINE, "voted")
    },
    "averaged/dev file": ("csv", ["--dev", "DEV"]),
    "averaged/dev file, text": ("text", ["--dev", "DEV"]),
    "pa/dev file, svmlight": ("svmlight", ["--dev", "DEV", "--learner", "pa"]),
    "averaged/dev share, svmlight": ("svmlight", ["--dev", "0.2", "--seed", "3"]),
    "averaged/one pass, csv": ("csv", ["--one-pass"]),
    "averaged/one pass, text": ("text", ["--one-pass"]),
    "averaged/one pass, vw": ("vw", ["--one-pass"]),
    "averaged/one pass, recorded": ("svmlight", ["--one-pass", "--record"]),
    "perceptron/recorded": (
        "csv",
        ["--record", "--epochs", "5", "--seed", "3", "--learner", "perceptron"],
    ),
    "pa/recorded, svmlight": ("svmlight", ["--record", "--epochs", "5", "--learner", "pa"]),
    "averaged/recorded, text": ("text", ["--record", "--epochs", "5"]),
    "voted/recorded, dev share": (
        "svmlight",
        ["--record", "--epochs", "5", "--dev", "0.25", "--learner", "voted"],
    ),
    "averaged/exact words": ("text", ["--exact", "--epochs", "5"]),
    "averaged/words and letters": ("text", ["--words", "1-2", "--chars", "2-3", "--epochs", "5"]),
    "averaged/not scaled": ("csv", ["--no-scale", "--epochs", "5"]),
    "averaged/columns declared": (
        "csv",
        ["--column", "remark=category", "--column", "weight=ignored", "--epochs", "5"],
    ),
}
RESUMED: dict[str, tuple[str, Options, Options]] = {
    **{
        f"{learner}/resumed": ("svmlight", ["--learner", learner, "--epochs", "5"], [])
        for learner in ONLINE
    },
    "averaged/resumed, csv": ("csv", ["--epochs", "5"], []),
    "averaged/resumed, text": ("text", ["--one-pass"], []),
    "averaged/resumed, exact words": ("text", ["--one-pass", "--exact"], []),
    "averaged/resumed, vw": ("vw", ["--one-pass"], []),
    "averaged/resumed, recorded": ("svmlight", ["--one-pass", "--record"], []),
    "soft/resumed, jsonl": ("jsonl", ["--epochs", "5", "--learner", "soft"], []),
}
STREAM: dict[str, tuple[str, Options, bool]] = {
    **{
        f"{learner}/{kind}": (kind, ["--learner", learner], False)
        for learner in ONLINE
        for kind in LINES
    },
    "averaged/latest": ("svmlight", ["--count", "latest"], False),
    "averaged/resumed, csv": ("csv", [], True),
    "pa/resumed, svmlight": ("svmlight", ["--learner", "pa"], True),
    "perceptron/resumed, text": ("text", ["--learner", "perceptron"], True),
    "averaged/every 5, window 10": ("text", ["--every", "5", "--window", "10"], False),
}
TAG: dict[str, tuple[Path, Path, list[str], list[str]]] = {
    "default": (HARBOUR, HARBOUR_NEW, [], []),
    "dev file": (HARBOUR, HARBOUR_NEW, ["--dev", str(HARBOUR_NEW)], []),
    "dev share": (HARBOUR, HARBOUR_NEW, ["--dev", "0.25", "--seed", "3"], []),
    "one pass": (HARBOUR, HARBOUR_NEW, ["--one-pass"], []),
    "seed": (HARBOUR, HARBOUR_NEW, ["--seed", "7", "--epochs", "3"], []),
    "order 2": (HARBOUR, HARBOUR_NEW, ["--order", "2", "--epochs", "3"], []),
    "beam": (HARBOUR, HARBOUR_NEW, ["--beam", "3", "--epochs", "3"], []),
    "greedy": (HARBOUR, HARBOUR_NEW, ["--search", "greedy", "--epochs", "3"], []),
    "mira": (HARBOUR, HARBOUR_NEW, ["--rule", "mira", "--epochs", "3"], []),
    "dictionary": (HARBOUR, HARBOUR_NEW, ["--dictionary", "2", "--epochs", "3"], []),
    "templates": (HARBOUR, HARBOUR_NEW, ["--templates", "w[0] w[-1].lower", "--epochs", "3"], []),
    "chunks": (CHUNKS, CHUNKS_NEW, [], []),
    "chunks, constraints": (CHUNKS, CHUNKS_NEW, ["--constraints", "BIO", "--epochs", "3"], []),
    "resumed": (HARBOUR, HARBOUR_NEW, ["--epochs", "2"], ["--epochs", "1"]),
    "resumed, one pass": (CHUNKS, CHUNKS_NEW, ["--epochs", "2"], ["--one-pass"]),
}


def cases() -> Iterator[tuple[str, Callable[[Path], dict[str, Any]]]]:
    for name, trained in TRAIN.items():
        yield f"train/{name}", partial(train, *trained)
    for name, gone_on in RESUMED.items():
        yield f"train/{name}", partial(resumed, *gone_on)
    for name, streamed in STREAM.items():
        yield f"stream/{name}", partial(stream, *streamed)
    for name, tagged in TAG.items():
        yield f"tag train/{name}", partial(tag, *tagged)
