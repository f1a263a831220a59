/* The rules of the linear family: each is one step-size function. Plain C, nothing of Python.
 *
 * Rules of the second order keep a variance for each weight, the less the surer: they are asked how
 * far to go and how much surer the row makes the weights.
 *
 * A step of 0 leaves the model as it is. To add a rule, write its step function and a line for it
 * in rb_set_rule; its learner, its row in the catalogue and its oracle stand elsewhere.
 */
#ifndef ROSENBLATT_RULES_H
#define ROSENBLATT_RULES_H

#include <math.h>
#include <string.h>

#include "rows/rows.h"

typedef struct {
    double eta;       /* length of a fixed step */
    double threshold; /* rows right by no more than this are acted on too */
    double C;         /* PA-I, SCW-I: the longest step; PA-II, SCW-II: how little steps are damped;
                         soft, gentle PA: the most that a row moves its own score, or margin */
    double r;         /* AROW: how much steps and confidence are damped */
    double phi;       /* CW, SCW: by how many standard deviations a row is to be right */
    void *owner;      /* whom a step function asks that is not written here */
} rb_parameters;

/* How far to go: the margin of the row, its squared length (with a bias: of the row with a 1
 * appended; multiclass: twice that) and whether the prediction was wrong. */
typedef double (*rb_step)(const rb_parameters *, double margin, double squared_norm, int mistaken);

/* The same of second order: the variance of the margin instead of the length, the weight of the row,
 * which makes no step go too far, and by how much the inverse variances are to grow, for each square
 * of a value. */
typedef double (*rb_sure_step)(const rb_parameters *, double margin, double variance, double weight,
                               double *change);

typedef struct {
    rb_parameters parameters;
    rb_step step;
    rb_sure_step sure_step; /* instead of it, or NULL */
    int rates;              /* what rates of the weights it needs */
    double quiet_above;    /* rows right by more than this are left alone */
    double longest_step;   /* no step is longer, for a row of weight 1 */
    int needs_norm;        /* whether a step depends on the length of the row */
    int aims_at_one;       /* no weight of a row makes its step overshoot a margin of 1 */
    int tie_is_mistake;    /* whether equal scores count as a mistake */
    int raise_only_on_tie; /* at a multiclass tie the right class gains and no rival is lowered */
    int blames_all_rivals; /* each wrong class is lowered by its own share, not the best one alone */
    int counts_tell_all;   /* each update is a mistake and has the same length: counting suffices */
} rb_rule;

/* What is left of x without n times ln(2). */
RB_INLINE double rb_rest(double x, int *n) {
    const double whole = floor(x * 1.4426950408889634 + 0.5);
    *n = (int)whole;
    return (x - whole * 0.693145751953125) - whole * 1.42860682030941723212e-6;
}

/* exp(x) from additions and multiplications only, so that it is the same everywhere. The C library
 * may pick another algorithm for another processor, which would change bytes. */
static double rb_exponential(double x) {
    int n;
    if (x > 709.0) return INFINITY;
    if (x < -745.0) return 0.0;
    double r = rb_rest(x, &n), sum = 1.0;
    for (int k = 14; k > 0; k--) sum = 1.0 + r * sum / k;
    return ldexp(sum, n);
}

/* The same of n numbers of at most 0, eight at a time: the divisions of one wait for each other. */
static void rb_exponentials(double *x, int64_t n) {
    for (; n > 0; x += 8, n -= 8) {
        double r[8], sum[8];
        int power[8];
        const int m = n < 8 ? (int)n : 8;
        for (int i = 0; i < 8; i++) {
            r[i] = rb_rest(i < m && x[i] >= -745.0 ? x[i] : 0.0, power + i);
            sum[i] = 1.0;
        }
        for (int k = 14; k > 0; k--)
            for (int i = 0; i < 8; i++) sum[i] = 1.0 + r[i] * sum[i] / k;
        for (int i = 0; i < m; i++) x[i] = x[i] < -745.0 ? 0.0 : ldexp(sum[i], power[i]);
    }
}

