/* Pairs such as 17:0.25, of which most files of svmlight consist, in one look at each, or at four. */
#ifndef RB_PLAIN_PAIRS_H
#define RB_PLAIN_PAIRS_H

#include "numbers.h"

#if defined(RB_EIGHT_AT_ONCE) && defined(__SSE2__)
#define RB_PAIRS_BY_TWO 1
#include <emmintrin.h>
#endif

typedef struct {
    int32_t *columns;
    void *values;
    int float32, pointed; /* whether the pair before had a point */
    int64_t n, most, base, previous, max_index, index;
    const unsigned char *colon;
} rb_pairs;

#ifdef RB_PAIRS_BY_TWO
enum { RB_WINDOW = 64, RB_BEYOND = 8 }; /* bytes looked at together, and how far a look goes on */

/* A pair in its window: eight digits of the index and eight of the fraction with zeros around them,
   and the value is (whole + fraction) / scale. */
typedef struct {
    __m128i digits;
    double whole, scale;
} rb_cut_pair;

static const double rb_wholes[] = {0, 1e8, 2e8, 3e8, 4e8, 5e8, 6e8, 7e8, 8e8, 9e8};

/* A bit for each byte of the window, set where it is no digit. */
static inline uint64_t rb_others(const unsigned char *window) {
    const __m128i shift = _mm_set1_epi8((char)(128 - '0')), ten = _mm_set1_epi8(-128 + 10);
    uint64_t digits = 0;
    int i;
    for (i = 0; i < 4; i++) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(window + 16 * i));
        const __m128i found = _mm_cmplt_epi8(_mm_add_epi8(v, shift), ten);
        digits |= (uint64_t)(unsigned)_mm_movemask_epi8(found) << (16 * i);
    }
    return ~digits;
}

static inline uint64_t rb_load_eight(const unsigned char *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* Cuts the pair at p, whose bytes have the lowest of the bits in *others, and takes these away. Where
   the next one begins; NULL if this one is not plain or does not end within the window. */
static inline const unsigned char *rb_cut(const unsigned char *window, const unsigned char *p,
                                          uint64_t *others, rb_cut_pair *cut) {
    const unsigned char *colon, *stop;
    uint64_t rest = *others & (*others - 1), index, fraction, whole;
    int64_t negative, size;
    if (RB_RARELY(rest == 0)) return NULL;
    colon = window + __builtin_ctzll(*others);
    negative = colon[1] == '-';
    if (negative) rest &= rest - 1;
    rest &= rest - 1; /* the point */
    if (RB_RARELY(rest == 0)) return NULL;
    stop = window + __builtin_ctzll(rest);
    *others = rest & (rest - 1);
    size = colon - p;
    if (RB_RARELY(*colon != ':' || (uint64_t)(size - 1) > 7)) return NULL;
    index = rb_load_eight(p) << (64 - 8 * size);
    colon += negative;
    whole = (uint64_t)colon[1] - '0';
    size = stop - colon - 3;
    if (RB_RARELY(whole > 9 || colon[2] != '.' || *stop != ' ')) return NULL;
    if (RB_RARELY((uint64_t)(size - 1) > 7)) return NULL;
    size = 64 - 8 * size;
    fraction = rb_load_eight(colon + 3) << size >> size;
    cut->digits = _mm_unpacklo_epi64(_mm_cvtsi64_si128((int64_t)index),
                                     _mm_cvtsi64_si128((int64_t)fraction));
    cut->whole = rb_wholes[whole];
    cut->scale = rb_scales[negative];
    return stop + 1;
}

/* Sixteen digits, or zeros instead of some, as four numbers of four digits. */
static inline __m128i rb_fours(__m128i v) {
    const __m128i ten = _mm_set1_epi16(10), low = _mm_set1_epi16(255);
    v = _mm_subs_epu8(v, _mm_set1_epi8('0'));
    v = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(v, low), ten), _mm_srli_epi16(v, 8));
    return _mm_madd_epi16(v, _mm_set1_epi32(100 | 1 << 16));
}

