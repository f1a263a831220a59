"""Scores of predictions on tables, sentences and streams, and checks of data and targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy
from rosenblatt.inspection.progressive import progressive
from rosenblatt.inspection.report import ClassReport, Report, report
from rosenblatt.inspection.score_curves import ScoreCurve
from rosenblatt.inspection.spans import Span, SpanReport, TypeReport, span_scores, spans
from rosenblatt.inspection.stream_scores import Point, Progress
from rosenblatt.inspection.tag_report import TagReport, tag_report

if TYPE_CHECKING:
    from rosenblatt.inspection.data_checks import DataReport as DataReport
    from rosenblatt.inspection.data_checks import check_data as check_data
    from rosenblatt.inspection.target_checks import TargetWarning as TargetWarning
    from rosenblatt.inspection.target_checks import check_target as check_target

# Imported lazily: code that only scores predictions need not load the file readers.
__getattr__, __dir__, _ = lazy.attach(
    __name__,
    {
        "rosenblatt.inspection.data_checks": "DataReport check_data",
        "rosenblatt.inspection.target_checks": "TargetWarning check_target",
    },
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
