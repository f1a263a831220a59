/* The CRC-32 of zlib and gzip, in 64 bytes at a time.
 *
 * A CRC is the remainder of the message, read as a polynomial over bits, after division by another. So
 * bytes may be taken out and added where they weigh the same: x is multiplied by what 512 (or 128) bits
 * weigh, which two products without carries do, and added to the bytes that stand so much further
 * (Gopal and others, "Fast CRC computation for generic polynomials using PCLMULQDQ", Intel 2009).
 */
#ifndef RB_CRC32_H
#define RB_CRC32_H

#include <stdint.h>
#include <string.h>

/* Not with clang: zig cannot link what tells processors apart into a shared library. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#define RB_CARRYLESS __attribute__((target("pclmul")))

static inline RB_CARRYLESS __m128i rb_moved(__m128i x, __m128i weights, const unsigned char *to) {
    __m128i low = _mm_clmulepi64_si128(x, weights, 0x00), high = _mm_clmulepi64_si128(x, weights, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128((const __m128i *)to));
}

/* Fold bytes into 16 of the same remainder; how many were, the rest being fewer than 16. */
static RB_CARRYLESS int64_t rb_fold(uint32_t state, const unsigned char *data, int64_t n,
                                    unsigned char *folded) {
    /* x^(512 + 32), x^(512 - 32), x^(128 + 32), x^(128 - 32) modulo the polynomial, bits reversed */
    const __m128i far = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i near = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    unsigned char rest[64];
    __m128i x[4];
    int64_t at = 64;
    if (n < 64 || !__builtin_cpu_supports("pclmul")) return 0;
    for (int i = 0; i < 4; i++) x[i] = _mm_loadu_si128((const __m128i *)(data + 16 * i));
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)state));
    for (; at + 64 <= n; at += 64)
        for (int i = 0; i < 4; i++) x[i] = rb_moved(x[i], far, data + at + 16 * i);
    memcpy(rest, x, sizeof rest);
    for (int i = 1; i < 4; i++) x[0] = rb_moved(x[0], near, rest + 16 * i);
    for (; at + 16 <= n; at += 16) x[0] = rb_moved(x[0], near, data + at);
    memcpy(folded, x, 16);
    return at;
}
#else
static inline int64_t rb_fold(uint32_t state, const unsigned char *data, int64_t n,
                              unsigned char *folded) {
    (void)state, (void)data, (void)n, (void)folded;
    return 0;
}
#endif
#endif
