"""What shards cost and gain: test errors of mixed models, and reading text by two processes."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

import files
import workloads
from report import Row
from timing import interleaved, quietly, seconds

from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger, distribute
from rosenblatt.distributed import engines, shards, tasks

__all__ = ["busy", "digits", "parallel", "tagger"]

SHARDS = EPOCHS = 10
LOOPS = 30_000_000


def _mixed(learner: Any, *data: Any) -> Any:
    return quietly(lambda: distribute(learner, shards=SHARDS).fit(*data).to_local())


def digits(n: int | None) -> list[Row]:
    """MNIST: percent of the test set misclassified, mixed (ours) and by one learner (peer)."""
    train, test, rows = workloads.mnist("train"), workloads.mnist("t10k"), []
    train = type(train)(train.X[:n], train.y[:n])
    for learner, most in ((AveragedPerceptron, 7.7), (Perceptron, 8.1)):
        serial = quietly(partial(learner(max_iter=EPOCHS).fit, *train))
        mixed = _mixed(learner(max_iter=EPOCHS), *train)
        ours, peer = (100 * (1 - model.score(*test)) for model in (mixed, serial))
        work = f"mixed: % wrong on MNIST, {learner.__name__}, {SHARDS} shards, {EPOCHS} epochs"
        rows.append(Row(work, ours, peer=peer, most=most if n is None else None))
    return rows


def tagger(n: int | None) -> list[Row]:
    """English Web Treebank: points of accuracy that the mixed tagger lacks."""
    train, test = workloads.ewt("train"), workloads.ewt("test")
    train = type(train)(train.sentences[:n], train.tags[:n])
    serial = quietly(partial(SequenceTagger(max_iter=EPOCHS).fit, *train)).score(*test)
    rows = []
    for epochs in (EPOCHS, 2 * EPOCHS):
        mixed = _mixed(SequenceTagger(max_iter=epochs), *train).score(*test)
        work = f"mixed: points lost on EWT, {SHARDS} shards, {epochs} epochs / {EPOCHS} serial ones"
        note = f"{mixed:.2%} and {serial:.2%} of the tokens right"
        most = 0.15 if n is None else None
        rows.append(Row(work, 100 * (serial - mixed), most=most, note=note))
    return rows


def busy(n: int, _: Any) -> int:
    """A task that computes, and needs no memory."""
    total = 0
    for i in range(n):
        total += i & 1
    return total


def parallel(n_bytes: int, repeats: int) -> list[Row]:
    """What two processes gain on one: reading and featurising text, and busy loops."""
    found = shards.file_shards(files.text(n_bytes), 2, "text", of_sentences=False, options={})
    found, _ = shards.with_schema(found, None)

    def spent(n_workers: int, task: Any, common: Any) -> float:
        fresh = [replace(shard, key=os.urandom(8).hex()) for shard in found]
        nothing = [replace(shard, key=os.urandom(8).hex(), span=(0, 0)) for shard in found]
        workers = engines.Processes(n_workers)
        try:
            workers.run(tasks.summarize, Perceptron(), nothing)  # so that all is imported
            return seconds(lambda: workers.run(task, common, fresh))()
        finally:
            workers.close(found)

    times = interleaved(
        repeats,
        read_by_one=lambda: spent(1, tasks.summarize, Perceptron()),
        read_by_two=lambda: spent(2, tasks.summarize, Perceptron()),
        busy_one=lambda: spent(1, busy, LOOPS),
        busy_two=lambda: spent(2, busy, LOOPS),
    )
    reading = times["read_by_one"] / times["read_by_two"]
    loops = times["busy_one"] / times["busy_two"]
    work = "parallel: gain of two processes, busy loops (ours) and text (peer)"
    note = f"{times['read_by_one']:.0f} to {times['read_by_two']:.0f} ms of reading"
    return [Row(work, loops, peer=reading, least_of_peer=0.85, note=note)]
