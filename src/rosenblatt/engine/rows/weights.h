/* Weight vectors as the loops see them, and the one way they change. Plain C, nothing of Python. */
#ifndef ROSENBLATT_WEIGHTS_H
#define ROSENBLATT_WEIGHTS_H

#include <math.h>

#include "rows/rows.h"

/* Weights that a rule scales are w = scale * v: the table holds v, so that scaling costs one product.
 * When the scale has become small, v is multiplied by a power of two in its place: a fold. */
enum { RB_FOLD_BITS = 10 };
#define RB_FOLD_BELOW 0.0009765625 /* 2^-10 */
#define RB_SMALLEST_SCALE 1e-200

typedef struct {
    char *w; /* values and biases, float or double */
    char *b;
    double *u; /* their running sums for the average, or NULL */
    double *ub;
    char *rate; /* what their steps are multiplied by, or NULL */
    char *bias_rate;
    int rates; /* what these are */

    int64_t n_vectors;
    int64_t n_features;
    int64_t class_stride;
    int64_t feature_stride;
    int64_t itemsize;

    int64_t average_from; /* examples seen before the average began */
    double reach;         /* a bound on the absolute value of every weight */
    double limit;         /* how far that may go */
    int is_float32;
    int fit_intercept;

    /* Only of weights that are scaled; of others the scale is 1 and the rest is not looked at. */
    int is_scaled;
    double scale;
    int64_t folds; /* so far */
    /* The sum of the scales after each example since the last fold is clock + scale * (t - since). It is
     * kept so because it changes where the scale does, and not where a call ends. */
    double clock;
    int64_t since;
    double clock_from; /* the clock when the average began, and the folds by then */
    int64_t folds_from;
    int64_t updates;  /* so far */
    int64_t examples; /* that the rule was asked about: not those of weight 0 or of a single class */
    double length2;   /* |w|^2 of all vectors with their biases, for a rule with RB_LENGTH */
} rb_weights;

/* Number i of an array that has the type of the weights. */
RB_INLINE double rb_number(const rb_weights *weights, const void *values, int64_t i) {
    return weights->is_float32 ? ((const float *)values)[i] : ((const double *)values)[i];
}

/* A table as runs of weights that lie side by side: run r has the places r * stride and on. */
typedef struct {
    int64_t n;
    int64_t width;
    int64_t stride;
} rb_runs;

RB_INLINE rb_runs rb_runs_of(const rb_weights *weights) {
    const int is_by_class = weights->feature_stride == 1;
    if (is_by_class)
        return (rb_runs){weights->n_vectors, weights->n_features, weights->class_stride};
    return (rb_runs){weights->n_features, weights->n_vectors, weights->feature_stride};
}

/* The largest absolute value of all weights and biases. */
static double rb_largest_weight(const rb_weights *weights) {
    const rb_runs runs = rb_runs_of(weights);
    double largest = 0.0;
    for (int64_t r = 0; r < runs.n; r++) {
        const int64_t first = r * runs.stride;
        for (int64_t i = first; i < first + runs.width; i++) {
            const double value = fabs(rb_number(weights, weights->w, i));
            if (value > largest) largest = value;
        }
    }
    for (int64_t c = 0; c < weights->n_vectors; c++) {
        const double value = fabs(rb_number(weights, weights->b, c));
        if (value > largest) largest = value;
    }
    return largest;
}

/* |v|^2, summed vector by vector however the table lies, so that zeros which join change nothing. */
static double rb_squared_length(const rb_weights *weights) {
    double sum = 0.0;
    for (int64_t c = 0; c < weights->n_vectors; c++) {
        for (int64_t j = 0; j < weights->n_features; j++) {
            const int64_t at = c * weights->class_stride + j * weights->feature_stride;
            const double value = rb_number(weights, weights->w, at);
            sum += value * value;
        }
        const double bias = rb_number(weights, weights->b, c);
        sum += bias * bias;
    }
    return sum;
}

/* ------------------------------------------------------------------ scales and means */

/* The sum of the scales after each of the examples seen. */
RB_INLINE double rb_clock_at(const rb_weights *weights, int64_t seen) {
    return weights->clock + weights->scale * (double)(seen - weights->since);
}

/* How many examples the mean is over. */
RB_INLINE double rb_n_averaged(const rb_weights *weights, int64_t seen) {
    const int64_t n = seen - weights->average_from;
    return (double)(n > 1 ? n : 1);
}

/* How much of the table is in what predicts. The weights are scale * v, and their mean over the n examples
 * since it began is
 *
 *     (clock / n) * v - u / n
 *
 * Without scales both shares are 1. */
RB_INLINE double rb_share_of_table(const rb_weights *weights, int64_t seen) {
    if (!weights->is_scaled) return 1.0;
    if (!weights->u) return weights->scale;
    return rb_clock_at(weights, seen) / rb_n_averaged(weights, seen);
}

/* What so many folds multiply v by; beyond 200 of them that is 0 anyway. */
RB_INLINE double rb_fold_factor(int64_t times) {
    if (times == 0) return 1.0;
    return ldexp(1.0, -RB_FOLD_BITS * (int)(times < 200 ? times : 200));
}

