/* The rules of the linear family: each decides how far to go, and nothing else. Plain C.
 *
 *     w <- scale * w + step * y * x          (scale is 1 for all but a few rules)
 *
 * A rule is one function of a case, a row as it is just before it is learned from, and returns a
 * decision. To add one, write its function and its line in RB_RULES; its learner, its row in the
 * catalogue and its oracle stand elsewhere.
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
    double alpha;     /* ALMA: which share of the largest margin may be missed */
    double B;         /* ALMA: the margin asked for, times the root of the number of the update */
    double lambda;    /* Pegasos: how much |w|^2 / 2 costs beside the mean loss */
    void *owner;      /* whom a rule asks that is not written here */
} rb_parameters;

/* What a rule is asked about. */
typedef struct {
    double margin;  /* y (w.x + b); of several classes the score of the right one minus the rival's */
    double squared; /* |x|^2, with a bias |(x, 1)|^2, of a pair of classes twice that;
                       of a rule with variances: the variance of the margin */
    double weight;  /* of the row */
    int mistaken;   /* whether the prediction was wrong */
    /* Only for rules that scale: */
    double length2; /* |w|^2 of all vectors together, for a rule with RB_LENGTH */
    int64_t k;      /* the number of this update, if it becomes one; the first is 1 */
    int64_t t;      /* the number of this example among those it was asked about; the first is 1 */
} rb_case;

/* What it answers. A step of 0 and a scale of 1 leave the model as it is. */
typedef struct {
    double step;
    double scale;  /* what all weights are multiplied by, above 0 and at most 1; see RB_SCALES */
    double change; /* by how much the inverse variances grow, for each square of a value */
} rb_decision;

typedef rb_decision (*rb_decide)(const rb_parameters *, const rb_case *);

/* What is true of a rule, whatever its parameters. */
enum {
    RB_NORM = 1,       /* its step depends on the length of the row */
    RB_VARIANCE = 2,   /* it keeps a variance for each weight, and sees the weight of the row */
    RB_AIMS = 4,       /* no weight of a row makes its step overshoot a margin of 1 */
    RB_BLAMES_ALL = 8, /* each wrong class is lowered by its own share, not the best one alone */
    RB_COUNTS = 16,    /* each update is a mistake and has the same length: counting suffices */
    RB_RAISES = 32,    /* at a multiclass tie the right class gains and no rival is lowered */
    RB_SCALES = 64,    /* it scales all weights; it is asked about every row, and weighs rows itself */
    RB_LENGTH = 128,   /* its decision depends on the length of w */
    RB_HINGE = 256,    /* it minimizes max(0, 1 - margin), which says when there is no gain */
};

typedef struct {
    rb_parameters parameters;
    rb_decide decide;
    int number;          /* its place in RB_RULES; -1: it is written in Python */
    int does;            /* the facts above that hold with these parameters */
    int rates;           /* what rates of the weights it needs */
    double quiet_above;  /* rows right by more than this are left alone */
    double longest_step; /* no step is longer, for a row of weight 1; nor goes one farther than that along
                            the longest row */
    int tie_is_mistake;  /* whether equal scores count as a mistake */
} rb_rule;

/* Split x into n ln(2) + rest and return the rest, |rest| <= ln(2) / 2. ln(2) is subtracted in two parts, of
 * which the first has so few bits that its product with n is exact. */
RB_INLINE double rb_rest(double x, int *n) {
    const double whole = floor(x * 1.4426950408889634 + 0.5); /* x / ln(2), rounded */
    *n = (int)whole;
    return (x - whole * 0.693145751953125) - whole * 1.42860682030941723212e-6;
}

/* exp(x) = 2^n exp(r) with exp(r) = 1 + r (1 + r/2 (1 + r/3 (...))), from additions and multiplications
 * only, so that it is the same everywhere. The C library may pick another algorithm for another processor,
 * which would change bytes. */
static double rb_exponential(double x) {
    int n;
    if (x > 709.0) return INFINITY;
    if (x < -745.0) return 0.0;

    const double r = rb_rest(x, &n);
    double sum = 1.0;
    for (int k = 14; k > 0; k--) sum = 1.0 + r * sum / k;
    return ldexp(sum, n);
}

