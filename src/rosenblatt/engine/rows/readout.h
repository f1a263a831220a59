/* What predicts: the last weights, their mean, decayed means, or a mix of these. Plain C.
 *
 * The mean over all examples follows from a running sum (mean.h), which every step adds to. The others
 * are for streams (`readout=`) and follow after each example. Such a mean m_t = (1 - a_t) m_{t-1} + a_t w_t
 * lags e = w - m behind the weights. If example t moves these by d_t, then e_t = (1 - a_t) (e_{t-1} + d_t):
 * one factor for all features, and a jump where the example has values. So with e = scale * lag a number
 * shrinks, and the table `lag` changes only where d is not 0:
 *
 *     lag += d_t / scale,    scale *= 1 - a_t
 *
 * a_t = max(a, 1/t) makes it the mean over all examples (a = 0) or over about the last 1/a.
 */
#ifndef ROSENBLATT_READOUT_H
#define ROSENBLATT_READOUT_H

#include <string.h>

#include "mean.h"
#include "rows/rules.h"
#include "rows/weights.h"

enum {
    RB_MEANS = 3,               /* over all examples, over many, over few */
    RB_MOST_READ = RB_MEANS + 2 /* the last weights and, of a mix, the gentle ones come first */
};

/* `place` of the read-out that predicts: the one with the fewest recent mistakes, or all by their shares. */
enum { RB_BY_MISTAKES = -1, RB_MIXED = -2 };

typedef struct {
    /* How far each mean lags behind: planes of the weights, in double, in units of `scales`. */
    double *lags[RB_MEANS];
    double *bias_lags[RB_MEANS];

    /* A mix keeps a second learner, whose weights the means are of. Its table is a plane as well. */
    int has_gentle;
    rb_weights gentle;
    const rb_rule *gentle_rule;

    double *scales;      /* of each mean */
    double *errors;      /* mistakes of each read-out, older ones counting less */
    const double *rates; /* a of each mean */
    double fading;       /* the factor by which a mistake counts less with each example */
    double sharpness;    /* of a mix: how much a mistake lowers a share */
    double smallest_scale;
    int place;
    int64_t t; /* examples followed */
} rb_readout;

/* The number of read-outs. */
RB_INLINE int rb_n_read(const rb_readout *readout) {
    return RB_MEANS + 1 + readout->has_gentle;
}

/* The one that predicts, or that counts most in a mix. */
static int rb_place(const rb_readout *readout) {
    if (readout->place >= 0) return readout->place;
    int best = 0;
    for (int i = 1; i < rb_n_read(readout); i++)
        if (readout->errors[i] < readout->errors[best]) best = i;
    return best;
}

/* How much each read-out counts in a mix: share_i = exp(-sharpness * errors_i) / sum. The fewest errors are
 * subtracted first, so that no exponential overflows. */
static void rb_shares(const rb_readout *readout, double *shares) {
    const int n = rb_n_read(readout);
    const int best = rb_place(readout);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double behind = readout->errors[best] - readout->errors[i];
        shares[i] = rb_exponential(readout->sharpness * behind);
        sum += shares[i];
    }
    for (int i = 0; i < n; i++) shares[i] /= sum;
}

/* ------------------------------------------------------------------ scores of one row */

/* The scores of a row by w and b, which lie as `weights` do and have their type. */
RB_INLINE void rb_score_by(const rb_rows *rows, const rb_ops *ops, int64_t row,
                           const rb_weights *weights, const void *w, const void *b, void *room,
                           double *out) {
    const int64_t k = weights->n_vectors;
    if (k == 1) ops->score(rows, row, 1, w, rb_number(weights, b, 0), out);
    else ops->score_classes(rows, row, 1, w, b, k, weights->feature_stride, room, out);
}

/* The scores by the mean of the weights after each example so far, from those by the last weights. */
static void rb_score_mean(const rb_rows *rows, const rb_ops *ops, int64_t row,
                          const rb_weights *weights, int64_t seen, const double *last, void *room,
                          double *out) {
    const double share = rb_share_of_table(weights, seen);
    const double n = rb_n_averaged(weights, seen);
    rb_score_by(rows, ops, row, weights, weights->u, weights->ub, room, out);
    for (int64_t c = 0; c < weights->n_vectors; c++) out[c] = rb_mean(last[c], out[c], share, n);
}

