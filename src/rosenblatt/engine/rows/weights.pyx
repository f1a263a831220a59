"""Weight vectors as the loops see them: values, biases, running sums, a counter."""

cimport numpy as cnp
from libc.stdint cimport int64_t

import numpy as np

from rosenblatt.engine.turns import BUSY

cnp.import_array()

# Values and weights within these limits cannot overflow in any product or sum of the loops.
FLOAT32_LIMIT = 1e15
FLOAT64_LIMIT = 1e150
FOLD_BITS = RB_FOLD_BITS  # by how many powers of two a fold shrinks what is stored
RATES = None, "variance", "gradient"  # as rows.h numbers them

ctypedef fused real:
    float
    double


cdef class WeightArrays:
    """Arrays and pointers into them.

    A plane is a pair of arrays, (table, bias), with one number for each weight and one for each bias.
    All planes have one layout: a table is (n_vectors, n_features) or, `by_feature`, (n_features,
    n_vectors), with room for more vectors and, by feature, for more features. The plane "weights" is
    always there; "running_sum" is kept for the mean, "rate" if each step is multiplied by a number of
    its weight. `rates` names what the latter is: a "variance", the root of the squared "gradient"s, or
    None.

    `t` counts the examples seen, `average_from` those before the average began. `reach` is a bound
    on the absolute value of every weight.

    Weights that a rule scales (`is_scaled`) are `scale` times what is stored in `table` and
    `stored_bias`; the running sums and `reach` are in units of what is stored.
    """

    def __cinit__(self, *args, **kwargs):
        self.c.scale = 1.0

    def bind(self, dict planes, *, rates=None, bint by_feature, int64_t n_features,
             bint fit_intercept, bint is_scaled=False):
        """Use these planes from here on."""
        self.claim()
        try:
            self.version += 1
            self.planes = planes
            self.point_to_weights(planes)
            self.describe(by_feature, n_features, fit_intercept, is_scaled)
            self.point_to_sums(planes)
            self.point_to_rates(planes, rates)
        finally:
            self.release()

    cdef int point_to_weights(self, dict planes) except -1:
        """Take the pointers of the weights themselves, and their type."""
        cdef cnp.ndarray table, bias
        table, bias = planes["weights"]
        self.table = table
        self.stored_bias = bias
        self.c.w = <char *>cnp.PyArray_DATA(table)
        self.c.b = <char *>cnp.PyArray_DATA(bias)
        self.c.itemsize = cnp.PyArray_ITEMSIZE(table)

        self.is_float32 = cnp.PyArray_TYPE(table) == cnp.NPY_FLOAT32
        self.c.is_float32 = self.is_float32
        self.c.limit = FLOAT32_LIMIT if self.is_float32 else FLOAT64_LIMIT
        return 0

    cdef void describe(self, bint by_feature, int64_t n_features, bint fit_intercept, bint is_scaled):
        """Set what all planes have in common."""
        self.by_feature = by_feature
        self.n_features = n_features
        self.n_vectors = cnp.PyArray_DIM(self.stored_bias, 0)
        self.fit_intercept = fit_intercept
        self.is_scaled = is_scaled

        self.c.n_features = n_features
        self.c.n_vectors = self.n_vectors
        self.c.class_stride = 1 if by_feature else n_features
        self.c.feature_stride = cnp.PyArray_DIM(self.table, 1) if by_feature else 1
        self.c.fit_intercept = fit_intercept
        self.c.is_scaled = is_scaled

    cdef int point_to_sums(self, dict planes) except -1:
        """Take the pointers of the running sums, if there are any."""
        cdef cnp.ndarray table, bias
        self.c.u = NULL
        self.c.ub = NULL
        if "running_sum" in planes:
            table, bias = planes["running_sum"]
            self.c.u = <double *>cnp.PyArray_DATA(table)
            self.c.ub = <double *>cnp.PyArray_DATA(bias)
        return 0

    cdef int point_to_rates(self, dict planes, rates) except -1:
        """Take the pointers of the rates, if there are any."""
        cdef cnp.ndarray table, bias
        self.rates = rates
        self.c.rates = RATES.index(rates)
        self.c.rate = NULL
        self.c.bias_rate = NULL
        if rates is not None:
            table, bias = planes["rate"]
            self.c.rate = <char *>cnp.PyArray_DATA(table)
            self.c.bias_rate = <char *>cnp.PyArray_DATA(bias)
        return 0

    @property
    def average_from(self):
        """Examples seen before the average began."""
        return self.c.average_from

    @average_from.setter
    def average_from(self, int64_t seen):
        self.c.average_from = seen

    @property
    def reach(self):
        """A bound on the absolute value of every weight."""
        return self.c.reach

    @reach.setter
    def reach(self, double reach):
        self.c.reach = reach

    @property
    def scale(self):
        """What the stored weights are multiplied by."""
        return self.c.scale

    @property
    def clock(self):
        """The sum of the scales after each example since the last fold."""
        return rb_clock_at(&self.c, self.t)

    @property
    def scaling(self):
        """The numbers of weights that are scaled, in the order of `models.weights.Scaling`."""
        return (self.c.scale, self.c.folds, self.c.clock, self.c.since, self.c.updates,
                self.c.examples, self.c.length2, self.c.clock_from, self.c.folds_from)

    @scaling.setter
    def scaling(self, numbers):
        (self.c.scale, self.c.folds, self.c.clock, self.c.since, self.c.updates,
         self.c.examples, self.c.length2, self.c.clock_from, self.c.folds_from) = numbers

    def measure_length(self):
        """Take the squared length of the weights from the table."""
        self.c.length2 = self.c.scale * self.c.scale * rb_squared_length(&self.c)

    def measure_reach(self):
        """Take the bound on the absolute values from the table."""
        self.c.reach = rb_largest_weight(&self.c)

    # ------------------------------------------------------------------ one thread at a time

    cdef int claim(self) except -1:
        """Keep other threads out: the loops run without the lock that guards Python objects."""
        if not rb_take(&self.busy):
            raise RuntimeError(BUSY)
        return 0

    cdef void release(self) noexcept:
        """Let other threads in again."""
        rb_give_back(&self.busy)

    cdef bint is_busy(self) noexcept:
        return rb_is_taken(&self.busy)

    def refuse_busy(self):
        """Raise an error while a loop learns into these weights."""
        if self.is_busy():
            raise RuntimeError(BUSY)

    # ------------------------------------------------------------------ lengths

    def squared_distance(self, origin_table=None, origin_bias=None):
        """Return the squared length of (what is stored - origin), summed in a fixed order."""
        cdef int64_t n = self.c.n_features if self.by_feature else self.c.n_vectors
        cdef int64_t width = self.c.n_vectors if self.by_feature else self.c.n_features
        origin_bias = None if origin_bias is None else origin_bias[None]
        return (_squared_distance(self.table, origin_table, n, width)
                + _squared_distance(self.stored_bias[None], origin_bias, 1, self.c.n_vectors))


