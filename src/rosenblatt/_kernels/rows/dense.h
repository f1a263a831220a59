/* Dense rows of type REAL. Included once per type by tables.h.
 *
 * A dot product has eight lanes: feature j belongs to lane j mod 8, and the bias counts as one more
 * feature of value 1 after the last. Lanes are added as (l0+l4)+(l2+l6) and (l1+l5)+(l3+l7), then
 * these two. So training with a bias and training on rows with a 1 appended give the same bytes.
 */
#define F(name) RB_PASTE(name, KIND)

#if defined(__GNUC__)
typedef REAL F(four) __attribute__((vector_size(4 * sizeof(REAL))));
#define LOAD4(p) ({ F(four) v_; memcpy(&v_, (p), sizeof v_); v_; })

/* Eight lanes: one vector of eight floats or two vectors of four doubles, as AVX2 holds them. */
#if LANES_IN_ONE_VECTOR
typedef REAL F(lanes) __attribute__((vector_size(8 * sizeof(REAL))));
typedef BITS F(bits) __attribute__((vector_size(8 * sizeof(BITS))));
#define NO_LANES {0}
#define LOAD8(p) ({ F(lanes) v_; memcpy(&v_, (p), sizeof v_); v_; })
#define PRODUCT(a, b) ((a) * (b))
#define ADD(l, a) ((l) += (a))
#define ADD_PRODUCT(l, a, b) ((l) += (a) * (b))
#define LOW(l) ({ F(four) v_; memcpy(&v_, &(l), sizeof v_); v_; })
#define HIGH(l) ({ F(four) v_; memcpy(&v_, (const char *)&(l) + sizeof v_, sizeof v_); v_; })
#else
typedef struct { F(four) low, high; } F(lanes);
typedef BITS F(bits) __attribute__((vector_size(4 * sizeof(BITS))));
#define NO_LANES {{0}, {0}}
#define LOAD8(p) ((F(lanes)){LOAD4(p), LOAD4((p) + 4)})
#define PRODUCT(a, b) \
    ({ F(lanes) a_ = (a), b_ = (b); (F(lanes)){a_.low * b_.low, a_.high * b_.high}; })
#define ADD(l, a) \
    do { F(lanes) a_ = (a); (l).low += a_.low; (l).high += a_.high; } while (0)
#define ADD_PRODUCT(l, a, b) \
    do { F(lanes) a_ = (a), b_ = (b); (l).low += a_.low * b_.low; (l).high += a_.high * b_.high; } while (0)
#define LOW(l) ((l).low)
#define HIGH(l) ((l).high)
#endif

/* The last `left` < 8 features and the bias, then the sum of the lanes. */
RB_INLINE REAL F(finish)(F(lanes) l, const REAL *x, const REAL *w, int64_t left, REAL bias) {
    F(four) low = LOW(l), high = HIGH(l), last;
    int upper = left >= 4;
    if (upper) {
        low += LOAD4(x) * LOAD4(w);
        x += 4, w += 4, left -= 4;
    }
    switch (left) {
    case 0: last = (F(four)){bias, 0, 0, 0}; break;
    case 1: last = (F(four)){x[0] * w[0], bias, 0, 0}; break;
    case 2: last = (F(four)){x[0] * w[0], x[1] * w[1], bias, 0}; break;
    default: last = (F(four)){x[0] * w[0], x[1] * w[1], x[2] * w[2], bias}; break;
    }
    if (upper) high += last;
    else low += last;
    low += high;
    return (low[0] + low[2]) + (low[1] + low[3]);
}

/* On the way the lines of a row that is needed later are asked for, unless it is NULL. Asked for all
 * at once, many would be dropped. */
RB_INLINE REAL F(dot_ahead)(const REAL *x, const REAL *w, int64_t d, REAL bias, const REAL *later) {
    const int64_t line = 64 / (int64_t)sizeof(REAL);
    F(lanes) l = NO_LANES;
    int64_t j = 0;
    if (later) {
        for (; j + line <= d; j += line) {
            RB_PREFETCH_L2(later + j);
            for (int64_t k = j; k < j + line; k += 8) ADD_PRODUCT(l, LOAD8(x + k), LOAD8(w + k));
        }
        if (j < d) RB_PREFETCH_L2(later + j);
    }
    for (; j + 8 <= d; j += 8) ADD_PRODUCT(l, LOAD8(x + j), LOAD8(w + j));
    return F(finish)(l, x + j, w + j, d - j, bias);
}

RB_INLINE REAL F(dot)(const REAL *x, const REAL *w, int64_t d, REAL bias) {
    return F(dot_ahead)(x, w, d, bias, NULL);
}

