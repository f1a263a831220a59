/* Dense rows of fewer than 32 features, eight at a time. Included by dense.h.
 *
 * The weights stay in registers. The lanes of eight rows are added up by shuffles, in the order of
 * `finish`, so that every score has the bits it has alone. Of the rows that need attention the first
 * is acted on, and those after it are scored anew.
 *
 * A row is read on beyond its last feature, into the next row: the weights there are 0. The last rows
 * of the table, which have no next one, are scored alone.
 */

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (F(bits)){__VA_ARGS__})
#endif
#define LOAD_BITS(p) ({ F(bits) v_; memcpy(&v_, (p), sizeof v_); v_; })

/* A bit for each of four or eight numbers that are -1 and not 0. */
RB_INLINE unsigned F(which)(F(bits) wanted) {
#if defined(__AVX__) && LANES_IN_ONE_VECTOR
    return (unsigned)__builtin_ia32_movmskps256((F(lanes))wanted);
#elif defined(__AVX__)
    return (unsigned)__builtin_ia32_movmskpd256((F(four))wanted);
#else
    unsigned found = 0;
    for (unsigned k = 0; k < sizeof wanted / sizeof(BITS); k++)
        found |= (unsigned)(wanted[k] & 1) << k;
    return found;
#endif
}

/* Weights behind the last feature are 0, and so is all of the bias but the lane it belongs to. */
typedef struct {
    F(lanes) w0, w1, w2, w3, bias;
} F(held);

/* The lanes of one row; `chunks` is known to the compiler. Where the bias is added to, the last
 * product is 0. Sums that begin with a product instead of 0 differ in the sign of a 0 alone, which no
 * margin shows. */
RB_INLINE F(lanes) F(lanes_of)(const REAL *x, const F(held) *h, const int chunks) {
    const F(lanes) w = chunks == 1 ? h->w0 : chunks == 2 ? h->w1 : chunks == 3 ? h->w2 : h->w3;
    F(lanes) l, last = PRODUCT(LOAD8(x + 8 * chunks - 8), w);
    ADD(last, h->bias);
    if (chunks == 1) return last;
    l = PRODUCT(LOAD8(x), h->w0);
    if (chunks > 2) ADD_PRODUCT(l, LOAD8(x + 8), h->w1);
    if (chunks > 3) ADD_PRODUCT(l, LOAD8(x + 16), h->w2);
    ADD(l, last);
    return l;
}

/* The bits by which the sign of eight numbers changes where the label is 0. */
#if LANES_IN_ONE_VECTOR
typedef F(bits) F(flips);
#define FLIPS(label)                                                                         \
    (((F(bits)){label(0), label(1), label(2), label(3), label(4), label(5), label(6), label(7)} ^ 1) \
     << 31)

/* (l0+l4), (l1+l5) ... of two rows. */
RB_INLINE F(lanes) F(halves)(F(lanes) a, F(lanes) b) {
    return SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11) + SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

RB_INLINE F(lanes) F(quarters)(F(lanes) a, F(lanes) b) {
    return SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13) + SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* The sums of the lanes of eight rows. */
#define SUMMED 8
#define SUMS(row)                                                                                  \
    ({                                                                                             \
        F(lanes) a_ = F(halves)(row(0), row(4)), b_ = F(halves)(row(1), row(5));                   \
        F(lanes) ab_ = F(quarters)(a_, b_);                                                        \
        a_ = F(halves)(row(2), row(6)), b_ = F(halves)(row(3), row(7));                            \
        F(lanes) cd_ = F(quarters)(a_, b_);                                                        \
        SHUFFLE(ab_, cd_, 0, 2, 8, 10, 4, 6, 12, 14) + SHUFFLE(ab_, cd_, 1, 3, 9, 11, 5, 7, 13, 15); \
    })

#define ROW(i) F(lanes_of)(x[i], h, chunks)
/* The margins of eight rows, and a bit for each one that needs attention. */
RB_INLINE unsigned F(margins)(const REAL *const *x, F(flips) flips, const F(held) *h, REAL quiet,
                              REAL *out, const int chunks) {
    F(lanes) m = SUMS(ROW);
    m = (F(lanes))((F(bits))m ^ flips);
    memcpy(out, &m, sizeof m);
    return F(which)(m <= quiet);
}
#undef ROW

/* What a mask of bits leaves of eight numbers, and what they are with these bits flipped. */
RB_INLINE F(lanes) F(masked)(F(lanes) l, const BITS *mask) {
    return (F(lanes))((F(bits))l & LOAD_BITS(mask));
}

