"""Base classes of readers, which parse text, handle bad rows and return blocks of rows."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Sized
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from typing import Generic, NoReturn, Self, TypeVar

from rosenblatt.engine.text.parsing import Parser, SparseParser
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
    ProblemAndCures,
    encoding_problem,
    limit_problem,
    located_error,
    notice,
    number_problem,
    quoted,
)
from rosenblatt.tables.readers.halves import Halves
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.lines import CARRIAGE_RETURN, Lines
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.row_texts import RowSyntax, RowTexts
from rosenblatt.tables.readers.sources import Given, Source, kept_for_rereading, sources_of

BlockType = TypeVar("BlockType", bound=Sized)
ReadingError = InputError | ParameterError

KEPT_OF_LONG_ROW = 200  # bytes of an overlong row that an error stores, at most
# Memory is reserved for this multiple of the number of rows estimated from the first piece.
GROWTH_MARGIN = 1.03
# Pieces are longer by this factor if two threads parse one half each.
PIECES_OF_TWO_THREADS = 2
LONGEST_FOOTER_SHOWN = 40  # characters
NAMED_FILES = 3  # file names in an error about all files, at most

FAULTS_OF_ANY_LINE: dict[str, ProblemAndCures] = {
    "bare return": ("a carriage return within the line", "convert the line ends to line feeds")
}


class TextFormat(ABC, Generic[BlockType]):
    """Base of text formats: the parser, and the messages for its faults.

    Attributes
    ----------
    parser : Parser
        Parses lines into rows; it reports a fault in one word and stops after the bad row.
    labels : Labels or None
        Decides what the labels are.
    finds_encoding : bool
        Whether the encoding is detected if the caller does not name it.
    expected_encoding : str
        The encoding of the files before; a warning is given for another one only.
    reads_all : bool
        Whether all rows are read before any is handed out.
    is_delimited : bool
        Whether a field may be quoted, so that a row may have several lines.
    faults : mapping
        By fault the problem, with {found} in quotes or the bare {number}, and its cures.
    """

    parser: Parser
    labels: Labels | None = None
    finds_encoding = False
    expected_encoding = "utf-8"
    reads_all = False
    is_delimited = False
    faults: Mapping[str, ProblemAndCures] = {}

    # ------------------------------------------------------------------ files

    def begin_file(self, lines: Lines) -> bool:
        """Parse the lines above the rows of a file; return False if more text is needed."""
        return True

    def end_file(self, lines: Lines) -> None:
        """Issue warnings about a file after its last row was read."""

    @abstractmethod
    def take(self) -> BlockType:
        """Return the rows parsed since the last call."""

    def second_parser(self) -> SparseParser | None:
        """Return a parser for the second half of a piece, or None if the format needs a single one.

        A format needs a single parser if a row can be found only by parsing those before it.
        """
        return None

    def row_syntax(self) -> RowSyntax:
        """Return the syntax by which `RowTexts` splits a row into fields."""
        return RowSyntax()

    # ------------------------------------------------------------------ bad rows

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        """Return the message and the cures for the fault at which a parser stopped."""
        assert parser.fault is not None
        if parser.fault == "label":
            reason: ProblemAndCures = parser.reason
            return reason
        if parser.fault == "not text":
            return encoding_problem(found)
        problem, cures = {**FAULTS_OF_ANY_LINE, **self.faults}[parser.fault]
        shown = "the end of the line"
        if found.strip(b"\r\n"):
            shown = quoted(found)
        return str(problem).format(found=shown, number=found.decode("utf-8", "replace")), cures

    def is_footer(self, row: bytes) -> bool:
        """Return whether a bad row may be a footer; it is one if no good row follows."""
        return False

    def flattened(self, row: bytes) -> bytearray | None:
        """Return a row as a line without nested objects; None if it cannot be flattened."""
        return None

    def span_in_row(self, row: bytes) -> tuple[int, int]:
        """Return the byte range in the original row of the fault in its flattened form."""
        return 0, 1

    # ------------------------------------------------------------------ whole files

    @property
    def may_revise(self) -> bool:
        """Return whether `must_reread` may return True after all rows were read."""
        return False

    def revised(self) -> dict[str, str]:
        """Return the columns whose kind was guessed wrong, with the kind that all rows show."""
        return {}

    def must_reread(self) -> bool:
        """Return whether the files must be parsed again, since rows contradict a guessed kind."""
        return False

    def finish(self, block: BlockType) -> BlockType:
        """Return the block of all rows, with wrongly guessed columns converted."""
        return block

    def warn_of_strays(self, file: str) -> None:
        """Warn about values that were read as missing, if there are any."""


class SparseFormat(TextFormat[BlockType]):
    """Base of sparse text formats, with limits on values and on the features of a row."""

    cure_of_number: Words
    labels: Labels

    def __init__(self, settings: ReaderSettings) -> None:
        self._limit = largest_allowed(settings.dtype)
        self._most = settings.max_features
        self.labels = Labels(settings.labels, settings.classes)

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault == "not a number":
            return number_problem(found), self.cure_of_number
        if parser.fault == "too large":
            return limit_problem(found, self._limit)
        if parser.fault == "many features":
            return f"more than {count(self._most, 'feature')} in one row", RAISE_MAX_FEATURES
        return super().explain(parser, found)


# ---------------------------------------------------------------------- readers


class Reader(ABC, Generic[BlockType]):
    """Iterator over blocks of rows, in bounded memory; also a context manager.

    Attributes
    ----------
    rows : int
        Rows read so far.
    skipped : int
        Rows skipped so far (``on_bad="skip"`` or ``"rejects=FILE"``).
    first_faults : list of DataError
        The first few reasons for that.
    row_texts : RowTexts or None
        If set before reading, it stores the original rows of the file, or only the bad ones.
    progress : callable or None
        If set before reading, it is called with the rows read so far, now and then.
    advise : callable or None
        If set before reading, it is given an error and returns the one to raise instead, such as
        the same fault with cures that only the caller knows.
    """

    unit = "row"
    row_texts: RowTexts | None = None
    progress: Callable[[int], None] | None = None
    advise: Callable[[ReadingError], RosenblattError] | None = None

    def __init__(self, sources: list[Source], on_bad: str) -> None:
        self._sources = sources
        self._bad = BadRows(on_bad, sources)
        self.rows = 0
        self._blocks = self._read_blocks()

    @abstractmethod
    def _read_blocks(self) -> Generator[BlockType, None, None]:
        """Yield the blocks of all sources."""

    @abstractmethod
    def _read_whole(self) -> BlockType:
        """Read everything into one block; warn about skipped rows."""

    def whole(self) -> BlockType:
        """Read everything into one block; warn about skipped rows."""
        try:
            return self._read_whole()
        except (InputError, ParameterError) as error:
            self._raise_advised(error)

    def _raise_advised(self, error: ReadingError) -> NoReturn:
        """Raise the error, or the one that `advise` returns for it."""
        better: RosenblattError = error if self.advise is None else self.advise(error)
        if better is error:
            raise error
        raise better from error

    @property
    def skipped(self) -> int:
        return self._bad.count

    @property
    def first_faults(self) -> list[DataError]:
        return self._bad.first

    @property
    def revised(self) -> dict[str, str]:
        """Return the columns of a table whose kind was guessed wrong at first, with their kind."""
        return {}

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> BlockType:
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

    def _file_names(self) -> str:
        return ", ".join(source.name for source in self._sources[:NAMED_FILES])

    def _handle_bad_row(self, error: DataError, row: bytes, n_before: int) -> None:
        """Raise the error of a bad row, or skip it; its block has `n_before` good rows above it."""
        self._bad.handle(error, row)
        if self.row_texts is not None:
            self.row_texts.keep_bad(n_before, error, row)

    def _refuse_no_rows(self) -> None:
        has_bad_rows_to_show = self._bad.count and self.row_texts
        if self.rows or has_bad_rows_to_show:
            return
        n = self._bad.count
        skipped = f"; {count(n, f'bad {self.unit}')} skipped" if n else ""
        cure = f"give a file with {self.unit}s in it"
        raise DataError(f"0 {self.unit}s{skipped}", name=self._file_names(), cures=cure)


class TextReader(Reader[BlockType]):
    """Reader of text, in any `TextFormat`."""

    _halves: Halves | None = None

    def __init__(self, form: TextFormat[BlockType], given: Given, settings: ReaderSettings) -> None:
        super().__init__(sources_of(given), settings.on_bad)
        self._form = form
        self._limit = settings.max_line_bytes
        self._encoding = settings.encoding
        if self._encoding is None and not form.finds_encoding:
            self._encoding = "utf-8"
        form.parser.max_row = self._limit
        # Bad rows that are footers unless a row follows them.
        self._footers: list[tuple[DataError, bytes]] = []

    @property
    def revised(self) -> dict[str, str]:
        return self._form.revised()

    def begin(self) -> TextFormat[BlockType]:
        """Parse the lines above the rows of the first file, and return the format."""
        lines = self._lines_of(self._sources[0])
        self._form.parser.line = 0
        with closing(lines.pieces()) as pieces:
            for _ in pieces:
                if self._form.begin_file(lines):
                    break
                if lines.too_long:
                    self._give_up_line(lines, header=True)
        return self._form

    def _lines_of(self, source: Source) -> Lines:
        times = PIECES_OF_TWO_THREADS if self._halves else 1
        return Lines(source, self._limit, self._encoding, times, self._form.expected_encoding)

    # ------------------------------------------------------------------ everything at once

    def _read_whole(self) -> BlockType:
        form = self._form
        form.reads_all = True
        with closing(self._bad), ExitStack() as stack:
            if form.may_revise:
                kept = [stack.enter_context(kept_for_rereading(one)) for one in self._sources]
                self._sources = kept
            block = self._read_all()
            if form.must_reread():
                self._restart()
                with warnings.catch_warnings():
                    # The first pass gave all warnings.
                    warnings.simplefilter("ignore")
                    block = self._read_all()
            block = form.finish(block)
        form.warn_of_strays(self._file_names())
        self._bad.warn(self.rows, self.unit)
        return block

    def _read_all(self) -> BlockType:
        """Parse all sources into one block."""
        parser = self._form.parser
        size = sum(source.size() for source in self._sources)
        second = self._form.second_parser() if n_processors() > 1 else None
        parallel: AbstractContextManager[Halves | None] = nullcontext()
        if second is not None:
            assert isinstance(parser, SparseParser)
            parallel = Halves(parser, second)
        with parallel as self._halves:
            for lines in self._pieces():
                # The first piece shows how many rows to reserve memory for.
                if size > lines.at > 0:
                    parser.expect(GROWTH_MARGIN * size / lines.at)
                size = 0
                self.rows = parser.n_rows
                if self.progress is not None and self.rows:
                    self.progress(self.rows)
        self._refuse_no_rows()
        return self._form.take()

    def _restart(self) -> None:
        self._bad.restart()
        self._footers = []
        self.rows = 0

    # ------------------------------------------------------------------ block by block

    def _read_blocks(self) -> Generator[BlockType, None, None]:
        if self._form.labels is not None:
            self._form.labels.decide_by_first()
        try:
            for _ in self._pieces():
                if self._form.parser.n_rows == 0:
                    continue
                block = self._form.take()
                self.rows += len(block)
                if self.progress is not None:
                    self.progress(self.rows)
                if len(block):
                    yield block
        finally:
            self._bad.close()
        self._refuse_no_rows()
        self._form.warn_of_strays(self._file_names())

    def _pieces(self) -> Iterator[Lines]:
        """Parse all sources piece by piece; at each yield, the parser holds the rows read."""
        for source in self._sources:
            lines = self._lines_of(source)
            self._form.parser.line = 0
            has_begun = False
            for _ in lines.pieces():
                has_begun = has_begun or self._form.begin_file(lines)
                if has_begun:
                    self._parse_and_keep_text(lines)
                if lines.too_long:
                    self._give_up_line(lines, header=not has_begun)
                yield lines
            self._skip_footers(lines.name)
            if has_begun:
                self._form.end_file(lines)

    def _parse_and_keep_text(self, lines: Lines) -> None:
        at = lines.at
        line = self._form.parser.line + 1
        self._parse(lines)
        if self.row_texts is not None and self.row_texts.fields:
            text = lines.buffer[at : lines.at]
            self.row_texts.keep_text(self._form.row_syntax(), line, text)

    def _parse(self, lines: Lines) -> None:
        """Parse the lines in the buffer, and handle bad rows among them."""
        parser = self._form.parser
        parse = parser.parse if self._halves is None else self._halves.parse
        while lines.at < lines.end:
            n_before = parser.n_rows
            at = parse(lines.buffer, lines.at, lines.end, lines.last)
            if parser.n_rows > n_before:
                self._refuse_footers()
            if parser.fault is not None:
                self._handle_fault(lines)
            elif at == lines.at:
                return  # what is left is the beginning of a row
            lines.at = at
            # After a fault one thread goes through the rest of the piece; the second one would
            # parse the same rows after each fault.
            parse = parser.parse

    # ------------------------------------------------------------------ bad rows

    def _handle_fault(self, lines: Lines) -> None:
        """Flatten the row at which the parser stopped, hold it as a footer, or reject it."""
        parser = self._form.parser
        row = bytes(lines.buffer[parser.row_at : parser.row_end])
        flat = self._form.flattened(row) if parser.fault == "nested" else None
        if flat is None:
            error = self._fault(lines)
        else:
            parser.line -= 1
            parser.parse(flat, 0, len(flat), True)
            if parser.fault is None:
                self._refuse_footers()
                return
            error = self._fault_in_flattened(flat, row, lines.name)

        if self._bad.stops and self.row_texts is None and self._form.is_footer(row):
            self._footers.append((error, row))
            return
        self._refuse_footers()
        self._handle_bad_row(error, row, parser.n_rows)

    def _refuse_footers(self) -> None:
        """Handle rows that were held as footers as bad rows, since another row follows them."""
        for error, row in self._footers:
            self._handle_bad_row(error, row, self._form.parser.n_rows)

    def _skip_footers(self, name: str) -> None:
        for _, row in self._footers:
            text = row.decode("utf-8", "replace").strip()[:LONGEST_FOOTER_SHOWN]
            notice(Assumption, f"{name}: {text!r} skipped, below the last row")
        self._footers = []

    def _fault(self, lines: Lines) -> DataError:
        parser = self._form.parser
        if parser.fault == "long row of text":
            return self._long_row(lines, parser.row_at, parser.fault_line)
        text = lines.buffer
        found = bytes(text[parser.fault_at : parser.fault_end])
        problem, cures = self._form.explain(parser, found)

        # The line of the fault, since a row may have several.
        line_at = text.rfind(b"\n", parser.row_at, parser.fault_at) + 1 or parser.row_at
        line_end = text.find(b"\n", parser.fault_at)
        if text[line_end - 1] == CARRIAGE_RETURN:
            line_end -= 1
        end = max(parser.fault_at, min(parser.fault_end, line_end))
        return located_error(
            problem,
            name=lines.name,
            line=parser.fault_line,
            text=bytes(text[line_at:line_end]),
            at=parser.fault_at - line_at,
            end=end - line_at,
            cures=[*_listed(cures), SKIP],
        )

    def _fault_in_flattened(self, flat: bytearray, row: bytes, name: str) -> DataError:
        """Return the error for a flattened row, located in the original row."""
        parser = self._form.parser
        found = bytes(flat[parser.fault_at : parser.fault_end])
        problem, cures = self._form.explain(parser, found)
        at, end = self._form.span_in_row(row)
        return located_error(
            problem,
            name=name,
            line=parser.fault_line,
            text=row.rstrip(b"\r\n"),
            at=at,
            end=end,
            cures=[*_listed(cures), SKIP],
        )

    def _give_up_line(self, lines: Lines, *, header: bool) -> None:
        """Skip a row that is longer than the limit, or raise its error if it is in the header."""
        parser = self._form.parser
        error = self._long_row(lines, lines.at, parser.line + 1)
        if header:
            raise error
        self._handle_bad_row(error, self._head(lines, lines.at), parser.n_rows)
        parser.line += 1
        lines.drop_line()

    def _long_row(self, lines: Lines, at: int, line: int) -> DataError:
        head = self._head(lines, at)
        return located_error(
            f"this row is longer than {self._limit:,} bytes",
            name=lines.name,
            line=line,
            text=head.partition(b"\n")[0],
            at=0,
            end=1,
            cures=self._cures_of_long_row(head),
        )

    def _head(self, lines: Lines, at: int) -> bytes:
        """Return the beginning of an overlong row, at most `KEPT_OF_LONG_ROW` bytes.

        The buffer surely holds one byte beyond the limit.
        """
        return bytes(lines.buffer[at : at + min(KEPT_OF_LONG_ROW, self._limit + 1)])

    def _cures_of_long_row(self, head: bytes) -> list[Words]:
        if b"\n" in head and self._form.is_delimited:
            return ["close the quote, if one is open", RAISE_MAX_LINE_BYTES]
        if head.count(b"\r") > 1:
            return ["the line ends are carriage returns alone: convert the file to line feeds"]
        return [RAISE_MAX_LINE_BYTES]


def _listed(cures: Words | Sequence[Words]) -> Sequence[Words]:
    return [cures] if isinstance(cures, Words) else cures
