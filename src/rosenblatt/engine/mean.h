/* The mean of the weights after every example, from the last weights and a running sum.
 *
 * A step that is made at example t was missing from the weights of the t - 1 examples before it. The
 * running sum adds (t - 1) · step, so that after n examples
 *
 *     (w_1 + … + w_n) / n  =  w_n - running_sum / n
 *
 * and nothing but the weights that move has to be touched. */
#ifndef ROSENBLATT_MEAN_H
#define ROSENBLATT_MEAN_H

/* The mean of one weight over n examples. `share` is what the last weight counts for: 1, unless a rule
 * scales all weights, and `last` is stored without that scale. */
static inline double rb_mean(double last, double running_sum, double share, double n) {
    return last * share - running_sum / n;
}

#endif
