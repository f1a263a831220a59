/* Columns of one row in order: keys with the column in their upper half, the place in the lower. */
#ifndef RB_KEYS_H
#define RB_KEYS_H

#include <stdint.h>
#include <string.h>

enum { RB_SHORT = 20, RB_DIGIT = 64 };

/* Sorts n keys that come with ascending places, so that equal columns keep the order of the file
   and sums are the same everywhere. Uses room for n keys behind them; the result is in either. */
static uint64_t *rb_sorted_keys(uint64_t *keys, int64_t n) {
    uint64_t *other = keys + n, most = 0;
    int shift;
    if (n <= RB_SHORT) {
        for (int64_t i = 1; i < n; i++) {
            uint64_t key = keys[i];
            int64_t j = i;
            for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return keys;
    }
    for (int64_t i = 0; i < n; i++) most |= keys[i];
    for (shift = 32; shift < 64 && most >> shift; shift += 6) { /* six bits at a time */
        int64_t places[RB_DIGIT], total = 0;
        uint64_t *done = other;
        memset(places, 0, sizeof places);
        for (int64_t i = 0; i < n; i++) places[keys[i] >> shift & (RB_DIGIT - 1)]++;
        for (int i = 0; i < RB_DIGIT; i++) {
            int64_t here = places[i];
            places[i] = total;
            total += here;
        }
        for (int64_t i = 0; i < n; i++)
            other[places[keys[i] >> shift & (RB_DIGIT - 1)]++] = keys[i];
        other = keys;
        keys = done;
    }
    return keys;
}

#endif
