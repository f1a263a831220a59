"""The tagger beside CRFsuite: parts of speech, chunks, and ways to search.

python benchmarks/tagging.py [--quick] [--only WORD] [--json FILE]

The peer is the averaged perceptron of python-crfsuite ("ap") with its own defaults and as many
epochs as ours; it always searches exactly. Times go from sentences in memory to a trained model,
so that making the features is part of them, on both sides. For CRFsuite a function makes a list of
texts for each token, as its users write it; ours has the same list as templates. The training of
CRFsuite writes its model to a file and cannot do otherwise. Tagging begins with sentences and ends
with their tags.

Parts of speech are those of UD English-EWT (17 tags), chunks those of CoNLL-2000 (22 tags; F1 as
conlleval counts it). Accuracies are those on the test part, given as what is wrong in percent, so
that less is better; those of the ways to search are medians of three orders of the sentences, and
their times are those of the processor, as they do not take turns.
With --quick there are too few sentences for most bars to mean anything, so it has none of them.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import memory
import workloads
from report import Row, Skipped
from running import Benchmarks, run
from timing import interleaved, quietly, seconds
from workloads import Tagged

from rosenblatt import SequenceTagger
from rosenblatt.evaluate import span_scores

EPOCHS = 10
FASTER, FASTER_ANSWERS, FASTER_ANSWER = 8.0, 15.0, 4.0
SEEDS = (0, 1, 2)
LOOKED_AT = (1, 2, 3, 5, 10)

# The same sixteen features for both.
SIXTEEN = (
    "w[-2]",
    "w[-1]",
    "w[0]",
    "w[1]",
    "w[2]",
    "w[0].lower",
    "w[0].suffix(1)",
    "w[0].suffix(2)",
    "w[0].suffix(3)",
    "w[0].prefix(1)",
    "w[0].prefix(2)",
    "w[0].prefix(3)",
    "w[0].is_title",
    "w[0].is_upper",
    "w[0].has_digit",
    "w[0].has_hyphen",
)
# Those of the tutorial of CRFsuite: pairs of (column, offset) taken together.
TUTORIAL = (
    *((("w", k),) for k in range(-2, 3)),
    (("w", -1), ("w", 0)),
    (("w", 0), ("w", 1)),
    *((("pos", k),) for k in range(-2, 3)),
    *((("pos", k), ("pos", k + 1)) for k in range(-2, 2)),
    *((("pos", k), ("pos", k + 1), ("pos", k + 2)) for k in range(-2, 1)),
)
NINETEEN = tuple("|".join(f"{name}[{at}]" for name, at in parts) for parts in TUTORIAL)

SEARCHES: dict[str, dict[str, Any]] = {
    "viterbi": {},
    "beam 8, violation": {"search": "beam", "update": "violation"},
    "beam 8, early": {"search": "beam", "update": "early"},
    "greedy, violation": {"search": "greedy", "update": "violation"},
    "greedy, early": {"search": "greedy", "update": "early"},
    "order 2, viterbi": {"order": 2},
    "order 2, beam 8, violation": {"order": 2, "search": "beam", "update": "violation"},
}


# ---------------------------------------------------------------------- features for CRFsuite


def sixteen(words: list[str]) -> list[list[str]]:
    """What SIXTEEN says, as texts."""
    around = ["<<", "<", *words, ">", ">>"]
    return [
        [
            "w[-2]=" + around[i],
            "w[-1]=" + around[i + 1],
            "w[0]=" + word,
            "w[1]=" + around[i + 3],
            "w[2]=" + around[i + 4],
            "lower=" + word.lower(),
            "suffix1=" + word[-1:],
            "suffix2=" + word[-2:],
            "suffix3=" + word[-3:],
            "prefix1=" + word[:1],
            "prefix2=" + word[:2],
            "prefix3=" + word[:3],
            f"title={word.istitle()}",
            f"upper={word.isupper()}",
            f"digit={any(map(str.isdigit, word))}",
            f"hyphen={'-' in word}",
        ]
        for i, word in enumerate(words)
    ]


def tutorial(tokens: list[tuple[str, str]]) -> list[list[str]]:
    """What TUTORIAL says, as its script does: nothing beyond a sentence, but marks at its ends."""
    n, found = len(tokens), []
    columns = {"w": [word for word, _ in tokens], "pos": [pos for _, pos in tokens]}
    for i in range(n):
        features = []
        for name, parts in zip(NINETEEN, TUTORIAL, strict=True):
            if i >= -parts[0][1] and i + parts[-1][1] < n:
                values = [columns[column][i + at] for column, at in parts]
                features.append(name + "=" + "|".join(values))
        found.append(features)
    found[0].append("__BOS__")
    found[-1].append("__EOS__")
    return found


Featured = Callable[[list[Any]], list[list[str]]]


def _crfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError:
        raise Skipped("python-crfsuite is not here; pip install python-crfsuite.") from None
    return pycrfsuite


def _train_peer(data: Tagged, featured: Featured, file: Path) -> None:
    trainer = _crfsuite().Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": EPOCHS})
    for sentence, tags in zip(*data, strict=True):
        trainer.append(featured(sentence), tags)
    trainer.train(str(file))


def _ask_peer(tagger: Any, sentences: list[Any], featured: Featured) -> list[list[str]]:
    return [tagger.tag(featured(sentence)) for sentence in sentences]


# ---------------------------------------------------------------------- how good


def wrong(found: list[list[str]], right: list[list[str]]) -> float:
    """Percent of tags."""
    pairs = [pair for a, b in zip(found, right, strict=True) for pair in zip(a, b, strict=True)]
    return 100 * sum(a != b for a, b in pairs) / len(pairs)


def f1(found: list[list[str]], right: list[list[str]]) -> float:
    """Percent; a chunk is right if its type, its first and its last token are."""
    return 100 * span_scores(right, found).f1


# ---------------------------------------------------------------------- parts of speech


@cache
def _ewt(n: int | None) -> tuple[Tagged, Tagged]:
    return _first(workloads.ewt("train"), n), workloads.ewt("test")


@cache
def _conll(n: int | None) -> tuple[Tagged, Tagged]:
    return _first(workloads.conll2000("train"), n), workloads.conll2000("test")


def _first(data: Tagged, n: int | None) -> Tagged:
    return Tagged(data.sentences[:n], data.tags[:n])


def _only_in_full(bar: float, n: int | None) -> float | None:
    return bar if n is None else None


def _size(data: Tagged) -> str:
    return f"{len(data.sentences):,} sentences, {sum(map(len, data.tags)):,} tokens"


def parts_of_speech(n: int | None, repeats: int) -> list[Row]:
    """Ten epochs on the same features; our own templates; then the answers of both."""
    pycrfsuite = _crfsuite()
    train, test = _ewt(n)
    ours = SequenceTagger(templates=SIXTEEN, max_iter=EPOCHS)
    default = SequenceTagger(max_iter=EPOCHS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "peer"
        times = interleaved(
            repeats,
            ours=seconds(lambda: ours.fit(*train)),
            default=seconds(lambda: default.fit(*train)),
            peer=seconds(lambda: _train_peer(train, sixteen, file)),
        )
        peer = pycrfsuite.Tagger()
        peer.open(str(file))
        name = f"EWT, {EPOCHS} epochs"
        ours_wrong, default_wrong = (
            wrong(tagger.predict(test.sentences), test.tags) for tagger in (ours, default)
        )
        peer_wrong = wrong(_ask_peer(peer, test.sentences, sixteen), test.tags)
        rows = [
            Row(
                f"{name}, 16 features / CRFsuite",
                times["ours"],
                peer=times["peer"],
                least_of_peer=_only_in_full(FASTER, n),
                note=_size(train),
            ),
            Row(
                "the same: % of test tags wrong",
                ours_wrong,
                peer=peer_wrong,
                least_of_peer=_only_in_full(1.0, n),
                note=f"right: ours {100 - ours_wrong:.2f}, CRFsuite {100 - peer_wrong:.2f}",
            ),
            Row(f"{name}, our templates / CRFsuite's 16", times["default"], peer=times["peer"]),
            Row(
                "the same: % of test tags wrong",
                default_wrong,
                peer=peer_wrong,
                most=_only_in_full(5.2, n),
                note=f"right: {100 - default_wrong:.2f}",
            ),
        ]
        for copies in (1, 10):
            least = _only_in_full(FASTER_ANSWERS, n)
            rows += _answers(ours, default, peer, test.sentences * copies, repeats, least)
    return rows


def _answers(
    ours: SequenceTagger,
    default: SequenceTagger,
    peer: Any,
    sentences: list[Any],
    repeats: int,
    least: float | None,
) -> list[Row]:
    times = interleaved(
        repeats,
        ours=seconds(lambda: ours.predict(sentences)),
        default=seconds(lambda: default.predict(sentences)),
        peer=seconds(lambda: _ask_peer(peer, sentences, sixteen)),
    )
    n_tokens = sum(map(len, sentences))
    speed = {who: f"{n_tokens / ms:,.0f}" for who, ms in times.items()}
    against = {"peer": times["peer"], "least_of_peer": least}
    note = f"thousand tokens/s: ours {speed['ours']}, CRFsuite {speed['peer']}"
    return [
        Row(f"tag {n_tokens:,} tokens, 16 / CRFsuite", times["ours"], **against, note=note),
        Row(
            "the same, our templates / CRFsuite's 16",
            times["default"],
            peer=times["peer"],
            note=f"thousand tokens/s: ours {speed['default']}",
        ),
    ]


def one_by_one(n: int | None, repeats: int) -> list[Row]:
    """Sentences as they come, each in a call of its own."""
    pycrfsuite = _crfsuite()
    train, test = _ewt(2000 if n is None else n)
    ours = quietly(lambda: SequenceTagger(templates=SIXTEEN, max_iter=EPOCHS).fit(*train))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "peer"
        _train_peer(train, sixteen, file)
        peer = pycrfsuite.Tagger()
        peer.open(str(file))
        times = interleaved(
            repeats,
            ours=seconds(lambda: [ours.predict([words]) for words in test.sentences]),
            peer=seconds(lambda: _ask_peer(peer, test.sentences, sixteen)),
        )
    least = _only_in_full(FASTER_ANSWER, n)
    name = f"{len(test.sentences):,} sentences, a call each / CRFsuite"
    return [Row(name, **times, least_of_peer=least)]


# ---------------------------------------------------------------------- chunks


def chunks(n: int | None, repeats: int) -> list[Row]:
    """Our templates, and exactly those of the tutorial, beside CRFsuite with these."""
    pycrfsuite = _crfsuite()
    train, test = _conll(n)
    default = SequenceTagger(max_iter=EPOCHS)
    same = SequenceTagger(templates=NINETEEN, max_iter=EPOCHS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "peer"
        times = interleaved(
            repeats,
            default=seconds(lambda: default.fit(*train)),
            same=seconds(lambda: same.fit(*train)),
            peer=seconds(lambda: _train_peer(train, tutorial, file)),
        )
        peer = pycrfsuite.Tagger()
        peer.open(str(file))
        good = {
            "default": f1(default.predict(test.sentences), test.tags),
            "same": f1(same.predict(test.sentences), test.tags),
            "peer": f1(_ask_peer(peer, test.sentences, tutorial), test.tags),
        }
    name = f"CoNLL-2000, {EPOCHS} epochs"
    least = {"peer": times["peer"], "least_of_peer": _only_in_full(FASTER, n)}
    missing = {who: 100 - value for who, value in good.items()}
    return [
        Row(f"{name}, ours / CRFsuite's 19", times["default"], **least, note=_size(train)),
        Row(
            "the same: 100 - F1",
            missing["default"],
            peer=missing["peer"],
            most=_only_in_full(6.4, n),
            note=f"F1: ours {good['default']:.2f}, CRFsuite {good['peer']:.2f}",
        ),
        Row(f"{name}, the same 19 / CRFsuite", times["same"], **least),
        Row(
            "the same: 100 - F1",
            missing["same"],
            peer=missing["peer"],
            note=f"F1: ours {good['same']:.2f}",
        ),
    ]


# ---------------------------------------------------------------------- search


def searches(n: int | None) -> list[Row]:
    """What is wrong after some epochs, by search and update; a beam may not lose much."""
    train, test = _ewt(n)
    rows, after_ten = [], {}
    for name, settings in SEARCHES.items():
        runs = [_watched(settings, seed, train, test) for seed in SEEDS]
        took = statistics.median(ms for ms, _ in runs)
        right = [100 - statistics.median(found[k] for _, found in runs) for k in LOOKED_AT]
        after_ten[name] = right[-1]
        shown = ", ".join(f"{k}: {value:.2f}" for k, value in zip(LOOKED_AT, right, strict=True))
        rows.append(Row(f"{name}, {LOOKED_AT[-1]} epochs", took, note=f"right after {shown}"))
    behind = after_ten["viterbi"] - after_ten["beam 8, violation"]
    rows.append(Row("points that beam 8, violation is behind", behind, most=_only_in_full(0.2, n)))
    return rows


def _watched(
    settings: dict[str, Any], seed: int, train: Tagged, test: Tagged
) -> tuple[float, dict[int, float]]:
    """Milliseconds of the processor for all epochs, and what is wrong after some of them.

    A warm start goes on exactly as if the first call had not ended.
    """
    tagger = SequenceTagger(**settings, random_state=seed, warm_start=True)
    took, done, found = 0.0, 0, {}
    for k in LOOKED_AT:
        start = time.process_time()
        quietly(partial(tagger.set_params(max_iter=k - done).fit, *train))
        took, done = took + 1000 * (time.process_time() - start), k
        found[k] = wrong(tagger.predict(test.sentences), test.tags)
    return took, found


# ---------------------------------------------------------------------- memory


def peaks(n: int | None) -> list[Row]:
    """The most memory that a process held while it trained, and when it had read the sentences."""
    _crfsuite()
    rows = []
    for name in ("EWT", "CoNLL-2000"):
        found = {who: _peak_of_training(name, who, n) for who in ("ours", "same", "peer")}
        read = found["ours"][0]
        for who, what in (("same", "the same features"), ("ours", "our templates")):
            rows.append(
                Row(
                    f"{name}, peak MB, {what} / CRFsuite",
                    found[who][1],
                    peer=found["peer"][1],
                    note=f"{read:.0f} MB before training",
                )
            )
    return rows


def _peak_of_training(name: str, who: str, n: int | None) -> tuple[float, float]:
    command = [sys.executable, __file__, "--train", name, who, str(n or "")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    before, after = map(float, done.stdout.split())
    return before, after


def _train_and_tell(name: str, who: str, n: int | None) -> None:
    train = _first(workloads.ewt("train") if name == "EWT" else workloads.conll2000("train"), n)
    before = memory._peak()
    if who == "peer":
        with tempfile.TemporaryDirectory() as folder:
            _train_peer(train, sixteen if name == "EWT" else tutorial, Path(folder) / "peer")
    else:
        same = SIXTEEN if name == "EWT" else NINETEEN
        SequenceTagger(templates=same if who == "same" else None).fit(*train)
    print(before / 1e6, memory._peak() / 1e6)


def _benchmarks(n: int | None, repeats: int) -> Benchmarks:
    return {
        "parts of speech": partial(parts_of_speech, n, repeats),
        "one by one": partial(one_by_one, n, repeats),
        "chunks": partial(chunks, n, repeats),
        "search": partial(searches, n),
        "memory": partial(peaks, n),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        _train_and_tell(sys.argv[2], sys.argv[3], int(sys.argv[4]) if sys.argv[4] else None)
    else:
        packages = ["numpy", "python-crfsuite"]
        run(_benchmarks(None, 3), __doc__, packages, quick=_benchmarks(1000, 1))
