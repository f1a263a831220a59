"""Sparse rows taken, written out and multiplied, and the distances of all pairs of dense rows.

Tables are arrays (values, columns, starts) as in a CSR matrix; columns and starts are both int32 or
both int64. Every sum is taken in the order of the columns, so the same rows give the same bytes
anywhere. Of a table whose starts or columns point outside of it nothing is read: the answer is
False.
"""

cimport numpy as cnp
from libc.math cimport fabs
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cnp.import_array()

ctypedef fused Column:
    int32_t
    int64_t

ctypedef fused Real:
    float
    double

ctypedef fused Number:
    int8_t
    float
    double

cdef enum:
    LANES_ = 8
    WRITE
    TIMES
    FROM_LEFT

# Dense rows are laid side by side in panels of so many.
LANES = LANES_


cdef bint is_sound(const Column *columns, const Column *starts, int64_t n_rows, int64_t n_stored,
                   int64_t n_columns) noexcept nogil:
    cdef int64_t largest = <int64_t>((<uint64_t>1 << (8 * sizeof(Column) - 1)) - 1)
    cdef int64_t i
    cdef Column most = <Column>largest
    cdef Column last = <Column>min(n_columns - 1, largest)
    cdef Column beyond = 0
    if n_rows < 0 or starts[0] < 0 or starts[n_rows] > n_stored:
        return False
    for i in range(n_rows):
        if starts[i] > starts[i + 1]:
            return False
    # Negative once a column is below 0 or above the last; without a branch it costs little.
    for i in range(starts[0], starts[n_rows]):
        beyond |= columns[i] | (last - (columns[i] & most))
    return beyond >= 0


cdef cnp.ndarray own(cnp.ndarray numbers):
    """Return the same numbers where nobody else can change them once they were looked at.

    Memory that cannot be written to may be that of a mapped file, which others can write to.
    """
    return numbers if cnp.PyArray_ISWRITEABLE(numbers) else numbers.copy()


cdef bint points_inside(cnp.ndarray values, cnp.ndarray columns, cnp.ndarray starts,
                        int64_t n_columns):
    """Return whether rows begin and end inside of what is stored, and columns are those of the table."""
    cdef int64_t n_rows = cnp.PyArray_DIM(starts, 0) - 1
    cdef int64_t n_stored = min(cnp.PyArray_DIM(values, 0), cnp.PyArray_DIM(columns, 0))
    cdef void *c = cnp.PyArray_DATA(columns)
    cdef void *s = cnp.PyArray_DATA(starts)
    if cnp.PyArray_ITEMSIZE(columns) == 8:
        return is_sound(<int64_t *>c, <int64_t *>s, n_rows, n_stored, n_columns)
    return is_sound(<int32_t *>c, <int32_t *>s, n_rows, n_stored, n_columns)


# ---------------------------------------------------------------------- rows


def gather(cnp.ndarray values, cnp.ndarray starts, cnp.ndarray counts, cnp.ndarray out):
    """Runs of `values`, each from a start and so many long (int64), one after the other in `out`."""
    cdef int64_t size = cnp.PyArray_ITEMSIZE(values)
    cdef int64_t n = cnp.PyArray_DIM(starts, 0)
    cdef int64_t i = 0
    cdef int64_t stored = cnp.PyArray_DIM(values, 0)
    cdef int64_t room = cnp.PyArray_DIM(out, 0)
    cdef int64_t first, n_own
    starts = own(starts)
    counts = own(counts)
    cdef const int64_t *start = <const int64_t *>cnp.PyArray_DATA(starts)
    cdef const int64_t *count = <const int64_t *>cnp.PyArray_DATA(counts)
    cdef const char *given = <const char *>cnp.PyArray_DATA(values)
    cdef char *at = <char *>cnp.PyArray_DATA(out)
    with nogil:
        while i < n:
            first = start[i]
            n_own = count[i]
            if first < 0 or n_own < 0 or n_own > min(room, stored - first):
                break
            memcpy(at, given + first * size, n_own * size)
            at += n_own * size
            room -= n_own
            i += 1
    return i == n


cdef inline void add(Number value, const Number *factors, Number *sums, int64_t k) noexcept nogil:
    cdef int64_t j
    for j in range(k):
        sums[j] += value * factors[j]


