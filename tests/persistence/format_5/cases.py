"""Learners whose files of format 5 are kept: every learner, in every state that changes the layout.

Each case says how its learner was trained, what the loaded learner is asked, and one more example
that it learns. Rows are few and small; those of kernels are whole numbers, so that no sum is
rounded and a matrix product gives the same bits everywhere.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from strategies import integers

from persistence.samples import stream_of_mappings as first_stream
from rosenblatt import (
    ALMA,
    AROW,
    MIRA,
    SCW,
    AutoLinear,
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressive,
    Pegasos,
    Perceptron,
    SequenceTagger,
    SoftPerceptron,
    VotedPerceptron,
)
from rosenblatt.arrays import SparseRows
from rosenblatt.features import Schema, SparseSchema, TextFeatures, TextSchema
from rosenblatt.io import read_table

# ---------------------------------------------------------------------- rows and labels

X = np.array(
    [
        [1.0, -2.0, 0.0],
        [0.5, 0.25, 3.0],
        [-1.5, 2.0, 1.0],
        [2.0, 0.0, -0.75],
        [-0.5, -1.0, 0.0],
        [0.0, 1.5, -2.0],
        [3.0, 1.0, 0.5],
        [-2.0, 0.0, 1.25],
        [1.0, -1.0, 2.5],
    ]
)
WHOLE = np.round(X * 2.0)
# Classes that no plane separates, so that every run makes mistakes.
TWO = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0])
THREE = np.array(["left", "right", "up", "up", "left", "right", "right", "up", "left"])
QUESTIONS = np.array([[0.25, -1.0, 2.0], [1.5, 1.5, -0.5], [-3.0, 0.5, 0.125], [0.0, 0.0, 1.0]])
FEW = {"max_iter": 3, "tol": None}
EARLY = {"validation_set": (X[3:], THREE[3:])}
WIDTH = 1200  # columns: enough for weights that are mostly 0 to be stored by their places
NAMES: list[Any] = ["a", ("b", 1), 4, 5.5, True, None, b"bytes"]

CSV = b"weight,carrier,late\n3,Wren,yes\n8,Wren,yes\n2,Swift,no\n1,Heron,no\n9,Swift,yes\n"
TEXTS = b"a\tgood day\nb\tbad day\na\tgood night\n"

SENTENCES = [["the", "dog", "runs"], ["dogs", "run"], ["a", "run"], ["the", "Runs", "run"]]
TAGS = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"], ["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
ASKED = [["the", "dogs", "run"], ["unseen", "Süß"], ["a"]]


def wide(rows: np.ndarray) -> np.ndarray:
    """The same numbers in columns far apart."""
    table = np.zeros((len(rows), WIDTH))
    table[:, [3, 700, WIDTH - 1]] = rows
    return table


def tuples(sentences: list[list[str]]) -> list[list[tuple[str, ...]]]:
    return [[(word, word[:1], word[-1:]) for word in sentence] for sentence in sentences]


def mappings(sentences: list[list[str]]) -> list[list[dict[str, Any]]]:
    return [
        [{"word": word, "letters": len(word), "short": len(word) < 3} for word in sentence]
        for sentence in sentences
    ]


def as_mapping(x: np.ndarray, first: int = 0) -> dict[Any, float]:
    """A row as a mapping whose names are of several types."""
    return {NAMES[first + j]: float(x[j]) for j in range(len(x)) if x[j]}


def gram(rows: np.ndarray) -> np.ndarray:
    """Kernels of rows with the rows that were trained on."""
    products: np.ndarray = (rows @ WHOLE.T + 1.0) ** 2
    return products


# ---------------------------------------------------------------------- cases


@dataclass(frozen=True)
class Case:
    """How a learner is trained, what it is asked after loading, and what it learns then."""

    build: Callable[[], Any]
    ask: Callable[[Any], Any]
    learn: Callable[[Any], Any]
    # Arguments of `save`.
    saved_with: dict[str, Any]


def answers(learner: Any, rows: Any) -> dict[str, Any]:
    """Labels and scores; the digits that the matrix product of a kernel may round are left out."""
    scores = learner.decision_function(rows)
    if isinstance(learner, KernelPerceptron):
        scores = np.round(scores, 9) + 0.0
    found = {"predict": learner.predict(rows), "decision_function": scores}
    if getattr(learner, "calibration_", None) is not None:
        found["predict_proba"] = learner.predict_proba(rows)
    return found


def of_rows(
    build: Callable[[], Any], change: Callable[[np.ndarray], Any] = np.asarray, **saved_with: Any
) -> Case:
    def learn(learner: Any) -> Any:
        return learner.partial_fit(change(WHOLE[:1]), learner.classes_[-1:])

    return Case(build, lambda learner: answers(learner, change(QUESTIONS)), learn, saved_with)


def of_kernel(
    build: Callable[[], Any], change: Callable[[np.ndarray], Any] = np.asarray, **saved_with: Any
) -> Case:
    asked = np.array([[1.0, -1.0, 2.0], [3.0, 0.0, -1.0], [0.0, 2.0, 1.0]])

    def learn(learner: Any) -> Any:
        return learner.partial_fit(change(WHOLE[:1]), learner.classes_[-1:])

    return Case(build, lambda learner: answers(learner, change(asked)), learn, saved_with)


def of_mappings(build: Callable[[], Any], **saved_with: Any) -> Case:
    def ask(learner: Any) -> Any:
        return {"predict": [learner.predict_one(as_mapping(x)) for x in QUESTIONS]}

    def learn(learner: Any) -> Any:
        return learner.learn_one({"new": 1.0, **as_mapping(X[1])}, "left")

    return Case(build, ask, learn, saved_with)


def of_records(build: Callable[[], Any]) -> Case:
    records = [{"weight": 3, "carrier": "Swift"}, {"weight": 9.5, "carrier": "unseen"}]

    def ask(learner: Any) -> Any:
        return {"predict": [learner.predict_one(record) for record in records]}

    def learn(learner: Any) -> Any:
        return learner.learn_one(records[0], "yes")

    return Case(build, ask, learn, {})


def of_texts(build: Callable[[], Any], text: bytes, more: bytes) -> Case:
    """Of learners whose schema reads a file."""

    def ask(learner: Any) -> Any:
        schema = learner.schema_
        return answers(learner, schema.encode(schema.read(io.BytesIO(text))))

    def learn(learner: Any) -> Any:
        schema = learner.schema_
        block = schema.read(io.BytesIO(more), labelled=True)
        return learner.partial_fit(schema.encode(block), block.labels)

    return Case(build, ask, learn, {})


def of_sentences(
    build: Callable[[], Any], change: Callable[[Any], Any] = list, **saved_with: Any
) -> Case:
    def ask(learner: Any) -> Any:
        return {"predict": learner.predict(change(ASKED))}

    def learn(learner: Any) -> Any:
        return learner.partial_fit(change([["a", "dog", "Süß"]]), [["DET", "NOUN", "VERB"]])

    return Case(build, ask, learn, saved_with)


def fit(make: Callable[..., Any], rows: Any = X, labels: Any = THREE, **options: Any) -> Any:
    """A learner that was fitted in a few epochs."""
    return make(**{**FEW, **options}).fit(rows, labels)


def two_batches(make: Callable[..., Any], **options: Any) -> Any:
    return make(**options).partial_fit(X[:5], THREE[:5]).partial_fit(X[5:], THREE[5:])


def stream_of_mappings(learner: Any) -> Any:
    for number, (x, label) in enumerate(zip(X, THREE.tolist(), strict=True)):
        learner.learn_one(as_mapping(x, first=number % 5), label)
    return learner


def with_schema(learner: Any) -> Any:
    table = read_table(io.BytesIO(CSV), target="late")
    schema = Schema.guess(table)
    learner.fit(schema.encode(table), table.y)
    learner.schema_ = schema
    return learner


def of_block(learner: Any, schema: Any, text: bytes) -> Any:
    block = schema.read(io.BytesIO(text), labelled=True)
    learner.fit(schema.learn(block), block.labels)
    learner.schema_ = schema
    return learner


def as_frame(rows: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["width", "height", "depth"])


def as_csr(rows: np.ndarray) -> Any:
    return sparse.csr_array(wide(rows))


def as_csr_matrix(rows: np.ndarray) -> Any:
    return sparse.csr_matrix(wide(rows))


def as_sparse_rows(rows: np.ndarray) -> SparseRows:
    return SparseRows.from_dense(wide(rows))


def as_float32(rows: np.ndarray) -> np.ndarray:
    return rows.astype(np.float32)


def poly(**options: Any) -> KernelPerceptron:
    return KernelPerceptron(**{**FEW, "degree": 2, "gamma": 1.0, **options})


START = {"coef_init": np.full((3, 3), -0.5)}
MADE_BY = {"command": ["rosenblatt", "train", "rows.csv"], "package": "0123456789abcdef" * 4}

LINEAR = {
    # Every learner as a stream and as a fit that is recorded, since rules differ in what they keep.
    **{
        f"{name}_{way}": of_rows(build)
        for name, make in {
            "perceptron": Perceptron,
            "averaged": AveragedPerceptron,
            "voted": VotedPerceptron,
            "mira": MIRA,
            "pa": PassiveAggressive,
            "soft": SoftPerceptron,
            "arow": AROW,
            "scw": SCW,
            "alma": ALMA,
            "pegasos": Pegasos,
        }.items()
        for way, build in (
            ("stream", lambda make=make: two_batches(make)),
            ("recorded", lambda make=make: fit(make, record=True)),
        )
    },
    # variants of rules
    "perceptron_margin": of_rows(lambda: fit(Perceptron, margin=1.0, eta0=0.25)),
    "perceptron_adagrad": of_rows(lambda: fit(Perceptron, steps="adagrad")),
    "perceptron_adagrad_recorded": of_rows(
        lambda: Perceptron(steps="adagrad", record=True, **FEW).fit(X, THREE, **START)
    ),
    "mira_aggressive": of_rows(lambda: fit(MIRA, aggressive=1.0)),
    "pa_relative_to_data": of_rows(
        lambda: fit(PassiveAggressive, variant="PA-II", relative_to_data=True)
    ),
    "scw_variant_2": of_rows(lambda: fit(SCW, variant="II")),
    "soft_two_classes": of_rows(lambda: fit(SoftPerceptron, labels=TWO, average=False)),
    "soft_adagrad": of_rows(lambda: fit(SoftPerceptron, steps="adagrad", average=True)),
    "auto": of_rows(
        lambda: AutoLinear(max_iter=2).fit(np.vstack([X] * 4), np.tile(THREE, 4)).best_learner_
    ),
    # averages
    "perceptron_tail": of_rows(lambda: fit(Perceptron, average="tail")),
    "perceptron_average_early": of_rows(
        lambda: Perceptron(average=True, **FEW).fit(X, THREE, **EARLY)
    ),
    "perceptron_early": of_rows(lambda: Perceptron(**FEW).fit(X, THREE, **EARLY)),
    "perceptron_early_recorded": of_rows(
        lambda: Perceptron(record=True, **FEW).fit(X, THREE, **EARLY)
    ),
    "perceptron_pocket": of_rows(lambda: fit(Perceptron, pocket=True)),
    "arow_early": of_rows(lambda: AROW(**FEW).fit(X, THREE, **EARLY)),
    "alma_early": of_rows(lambda: ALMA(average=True, **FEW).fit(X, THREE, **EARLY)),
    "pegasos_early": of_rows(
        lambda: Pegasos(lambda_=0.5, record=True, **FEW).fit(X, THREE, **EARLY)
    ),
    "alma_scaled": of_rows(lambda: fit(ALMA, labels=TWO, alpha=0.05, B=40.0, C=6.0)),
    "pegasos_tail": of_rows(lambda: fit(Pegasos, lambda_=0.5, average="tail")),
    "pegasos_recorded_late": of_rows(
        lambda: two_batches(Pegasos).set_params(record=True).partial_fit(X, THREE)
    ),
    # read-outs of a stream
    **{
        f"perceptron_readout_{name}": of_rows(
            lambda name=name: two_batches(Perceptron, readout=name)
        )
        for name in ("auto", "mix", "slow", "average")
    },
    "arow_readout": of_rows(lambda: two_batches(AROW, readout="mix")),
    # ledgers
    "perceptron_coef_init": of_rows(lambda: Perceptron(record=True, **FEW).fit(X, THREE, **START)),
    "perceptron_recorded_stream": of_rows(lambda: two_batches(Perceptron, record=True)),
    "arow_recorded_late": of_rows(
        lambda: two_batches(AROW).set_params(record=True).partial_fit(X, THREE)
    ),
    "perceptron_float32_then_float64": of_rows(
        lambda: fit(Perceptron, as_float32(X), record=True).partial_fit(X * np.pi, THREE)
    ),
    # rows that vote
    "voted_sparse": of_rows(lambda: fit(VotedPerceptron, as_csr(X)), as_csr),
    "voted_early": of_rows(lambda: VotedPerceptron(**FEW).fit(X, THREE, **EARLY)),
    "voted_slim": of_rows(lambda: fit(VotedPerceptron, combine="average"), slim=True),
    "voted_without_mistakes": of_rows(lambda: VotedPerceptron().partial_fit(X[:1], ["only"])),
    # labels, names and types of numbers
    "perceptron_two_classes": of_rows(lambda: fit(Perceptron, labels=TWO)),
    "perceptron_labels_bool": of_rows(lambda: fit(Perceptron, labels=TWO == 1)),
    "perceptron_labels_int8": of_rows(lambda: fit(Perceptron, labels=TWO.astype(np.int8))),
    "perceptron_vector_each": of_rows(
        lambda: fit(Perceptron, labels=TWO, binary_as_multiclass=True)
    ),
    "perceptron_one_class": of_rows(lambda: Perceptron().partial_fit(X[:1], ["only"])),
    "perceptron_float32": of_rows(lambda: fit(Perceptron, as_float32(X)), as_float32),
    "perceptron_no_bias": of_rows(lambda: fit(Perceptron, fit_intercept=False, record=True)),
    "perceptron_frame": of_rows(lambda: fit(Perceptron, as_frame(X)), as_frame),
    "perceptron_wide": of_rows(lambda: fit(Perceptron, as_sparse_rows(X)), as_sparse_rows),
    "averaged_wide": of_rows(lambda: fit(AveragedPerceptron, as_csr(X)), as_csr),
    "averaged_mappings": of_mappings(lambda: stream_of_mappings(AveragedPerceptron())),
    "perceptron_mappings_slim": of_mappings(lambda: stream_of_mappings(Perceptron()), slim=True),
    "perceptron_schema": of_records(lambda: with_schema(Perceptron(**FEW))),
    "averaged_texts": of_texts(
        lambda: of_block(AveragedPerceptron(**FEW), TextSchema(TextFeatures(bits=6)), TEXTS),
        b"good day\nbad night\n",
        b"b\tgood night\n",
    ),
    "averaged_svmlight": of_texts(
        lambda: of_block(
            AveragedPerceptron(**FEW), SparseSchema("svmlight", 3), b"1 1:1\n2 1:2 3:1\n1 2:1\n"
        ),
        b"0 1:1\n0 3:1\n",
        b"2 1:1\n",
    ),
    # parameters and records
    "perceptron_calibrated": of_rows(lambda: fit(Perceptron, labels=TWO, calibrate=True)),
    "averaged_calibrated": of_rows(lambda: fit(AveragedPerceptron, calibrate=True)),
    "perceptron_random_state": of_rows(
        lambda: fit(Perceptron, random_state=np.random.RandomState(3))
    ),
    "perceptron_generator": of_rows(lambda: fit(Perceptron, random_state=np.random.default_rng(3))),
    "perceptron_data": of_rows(lambda: fit(Perceptron), data=(X, THREE)),
    "perceptron_command": of_rows(lambda: fit(Perceptron), data=(X, THREE), **MADE_BY),
    "averaged_slim": of_rows(lambda: fit(AveragedPerceptron), slim=True),
    "perceptron_early_slim": of_rows(lambda: Perceptron(**FEW).fit(X, THREE, **EARLY), slim=True),
}

KERNEL = {
    "kernel_fit": of_kernel(lambda: poly().fit(WHOLE, THREE)),
    "kernel_stream": of_kernel(
        lambda: (
            poly(kernel="linear").partial_fit(WHOLE[:5], TWO[:5]).partial_fit(WHOLE[5:], TWO[5:])
        )
    ),
    "kernel_vote": of_kernel(
        lambda: poly(combine="vote").fit(as_float32(WHOLE), THREE), as_float32
    ),
    "kernel_calibrated": of_kernel(lambda: poly(calibrate=True).fit(WHOLE, TWO)),
    "kernel_csr_array": of_kernel(lambda: poly().fit(as_csr(WHOLE), THREE), as_csr),
    "kernel_csr_matrix": of_kernel(lambda: poly().fit(as_csr_matrix(WHOLE), THREE), as_csr_matrix),
    "kernel_sparse_rows": of_kernel(
        lambda: poly().fit(as_sparse_rows(WHOLE), THREE), as_sparse_rows
    ),
    "kernel_frame": of_kernel(lambda: poly().fit(as_frame(WHOLE), THREE), as_frame),
    "kernel_precomputed": of_kernel(
        lambda: poly(kernel="precomputed").fit(gram(WHOLE), THREE), gram
    ),
    "kernel_precomputed_budget": of_kernel(
        lambda: poly(kernel="precomputed", combine="last", budget=4, forget="oldest").fit(
            gram(WHOLE), THREE, validation_set=(gram(WHOLE[3:]), THREE[3:])
        ),
        gram,
    ),
    "kernel_projection": of_kernel(lambda: poly(budget=4).fit(WHOLE, THREE)),
    "kernel_projection_early": of_kernel(
        lambda: poly(budget=4).fit(WHOLE, THREE, validation_set=(WHOLE[3:], THREE[3:]))
    ),
    **{
        f"kernel_budget_{forget}": of_kernel(
            lambda forget=forget: poly(combine="last", budget=4, forget=forget).fit(WHOLE, THREE)
        )
        for forget in ("random", "oldest")
    },
    "kernel_budget_sparse_early": of_kernel(
        lambda: poly(combine="last", budget=4, forget="smallest").fit(
            as_csr(WHOLE), THREE, validation_set=(as_csr(WHOLE[3:]), THREE[3:])
        ),
        as_csr,
    ),
    "kernel_slim": of_kernel(
        lambda: poly(combine="last", budget=4, forget="random").fit(WHOLE, THREE), slim=True
    ),
    "kernel_one_class": of_kernel(lambda: poly().partial_fit(WHOLE[:1], ["only"])),
}

STEPS = {None: ["DET", "NOUN"], "DET": {"NOUN", "VERB"}}
TAGGED = {
    "tagger_fit": of_sentences(lambda: SequenceTagger(max_iter=2).fit(SENTENCES, TAGS)),
    "tagger_recorded_late": of_sentences(
        lambda: (
            SequenceTagger(order=2, templates=["w[0]", "w[-1]"])
            .partial_fit(SENTENCES[:1], TAGS[:1])
            .set_params(record=True)
            .partial_fit(SENTENCES[1:], TAGS[1:])
        )
    ),
    "tagger_slim": of_sentences(
        lambda: SequenceTagger(templates=["w[0]"], max_iter=2).fit(SENTENCES, TAGS), slim=True
    ),
}

# The first files of this format that were kept.
FIRST_X, FIRST_Y = integers(5, n=12, n_classes=3)
FIRST_LABELS = np.array(["left", "right", "up"])[FIRST_Y]
FIRST_DEV = {"validation_set": (FIRST_X, FIRST_LABELS)}


def first_rows(rows: np.ndarray) -> np.ndarray:
    """Rows of the four columns that these learners have."""
    return np.column_stack([rows, np.ones(len(rows))])


def first_sparse(rows: np.ndarray) -> Any:
    return sparse.csr_array(first_rows(rows))


def first_wide(rows: np.ndarray) -> Any:
    table = rows if rows.shape[1] == 4 else first_rows(rows)
    return sparse.hstack([sparse.csr_array((len(table), 2000)), table], format="csr")


FIRST = {
    "first_averaged": of_rows(
        lambda: AveragedPerceptron(**FEW).fit(FIRST_X, FIRST_LABELS, **FIRST_DEV), first_rows
    ),
    "first_voted": of_rows(
        lambda: fit(VotedPerceptron, sparse.csr_array(FIRST_X), FIRST_LABELS), first_sparse
    ),
    "first_mappings": of_mappings(
        lambda: first_stream(AveragedPerceptron(record=True), FIRST_X, FIRST_LABELS.tolist())
    ),
    "first_kernel": of_kernel(
        lambda: poly(multiclass="argmax").fit(FIRST_X, FIRST_LABELS, **FIRST_DEV), first_rows
    ),
    "first_budget": of_kernel(
        lambda: poly(combine="last", budget=5, forget="smallest").fit(
            FIRST_X, FIRST_LABELS, **FIRST_DEV
        ),
        first_rows,
    ),
    "first_stream": of_kernel(
        lambda: KernelPerceptron(kernel="linear").partial_fit(first_wide(FIRST_X), FIRST_LABELS),
        first_wide,
    ),
    "first_soft": of_rows(
        lambda: fit(SoftPerceptron, as_float32(FIRST_X), FIRST_LABELS, class_weight={"left": 2.0}),
        first_rows,
    ),
    "first_tagger": of_sentences(
        lambda: SequenceTagger(
            order=2, record=True, tag_dictionary=2, constraints=STEPS, max_iter=3
        ).fit(SENTENCES, TAGS, validation_set=(SENTENCES, TAGS))
    ),
    "first_tags": of_sentences(
        lambda: (
            SequenceTagger(rule="mira", templates=["w[0].suffix(2)|pos[-1]", "w[0]"])
            .partial_fit(tuples(SENTENCES), TAGS)
            .partial_fit([[("Süß", "S", "ß")]], [["ADJ"]])
        ),
        tuples,
    ),
    "first_tokens": of_sentences(
        lambda: SequenceTagger(search="beam", beam=2, averaged=False).partial_fit(
            [[{"word": w, "letters": len(w)} for w in x] for x in SENTENCES], TAGS
        ),
        mappings,
    ),
}

CASES: dict[str, Case] = {**LINEAR, **KERNEL, **TAGGED, **FIRST}
