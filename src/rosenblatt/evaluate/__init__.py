"""Scores of predictions on tables, sentences and streams, and checks of data and targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy
from rosenblatt.evaluate.progressive import progressive
from rosenblatt.evaluate.report import ClassReport, Report, report
from rosenblatt.evaluate.score_curves import ScoreCurve
from rosenblatt.evaluate.spans import Span, SpanReport, TypeReport, span_scores, spans
from rosenblatt.evaluate.stream_scores import Point, Progress
from rosenblatt.evaluate.tag_report import TagReport, tag_report

if TYPE_CHECKING:
    from rosenblatt.evaluate.data_checks import DataReport as DataReport
    from rosenblatt.evaluate.data_checks import check_data as check_data
    from rosenblatt.evaluate.target_checks import TargetWarning as TargetWarning
    from rosenblatt.evaluate.target_checks import check_target as check_target

# Imported lazily: code that only scores predictions need not load the file readers.
__getattr__, __dir__, _ = lazy.attach(
    __name__,
    {".data_checks": "DataReport check_data", ".target_checks": "TargetWarning check_target"},
)

__all__ = [
    "ClassReport",
    "DataReport",
    "Point",
    "Progress",
    "Report",
    "ScoreCurve",
    "Span",
    "SpanReport",
    "TagReport",
    "TargetWarning",
    "TypeReport",
    "check_data",
    "check_target",
    "progressive",
    "report",
    "span_scores",
    "spans",
    "tag_report",
]
