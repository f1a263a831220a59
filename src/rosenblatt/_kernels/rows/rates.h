/* Weights that have a rate each, of type REAL. Included once per type by tables.h.
 *
 * A rate multiplies the steps of its weight, and every update makes it smaller by what the row has
 * shown of the feature. It never reaches 0.
 */
#define R(name) RB_PASTE(name, TYPE)
#define RB_CHUNK 32

/* By how much weights move for the values x of their features; their rates fall.
 *
 * A variance: its inverse grows by change * x², and the weight moves by the old one. Of gradients: the
 * inverse square grows by change * x², and the weight moves by the new one; in double, since the
 * first rates are large. */
RB_INLINE void R(moves)(const rb_movement *m, int64_t n, const REAL *restrict x,
                        REAL *restrict rate, REAL *restrict moved) {
    const REAL step = (REAL)m->step, change = (REAL)m->change, least = (REAL)LEAST_RATE;
    if (m->rates == RB_VARIANCES) {
        for (int64_t i = 0; i < n; i++) {
            const REAL scaled = x[i] * rate[i], smaller = rate[i] / (1 + change * x[i] * scaled);
            moved[i] = step * scaled;
            rate[i] = smaller > least ? smaller : least;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const double scaled = (double)x[i] * (double)rate[i];
        const REAL smaller = (REAL)((double)rate[i] / sqrt(1.0 + m->change * scaled * scaled));
        rate[i] = smaller > least ? smaller : least;
        moved[i] = step * x[i] * rate[i];
    }
}

/* The bias is one more weight, of a feature that is 1 everywhere. */
RB_INLINE void R(move_bias)(const rb_movement *m) {
    const REAL one = 1;
    REAL moved;
    if (!m->b) return;
    R(moves)(m, 1, &one, m->bias_rate, &moved);
    *(REAL *)m->b += moved;
    if (m->ub) *m->ub += m->counted * (double)moved;
}