/* Reads plain pairs with a point, two by two, as long as it can; where it stopped. */
static inline const unsigned char *rb_pairs_by_two(const unsigned char *p, const unsigned char *end,
                                                   rb_pairs *pairs) {
    const __m128i base = _mm_set1_epi32((int)pairs->base);
    int64_t n = pairs->n, previous = pairs->previous;
    while (end - p >= RB_WINDOW + RB_BEYOND && pairs->most - n >= 4) {
        const unsigned char *window = p, *next;
        uint64_t others = rb_others(window), both;
        rb_cut_pair a, b;
        __m128i four;
        __m128d v;
        int twice;
        for (twice = 0; twice < 2; twice++) {
            if ((next = rb_cut(window, p, &others, &a)) == NULL) break;
            if ((next = rb_cut(window, next, &others, &b)) == NULL) break;
            four = _mm_packs_epi32(rb_fours(a.digits), rb_fours(b.digits));
            four = _mm_madd_epi16(four, _mm_set1_epi32(10000 | 1 << 16));
            four = _mm_shuffle_epi32(four, 0xD8); /* two indices, two fractions */
            both = (uint64_t)_mm_cvtsi128_si64(four);
            if (RB_RARELY((int64_t)(uint32_t)both <= previous)) break;
            previous = (int64_t)(both >> 32);
            if (RB_RARELY(previous <= (int64_t)(uint32_t)both || previous > pairs->max_index)) {
                pairs->n = n;
                return p;
            }
            v = _mm_cvtepi32_pd(_mm_unpackhi_epi64(four, four));
            v = _mm_add_pd(v, _mm_set_pd(b.whole, a.whole));
            v = _mm_div_pd(v, _mm_set_pd(b.scale, a.scale));
            _mm_storel_epi64((__m128i *)(pairs->columns + n), _mm_sub_epi32(four, base));
            if (pairs->float32) {
                _mm_storel_pi((__m64 *)((float *)pairs->values + n), _mm_cvtpd_ps(v));
            } else {
                _mm_storeu_pd((double *)pairs->values + n, v);
            }
            n += 2;
            pairs->previous = previous;
            p = next;
        }
        if (p == window) break;
    }
    pairs->n = n;
    return p;
}
#endif

/* Reads pairs from p on as long as they are plain: an index that is larger than the one before, a
   colon, a digit that a blank or line feed follows, or a point, up to eight digits and one of these.
   Where the first other one begins, or the line ends; `colon` is behind its index if that was plain,
   and else NULL. */
static inline const unsigned char *rb_plain_pairs(const unsigned char *p, const unsigned char *end,
                                                  rb_pairs *pairs) {
    pairs->colon = NULL;
#ifdef RB_EIGHT_AT_ONCE
    int64_t n = pairs->n, previous = pairs->previous;
    const int64_t most = pairs->most, base = pairs->base, max_index = pairs->max_index;
    int32_t *const columns = pairs->columns;
    void *const values = pairs->values;
    const int float32 = pairs->float32;
    int pointed = pairs->pointed;
    while (end - p >= 32 && n < most) {
        const unsigned char *q;
        uint64_t index, digit, whole, fraction = 0;
        double value;
        int negative = 0, size = -1;
#ifdef RB_PAIRS_BY_TWO
        if (pointed) {
            pairs->n = n;
            pairs->previous = previous;
            p = rb_pairs_by_two(p, end, pairs);
            n = pairs->n;
            previous = pairs->previous;
            if (RB_RARELY(end - p < 32 || n == most)) break;
        }
#endif
        q = p;
        index = (uint64_t)*q - '0';
        if (index - 1 > 8) break;
        while ((digit = (uint64_t)*++q - '0') < 10) index = index * 10 + digit;
        if (*q != ':' || q - p > 10) break;
        if ((int64_t)index <= previous || (int64_t)index > max_index) break;
        pairs->colon = q;
        pairs->index = (int64_t)index;
        if (RB_RARELY(q[1] == '-')) { /* without a branch the next pair would wait for it */
            negative = 1;
            q++;
        }
        whole = (uint64_t)q[1] - '0';
        if (whole > 9) break;
        if (q[2] == '.') size = rb_fraction(q + 3, &fraction);
        q += size + 3;
        if (*q != '\n') pointed = size > 0 && *q == ' ';
        if (*q != ' ' && *q != '\n') break;
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
        pairs->colon = NULL;
        p = q;
        if (*p == '\n') break;
        p++;
    }
    pairs->n = n;
    pairs->previous = previous;
    pairs->pointed = pointed;
#else
    (void)end;
    (void)pairs;
#endif
    return p;
}

#endif
