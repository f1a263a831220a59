"""One record of a table as the features of its schema, as `Schema.encode_records` makes them.

Columns of numbers and of categories with usual values are read here. The facts of a column are looked
up in its own dict each time, so that a schema that has changed is never read as it was.
"""

from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsSsize_t, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport fabs, INFINITY, isfinite, isnan, NAN, sqrt
from libc.stdint cimport int64_t
from rosenblatt._kernels.rows.mappings cimport whole_as_double

import numpy as np

from rosenblatt._kernels.rows.weights import FLOAT64_LIMIT

cdef extern from "Python.h":
    # By pointers, as a variable that holds an object would be counted among those that know it.
    PyObject *known_item "PyDict_GetItemWithError"(PyObject *, PyObject *)
    PyObject *tuple_item "PyTuple_GET_ITEM"(PyObject *, Py_ssize_t)
    PyObject *list_item "PyList_GET_ITEM"(PyObject *, Py_ssize_t)
    Py_ssize_t times_known "Py_REFCNT"(PyObject *)

# Beyond it a square counts as this, so that sums of many stay finite.
LARGEST_SQUARE = 1e290
cdef frozenset NUMPY_NUMBERS = frozenset(np.dtype(code).type for code in "?bhilqBHILQefd")
cdef double MOST_SQUARED = LARGEST_SQUARE
cdef double LIMIT = FLOAT64_LIMIT


def plan_of(schema, described):
    """How records become features; None if that takes more than numbers and levels."""
    if described["kind"] != "table":
        return None
    used = [column.kind for column in schema.columns if column.kind != "ignored"]
    if len(used) > MOST_VALUES or not set(used) <= {"number", "category"}:
        return None
    return RecordPlan(schema.columns, described["columns"])


cdef RecordPlan plan_for(dict learner, described):
    """How records become features by the schema that is described so; None if nobody knows yet."""
    cdef PyObject *read = PyDict_GetItemWithError(learner, "_schema_read")
    if (read == NULL or (<tuple?><object>read)[0] is not described
            or PyDict_GetItemWithError(learner, "_guessed_schema") != NULL):
        return None
    return (<tuple><object>read)[2]


