/* Dense rows of type REAL. Included once per type by tables.h.
 *
 * A dot product has eight lanes: feature j belongs to lane j mod 8, and the bias counts as one more
 * feature of value 1 after the last. Lanes are added as (l0+l4)+(l2+l6) and (l1+l5)+(l3+l7), then
 * these two. So training with a bias and training on rows with a 1 appended give the same bytes.
 */
#define F(name) RB_PASTE(name, KIND)

#include "rows/lanes.h"

/* Ask for a row of a random order that comes later, and for the notes of one that comes much later,
 * which is returned: its values are asked for while this row is scored. */
RB_INLINE const REAL *F(look_ahead)(const rb_rows *rows, const rb_search *s, int64_t i) {
    const REAL *X = rows->values;
    const int64_t d = rows->n_features, row_bytes = d * (int64_t)sizeof(REAL);
    const int64_t early = rb_row_early(s, i, rb_early(row_bytes));
    rb_prefetch_notes(s, early);
    /* Of a longer row the processor reads on by itself, of a short one the early request is enough. */
    if (row_bytes > 16384 || (row_bytes >= 128 && row_bytes <= 1024))
        rb_prefetch_row(X + rb_row_later(s, i, RB_LATE) * d, row_bytes);
    return X + early * d;
}

RB_INLINE int64_t F(seek_row)(const rb_rows *rows, const rb_search *s, const void *weights,
                              double bias, double *margin, const int ahead) {
    const REAL *X = rows->values, *w = weights;
    const int64_t d = rows->n_features, stop = s->stop, row_bytes = d * (int64_t)sizeof(REAL);
    const REAL b = (REAL)bias, quiet = (REAL)s->quiet_above;
    /* Then loading them twice costs more than two streams of rows at a time. */
    const int weights_outgrow_l1 = row_bytes > 16384;
    /* While they leave room in it, one row that is asked for 4 KB ahead is as quick as one of two; and
     * no second row is scored in vain where the first is a mistake. Doubles gain nothing by it. */
    const int nearly = LANES_IN_ONE_VECTOR && weights_outgrow_l1 && row_bytes <= 24576;
    /* In a random order the requests hide as much, and a rule may want every row. */
    const int alone = nearly || (ahead && !weights_outgrow_l1) || quiet == INFINITY;
    int64_t i = s->at;
    /* Two rows at a time: one branch for both, and the second sum hides the latency of the first.
     * Reading ahead changes nothing: only the first row found is acted on. */
    for (; !alone && i + 2 <= stop; i += 2) {
        int64_t r0 = rb_row_at(s, i), r1 = rb_row_at(s, i + 1);
        REAL m[2];
        if (weights_outgrow_l1) {
            for (int64_t k = i; ahead && k < i + 2; k++) F(look_ahead)(rows, s, k);
            F(dot_pair)(X + r0 * d, X + r1 * d, w, d, b, m);
        } else {
            m[0] = F(dot)(X + r0 * d, w, d, b);
            m[1] = F(dot)(X + r1 * d, w, d, b);
        }
        m[0] *= (REAL)rb_sign(s, r0);
        m[1] *= (REAL)rb_sign(s, r1);
        if ((m[0] <= quiet) | (m[1] <= quiet)) {
            int second = !(m[0] <= quiet);
            *margin = (double)m[second];
            return i + second;
        }
    }
    for (; i < stop; i++) {
        int64_t r = rb_row_at(s, i);
        const REAL *x = X + r * d, *later = ahead ? F(look_ahead)(rows, s, i) : NULL;
        if (nearly && !ahead) later = x + 4096 / sizeof(REAL);
        REAL m = F(sum)(x, w, d, b, later, 0) * (REAL)rb_sign(s, r);
        if (m <= quiet) {
            *margin = (double)m;
            return i;
        }
    }
    return stop;
}

static void F(visit)(const rb_rows *rows, rb_search *s, const void *weights, const void *bias,
                     rb_action act, void *walk) {
    const int64_t d = rows->n_features;
    const int ahead = rb_reads_ahead(s, rows->n_rows * d * (int64_t)sizeof(REAL));
    const REAL *b = bias;
    double margin;
#if defined(__GNUC__)
    /* Not where every row needs attention: eight would be scored for each. */
    if (d < 32 && s->stop - s->at >= 8 && s->quiet_above < INFINITY) {
        F(visit_narrow)(rows, s, weights, b, act, walk);
        return;
    }
#endif
    while ((s->at = ahead ? F(seek_row)(rows, s, weights, *b, &margin, 1)
                          : F(seek_row)(rows, s, weights, *b, &margin, 0)) < s->stop)
        act(walk, s->at++, margin);
}

static int64_t F(seek_class)(const rb_rows *rows, const rb_search *s,
                                       const void *weights, const void *biases, int64_t k,
                                       int64_t stride, void *scores, int64_t *rival,
                                       double *margin) {
    (void)stride;
    const REAL *X = rows->values;
    const int64_t d = rows->n_features;
    REAL *out = scores;
#if TILED
    if (s->block) return F(seek_class_in_blocks)(rows, s, weights, biases, k, out, rival, margin);
#endif
    for (int64_t i = s->at; i < s->stop; i++) {
        int64_t r = rb_row_at(s, i);
        if (s->order) {
            int64_t later = rb_row_early(s, i, RB_LATE);
            rb_prefetch_row_l2(X + later * d, d * (int64_t)sizeof(REAL));
            rb_prefetch_notes(s, later);
        }
        F(dot_classes)(X + r * d, weights, biases, k, d, out);
        RB_BEST_RIVAL(out, k, s->labels[r], rival, margin);
        if (*margin <= s->quiet_above) return i;
    }
    return s->stop;
}

