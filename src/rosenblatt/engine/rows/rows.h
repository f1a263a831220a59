/* What the compiled loops need of a table of rows: score a row, add it to a weight vector, measure
 * it. Dense and sparse tables, float and double values, 32- and 64-bit column numbers each get
 * their own copy of these few functions (dense.h, sparse.h); a loop sees only the table of
 * functions below and so is written once.
 *
 * Every sum is taken in a fixed order with plain multiplications and additions (contraction off),
 * so the same data gives the same bytes on every machine. On x86-64 Linux copies for AVX2 and
 * AVX-512VL are chosen at run time (tables.h); they do the same operations in the same order, only
 * more at a time.
 */
#ifndef ROSENBLATT_ROWS_H
#define ROSENBLATT_ROWS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__)
#define RB_HAS_CLONES 1
#define RB_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RB_HAS_CLONES 0
#define RB_CLONES
#endif

#if defined(__GNUC__)
#define RB_INLINE static inline __attribute__((always_inline))
#define RB_PREFETCH(address) __builtin_prefetch(address)
#define RB_PREFETCH_L2(address) __builtin_prefetch((address), 0, 2)
#define RB_PREFETCH_ONCE(address) __builtin_prefetch((address), 0, 0) /* read once, not kept */
#define RB_UNUSED __attribute__((unused))
#define RB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define RB_INLINE static inline
#define RB_PREFETCH(address) ((void)(address))
#define RB_PREFETCH_L2(address) ((void)(address))
#define RB_PREFETCH_ONCE(address) ((void)(address))
#define RB_UNUSED
#define RB_UNLIKELY(condition) (condition)
#endif

/* Scattered reads gain nothing from vectors; gcc would spend the time shuffling. */
#if defined(__GNUC__) && !defined(__clang__)
#define RB_SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define RB_SCALAR
#endif

typedef struct {
    const void *values;  /* dense: n_rows * n_features; sparse: the stored values */
    const void *columns; /* sparse only: the column of each stored value */
    const void *starts;  /* sparse only: n_rows + 1 offsets into the stored values */
    int64_t n_rows, n_features;
    int64_t n_stored; /* sparse only: how many values there are */
    int *outside;     /* checked rows only: set once a start or a column points outside */
} rb_rows;

/* Rows whose scores are taken together, before the first of them is acted on (tiles.h). */
#define RB_BLOCK 12
typedef struct {
    void *scores;       /* RB_BLOCK rows of the scores of all classes */
    int64_t first, end; /* the places of these rows */
    int together;       /* or each row's in its turn, where that takes less time */
    int64_t moved[2 * RB_BLOCK], n_moved; /* classes that learned since: their scores are out of date */
    int64_t again; /* a fading sum of how many scores each block had to take again */
} rb_block;

/* Where to look for the next row that needs attention. `order` may be NULL: rows as they stand.
 * `upcoming`, or NULL: rows that are needed after this order, as they lie in memory. */
typedef struct {
    const int64_t *order, *upcoming;
    const int32_t *labels, *counts; /* of each row: its class, and its mistakes or NULL */
    int64_t at, stop, n_upcoming;
    double quiet_above; /* rows answered by more than this margin are passed over */
    rb_block *block;    /* or NULL: the rows are scored one by one */
} rb_search;

/* How the steps of a weight are scaled: not at all, or by a rate of its own (rates.h). */
enum { RB_NO_RATES, RB_VARIANCES, RB_GRADIENTS };

/* A vector that moves with rates; `b` is NULL without a bias, `u` and `ub` without running sums. */
typedef struct {
    double step, change, counted;
    int rates;
    void *w, *rate, *b, *bias_rate;
    double *u, *ub;
    int64_t stride;
} rb_movement;

/* One vector is raised by all the steps by which n others are lowered, one after the other; `u` is NULL
 * without running sums. Vectors are `class_stride` apart, the weights of one `stride`. */
typedef struct {
    const double *steps;
    const int32_t *lowered;
    int64_t n, raised, class_stride, stride;
    double counted;
    void *w;
    double *u;
} rb_parting;

/* What is done with a row that needs attention, at a place of the order. It may bring the end of the
 * search nearer. It returns the step that the weights took along the row, or NAN if they moved
 * otherwise. */
typedef double (*rb_action)(void *walk, int64_t at, double margin);