/* The same of n numbers of at most 0, eight at a time: the divisions of one wait for each other. */
static void rb_exponentials(double *x, int64_t n) {
    for (; n > 0; x += 8, n -= 8) {
        double r[8];
        double sum[8];
        int power[8];
        const int m = n < 8 ? (int)n : 8;

        /* Places beyond the last number, and numbers whose exponential is 0, are worked on as 0. */
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
    double m = frexp(x, &n);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        n -= 1;
    }

    /* x = 2^n m with m from sqrt(1/2) to sqrt(2) */
    const double s = (m - 1.0) / (m + 1.0);
    const double squared = s * s;
    double sum = 0.0;
    for (int k = 21; k > 0; k -= 2) sum = 1.0 / k + squared * sum;
    return 2.0 * s * sum + n * 0.69314718055994531;
}

/* A decision of a rule of the first order. */
RB_INLINE rb_decision rb_go(double step) {
    return (rb_decision){.step = step, .scale = 1.0, .change = 0.0};
}

/* A decision of a rule that scales. */
RB_INLINE rb_decision rb_scale_and_go(double scale, double step) {
    return (rb_decision){.step = step, .scale = scale, .change = 0.0};
}

/* Perceptron: step = eta on a mistake, and on rows that are right by no more than the threshold. */
RB_INLINE rb_decision rb_decide_perceptron(const rb_parameters *p, const rb_case *c) {
    const int acts = c->mistaken || c->margin <= p->threshold;
    return rb_go(acts ? p->eta : 0.0);
}

/* MIRA: step = (1 - margin) / |x|^2 on a mistake, the smallest change after which the row is right by 1. */
RB_INLINE rb_decision rb_decide_mira(const rb_parameters *p, const rb_case *c) {
    if (c->squared == 0.0 || !(c->mistaken || c->margin < p->threshold)) return rb_go(0.0);
    return rb_go((1.0 - c->margin) / c->squared);
}

/* PA: step = (1 - margin) / |x|^2 on every row that is right by less than 1. */
RB_INLINE rb_decision rb_decide_pa(const rb_parameters *p RB_UNUSED, const rb_case *c) {
    if (c->margin >= 1.0 || c->squared == 0.0) return rb_go(0.0);
    return rb_go((1.0 - c->margin) / c->squared);
}

/* PA-I: step = min(C, (1 - margin) / |x|^2). */
RB_INLINE rb_decision rb_decide_pa1(const rb_parameters *p, const rb_case *c) {
    const double step = rb_decide_pa(p, c).step;
    return rb_go(step < p->C ? step : p->C);
}

/* Gentle PA: step = min(C, 1 - margin) / |x|^2, so that a row moves its own margin by no more than C,
 * however long it is. */
RB_INLINE rb_decision rb_decide_gentle(const rb_parameters *p, const rb_case *c) {
    if (c->margin >= 1.0 || c->squared == 0.0) return rb_go(0.0);
    const double shortfall = 1.0 - c->margin;
    return rb_go((shortfall < p->C ? shortfall : p->C) / c->squared);
}

/* PA-II: step = (1 - margin) / (|x|^2 + 1 / 2C). */
RB_INLINE rb_decision rb_decide_pa2(const rb_parameters *p, const rb_case *c) {
    if (c->margin >= 1.0) return rb_go(0.0);
    return rb_go((1.0 - c->margin) / (c->squared + 0.5 / p->C));
}

/* The length of a soft step for a row that is surely wrong: min(eta, C / |x|^2). A longer one would
 * overshoot on a long row. */
RB_INLINE double rb_soft_eta(const rb_parameters *p, double squared) {
    return p->eta * squared > p->C ? p->C / squared : p->eta;
}

/* Soft: step = eta / (1 + exp(margin)), eta times the probability of the wrong class. */
RB_INLINE rb_decision rb_decide_soft(const rb_parameters *p, const rb_case *c) {
    return rb_go(rb_soft_eta(p, c->squared) / (1.0 + rb_exponential(c->margin)));
}

