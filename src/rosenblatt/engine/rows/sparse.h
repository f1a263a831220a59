/* Sparse rows (CSR) with values of type REAL and column numbers of type COLUMN. Included once per pair of
 * types by tables.h, and again with CHECKED for rows in memory that others may change meanwhile, such as a
 * mapped file: there every start and column is read once and looked at before it is used. What points
 * outside counts as an empty row or as column 0, and is noted, so that the caller can refuse it all.
 *
 * Binary: four lanes by position in the row, the bias after the last stored value. Multiclass: the
 * weights of one feature lie side by side, one per class, and each class is summed in the order of
 * the stored values, the bias last.
 */
#define F(name) RB_PASTE(name, KIND)

/* The column at a place. */
RB_INLINE int64_t F(column)(RB_UNUSED const rb_rows *rows, const COLUMN *place) {
#if CHECKED
    UNSIGNED column = *(const volatile UNSIGNED *)place;
    if (RB_UNLIKELY(column >= (uint64_t)rows->n_features)) {
        *rows->outside = 1;
        column = 0;
    }
    return (int64_t)column;
#else
    return (int64_t)(UNSIGNED)*place;
#endif
}

/* Where a row starts among the stored values, and how many of them are its own. */
RB_INLINE int64_t F(span)(const rb_rows *rows, int64_t row, int64_t *n) {
    const COLUMN *starts = rows->starts;
#if CHECKED
    const volatile COLUMN *at = starts + row;
    const int64_t first = (int64_t)at[0], end = (int64_t)at[1];
    if (RB_UNLIKELY(first < 0 || end < first || end > rows->n_stored)) {
        *rows->outside = 1;
        *n = 0;
        return 0;
    }
#else
    const int64_t first = (int64_t)starts[row], end = (int64_t)starts[row + 1];
#endif
    *n = end - first;
    return first;
}

/* Rows one after the other: the next ones are asked for beyond the end of this one. */
RB_SCALAR RB_INLINE REAL F(dot)(const rb_rows *rows, int64_t row, const REAL *w, REAL bias,
                                const int in_order) {
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    const REAL *v = (const REAL *)rows->values + first;
    const COLUMN *col = (const COLUMN *)rows->columns + first;
#define AT(i) F(column)(rows, col + (i))
    REAL l0 = 0, l1 = 0, l2 = 0, l3 = 0;
    for (; n >= 4; n -= 4, v += 4, col += 4) {
        if (in_order) {
            RB_PREFETCH_ONCE(v + 128);
            RB_PREFETCH_ONCE(col + 128);
        }
        l0 += v[0] * w[AT(0)];
        l1 += v[1] * w[AT(1)];
        l2 += v[2] * w[AT(2)];
        l3 += v[3] * w[AT(3)];
    }
    switch (n) {
    case 0: l0 += bias; break;
    case 1: l0 += v[0] * w[AT(0)]; l1 += bias; break;
    case 2: l0 += v[0] * w[AT(0)]; l1 += v[1] * w[AT(1)]; l2 += bias; break;
    default:
        l0 += v[0] * w[AT(0)];
        l1 += v[1] * w[AT(1)];
        l2 += v[2] * w[AT(2)];
        l3 += bias;
    }
#undef AT
    return (l0 + l2) + (l1 + l3);
}

RB_INLINE void F(dot_classes)(const rb_rows *rows, int64_t row, const REAL *restrict w,
                              const REAL *restrict b, int64_t k, int64_t stride,
                              REAL *restrict out) {
    const REAL *v = rows->values;
    const COLUMN *col = rows->columns;
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    for (int64_t c = 0; c < k; c++) out[c] = 0;
    for (int64_t p = first; p < first + n; p++) {
        const REAL x = v[p], *restrict of_feature = w + F(column)(rows, col + p) * stride;
        for (int64_t c = 0; c < k; c++) out[c] += x * of_feature[c];
    }
    for (int64_t c = 0; c < k; c++) out[c] += b[c];
}

/* Ask for rows of a random order that come later: first where they start, then what they hold. */
RB_INLINE void F(look_ahead)(const rb_rows *rows, const rb_search *s, int64_t i) {
    const REAL *v = rows->values;
    const COLUMN *col = rows->columns, *starts = rows->starts;
    const int64_t early = 32, row = rb_row_early(s, s->upcoming ? i + early : i, 2 * early);
    RB_PREFETCH_L2(starts + row);
    rb_prefetch_notes(s, row);
    const COLUMN *at = starts + rb_row_early(s, i, early);
    rb_prefetch_row_l2(v + at[0], (int64_t)(at[1] - at[0]) * (int64_t)sizeof(REAL));
    rb_prefetch_row_l2(col + at[0], (int64_t)(at[1] - at[0]) * (int64_t)sizeof(COLUMN));
    at = starts + rb_row_later(s, i, RB_LATE / 2);
    rb_prefetch_row(v + at[0], (int64_t)(at[1] - at[0]) * (int64_t)sizeof(REAL));
    rb_prefetch_row(col + at[0], (int64_t)(at[1] - at[0]) * (int64_t)sizeof(COLUMN));
}

