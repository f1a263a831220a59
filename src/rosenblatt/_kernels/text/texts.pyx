"""`label<TAB>text` into labels and strings."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memchr
from rosenblatt._kernels.text.parsing cimport Parser, line_end, rb_bad_text


cdef inline int64_t after_spaces(const unsigned char *text, int64_t at) noexcept nogil:
    while text[at] == 32:
        at += 1
    return at


cdef class TextParser(Parser):
    """One text a line, as it stands, after a label and a tab if `labelled`."""

    cdef bint labelled
    cdef list texts

    def __init__(self, bint labelled):
        self.labelled, self.texts = labelled, []

    cdef int64_t read_row(
        self, const unsigned char *text, int64_t at, int64_t end, bint last
    ) except -2 nogil:
        cdef int64_t line_feed = line_end(text, at, end), stop = line_feed
        cdef int64_t label_at = at, label_end = at, bad
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
        bad = rb_bad_text(text, at, stop)
        if bad >= 0:
            return self.fail("not text", bad, bad + 1)
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
        """The texts; starts anew."""
        texts, self.texts = self.texts, []
        return texts