static void F(score)(const rb_rows *rows, int64_t first, int64_t count,
                               const void *weights, double bias, double *out) {
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + first * d;
    for (int64_t i = 0; i < count; i++, x += d) out[i] = (double)F(dot)(x, weights, d, (REAL)bias);
}

static void F(score_classes)(const rb_rows *rows, int64_t first, int64_t count,
                                       const void *weights, const void *biases, int64_t k,
                                       int64_t stride, void *scores, double *out) {
    (void)stride;
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + first * d;
    REAL *row_scores = scores;
#if TILED
    for (; count >= RB_BLOCK; count -= RB_BLOCK) {
        const REAL *block[RB_BLOCK];
        for (int i = 0; i < RB_BLOCK; i++, x += d) block[i] = x;
        F(score_block)(block, weights, biases, d, k, row_scores);
        for (int64_t c = 0; c < RB_BLOCK * k; c++) *out++ = (double)row_scores[c];
    }
#endif
    for (int64_t i = 0; i < count; i++, x += d) {
        F(dot_classes)(x, weights, biases, k, d, row_scores);
        for (int64_t c = 0; c < k; c++) *out++ = (double)row_scores[c];
    }
}

static void F(add)(const rb_rows *rows, int64_t row, double step, void *weights,
                             int64_t stride) {
    const int64_t d = rows->n_features;
    (void)stride; /* dense tables keep the weights of a class together */
    F(add_row)((const REAL *)rows->values + row * d, d, (REAL)step, weights);
}

static void F(add_both)(const rb_rows *rows, int64_t row, double step, void *weights,
                                  double counted, double *sum, int64_t stride) {
    const int64_t d = rows->n_features;
    const REAL *restrict x = (const REAL *)rows->values + row * d;
    const REAL s = (REAL)step;
    REAL *restrict w = weights;
    double *restrict u = sum;
    (void)stride;
    for (int64_t j = 0; j < d; j++) {
        w[j] += s * x[j];
        u[j] += counted * (double)x[j];
    }
}

static void F(add_apart)(const rb_rows *rows, int64_t row, const rb_parting *p) {
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + row * d;
    int64_t j = 0;
    for (int64_t i = 0; i < p->n; i += 16)
        j = p->u ? F(part_lanes)(x, d, p, i, 1) : F(part_lanes)(x, d, p, i, 0);
    for (; j < d; j++) R(part_one)(p, x[j], j, p->u != NULL);
}

static double F(squared_norm)(const rb_rows *rows, int64_t row, double last) {
    const REAL *x = (const REAL *)rows->values + row * rows->n_features;
    return (double)F(dot)(x, x, rows->n_features, (REAL)last);
}

static double F(variance)(const rb_rows *rows, int64_t row, const void *rates,
                                    int64_t stride, double last) {
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + row * d, *rate = rates;
    (void)stride;
    return (double)F(sum)(x, rate, d, (REAL)last, NULL, 1);
}

RB_INLINE void F(move_row)(const REAL *restrict x, int64_t d, const rb_movement m) {
    REAL *restrict w = m.w, *restrict rate = m.rate;
    double *restrict u = m.u;
    for (int64_t j = 0; j < d; j++) R(move_one)(&m, x[j], w + j, rate + j, u ? u + j : NULL);
}

static void F(move_with_rates)(const rb_rows *rows, int64_t row, const rb_movement *m) {
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + row * d;
    if (m->rates == RB_VARIANCES && !m->u) F(move_row)(x, d, RB_PLAIN_MOVEMENT(m));
    else F(move_row)(x, d, *m);
    R(move_bias)(m);
}

static int F(inspect)(const rb_rows *rows, double limit, int64_t *row, int64_t *column,
                                double *value) {
    const int64_t d = rows->n_features;
    const REAL *x = rows->values;
    const REAL most = (REAL)limit;
    *value = 0;
    for (int64_t r = 0; r < rows->n_rows; r++, x += d) {
        int bad = 0;
        for (int64_t j = 0; j < d; j++) bad |= !(x[j] <= most) | !(x[j] >= -most);
        if (bad)
            for (int64_t j = 0; j < d; j++)
                if (!(x[j] <= most) || !(x[j] >= -most)) {
                    *row = r, *column = j, *value = (double)x[j];
                    return 1;
                }
        double squared_norm = (double)F(dot)(x, x, d, 0);
        if (squared_norm > *value) *value = squared_norm;
    }
    return 0;
}

RB_UNUSED static const rb_ops F(rb_ops) = {F(visit),      F(seek_class), F(score),
                                           F(score_classes), F(add),     F(add_both),
                                           F(add_apart),    F(squared_norm), F(variance),
                                           F(move_with_rates), F(inspect), TILED};
#undef TILED
#undef F
#undef KIND