/* Two rows in step: each weight is loaded once for both. */
RB_INLINE void F(dot_pair)(const REAL *x0, const REAL *x1, const REAL *w, int64_t d, REAL bias,
                           REAL *out) {
    F(lanes) l0 = NO_LANES, l1 = NO_LANES;
    int64_t j = 0;
    for (; j + 8 <= d; j += 8) {
        F(lanes) v = LOAD8(w + j);
        ADD_PRODUCT(l0, LOAD8(x0 + j), v);
        ADD_PRODUCT(l1, LOAD8(x1 + j), v);
    }
    out[0] = F(finish)(l0, x0 + j, w + j, d - j, bias);
    out[1] = F(finish)(l1, x1 + j, w + j, d - j, bias);
}

/* One row by four classes: it is read once for the four. */
RB_INLINE void F(dot_four)(const REAL *x, const REAL *w, const REAL *b, int64_t d, int64_t c0,
                           int64_t c1, int64_t c2, int64_t c3, REAL *out) {
    const REAL *w0 = w + c0 * d, *w1 = w + c1 * d, *w2 = w + c2 * d, *w3 = w + c3 * d;
    F(lanes) l0 = NO_LANES, l1 = NO_LANES, l2 = NO_LANES, l3 = NO_LANES;
    int64_t j = 0;
    for (; j + 8 <= d; j += 8) {
        F(lanes) v = LOAD8(x + j);
        ADD_PRODUCT(l0, v, LOAD8(w0 + j));
        ADD_PRODUCT(l1, v, LOAD8(w1 + j));
        ADD_PRODUCT(l2, v, LOAD8(w2 + j));
        ADD_PRODUCT(l3, v, LOAD8(w3 + j));
    }
    out[c0] = F(finish)(l0, x + j, w0 + j, d - j, b[c0]);
    out[c1] = F(finish)(l1, x + j, w1 + j, d - j, b[c1]);
    out[c2] = F(finish)(l2, x + j, w2 + j, d - j, b[c2]);
    out[c3] = F(finish)(l3, x + j, w3 + j, d - j, b[c3]);
}

RB_INLINE void F(dot_classes)(const REAL *x, const REAL *w, const REAL *b, int64_t k, int64_t d,
                              REAL *out) {
    int64_t c = 0;
    for (; c + 4 <= k; c += 4) F(dot_four)(x, w, b, d, c, c + 1, c + 2, c + 3, out);
    for (; c < k; c++) out[c] = F(dot)(x, w + c * d, d, b[c]);
}

RB_INLINE void F(add_row)(const REAL *x, int64_t d, REAL step, REAL *w) {
    const F(four) s = {step, step, step, step};
    int64_t j = 0;
#if LANES_IN_ONE_VECTOR /* as wide as `dot` reads them, so that it need not wait */
    const F(lanes) wide = {step, step, step, step, step, step, step, step};
    for (; j + 8 <= d; j += 8) {
        F(lanes) v = LOAD8(w + j) + wide * LOAD8(x + j);
        memcpy(w + j, &v, sizeof v);
    }
#endif
    for (; j + 4 <= d; j += 4) {
        F(four) v = LOAD4(w + j) + s * LOAD4(x + j);
        memcpy(w + j, &v, sizeof v);
    }
    for (; j < d; j++) w[j] += step * x[j];
}

#include "rows/narrow.h"
#include "rows/tiles.h"

#undef SHUFFLE
#undef SUMS
#undef SUMMED
#undef LOAD4
#undef LOAD8
#undef NO_LANES
#undef PRODUCT
#undef ADD
#undef ADD_PRODUCT
#undef LOW
#undef HIGH

#else /* the same order of operations without vector types */
#define TILED 0

RB_INLINE REAL F(dot)(const REAL *x, const REAL *w, int64_t d, REAL bias) {
    REAL l[8] = {0};
    int64_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (int i = 0; i < 8; i++) l[i] += x[j + i] * w[j + i];
    int i = 0;
    for (; j < d; j++, i++) l[i] += x[j] * w[j];
    l[i] += bias;
    for (i = 0; i < 4; i++) l[i] += l[i + 4];
    return (l[0] + l[2]) + (l[1] + l[3]);
}

RB_INLINE REAL F(dot_ahead)(const REAL *x, const REAL *w, int64_t d, REAL bias, const REAL *later) {
    (void)later;
    return F(dot)(x, w, d, bias);
}

RB_INLINE void F(dot_pair)(const REAL *x0, const REAL *x1, const REAL *w, int64_t d, REAL bias,
                           REAL *out) {
    out[0] = F(dot)(x0, w, d, bias);
    out[1] = F(dot)(x1, w, d, bias);
}