/* log(x) of a positive number by ln((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...), for the same
 * reason; |s| < 0.172, so that what is left out is below the last bit. */
static double rb_logarithm(double x) {
    int n;
    double m = frexp(x, &n), sum = 0.0;
    if (m < 0.70710678118654752) m *= 2.0, n -= 1;
    double s = (m - 1.0) / (m + 1.0), squared = s * s;
    for (int k = 21; k > 0; k -= 2) sum = 1.0 / k + squared * sum;
    return 2.0 * s * sum + n * 0.69314718055994531;
}

static double rb_perceptron_step(const rb_parameters *p, double margin, double squared_norm RB_UNUSED,
                                 int mistaken) {
    return mistaken || margin <= p->threshold ? p->eta : 0.0;
}

/* The smallest change after which the row is right by 1. */
static double rb_mira_step(const rb_parameters *p, double margin, double squared_norm, int mistaken) {
    if (squared_norm == 0.0 || !(mistaken || margin < p->threshold)) return 0.0;
    return (1.0 - margin) / squared_norm;
}

static double rb_pa_step(const rb_parameters *p RB_UNUSED, double margin, double squared_norm,
                         int mistaken RB_UNUSED) {
    return margin >= 1.0 || squared_norm == 0.0 ? 0.0 : (1.0 - margin) / squared_norm;
}

static double rb_pa1_step(const rb_parameters *p, double margin, double squared_norm, int mistaken) {
    double step = rb_pa_step(p, margin, squared_norm, mistaken);
    return step < p->C ? step : p->C;
}

/* The row moves its own margin by no more than C, however long it is. */
static double rb_gentle_step(const rb_parameters *p, double margin, double squared_norm,
                             int mistaken RB_UNUSED) {
    if (margin >= 1.0 || squared_norm == 0.0) return 0.0;
    return (1.0 - margin < p->C ? 1.0 - margin : p->C) / squared_norm;
}

static double rb_pa2_step(const rb_parameters *p, double margin, double squared_norm,
                          int mistaken RB_UNUSED) {
    return margin >= 1.0 ? 0.0 : (1.0 - margin) / (squared_norm + 0.5 / p->C);
}

/* The length of a soft step for a row that is surely wrong: a longer one than C / |x|^2 would
 * overshoot on a long row. */
RB_INLINE double rb_soft_eta(const rb_parameters *p, double squared_norm) {
    return p->eta * squared_norm > p->C ? p->C / squared_norm : p->eta;
}

/* Every row moves the model by the probability it gave to the wrong class. */
static double rb_soft_step(const rb_parameters *p, double margin, double squared_norm,
                           int mistaken RB_UNUSED) {
    return rb_soft_eta(p, squared_norm) / (1.0 + rb_exponential(margin));
}

/* Rows right by less than 1, by r as PA-II is by 1/2C; a heavy row is damped less. */
static double rb_arow_step(const rb_parameters *p, double margin, double variance, double weight,
                           double *change) {
    double r = weight == 1.0 ? p->r : p->r / weight;
    *change = 1.0 / r;
    return margin >= 1.0 || variance == 0.0 ? 0.0 : (1.0 - margin) / (variance + r);
}

/* After this step the inverse variances grow so that the row is right by phi standard deviations. */
static double rb_with_deviation(const rb_parameters *p, double step, double variance,
                                double *change) {
    double half = 0.5 * step * variance * p->phi;
    *change = step * p->phi * (sqrt(half * half + variance) + half) / variance;
    return step;
}

static double rb_cw_length(const rb_parameters *p, double margin, double variance) {
    double square = p->phi * p->phi, zeta = 1.0 + square, bent = margin * square * 0.5;
    if (variance == 0.0 || margin >= p->phi * sqrt(variance)) return 0.0;
    double root = sqrt(bent * bent + variance * square * zeta);
    return fmax(0.0, (root - margin * (1.0 + 0.5 * square)) / (variance * zeta));
}

