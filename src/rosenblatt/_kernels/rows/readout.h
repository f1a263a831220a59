/* What predicts beside the last weights of a stream: means of them that lag behind. Plain C.
 *
 * A mean m_t = (1 - a_t) m_{t-1} + a_t w_t lags e = w - m behind the weights. If example t moves these
 * by d_t, then e_t = (1 - a_t) (e_{t-1} + d_t): one factor for all features, and a jump where the
 * example has values. So with e = scale * lag a number shrinks, and the table `lag` changes where d is
 * not 0:
 *
 *     lag += d_t / scale,    scale *= 1 - a_t
 *
 * a_t = max(a, 1/t) makes it the mean over all examples (a = 0) or over about the last 1/a.
 */
#ifndef ROSENBLATT_READOUT_H
#define ROSENBLATT_READOUT_H

#include <string.h>

#include "rows/rules.h"
#include "rows/weights.h"

enum {
    RB_MEANS = 3,               /* over all examples, over many, over few */
    RB_MOST_READ = RB_MEANS + 2 /* the last weights and, of a mix, the gentle ones come first */
};

/* `place` of the read-out that predicts: that with the fewest mistakes of late, or all by their shares. */
enum { RB_BY_MISTAKES = -1, RB_MIXED = -2 };

typedef struct {
    rb_weights *lags[RB_MEANS]; /* of the shape of the weights, in double */
    /* A mix keeps a second learner, whose weights the means are of; else NULL. */
    rb_weights *gentle;
    const rb_rule *gentle_rule;
    double *scales;      /* of each mean */
    double *errors;      /* mistakes of each read-out, those of long ago counting less */
    const double *rates; /* a of each mean */
    double fading;       /* by which a mistake counts less with each example */
    double sharpness;    /* of a mix: how much a mistake lowers a share */
    double smallest_scale;
    int place;
    int64_t t; /* examples followed */
} rb_readout;

/* How many there are. */
RB_INLINE int rb_n_read(const rb_readout *readout) {
    return RB_MEANS + 1 + (readout->gentle != NULL);
}

/* The one that predicts, or that counts most in a mix. */
static int rb_place(const rb_readout *readout) {
    int best = 0;
    if (readout->place >= 0) return readout->place;
    for (int i = 1; i < rb_n_read(readout); i++)
        if (readout->errors[i] < readout->errors[best]) best = i;
    return best;
}

/* The scores that predict, of those by each read-out, of k vectors one after the other. */
static void rb_serve(const rb_readout *readout, int64_t k, const double *by_each, double *out) {
    const int n = rb_n_read(readout), best = rb_place(readout);
    double shares[RB_MOST_READ];
    double sum = 0.0;
    if (readout->place != RB_MIXED) {
        memcpy(out, by_each + best * k, (size_t)k * sizeof(double));
        return;
    }
    for (int i = 0; i < n; i++)
        sum += shares[i] = rb_exponential(readout->sharpness * (readout->errors[best] - readout->errors[i]));
    for (int64_t c = 0; c < k; c++) out[c] = 0.0;
    for (int i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) out[c] += shares[i] / sum * by_each[i * k + c];
}

/* Whether a class does not have the highest score alone. */
static int rb_is_wrong(const double *scores, int64_t k, int64_t right) {
    if (k == 1) return right ? scores[0] <= 0.0 : scores[0] >= 0.0;
    for (int64_t c = 0; c < k; c++)
        if (c != right && scores[c] >= scores[right]) return 1;
    return 0;
}

/* Bring a lag to the scale of the weights again, so that its numbers stay of their size. */
static void rb_fold_lag(rb_weights *lag, double *scale) {
    for (int64_t vector = 0; vector < lag->n_vectors; vector++) {
        double *w = (double *)lag->w + vector * lag->class_stride;
        for (int64_t j = 0; j < lag->n_features; j++) w[j * lag->feature_stride] *= *scale;
        ((double *)lag->b)[vector] *= *scale;
    }
    *scale = 1.0;
}

/* After an example: the means move on, and each read-out is judged by what it said before. */
static void rb_end_example(rb_readout *readout, const int *wrong) {
    readout->t += 1;
    for (int i = 0; i < RB_MEANS && readout->t > 1; i++) {
        const double least = 1.0 / (double)readout->t;
        readout->scales[i] *= 1.0 - (readout->rates[i] > least ? readout->rates[i] : least);
        if (readout->scales[i] < readout->smallest_scale)
            rb_fold_lag(readout->lags[i], readout->scales + i);
    }
    for (int i = 0; i < rb_n_read(readout); i++) {
        readout->errors[i] *= readout->fading;
        readout->errors[i] += wrong[i];
    }
}

#endif
