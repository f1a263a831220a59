/* A 64-bit hash of bytes, and a way to mix two of them; the same on every machine. The constants and
 * steps of the mixing are those of splitmix64 (Steele, Lea and Flood 2014). */
#ifndef ROSENBLATT_HASH64_H
#define ROSENBLATT_HASH64_H

#include <stdint.h>
#include <string.h>

static inline uint64_t rb_scramble(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Not symmetric: what comes first counts differently from what comes second. */
static inline uint64_t rb_mix(uint64_t a, uint64_t b) {
    return rb_scramble(a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019));
}

static inline uint64_t rb_hash_bytes(const char *bytes, int64_t n) {
    uint64_t h = rb_mix(0, (uint64_t)n);
    while (n > 0) {
        /* Little end first on every machine. */
        uint64_t word = 0;
        const int64_t take = n < 8 ? n : 8;
        for (int64_t i = 0; i < take; i++) word |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
        h = rb_mix(h, word);
        bytes += take;
        n -= take;
    }
    return h;
}

#endif