typedef struct {
    /* binary: act on every row with margin <= quiet_above, one after the other */
    void (*visit)(const rb_rows *, rb_search *, const void *weights, const void *bias, rb_action,
                  void *walk);
    /* multiclass: the next place with margin <= quiet_above, or stop; its margin by the pointer.
     * `scores` holds all scores of the row found, `rival` the best wrong class. The layout of
     * the weights is the table's own: dense tables read one class after the other, sparse ones read
     * all classes of a feature together, and those of the next `stride` numbers further. */
    int64_t (*seek_class)(const rb_rows *, const rb_search *, const void *weights,
                          const void *biases, int64_t n_classes, int64_t stride, void *scores,
                          int64_t *rival, double *margin);
    /* out[i] = score of row i, for rows first .. first + count - 1 */
    void (*score)(const rb_rows *, int64_t first, int64_t count, const void *weights, double bias,
                  double *out);
    /* the same for all classes; `scores` has room for those of RB_BLOCK rows, or of `count` if fewer */
    void (*score_classes)(const rb_rows *, int64_t first, int64_t count, const void *weights,
                          const void *biases, int64_t n_classes, int64_t stride, void *scores,
                          double *out);
    /* weights += step * row, elementwise; neighbours in `weights` are `stride` apart */
    void (*add)(const rb_rows *, int64_t row, double step, void *weights, int64_t stride);
    /* the same, and sum += counted * row, on one way along the row */
    void (*add_both)(const rb_rows *, int64_t row, double step, void *weights, double counted,
                     double *sum, int64_t stride);
    /* `add` and `add_both` of several vectors and the raised one, on one way along the row */
    void (*add_apart)(const rb_rows *, int64_t row, const rb_parting *);
    /* `last` is the square of one more feature, that of the bias */
    double (*squared_norm)(const rb_rows *, int64_t row, double last);
    /* as the squared norm, each square multiplied by the rate of its feature */
    double (*variance)(const rb_rows *, int64_t row, const void *rates, int64_t stride, double last);
    /* weights += step * rates * row, elementwise, and the rates fall */
    void (*move_with_rates)(const rb_rows *, int64_t row, const rb_movement *);
    /* 1 and the place of the first value that is not finite or larger than `limit`, or whose
     * column is out of range; else 0, and `value` is the largest squared norm of a row */
    int (*inspect)(const rb_rows *, double limit, int64_t *row, int64_t *column, double *value);
    int in_blocks; /* whether `seek_class` can take the scores of several rows together */
} rb_ops;

RB_INLINE int64_t rb_row_at(const rb_search *s, int64_t i) { return s->order ? s->order[i] : i; }

/* The first rows are scored one by one, to see how many of them are mistakes. */
RB_INLINE void rb_begin_blocks(const rb_search *s, int64_t n_classes) {
    s->block->end = s->at;
    s->block->again = 2 * RB_BLOCK * n_classes;
}

/* In a random order the processor cannot guess which row is next. So rows are asked for twice: early
 * into the L2 cache, while others are on their way from memory, and late into the L1 cache. Best of
 * all is to ask early for what is upcoming: in the order of memory, and each line once. What is in the
 * caches anyway needs neither. */
#define RB_LATE 8
RB_INLINE int rb_reads_ahead(const rb_search *s, int64_t table_bytes) {
    return s->order && table_bytes > 1 << 19;
}

RB_INLINE int64_t rb_early(int64_t row_bytes) {
    return row_bytes > 2048 ? 8 : 16384 / (row_bytes > 64 ? row_bytes : 64);
}

/* The row that comes so many places later, if there is one. */
RB_INLINE int64_t rb_row_later(const rb_search *s, int64_t i, int64_t places) {
    return s->order[i + places < s->stop ? i + places : i];
}

/* The row to ask for early: of those upcoming the one at this place, else one of the order itself. */
RB_INLINE int64_t rb_row_early(const rb_search *s, int64_t i, int64_t places) {
    if (!s->upcoming) return rb_row_later(s, i, places);
    return s->upcoming[i < s->n_upcoming ? i : s->n_upcoming - 1];
}

/* Ask for what is known of a row beside its values. */
RB_INLINE void rb_prefetch_notes(const rb_search *s, int64_t row) {
    RB_PREFETCH_L2(s->labels + row);
    if (s->counts) RB_PREFETCH_L2(s->counts + row);
}

RB_INLINE void rb_prefetch_row(const void *row, int64_t bytes) {
    for (int64_t at = 0; at < bytes && at < 1024; at += 64) RB_PREFETCH((const char *)row + at);
}

RB_INLINE void rb_prefetch_row_l2(const void *row, int64_t bytes) {
    for (int64_t at = 0; at < bytes && at < 1024; at += 64) RB_PREFETCH_L2((const char *)row + at);
}

/* Labels 0 and 1 as -1 and +1; by arithmetic, since a branch on a label cannot be predicted. */
RB_INLINE int32_t rb_sign(const rb_search *s, int64_t row) { return 2 * s->labels[row] - 1; }

/* The best wrong class (the first one among equals) and by how much the right class beats it. */
#define RB_BEST_RIVAL(scores, n_classes, right, rival, margin)                      \
    do {                                                                            \
        int64_t best_ = (right) == 0 ? 1 : 0;                                       \
        for (int64_t c_ = best_ + 1; c_ < (n_classes); c_++)                        \
            if (c_ != (right) && (scores)[c_] > (scores)[best_]) best_ = c_;        \
        *(rival) = best_;                                                           \
        *(margin) = (double)(scores)[right] - (double)(scores)[best_];              \
    } while (0)

#endif
