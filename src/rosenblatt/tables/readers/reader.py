"""The walk through files: text to a parser, bad rows to their fate, blocks to the caller."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sized
from contextlib import ExitStack, closing, nullcontext
from typing import Any, Generic, NoReturn, Self, TypeVar

from rosenblatt.errors import DataError, InputError, ParameterError, RosenblattError, Words
from rosenblatt.models.parallel import n_processors
from rosenblatt.models.rows import largest_allowed
from rosenblatt.plurals import count
from rosenblatt.tables.readers.bad_rows import BadRows
from rosenblatt.tables.readers.fault_messages import (
    RAISE_MAX_FEATURES,
    RAISE_MAX_LINE_BYTES,
    SKIP,
    Assumption,
    Explained,
    encoding_words,
    limit_words,
    located,
    notice,
    number_words,
    quoted,
)
from rosenblatt.tables.readers.halves import Halves
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.row_texts import RowTexts
from rosenblatt.tables.readers.sources import Given, kept_for_rereading, sources_of

Taken = TypeVar("Taken", bound=Sized)
ReadingError = InputError | ParameterError

KEPT_OF_LONG_ROW = 200
# How much more than the first piece promises there is room for.
EXPECTED = 1.03
# How much larger pieces are of which two threads parse a half each.
OF_HALVES = 2


class TextFormat(ABC, Generic[Taken]):
    """What one text format adds to the walk."""

    parser: Any
    labels: Labels | None = None
    # Whether text that is not UTF-8 is read as what it looks like, if nobody names its encoding.
    finds_encoding = False
    # That of the files before, of which nothing more is said.
    expected_encoding = "utf-8"
    # Whether all rows are read before any is handed out.
    reads_all = False
    # By fault the words for it, with {found} in quotes or the bare {number}, and its cures.
    faults: Mapping[str, Explained] = {}

    def begin(self, lines: Lines) -> bool:
        """Read what stands before the rows of a file; False if more text is needed for that."""
        return True

    def explain(self, parser: Any, found: bytes) -> Explained:
        """The words for the fault of a parser, and its cures."""
        if parser.fault == "label":
            return parser.reason  # type: ignore[no-any-return]
        if parser.fault == "not text":
            return encoding_words(found)
        words, cures = {**FAULTS_OF_ANY_LINE, **self.faults}[parser.fault]
        shown = quoted(found) if found.strip(b"\r\n") else "the end of the line"
        return str(words).format(found=shown, number=found.decode("utf-8", "replace")), cures

    def is_footer(self, row: bytes) -> bool:
        """Whether a bad row may be none, if no other follows it."""
        return False

    def flattened(self, row: bytes) -> bytearray | None:
        """A row with objects within it as a line of none, if there is a way."""
        return None

    def span_in_row(self, row: bytes) -> tuple[int, int]:
        """Where the fault of a row that was flattened stands in the row itself."""
        return 0, 1

    def twin(self) -> Any:
        """Another parser, for the second half of a piece; None where only one can tell the rows."""
        return None

    def end(self, lines: Lines) -> None:
        """Say what there is to say of a file whose last row was read."""

    @abstractmethod
    def take(self) -> Taken:
        """What was read since the last time."""

    def revised(self) -> dict[str, str]:
        """The columns whose kind was guessed wrong, as all rows so far show."""
        return {}

    @property
    def may_revise(self) -> bool:
        """Whether `reread` may turn out to be true."""
        return False

    def reread(self) -> bool:
        """Whether all rows show that they must be read again, in another way."""
        return False

    def finished(self, taken: Taken) -> Taken:
        """What was read, when it is all there is."""
        return taken

    def tell_of_strays(self, file: str) -> None:
        """Say which values were read as gaps, if any."""


FAULTS_OF_ANY_LINE: dict[str, Explained] = {
    "bare return": ("a carriage return within the line", "convert the line ends to line feeds")
}


class SparseFormat(TextFormat[Taken]):
    """What formats of names and values share: how large these may be, and how many in a row."""

    cure_of_number: Words
    labels: Labels

    def __init__(self, settings: ReaderSettings) -> None:
        self._limit, self._most = largest_allowed(settings.dtype), settings.max_features
        self.labels = Labels(settings.labels, settings.classes)

    def explain(self, parser: Any, found: bytes) -> Explained:
        if parser.fault == "not a number":
            return number_words(found), self.cure_of_number
        if parser.fault == "too large":
            return limit_words(found, self._limit)
        if parser.fault == "many features":
            return f"more than {count(self._most, 'feature')} in one row", RAISE_MAX_FEATURES
        return super().explain(parser, found)


class Reader(Generic[Taken]):
    """Blocks of rows, in bounded memory; iterate, or use as a context manager.

    Attributes
    ----------
    rows : int
        Rows read so far.
    skipped : int
        Rows skipped so far (``on_bad="skip"`` or ``"rejects=FILE"``).
    first_faults : list of DataError
        The first few reasons for that.
    row_texts : RowTexts or None
        Set before reading, it gets the rows as they stand, and where the bad ones are.
    progress : callable or None
        Set before reading, it is called with the rows read so far, now and then.
    advise : callable or None
        Set before reading, it is given an error and returns the one to raise instead, such as the
        same fault with cures that only the caller knows.
    """

    unit = "row"
    row_texts: RowTexts | None = None
    progress: Callable[[int], None] | None = None
    advise: Callable[[ReadingError], RosenblattError] | None = None
    _halves: Halves | None = None

    def __init__(self, form: TextFormat[Taken], given: Given, settings: ReaderSettings) -> None:
        self._form, self._sources = form, sources_of(given)
        self._bad = BadRows(settings.on_bad, self._sources)
        self._encoding, self._limit = settings.encoding, settings.max_line_bytes
        if not form.finds_encoding:
            self._encoding = self._encoding or "utf-8"
        form.parser.max_row = self._limit
        self.rows = 0
        # Bad rows that do no harm unless another row follows them.
        self._footers: list[tuple[DataError, bytes]] = []
        self._blocks = self._walk()

    @property
    def skipped(self) -> int:
        return self._bad.count

    @property
    def first_faults(self) -> list[DataError]:
        return self._bad.first

    @property
    def revised(self) -> dict[str, str]:
        """Columns of a table whose kind was guessed wrong by the first rows, with their kind."""
        return self._form.revised()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Taken:
        try:
            return next(self._blocks)
        except (InputError, ParameterError) as error:
            self._raise_advised(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a reader cannot be copied or pickled; give the path and read it there")

    def close(self) -> None:
        """Close the file being read and the file of rejects."""
        self._blocks.close()
        self._bad.close()

    def begin(self) -> TextFormat[Taken]:
        """Read what stands before the rows of the first file; return the format, which knows it."""
        source = self._sources[0]
        lines = Lines(source, self._limit, self._encoding, 1, self._form.expected_encoding)
        self._form.parser.line = 0
        with closing(lines.pieces()) as pieces:
            for _ in pieces:
                if self._form.begin(lines):
                    break
                if lines.too_long:
                    self._give_up_line(lines, header=True)
        return self._form

    def whole(self) -> Taken:
        """Return everything as one block; warn of rows that were skipped."""
        try:
            return self._whole()
        except (InputError, ParameterError) as error:
            self._raise_advised(error)

    def _raise_advised(self, error: ReadingError) -> NoReturn:
        """Raise the error, or the one that `advise` makes of it."""
        better: RosenblattError = error if self.advise is None else self.advise(error)
        if better is error:
            raise error
        raise better from error

    def _whole(self) -> Taken:
        form = self._form
        form.reads_all = True
        with closing(self._bad), ExitStack() as stack:
            if form.may_revise:
                kept = [stack.enter_context(kept_for_rereading(one)) for one in self._sources]
                self._sources = kept
            taken = self._read_all()
            if form.reread():
                self._begin_again()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # all was said the first time
                    taken = self._read_all()
            taken = form.finished(taken)
        form.tell_of_strays(self._named())
        self._bad.tell(self.rows, self.unit)
        return taken

    def _read_all(self) -> Taken:
        size, parser = sum(source.size() for source in self._sources), self._form.parser
        twin = self._form.twin() if n_processors() > 1 else None
        with nullcontext() if twin is None else Halves(parser, twin) as halves:
            self._halves = halves
            for lines in self._pieces():
                if size > lines.at > 0:
                    parser.expect(EXPECTED * size / lines.at)
                size, self.rows = 0, parser.n_rows
                if self.progress is not None and self.rows:
                    self.progress(self.rows)
        self._refuse_nothing()
        return self._form.take()

    def _begin_again(self) -> None:
        self._bad.restart()
        self._footers = []
        self.rows = 0

    def _named(self) -> str:
        return ", ".join(source.name for source in self._sources[:3])

    def _walk(self) -> Generator[Taken, None, None]:
        if self._form.labels is not None:
            self._form.labels.decide_by_first()
        try:
            for _ in self._pieces():
                if self._form.parser.n_rows:
                    block = self._form.take()
                    self.rows += len(block)
                    if self.progress is not None:
                        self.progress(self.rows)
                    if len(block):
                        yield block
        finally:
            self._bad.close()
        self._refuse_nothing()
        self._form.tell_of_strays(self._named())

    def _refuse_nothing(self) -> None:
        if self.rows == 0 and not (self._bad.count and self.row_texts):
            n = self._bad.count
            skipped = f"; {count(n, f'bad {self.unit}')} skipped" if n else ""
            cure = f"give a file with {self.unit}s in it"
            raise DataError(f"0 {self.unit}s{skipped}", name=self._named(), cures=cure)

    def _pieces(self) -> Iterator[Lines]:
        """Parse piece after piece; the parser holds the rows."""
        for source in self._sources:
            times, expected = OF_HALVES if self._halves else 1, self._form.expected_encoding
            lines = Lines(source, self._limit, self._encoding, times, expected)
            self._form.parser.line = 0
            begun = False
            for _ in lines.pieces():
                begun = begun or self._form.begin(lines)
                if begun:
                    at, line = lines.at, self._form.parser.line + 1
                    self._parse(lines)
                    if self.row_texts is not None and self.row_texts.fields:
                        text = lines.buffer[at : lines.at]
                        self.row_texts.keep_text(self._form, line, text)
                if lines.too_long:
                    self._give_up_line(lines, header=not begun)
                yield lines
            self._leave_footers(lines.name)
            if begun:
                self._form.end(lines)

    def _parse(self, lines: Lines) -> None:
        parser = self._form.parser
        parse = (self._halves or parser).parse
        while lines.at < lines.end:
            before = parser.n_rows
            at = parse(lines.buffer, lines.at, lines.end, lines.last)
            if parser.n_rows > before:
                self._refuse_footers()
            if parser.fault is not None:
                self._look_at_fault(lines)
            elif at == lines.at:
                return
            # After a fault one thread reads on, lest another reads the same rows again and again.
            lines.at, parse = at, parser.parse

    def _look_at_fault(self, lines: Lines) -> None:
        parser = self._form.parser
        row = bytes(lines.buffer[parser.row_at : parser.row_end])
        cured = self._form.flattened(row) if parser.fault == "nested" else None
        if cured is not None:
            parser.line -= 1
            parser.parse(cured, 0, len(cured), True)
            if parser.fault is None:
                self._refuse_footers()
                return
        if cured is None:
            error = self._fault(lines)
        else:
            error = self._fault_in_flattened(cured, row, lines.name)
        if self._bad.stops and self.row_texts is None and self._form.is_footer(row):
            self._footers.append((error, row))
            return
        self._refuse_footers()
        self._meet(error, row, parser.n_rows)

    def _refuse_footers(self) -> None:
        """Rows that seemed to stand below the last one do not."""
        for error, row in self._footers:
            self._meet(error, row, self._form.parser.n_rows)

    def _leave_footers(self, name: str) -> None:
        for _, row in self._footers:
            text = row.decode("utf-8", "replace").strip()[:40]
            notice(Assumption, f"{name}: {text!r} skipped, below the last row")
        self._footers = []

    def _meet(self, error: DataError, row: bytes, n_before: int) -> None:
        """A bad row, after so many good ones since the last block."""
        self._bad.meet(error, row)
        if self.row_texts is not None:
            self.row_texts.keep_bad(n_before, error, row)

    def _fault(self, lines: Lines) -> DataError:
        parser = self._form.parser
        if parser.fault == "long row of text":
            return self._long_row(lines, parser.row_at, parser.fault_line)
        return self._fault_in(lines.buffer, lines.name)

    def _fault_in(self, text: bytearray, name: str) -> DataError:
        parser = self._form.parser
        found = bytes(text[parser.fault_at : parser.fault_end])
        what, cures = self._form.explain(parser, found)
        line_at = text.rfind(b"\n", parser.row_at, parser.fault_at) + 1 or parser.row_at
        line_end = text.find(b"\n", parser.fault_at)
        line_end -= text[line_end - 1] == 13
        return located(
            what,
            name=name,
            line=parser.fault_line,
            text=bytes(text[line_at:line_end]),
            at=parser.fault_at - line_at,
            end=max(parser.fault_at, min(parser.fault_end, line_end)) - line_at,
            cures=[*([cures] if isinstance(cures, Words) else cures), SKIP],
        )

    def _fault_in_flattened(self, cured: bytearray, row: bytes, name: str) -> DataError:
        """A fault of a row that was flattened, at its place in the row as it stands in the file."""
        parser = self._form.parser
        found = bytes(cured[parser.fault_at : parser.fault_end])
        what, cures = self._form.explain(parser, found)
        at, end = self._form.span_in_row(row)
        return located(
            what,
            name=name,
            line=parser.fault_line,
            text=row.rstrip(b"\r\n"),
            at=at,
            end=end,
            cures=[*([cures] if isinstance(cures, Words) else cures), SKIP],
        )

    def _give_up_line(self, lines: Lines, *, header: bool) -> None:
        """The row at hand has no end within the limit: it is not kept any further."""
        parser = self._form.parser
        error = self._long_row(lines, lines.at, parser.line + 1)
        if header:
            raise error
        self._meet(error, self._head(lines, lines.at), parser.n_rows)
        parser.line += 1
        lines.drop_line()

    def _long_row(self, lines: Lines, at: int, line: int) -> DataError:
        head = self._head(lines, at)
        return located(
            f"this row is longer than {self._limit:,} bytes",
            name=lines.name,
            line=line,
            text=head.partition(b"\n")[0],
            at=0,
            end=1,
            cures=self._cures_of_long_row(head),
        )

    def _head(self, lines: Lines, at: int) -> bytes:
        """How a row begins of which no more than one byte beyond the limit is sure to be there."""
        return bytes(lines.buffer[at : at + min(KEPT_OF_LONG_ROW, self._limit + 1)])

    def _cures_of_long_row(self, head: bytes) -> list[Words]:
        if b"\n" in head and getattr(self._form, "delimited", False):
            return ["close the quote, if one is open", RAISE_MAX_LINE_BYTES]
        if head.count(b"\r") > 1:
            return ["the line ends are carriage returns alone: convert the file to line feeds"]
        return [RAISE_MAX_LINE_BYTES]