static double rb_cw_step(const rb_parameters *p, double margin, double variance, double weight,
                         double *change) {
    double step = rb_cw_length(p, margin, variance) * (weight < 1.0 ? weight : 1.0);
    return step > 0.0 ? rb_with_deviation(p, step, variance, change) : 0.0;
}

static double rb_scw1_step(const rb_parameters *p, double margin, double variance, double weight,
                           double *change) {
    double step = fmin(rb_cw_length(p, margin, variance), p->C * weight);
    return step > 0.0 ? rb_with_deviation(p, step, variance, change) : 0.0;
}

static double rb_scw2_step(const rb_parameters *p, double margin, double variance, double weight,
                           double *change) {
    double square = p->phi * p->phi, n = variance + 0.5 / (p->C * weight), v = variance;
    if (v == 0.0 || margin >= p->phi * sqrt(v)) return 0.0;
    double root = sqrt(square * margin * margin * v * v + 4.0 * n * v * (n + v * square));
    double step = p->phi * root - margin * (2.0 * n + square * v);
    step /= 2.0 * n * (n + v * square);
    return step > 0.0 ? rb_with_deviation(p, step, variance, change) : 0.0;
}

/* Make a rule whose parameters and tie_is_mistake are set the one of this name; 0 if there is none. */
static int rb_set_rule(rb_rule *rule, const char *name) {
    rb_parameters *p = &rule->parameters;
    rule->quiet_above = 1.0;
    rule->longest_step = INFINITY;
    rule->needs_norm = rule->aims_at_one = 1;
    rule->raise_only_on_tie = rule->blames_all_rivals = rule->counts_tell_all = 0;
    rule->step = NULL;
    rule->sure_step = NULL;
    rule->rates = RB_NO_RATES;
    if (strcmp(name, "perceptron") == 0) {
        rule->step = rb_perceptron_step;
        rule->quiet_above = p->threshold;
        rule->longest_step = p->eta;
        rule->needs_norm = rule->aims_at_one = 0;
        rule->raise_only_on_tie = rule->tie_is_mistake && p->threshold == 0.0;
        rule->counts_tell_all = p->threshold == 0.0;
        /* Without a threshold the loop's own verdict decides, so that ties are its business. */
        if (!(p->threshold > 0.0)) p->threshold = -INFINITY;
    } else if (strcmp(name, "mira") == 0) {
        rule->step = rb_mira_step;
        rule->quiet_above = p->threshold;
    } else if (strcmp(name, "PA") == 0) {
        rule->step = rb_pa_step;
    } else if (strcmp(name, "PA-I") == 0) {
        rule->step = rb_pa1_step;
        rule->longest_step = p->C;
    } else if (strcmp(name, "gentle PA") == 0) {
        rule->step = rb_gentle_step;
    } else if (strcmp(name, "PA-II") == 0) {
        rule->step = rb_pa2_step;
    } else if (strcmp(name, "soft") == 0) {
        rule->step = rb_soft_step;
        rule->quiet_above = INFINITY;
        rule->longest_step = p->eta;
        rule->needs_norm = p->C < INFINITY;
        rule->aims_at_one = 0;
        rule->blames_all_rivals = 1;
    } else if (strcmp(name, "AROW") == 0) {
        rule->sure_step = rb_arow_step;
    } else if (strcmp(name, "CW") == 0) {
        rule->sure_step = rb_cw_step;
    } else if (strcmp(name, "SCW-I") == 0) {
        rule->sure_step = rb_scw1_step;
    } else if (strcmp(name, "SCW-II") == 0) {
        rule->sure_step = rb_scw2_step;
    } else {
        return 0;
    }
    if (rule->sure_step) {
        rule->rates = RB_VARIANCES;
        /* How far a row is to be right depends on its variance. */
        if (rule->sure_step != rb_arow_step) rule->quiet_above = INFINITY;
    }
    return 1;
}

#endif