RB_SCALAR RB_INLINE int64_t F(seek_row)(const rb_rows *rows, const rb_search *s,
                                        const void *weights, double bias, double *margin,
                                        const int ahead) {
    for (int64_t i = s->at; i < s->stop; i++) {
        int64_t r = rb_row_at(s, i);
        if (ahead) F(look_ahead)(rows, s, i);
        REAL m = F(dot)(rows, r, weights, (REAL)bias, !ahead) * (REAL)rb_sign(s, r);
        if (m <= (REAL)s->quiet_above) {
            *margin = (double)m;
            return i;
        }
    }
    return s->stop;
}

RB_SCALAR static void F(visit)(const rb_rows *rows, rb_search *s, const void *weights,
                               const void *bias, rb_action act, void *walk) {
    const int ahead = rb_reads_ahead(s, rows->n_stored * (int64_t)(sizeof(REAL) + sizeof(COLUMN)));
    const REAL *b = bias;
    double margin;
    while ((s->at = ahead ? F(seek_row)(rows, s, weights, *b, &margin, 1)
                          : F(seek_row)(rows, s, weights, *b, &margin, 0)) < s->stop)
        act(walk, s->at++, margin);
}

static int64_t F(seek_class)(const rb_rows *rows, const rb_search *s,
                                       const void *weights, const void *biases, int64_t k,
                                       int64_t stride, void *scores, int64_t *rival,
                                       double *margin) {
    REAL *out = scores;
    for (int64_t i = s->at; i < s->stop; i++) {
        int64_t r = rb_row_at(s, i);
        if (s->order) F(look_ahead)(rows, s, i);
        F(dot_classes)(rows, r, weights, biases, k, stride, out);
        RB_BEST_RIVAL(out, k, s->labels[r], rival, margin);
        if (*margin <= s->quiet_above) return i;
    }
    return s->stop;
}

RB_SCALAR static void F(score)(const rb_rows *rows, int64_t first, int64_t count,
                               const void *weights, double bias, double *out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (double)F(dot)(rows, first + i, weights, (REAL)bias, 1);
}

static void F(score_classes)(const rb_rows *rows, int64_t first, int64_t count,
                                       const void *weights, const void *biases, int64_t k,
                                       int64_t stride, void *scores, double *out) {
    REAL *row_scores = scores;
    for (int64_t i = 0; i < count; i++) {
        F(dot_classes)(rows, first + i, weights, biases, k, stride, row_scores);
        for (int64_t c = 0; c < k; c++) *out++ = (double)row_scores[c];
    }
}

static void F(add)(const rb_rows *rows, int64_t row, double step, void *weights, int64_t stride) {
    const REAL *v = rows->values;
    const COLUMN *col = rows->columns;
    REAL *w = weights;
    const REAL s = (REAL)step;
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    for (int64_t p = first; p < first + n; p++) w[F(column)(rows, col + p) * stride] += s * v[p];
}

static void F(add_both)(const rb_rows *rows, int64_t row, double step, void *weights, double counted,
                        double *sum, int64_t stride) {
    const REAL *restrict v = rows->values;
    const COLUMN *restrict col = rows->columns;
    REAL *restrict w = weights;
    double *restrict u = sum;
    const REAL s = (REAL)step;
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    for (int64_t p = first; p < first + n; p++) {
        const int64_t at = F(column)(rows, col + p) * stride;
        w[at] += s * v[p];
        u[at] += counted * (double)v[p];
    }
}

static void F(add_apart)(const rb_rows *rows, int64_t row, const rb_parting *p) {
    const REAL *v = rows->values;
    const COLUMN *col = rows->columns;
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    for (int64_t i = first; i < first + n; i++) {
        const int64_t at = F(column)(rows, col + i) * p->stride;
        if (p->u) R(part_one)(p, v[i], at, 1);
        else R(part_one)(p, v[i], at, 0);
    }
}

/* Four lanes by position in the row, as in `dot`, of which TERM is a summand and `last` one more. */
#define SUM_IN_LANES(SUM, TERM, last)                                                    \
    SUM l0 = 0, l1 = 0, l2 = 0, l3 = 0;                                                  \
    for (; n >= 4; n -= 4, v += 4, col += 4)                                             \
        l0 += TERM(0), l1 += TERM(1), l2 += TERM(2), l3 += TERM(3);                      \
    switch (n) {                                                                         \
    case 0: l0 += (SUM)(last); break;                                                    \
    case 1: l0 += TERM(0), l1 += (SUM)(last); break;                                     \
    case 2: l0 += TERM(0), l1 += TERM(1), l2 += (SUM)(last); break;                      \
    default: l0 += TERM(0), l1 += TERM(1), l2 += TERM(2), l3 += (SUM)(last);             \
    }                                                                                    \
    return (double)((l0 + l2) + (l1 + l3))

