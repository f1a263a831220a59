/* Several classes, dense rows in blocks. Included by dense.h.
 *
 * The scores of all rows of a block by all classes are taken in tiles of some rows by some classes,
 * whose sums stay in registers: each number is loaded once for several products. An update moves two
 * classes. So for the rows after it their scores are taken again, each in the same order of additions.
 * That is no gain where mistakes are frequent: then the rows are scored one by one.
 */
#if defined(__AVX2__)
#define TILED 1
#if defined(__AVX512VL__) /* 32 registers */
#define TILE_CLASSES 4
#else
#define TILE_CLASSES 2
#endif
#if LANES_IN_ONE_VECTOR
#define TILE_ROWS 6
#else
#define TILE_ROWS 3
#endif

/* The scores of a tile. `x_ends` and `w_ends`: what is left of the rows and of the classes after the
 * last eight features, then 1 and the bias, then 0. */
RB_INLINE void F(tile)(const REAL *const *x, const REAL (*x_ends)[8], const REAL *w,
                       const REAL (*w_ends)[8], int64_t d, int64_t k, REAL *out,
                       const int n_classes) {
    F(lanes) l[TILE_ROWS * TILE_CLASSES + SUMMED];
    int64_t j = 0;
#pragma GCC unroll 32
    for (int i = 0; i < TILE_ROWS * n_classes; i++) l[i] = (F(lanes))NO_LANES;
    for (; j + 8 <= d; j += 8) {
        F(lanes) v[TILE_CLASSES];
#pragma GCC unroll 4
        for (int c = 0; c < n_classes; c++) v[c] = LOAD8(w + c * d + j);
#pragma GCC unroll 6
        for (int r = 0; r < TILE_ROWS; r++) {
            const F(lanes) u = LOAD8(x[r] + j);
#pragma GCC unroll 4
            for (int c = 0; c < n_classes; c++) ADD_PRODUCT(l[r * n_classes + c], u, v[c]);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
        for (int c = 0; c < n_classes; c++)
            ADD_PRODUCT(l[r * n_classes + c], LOAD8(x_ends[r]), LOAD8(w_ends[c]));
#pragma GCC unroll 4
    for (int i = TILE_ROWS * n_classes; i % SUMMED; i++) l[i] = l[0];
    REAL sums[TILE_ROWS * TILE_CLASSES + SUMMED];
#pragma GCC unroll 4
    for (int i = 0; i < TILE_ROWS * n_classes; i += SUMMED) {
#define LANES_AT(at) l[i + (at)]
        const __typeof__(SUMS(LANES_AT)) some = SUMS(LANES_AT);
        memcpy(sums + i, &some, sizeof some);
#undef LANES_AT
    }
#pragma GCC unroll 6
    for (int r = 0; r < TILE_ROWS; r++)
        memcpy(out + r * k, sums + r * n_classes, (size_t)n_classes * sizeof(REAL));
}

/* What is left of a row or a class, and the bias. */
RB_INLINE void F(end_of)(const REAL *row, int64_t d, REAL bias, REAL *end) {
    const int64_t left = d & 7;
    memset(end, 0, 8 * sizeof(REAL));
    for (int64_t j = 0; j < left; j++) end[j] = row[d - left + j];
    end[left] = bias;
}

/* The scores of a block of rows by all classes, one row after the other. */
static __attribute__((noinline)) void F(score_block)(const REAL *const *x, const REAL *w,
                                                     const REAL *b, int64_t d, int64_t k, REAL *out) {
    REAL x_ends[RB_BLOCK][8], w_ends[TILE_CLASSES][8];
    for (int r = 0; r < RB_BLOCK; r++) F(end_of)(x[r], d, 1, x_ends[r]);
    for (int64_t c = 0; c < k;) {
        const int n_classes = TILE_CLASSES > 2 && c + TILE_CLASSES <= k ? TILE_CLASSES : 2;
        if (c + n_classes > k) c = k - n_classes; /* one class twice */
        for (int i = 0; i < n_classes; i++) F(end_of)(w + (c + i) * d, d, b[c + i], w_ends[i]);
        for (int r = 0; r < RB_BLOCK; r += TILE_ROWS) {
#define TILE(n) F(tile)(x + r, x_ends + r, w + c * d, w_ends, d, k, out + r * k + c, n)
            if (n_classes == 2) TILE(2);
            else TILE(TILE_CLASSES);
#undef TILE
        }
        c += n_classes;
    }
}

/* Where a block begins: take its scores together if that would have paid of late. It saves a third of
 * the time of each, so that it pays if no more than a quarter of them are taken again; less of that
 * remains where small tiles of short rows are begun and ended. */
static void F(begin_block)(const rb_rows *rows, const rb_search *s, const REAL *w, const REAL *b,
                           int64_t k, int64_t at) {
    const REAL *X = rows->values, *x[RB_BLOCK];
    const int64_t d = rows->n_features;
    rb_block *block = s->block;
    block->first = at, block->end = at + RB_BLOCK, block->n_moved = 0;
    block->again -= (block->again + 7) / 8;
    const int64_t part = TILE_CLASSES == 2 && d < 128 ? 8 : 4;
    block->together = block->end <= s->stop && block->again * part <= 8 * RB_BLOCK * k;
    if (!block->together) return;
    for (int64_t i = 0; i < RB_BLOCK; i++) x[i] = X + rb_row_at(s, at + i) * d;
    F(score_block)(x, w, b, d, k, block->scores);
}

/* `seek_class` of rows in blocks. */
static int64_t F(seek_class_in_blocks)(const rb_rows *rows, const rb_search *s, const REAL *w,
                                       const REAL *b, int64_t k, REAL *out, int64_t *rival,
                                       double *margin) {
    const REAL *X = rows->values;
    const int64_t d = rows->n_features;
    rb_block *block = s->block;
    for (int64_t i = s->at; i < s->stop; i++) {
        if (i == block->end) F(begin_block)(rows, s, w, b, k, i);
        const int64_t r = rb_row_at(s, i), *moved = block->moved, last = block->n_moved - 1;
        if (s->order) {
            int64_t later = rb_row_early(s, i, RB_BLOCK);
            rb_prefetch_row_l2(X + later * d, d * (int64_t)sizeof(REAL));
            rb_prefetch_notes(s, later);
        }
        REAL *scores = out;
        if (!block->together) {
            F(dot_classes)(X + r * d, w, b, k, d, out);
        } else {
            scores = (REAL *)block->scores + (i - block->first) * k;
#define MOVED(n) moved[m + (n) < last ? m + (n) : last]
            for (int64_t m = 0; m <= last; m += 4) /* the last of them up to four times */
                F(dot_four)(X + r * d, w, b, d, MOVED(0), MOVED(1), MOVED(2), MOVED(3), scores);
#undef MOVED
        }
        block->again += (last + 4) / 4 * 4;
        RB_BEST_RIVAL(scores, k, s->labels[r], rival, margin);
        if (*margin <= s->quiet_above) {
            if (block->together) memcpy(out, scores, (size_t)k * sizeof(REAL));
            return i;
        }
    }
    return s->stop;
}
#undef TILE_CLASSES
#undef TILE_ROWS
#else
#define TILED 0
#endif