cdef void multiply(cnp.ndarray values, const Column *columns, cnp.ndarray starts, int what,
                   const Number *dense, Number *out, int64_t k):
    """Write out rows of k columns, or multiply them with a dense table of k columns."""
    cdef const Number *v = <const Number *>cnp.PyArray_DATA(values)
    cdef const Column *s = <const Column *>cnp.PyArray_DATA(starts)
    cdef Number value
    cdef int64_t n_rows = cnp.PyArray_DIM(starts, 0) - 1
    cdef int64_t i, p
    with nogil:
        for i in range(n_rows):
            if what == WRITE:
                for p in range(s[i], s[i + 1]):
                    out[i * k + columns[p]] = v[p]
            elif what == TIMES and k == 1:
                value = 0
                for p in range(s[i], s[i + 1]):
                    value += v[p] * dense[columns[p]]
                out[i] = value
            elif what == TIMES:
                for p in range(s[i], s[i + 1]):
                    add(v[p], dense + columns[p] * k, out + i * k, k)
            else:
                for p in range(s[i], s[i + 1]):
                    add(v[p], dense + i * k, out + columns[p] * k, k)


cdef void multiply_by_type(cnp.ndarray values, const Column *columns, cnp.ndarray starts, int what,
                           void *dense, cnp.ndarray out):
    cdef int64_t k = cnp.PyArray_DIM(out, 1)
    cdef void *o = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(values) == cnp.NPY_FLOAT64:
        multiply(values, columns, starts, what, <const double *>dense, <double *>o, k)
    elif cnp.PyArray_TYPE(values) == cnp.NPY_FLOAT32:
        multiply(values, columns, starts, what, <const float *>dense, <float *>o, k)
    else:
        multiply(values, columns, starts, what, <const int8_t *>dense, <int8_t *>o, k)


cdef bint multiplied(tuple table, int what, void *dense, int64_t n_columns, cnp.ndarray out):
    cdef cnp.ndarray values = table[0]
    cdef cnp.ndarray columns = own(table[1])
    cdef cnp.ndarray starts = own(table[2])
    cdef void *c = cnp.PyArray_DATA(columns)
    if not points_inside(values, columns, starts, n_columns):
        return False
    if cnp.PyArray_ITEMSIZE(columns) == 8:
        multiply_by_type(values, <int64_t *>c, starts, what, dense, out)
    else:
        multiply_by_type(values, <int32_t *>c, starts, what, dense, out)
    return True


def write(tuple table, cnp.ndarray out):
    """Write rows into a table of zeros of the same type: float64, float32 or int8."""
    return multiplied(table, WRITE, NULL, cnp.PyArray_DIM(out, 1), out)


def times(tuple table, cnp.ndarray dense, cnp.ndarray out):
    """Add rows · dense to a table of zeros; all are float64, float32 or int8."""
    return multiplied(table, TIMES, cnp.PyArray_DATA(dense), cnp.PyArray_DIM(dense, 0), out)


def from_left(tuple table, cnp.ndarray dense, cnp.ndarray out):
    """Add rowsᵀ · dense to a table of zeros; all are float64, float32 or int8."""
    return multiplied(table, FROM_LEFT, cnp.PyArray_DATA(dense), cnp.PyArray_DIM(out, 0), out)


# ---------------------------------------------------------------------- all pairs


cdef inline int64_t place_of(const Column *places, Column column, int64_t room,
                             int shift) noexcept nogil:
    """Return where a column stands, or the free place where it would; without a shift it is itself."""
    cdef int64_t at = column
    if shift:
        at = <int64_t>((<uint64_t>column * <uint64_t>0x9E3779B97F4A7C15) >> shift)
    while places[2 * at] != column and places[2 * at] >= 0:
        at = (at + 1) & (room - 1)
    return at


cdef inline double common(double x, double y) noexcept nogil:
    """Return the smaller size of two numbers of one sign, else 0."""
    return min(fabs(x), fabs(y)) if (x > 0) == (y > 0) else 0.0


