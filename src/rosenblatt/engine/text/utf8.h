/* Is it UTF-8, and how to write it? Shortest forms only, no surrogates, none beyond U+10FFFF (RFC 3629). */
#ifndef RB_UTF8_H
#define RB_UTF8_H

#include <stdint.h>
#include <string.h>

static inline int rb_continues(unsigned char c) { return (c & 0xC0) == 0x80; }

/* The place of the first byte from `at` on that is not part of valid text, or -1. */
static int64_t rb_bad_utf8(const unsigned char *text, int64_t at, int64_t end) {
    while (at < end) {
        unsigned char c = text[at];
        int64_t left = end - at;
        if (c < 0x80) {
            uint64_t eight;
            at++;
            while (end - at >= 8) {
                memcpy(&eight, text + at, 8);
                if (eight & 0x8080808080808080ULL) break;
                at += 8;
            }
        } else if (c >= 0xC2 && c <= 0xDF) {
            if (left < 2 || !rb_continues(text[at + 1])) return at;
            at += 2;
        } else if (c >= 0xE0 && c <= 0xEF) {
            unsigned char low = c == 0xE0 ? 0xA0 : 0x80, high = c == 0xED ? 0x9F : 0xBF;
            if (left < 3 || text[at + 1] < low || text[at + 1] > high || !rb_continues(text[at + 2]))
                return at;
            at += 3;
        } else if (c >= 0xF0 && c <= 0xF4) {
            unsigned char low = c == 0xF0 ? 0x90 : 0x80, high = c == 0xF4 ? 0x8F : 0xBF;
            if (left < 4 || text[at + 1] < low || text[at + 1] > high ||
                !rb_continues(text[at + 2]) || !rb_continues(text[at + 3]))
                return at;
            at += 4;
        } else {
            return at;
        }
    }
    return -1;
}

/* The same, where a NUL byte is not text either. */
static int64_t rb_bad_text(const unsigned char *text, int64_t at, int64_t end) {
    const unsigned char *nul = end > at ? memchr(text + at, 0, (size_t)(end - at)) : NULL;
    int64_t stop = nul ? nul - text : end, bad = rb_bad_utf8(text, at, stop);
    return bad >= 0 ? bad : nul ? stop : -1;
}

/* Write a character; how many bytes it takes. */
static inline int64_t rb_put_utf8(unsigned char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    int64_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;
    out[0] = (unsigned char)((0xF00 >> n & 0xFF) | c >> 6 * (n - 1));
    for (i = 1; i < n; i++) out[i] = (unsigned char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3F));
    return n;
}

#endif