RB_INLINE F(lanes) F(flipped)(F(lanes) l, const BITS *flips) {
    return (F(lanes))((F(bits))l ^ LOAD_BITS(flips));
}
#else
typedef struct { F(bits) low, high; } F(flips);
#define FLIPS(label)                                                           \
    ((F(flips)){((F(bits)){label(0), label(1), label(2), label(3)} ^ 1) << 63, \
                ((F(bits)){label(4), label(5), label(6), label(7)} ^ 1) << 63})

RB_INLINE F(four) F(halves)(F(lanes) l) { return l.low + l.high; }

/* The sums of the lanes of four rows. */
#define SUMMED 4
#define SUMS(row)                                                                  \
    ({                                                                             \
        F(four) a_ = F(halves)(row(0)), b_ = F(halves)(row(2));                    \
        F(four) ac_ = SHUFFLE(a_, b_, 0, 1, 4, 5) + SHUFFLE(a_, b_, 2, 3, 6, 7);   \
        a_ = F(halves)(row(1)), b_ = F(halves)(row(3));                            \
        F(four) bd_ = SHUFFLE(a_, b_, 0, 1, 4, 5) + SHUFFLE(a_, b_, 2, 3, 6, 7);   \
        SHUFFLE(ac_, bd_, 0, 4, 2, 6) + SHUFFLE(ac_, bd_, 1, 5, 3, 7);             \
    })

#define ROW(i) F(lanes_of)(x[i], h, chunks)
/* As above, four rows at a time. */
RB_INLINE unsigned F(four_margins)(const REAL *const *x, F(bits) flips, const F(held) *h, REAL quiet,
                                   REAL *out, const int chunks) {
    F(four) m = SUMS(ROW);
    m = (F(four))((F(bits))m ^ flips);
    memcpy(out, &m, sizeof m);
    return F(which)(m <= quiet);
}
#undef ROW

RB_INLINE unsigned F(margins)(const REAL *const *x, F(flips) flips, const F(held) *h, REAL quiet,
                              REAL *out, const int chunks) {
    unsigned first = F(four_margins)(x, flips.low, h, quiet, out, chunks);
    return first | F(four_margins)(x + 4, flips.high, h, quiet, out + 4, chunks) << 4;
}

RB_INLINE F(lanes) F(masked)(F(lanes) l, const BITS *mask) {
    return (F(lanes)){(F(four))((F(bits))l.low & LOAD_BITS(mask)),
                      (F(four))((F(bits))l.high & LOAD_BITS(mask + 4))};
}

RB_INLINE F(lanes) F(flipped)(F(lanes) l, const BITS *flips) {
    return (F(lanes)){(F(four))((F(bits))l.low ^ LOAD_BITS(flips)),
                      (F(four))((F(bits))l.high ^ LOAD_BITS(flips + 4))};
}
#endif

RB_INLINE void F(hold)(F(held) *h, const REAL *w, const REAL *b, int64_t d) {
    REAL room[40] = {0};
    memcpy(room, w, (size_t)d * sizeof(REAL));
    h->w0 = LOAD8(room), h->w1 = LOAD8(room + 8), h->w2 = LOAD8(room + 16), h->w3 = LOAD8(room + 24);
    memset(room, 0, sizeof room);
    room[d & 7] = *b;
    h->bias = LOAD8(room);
}

/* The first features of eight, and the place behind them: from 8 - n on. */
static const BITS F(before)[16] = {-1, -1, -1, -1, -1, -1, -1, -1}, F(behind)[16] = {[8] = -1};

/* What `add` has done in memory. */
RB_INLINE void F(add_to_held)(F(held) *h, const REAL *x, const REAL *b, REAL step, BITS flip,
                              int64_t left, const int chunks) {
    const REAL steps[8] = {step, step, step, step, step, step, step, step};
    const BITS flips[8] = {flip, flip, flip, flip, flip, flip, flip, flip};
    const REAL bias[8] = {*b, *b, *b, *b, *b, *b, *b, *b};
    const F(lanes) s = F(flipped)(LOAD8(steps), flips);
    const F(lanes) last = F(masked)(LOAD8(x + 8 * chunks - 8), F(before) + 8 - left);
    ADD_PRODUCT(h->w0, s, chunks > 1 ? LOAD8(x) : last);
    if (chunks > 1) ADD_PRODUCT(h->w1, s, chunks > 2 ? LOAD8(x + 8) : last);
    if (chunks > 2) ADD_PRODUCT(h->w2, s, chunks > 3 ? LOAD8(x + 16) : last);
    if (chunks > 3) ADD_PRODUCT(h->w3, s, last);
    h->bias = F(masked)(LOAD8(bias), F(behind) + 8 - left);
}

