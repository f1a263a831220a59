/* Pairs such as 17:0.25, of which most files of svmlight consist, in one look at each. */
#ifndef RB_PLAIN_PAIRS_H
#define RB_PLAIN_PAIRS_H

#include "numbers.h"

typedef struct {
    int32_t *columns;
    void *values;
    int float32;
    int64_t n, most, base, previous, max_index, index;
    const unsigned char *colon;
} rb_pairs;

/* Reads pairs from p on as long as they are plain: an index that is larger than the one before, a
   colon, a digit that a blank follows, or a point and up to seven digits and a blank. Where the first
   other one begins; `colon` is behind its index if that was plain, and else NULL. */
static inline const unsigned char *rb_plain_pairs(const unsigned char *p, const unsigned char *end,
                                                  rb_pairs *pairs) {
    pairs->colon = NULL;
#ifdef RB_EIGHT_AT_ONCE
    int64_t n = pairs->n, previous = pairs->previous;
    const int64_t most = pairs->most, base = pairs->base, max_index = pairs->max_index;
    int32_t *const columns = pairs->columns;
    void *const values = pairs->values;
    const int float32 = pairs->float32;
    while (end - p >= 32 && n < most) {
        const unsigned char *q = p;
        uint64_t index = (uint64_t)*q - '0', digit, whole, fraction = 0;
        double value;
        int negative, size = -1;
        if (index - 1 > 8) break;
        while ((digit = (uint64_t)*++q - '0') < 10) index = index * 10 + digit;
        if (*q != ':' || q - p > 10) break;
        if ((int64_t)index <= previous || (int64_t)index > max_index) break;
        pairs->colon = q;
        pairs->index = (int64_t)index;
        negative = 0;
        if (RB_RARELY(q[1] == '-')) { /* without a branch the next pair would wait for it */
            negative = 1;
            q++;
        }
        whole = (uint64_t)q[1] - '0';
        if (whole > 9) break;
        if (q[2] == '.') size = rb_fraction(q + 3, &fraction);
        if (q[3 + size] != ' ') break;
        value = (double)(int64_t)(whole * 100000000 + fraction) / 1e8;
        if (RB_RARELY(negative)) value = -value;
        columns[n] = (int32_t)((int64_t)index - base);
        if (float32) {
            ((float *)values)[n] = (float)value;
        } else {
            ((double *)values)[n] = value;
        }
        n++;
        previous = (int64_t)index;
        p = q + size + 4;
        pairs->colon = NULL;
    }
    pairs->n = n;
    pairs->previous = previous;
#else
    (void)end;
    (void)pairs;
#endif
    return p;
}

#endif
