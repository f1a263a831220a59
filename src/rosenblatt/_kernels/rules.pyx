"""The rules of the linear family: each is one step-size function.

A step of 0 leaves the model as it is. To add a rule, write its step function, name it in
`Rule`, and give it an estimator and an oracle.
"""

from libc.math cimport floor, INFINITY, ldexp


cdef double perceptron_step(const Parameters *p, double margin, double squared_norm,
                            bint mistaken) noexcept nogil:
    return p.eta if mistaken or margin <= p.threshold else 0.0


cdef double mira_step(const Parameters *p, double margin, double squared_norm,
                      bint mistaken) noexcept nogil:
    """The smallest change after which the row is right by 1."""
    if squared_norm == 0.0 or not (mistaken or margin < p.threshold):
        return 0.0
    return (1.0 - margin) / squared_norm


cdef double pa_step(const Parameters *p, double margin, double squared_norm,
                    bint mistaken) noexcept nogil:
    if margin >= 1.0 or squared_norm == 0.0:
        return 0.0
    return (1.0 - margin) / squared_norm


cdef double pa1_step(const Parameters *p, double margin, double squared_norm,
                     bint mistaken) noexcept nogil:
    cdef double step = pa_step(p, margin, squared_norm, mistaken)
    return step if step < p.C else p.C


cdef double pa2_step(const Parameters *p, double margin, double squared_norm,
                     bint mistaken) noexcept nogil:
    if margin >= 1.0:
        return 0.0
    return (1.0 - margin) / (squared_norm + 0.5 / p.C)


cdef double soft_step(const Parameters *p, double margin, double squared_norm,
                      bint mistaken) noexcept nogil:
    """Every row moves the model by the probability it gave to the wrong answer."""
    return p.eta / (1.0 + exponential(margin))


cdef double exponential(double x) noexcept nogil:
    """exp(x) from additions and multiplications only, so that it is the same everywhere.

    The C library may pick another algorithm for another processor, which would change bytes.
    """
    cdef double n, r, sum
    cdef int k
    if x > 709.0:
        return INFINITY
    if x < -745.0:
        return 0.0
    n = floor(x * 1.4426950408889634 + 0.5)
    r = (x - n * 0.693145751953125) - n * 1.42860682030941723212e-6
    sum = 1.0
    for k in range(14, 0, -1):
        sum = 1.0 + r * sum / k
    return ldexp(sum, <int>n)


def exp(double x):
    return exponential(x)


cdef class Rule:
    """A step function with its parameters; what it does at a tie and whom it blames.

    `raise_only_on_tie`: at a multiclass tie the right class gains and no rival is lowered.
    `blames_all_rivals`: each wrong class is lowered by its own share, not the best one alone.
    """

    def __init__(self, str name, *, double eta=1.0, double threshold=0.0, double C=1.0,
                 bint tie_is_mistake=True):
        self._made_of = (name, eta, threshold, C, tie_is_mistake)
        self.name = name
        self.parameters = Parameters(eta, threshold, C)
        self.tie_is_mistake = tie_is_mistake
        self.raise_only_on_tie = False
        self.blames_all_rivals = False
        self.quiet_above = 1.0
        self.aims_at_one = self.needs_norm = name not in ("perceptron", "soft")
        if name == "perceptron":
            # Without a threshold the loop's own verdict decides, so that ties are its business.
            self.parameters.threshold = threshold if threshold > 0.0 else -INFINITY
            self.step = perceptron_step
            self.quiet_above = threshold
            self.raise_only_on_tie = tie_is_mistake and threshold == 0.0
        elif name == "mira":
            self.step = mira_step
            self.quiet_above = threshold
        elif name == "PA":
            self.step = pa_step
        elif name == "PA-I":
            self.step = pa1_step
        elif name == "PA-II":
            self.step = pa2_step
        elif name == "soft":
            self.step = soft_step
            self.quiet_above = INFINITY
            self.blames_all_rivals = True
        else:
            raise ValueError(f"no rule is called {name!r}")

    def __reduce__(self):
        name, eta, threshold, C, tie_is_mistake = self._made_of
        return _rebuild, (name, eta, threshold, C, tie_is_mistake)

    @property
    def counts_tell_all(self):
        """Whether each update is a mistake and has the same length, so that counting suffices."""
        return self.name == "perceptron" and self.quiet_above == 0.0

    @property
    def eta(self):
        return self.parameters.eta

    @property
    def longest_step(self):
        """No step is longer than this, for a row of weight 1."""
        if self.name == "PA-I":
            return self.parameters.C
        return INFINITY if self.aims_at_one else self.parameters.eta

    def step_for(self, double margin, double squared_norm, bint mistaken):
        return self.step(&self.parameters, margin, squared_norm, mistaken)


def _rebuild(name, eta, threshold, C, tie_is_mistake):
    return Rule(name, eta=eta, threshold=threshold, C=C, tie_is_mistake=tie_is_mistake)