RB_INLINE void F(visit_eight)(const rb_rows *rows, rb_search *s, const REAL *w, const REAL *b,
                              rb_action act, void *walk, const int chunks, const int ordered) {
    const REAL *X = rows->values, quiet = (REAL)s->quiet_above;
    const int32_t *labels = s->labels;
    const int64_t d = rows->n_features, n_values = rows->n_rows * d, left = d & 7;
    const int64_t row_bytes = d * (int64_t)sizeof(REAL), early = rb_early(row_bytes);
    const int row_most = 8 * chunks * (int)sizeof(REAL);
    const int64_t safe = n_values < 8 * chunks ? 0 : (n_values - 8 * chunks) / d + 1;
    int64_t i = s->at, stop = s->stop;
    int64_t asked = rb_reads_ahead(s, n_values * (int64_t)sizeof(REAL)) ? i : INT64_MAX;
    REAL last_rows[64] = {0};
    F(held) h;
    memcpy(last_rows, X + safe * d, (size_t)((rows->n_rows - safe) * row_bytes));
    F(hold)(&h, w, b, d);
#define VALUES(row) ((row) < safe ? X + (row) * d : last_rows + ((row) - safe) * d)
    while (i < stop) {
        const REAL *x[8];
        int64_t row[8], least = stop - i - 8;
        REAL m[8];
        F(flips) flips;
        unsigned wanted = 255;
        for (; asked < stop && asked < i + 8 + RB_LATE; asked++) {
            const int64_t soon = s->order[asked], later = rb_row_early(s, asked, early);
            const char *at = (const char *)(X + soon * d), *far = (const char *)(X + later * d);
            RB_PREFETCH(labels + soon);
            rb_prefetch_notes(s, later);
            for (int k = 0; k < row_most; k += 64) RB_PREFETCH(at + k);
            for (int k = 0; k < row_most; k += 64) RB_PREFETCH_L2(far + k);
            RB_PREFETCH(at + row_bytes - 1);
        }
        if (ordered) {
            least |= safe - i - 8;
        } else if (least >= 0) {
            for (int k = 0; k < 8; k++) {
                row[k] = s->order[i + k];
                least |= safe - 1 - row[k];
            }
        }
        if (least < 0) {
            if (stop - i < 8) wanted = (1u << (stop - i)) - 1;
            for (int k = 0; k < 8; k++) {
                row[k] = rb_row_at(s, i + k < stop ? i + k : i);
                x[k] = VALUES(row[k]);
            }
#define LABEL(k) labels[row[k]]
            flips = FLIPS(LABEL);
        } else if (!ordered) {
            for (int k = 0; k < 8; k++) x[k] = X + row[k] * d;
            flips = FLIPS(LABEL);
#undef LABEL
        } else {
            for (int k = 0; k < 8; k++) x[k] = X + (i + k) * d;
#define LABEL(k) labels[i + (k)]
            flips = FLIPS(LABEL);
#undef LABEL
            for (int k = 0; k < 8 * row_most; k += 64) RB_PREFETCH((const char *)x[0] + 2048 + k);
        }
        BITS flipped[8];
        memcpy(flipped, &flips, sizeof flips);
        wanted &= F(margins)(x, flips, &h, quiet, m, chunks);
        if (!wanted) {
            i += 8;
            continue;
        }
        const int found = __builtin_ctz(wanted);
        i += found;
        const int64_t now = rb_row_at(s, i);
        const double step = act(walk, i++, (double)m[found]);
        stop = s->stop;
        if (step == step) F(add_to_held)(&h, VALUES(now), b, (REAL)step, flipped[found], left, chunks);
        else F(hold)(&h, w, b, d);
    }
#undef VALUES
}

/* The same for every width: the compiler makes a loop of its own for each. */
static void F(visit_narrow)(const rb_rows *rows, rb_search *s, const REAL *w, const REAL *b,
                            rb_action act, void *walk) {
#define WIDTH(chunks)                                                            \
    case chunks - 1:                                                             \
        if (s->order) F(visit_eight)(rows, s, w, b, act, walk, chunks, 0);       \
        else F(visit_eight)(rows, s, w, b, act, walk, chunks, 1);                \
        return;
    switch (rows->n_features / 8) {
        WIDTH(1)
        WIDTH(2)
        WIDTH(3)
        WIDTH(4)
    }
#undef WIDTH
}
#undef LOAD_BITS
#undef FLIPS