/* Fold one number, and settle its running sum: u <- u - clock * v, v <- factor * v. */
RB_INLINE void rb_fold_number(rb_weights *weights, char *values, double *sums, int64_t i, double factor,
                              double clock) {
    const double value = rb_number(weights, values, i);
    if (sums) sums[i] -= clock * value;
    if (weights->is_float32) ((float *)values)[i] = (float)(value * factor);
    else ((double *)values)[i] = value * factor;
}

/* Multiply v by 2^-10 so many times. Running sums are settled with it: as the scale falls, both the
 * clock times v and u would grow, and their difference, which is the sum of all weights, would drown. */
static void rb_fold(rb_weights *weights, int64_t times, double clock) {
    const double factor = rb_fold_factor(times);
    const rb_runs runs = rb_runs_of(weights);
    for (int64_t r = 0; r < runs.n; r++) {
        const int64_t first = r * runs.stride;
        for (int64_t i = first; i < first + runs.width; i++)
            rb_fold_number(weights, weights->w, weights->u, i, factor, clock);
    }
    for (int64_t c = 0; c < weights->n_vectors; c++)
        rb_fold_number(weights, weights->b, weights->ub, c, factor, clock);
    weights->reach *= factor;
    weights->folds += times;
}

/* ------------------------------------------------------------------ the limit */

/* Whether every weight stays within the limit when all are multiplied by `factor` and then grow by `growth`
 * at most. No rule may return a step below 0, an infinite one or NaN: these are refused here as well. If the
 * bound is exceeded, it is measured again first. */
RB_INLINE int rb_has_room(rb_weights *weights, double factor, double growth) {
    if (!(growth >= 0.0)) return 0;
    if (weights->reach * factor + growth <= weights->limit) return 1;
    weights->reach = rb_largest_weight(weights);
    return weights->reach * factor + growth <= weights->limit;
}

/* The same without a factor, and the bound grows. */
RB_INLINE int rb_within_reach(rb_weights *weights, double growth) {
    if (!rb_has_room(weights, 1.0, growth)) return 0;
    weights->reach += growth;
    return 1;
}

/* ------------------------------------------------------------------ moves */

RB_INLINE void rb_move_bias(rb_weights *weights, int64_t vector, double step, double counted_step) {
    if (!weights->fit_intercept) return;
    if (weights->is_float32) ((float *)weights->b)[vector] += (float)step;
    else ((double *)weights->b)[vector] += step;
    if (weights->u) weights->ub[vector] += counted_step;
}

/* Move one vector along a row where each weight has a rate of its own (rates.h). */
RB_INLINE void rb_move_with_rates(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                                  int64_t vector, double step, double change, double counted) {
    const int64_t at = vector * weights->class_stride;
    const int64_t bias_at = vector * weights->itemsize;
    rb_movement movement = {.step = step,
                            .change = change,
                            .counted = counted,
                            .rates = weights->rates,
                            .w = weights->w + at * weights->itemsize,
                            .stride = weights->feature_stride,
                            .rate = weights->rate + at * weights->itemsize};
    if (weights->fit_intercept) {
        movement.b = weights->b + bias_at;
        movement.bias_rate = weights->bias_rate + bias_at;
    }
    if (weights->u) {
        movement.u = weights->u + at;
        movement.ub = weights->ub + vector;
    }
    ops->move_with_rates(rows, row, &movement);
}

/* Move one vector along a row, and its running sum by what is counted:
 *
 *     w <- w + step * x
 *     u <- u + counted * step * x
 *
 * With rates each weight moves by its own, and they fall by `change`. */
RB_INLINE void rb_move(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                       int64_t vector, double step, double change, double counted) {
    if (weights->rates) {
        rb_move_with_rates(weights, rows, ops, row, vector, step, change, counted);
        return;
    }

    const int64_t at = vector * weights->class_stride;
    const int64_t stride = weights->feature_stride;
    const double counted_step = counted * step;
    char *w = weights->w + at * weights->itemsize;
    if (weights->u) ops->add_both(rows, row, step, w, counted_step, weights->u + at, stride);
    else ops->add(rows, row, step, w, stride);
    rb_move_bias(weights, vector, step, counted_step);
}

/* `rb_move` of several vectors and the one that is raised in their place, without rates. */
RB_INLINE void rb_move_apart(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                             int64_t raised, int64_t n, const int32_t *lowered, const double *steps,
                             double counted) {
    const rb_parting parting = {.steps = steps,
                                .lowered = lowered,
                                .n = n,
                                .raised = raised,
                                .class_stride = weights->class_stride,
                                .stride = weights->feature_stride,
                                .counted = counted,
                                .w = weights->w,
                                .u = weights->u};
    ops->add_apart(rows, row, &parting);
    for (int64_t i = 0; i < n; i++) {
        rb_move_bias(weights, lowered[i], -steps[i], counted * -steps[i]);
        rb_move_bias(weights, raised, steps[i], counted * steps[i]);
    }
}

#endif
