"""Labelled data from files and pipes: bytes in, rows and labels out, in bounded memory."""

from __future__ import annotations

from rosenblatt.io.conll import iter_conll, read_conll
from rosenblatt.io.notices import ExtraColumns, HeaderOfNumbers, SkippedRows
from rosenblatt.io.svmlight import iter_svmlight, read_svmlight
from rosenblatt.io.table import Table
from rosenblatt.io.tables import iter_table, read_table
from rosenblatt.io.text import iter_text, read_text
from rosenblatt.io.vw import iter_vw, read_vw

__all__ = [
    "ExtraColumns",
    "HeaderOfNumbers",
    "SkippedRows",
    "Table",
    "iter_conll",
    "iter_svmlight",
    "iter_table",
    "iter_text",
    "iter_vw",
    "read_conll",
    "read_svmlight",
    "read_table",
    "read_text",
    "read_vw",
]
