"""One read of some bytes, with options drawn by chance: what every reader makes of them.

The targets beside compare many reads of the same bytes; here there is one, so that a million of
them can be made. What is read is looked at in the same way.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from fuzz.targets import Outcome, Row, listed_rows, pieces_of, sparse_rows, table_rows
from rosenblatt.io import iter_conll, iter_sentences, iter_svmlight, iter_table, iter_text, iter_vw

FLOATS = (np.float64, np.float32)
ANY: dict[str, tuple[Any, ...]] = {"max_line_bytes": (1 << 24, 40), "on_bad": ("fail", "skip")}
LABELS = ANY | {"labels": ("auto", "text", "number"), "classes": (None, [1, -1], ["x", "yes"])}
ROWS = LABELS | {"dtype": FLOATS, "max_features": (1_000_000, 3)}
TABLE = ROWS | {
    "target": (None, 0, -1, "a", "y"),
    "columns": (None, ["a"], ["b", "a"]),
    "types": (None, "text", "number", {"a": "number", "b": "text"}),
    "missing": ((), ["", "?", "null"]),
    "ignore": ((), ["b"]),
}
DELIMITED = TABLE | {"header": (True, False), "trim": (True, False)}
SENTENCES = ANY | {
    "target": (None, -1, "upos", 0),
    "inputs": (None, [0], ["form", -1]),
    "labelled": (True, False),
    "max_tokens": (100_000, 3),
}
ENCODINGS = ("utf-8", "latin-1", "utf-16", "utf-16-le", "utf-32", "utf-8-sig", "shift-jis")


class Read(NamedTuple):
    """A reader, what its rows are, and what may be said of each option."""

    reader: Callable[..., Any]
    rows_of: Callable[[Any], list[Row]] | None
    options: dict[str, tuple[Any, ...]]
    ending: str = ""  # of the path, for what cannot be read from a stream of bytes

    def feed(self, random: Random, data: bytes, folder: Path) -> bool:
        """Whether rows were read; errors of ours are as good."""
        options = {
            name: random.choice(values)
            for name, values in self.options.items()
            if random.random() < 0.3
        }
        rows_of = self.rows_of or table_rows
        source: Any = io.BytesIO(data)
        if self.ending or random.random() < 0.05:
            source = folder / f"data{self.ending or '.txt'}"
            source.write_bytes(data)
        # A buffer has twice as many bytes as a piece: with about half of the data in a piece they
        # end where the buffer does, and who reads on is noticed.
        half = len(data) // 2
        with pieces_of(random.choice((1, random.randrange(2, 64), half + 1, half + 2, 1 << 16))):
            whole = random.random() < 0.3
            found = Outcome(partial(self.reader, source, **options), rows_of, whole=whole)
        return bool(found.rows)


READS: dict[str, Read] = {
    "svmlight": Read(
        iter_svmlight,
        sparse_rows,
        ROWS | {"zero_based": (True, False), "n_features": (None, 7, 1 << 40)},
    ),
    "vw": Read(
        iter_vw,
        sparse_rows,
        ROWS
        | {"bits": (None, 1, 6, 18), "names": (None, ["f^a", "^b"]), "labelled": (True, False)},
    ),
    "csv": Read(iter_table, None, DELIMITED | {"delimiter": (",", ";", " ", "|")}),
    "tsv": Read(partial(iter_table, format="tsv"), None, DELIMITED),
    "jsonl": Read(partial(iter_table, format="jsonl"), None, TABLE),
    "text": Read(iter_text, listed_rows, LABELS | {"labelled": (True, False)}),
    "encoded": Read(
        partial(iter_text, labelled=False), listed_rows, ANY | {"encoding": ENCODINGS * 3}
    ),
    "conll": Read(iter_conll, listed_rows, SENTENCES | {"format": ("auto", "conll", "conllu")}),
    "conllu": Read(iter_conll, listed_rows, SENTENCES | {"format": ("auto", "conll", "conllu")}),
    "sentences": Read(
        iter_sentences,
        listed_rows,
        SENTENCES
        | {"format": (None, "text", "conll", "conllu"), "mark": (None, "/", "_", "N")}
        | {"tags": ((), ["N", "é"]), "keep_lines": (True, False)},
    ),
    "packed": Read(partial(iter_text, labelled=False), listed_rows, ANY),
    "parquet": Read(iter_table, None, TABLE, ".parquet"),
    "arrow": Read(iter_table, None, TABLE, ".arrow"),
}
