/* Weights that have a rate each, of type REAL. Included once per type by tables.h.
 *
 * A rate multiplies the steps of its weight, and every update makes it smaller by what the row has
 * shown of the feature. It never reaches 0.
 */
#define R(name) RB_PASTE(name, TYPE)

/* Feature x of the row of a parting; its weights are from `at` on. */
RB_INLINE void R(part_one)(const rb_parting *p, REAL x, int64_t at, const int averaged) {
    REAL *w = (REAL *)p->w + at, *raised = w + p->raised * p->class_stride;
    double *u = averaged ? p->u + at : NULL, *sum = averaged ? u + p->raised * p->class_stride : NULL;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t c = p->lowered[i] * p->class_stride;
        const REAL step = (REAL)p->steps[i];
        w[c] += -step * x;
        *raised += step * x;
        if (averaged) {
            const double counted = p->counted * p->steps[i];
            u[c] += -counted * (double)x;
            *sum += counted * (double)x;
        }
    }
}

/* A movement of variances without running sums, as most are: no test of it is left. */
#define RB_PLAIN_MOVEMENT(m)                                                                     \
    (rb_movement){.step = (m)->step, .change = (m)->change, .w = (m)->w, .rates = RB_VARIANCES, \
                  .rate = (m)->rate, .stride = 1}

/* Move the weight w for the value x of its feature; its rate falls.
 *
 * A variance: its inverse grows by change * x², and the weight moves by the old one. Of gradients: the
 * inverse square grows by change * x², and the weight moves by the new one; in double, since the
 * first rates are large. `u` is NULL without a running sum. */
RB_INLINE void R(move_one)(const rb_movement *m, REAL x, REAL *w, REAL *rate, double *u) {
    const REAL step = (REAL)m->step, change = (REAL)m->change, least = (REAL)LEAST_RATE;
    REAL moved, smaller;
    if (m->rates == RB_VARIANCES) {
        const REAL scaled = x * *rate;
        smaller = *rate / (1 + change * x * scaled);
        moved = step * scaled;
        *rate = smaller > least ? smaller : least;
    } else {
        const double scaled = (double)x * (double)*rate;
        smaller = (REAL)((double)*rate / sqrt(1.0 + m->change * scaled * scaled));
        *rate = smaller > least ? smaller : least;
        moved = step * x * *rate;
    }
    *w += moved;
    if (u) *u += m->counted * (double)moved;
}

/* The bias is one more weight, of a feature that is 1 everywhere. */
RB_INLINE void R(move_bias)(const rb_movement *m) {
    if (m->b) R(move_one)(m, 1, m->b, m->bias_rate, m->ub);
}