/* AROW: step = (1 - margin) / (variance + r) on rows right by less than 1; a heavy row is damped less. */
RB_INLINE rb_decision rb_decide_arow(const rb_parameters *p, const rb_case *c) {
    const double r = c->weight == 1.0 ? p->r : p->r / c->weight;
    const int is_quiet = c->margin >= 1.0 || c->squared == 0.0;
    const double step = is_quiet ? 0.0 : (1.0 - c->margin) / (c->squared + r);
    return (rb_decision){.step = step, .scale = 1.0, .change = 1.0 / r};
}

/* After this step the inverse variances grow so that the row is right by phi standard deviations. */
RB_INLINE rb_decision rb_with_deviation(const rb_parameters *p, const rb_case *c, double step) {
    if (!(step > 0.0)) return rb_go(0.0);
    const double half = 0.5 * step * c->squared * p->phi;
    const double change = step * p->phi * (sqrt(half * half + c->squared) + half) / c->squared;
    return (rb_decision){.step = step, .scale = 1.0, .change = change};
}

/* The smallest step after which a row is right by phi standard deviations. With m the margin, v the variance
 * and zeta = 1 + phi^2:
 *
 *     step = (-m (1 + phi^2 / 2) + sqrt(m^2 phi^4 / 4 + v phi^2 zeta)) / (v zeta)
 */
RB_INLINE double rb_cw_length(const rb_parameters *p, const rb_case *c) {
    const double square = p->phi * p->phi;
    const double zeta = 1.0 + square;
    const double bent = c->margin * square * 0.5;
    if (c->squared == 0.0 || c->margin >= p->phi * sqrt(c->squared)) return 0.0;
    const double root = sqrt(bent * bent + c->squared * square * zeta);
    return fmax(0.0, (root - c->margin * (1.0 + 0.5 * square)) / (c->squared * zeta));
}

/* CW: the smallest step; a light row goes a part of it. */
RB_INLINE rb_decision rb_decide_cw(const rb_parameters *p, const rb_case *c) {
    const double part = c->weight < 1.0 ? c->weight : 1.0;
    return rb_with_deviation(p, c, rb_cw_length(p, c) * part);
}

/* SCW-I: CW with steps of at most C. */
RB_INLINE rb_decision rb_decide_scw1(const rb_parameters *p, const rb_case *c) {
    return rb_with_deviation(p, c, fmin(rb_cw_length(p, c), p->C * c->weight));
}

/* SCW-II: CW whose squared shortfall costs C. With n = v + 1 / 2C:
 *
 *     step = (-m (2n + phi^2 v) + phi sqrt(phi^2 m^2 v^2 + 4 n v (n + v phi^2))) / (2 n (n + v phi^2))
 */
RB_INLINE rb_decision rb_decide_scw2(const rb_parameters *p, const rb_case *c) {
    const double square = p->phi * p->phi;
    const double margin = c->margin;
    const double v = c->squared;
    const double n = v + 0.5 / (p->C * c->weight);
    if (v == 0.0 || margin >= p->phi * sqrt(v)) return rb_go(0.0);

    const double root = sqrt(square * margin * margin * v * v + 4.0 * n * v * (n + v * square));
    double step = p->phi * root - margin * (2.0 * n + square * v);
    step /= 2.0 * n * (n + v * square);
    return rb_with_deviation(p, c, step);
}

/* ALMA with p = 2. Rows count as if of length 1: at a margin of at most (1 - alpha) B / sqrt(k) it goes
 * C / sqrt(k) along the row, and then back to the ball of radius 1:
 *
 *     step  = C / (sqrt(k) |x|)
 *     scale = 1 / max(1, |w + step y x|),       w <- scale (w + step y x)
 *
 * A heavy row cannot go farther: after a long step nothing would be left of the others. */
RB_INLINE rb_decision rb_decide_alma(const rb_parameters *p, const rb_case *c) {
    const double root = sqrt((double)c->k);
    const double length = sqrt(c->squared);
    if (length == 0.0 || c->margin > (1.0 - p->alpha) * (p->B / root) * length) return rb_go(0.0);

    const double part = c->weight < 1.0 ? c->weight : 1.0;
    const double step = part * p->C / (root * length);
    /* |w + step y x|^2 = |w|^2 + 2 step margin + step^2 |x|^2 */
    const double after = c->length2 + 2.0 * step * c->margin + step * step * c->squared;
    const double scale = after > 1.0 ? 1.0 / sqrt(after) : 1.0;
    return rb_scale_and_go(scale, scale * step);
}

