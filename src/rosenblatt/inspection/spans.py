"""Spans of tagged sentences, and their precision, recall and F1.

The start and the end of a span are those of `conlleval`, the script of the CoNLL shared tasks. For
E and S, which its first version does not support, they are those of later versions and of seqeval:

    starts at   B and S;  I and E after O, after E or S, or after another type
    ends after  E and S;  B and I before O, B or S, or before another type
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from rosenblatt import checks
from rosenblatt.errors import InputError, shown
from rosenblatt.html_tables import html_card, html_table
from rosenblatt.inspection.report import four_digits, short_label
from rosenblatt.text_tables import text_table

SCHEMA = 1
SCHEMES = ("BIO", "BIOES")
BEGINS = frozenset("BS")
SINGLE_OR_LAST = frozenset("ES")
HEAD = ("type", "precision", "recall", "f1", "spans", "predicted")


class Span(NamedTuple):
    """Consecutive tokens of one type, from ``start`` up to but not including ``stop``."""

    type: str
    start: int
    stop: int


def spans(tags: Iterable[str], scheme: str = "BIO") -> list[Span]:
    """Return the spans of one sentence.

    Invalid sequences of tags are read as `conlleval` reads them: an I after O or after another type
    starts a span, and a B always does.

    Parameters
    ----------
    tags : iterable of str
        Such as ``"B-NP"``, ``"I-NP"``, ``"O"``; a tag without ``-`` has the type ``""``.
    scheme : {"BIO", "BIOES"}, default="BIO"
        The allowed letters; "BIOES" adds E for the last token of a span and S for a span of one
        token.

    Returns
    -------
    spans : list of Span
        ``(type, start, stop)``, in order.

    Examples
    --------
    >>> from rosenblatt.evaluate import spans
    >>> [tuple(span) for span in spans(["B-NP", "I-NP", "O", "I-VP", "I-NP"])]
    [('NP', 0, 2), ('VP', 3, 4), ('NP', 4, 5)]
    """
    checks.choice("scheme", scheme, *SCHEMES)
    if isinstance(tags, str | bytes):
        raise InputError("tags must be a list of tags, not one text.")

    found: list[Span] = []
    start = 0
    previous_letter = "O"
    previous_kind = ""
    place = -1
    for place, tag in enumerate(tags):
        letter, kind = _parts(tag, place, scheme)
        if previous_letter != "O" and _ends(previous_letter, previous_kind, letter, kind):
            found.append(Span(previous_kind, start, place))
        if letter != "O" and _starts(previous_letter, previous_kind, letter, kind):
            start = place
        previous_letter = letter
        previous_kind = kind

    # The sentence may end inside a span.
    if previous_letter != "O":
        found.append(Span(previous_kind, start, place + 1))
    return found


def _parts(tag: object, place: int, scheme: str) -> tuple[str, str]:
    """Return the letter and the type of a tag; raise InputError if it is not of the scheme."""
    letter, dash, kind = tag.partition("-") if isinstance(tag, str) else ("", "", "")
    if len(letter) != 1 or letter not in scheme or (letter == "O" and dash):
        cure = " Or is it scheme='BIOES'?" if letter in ("E", "S") else ""
        raise InputError(
            f"the tag {shown(tag)} of token {place} is not of the scheme {scheme}: give O, or "
            f"another letter of {scheme} with a type, such as B-NP.{cure}"
        )
    return letter, kind


def _ends(previous_letter: str, previous_kind: str, letter: str, kind: str) -> bool:
    """Return whether a span ends before the current token."""
    is_last = previous_letter in SINGLE_OR_LAST
    return is_last or letter == "O" or letter in BEGINS or kind != previous_kind


def _starts(previous_letter: str, previous_kind: str, letter: str, kind: str) -> bool:
    """Return whether a span starts at the current token."""
    follows_end = previous_letter == "O" or previous_letter in SINGLE_OR_LAST
    return letter in BEGINS or follows_end or kind != previous_kind


@dataclass(frozen=True)
class TypeReport:
    """Precision, recall and F1 of the spans of one type; a share with a denominator of 0 is 0.

    Attributes
    ----------
    type : str
    precision : float
        Share of the predicted spans that are right: same type, start and end.
    recall : float
        Share of the true spans that were found.
    f1 : float
        Harmonic mean of precision and recall.
    support : int
        Number of true spans.
    predicted : int
        Number of predicted spans.
    right : int
        Number of spans that are in both.
    """

    type: str
    precision: float
    recall: float
    f1: float
    support: int
    predicted: int
    right: int

    @classmethod
    def of(cls, kind: str, support: int, predicted: int, right: int) -> TypeReport:
        """Compute the shares from counts of true, predicted and right spans."""
        return cls(
            kind,
            right / predicted if predicted else 0.0,
            right / support if support else 0.0,
            2 * right / (support + predicted) if right else 0.0,
            support,
            predicted,
            right,
        )


@dataclass(frozen=True)
class SpanReport:
    """The result of `span_scores`.

    Attributes
    ----------
    sentences, tokens : int
        Number of sentences and tokens.
    accuracy : float
        Share of the tokens whose tag is right.
    precision, recall, f1 : float
        Figures of the spans of all types together.
    overall : TypeReport
        The same figures with their counts.
    per_type : list of TypeReport
        Sorted by type.
    """

    sentences: int
    tokens: int
    accuracy: float
    overall: TypeReport
    per_type: list[TypeReport]

    @property
    def precision(self) -> float:
        return self.overall.precision

    @property
    def recall(self) -> float:
        return self.overall.recall

    @property
    def f1(self) -> float:
        return self.overall.f1

    def lines(self) -> list[str]:
        """Return the report as lines of at most 80 characters."""
        rows = [_cells(short_label(one.type), one) for one in self.per_type]
        rows.append(_cells("overall", self.overall))
        return [
            f"{self.sentences:,} sentences, {self.tokens:,} tokens",
            f"token accuracy  {self.accuracy:.4f}",
            "",
            *text_table(rows, HEAD),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible data."""
        return {
            "schema": SCHEMA,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "accuracy": self.accuracy,
            "overall": asdict(self.overall),
            "per_type": [asdict(found) for found in self.per_type],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return (
            f"<SpanReport: {self.overall.support:,} spans, precision {self.precision:.4f}, recall "
            f"{self.recall:.4f}, f1 {self.f1:.4f}, token accuracy {self.accuracy:.4f}>"
        )

    def _repr_html_(self) -> str:
        rows = [_cells(one.type, one) for one in [*self.per_type, self.overall]]
        summary = (
            f"<p><b>{self.f1:.4f}</b> f1 on {self.overall.support:,} spans; "
            f"{self.accuracy:.4f} of {self.tokens:,} tokens right.</p>"
        )
        return html_card(summary, html_table("Each type", HEAD, rows))


def _cells(name: str, one: TypeReport) -> tuple[str, ...]:
    """Return a row of the table under `HEAD`."""
    shares = four_digits(one.precision, one.recall, one.f1)
    return (name, *shares, f"{one.support:,}", f"{one.predicted:,}")


def span_scores(
    gold: Iterable[Iterable[str]], predicted: Iterable[Iterable[str]], scheme: str = "BIO"
) -> SpanReport:
    """Compute precision, recall and F1 of spans, as `conlleval` does.

    Parameters
    ----------
    gold, predicted : iterable of lists of str
        The right tags and the predicted ones, one list per sentence.
    scheme : {"BIO", "BIOES"}, default="BIO"
        The allowed letters, as in `spans`.

    Returns
    -------
    report : SpanReport

    See Also
    --------
    report : Compare each token by itself.

    Examples
    --------
    >>> from rosenblatt.evaluate import span_scores
    >>> found = span_scores([["B-NP", "I-NP", "O", "B-VP"]], [["B-NP", "O", "O", "B-VP"]])
    >>> print(found)
    1 sentences, 4 tokens
    token accuracy  0.7500
    <BLANKLINE>
    type     precision  recall      f1  spans  predicted
    NP          0.0000  0.0000  0.0000      1          1
    VP          1.0000  1.0000  1.0000      1          1
    overall     0.5000  0.5000  0.5000      2          2
    """
    true = _sentences("gold", gold)
    given = _sentences("predicted", predicted)
    if len(true) != len(given):
        raise InputError(
            f"gold has {len(true):,} sentences and predicted {len(given):,}; give one "
            "prediction for each."
        )
    n_tokens = sum(map(len, true))
    if not n_tokens:
        raise InputError("there are 0 tokens; give at least one.")

    # By type: the number of true, predicted and right spans.
    counts: dict[str, list[int]] = {}
    n_tokens_right = 0
    for number, (right, answer) in enumerate(zip(true, given, strict=True)):
        if len(right) != len(answer):
            raise InputError(
                f"sentence {number}: gold has {len(right)} tags and predicted {len(answer)}; give "
                "one tag a token."
            )
        n_tokens_right += sum(a == b for a, b in zip(right, answer, strict=True))
        true_spans = _spans_of("gold", number, right, scheme)
        given_spans = _spans_of("predicted", number, answer, scheme)
        for column, some in enumerate([true_spans, given_spans, true_spans & given_spans]):
            for span in some:
                counts.setdefault(span.type, [0, 0, 0])[column] += 1

    per_type = [TypeReport.of(kind, *counts[kind]) for kind in sorted(counts)]
    totals = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    return SpanReport(
        sentences=len(true),
        tokens=n_tokens,
        accuracy=n_tokens_right / n_tokens,
        overall=TypeReport.of("overall", *totals),
        per_type=per_type,
    )


def _spans_of(argument: str, number: int, tags: list[str], scheme: str) -> set[Span]:
    """Return the spans of a sentence; an error names the argument and the sentence."""
    try:
        return set(spans(tags, scheme))
    except InputError as error:
        raise InputError(f"{argument}, sentence {number}: {error}") from None


def _sentences(argument: str, given: Any) -> list[list[str]]:
    """Return sentences as lists of tags; raise if one is a text."""
    if isinstance(given, str | bytes):
        raise InputError(f"{argument} must be a list of sentences, not one text.")
    found = []
    for number, tags in enumerate(given):
        if isinstance(tags, str | bytes):
            raise InputError(
                f"{argument} must be a list of sentences, each a list of tags; entry {number} is "
                f"the text {tags!r}. For one sentence give a list that holds it."
            )
        found.append(list(tags))
    return found