RB_SCALAR static double F(squared_norm)(const rb_rows *rows, int64_t row, double last) {
    int64_t n, col = 0;
    const REAL *v = (const REAL *)rows->values + F(span)(rows, row, &n);
#define SQUARE(i) ((double)v[i] * (double)v[i])
    SUM_IN_LANES(double, SQUARE, last);
#undef SQUARE
}

RB_SCALAR RB_INLINE double F(variance_by)(const rb_rows *rows, int64_t row, const REAL *rate,
                                          const int64_t stride, double last) {
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    const COLUMN *col = (const COLUMN *)rows->columns + first;
    const REAL *v = (const REAL *)rows->values + first;
#define SQUARE(i) (v[i] * v[i] * rate[F(column)(rows, col + (i)) * stride])
    SUM_IN_LANES(REAL, SQUARE, last);
#undef SQUARE
}
#undef SUM_IN_LANES

RB_SCALAR static double F(variance)(const rb_rows *rows, int64_t row, const void *rates,
                                    int64_t stride, double last) {
    return stride == 1 ? F(variance_by)(rows, row, rates, 1, last)
                       : F(variance_by)(rows, row, rates, stride, last);
}

RB_INLINE void F(move_row)(const rb_rows *rows, int64_t row, const rb_movement m) {
    int64_t n;
    const int64_t first = F(span)(rows, row, &n);
    const COLUMN *col = (const COLUMN *)rows->columns + first;
    const REAL *v = (const REAL *)rows->values + first;
    REAL *restrict w = m.w, *restrict rate = m.rate;
    double *restrict u = m.u;
#define AT(i) (F(column)(rows, col + (i)) * m.stride)
#if defined(__GNUC__)
    /* Four at a time, for the sake of the division. No column stands twice in a row. */
    typedef REAL four __attribute__((vector_size(4 * sizeof(REAL))));
    typedef BITS bits __attribute__((vector_size(4 * sizeof(BITS))));
    const REAL step = (REAL)m.step, change = (REAL)m.change;
    const four least = (four){0} + (REAL)LEAST_RATE;
    for (; m.rates == RB_VARIANCES && n >= 4; n -= 4, v += 4, col += 4) {
        const four rates = {rate[AT(0)], rate[AT(1)], rate[AT(2)], rate[AT(3)]};
        four x;
        memcpy(&x, v, sizeof x);
        const four scaled = x * rates, moved = step * scaled;
        four smaller = rates / ((REAL)1 + change * x * scaled);
        const bits enough = smaller > least;
        smaller = (four)((enough & (bits)smaller) | (~enough & (bits)least));
        for (int i = 0; i < 4; i++) {
            w[AT(i)] += moved[i];
            rate[AT(i)] = smaller[i];
            if (u) u[AT(i)] += m.counted * (double)moved[i];
        }
    }
#endif
    for (; n > 0; n--, v++, col++)
        R(move_one)(&m, *v, w + AT(0), rate + AT(0), u ? u + AT(0) : NULL);
#undef AT
}

RB_CLONES static void F(move_with_rates)(const rb_rows *rows, int64_t row, const rb_movement *m) {
    if (m->rates == RB_VARIANCES && !m->u && m->stride == 1)
        F(move_row)(rows, row, RB_PLAIN_MOVEMENT(m));
    else
        F(move_row)(rows, row, *m);
    R(move_bias)(m);
}

static int F(inspect)(const rb_rows *rows, double limit, int64_t *row, int64_t *column,
                      double *value) {
    const REAL *v = rows->values;
    const COLUMN *col = rows->columns;
    const volatile COLUMN *starts = rows->starts;
    const REAL most = (REAL)limit;
    *value = 0;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        const int64_t first = (int64_t)starts[r], end = (int64_t)starts[r + 1];
        if (first < 0 || end < first || end > rows->n_stored) {
            *row = r, *column = -1, *value = 0;
            return 1;
        }
        for (int64_t p = first; p < end; p++)
            if (!(v[p] <= most) || !(v[p] >= -most) || col[p] < 0 ||
                (int64_t)col[p] >= rows->n_features) {
                *row = r, *column = (int64_t)col[p], *value = (double)v[p];
                return 1;
            }
        double squared_norm = F(squared_norm)(rows, r, 0);
        if (squared_norm > *value) *value = squared_norm;
    }
    return 0;
}

RB_UNUSED static const rb_ops F(rb_ops) = {F(visit),      F(seek_class), F(score),
                                           F(score_classes), F(add),     F(add_both),
                                           F(add_apart),    F(squared_norm), F(variance),
                                           F(move_with_rates), F(inspect), 0};
#undef F
#undef COLUMN
#undef UNSIGNED
#undef CHECKED
#undef KIND
