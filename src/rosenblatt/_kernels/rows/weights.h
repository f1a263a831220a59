/* Weight vectors as the loops see them, and the one way they change. Plain C, nothing of Python. */
#ifndef ROSENBLATT_WEIGHTS_H
#define ROSENBLATT_WEIGHTS_H

#include "rows/rows.h"

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

/* Add `step` times a row to one vector, and to its running sum weighted by the counter. With rates
 * each weight moves by its own, and they fall by `change`. */
RB_INLINE void rb_move(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, int64_t row,
                       int64_t vector, double step, double change, int64_t seen_before) {
    int64_t at = vector * weights->class_stride, stride = weights->feature_stride;
    char *w = weights->w + at * weights->itemsize;
    double counted = (double)(seen_before - weights->average_from);
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