/* The scores by every read-out, one after the other; those by the last weights are there already. */
static void rb_score_each(const rb_rows *rows, const rb_ops *ops, int64_t row,
                          const rb_weights *weights, const rb_readout *readout, void *room,
                          double *by_each) {
    const int64_t k = weights->n_vectors;
    double *newest = by_each;
    if (readout->has_gentle) {
        const rb_weights *gentle = &readout->gentle;
        newest += k;
        rb_score_by(rows, ops, row, gentle, gentle->w, gentle->b, room, newest);
    }
    for (int i = 0; i < RB_MEANS; i++) {
        double *out = newest + (i + 1) * k;
        rb_score_by(rows, ops, row, weights, readout->lags[i], readout->bias_lags[i], room, out);
        for (int64_t c = 0; c < k; c++) out[c] = newest[c] - readout->scales[i] * out[c];
    }
}

/* The scores that predict, of those by every read-out. */
static void rb_choose_scores(const rb_readout *readout, int64_t k, const double *by_each, double *out) {
    double shares[RB_MOST_READ];
    if (readout->place != RB_MIXED) {
        memcpy(out, by_each + rb_place(readout) * k, (size_t)k * sizeof(double));
        return;
    }

    rb_shares(readout, shares);
    for (int64_t c = 0; c < k; c++) out[c] = 0.0;
    for (int i = 0; i < rb_n_read(readout); i++)
        for (int64_t c = 0; c < k; c++) out[c] += shares[i] * by_each[i * k + c];
}

/* The scores by one read-out, from those by the last weights. */
static void rb_score_place(const rb_rows *rows, const rb_ops *ops, int64_t row,
                           const rb_weights *weights, const rb_readout *readout, int place,
                           const double *last, void *room, double *newest, double *out) {
    const int64_t k = weights->n_vectors;
    const int mean = place - 1 - readout->has_gentle;

    if (readout->has_gentle && place > 0) {
        const rb_weights *gentle = &readout->gentle;
        rb_score_by(rows, ops, row, gentle, gentle->w, gentle->b, room, newest);
    } else {
        memcpy(newest, last, (size_t)k * sizeof(double));
    }
    if (mean < 0) {
        memcpy(out, newest, (size_t)k * sizeof(double));
        return;
    }

    /* mean = newest - scale * lag, so that the scores are those by the newest minus those by the lag. */
    rb_score_by(rows, ops, row, weights, readout->lags[mean], readout->bias_lags[mean], room, out);
    for (int64_t c = 0; c < k; c++) out[c] = newest[c] - readout->scales[mean] * out[c];
}

/* The scores that predict, after `seen` examples; weights that are averaged are in double. `by_each` is
 * a buffer of RB_MOST_READ scores a vector. `readout` may be NULL. */
static void rb_score_served(const rb_rows *rows, const rb_ops *ops, int64_t row,
                            const rb_weights *weights, const rb_readout *readout, int64_t seen,
                            void *room, double *by_each, double *out) {
    const int64_t k = weights->n_vectors;
    rb_score_by(rows, ops, row, weights, weights->w, weights->b, room, by_each);

    if (readout && readout->place == RB_MIXED) {
        rb_score_each(rows, ops, row, weights, readout, room, by_each);
        rb_choose_scores(readout, k, by_each, out);
    } else if (readout) {
        rb_score_place(rows, ops, row, weights, readout, rb_place(readout), by_each, room,
                       by_each + k, out);
    } else if (weights->u) {
        rb_score_mean(rows, ops, row, weights, seen, by_each, room, out);
    } else {
        const double share = rb_share_of_table(weights, seen);
        for (int64_t c = 0; c < k; c++) out[c] = by_each[c] * share;
    }
}

/* ------------------------------------------------------------------ weights that predict */

/* What predicts as numbers that are the same for every weight. */
typedef struct {
    double share;             /* of the mean: what the table counts for, */
    double n;                 /* and the examples it is over */
    double of_last;           /* of read-outs: what the weights of each learner count for, */
    double of_gentle;
    double of_lags[RB_MEANS]; /* and what each lag is subtracted with */
} rb_serving;