cdef class RecordPlan:
    """How a record becomes features by these columns, which a list of dicts describes as well.

    Center, scale and sums of numbers that are scaled by earlier rows are kept in both.
    """

    def __init__(self, list columns, list described):
        used = [(place, column) for place, column in enumerate(columns) if column.kind != "ignored"]
        self._columns, self._described = columns, described
        self._names = tuple([column.name for _, column in used])
        self._known = tuple([vars(column) for _, column in used])
        self._places = tuple([place for place, _ in used])

    cdef bint read(self, RecordRow *row, dict x, bint learning) except -1:
        """Fill a row with the features of a record; False if anything is unusual."""
        cdef PyObject *found
        cdef Py_ssize_t i
        cdef dict known
        cdef bint usual
        row.n_values = row.n_features = 0
        row.is_dense, row.is_running = True, False
        for i in range(len(self._names)):
            row.moments[i].n = -1.0
            found = PyDict_GetItemWithError(x, <object>self._names[i])
            given = None if found == NULL else <object>found
            known = self._known[i]
            if PyDict_GetItemWithError(known, "center") != NULL:
                usual = self._number(row, known, given, &row.moments[i], learning)
            else:
                usual = self._level(row, known, given)
            if not usual:
                return False
        return row.n_features > 0

    cdef bint _number(self, RecordRow *row, dict known, given, Moments *moments,
                      bint learning) except -1:
        cdef double value, center, scale, clip = INFINITY
        cdef int64_t place = row.n_features
        cdef PyObject *sums = PyDict_GetItemWithError(known, "sums")
        cdef PyObject *lacks = PyDict_GetItemWithError(known, "gaps")
        cdef PyObject *limit = PyDict_GetItemWithError(known, "clip")
        cdef bint gaps = lacks != NULL and <object>lacks is True
        if not number(given, &value):
            return False
        if learning and sums != NULL and <object>sums is not None:
            if not begin(moments, <object>sums, value):
                return False
            center, scale, row.is_running = moments.center, moments.scale, True
            if not add(moments, value):
                return False
        elif not (exact(PyDict_GetItemWithError(known, "center"), &center)
                  and exact(PyDict_GetItemWithError(known, "scale"), &scale)):
            return False
        if limit == NULL or (<object>limit is not None and not exact(limit, &clip)):
            return False
        row.n_features += 1 + gaps
        row.is_dense = row.is_dense and not gaps
        row.columns[row.n_values] = place
        if isnan(value):
            row.columns[row.n_values] += gaps
            row.values[row.n_values] = 1.0 if gaps else 0.0
        else:
            value = (value - center) / scale
            if not isfinite(value):  # NumPy would warn
                return False
            row.values[row.n_values] = min(max(value, -clip), clip)
        row.n_values += 1
        return True

    cdef bint _level(self, RecordRow *row, dict known, given) except -1:
        cdef PyObject *numbers = PyDict_GetItemWithError(known, "_number")
        cdef PyObject *levels = PyDict_GetItemWithError(known, "levels")
        cdef PyObject *found
        cdef int64_t n_levels, place
        if given is None:
            given = ""
        elif PyBool_Check(given):
            given = "True" if given else "False"
        elif PyFloat_CheckExact(given) or (
                PyLong_CheckExact(given) and isfinite(whole_as_double(given))):
            given = str(given)
        elif not PyUnicode_CheckExact(given):
            return False
        if numbers == NULL or levels == NULL:
            return False
        n_levels = len(<list?><object>levels)
        found = PyDict_GetItemWithError(<dict?><object>numbers, given)
        if found == NULL and not given and n_levels:
            found = PyDict_GetItemWithError(known, "mode")
        if found != NULL:
            place = PyLong_AsSsize_t(<object>found)
            if not 0 <= place < n_levels:
                return False
            row.values[row.n_values], row.columns[row.n_values] = 1.0, row.n_features + place
            row.n_values += 1
        row.is_dense = False
        row.n_features += n_levels
        return True

    cdef bint is_own(self, RecordRow *row, PyObject *model, PyObject *learner) except -1:
        """Whether nobody else knows the numbers of a schema; model and learner as their dicts.

        Only then may it change: copies of the model share the description, and whoever asked for
        the schema keeps it as it was.
        """
        cdef PyObject *notes = known_item(model, <PyObject *>"notes")
        cdef PyObject *described = known_item(notes, <PyObject *>"schema")
        cdef PyObject *read = known_item(learner, <PyObject *>"_schema_read")
        cdef Py_ssize_t i, place
        if (times_known(notes) > 1 or times_known(read) > 1 or times_known(described) > 2
                or times_known(tuple_item(read, 1)) > 1
                or times_known(<PyObject *>self._columns) > 2
                or times_known(<PyObject *>self._described) > 2):
            return False
        for i in range(len(self._places)):
            place = self._places[i]
            if place >= min(len(self._columns), len(self._described)):
                return False
            if row.moments[i].n >= 0 and (
                    times_known(list_item(<PyObject *>self._columns, place)) > 2
                    or times_known(list_item(<PyObject *>self._described, place)) > 1):
                return False
        return True

    cdef int keep(self, RecordRow *row) except -1:
        """Let center, scale and sums be those after the row that was read while learning."""
        cdef Py_ssize_t i
        cdef Moments *moments
        cdef dict known, described
        for i in range(len(self._known)):
            moments = &row.moments[i]
            if moments.n < 0:
                continue
            known, described = self._known[i], self._described[<Py_ssize_t>self._places[i]]
            sums = [moments.n, moments.first, moments.total, moments.squares]
            center, scale = moments.center, moments.scale
            known["center"] = described["center"] = center
            known["scale"] = described["scale"] = scale
            known["sums"] = described["sums"] = sums
        return 0


cdef bint number(given, double *value) except -1:
    """A number as a float, a gap as NaN; False if it is neither, too large or of an odd type."""
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


cdef bint exact(PyObject *found, double *value) noexcept:
    """A fact of a column, if it is there and a float."""
    if found == NULL or not PyFloat_CheckExact(<object>found):
        return False
    value[0] = PyFloat_AS_DOUBLE(<object>found)
    return True


cdef bint begin(Moments *moments, sums, double value) except -1:
    """Mean and deviation before a value, as in `running_moments`; False if anything is unusual."""
    cdef list known = sums if type(sums) is list and len(sums) == 4 else None
    if known is None or not (
            exact(list_item(<PyObject *>known, 0), &moments.n)
            and exact(list_item(<PyObject *>known, 1), &moments.first)
            and exact(list_item(<PyObject *>known, 2), &moments.total)
            and exact(list_item(<PyObject *>known, 3), &moments.squares)):
        return False
    if moments.n == 0 and not isnan(value):
        moments.first = value
    return settle(moments)


cdef bint add(Moments *moments, double value) noexcept:
    cdef double distance = 0.0 if isnan(value) else value - moments.first
    if not distance * distance <= MOST_SQUARED:  # then it counts less, in `running_moments`
        return False
    moments.n += not isnan(value)
    moments.total += distance
    moments.squares += distance * distance
    return settle(moments)


cdef bint settle(Moments *moments) noexcept:
    cdef double n = max(moments.n, 1.0), mean = moments.total / n
    cdef double deviation = sqrt(max(moments.squares / n - mean * mean, 0.0))
    moments.center = moments.first + mean
    moments.scale = deviation if deviation > fabs(moments.center) * 1e-12 else 1.0
    return isfinite(moments.center) and isfinite(moments.scale) and moments.n >= 0