cdef void meet(tuple A, tuple B, Column *places, int64_t room, int shift, int32_t *rows,
               Real *kept, bint in_common, Real *out):
    """Add the products of all pairs of rows, by a table of the columns of B.

    A place of it holds a column and the first of its entries; these end where the next ones begin.
    """
    cdef const Real *av = <const Real *>cnp.PyArray_DATA(A[0])
    cdef const Column *ac = <const Column *>cnp.PyArray_DATA(A[1])
    cdef const Column *a_starts = <const Column *>cnp.PyArray_DATA(A[2])
    cdef const Real *bv = <const Real *>cnp.PyArray_DATA(B[0])
    cdef const Column *bc = <const Column *>cnp.PyArray_DATA(B[1])
    cdef const Column *b_starts = <const Column *>cnp.PyArray_DATA(B[2])
    cdef int64_t n = cnp.PyArray_DIM(A[2], 0) - 1
    cdef int64_t m = cnp.PyArray_DIM(B[2], 0) - 1
    cdef int64_t i, p, q, at
    cdef Real x
    with nogil:
        for at in range(room):
            places[2 * at] = -1
        for p in range(b_starts[0], b_starts[m]):
            at = place_of(places, bc[p], room, shift)
            places[2 * at] = bc[p]
            places[2 * at + 5] += 1
        for at in range(2, room + 2):
            places[2 * at + 1] += places[2 * at - 1]
        for i in range(m):
            for p in range(b_starts[i], b_starts[i + 1]):
                at = place_of(places, bc[p], room, shift)
                q = places[2 * at + 3]
                rows[q] = <int32_t>i
                kept[q] = bv[p]
                places[2 * at + 3] += 1
        for i in range(n):
            for p in range(a_starts[i], a_starts[i + 1]):
                at = place_of(places, ac[p], room, shift)
                x = av[p]
                if places[2 * at] != ac[p]:
                    continue
                if in_common:
                    for q in range(places[2 * at + 1], places[2 * at + 3]):
                        out[rows[q]] += <Real>common(x, kept[q])
                else:
                    for q in range(places[2 * at + 1], places[2 * at + 3]):
                        out[rows[q]] += x * kept[q]
            out += m


def pairs(tuple A, tuple B, int64_t n_columns, bint in_common, cnp.ndarray out):
    """Add Σ a·b over the columns to out[i, j], for row i of A and row j of B; floats of one type.

    With `in_common` it is Σ min(|a|, |b|) where the signs agree. The rows of B are looked up by
    column, so that the work is the number of columns that pairs of rows share; the memory is that
    of B, however many columns there may be.
    """
    A = (A[0], own(A[1]), own(A[2]))
    B = (B[0], own(B[1]), own(B[2]))
    cdef cnp.ndarray values = B[0]
    cdef cnp.ndarray columns = B[1]
    cdef cnp.ndarray starts = B[2]
    cdef int64_t room = 16
    cdef int64_t stored
    cdef int shift = 60
    if not (points_inside(A[0], A[1], A[2], n_columns)
            and points_inside(values, columns, starts, n_columns)):
        return False
    stored = int(starts[cnp.PyArray_DIM(starts, 0) - 1]) - int(starts[0])
    while room < min(4 * stored, n_columns):
        room *= 2
        shift -= 1
    if room >= n_columns:
        shift = 0
    cdef cnp.ndarray table = np.zeros((room + 2, 2), columns.dtype)
    cdef cnp.ndarray place = np.empty(stored, np.int32)
    cdef cnp.ndarray copy = np.empty(stored, values.dtype)
    cdef void *t = cnp.PyArray_DATA(table)
    cdef int32_t *rows = <int32_t *>cnp.PyArray_DATA(place)
    cdef void *kept = cnp.PyArray_DATA(copy)
    cdef void *o = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(values) == cnp.NPY_FLOAT32
    if cnp.PyArray_ITEMSIZE(columns) == 8:
        if single:
            meet(A, B, <int64_t *>t, room, shift, rows, <float *>kept, in_common, <float *>o)
        else:
            meet(A, B, <int64_t *>t, room, shift, rows, <double *>kept, in_common, <double *>o)
    elif single:
        meet(A, B, <int32_t *>t, room, shift, rows, <float *>kept, in_common, <float *>o)
    else:
        meet(A, B, <int32_t *>t, room, shift, rows, <double *>kept, in_common, <double *>o)
    return True


def distances(cnp.ndarray A, cnp.ndarray panels, cnp.ndarray out):
    """Σ |a - b| for all rows of A and of some panels, of which [k, j] is feature j of some rows."""
    cdef int64_t n = cnp.PyArray_DIM(A, 0)
    cdef int64_t d = cnp.PyArray_DIM(A, 1)
    cdef int64_t i, k, j, lane
    cdef int64_t n_panels = cnp.PyArray_DIM(panels, 0)
    cdef const double *a
    cdef const double *b
    cdef double *o = <double *>cnp.PyArray_DATA(out)
    cdef double sums[LANES_]
    with nogil:
        for k in range(n_panels):
            a = <const double *>cnp.PyArray_DATA(A)
            for i in range(n):
                b = <const double *>cnp.PyArray_DATA(panels) + k * d * LANES_
                for lane in range(LANES_):
                    sums[lane] = 0.0
                for j in range(d):
                    for lane in range(LANES_):
                        sums[lane] += fabs(a[j] - b[lane])
                    b += LANES_
                for lane in range(LANES_):
                    o[(i * n_panels + k) * LANES_ + lane] = sums[lane]
                a += d
