/* The innermost loops of tagging: rows of tag scores are added, and a step of the best path is taken.
 *
 * Rows are `width` floats long, a multiple of eight, so that they are worked on eight at a time; what
 * stands beyond the tags is never looked at. Sums are taken in a fixed order, so that every machine
 * finds the same path. */
#ifndef ROSENBLATT_TAGGING_H
#define ROSENBLATT_TAGGING_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "rows/rows.h"

/* out += value * row */
RB_CLONES static void rb_add_row(float *restrict out, const float *restrict row, float value,
                                 int64_t width) {
    for (int64_t j = 0; j < width; j++) out[j] += value * row[j];
}

/* Eight tags at a time; where the compiler has no vectors of its own, one after the other. */
#if defined(__GNUC__)
typedef float rb_eight __attribute__((vector_size(32), aligned(4)));
#define RB_EIGHT(at) (*(const rb_eight *)(at))
#endif

enum { RB_AT_ONCE = 64 };

/* out += the rows, one after the other; the sums of up to 24 tags stay in registers. */
RB_INLINE void rb_add_rows(float *out, const float *const *rows, int64_t n, int64_t width) {
    int64_t at = 0;
#if defined(__GNUC__)
    for (; at + 24 <= width; at += 24) {
        rb_eight a = RB_EIGHT(out + at), b = RB_EIGHT(out + at + 8), c = RB_EIGHT(out + at + 16);
        for (int64_t r = 0; r < n; r++) {
            a += RB_EIGHT(rows[r] + at);
            b += RB_EIGHT(rows[r] + at + 8);
            c += RB_EIGHT(rows[r] + at + 16);
        }
        *(rb_eight *)(out + at) = a;
        *(rb_eight *)(out + at + 8) = b;
        *(rb_eight *)(out + at + 16) = c;
    }
    for (; at + 8 <= width; at += 8) {
        rb_eight a = RB_EIGHT(out + at);
        for (int64_t r = 0; r < n; r++) a += RB_EIGHT(rows[r] + at);
        *(rb_eight *)(out + at) = a;
    }
#else
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = at; j < width; j++) out[j] += rows[r][j];
#endif
}

/* The scores of every token: the sums of the rows of its features; those without a row are left out.
 * All rows of a token are asked for before the first is read. */
RB_CLONES static void rb_emit(float *restrict out, const float *w, const int32_t *restrict row_of,
                              int64_t n_known, const int32_t *restrict features,
                              const int64_t *restrict starts, int64_t length, int64_t width) {
    const float *rows[RB_AT_ONCE];
    for (int64_t i = 0; i < length; i++, out += width) {
        int64_t f = starts[i];
        const int64_t end = starts[i + 1];
        for (int64_t j = 0; j < width; j++) out[j] = 0.0f;
        while (f < end) {
            int64_t n = 0;
            for (; f < end && n < RB_AT_ONCE; f++) {
                const int32_t feature = features[f];
                if (feature < 0 || feature >= n_known || row_of[feature] < 0) continue;
                rows[n] = w + row_of[feature] * width;
                RB_PREFETCH(rows[n]);
                RB_PREFETCH(rows[n] + width - 1);
                n++;
            }
            rb_add_rows(out, rows, n, width);
        }
    }
}

/* The same of rows that were found before: `counts[i]` of token i, from i * stride on. */
RB_CLONES static void rb_emit_found(float *restrict out, const float *const *rows,
                                    const int64_t *restrict counts, int64_t stride, int64_t length,
                                    int64_t width) {
    for (int64_t i = 0; i < length; i++, out += width, rows += stride) {
        for (int64_t j = 0; j < width; j++) out[j] = 0.0f;
        rb_add_rows(out, rows, counts[i], width);
    }
}

/* best[j] = max over i of before[i] + step[i * width + j], `from` the first i that reaches it. */
RB_CLONES static void rb_best_step(const float *restrict before, const float *restrict step,
                                   int64_t n, int64_t width, float *restrict best,
                                   int32_t *restrict from) {
    for (int64_t j = 0; j < width; j++) {
        best[j] = before[0] + step[j];
        from[j] = 0;
    }
    for (int64_t i = 1; i < n; i++) {
        const float at = before[i];
        const float *restrict row = step + i * width;
        for (int64_t j = 0; j < width; j++) {
            const float score = at + row[j];
            const int32_t better = score > best[j];
            best[j] = better ? score : best[j];
            from[j] = better ? (int32_t)i : from[j];
        }
    }
}

/* out[j] = max over i of before[i] + step[i * width + j], plus emit[j], for W tags from `at` on */
#define RB_BEST_SCORES(W)                                                                   \
    RB_INLINE void rb_best_scores_##W(const float *restrict before, const float *step,      \
                                      int64_t n, int64_t width, const float *restrict emit, \
                                      float *restrict out, int64_t at) {                    \
        float best[W];                                                                      \
        for (int j = 0; j < W; j++) best[j] = before[0] + step[at + j];                     \
        for (int64_t i = 1; i < n; i++) {                                                   \
            const float here = before[i], *restrict row = step + i * width + at;            \
            for (int j = 0; j < W; j++) {                                                   \
                const float score = here + row[j];                                          \
                best[j] = score > best[j] ? score : best[j];                                \
            }                                                                               \
        }                                                                                   \
        for (int j = 0; j < W; j++) out[at + j] = best[j] + emit[at + j];                   \
    }
RB_BEST_SCORES(24)
RB_BEST_SCORES(8)

RB_CLONES static void rb_best_scores(const float *restrict before, const float *restrict step,
                                     int64_t n, int64_t width, const float *restrict emit,
                                     float *restrict out) {
    int64_t at = 0;
    for (; at + 24 <= width; at += 24) rb_best_scores_24(before, step, n, width, emit, out, at);
    for (; at + 8 <= width; at += 8) rb_best_scores_8(before, step, n, width, emit, out, at);
}

typedef struct {
    int64_t key;
    double change;
} rb_change;

static int rb_by_key(const void *a, const void *b) {
    const int64_t x = ((const rb_change *)a)->key, y = ((const rb_change *)b)->key;
    return (x > y) - (x < y);
}

/* The sum of the squares of the changes, those of one key taken together. */
static double rb_squared_length(rb_change *changes, int64_t n) {
    double total = 0.0;
    qsort(changes, (size_t)n, sizeof(rb_change), rb_by_key);
    for (int64_t i = 0; i < n;) {
        double sum = 0.0;
        const int64_t key = changes[i].key;
        for (; i < n && changes[i].key == key; i++) sum += changes[i].change;
        total += sum * sum;
    }
    return total;
}

#endif
