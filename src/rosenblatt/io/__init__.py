"""Labelled data from files and pipes: bytes in, rows and labels out, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.io.conll import iter_conll as iter_conll
    from rosenblatt.io.conll import read_conll as read_conll
    from rosenblatt.io.dialect import Dialect as Dialect
    from rosenblatt.io.fault_messages import Assumption as Assumption
    from rosenblatt.io.fault_messages import ExtraColumns as ExtraColumns
    from rosenblatt.io.fault_messages import HeaderOfNumbers as HeaderOfNumbers
    from rosenblatt.io.fault_messages import SkippedRows as SkippedRows
    from rosenblatt.io.labelled_text import iter_text as iter_text
    from rosenblatt.io.labelled_text import read_text as read_text
    from rosenblatt.io.packed_rows import PackedRows as PackedRows
    from rosenblatt.io.sentence_layout import SentenceLayout as SentenceLayout
    from rosenblatt.io.sentence_reader import iter_sentences as iter_sentences
    from rosenblatt.io.sentence_reader import read_sentences as read_sentences
    from rosenblatt.io.sentence_writer import SentenceWriter as SentenceWriter
    from rosenblatt.io.svmlight import iter_svmlight as iter_svmlight
    from rosenblatt.io.svmlight import read_svmlight as read_svmlight
    from rosenblatt.io.svmlight import svmlight_lines as svmlight_lines
    from rosenblatt.io.table import Table as Table
    from rosenblatt.io.table_readers import iter_table as iter_table
    from rosenblatt.io.table_readers import read_table as read_table
    from rosenblatt.io.vw import iter_vw as iter_vw
    from rosenblatt.io.vw import read_vw as read_vw
    from rosenblatt.learner.packing import pack as pack
    from rosenblatt.learner.packing import read_packed as read_packed

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".conll": "iter_conll read_conll",
        ".dialect": "Dialect",
        ".fault_messages": "Assumption ExtraColumns HeaderOfNumbers SkippedRows",
        ".labelled_text": "iter_text read_text",
        ".packed_rows": "PackedRows",
        ".sentence_layout": "SentenceLayout",
        ".sentence_reader": "iter_sentences read_sentences",
        ".sentence_writer": "SentenceWriter",
        ".svmlight": "iter_svmlight read_svmlight svmlight_lines",
        ".table": "Table",
        ".table_readers": "iter_table read_table",
        ".vw": "iter_vw read_vw",
        # Columns and texts become features on the way.
        "rosenblatt.learner.packing": "pack read_packed",
    },
)
