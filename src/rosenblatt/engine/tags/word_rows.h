/* The rows of weights of all features of a sentence.
 *
 * A word is met again and again, so what is known of it lies together: the rows of the features that
 * it decides alone, and the hashes that go into features of several words. The places before and
 * behind a sentence are words of their own, which stand behind the known ones. */
#ifndef ROSENBLATT_WORD_ROWS_H
#define ROSENBLATT_WORD_ROWS_H

#include <stdint.h>

#include "rows/rows.h"
#include "text/hash64.h"

enum {
    RB_FURTHEST = 8,                  /* tokens from the one that a feature is of */
    RB_OUTSIDE = 2 * RB_FURTHEST + 2, /* hashes of places outside */
    RB_NOT_YET = -2                   /* the rows of a word have not been looked up */
};

/* Who reads a number so sees all that was written before it by RB_WRITE_LAST in another thread. */
#if defined(__GNUC__)
#define RB_READ_FIRST(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define RB_WRITE_LAST(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)
#else
#define RB_READ_FIRST(at) (*(const volatile int32_t *)(at))
#define RB_WRITE_LAST(at, value) (*(volatile int32_t *)(at) = (value))
#endif

/* Where a feature stands in a table of hashes, or the free slot, which holds 0, for it. */
static inline uint64_t rb_slot(const uint64_t *slots, uint64_t mask, uint64_t key) {
    uint64_t at = key & mask;
    while (slots[at] && slots[at] != key) at = (at + 1) & mask;
    return at;
}

typedef struct {
    int64_t n_known, n_alone, n_joint, n_asks;
    int32_t *alone;        /* of each known word, then of the places outside: n_alone rows */
    const uint64_t *joint; /* the same: n_joint hashes */
    int32_t *new_alone;    /* of each word that is not known: n_alone rows */
    uint64_t *new_asked;   /* the same: the hashes of all n_asks that are asked, the joint ones first */
} rb_column;

typedef struct {
    int64_t column, offset, ask; /* its ask by the order of those of the column */
    const uint64_t *known;       /* hashes of what it asks of the known words */
} rb_part;

typedef struct {
    uint64_t seed;
    int64_t first, last; /* parts */
    int64_t alone;       /* its place among those that a word decides alone, or -1 */
} rb_template;

typedef struct {
    const rb_part *parts;
    const rb_template *templates;
    int64_t n_columns, n_templates, n_joined; /* templates of several parts */
    const uint64_t *slots;                    /* hashes of the features, their numbers … */
    const int32_t *numbers;
    uint64_t mask;
    const int32_t *row_of; /* … and the rows of these, negative for those that have none */
    int64_t n_features, width;
    const float *w;
} rb_features;

/* Room for one sentence. */
typedef struct {
    const int32_t **alone; /* for each column and place what is known of the word there */
    const uint64_t **joint;
    uint64_t *keys;     /* hashes of features of several words */
    const float **rows; /* n_templates for each token, of which `counts` are there */
    int64_t *counts;
} rb_found;

static inline int64_t rb_row_of_feature(const rb_features *f, uint64_t key) {
    key += key == 0;
    const uint64_t at = rb_slot(f->slots, f->mask, key);
    if (!f->slots[at] || f->numbers[at] >= f->n_features) return -1;
    return f->row_of[f->numbers[at]];
}

static inline void rb_ask_ahead(const rb_features *f, uint64_t key) {
    RB_PREFETCH(f->slots + (key & f->mask));
    RB_PREFETCH(f->numbers + (key & f->mask));
}

/* The rows of what a word decides alone: a known word, one of which everything was asked, or a place
 * outside. The first is written last: it tells other threads that all are there. */
