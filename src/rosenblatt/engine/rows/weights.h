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
    char *w, *b;    /* values and biases, float or double */
    double *u, *ub; /* their running sums for the average, or NULL */
    char *rate, *bias_rate; /* what their steps are multiplied by, or NULL */
    int rates;              /* what these are */
    int64_t n_vectors, n_features;
    int64_t class_stride, feature_stride, itemsize;
    int64_t average_from; /* examples seen before the average began */
    double reach; /* a bound on the absolute value of every weight */
    double limit; /* how far that may go */
    int is_float32, fit_intercept;
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

static double rb_largest_weight(const rb_weights *weights) {
    double largest = 0.0, value;
    int by_class = weights->feature_stride == 1;
    int64_t n = by_class ? weights->n_vectors : weights->n_features;
    int64_t width = by_class ? weights->n_features : weights->n_vectors;
    int64_t stride = by_class ? weights->class_stride : weights->feature_stride;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i * stride; j < i * stride + width; j++)
            if ((value = fabs(rb_number(weights, weights->w, j))) > largest) largest = value;
    for (int64_t i = 0; i < weights->n_vectors; i++)
        if ((value = fabs(rb_number(weights, weights->b, i))) > largest) largest = value;
    return largest;
}

/* For each run of weights that lie side by side: the place of the first, and how many there are. */
#define RB_EACH_RUN(weights, first, width)                                                 \
    for (int64_t by_class_ = (weights)->feature_stride == 1, i_ = 0,                       \
                 n_ = by_class_ ? (weights)->n_vectors : (weights)->n_features,            \
                 width = by_class_ ? (weights)->n_features : (weights)->n_vectors,         \
                 stride_ = by_class_ ? (weights)->class_stride : (weights)->feature_stride, \
                 first = 0;                                                                \
         i_ < n_; i_++, first += stride_)

/* The sum of the scales after each of the examples seen. */
RB_INLINE double rb_clock_at(const rb_weights *weights, int64_t seen) {
    return weights->clock + weights->scale * (double)(seen - weights->since);
}

/* How many examples the mean is over. */
RB_INLINE double rb_n_averaged(const rb_weights *weights, int64_t seen) {
    const int64_t n = seen - weights->average_from;
    return (double)(n > 1 ? n : 1);
}

/* How much of the table is in what predicts: the weights are scale * v, and their mean over the examples
 * since it began is (clock / n) * v - u / n. Without scales both are 1. */
RB_INLINE double rb_share_of_table(const rb_weights *weights, int64_t seen) {
    if (!weights->is_scaled) return 1.0;
    if (!weights->u) return weights->scale;
    return rb_clock_at(weights, seen) / rb_n_averaged(weights, seen);
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

RB_INLINE void rb_fold_number(rb_weights *weights, char *values, double *sums, int64_t i, double factor,
                              double clock) {
    const double value = rb_number(weights, values, i);
    if (sums) sums[i] -= clock * value;
    if (weights->is_float32) ((float *)values)[i] = (float)(value * factor);
    else ((double *)values)[i] = value * factor;
}

RB_INLINE double rb_fold_factor(int64_t times) {
    return times ? ldexp(1.0, -RB_FOLD_BITS * (int)(times < 200 ? times : 200)) : 1.0;
}

/* Multiply v by 2^-10 so many times. Running sums are settled with it: as the scale falls, both the
 * clock times v and u would grow, and their difference, which is the sum of all weights, would drown. */
static void rb_fold(rb_weights *weights, int64_t times, double clock) {
    const double factor = rb_fold_factor(times);
    RB_EACH_RUN(weights, first, width)
        for (int64_t i = first; i < first + width; i++)
            rb_fold_number(weights, weights->w, weights->u, i, factor, clock);
    for (int64_t i = 0; i < weights->n_vectors; i++)
        rb_fold_number(weights, weights->b, weights->ub, i, factor, clock);
    weights->reach *= factor;
    weights->folds += times;
}

/* Whether every weight stays within the limit when it grows by `growth` at most. Where the bound
 * says no, it is drawn tight first. */
RB_INLINE int rb_within_reach(rb_weights *weights, double growth) {
    if (!(weights->reach + growth <= weights->limit)) {
        weights->reach = rb_largest_weight(weights);
        if (!(weights->reach + growth <= weights->limit)) return 0;
    }
    weights->reach += growth;
    return 1;
}

RB_INLINE void rb_move_bias(rb_weights *weights, int64_t vector, double step, double counted) {
    if (!weights->fit_intercept) return;
    if (weights->is_float32) ((float *)weights->b)[vector] += (float)step;
    else ((double *)weights->b)[vector] += step;
    if (weights->u) weights->ub[vector] += counted;
}

/* Add `step` times a row to one vector, and to its running sum weighted by what is counted. With rates
 * each weight moves by its own, and they fall by `change`. */
RB_INLINE void rb_move_counted(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                               int64_t vector, double step, double change, double counted) {
    int64_t at = vector * weights->class_stride, stride = weights->feature_stride;
    char *w = weights->w + at * weights->itemsize;
    if (weights->rates) {
        int64_t own = vector * weights->itemsize;
        rb_movement movement = {.step = step, .change = change, .counted = counted,
                                .rates = weights->rates, .w = w, .stride = stride,
                                .rate = weights->rate + at * weights->itemsize};
        if (weights->fit_intercept) {
            movement.b = weights->b + own;
            movement.bias_rate = weights->bias_rate + own;
        }
        if (weights->u) movement.u = weights->u + at, movement.ub = weights->ub + vector;
        ops->move_with_rates(rows, row, &movement);
        return;
    }
    counted *= step;
    if (weights->u) ops->add_both(rows, row, step, w, counted, weights->u + at, stride);
    else ops->add(rows, row, step, w, stride);
    rb_move_bias(weights, vector, step, counted);
}

/* The same, counted by the examples seen before. */
RB_INLINE void rb_move(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                       int64_t vector, double step, double change, int64_t seen_before) {
    rb_move_counted(weights, rows, ops, row, vector, step, change,
                    (double)(seen_before - weights->average_from));
}

/* `rb_move` of several vectors and the one that is raised in their place, without rates. */
RB_INLINE void rb_move_apart(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                             int64_t raised, int64_t n, const int32_t *lowered, const double *steps,
                             int64_t seen_before) {
    const double counted = (double)(seen_before - weights->average_from);
    ops->add_apart(rows, row, &(rb_parting){steps, lowered, n, raised, weights->class_stride,
                                            weights->feature_stride, counted, weights->w,
                                            weights->u});
    for (int64_t i = 0; i < n; i++) {
        rb_move_bias(weights, lowered[i], -steps[i], counted * -steps[i]);
        rb_move_bias(weights, raised, steps[i], counted * steps[i]);
    }
}

#endif