RB_INLINE void F(dot_classes)(const REAL *x, const REAL *w, const REAL *b, int64_t k, int64_t d,
                              REAL *out) {
    for (int64_t c = 0; c < k; c++) out[c] = F(dot)(x, w + c * d, d, b[c]);
}

RB_INLINE void F(add_row)(const REAL *x, int64_t d, REAL step, REAL *w) {
    for (int64_t j = 0; j < d; j++) w[j] += step * x[j];
}
#endif

RB_INLINE int64_t F(seek_row)(const rb_rows *rows, const rb_search *s, const void *weights,
                              double bias, double *margin, const int ahead) {
    const REAL *X = rows->values, *w = weights;
    const int64_t d = rows->n_features, stop = s->stop, row_bytes = d * (int64_t)sizeof(REAL);
    const int64_t early = rb_early(row_bytes);
    const REAL b = (REAL)bias, quiet = (REAL)s->quiet_above;
    /* Then loading them twice costs more than two streams of rows at a time. */
    const int weights_outgrow_l1 = row_bytes > 16384;
    /* Of a longer row the processor reads on by itself, of a short one the early request is enough. */
    const int late = weights_outgrow_l1 || (row_bytes >= 128 && row_bytes <= 1024);
    /* While they leave room in it, one row that is asked for 4 KB ahead is as quick as one of two; and
     * no second row is scored in vain where the first is a mistake. Doubles gain nothing by it. */
    const int alone = LANES_IN_ONE_VECTOR && !ahead && weights_outgrow_l1 && row_bytes <= 24576;
    int64_t i = s->at;
    /* Two rows at a time: one branch for both, and the second sum hides the latency of the first.
     * Reading ahead changes nothing: only the first row found is acted on. */
    for (; !alone && i + 2 <= stop; i += 2) {
        int64_t r0 = rb_row_at(s, i), r1 = rb_row_at(s, i + 1);
        const REAL *later[2] = {NULL, NULL};
        for (int64_t k = i; ahead && k < i + 2; k++) {
            int64_t row = rb_row_early(s, k, early);
            later[k - i] = X + row * d;
            rb_prefetch_notes(s, row);
            if (late) rb_prefetch_row(X + rb_row_later(s, k, RB_LATE) * d, row_bytes);
        }
        REAL m[2];
        if (weights_outgrow_l1) {
            F(dot_pair)(X + r0 * d, X + r1 * d, w, d, b, m);
        } else {
            m[0] = F(dot_ahead)(X + r0 * d, w, d, b, later[0]);
            m[1] = F(dot_ahead)(X + r1 * d, w, d, b, later[1]);
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
        const REAL *x = X + r * d, *soon = alone ? x + 4096 / sizeof(REAL) : NULL;
        REAL m = F(dot_ahead)(x, w, d, b, soon) * (REAL)rb_sign(s, r);
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

static double F(squared_norm)(const rb_rows *rows, int64_t row, double last) {
    const REAL *x = (const REAL *)rows->values + row * rows->n_features;
    return (double)F(dot)(x, x, rows->n_features, (REAL)last);
}

static double F(variance)(const rb_rows *rows, int64_t row, const void *rates,
                                    int64_t stride, double last) {
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + row * d, *rate = rates;
    REAL l[8] = {0};
    int64_t j = 0;
    int i;
    (void)stride;
    for (; j + 8 <= d; j += 8)
        for (i = 0; i < 8; i++) l[i] += x[j + i] * x[j + i] * rate[j + i];
    for (i = 0; j < d; j++, i++) l[i] += x[j] * x[j] * rate[j];
    l[i] += (REAL)last;
    for (i = 0; i < 4; i++) l[i] += l[i + 4];
    return (double)((l[0] + l[2]) + (l[1] + l[3]));
}

static void F(move_with_rates)(const rb_rows *rows, int64_t row, const rb_movement *m) {
    const int64_t d = rows->n_features;
    const REAL *x = (const REAL *)rows->values + row * d;
    REAL *restrict w = m->w, moved[RB_CHUNK];
    for (int64_t j = 0; j < d; j += RB_CHUNK) {
        const int64_t n = d - j < RB_CHUNK ? d - j : RB_CHUNK;
        R(moves)(m, n, x + j, (REAL *)m->rate + j, moved);
        for (int64_t i = 0; i < n; i++) w[j + i] += moved[i];
        if (m->u)
            for (int64_t i = 0; i < n; i++) m->u[j + i] += m->counted * (double)moved[i];
    }
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
                                           F(squared_norm), F(variance), F(move_with_rates),
                                           F(inspect),      TILED};
#undef TILED
#undef F
#undef KIND
