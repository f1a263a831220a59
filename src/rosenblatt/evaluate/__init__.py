"""How good the answers are: of a table of answers, and of a stream while it is learned."""

from __future__ import annotations

from rosenblatt.evaluate.progressive import progressive
from rosenblatt.evaluate.report import ClassReport, Report, report
from rosenblatt.evaluate.spans import Span, SpanReport, TypeReport, span_scores, spans
from rosenblatt.evaluate.stream_scores import Point, Progress

__all__ = [
    "ClassReport",
    "Point",
    "Progress",
    "Report",
    "Span",
    "SpanReport",
    "TypeReport",
    "progressive",
    "report",
    "span_scores",
    "spans",
]