static void rb_look_up(const rb_features *f, int64_t c, int32_t *out, int64_t word,
                       const uint64_t *asked, uint64_t outside) {
    for (int ahead = 1; ahead >= 0; ahead--)
        for (int64_t k = f->n_templates - 1; k >= 0; k--) {
            const rb_template *own = f->templates + k;
            const rb_part *part = f->parts + own->first;
            if (own->alone < 0 || part->column != c) continue;
            const uint64_t hash = word >= 0 ? part->known[word] : asked ? asked[part->ask] : outside;
            const uint64_t key = rb_mix(own->seed, hash);
            if (ahead)
                rb_ask_ahead(f, key);
            else
                RB_WRITE_LAST(out + own->alone, (int32_t)rb_row_of_feature(f, key));
        }
}

/* Where what is known of each word of a sentence lies, and of the places around it. */
static inline void rb_know_words(const rb_features *f, const rb_column *column, int64_t c,
                                 const int32_t *words, int64_t length, const int32_t **alone,
                                 const uint64_t **joint) {
    const int64_t n_alone = column->n_alone, n_joint = column->n_joint;
    for (int64_t i = 0; i < RB_FURTHEST; i++) {
        const int64_t before = column->n_known + i, behind = before + RB_FURTHEST + 1;
        alone[i] = column->alone + before * n_alone;
        joint[i] = column->joint + before * n_joint;
        alone[RB_FURTHEST + length + i] = column->alone + behind * n_alone;
        joint[RB_FURTHEST + length + i] = column->joint + behind * n_joint;
    }
    alone += RB_FURTHEST, joint += RB_FURTHEST;
    for (int64_t i = 0; i < length; i++) {
        const int64_t word = words[i * f->n_columns + c];
        if (word < column->n_known) RB_PREFETCH(column->alone + word * n_alone);
    }
    for (int64_t i = 0; i < length; i++) {
        const int64_t word = words[i * f->n_columns + c], fresh = word - column->n_known;
        int32_t *own = fresh < 0 ? column->alone + word * n_alone : column->new_alone + fresh * n_alone;
        const uint64_t *asked = column->new_asked + fresh * column->n_asks;
        if (n_alone && RB_READ_FIRST(own) == RB_NOT_YET)
            rb_look_up(f, c, own, fresh < 0 ? word : -1, asked, 0);
        alone[i] = own;
        joint[i] = fresh < 0 ? column->joint + word * n_joint : asked;
    }
}

/* Find the rows of all features of a sentence, and have them read ahead. */
static inline void rb_find_rows(const rb_features *f, const rb_column *columns, const int32_t *words,
                                int64_t length, rb_found *found) {
    const int64_t around = length + 2 * RB_FURTHEST;
    uint64_t *keys = found->keys;
    const float **rows = found->rows;
    for (int64_t c = 0; c < f->n_columns; c++)
        rb_know_words(f, columns + c, c, words, length, found->alone + c * around,
                      found->joint + c * around);
    for (int64_t i = 0; f->n_joined && i < length; i++)
        for (int64_t k = 0; k < f->n_templates; k++) {
            const rb_template *own = f->templates + k;
            if (own->alone >= 0) continue;
            uint64_t key = own->seed;
            for (int64_t p = own->first; p < own->last; p++) {
                const rb_part *part = f->parts + p;
                const int64_t place = part->column * around + RB_FURTHEST + i + part->offset;
                key = rb_mix(key, found->joint[place][part->ask]);
            }
            rb_ask_ahead(f, key);
            *keys++ = key;
        }
    keys = found->keys;
    for (int64_t i = 0; i < length; i++, rows += f->n_templates) {
        int64_t n = 0;
        for (int64_t k = 0; k < f->n_templates; k++) {
            const rb_template *own = f->templates + k;
            const rb_part *part = f->parts + own->first;
            const int64_t place = part->column * around + RB_FURTHEST + i + part->offset;
            const int64_t row =
                own->alone < 0 ? rb_row_of_feature(f, *keys++) : found->alone[place][own->alone];
            if (row < 0) continue;
            rows[n] = f->w + row * f->width;
            RB_PREFETCH(rows[n]);
            RB_PREFETCH(rows[n] + f->width - 1);
            n++;
        }
        found->counts[i] = n;
    }
}

#endif
