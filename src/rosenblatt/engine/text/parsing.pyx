"""What the text formats share, and the plainest of them, a text a line.

That is arrays that grow, the walk from row to row, and what is known of a bad one.
"""

cimport numpy as cnp
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcpy
from rosenblatt.engine.text.names cimport Names, Text

cnp.import_array()

cdef extern from "text/large_pages.h" nogil:
    void rb_ask_for_large_pages(void *at, int64_t n_bytes)

# Of a block this small the arrays are copied, so that the memory it is read into stays: to give it
# away would cost new pages of the system for every block, a quarter of the time of reading.
cdef enum:
    MOST_TO_COPY = 3 << 20  # bytes
    SPARE = 1 << 21  # items, of which none is touched


cdef class Growing:
    def __cinit__(self, int64_t item):
        self.item = item

    def __dealloc__(self):
        free(self.at)

    cdef int reserve(self, int64_t n) except -1 nogil:
        """Make room for `n` items in all, more than asked for so that growing stays rare."""
        cdef int64_t room
        cdef void *at
        if n <= self.room:
            return 0
        room = max(n, self.room + self.room // 2)
        at = realloc(self.at, room * self.item)
        if at is NULL:
            raise MemoryError("no memory for what was read; read it in blocks")
        rb_ask_for_large_pages(at, room * self.item)
        self.at = at
        self.room = room
        return 0

    cdef void expect(self, double n) noexcept nogil:
        """Make room for `n` items, if there is memory: what grows once more is moved as a whole."""
        cdef void *at
        if self.room < n < 1e15:
            at = realloc(self.at, <int64_t>n * self.item)
            if at is not NULL:
                rb_ask_for_large_pages(at, <int64_t>n * self.item)
                self.at = at
                self.room = <int64_t>n

    cdef int append(self, int64_t n, Growing other, int64_t more) except -1:
        """Put the first of the other's items behind `n` of its own."""
        self.reserve(n + more)
        if more:
            memcpy(<char *>self.at + n * self.item, other.at, more * self.item)
        return 0

    cdef object take(self, int64_t n, int typenum):
        """Return the first `n` items as an array that owns them; start again with nothing."""
        cdef Growing owner = Growing.__new__(Growing, self.item)
        cdef cnp.npy_intp length = n
        cdef void *at
        if n == 0:
            return cnp.PyArray_SimpleNew(1, &length, typenum)
        at = realloc(self.at, n * self.item)
        owner.at = at if at is not NULL else self.at
        owner.room = n
        self.at = NULL
        self.room = 0
        array = cnp.PyArray_SimpleNewFromData(1, &length, typenum, owner.at)
        cnp.set_array_base(array, owner)
        return array


cdef class Parser:
    """Rows out of whole lines of text: labels as codes, the line of every row, the first fault.

    A subclass reads one row at a time into arrays of its own. A row with a fault leaves nothing
    behind: `parse` stops after it, and the caller looks at `fault` before going on.
    """

    def __cinit__(self, *args, **kwargs):
        self.codes = Growing(4)
        self.lines = Growing(8)
        self.labels = Names()
        self.max_row = 0x7FFFFFFFFFFFFFFF

    cdef int make_room(self, int64_t n_bytes) except -1 nogil:
        """Make room for whatever that much text can hold."""
        return 0

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        """Return where the next row begins; -1 after `fail`; `at` again if the row is not complete."""
        return end

    cdef int64_t row_stop(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """Return the line feed that ends the bad row at `at`; -1 if the row is not complete."""
        return line_end(text, at, end)

    cdef bint is_long(self, Text text, int64_t at, int64_t end) noexcept nogil:
        cdef int64_t stop = self.row_stop(text, at, end)
        self.found = NULL  # looking for the end may have found a fault on the way
        return stop < 0 or stop + 1 - at > self.max_row

    cdef int64_t fail(self, const char *found, int64_t at, int64_t end) noexcept nogil:
        self.found = found
        self.fault_at = at
        self.fault_end = end
        return -1

    cdef bint is_text(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """Return whether the bytes are text; if not, after `fail`."""
        cdef int64_t bad = rb_bad_text(text, at, end)
        if bad >= 0:
            self.fail("not text", bad, bad + 1)
        return bad < 0

    cdef int32_t code_of(self, Names names, Text text, int64_t at, int64_t end) except -2 nogil:
        """Return the number of a text; -1 after `fail`, if it is not text."""
        cdef int32_t code = names.find(text + at, end - at, False)
        if code >= 0 or not self.is_text(text, at, end):
            return code
        return names.find(text + at, end - at, True)

    cdef int32_t label_code(self, Text text, int64_t at, int64_t end) except -2 nogil:
        """Return the number of a label; -1 after `fail`, if `admits` has a reason against it."""
        cdef int32_t code = self.labels.find(text + at, end - at, False)
        if code >= 0:
            return code
        if rb_bad_text(text, at, end) < 0 and not self.admitted(text, at, end):
            return <int32_t>self.fail("label", at, end)
        return self.code_of(self.labels, text, at, end)

    # A function of its own: one that may need the lock takes it at every call.
    cdef bint admitted(self, Text text, int64_t at, int64_t end) except -1 with gil:
        if self.admits is None:
            return True
        self.reason = self.admits(PyBytes_FromStringAndSize(<char *>text + at, end - at))
        return self.reason is None

    cdef int finish_row(self, int32_t code) except -1 nogil:
        self.codes.reserve(self.n_rows + 1)
        self.lines.reserve(self.n_rows + 1)
        (<int32_t *>self.codes.at)[self.n_rows] = code
        (<int64_t *>self.lines.at)[self.n_rows] = self.line + 1
        self.n_rows += 1
        return 0

    def parse(self, const unsigned char[::1] text, int64_t at, int64_t end, bint last):
        """Read rows from `at` on; where it stopped: at `end`, after a fault, before half a row.

        The byte before `end` is a line feed. `last` says that nothing follows.
        """
        cdef const unsigned char *base
        cdef int64_t next_at, i
        if not 0 <= at <= end <= text.shape[0] or (at < end and text[end - 1] != 10):
            raise ValueError("what is parsed must lie in the buffer and end in a line feed")
        self.found = NULL
        if at == end:
            return at
        base = &text[0]
        with nogil:
            self.make_room(end - at)
            while at < end:
                if end - at > self.max_row and self.is_long(base, at, end):
                    next_at = self.fail("long row of text", at, at + 1)
                else:
                    next_at = self.read_row(base, at, end, last)
                if next_at == at:
                    break
                if next_at < 0:
                    self.row_at = at
                    self.row_end = self.row_stop(base, at, end)
                    if self.row_end < 0:
                        if not last:  # where the row ends is not known yet
                            self.found = NULL
                            break
                        self.row_end = line_end(base, at, end)
                    self.fault_line = self.line + 1
                    for i in range(at, self.fault_at):
                        self.fault_line += base[i] == 10
                    for i in range(at, self.row_end + 1):
                        self.line += base[i] == 10
                    at = self.row_end + 1
                    break
                at = next_at
        return at

    def expect(self, double times):
        """That there will be so many times as many rows as there are now."""
        self.codes.expect(times * self.n_rows)
        self.lines.expect(times * self.n_rows)

    @property
    def fault(self):
        """What is wrong with the row just passed, in a word, or None."""
        return None if self.found is NULL else (<bytes>self.found).decode("ascii")

    def take_rows(self):
        """Codes of the labels, the labels, and the line of each row; starts anew."""
        cdef int64_t n = self.n_rows
        taken = (
            self.codes.take(n, cnp.NPY_INT32),
            self.labels.listed(),
            self.lines.take(n, cnp.NPY_INT64),
        )
        self.labels = Names()
        self.n_rows = 0
        return taken


cdef class SparseParser(Parser):
    """Rows of a sparse matrix: values, their columns from 0, and where each row ends."""

    def __cinit__(self, bint float32, double limit, int64_t max_features, *args):
        self.float32 = float32
        self.limit = limit
        self.max_features = max_features
        self.values = Growing(4 if float32 else 8)
        self.columns = Growing(4)
        self.starts = Growing(8)

    cdef int end_row(self, int32_t code, int64_t n) except -1 nogil:
        """Keep the row, which is whole: with it `n` values are stored."""
        self.starts.reserve(self.n_rows + 1)
        (<int64_t *>self.starts.at)[self.n_rows] = n
        self.n_stored = n
        return self.finish_row(code)

    def expect(self, double times):
        super().expect(times)
        self.starts.expect(times * self.n_rows)
        # For each piece there is room for more than it can hold.
        self.values.expect(times * self.n_stored + SPARE)
        self.columns.expect(times * self.n_stored + SPARE)

    def join(self, SparseParser other):
        """Take over the rows of the text that follows, which another parser has read; it starts anew.

        False if either met a fault, or a label is refused: then these rows are still to be read.
        """
        cdef bint sound = self.found is NULL and other.found is NULL
        cdef Growing code = Growing(4)
        cdef Names labels = other.labels
        cdef int64_t begin = 0
        cdef int64_t i
        if sound:
            code.reserve(labels.count + 1)
            (<int32_t *>code.at)[0] = 0  # of rows that have no label
            for i in range(labels.count):
                (<int32_t *>code.at)[i] = self.label_code(labels.text, begin, labels.stops[i])
                begin = labels.stops[i]
                if (<int32_t *>code.at)[i] < 0:
                    self.found = NULL
                    sound = False
                    break
        if sound:
            self.append(other, <int32_t *>code.at)
            self.line += other.line
        other.labels = Names()
        other.line = 0
        other.n_rows = 0
        other.n_stored = 0
        return sound

    cdef int append(self, SparseParser other, const int32_t *code) except -1:
        cdef int64_t rows = self.n_rows + other.n_rows
        cdef int64_t stored = self.n_stored + other.n_stored
        cdef int64_t i
        self.values.append(self.n_stored, other.values, other.n_stored)
        self.columns.append(self.n_stored, other.columns, other.n_stored)
        self.starts.reserve(rows)
        self.codes.reserve(rows)
        self.lines.reserve(rows)
        for i in range(other.n_rows):
            (<int64_t *>self.starts.at)[self.n_rows] = self.n_stored + (<int64_t *>other.starts.at)[i]
            (<int32_t *>self.codes.at)[self.n_rows] = code[(<int32_t *>other.codes.at)[i]]
            (<int64_t *>self.lines.at)[self.n_rows] = self.line + (<int64_t *>other.lines.at)[i]
            self.n_rows += 1
        self.n_stored = stored
        return 0

    def take(self):
        """Values, columns from 0, and where each row ends; starts anew."""
        cdef int64_t n = self.n_stored
        cdef cnp.npy_intp length = self.n_rows + 1
        starts = cnp.PyArray_ZEROS(1, &length, cnp.NPY_INT64, 0)
        starts[1:] = self.starts.take(self.n_rows, cnp.NPY_INT64)
        self.n_stored = 0
        cdef bint copied = self.values.room * self.values.item <= MOST_TO_COPY
        typenum = cnp.NPY_FLOAT32 if self.float32 else cnp.NPY_FLOAT64
        if copied:
            return copy_of(self.values, n, typenum), copy_of(self.columns, n, cnp.NPY_INT32), starts
        return self.values.take(n, typenum), self.columns.take(n, cnp.NPY_INT32), starts


cdef object copy_of(Growing items, int64_t n, int typenum):
    cdef cnp.npy_intp length = n
    array = cnp.PyArray_SimpleNew(1, &length, typenum)
    if n:
        memcpy(cnp.PyArray_DATA(array), items.at, n * items.item)
    return array


cdef inline int64_t after_spaces(Text text, int64_t at) noexcept nogil:
    while text[at] == 32:
        at += 1
    return at


cdef class TextParser(Parser):
    """One text a line, as it stands, after a label and a tab if `labelled`."""

    cdef bint labelled
    cdef list texts

    def __init__(self, bint labelled):
        self.labelled = labelled
        self.texts = []

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t line_feed = line_end(text, at, end)
        cdef int64_t stop = line_feed
        cdef int64_t label_at = at
        cdef int64_t label_end = at
        cdef int32_t code = 0
        cdef const void *tab
        if stop > at and text[stop - 1] == 13:
            stop -= 1
        if self.labelled:
            tab = memchr(text + at, 9, stop - at)
            if tab is NULL:
                if after_spaces(text, at) < stop:
                    return self.fail("no tab", at, stop)
                self.line += 1
                return line_feed + 1
            label_end = <const unsigned char *>tab - text
            at, label_at = label_end + 1, after_spaces(text, at)
            while label_at < label_end and text[label_end - 1] == 32:
                label_end -= 1
            if label_at == label_end:
                return self.fail("no label", label_at, label_at + 1)
        if not self.is_text(text, at, stop):
            return -1
        if self.labelled:
            code = self.label_code(text, label_at, label_end)
            if code < 0:
                return -1
        with gil:
            self.texts.append(PyUnicode_DecodeUTF8(<const char *>text + at, stop - at, NULL))
        self.finish_row(code)
        self.line += 1
        return line_feed + 1

    def take(self):
        """Return the texts; start again with none."""
        texts = self.texts
        self.texts = []
        return texts
