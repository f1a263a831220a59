"""Labelled data from files and pipes: bytes in, rows and labels out, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.estimators.packing import pack as pack
    from rosenblatt.estimators.packing import read_packed as read_packed
    from rosenblatt.tables.readers.conll import iter_conll as iter_conll
    from rosenblatt.tables.readers.conll import read_conll as read_conll
    from rosenblatt.tables.readers.dialect import Dialect as Dialect
    from rosenblatt.tables.readers.fault_messages import Assumption as Assumption
    from rosenblatt.tables.readers.fault_messages import ExtraColumns as ExtraColumns
    from rosenblatt.tables.readers.fault_messages import HeaderOfNumbers as HeaderOfNumbers
    from rosenblatt.tables.readers.fault_messages import SkippedRows as SkippedRows
    from rosenblatt.tables.readers.labelled_text import iter_text as iter_text
    from rosenblatt.tables.readers.labelled_text import read_text as read_text
    from rosenblatt.tables.readers.packed_rows import PackedRows as PackedRows
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout as SentenceLayout
    from rosenblatt.tables.readers.sentence_reader import iter_sentences as iter_sentences
    from rosenblatt.tables.readers.sentence_reader import read_sentences as read_sentences
    from rosenblatt.tables.readers.sentence_writer import SentenceWriter as SentenceWriter
    from rosenblatt.tables.readers.svmlight import iter_svmlight as iter_svmlight
    from rosenblatt.tables.readers.svmlight import read_svmlight as read_svmlight
    from rosenblatt.tables.readers.svmlight import svmlight_lines as svmlight_lines
    from rosenblatt.tables.readers.table import Table as Table
    from rosenblatt.tables.readers.table import iter_table as iter_table
    from rosenblatt.tables.readers.table import read_table as read_table
    from rosenblatt.tables.readers.vw import iter_vw as iter_vw
    from rosenblatt.tables.readers.vw import read_vw as read_vw

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "rosenblatt.tables.readers.conll": "iter_conll read_conll",
        "rosenblatt.tables.readers.dialect": "Dialect",
        "rosenblatt.tables.readers.fault_messages": "Assumption ExtraColumns HeaderOfNumbers "
        "SkippedRows",
        "rosenblatt.tables.readers.labelled_text": "iter_text read_text",
        "rosenblatt.tables.readers.packed_rows": "PackedRows",
        "rosenblatt.tables.readers.sentence_layout": "SentenceLayout",
        "rosenblatt.tables.readers.sentence_reader": "iter_sentences read_sentences",
        "rosenblatt.tables.readers.sentence_writer": "SentenceWriter",
        "rosenblatt.tables.readers.svmlight": "iter_svmlight read_svmlight svmlight_lines",
        "rosenblatt.tables.readers.table": "Table iter_table read_table",
        "rosenblatt.tables.readers.vw": "iter_vw read_vw",
        # Columns and texts become features on the way.
        "rosenblatt.estimators.packing": "pack read_packed",
    },
)
