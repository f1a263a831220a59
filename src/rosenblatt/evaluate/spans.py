"""Spans of tagged sentences, and how many of them were found.

A span starts and ends where `conlleval`, the script of the CoNLL shared tasks, says so; for E and
S, which its first version does not have, where its later versions and seqeval say so:

    starts at   B and S;  I and E after O, after E or S, or after another type
    ends after  E and S;  B and I before O, B or S, or before another type
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from rosenblatt import checks
from rosenblatt.errors import InputError, shown
from rosenblatt.evaluate.report import four_digits, short_label
from rosenblatt.html_tables import html_card, html_table
from rosenblatt.text_tables import text_table

SCHEMA = 1
SCHEMES = ("BIO", "BIOES")
BEGINS, SINGLE_OR_LAST = frozenset("BS"), frozenset("ES")


class Span(NamedTuple):
    """A stretch of tokens of one type, from ``start`` up to and without ``stop``."""

    type: str
    start: int
    stop: int


def spans(tags: Iterable[str], scheme: str = "BIO") -> list[Span]:
    """The spans of one sentence.

    Tags that no annotator should write are read as `conlleval` reads them: an I after O or after
    another type starts a span, a B always does.

    Parameters
    ----------
    tags : iterable of str
        Such as ``"B-NP"``, ``"I-NP"``, ``"O"``; a tag without ``-`` has the type ``""``.
    scheme : {"BIO", "BIOES"}, default="BIO"
        Which letters there may be; "BIOES" has E for the last token of a span and S for a span of
        one token.

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
    start, before, before_type = 0, "O", ""
    place = -1
    for place, tag in enumerate(tags):
        letter, kind = _parts(tag, place, scheme)
        if before != "O" and _ends(before, before_type, letter, kind):
            found.append(Span(before_type, start, place))
        if letter != "O" and _starts(before, before_type, letter, kind):
            start = place
        before, before_type = letter, kind
    if before != "O":
        found.append(Span(before_type, start, place + 1))
    return found


def _parts(tag: Any, place: int, scheme: str) -> tuple[str, str]:
    """The letter of a tag and its type."""
    letter, dash, kind = tag.partition("-") if isinstance(tag, str) else ("", "", "")
    if len(letter) != 1 or letter not in scheme or (letter == "O" and dash):
        cure = " Or is it scheme='BIOES'?" if letter in ("E", "S") else ""
        raise InputError(
            f"the tag {shown(tag)} of token {place} is not of the scheme {scheme}: give O, or "
            f"another letter of {scheme} with a type, such as B-NP.{cure}"
        )
    return letter, kind


def _ends(before: str, before_type: str, letter: str, kind: str) -> bool:
    return before in SINGLE_OR_LAST or letter == "O" or letter in BEGINS or kind != before_type


def _starts(before: str, before_type: str, letter: str, kind: str) -> bool:
    return letter in BEGINS or before == "O" or before in SINGLE_OR_LAST or kind != before_type


@dataclass(frozen=True)
class TypeReport:
    """Spans of one type; a share of nothing is 0.

    Attributes
    ----------
    type : str
    precision : float
        Share of the predicted spans that are right: same type, start and end.
    recall : float
        Share of the true spans that were found.
    f1 : float
        Harmonic mean of the two.
    support : int
        True spans.
    predicted : int
        Spans in the predictions.
    right : int
        Spans that are in both.
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
    """What `span_scores` found.

    Attributes
    ----------
    sentences, tokens : int
        How many there are.
    accuracy : float
        Share of the tokens whose tag is right.
    precision, recall, f1 : float
        Of all spans together, whatever their type.
    overall : TypeReport
        The same with the counts behind it.
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
        """The report as text of at most 80 columns."""
        found = [(short_label(one.type), one) for one in self.per_type]
        rows = [
            (
                name,
                *four_digits(one.precision, one.recall, one.f1),
                f"{one.support:,}",
                f"{one.predicted:,}",
            )
            for name, one in [*found, ("overall", self.overall)]
        ]
        head = ("type", "precision", "recall", "f1", "spans", "predicted")
        return [
            f"{self.sentences:,} sentences, {self.tokens:,} tokens",
            f"token accuracy  {self.accuracy:.4f}",
            "",
            *text_table(rows, head),
        ]

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
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
        head = ("type", "precision", "recall", "f1", "spans", "predicted")
        rows = [
            (
                c.type,
                *(f"{share:.4f}" for share in (c.precision, c.recall, c.f1)),
                *(f"{count:,}" for count in (c.support, c.predicted)),
            )
            for c in [*self.per_type, self.overall]
        ]
        words = (
            f"<p><b>{self.f1:.4f}</b> f1 on {self.overall.support:,} spans; "
            f"{self.accuracy:.4f} of {self.tokens:,} tokens right.</p>"
        )
        return html_card(words, html_table("Each type", head, rows))


def span_scores(
    gold: Iterable[Iterable[str]], predicted: Iterable[Iterable[str]], scheme: str = "BIO"
) -> SpanReport:
    """Precision, recall and F1 of spans, as `conlleval` counts them.

    Parameters
    ----------
    gold, predicted : iterable of lists of str
        The right tags and the predictions, a list for each sentence.
    scheme : {"BIO", "BIOES"}, default="BIO"

    Returns
    -------
    report : SpanReport

    See Also
    --------
    report : Each token by itself.

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
    true, given = _sentences("gold", gold), _sentences("predicted", predicted)
    if len(true) != len(given):
        raise InputError(
            f"gold has {len(true):,} sentences and predicted {len(given):,}; give one "
            "prediction for each."
        )
    tokens = sum(map(len, true))
    if not tokens:
        raise InputError("there are 0 tokens; give at least one.")
    counts: dict[str, list[int]] = {}
    tokens_right = 0
    for number, (right, answer) in enumerate(zip(true, given, strict=True)):
        if len(right) != len(answer):
            raise InputError(
                f"sentence {number}: gold has {len(right)} tags and predicted {len(answer)}; give "
                "one tag a token."
            )
        tokens_right += sum(a == b for a, b in zip(right, answer, strict=True))
        found = [
            _spans_of(name, number, tags, scheme)
            for name, tags in (("gold", right), ("predicted", answer))
        ]
        for column, some in enumerate([*found, found[0] & found[1]]):
            for span in some:
                counts.setdefault(span.type, [0, 0, 0])[column] += 1
    per_type = [TypeReport.of(kind, *counts[kind]) for kind in sorted(counts)]
    totals = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    return SpanReport(
        sentences=len(true),
        tokens=tokens,
        accuracy=tokens_right / tokens,
        overall=TypeReport.of("overall", *totals),
        per_type=per_type,
    )


def _spans_of(argument: str, number: int, tags: list[str], scheme: str) -> set[Span]:
    try:
        return set(spans(tags, scheme))
    except InputError as error:
        raise InputError(f"{argument}, sentence {number}: {error}") from None


def _sentences(argument: str, given: Any) -> list[list[str]]:
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