/* Pegasos: a step of 1 / (lambda t) against the gradient of lambda |w|^2 / 2 + max(0, 1 - margin):
 *
 *     scale = 1 - 1 / t
 *     step  = 1 / (lambda t) if margin < 1, else 0
 *
 * The first one would scale by 0: weights to start from are kept instead, and zeros are zeros anyway. */
RB_INLINE rb_decision rb_decide_pegasos(const rb_parameters *p, const rb_case *c) {
    const double t = (double)c->t;
    const double scale = c->t > 1 ? 1.0 - 1.0 / t : 1.0;
    const double step = c->margin < 1.0 ? c->weight / (p->lambda * t) : 0.0;
    return rb_scale_and_go(scale, step);
}

/* Every rule: its function rb_decide_..., its name, what it does, which rows it leaves alone (those
 * right by more than this) and its longest step. */
#define RB_RULES(X)                                                                   \
    X(perceptron, "perceptron", RB_COUNTS | RB_RAISES, p->threshold, p->eta)          \
    X(mira, "mira", RB_NORM | RB_AIMS, p->threshold, INFINITY)                        \
    X(pa, "PA", RB_NORM | RB_AIMS, 1.0, INFINITY)                                     \
    X(pa1, "PA-I", RB_NORM | RB_AIMS, 1.0, p->C)                                      \
    X(gentle, "gentle PA", RB_NORM | RB_AIMS, 1.0, INFINITY)                          \
    X(pa2, "PA-II", RB_NORM | RB_AIMS, 1.0, INFINITY)                                 \
    X(soft, "soft", RB_NORM | RB_BLAMES_ALL, INFINITY, p->eta)                        \
    X(arow, "AROW", RB_VARIANCE | RB_AIMS, 1.0, INFINITY)                             \
    X(cw, "CW", RB_VARIANCE | RB_AIMS, INFINITY, INFINITY)                            \
    X(scw1, "SCW-I", RB_VARIANCE | RB_AIMS, INFINITY, INFINITY)                       \
    X(scw2, "SCW-II", RB_VARIANCE | RB_AIMS, INFINITY, INFINITY)                      \
    X(alma, "ALMA", RB_NORM | RB_SCALES | RB_LENGTH, INFINITY, p->C)                  \
    X(pegasos, "Pegasos", RB_SCALES | RB_HINGE, INFINITY, 1.0 / p->lambda)

#define RB_NUMBER_OF(rule, name, does, quiet_above, longest_step) RB_RULE_##rule,
enum { RB_RULES(RB_NUMBER_OF) RB_N_RULES };

/* Make a rule whose parameters and tie_is_mistake are set the one of this name; 0 if there is none. */
static int rb_set_rule(rb_rule *rule, const char *wanted) {
    rb_parameters *p = &rule->parameters;
    rule->number = -1;
#define RB_IF_WANTED(id, name, facts, quiet, longest) \
    if (strcmp(wanted, name) == 0) {                  \
        rule->number = RB_RULE_##id;                  \
        rule->decide = rb_decide_##id;                \
        rule->does = facts;                           \
        rule->quiet_above = quiet;                    \
        rule->longest_step = longest;                 \
    }
    RB_RULES(RB_IF_WANTED)
#undef RB_IF_WANTED
    if (rule->number < 0) return 0;
    rule->rates = rule->does & RB_VARIANCE ? RB_VARIANCES : RB_NO_RATES;

    if (rule->number == RB_RULE_perceptron) {
        if (p->threshold > 0.0) rule->does = 0;
        else if (!rule->tie_is_mistake) rule->does = RB_COUNTS;
        /* Without a threshold the loop's own verdict decides, so that ties are its business. */
        if (!(p->threshold > 0.0)) p->threshold = -INFINITY;
    }
    if (rule->number == RB_RULE_soft && !(p->C < INFINITY)) rule->does = RB_BLAMES_ALL;
    return 1;
}

#endif