static rb_serving rb_serving_of(const rb_weights *weights, const rb_readout *readout, int64_t seen) {
    rb_serving serving = {.share = rb_share_of_table(weights, seen),
                          .n = rb_n_averaged(weights, seen)};
    if (!readout) return serving;

    const int place = rb_place(readout);
    const int first_mean = 1 + readout->has_gentle;
    if (readout->place == RB_MIXED) {
        double shares[RB_MOST_READ];
        rb_shares(readout, shares);
        serving.of_last = shares[0];
        for (int i = 1; i < rb_n_read(readout); i++) serving.of_gentle += shares[i];
        for (int i = 0; i < RB_MEANS; i++)
            serving.of_lags[i] = shares[first_mean + i] * readout->scales[i];
        return serving;
    }

    /* One read-out predicts: the last weights, the gentle ones, or a mean of the newer of both. */
    const int is_gentle = readout->has_gentle && place > 0;
    serving.of_last = !is_gentle;
    serving.of_gentle = is_gentle;
    if (place >= first_mean) serving.of_lags[place - first_mean] = readout->scales[place - first_mean];
    return serving;
}

/* One number of what predicts, from the planes at place i; `lags` and `gentle` are of read-outs. */
RB_INLINE double rb_served_number(const rb_weights *weights, const rb_serving *serving,
                                  const void *w, const double *running_sum, double *const *lags,
                                  const double *gentle, int64_t i) {
    const double last = rb_number(weights, w, i);
    if (!lags) return rb_mean(last, running_sum[i], serving->share, serving->n);

    double value = serving->of_last * last;
    if (gentle) value += serving->of_gentle * gentle[i];
    for (int mean = 0; mean < RB_MEANS; mean++)
        if (serving->of_lags[mean] != 0.0) value -= serving->of_lags[mean] * lags[mean][i];
    return value;
}

/* The weights that predict, vector by vector, into `coef`, and the biases; of weights with running sums
 * or with a read-out. */
static void rb_serve(const rb_weights *weights, const rb_readout *readout, int64_t seen, double *coef,
                     double *bias) {
    const rb_serving serving = rb_serving_of(weights, readout, seen);
    double *const *lags = readout ? readout->lags : NULL;
    double *const *bias_lags = readout ? readout->bias_lags : NULL;
    const int has_gentle = readout && readout->has_gentle;
    const double *gentle = has_gentle ? (const double *)readout->gentle.w : NULL;
    const double *gentle_bias = has_gentle ? (const double *)readout->gentle.b : NULL;
    for (int64_t c = 0; c < weights->n_vectors; c++) {
        int64_t i = c * weights->class_stride;
        for (int64_t j = 0; j < weights->n_features; j++, i += weights->feature_stride)
            *coef++ = rb_served_number(weights, &serving, weights->w, weights->u, lags, gentle, i);
        bias[c] = rb_served_number(weights, &serving, weights->b, weights->ub, bias_lags,
                                   gentle_bias, c);
    }
}

/* ------------------------------------------------------------------ following */

/* Bring a lag to the scale of the weights again, so that its numbers stay of their size:
 * lag <- scale * lag, scale <- 1. */
static void rb_fold_lag(const rb_weights *weights, double *lag, double *bias_lag, double *scale) {
    for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
        double *of_vector = lag + vector * weights->class_stride;
        for (int64_t j = 0; j < weights->n_features; j++)
            of_vector[j * weights->feature_stride] *= *scale;
        bias_lag[vector] *= *scale;
    }
    *scale = 1.0;
}

/* After an example: the means move on, and each read-out is judged by what it predicted before. */
static void rb_end_example(rb_readout *readout, const rb_weights *weights, const int *wrong) {
    readout->t += 1;
    for (int i = 0; i < RB_MEANS && readout->t > 1; i++) {
        /* scale <- scale * (1 - a_t) with a_t = max(a, 1/t) */
        const double least = 1.0 / (double)readout->t;
        const double rate = readout->rates[i] > least ? readout->rates[i] : least;
        readout->scales[i] *= 1.0 - rate;
        if (readout->scales[i] < readout->smallest_scale)
            rb_fold_lag(weights, readout->lags[i], readout->bias_lags[i], readout->scales + i);
    }
    for (int i = 0; i < rb_n_read(readout); i++) {
        readout->errors[i] *= readout->fading;
        readout->errors[i] += wrong[i];
    }
}

#endif
