"""The means beside the weights of a stream as the loops see them: lags, scales and mistakes."""

cimport numpy as cnp
from rosenblatt._kernels.rows.rules cimport Rule
from rosenblatt._kernels.rows.weights cimport WeightArrays

cnp.import_array()


cdef class ReadoutArrays:
    """Arrays and pointers into them.

    `lags` are what each mean is behind the weights, in units of its number in `scales`; `errors` are
    the mistakes of each read-out. A mix has a `gentle` learner, whose `rule` it learns by and whose
    weights the means are of; it is None otherwise.
    """

    def bind(self, lags, WeightArrays gentle, Rule rule, cnp.ndarray scales, cnp.ndarray errors,
             cnp.ndarray rates):
        self.lags = tuple(lags)
        self.gentle, self.rule = gentle, rule
        self.scales, self.errors, self.rates = scales, errors, rates
        n_read = RB_MEANS + 1 + (gentle is not None)
        for array, n in (scales, RB_MEANS), (rates, RB_MEANS), (errors, n_read):
            if cnp.PyArray_TYPE(array) != cnp.NPY_FLOAT64 or array.shape != (n,):
                raise ValueError(f"not an array of {n} numbers: {array!r}")
        if len(self.lags) != RB_MEANS:
            raise ValueError(f"{len(self.lags)} means, not {RB_MEANS}")
        self.c.scales = <double *>cnp.PyArray_DATA(scales)
        self.c.errors = <double *>cnp.PyArray_DATA(errors)
        self.c.rates = <const double *>cnp.PyArray_DATA(rates)

    def set_up(self, *, double fading, double sharpness, double smallest_scale):
        self.c.fading, self.c.sharpness = fading, sharpness
        self.c.smallest_scale = smallest_scale

    @property
    def t(self):
        """Examples that the means have followed."""
        return self.c.t

    @t.setter
    def t(self, t):
        self.c.t = t

    def serve(self, place):
        """Let the read-out at a place predict; None: that with the fewest mistakes, or the mix."""
        if place is not None:
            self.c.place = place
        else:
            self.c.place = RB_BY_MISTAKES if self.gentle is None else RB_MIXED

    cdef rb_readout *beside(self, WeightArrays weights) noexcept:
        """The read-outs of these weights; NULL if they have not their shape and layout."""
        cdef WeightArrays one
        cdef int i = 0
        for one in self.lags:
            if not has_shape_of(one, weights):
                return NULL
            self.c.lags[i] = &one.c
            i += 1
        self.c.gentle = NULL
        if self.gentle is not None:
            if not has_shape_of(self.gentle, weights):
                return NULL
            self.c.gentle = &self.gentle.c
            self.c.gentle_rule = &self.rule.c
        return &self.c


cdef bint has_shape_of(WeightArrays one, WeightArrays weights) noexcept:
    """Whether there is a double for each weight, in the same order."""
    return (one.c.n_vectors == weights.c.n_vectors and one.c.n_features == weights.c.n_features
            and (one.by_feature == weights.by_feature or weights.c.n_vectors == 1)
            and not one.c.is_float32 and not weights.c.is_float32 and not one.busy)
