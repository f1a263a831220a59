/* What templates ask of a word that is all ASCII; others are left to Python. */
#ifndef ROSENBLATT_ASKED_H
#define ROSENBLATT_ASKED_H

#include <stdint.h>
#include <string.h>

enum rb_question {
    RB_LOWER, RB_SHAPE, RB_SHORT_SHAPE, RB_IS_TITLE, RB_IS_UPPER, RB_HAS_DIGIT, RB_HAS_HYPHEN,
    RB_HAS_UPPER, RB_SUFFIX, RB_PREFIX
};

enum { RB_LONGEST_RUN = 4, RB_LONGEST_FLAG = 5 };

static inline int rb_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline int rb_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline int rb_is_digit(char c) { return c >= '0' && c <= '9'; }

static inline char rb_mark(char c) {
    return rb_is_upper(c) ? 'X' : rb_is_lower(c) ? 'x' : rb_is_digit(c) ? 'd' : c;
}

/* Capitals only behind what is no letter, small letters only behind letters, and one of them. */
static inline int rb_is_title(const char *word, int64_t n) {
    int inside = 0, any = 0;
    for (int64_t i = 0; i < n; i++) {
        const int upper = rb_is_upper(word[i]), lower = rb_is_lower(word[i]);
        if ((upper && inside) || (lower && !inside)) return 0;
        inside = upper || lower;
        any |= inside;
    }
    return any;
}

static inline int rb_any(const char *word, int64_t n, int (*is)(char)) {
    for (int64_t i = 0; i < n; i++)
        if (is(word[i])) return 1;
    return 0;
}

/* Marks in place of characters; of a run of equal ones, so many are kept. */
static inline int64_t rb_marks(const char *word, int64_t n, int64_t kept_of_run, char *out) {
    int64_t length = 0, run = 0;
    for (int64_t i = 0; i < n; i++) {
        const char mark = rb_mark(word[i]);
        run = i && mark == rb_mark(word[i - 1]) ? run + 1 : 1;
        if (run <= kept_of_run) out[length++] = mark;
    }
    return length;
}

static inline int64_t rb_flag(int holds, char *out) {
    memcpy(out, holds ? "True" : "False", RB_LONGEST_FLAG);
    return holds ? 4 : 5;
}

/* The answer, which has room in `out` for the word and for RB_LONGEST_FLAG; its length. */
static inline int64_t rb_answer(int question, int64_t size, const char *word, int64_t n, char *out) {
    switch (question) {
    case RB_LOWER:
        for (int64_t i = 0; i < n; i++) out[i] = rb_is_upper(word[i]) ? word[i] + 32 : word[i];
        return n;
    case RB_SHAPE: return rb_marks(word, n, RB_LONGEST_RUN, out);
    case RB_SHORT_SHAPE: return rb_marks(word, n, 1, out);
    case RB_IS_TITLE: return rb_flag(rb_is_title(word, n), out);
    case RB_IS_UPPER:
        return rb_flag(rb_any(word, n, rb_is_upper) && !rb_any(word, n, rb_is_lower), out);
    case RB_HAS_DIGIT: return rb_flag(rb_any(word, n, rb_is_digit), out);
    case RB_HAS_HYPHEN: return rb_flag(memchr(word, '-', (size_t)n) != NULL, out);
    case RB_HAS_UPPER: return rb_flag(rb_any(word, n, rb_is_upper), out);
    default:
        if (size > n) size = n;
        memcpy(out, question == RB_SUFFIX ? word + n - size : word, (size_t)size);
        return size;
    }
}

#endif
