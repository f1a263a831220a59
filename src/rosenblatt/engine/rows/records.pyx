"""One record of a table as the features of its schema, as `Schema.encode_records` makes them.

Columns of numbers and of categories with usual values are read here. A plan owns the running means by
which its numbers are scaled: the schema takes them over when somebody asks for it.
"""

from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsSsize_t, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport fabs, INFINITY, isfinite, isnan, NAN, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from rosenblatt.engine.rows.mappings cimport whole_as_double

import numpy as np

from rosenblatt.engine.rows.weights import FLOAT64_LIMIT

# Beyond it a square counts as this, so that sums of many stay finite.
LARGEST_SQUARE = 1e290
# So many columns are read here at most.
MOST_COLUMNS = MOST_VALUES
cdef frozenset NUMPY_NUMBERS = frozenset(np.dtype(code).type for code in "?bhilqBHILQefd")
cdef double MOST_SQUARED = LARGEST_SQUARE
cdef double LIMIT = FLOAT64_LIMIT


cdef class RecordPlan:
    """How a record becomes features: the columns that count, in the order of the features.

    Each is ``(name, (center, scale, clip, gaps, sums))``, a number, or ``(name, (levels, n_levels,
    mode))``, a category whose texts have the numbers that the dict `levels` says. `clip` and `sums`
    may be None.
    """

    def __cinit__(self, list columns):
        self.columns = <Column *>calloc(max(1, len(columns)), sizeof(Column))
        if self.columns == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.columns)

    def __init__(self, list columns):
        cdef Column *column
        cdef Py_ssize_t i
        if len(columns) > MOST_VALUES:
            raise ValueError(f"{len(columns)} columns, but there is room for {MOST_VALUES}")
        self.names = [name for name, _ in columns]
        self.levels = []
        for i, (_, facts) in enumerate(columns):
            column = &self.columns[i]
            column.is_number = len(facts) == 5
            if not column.is_number:
                levels, column.n_levels, column.mode = facts
                self.levels.append(levels)
                continue
            self.levels.append(None)
            center, scale, clip, gaps, sums = facts
            column.moments.center = center
            column.moments.scale = scale
            column.gaps = gaps
            column.clip = INFINITY if clip is None else clip
            column.is_running = sums is not None
            if sums is not None:
                (column.moments.n, column.moments.first, column.moments.total,
                 column.moments.squares) = sums

    def running(self):
        """Center, scale and sums of each column that is scaled by the records before; else None."""
        cdef Column *column
        cdef Py_ssize_t i
        found = []
        for i in range(len(self.names)):
            column = &self.columns[i]
            if not column.is_running:
                found.append(None)
                continue
            sums = [column.moments.n, column.moments.first, column.moments.total,
                    column.moments.squares]
            found.append((column.moments.center, column.moments.scale, sums))
        return found

    cdef bint read(self, RecordRow *row, dict x, bint learning) except -1:
        """Fill a row with the features of a record; False if anything is unusual."""
        cdef PyObject *found
        cdef Py_ssize_t i
        cdef bint usual
        row.n_values = 0
        row.n_features = 0
        row.is_dense = True
        row.is_running = False
        for i in range(len(self.names)):
            found = PyDict_GetItemWithError(x, <object>self.names[i])
            given = None if found == NULL else <object>found
            if self.columns[i].is_number:
                usual = read_number(row, &self.columns[i], given, &row.moments[i], learning)
            else:
                usual = read_level(row, &self.columns[i], self.levels[i], given)
            if not usual:
                return False
        return row.n_features > 0

    cdef int keep(self, RecordRow *row) noexcept:
        """Let the running means be those after the row that was read while learning."""
        cdef Py_ssize_t i
        for i in range(len(self.names)):
            if self.columns[i].is_running:
                self.columns[i].moments = row.moments[i]
        self.has_moved = True
        return 0


cdef bint read_number(RecordRow *row, const Column *column, given, Moments *after,
                      bint learning) except -1:
    """Put the value of a column into a row; `after` are the moments once it is learned."""
    cdef double value, center, scale
    cdef Moments before = column.moments
    if not number(given, &value):
        return False
    if learning and column.is_running:
        if not add(&before, after, value):
            return False
        row.is_running = True
    center = before.center
    scale = before.scale
    row.is_dense = row.is_dense and not column.gaps
    row.columns[row.n_values] = row.n_features
    row.n_features += 1 + column.gaps
    if isnan(value):
        row.columns[row.n_values] += column.gaps
        row.values[row.n_values] = 1.0 if column.gaps else 0.0
    else:
        value = (value - center) / scale
        if not isfinite(value):  # NumPy would warn
            return False
        row.values[row.n_values] = min(max(value, -column.clip), column.clip)
    row.n_values += 1
    return True


cdef bint read_level(RecordRow *row, const Column *column, dict levels, given) except -1:
    """Put a 1 into the feature of a level; nothing if it is an unseen one."""
    cdef PyObject *found
    cdef int64_t place = -1
    if given is None:
        given = ""
    elif PyBool_Check(given):
        given = "True" if given else "False"
    elif PyFloat_CheckExact(given) or (
            PyLong_CheckExact(given) and isfinite(whole_as_double(given))):
        given = str(given)
    elif not PyUnicode_CheckExact(given):
        return False
    found = PyDict_GetItemWithError(levels, given)
    if found != NULL:
        place = PyLong_AsSsize_t(<object>found)
    elif not given and column.n_levels:
        place = column.mode
    if place >= column.n_levels:
        return False
    if place >= 0:
        row.values[row.n_values] = 1.0
        row.columns[row.n_values] = row.n_features + place
        row.n_values += 1
    row.is_dense = False
    row.n_features += column.n_levels
    return True


cdef bint number(given, double *value) except -1:
    """Read a number as a float, a gap as NaN; return False if it is neither, too large or of an odd type."""
    if given is None:
        value[0] = NAN
    elif PyFloat_CheckExact(given):
        value[0] = PyFloat_AS_DOUBLE(given)
    elif PyLong_CheckExact(given) or PyBool_Check(given):
        value[0] = whole_as_double(given)
    elif type(given) in NUMPY_NUMBERS:
        value[0] = given
    else:
        return False
    return isnan(value[0]) or fabs(value[0]) <= LIMIT


cdef bint add(Moments *before, Moments *after, double value) noexcept:
    """Fill in the moments after a value, as in `running_moments`; return False if anything is unusual.

    Distances are from the first value, which `before` takes up as well: it is the center until then.
    """
    cdef double distance
    if before.n == 0 and not isnan(value):
        before.first = value
    if not settle(before):
        return False
    after[0] = before[0]
    distance = 0.0 if isnan(value) else value - after.first
    if not distance * distance <= MOST_SQUARED:  # then it counts less, in `running_moments`
        return False
    after.n += not isnan(value)
    after.total += distance
    after.squares += distance * distance
    return settle(after)


cdef bint settle(Moments *moments) noexcept:
    """Let center and scale follow from the sums."""
    cdef double n = max(moments.n, 1.0)
    cdef double mean = moments.total / n
    cdef double deviation = sqrt(max(moments.squares / n - mean * mean, 0.0))
    moments.center = moments.first + mean
    moments.scale = deviation if deviation > fabs(moments.center) * 1e-12 else 1.0
    return isfinite(moments.center) and isfinite(moments.scale) and moments.n >= 0
