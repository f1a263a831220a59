/* Means of weights that follow one step: `Readouts` of core/readouts.py, by the same operations in the
 * same order, for a single row of doubles. */
#ifndef ROSENBLATT_READOUTS_H
#define ROSENBLATT_READOUTS_H

#include <string.h>

#include "rows/rules.h"
#include "rows/weights.h"

enum { RB_MEANS = 3, RB_MOST_CLASSES_READ = 256, RB_MOST_MOVED = 2048 };

typedef struct {
    double *errors, *scales; /* of the last weights and of each mean; of each mean */
    const double *rates;
    double fading, smallest_scale;
    int64_t t;
    rb_weights *lags[RB_MEANS + 1]; /* behind them the gentle weights of a mix, or NULL */
    /* What is known before the step. */
    double falls[RB_MEANS];
    int wrong[RB_MEANS + 2];
    double scores[(RB_MEANS + 2) * RB_MOST_CLASSES_READ]; /* by each, one after the other */
    double before[RB_MOST_MOVED]; /* for each vector the weights of the row's columns, and the bias */
} rb_means;

static inline void rb_score_one(const rb_rows *row, const rb_ops *ops, const rb_weights *weights,
                                double *out) {
    double room[RB_MOST_CLASSES_READ];
    if (weights->n_vectors == 1)
        ops->score(row, 0, 1, weights->w, *(const double *)weights->b, out);
    else
        ops->score_classes(row, 0, 1, weights->w, weights->b, weights->n_vectors,
                           weights->feature_stride, room, out);
}

/* Scores by a mean, from those by the last weights. */
static inline void rb_score_mean(const rb_means *means, int mean, const rb_rows *row,
                                 const rb_ops *ops, const double *last, double *out) {
    rb_score_one(row, ops, means->lags[mean], out);
    for (int64_t i = 0; i < means->lags[mean]->n_vectors; i++)
        out[i] = last[i] - means->scales[mean] * out[i];
}

/* Whether a class does not have the highest score alone. */
static inline int rb_is_wrong(const double *scores, int64_t k, int64_t slot) {
    if (k == 1) return slot ? scores[0] <= 0.0 : scores[0] >= 0.0;
    for (int64_t i = 0; i < k; i++)
        if (i != slot && scores[i] >= scores[slot]) return 1;
    return 0;
}

/* The `at`-th weight that a step on the row may move, the bias of a vector behind its weights. */
static inline double *rb_moved_weight(const rb_weights *weights, const rb_rows *row, int64_t n, int64_t at) {
    const int64_t vector = at / (n + 1), j = at % (n + 1);
    if (j == n) return (double *)weights->b + vector;
    const int64_t column = row->columns ? ((const int64_t *)row->columns)[j] : j;
    return (double *)weights->w + vector * weights->class_stride + column * weights->feature_stride;
}

static inline int64_t rb_n_moved(const rb_weights *weights, const rb_rows *row) {
    return row->columns ? row->n_stored : weights->n_features;
}

/* Whose means these are. */
static inline const rb_weights *rb_averaged(const rb_means *means, const rb_weights *weights) {
    return means->lags[RB_MEANS] ? means->lags[RB_MEANS] : weights;
}

/* What has to be known before the step; 0, and nothing is changed, if that is for another to do. */
static inline int rb_expect(rb_means *means, const rb_rows *row, const rb_ops *ops,
                            const rb_weights *weights, int64_t slot) {
    const int64_t k = weights->n_vectors, n = rb_n_moved(weights, row);
    if (k > RB_MOST_CLASSES_READ || k * (n + 1) > RB_MOST_MOVED) return 0;
    double *last = means->scores;
    rb_score_one(row, ops, weights, last);
    int n_last = 0;
    means->wrong[n_last++] = rb_is_wrong(last, k, slot);
    if (rb_averaged(means, weights) != weights) {
        weights = rb_averaged(means, weights);
        last += k;
        rb_score_one(row, ops, weights, last);
        means->wrong[n_last++] = rb_is_wrong(last, k, slot);
    }
    for (int i = 0; i < RB_MEANS; i++) {
        const double least = 1.0 / (double)(means->t + 1);
        means->falls[i] = means->t ? 1.0 - (means->rates[i] > least ? means->rates[i] : least) : 1.0;
        if (means->scales[i] * means->falls[i] < means->smallest_scale) return 0;
        double *scores = last + (i + 1) * k;
        rb_score_mean(means, i, row, ops, last, scores);
        means->wrong[n_last + i] = rb_is_wrong(scores, k, slot);
    }
    for (int64_t at = 0; at < k * (n + 1); at++) means->before[at] = *rb_moved_weight(weights, row, n, at);
    return 1;
}

/* The scores that predict, of those expected: by the one at a place, below 0 by the one with the
 * fewest mistakes, of a mix by all. */
static inline void rb_serve(const rb_means *means, int64_t k, int place, double sharpness, double *out) {
    const int n = RB_MEANS + 1 + (means->lags[RB_MEANS] != NULL);
    double shares[RB_MEANS + 2], sum = 0.0;
    int best = 0;
    for (int i = 1; i < n; i++)
        if (means->errors[i] < means->errors[best]) best = i;
    if (n == RB_MEANS + 1) {
        memcpy(out, means->scores + (place < 0 ? best : place) * k, (size_t)k * sizeof(double));
        return;
    }
    for (int i = 0; i < n; i++)
        sum += shares[i] = rb_exponential(sharpness * (means->errors[best] - means->errors[i]));
    for (int64_t j = 0; j < k; j++) out[j] = 0.0;
    for (int i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) out[j] += shares[i] / sum * means->scores[i * k + j];
}

/* Behind the step: the means lag by what it moved. */
static inline void rb_follow(rb_means *means, const rb_rows *row, const rb_weights *weights) {
    const int n_errors = RB_MEANS + 1 + (means->lags[RB_MEANS] != NULL);
    weights = rb_averaged(means, weights);
    const int64_t n = rb_n_moved(weights, row), n_moved = weights->n_vectors * (n + 1);
    int any = 0;
    for (int64_t at = 0; at < n_moved; at++) {
        means->before[at] = *rb_moved_weight(weights, row, n, at) - means->before[at];
        any |= means->before[at] != 0.0;
    }
    for (int i = 0; i < RB_MEANS; i++) {
        if (any && means->t)
            for (int64_t at = 0; at < n_moved; at++)
                *rb_moved_weight(means->lags[i], row, n, at) += means->before[at] / means->scales[i];
        means->scales[i] *= means->falls[i];
    }
    for (int i = 0; i < n_errors; i++) {
        means->errors[i] *= means->fading;
        means->errors[i] += means->wrong[i];
    }
}

#endif
