/* Decimal numbers in text: [+-] digits [. digits] [e [+-] digits], read in one pass.

   The scanner keeps the first 19 significant digits as a whole number w and the power of ten q, so
   that the number is w * 10^q, exactly unless `cut` says that digits were left out. A caller must
   see to it that a byte which is no digit follows the text (the buffers end in a line feed). */
#ifndef RB_NUMBERS_H
#define RB_NUMBERS_H

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define RB_RARELY(condition) __builtin_expect(!!(condition), 0)
#else
#define RB_RARELY(condition) (condition)
#endif

typedef struct {
    uint64_t w;
    int64_t q;
    int negative;
    int cut;
} rb_decimal;

static const double rb_exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline int rb_is_digit(unsigned char c) { return (unsigned char)(c - '0') < 10; }

/* Where bytes lie as on most machines, eight digits are read at once. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define RB_EIGHT_AT_ONCE 1
enum { RB_AHEAD = 40 }; /* bytes that a look at a number may go on for */
static inline int rb_eight_digits(uint64_t v) {
    return (((v + 0x4646464646464646ULL) | (v - 0x3030303030303030ULL)) & 0x8080808080808080ULL) ==
           0;
}
static inline uint64_t rb_value_of_eight(uint64_t v) {
    v -= 0x3030303030303030ULL;
    v = v * 10 + (v >> 8); /* pairs of digits in every other byte */
    return (((v & 0x000000FF000000FFULL) * 0x000F424000000064ULL) +
            (((v >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL)) >>
           32;
}
#endif

/* Digits from p on are added to *w; where it ends. May overflow beyond 19 digits: see below. */
static inline const unsigned char *rb_digits(const unsigned char *p, const unsigned char *end,
                                             uint64_t *w) {
    uint64_t value = *w;
#ifdef RB_EIGHT_AT_ONCE
    while (end - p >= 8) {
        uint64_t eight;
        memcpy(&eight, p, 8);
        if (!rb_eight_digits(eight)) break;
        value = value * 100000000 + rb_value_of_eight(eight);
        p += 8;
    }
#endif
    while (p < end && rb_is_digit(*p)) value = value * 10 + (uint64_t)(*p++ - '0');
    *w = value;
    return p;
}

/* The slow way for more than 19 digits, of which leading zeros do not count. */
static const unsigned char *rb_many_digits(const unsigned char *p, const unsigned char *end,
                                           rb_decimal *out) {
    uint64_t w = 0;
    int64_t q = 0;
    int kept = 0, in_fraction = 0, cut = 0;
    for (; p < end; p++) {
        if (*p == '.' && !in_fraction) {
            in_fraction = 1;
        } else if (!rb_is_digit(*p)) {
            break;
        } else if (kept < 19) {
            w = w * 10 + (uint64_t)(*p - '0');
            kept += w != 0;
            q -= in_fraction;
        } else {
            cut |= *p != '0';
            q += !in_fraction;
        }
    }
    out->w = w;
    out->q = q;
    out->cut = cut;
    return p;
}

/* Reads a number at p; where it ends, or NULL if there is none. */
static inline const unsigned char *rb_scan_number(const unsigned char *p, const unsigned char *end,
                                                  rb_decimal *out) {
    const unsigned char *first, *stop;
    uint64_t w = 0;
    int64_t q = 0, n;
    out->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    first = p;
    p = rb_digits(p, end, &w);
    n = p - first;
    if (p < end && *p == '.') {
        const unsigned char *fraction = ++p;
        p = rb_digits(p, end, &w);
        q = fraction - p;
        n += p - fraction;
    }
    if (n == 0) return NULL;
    out->cut = 0;
    if (n > 19) {
        rb_many_digits(first, end, out);
        w = out->w;
        q = out->q;
    }
    if (p < end && (*p | 0x20) == 'e') {
        int negative = 0;
        int64_t power = 0;
        stop = p + 1;
        if (stop < end && (*stop == '-' || *stop == '+')) negative = *stop++ == '-';
        if (stop < end && rb_is_digit(*stop)) {
            do {
                if (power < 1000000000000LL) power = power * 10 + (*stop - '0');
                stop++;
            } while (stop < end && rb_is_digit(*stop));
            q += negative ? -power : power;
            p = stop;
        }
    }
    out->w = w;
    out->q = q;
    return p;
}

#ifdef RB_EIGHT_AT_ONCE
/* The digits that eight bytes begin with: how many, 0 to 8, and their value; no branch to guess. */
static inline int rb_leading_digits(const unsigned char *p, uint64_t *value) {
    uint64_t v, other;
    int n;
    memcpy(&v, p, 8);
    v ^= 0x3030303030303030ULL;                                        /* digits become 0 to 9 */
    other = ((v + 0x7676767676767676ULL) | v) & 0x8080808080808080ULL; /* marks what is larger */
    if (other == 0) {
        *value = rb_value_of_eight(v + 0x3030303030303030ULL);
        return 8;
    }
    n = __builtin_ctzll(other) >> 3;
    v = v << 8 << (56 - 8 * n); /* zeros in front, as n may be 0 in two steps */
    *value = rb_value_of_eight(v + 0x3030303030303030ULL);
    return n;
}
/* How many digits stand behind a point, 0 to 8, and the first eight of them with zeros for those that
   are missing: as hundred millionths they are the same number, and nothing waits for how many. */
static inline int rb_fraction(const unsigned char *p, uint64_t *value) {
    uint64_t v, other;
    memcpy(&v, p, 8);
    v ^= 0x3030303030303030ULL;
    other = ((v + 0x7676767676767676ULL) | v) & 0x8080808080808080ULL;
    if (other == 0) {
        *value = rb_value_of_eight(v + 0x3030303030303030ULL);
        return 8;
    }
    v &= ((other & (0 - other)) - 1) >> 7;
    *value = rb_value_of_eight(v + 0x3030303030303030ULL);
    return __builtin_ctzll(other) >> 3;
}
static const double rb_scales[] = {1e8, -1e8}; /* no branch for a sign, which nobody can guess */
static const uint64_t rb_whole_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
                                           100000000};
#endif

/* A number like 7, 0.25, -31.4159 or 0.30000000000000004; where it ends, or NULL if it does not look
   like that, which says nothing about it. It is still to be rounded if `rest` is not 0 afterwards. */
static inline const unsigned char *rb_short_number(const unsigned char *p,
                                                   const unsigned char *end, double *value,
                                                   rb_decimal *rest) {
#ifdef RB_EIGHT_AT_ONCE
    uint64_t w, more;
    int negative, k, n = 0, whole = 1;
    rest->w = 0;
    if (end - p < RB_AHEAD) return NULL;
    negative = *p == '-';
    p += negative;
    w = (uint64_t)*p - '0';
    if (w > 9) return NULL;
    if (p[1] == '.') { /* most numbers of most files: a digit, a point, up to seven digits */
        n = rb_fraction(p + 2, &more);
        if (n < 8 && (p[2 + n] | 0x20) != 'e') {
            *value = (double)(int64_t)(w * 100000000 + more) / rb_scales[negative];
            return p + 2 + n;
        }
        n = 0;
    }
    if (rb_is_digit(*++p)) {
        whole += rb_leading_digits(p, &more);
        w = w * rb_whole_powers[whole - 1] + more;
        p += whole - 1;
    }
    if (*p == '.') {
        n = k = rb_leading_digits(++p, &more);
        w = w * rb_whole_powers[k] + more;
        p += k;
        if (k == 8) {
            k = rb_leading_digits(p, &more);
            if (whole + 8 + k > 19) return NULL;
            w = w * rb_whole_powers[k] + more;
            n += k;
            p += k;
        }
        if (n == 16 && w < 10000000000000000ULL) { /* as written so that nothing is lost */
            k = rb_leading_digits(p, &more);
            if (k > 3) return NULL;
            w = w * rb_whole_powers[k] + more;
            n += k;
            p += k;
        }
    }
    if (rb_is_digit(*p) || (*p | 0x20) == 'e') return NULL;
    if (w > 9007199254740992ULL) {
        rest->w = w;
        rest->q = -n;
        rest->negative = negative;
        rest->cut = 0;
    } else {
        *value = (double)(int64_t)w / (negative ? -rb_exact_powers[n] : rb_exact_powers[n]);
    }
    return p;
#else
    (void)p;
    (void)end;
    (void)value;
    rest->w = 0;
    return NULL;
#endif
}

/* Small numbers are exact in one operation (Clinger 1990). */
static inline int rb_is_simple(const rb_decimal *d) {
    return d->w <= 9007199254740992ULL && d->q >= -22 && d->q <= 22 && !d->cut;
}
static inline double rb_simple_value(const rb_decimal *d) {
    double value = (double)d->w;
    value = d->q < 0 ? value / rb_exact_powers[-d->q] : value * rb_exact_powers[d->q];
    return d->negative ? -value : value;
}

static inline void rb_multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    *high = (uint64_t)(product >> 64);
    *low = (uint64_t)product;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    *high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
    *low = (middle << 32) | (uint32_t)p00;
#endif
}

static inline int rb_leading_zeros(uint64_t v) {
#if defined(__GNUC__)
    return __builtin_clzll(v);
#else
    int n = 0;
    while (!(v >> 63)) {
        v <<= 1;
        n++;
    }
    return n;
#endif
}

#endif