cdef double _squared_distance(cnp.ndarray a, origin, int64_t n, int64_t width):
    """Return that of the first rows and columns of two tables, of which either may have more."""
    cdef cnp.ndarray b = a if origin is None else origin
    cdef void *x = cnp.PyArray_DATA(a)
    cdef void *z = NULL if origin is None else cnp.PyArray_DATA(b)
    cdef int64_t x_stride = cnp.PyArray_DIM(a, 1)
    cdef int64_t z_stride = cnp.PyArray_DIM(b, 1)
    if cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT32:
        return _sum_of_squares(<const float *>x, <const float *>z, n, width, x_stride, z_stride)
    return _sum_of_squares(<const double *>x, <const double *>z, n, width, x_stride, z_stride)


cdef double _sum_of_squares(const real *x, const real *z, int64_t n, int64_t width, int64_t x_stride,
                            int64_t z_stride) noexcept:
    """Return sum of (x - z)^2 in four lanes; z may be NULL for zeros."""
    cdef double lane[4]
    cdef double change
    cdef int64_t i
    cdef int64_t j
    lane[0] = 0.0
    lane[1] = 0.0
    lane[2] = 0.0
    lane[3] = 0.0
    for i in range(n):
        for j in range(width):
            change = <double>x[i * x_stride + j]
            if z != NULL:
                change -= <double>z[i * z_stride + j]
            lane[(i * width + j) & 3] += change * change
    return (lane[0] + lane[2]) + (lane[1] + lane[3])
