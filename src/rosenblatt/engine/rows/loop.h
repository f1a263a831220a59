/* The training loop: walk the rows in order, and act where the rule says so. Plain C, nothing of Python.
 *
 * `visit` and `seek_class` skip the rows that need nothing; this file decides what the others get. All
 * changes of weights begin at `rb_learn`, at the end of this file: those of an epoch, of rows that are
 * predicted first, of single examples, and recorded ones that are repeated.
 *
 * For every row that needs attention:
 *
 *     margin    = y (w · x + b)                 of several classes: score of the right one - best other
 *     decision  = rule(margin, |x|^2, …)        rules.h
 *     w        <- scale * w + decision.step * y * x
 */
#ifndef ROSENBLATT_LOOP_H
#define ROSENBLATT_LOOP_H

#include "rows/readout.h"
#include "rows/rules.h"
#include "rows/weights.h"
#include "ties.h"

#define RB_NO_RIVAL (-1) /* the right class is raised and no other lowered */

/* Updates in the order they were made; the caller empties it when it is full. */
typedef struct {
    int64_t *row;
    int32_t *right;
    int32_t *wrong;
    double *step;
    int64_t *t;
    double *change; /* by how much the rates fell, or NULL */

    /* Of weights that are scaled, else NULL: the scale and the folds after the update, and the clock
     * before it and before a fold of its own. */
    double *scale;
    int64_t *folds;
    double *clock;

    int64_t size;
    int64_t capacity;
} rb_log;

/* What a run adds up. */
typedef struct {
    int64_t mistakes;
    int64_t updates;
    double step_sum;   /* steps that moved two classes apart */
    double raised_sum; /* steps that raised the right class alone */
    double loss;       /* of a rule that blames all: -log of the probability of the right class; of one
                          with RB_HINGE: how far rows are from a margin of 1 */
    int64_t refused;   /* the row whose update would overflow, or -1 */
    int32_t *counts;   /* mistakes of each row, or NULL */
    double *alpha;     /* signed steps of each row, or NULL */
} rb_tally;

/* What is predicted for each row just before it is learned from. */
typedef struct {
    int32_t *wrong;
    double *scores; /* or NULL */
    int latest;     /* the mistakes are those of the latest weights, whatever predicts */
} rb_tested;

/* One walk over rows. */
typedef struct {
    rb_search search;
    const rb_rows *rows;
    const rb_ops *ops;
    const rb_rule *rule;
    rb_weights *weights;
    rb_tally *tally;
    rb_log *log;               /* or NULL */
    const double *row_weights; /* or NULL */
    double longest_row;
    int64_t seen_at_zero;   /* examples seen before position 0 */
    rb_readout *readout;    /* or NULL: the last weights predict, or their mean */
    int64_t most_stored;    /* no row has more values; of interest to a read-out only */
    int index_bytes;        /* sparse rows: the size of a column number */
    const rb_log *recorded; /* or NULL: repeat these updates, whose numbers are the positions */
} rb_walk;

/* ------------------------------------------------------------------ what the rule decides */

/* Round a step as it is applied, so that what is recorded is what was done. */
RB_INLINE double rb_as_stored(const rb_weights *weights, double step) {
    return weights->is_float32 ? (double)(float)step : step;
}

/* The variance of the score of a row by a vector. */
RB_INLINE double rb_variance_of(const rb_walk *walk, int64_t row, int64_t vector) {
    const rb_weights *weights = walk->weights;
    const double last = weights->fit_intercept ? rb_number(weights, weights->bias_rate, vector) : 0.0;
    const char *rates = weights->rate + vector * weights->class_stride * weights->itemsize;
    return walk->ops->variance(walk->rows, row, rates, weights->feature_stride, last);
}

/* By how much the rates fall with a step against the gradient of its length: (step / eta)^2. */
RB_INLINE double rb_change_for(const rb_walk *walk, double step) {
    const double gradient = step / walk->rule->parameters.eta;
    const double square = gradient * gradient;
    return walk->rule->rates != RB_GRADIENTS ? 0.0 : fmin(square, walk->weights->limit);
}

/* Ask a rule how far to go. The weight of a row multiplies its step, but a step that aims at a margin
 * of 1 never overshoots because of it; rules with variances weigh rows themselves. `decide` is known
 * to the compiler where it is the function of a rule. */
RB_INLINE rb_decision rb_ask(const rb_walk *walk, const rb_case *found, rb_decide decide,
                             const int has_variances) {
    const rb_rule *rule = walk->rule;
    rb_decision decision = decide(&rule->parameters, found);

    if (has_variances) {
        if (decision.step != 0.0 && !(decision.change < walk->weights->limit))
            decision.change = walk->weights->limit;
        decision.step = rb_as_stored(walk->weights, decision.step);
        return decision;
    }

    if (found->weight != 1.0 && decision.step != 0.0) {
        decision.step *= found->weight;
        if (rule->does & RB_AIMS && found->weight > 1.0 && found->squared > 0.0) {
            /* The step after which the margin is 1. */
            const double whole = (1.0 - found->margin) / found->squared;
            if (whole < decision.step) decision.step = whole;
        }
    }
    decision.step = rb_as_stored(walk->weights, decision.step);
    decision.change = rb_change_for(walk, decision.step);
    return decision;
}

/* ------------------------------------------------------------------ refusals
 *
 * A rule may return a finite step of at least 0, and a scale above 0 and at most 1 if it says that it scales,
 * else 1. Any other decision is refused like a step by which a weight could overflow: `rb_has_room` looks at
 * the step, those who ask the rule at the scale. */

/* Name a row as refused; always 0, which callers return. */
RB_INLINE int rb_refuse(const rb_walk *walk, int64_t row) {
    walk->tally->refused = row;
    return 0;
}

/* Whether a step keeps all weights within their limit, given |x|^2 or the variance if the rule asked for
 * it. No variance is above 1, and a step divided by the root of all squared gradients is no longer than
 * eta. */
RB_INLINE int rb_is_allowed(const rb_walk *walk, double step, double squared_norm) {
    const rb_rule *rule = walk->rule;
    double length = rule->does & (RB_NORM | RB_VARIANCE) ? sqrt(squared_norm) : walk->longest_row;
    if (rule->rates == RB_GRADIENTS && step < walk->weights->limit)
        length = rule->parameters.eta / step;
    return rb_within_reach(walk->weights, step * length);
}

/* ------------------------------------------------------------------ moves, and what is written down */

/* How much a step at a place counts in the running sums: the examples averaged before it. */
RB_INLINE double rb_counted_at(const rb_walk *walk, int64_t at) {
    return (double)(walk->seen_at_zero + at - walk->weights->average_from);
}

/*     w <- w + step x
 *     u <- u + counted step x        (with running sums)
 */
RB_INLINE void rb_move_vector(const rb_walk *walk, int64_t row, int64_t vector, double step,
                              double change, double counted) {
    rb_move(walk->weights, walk->rows, walk->ops, row, vector, step, change, counted);
}

/*     w_wrong <- w_wrong - step x
 *     w_right <- w_right + step x
 */
RB_INLINE void rb_move_pair(const rb_walk *walk, int64_t row, int64_t right, int64_t wrong, double step,
                            double change, double counted) {
    if (wrong != RB_NO_RIVAL) rb_move_vector(walk, row, wrong, -step, change, counted);
    rb_move_vector(walk, row, right, step, change, counted);
}

/* Write an update down, if updates are recorded. */
RB_INLINE void rb_write(const rb_walk *walk, int64_t at, int64_t row, int64_t right, int64_t wrong,
                        double step, double change) {
    rb_log *log = walk->log;
    if (!log) return;
    log->row[log->size] = row;
    log->right[log->size] = (int32_t)right;
    log->wrong[log->size] = (int32_t)wrong;
    log->step[log->size] = step;
    if (log->change) log->change[log->size] = change;
    log->t[log->size] = walk->seen_at_zero + at + 1;
    log->size++;
}

RB_INLINE int rb_is_full(const rb_log *log) {
    return log && log->size == log->capacity;
}

/* Count a row that was mistaken. By arithmetic: where a rule acts on right rows too, a branch could not be
 * predicted. */
RB_INLINE void rb_count(rb_tally *tally, int64_t row, int mistaken) {
    tally->mistakes += mistaken;
    if (tally->counts) tally->counts[row] += mistaken;
}

/* ------------------------------------------------------------------ rules that scale all weights */

/* How weights that are scaled change for a row. */
typedef struct {
    double step;    /* of v; 0: it only scales */
    double scale;   /* of all weights, after the folds */
    int64_t folds;  /* before the step */
    double counted; /* the clock that the running sums count by */
} rb_rescaling;

/* What a decision comes to. Folds come before a step and only with one, so that the ledger has an entry
 * for each. */
RB_INLINE rb_rescaling rb_rescaling_of(const rb_weights *weights, const rb_decision *decision) {
    rb_rescaling next = {.step = 0.0, .scale = weights->scale * decision->scale, .folds = 0};
    if (decision->step == 0.0) return next;

    double folded = next.scale;
    int64_t folds = 0;
    for (; folded < RB_FOLD_BELOW; folds++) folded /= RB_FOLD_BELOW;

    /* step x is added to w = scale * v, so that v moves by step / scale. */
    next.step = rb_as_stored(weights, decision->step / folded);
    if (next.step != 0.0) {
        next.scale = folded;
        next.folds = folds;
    }
    return next;
}

/* Fold the weights, and the steps of each row with them, which are counted in units of v as well. */
static void rb_fold_with_steps(rb_walk *walk, int64_t folds, double clock) {
    double *alpha = walk->tally->alpha;
    const double factor = rb_fold_factor(folds);
    rb_fold(walk->weights, folds, clock);
    if (!alpha) return;
    for (int64_t i = 0; i < walk->rows->n_rows; i++) alpha[i] *= factor;
}

/* Count a step of scaled weights, and write down the columns that only these have; the caller writes the
 * rest of the entry. `clock` is that before the step and before its folds. */
RB_INLINE void rb_note_rescaling(rb_walk *walk, const rb_rescaling *taken, double clock) {
    rb_weights *weights = walk->weights;
    rb_log *log = walk->log;
    weights->updates += 1;
    walk->tally->updates += 1;
    walk->tally->step_sum += taken->step * taken->scale;
    if (!log || !log->scale) return;
    log->scale[log->size] = taken->scale;
    log->folds[log->size] = weights->folds;
    log->clock[log->size] = clock;
}

/* Ask a rule that scales, `found` having its margin by v, and scale w as it says; 0 if that is refused,
 * and then nothing has changed. The step itself is left to the caller. */
RB_INLINE int rb_rescale(rb_walk *walk, int64_t at, int64_t row, rb_case *found, rb_decide decide,
                         rb_rescaling *taken) {
    const rb_rule *rule = walk->rule;
    rb_weights *weights = walk->weights;
    rb_tally *tally = walk->tally;
    const int64_t seen = walk->seen_at_zero + at;

    found->margin *= weights->scale;
    found->length2 = weights->length2;
    found->k = weights->updates + 1;
    found->t = weights->examples + 1;
    const rb_decision decision = decide(&rule->parameters, found);

    /* A scale that no rule may return, whether it takes a step or not. */
    if (!(decision.scale > 0.0 && decision.scale <= 1.0)) return rb_refuse(walk, row);
    if (!(weights->scale * decision.scale >= RB_SMALLEST_SCALE)) return rb_refuse(walk, row);

    *taken = rb_rescaling_of(weights, &decision);
    double growth = 0.0;
    if (taken->step != 0.0) {
        const double length = rule->does & RB_NORM ? sqrt(found->squared) : walk->longest_row;
        growth = taken->step * length;
        if (!rb_has_room(weights, rb_fold_factor(taken->folds), growth)) return rb_refuse(walk, row);
    }

    /* From here on nothing is refused. */
    const double clock = rb_clock_at(weights, seen);
    if (taken->folds) rb_fold_with_steps(walk, taken->folds, clock);
    weights->reach += growth;
    weights->examples += 1;
    if (rule->does & RB_HINGE && found->margin < 1.0)
        tally->loss += found->weight * (1.0 - found->margin);

    taken->counted = taken->folds ? 0.0 : clock;
    if (taken->folds || taken->scale != weights->scale) {
        weights->clock = taken->counted;
        weights->since = seen;
        weights->scale = taken->scale;
    }
    if (taken->step != 0.0) rb_note_rescaling(walk, taken, clock);

    if (rule->does & RB_LENGTH) {
        /* |s w + step y x|^2 = s^2 |w|^2 + 2 s step margin + step^2 |x|^2, so that no table is read. */
        const double s = decision.scale;
        const double step = taken->step * taken->scale;
        weights->length2 = fmax(0.0, s * s * found->length2 + 2.0 * s * step * found->margin
                                         + step * step * found->squared);
    }
    return 1;
}

/* Now and then the length is measured, so that rounding errors do not add up. By the number of the
 * update, so that it does not matter how a stream is cut. */
RB_INLINE void rb_measure_length(const rb_walk *walk) {
    rb_weights *weights = walk->weights;
    if (walk->rule->does & RB_LENGTH && weights->updates % 1024 == 0)
        weights->length2 = weights->scale * weights->scale * rb_squared_length(weights);
}

/* ------------------------------------------------------------------ two classes */

/* What the compiler knows of a rule: without lengths and rates; with variances; any other. It makes one
 * function for each rule. */
enum { RB_PLAIN, RB_SURE, RB_OTHER };

/* The decision for a row, of which `found` gets what its rule asks for. */
RB_INLINE rb_decision rb_decision_for(const rb_walk *walk, int64_t row, rb_case *found, rb_decide decide,
                                      const int kind) {
    const rb_rule *rule = walk->rule;
    const rb_weights *weights = walk->weights;

    if (kind == RB_PLAIN) {
        rb_decision decision = decide(&rule->parameters, found);
        decision.step = rb_as_stored(weights, found->weight * decision.step);
        return decision;
    }
    if (kind == RB_SURE) {
        found->squared = rb_variance_of(walk, row, 0);
        return rb_ask(walk, found, decide, 1);
    }
    if (rule->does & RB_NORM)
        found->squared = walk->ops->squared_norm(walk->rows, row, weights->fit_intercept);
    return rb_ask(walk, found, decide, 0);
}

/* `rb_is_allowed` where the kind of the rule is known. */
RB_INLINE int rb_is_allowed_of_kind(const rb_walk *walk, double step, double squared, const int kind) {
    if (kind == RB_PLAIN) return rb_within_reach(walk->weights, step * walk->longest_row);
    if (kind == RB_SURE) return rb_within_reach(walk->weights, step * sqrt(squared));
    return rb_is_allowed(walk, step, squared);
}

/* log(1 + exp(-margin)), by the step, which is eta / (1 + exp(margin)). */
RB_INLINE double rb_log_loss(const rb_walk *walk, double margin, double squared_norm, double step) {
    const double wrong = step / rb_soft_eta(&walk->rule->parameters, squared_norm);
    return margin > 0.0 ? -rb_logarithm(1.0 - wrong) : -margin - rb_logarithm(wrong);
}

/* Learn from a row of this margin. The search ends before a row that is refused, and after one that fills
 * the log. */
RB_INLINE double rb_act_on(rb_walk *walk, int64_t at, double margin, rb_decide decide,
                           const int kind) {
    const rb_rule *rule = walk->rule;
    rb_weights *weights = walk->weights;
    rb_tally *tally = walk->tally;
    const int64_t row = rb_row_at(&walk->search, at);
    const int32_t label = walk->search.labels[row];
    rb_case found = {.margin = margin, .squared = 0.0, .weight = 1.0};

    if (walk->row_weights) {
        found.weight = walk->row_weights[row];
        if (found.weight == 0.0) return 0.0;
    }

    /* A plain rule acts on little but mistakes, so that the first branch is predicted. */
    found.mistaken = (kind == RB_PLAIN && margin < 0.0)
                     || rb_is_mistake(margin, label, rule->tie_is_mistake);

    const rb_decision decision = rb_decision_for(walk, row, &found, decide, kind);
    const double step = decision.step;
    if (step != 0.0) {
        if (decision.scale != 1.0 || !rb_is_allowed_of_kind(walk, step, found.squared, kind)) {
            rb_refuse(walk, row);
            walk->search.stop = at;
            return 0.0;
        }
        if (kind == RB_OTHER && rule->does & RB_BLAMES_ALL)
            tally->loss += found.weight * rb_log_loss(walk, margin, found.squared, step / found.weight);
        tally->updates += 1;
        tally->step_sum += step;

        /*     w <- w + step y x,     y = -1 or 1 */
        const double signed_step = (2 * label - 1) * step;
        rb_move_vector(walk, row, 0, signed_step, decision.change, rb_counted_at(walk, at));

        if (tally->alpha) tally->alpha[row] += signed_step;
        rb_write(walk, at, row, label, 1 - label, step, decision.change);
        if (rb_is_full(walk->log)) walk->search.stop = at + 1;
    }
    rb_count(tally, row, found.mistaken);
    return kind != RB_PLAIN && weights->rates ? NAN : step;
}

/* Learn from a row by a rule that scales; as `rb_act_on` otherwise. */
RB_INLINE double rb_act_scaling(rb_walk *walk, int64_t at, double margin, rb_decide decide) {
    const rb_rule *rule = walk->rule;
    rb_tally *tally = walk->tally;
    const int64_t row = rb_row_at(&walk->search, at);
    const int32_t label = walk->search.labels[row];
    rb_case found = {.margin = margin, .squared = 0.0, .weight = 1.0,
                     .mistaken = rb_is_mistake(margin, label, rule->tie_is_mistake)};
    rb_rescaling taken;

    if (walk->row_weights) {
        found.weight = walk->row_weights[row];
        if (found.weight == 0.0) return 0.0;
    }
    if (rule->does & RB_NORM)
        found.squared = walk->ops->squared_norm(walk->rows, row, walk->weights->fit_intercept);

    if (!rb_rescale(walk, at, row, &found, decide, &taken)) {
        walk->search.stop = at;
        return 0.0;
    }
    if (taken.step != 0.0) {
        const double signed_step = (2 * label - 1) * taken.step;
        rb_move_vector(walk, row, 0, signed_step, 0.0, taken.counted);

        if (tally->alpha) tally->alpha[row] += signed_step;
        rb_write(walk, at, row, label, 1 - label, taken.step, 0.0);
        if (rb_is_full(walk->log)) walk->search.stop = at + 1;
        rb_measure_length(walk);
    }
    rb_count(tally, row, found.mistaken);
    return NAN;
}

/* Of a rule that is written elsewhere, or whose weights have rates by their gradients. */
static double rb_act_any(void *walk, int64_t at, double margin) {
    const rb_rule *rule = ((rb_walk *)walk)->rule;
    if (rule->does & RB_SCALES) return rb_act_scaling(walk, at, margin, rule->decide);
    return rb_act_on(walk, at, margin, rule->decide, RB_OTHER);
}

#define RB_KIND_OF(does) \
    ((does) & RB_VARIANCE ? RB_SURE : (does) & (RB_NORM | RB_BLAMES_ALL) ? RB_OTHER : RB_PLAIN)
#define RB_ACT_OF(id, name, does, quiet_above, longest_step)                             \
    static double rb_act_##id(void *walk, int64_t at, double margin) {                   \
        if ((does) & RB_SCALES) return rb_act_scaling(walk, at, margin, rb_decide_##id); \
        return rb_act_on(walk, at, margin, rb_decide_##id, RB_KIND_OF(does));            \
    }
RB_RULES(RB_ACT_OF)

/* The function that learns from a row by a rule. */
RB_INLINE rb_action rb_act_of(const rb_rule *rule) {
#define RB_NAME_OF_ACT(id, name, does, quiet_above, longest_step) rb_act_##id,
    static const rb_action acts[] = {RB_RULES(RB_NAME_OF_ACT)};
#undef RB_NAME_OF_ACT
    if (rule->number < 0 || rule->rates == RB_GRADIENTS) return rb_act_any;
    return acts[rule->number];
}

/* Learn two classes; the position reached, which is before `stop` when the log is full or a row refused. */
static int64_t rb_learn_binary(rb_walk *walk) {
    const rb_weights *weights = walk->weights;
    if (rb_is_full(walk->log)) return walk->search.at;
    walk->ops->visit(walk->rows, &walk->search, weights->w, weights->b, rb_act_of(walk->rule), walk);
    return walk->search.stop;
}

/* ------------------------------------------------------------------ several classes */

/* The last wrong class whose score equals that of the right class. */
static int64_t rb_last_tied(const rb_weights *weights, const void *scores, int64_t right,
                            int64_t rival) {
    const double best = rb_number(weights, scores, right);
    for (int64_t c = rival + 1; c < weights->n_vectors; c++)
        if (c != right && rb_beats(rb_number(weights, scores, c), best, 1)) rival = c;
    return rival;
}

/* Scores of this class that were taken before are out of date. */
RB_INLINE void rb_note_moved(const rb_walk *walk, int64_t vector) {
    rb_block *block = walk->search.block;
    if (!block) return;
    for (int64_t i = 0; block->together && i < block->n_moved; i++)
        if (block->moved[i] == vector) return;
    block->moved[block->n_moved++] = vector;
}

/* Raise the right class and lower the rival, if there is one; 0 when refused. */
static int rb_blame_one(rb_walk *walk, int64_t at, int64_t row, int64_t right, int64_t rival,
                        const rb_case *found) {
    const rb_rule *rule = walk->rule;
    const rb_decision decision = rb_ask(walk, found, rule->decide, rule->does & RB_VARIANCE);
    const double step = decision.step;
    if (step == 0.0) return 1;
    if (decision.scale != 1.0) return rb_refuse(walk, row);
    if (!rb_is_allowed(walk, step, found->squared)) return rb_refuse(walk, row);

    walk->tally->updates += 1;
    if (rival == RB_NO_RIVAL) walk->tally->raised_sum += step;
    else walk->tally->step_sum += step;

    rb_move_pair(walk, row, right, rival, step, decision.change, rb_counted_at(walk, at));
    if (rival != RB_NO_RIVAL) rb_note_moved(walk, rival);
    rb_note_moved(walk, right);
    rb_write(walk, at, row, right, rival, step, decision.change);
    return 1;
}

/* The same by a rule that scales all classes; there is always a rival. */
static int rb_blame_one_scaling(rb_walk *walk, int64_t at, int64_t row, int64_t right, int64_t rival,
                                rb_case *found) {
    rb_rescaling taken;
    if (!rb_rescale(walk, at, row, found, walk->rule->decide, &taken)) return 0;
    if (taken.step == 0.0) return 1;

    rb_move_pair(walk, row, right, rival, taken.step, 0.0, taken.counted);
    rb_write(walk, at, row, right, rival, taken.step, 0.0);
    rb_measure_length(walk);
    return 1;
}

/* shares[c] = exp(score of c - the highest score); returns their sum, and the highest score. */
RB_INLINE double rb_shares_of(const rb_weights *weights, const void *scores, double *shares,
                              double *highest) {
    const int64_t k = weights->n_vectors;
    double top = rb_number(weights, scores, 0);
    double total = 0.0;
    for (int64_t c = 1; c < k; c++) {
        const double score = rb_number(weights, scores, c);
        if (score > top) top = score;
    }
    for (int64_t c = 0; c < k; c++) shares[c] = rb_number(weights, scores, c) - top;
    rb_exponentials(shares, k);
    for (int64_t c = 0; c < k; c++) total += shares[c];
    *highest = top;
    return total;
}

/* Lower each wrong class by its probability and raise the right one by as much; 0 when refused:
 *
 *     w_c     <- w_c - eta p_c x                    for every wrong class c, p = softmax(scores)
 *     w_right <- w_right + eta (sum of the p_c) x
 *
 * `steps` and `lowered` have room for a number a class. */
static int rb_blame_all(rb_walk *walk, const void *scores, double *steps, int32_t *lowered, int64_t at,
                        int64_t row, int64_t right, double squared_norm, double weight) {
    const rb_rule *rule = walk->rule;
    rb_weights *weights = walk->weights;
    rb_tally *tally = walk->tally;
    const int64_t k = weights->n_vectors;
    const double eta = rb_soft_eta(&rule->parameters, squared_norm) * weight;
    const double counted = rb_counted_at(walk, at);
    double top;
    const double total = rb_shares_of(weights, scores, steps, &top);

    double growth = eta * walk->longest_row;
    if (rule->rates == RB_GRADIENTS) growth = fmax(rule->parameters.eta * (double)k, eta);
    if (!rb_within_reach(weights, growth)) return rb_refuse(walk, row);

    /* -log p_right */
    tally->loss += weight * (rb_logarithm(total) + top - rb_number(weights, scores, right));

    int64_t n = 0;
    for (int64_t c = 0; c < k; c++) {
        const double step = rb_as_stored(weights, eta * (steps[c] / total));
        if (c == right || step == 0.0) continue;
        const double change = rb_change_for(walk, step);
        tally->step_sum += step;
        steps[n] = step; /* n <= c, so that no share is lost */
        lowered[n] = (int32_t)c;
        n++;
        if (weights->rates) rb_move_pair(walk, row, right, c, step, change, counted);
        rb_write(walk, at, row, right, c, step, change);
    }
    tally->updates += n;
    if (!weights->rates)
        rb_move_apart(weights, walk->rows, walk->ops, row, right, n, lowered, steps, counted);
    return 1;
}

/* Learn several classes; `scores` has room for three doubles a class. The position reached. */
static int64_t rb_learn_classes(rb_walk *walk, void *scores) {
    const rb_rule *rule = walk->rule;
    const int does = rule->does;
    rb_search *search = &walk->search;
    rb_weights *weights = walk->weights;
    const int64_t stop = search->stop;
    const int64_t entries = does & RB_BLAMES_ALL ? weights->n_vectors : 1; /* that a row may write */
    int64_t at = search->at;
    int64_t rival = 0;
    rb_case found = {.squared = 0.0, .weight = 1.0};

    if (search->block) rb_begin_blocks(search, weights->n_vectors);
    for (; at < stop; at++) {
        if (walk->log && walk->log->size + entries > walk->log->capacity) return at;
        search->at = at;
        at = walk->ops->seek_class(walk->rows, search, weights->w, weights->b, weights->n_vectors,
                                   weights->feature_stride, scores, &rival, &found.margin);
        if (at == stop) break;

        const int64_t row = rb_row_at(search, at);
        const int64_t right = search->labels[row];
        if (walk->row_weights) {
            found.weight = walk->row_weights[row];
            if (found.weight == 0.0) continue;
        }

        /* At a tie the last of the equals wins, unless that is nobody's. Then the right class alone is
         * raised by a rule that says so. */
        const int is_tie = found.margin == 0.0;
        int raises_alone = 0;
        int64_t winner = rival;
        if (is_tie && rule->tie_is_mistake) raises_alone = does & RB_RAISES;
        else if (is_tie) winner = rb_last_tied(weights, scores, right, rival);
        found.mistaken = rb_is_mistake(found.margin, winner < right, rule->tie_is_mistake);
        if (found.mistaken) rival = winner;

        if (does & RB_VARIANCE) /* of both vectors that move */
            found.squared = rb_variance_of(walk, row, right) + rb_variance_of(walk, row, rival);
        else if (does & RB_NORM)
            found.squared = 2.0 * walk->ops->squared_norm(walk->rows, row, weights->fit_intercept);

        int is_learned;
        if (does & RB_BLAMES_ALL) {
            double *steps = (double *)scores + weights->n_vectors;
            int32_t *lowered = (int32_t *)(steps + weights->n_vectors);
            is_learned = rb_blame_all(walk, scores, steps, lowered, at, row, right, found.squared / 2.0,
                                      found.weight);
        } else if (does & RB_SCALES) {
            is_learned = rb_blame_one_scaling(walk, at, row, right, rival, &found);
        } else {
            const int64_t lowered = raises_alone ? RB_NO_RIVAL : rival;
            is_learned = rb_blame_one(walk, at, row, right, lowered, &found);
        }
        if (!is_learned) return at;
        rb_count(walk->tally, row, found.mistaken);
    }
    return stop;
}

/* ------------------------------------------------------------------ one row after the other */

/* By how much the right class is above the highest of the others. */
RB_INLINE double rb_margin_of(const double *scores, int64_t k, int32_t right) {
    int64_t rival;
    double margin;
    if (k == 1) return (2 * right - 1) * scores[0];
    RB_BEST_RIVAL(scores, k, right, &rival, &margin);
    return margin;
}

/* Whether a prediction with this margin is wrong; one by a tie is. */
RB_INLINE int rb_is_wrong(double margin) {
    return rb_is_mistake(margin, 0, 1);
}

/* Where the values of a row lie: its `first` and how many. Those of checked rows may have changed. */
static int64_t rb_values_of(const rb_walk *walk, int64_t row, int64_t *first) {
    const rb_rows *rows = walk->rows;
    int64_t end;
    *first = 0;
    if (!rows->columns) return rows->n_features;

    if (walk->index_bytes == 8) {
        *first = ((const int64_t *)rows->starts)[row];
        end = ((const int64_t *)rows->starts)[row + 1];
    } else {
        *first = ((const int32_t *)rows->starts)[row];
        end = ((const int32_t *)rows->starts)[row + 1];
    }

    const int is_ordered = *first >= 0 && *first <= end;
    if (is_ordered && end <= rows->n_stored && end - *first <= walk->most_stored) return end - *first;
    if (rows->outside) *rows->outside = 1;
    return 0;
}

/* The column of a value. */
static int64_t rb_column_of(const rb_walk *walk, int64_t value) {
    const rb_rows *rows = walk->rows;
    if (!rows->columns) return value;

    const int64_t column = walk->index_bytes == 8 ? ((const int64_t *)rows->columns)[value]
                                                  : ((const int32_t *)rows->columns)[value];
    if (column >= 0 && column < rows->n_features) return column;
    if (rows->outside) *rows->outside = 1;
    return 0;
}

/* Copy the weights that a step on a row may move, vector by vector, each with its bias behind. */
static void rb_copy_weights_of_row(const rb_walk *walk, const rb_weights *weights, int64_t row,
                                   double *before) {
    int64_t first;
    const int64_t n = rb_values_of(walk, row, &first);
    for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
        const double *w = (const double *)weights->w + vector * weights->class_stride;
        for (int64_t i = 0; i < n; i++)
            *before++ = w[rb_column_of(walk, first + i) * weights->feature_stride];
        *before++ = ((const double *)weights->b)[vector];
    }
}

/* Put by how much these weights have moved since in the place of the copy; whether any has. */
static int rb_subtract_from_weights(const rb_walk *walk, const rb_weights *weights, int64_t first,
                                    int64_t n, double *before) {
    int64_t at = 0;
    for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
        const double *w = (const double *)weights->w + vector * weights->class_stride;
        for (int64_t i = 0; i < n; i++) {
            before[at] = w[rb_column_of(walk, first + i) * weights->feature_stride] - before[at];
            at++;
        }
        before[at] = ((const double *)weights->b)[vector] - before[at];
        at++;
    }

    for (int64_t i = 0; i < at; i++)
        if (before[i] != 0.0) return 1;
    return 0;
}

/* Let the means lag by what the weights have moved since `before` was copied:
 *
 *     lag <- lag + (w - before) / scale
 */
static void rb_lag_behind(const rb_walk *walk, const rb_weights *weights, int64_t row, double *before) {
    rb_readout *readout = walk->readout;
    int64_t first;
    const int64_t n = rb_values_of(walk, row, &first);
    const int has_moved = rb_subtract_from_weights(walk, weights, first, n, before);

    /* Before the first example all means are the weights. */
    if (!has_moved || readout->t == 0) return;

    for (int mean = 0; mean < RB_MEANS; mean++) {
        const double scale = readout->scales[mean];
        const double *moved = before;
        for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
            double *lag = readout->lags[mean] + vector * weights->class_stride;
            for (int64_t i = 0; i < n; i++)
                lag[rb_column_of(walk, first + i) * weights->feature_stride] += *moved++ / scale;
            readout->bias_lags[mean][vector] += *moved++ / scale;
        }
    }
}

/* Learn from the row at a place; whether it was not refused, and the log had room for it. */
static int rb_learn_row_at(rb_walk *walk, int64_t at, double *room) {
    walk->search.at = at;
    walk->search.stop = at + 1;
    return at < (walk->weights->n_vectors == 1 ? rb_learn_binary(walk) : rb_learn_classes(walk, room));
}

/* Let the gentle learner of a mix learn from the row as well; a step that is refused is not made. */
static void rb_learn_gently(const rb_walk *walk, int64_t at, double *room) {
    rb_tally tally = {.refused = -1};
    rb_walk gentle = *walk;
    gentle.weights = &walk->readout->gentle;
    gentle.rule = walk->readout->gentle_rule;
    gentle.tally = &tally;
    gentle.log = NULL;
    gentle.readout = NULL;
    gentle.search.quiet_above = gentle.rule->quiet_above;
    rb_learn_row_at(&gentle, at, room);
}

/* Predict a row, then learn from it, then let the read-outs follow, one row after the other. Weights
 * in double; `room` as `rb_room` says. */
static int64_t rb_learn_each(rb_walk *walk, const rb_tested *tested, double *room) {
    rb_search *search = &walk->search;
    rb_weights *weights = walk->weights;
    rb_readout *readout = walk->readout;
    const rb_weights *averaged = readout && readout->has_gentle ? &readout->gentle : weights;
    const int64_t stop = search->stop;
    const int64_t k = weights->n_vectors;
    double *served = room + 3 * k;
    double *by_each = served + k;
    double *before = by_each + RB_MOST_READ * k;
    int wrong[RB_MOST_READ];

    for (int64_t at = search->at; at < stop; at++) {
        const int64_t row = rb_row_at(search, at);
        const int32_t right = search->labels[row];

        if (readout) { /* each of them is judged, whichever predicts */
            rb_score_by(walk->rows, walk->ops, row, weights, weights->w, weights->b, room, by_each);
            rb_score_each(walk->rows, walk->ops, row, weights, readout, room, by_each);
            rb_choose_scores(readout, k, by_each, served);
        } else {
            rb_score_served(walk->rows, walk->ops, row, weights, NULL, walk->seen_at_zero + at, room,
                            by_each, served);
        }

        const double margin = rb_margin_of(by_each, k, right);
        double served_margin = margin;
        if (tested && !tested->latest) served_margin = rb_margin_of(served, k, right);
        if (tested && tested->scores)
            memcpy(tested->scores + row * k, served, (size_t)k * sizeof(double));
        if (readout) {
            for (int i = 0; i < rb_n_read(readout); i++)
                wrong[i] = rb_is_wrong(rb_margin_of(by_each + i * k, k, right));
            rb_copy_weights_of_row(walk, averaged, row, before);
        }

        if (margin <= search->quiet_above && !rb_learn_row_at(walk, at, room)) return at;

        if (tested) tested->wrong[row] = rb_is_wrong(served_margin);
        if (!readout) continue;
        if (readout->has_gentle) rb_learn_gently(walk, at, room);
        rb_lag_behind(walk, averaged, row, before);
        rb_end_example(readout, weights, wrong);
    }
    return stop;
}

/* ------------------------------------------------------------------ recorded updates */

/* By what the running sums count a recorded update. Of scaled weights by the clock that was recorded; the
 * scale and the folds are brought to those of the update. */
RB_INLINE double rb_counted_as_recorded(rb_weights *weights, const rb_log *log, int64_t i) {
    if (!weights->is_scaled) return (double)(log->t[i] - 1 - weights->average_from);

    double counted = log->clock[i];
    const int64_t folds = log->folds[i] - weights->folds;
    if (folds > 0) {
        rb_fold(weights, folds, counted);
        counted = 0.0; /* the clock begins again at a fold */
    }
    weights->scale = log->scale[i];
    return counted;
}

/* Repeat the recorded updates at the positions of the walk. What scaled the weights after the last update is
 * left to the caller. */
static int64_t rb_replay(const rb_walk *walk) {
    const rb_log *log = walk->recorded;
    rb_weights *weights = walk->weights;
    const int64_t stop = walk->search.stop;

    for (int64_t i = walk->search.at; i < stop; i++) {
        const double counted = rb_counted_as_recorded(weights, log, i);
        const double change = weights->rates ? log->change[i] : 0.0;
        const double step = log->step[i];
        const int32_t right = log->right[i];
        if (weights->n_vectors == 1)
            rb_move_vector(walk, log->row[i], 0, (2 * right - 1) * step, change, counted);
        else
            rb_move_pair(walk, log->row[i], right, log->wrong[i], step, change, counted);
    }
    return stop;
}

/* ------------------------------------------------------------------ the door */

/* Whether every row is scored before the next one is looked at. */
RB_INLINE int rb_goes_row_by_row(const rb_walk *walk, const rb_tested *tested) {
    return tested || walk->readout;
}

/* How many doubles of `room` a walk needs. */
static int64_t rb_room(const rb_walk *walk, const rb_tested *tested) {
    const int64_t k = walk->weights->n_vectors;
    int64_t needed = k == 1 ? 3 : (1 + RB_BLOCK) * k;
    if (rb_goes_row_by_row(walk, tested)) needed += (1 + RB_MOST_READ) * k;
    if (walk->readout) needed += k * (walk->most_stored + 1);
    return needed;
}

/* The one door: learn from the rows of a walk in order, or repeat what was recorded. The position reached,
 * which is before `stop` when the log is full or a row is refused; then nothing has changed from that row
 * on. What is repeated needs no room and no rule. */
static int64_t rb_learn(rb_walk *walk, const rb_tested *tested, double *room) {
    if (walk->recorded) return rb_replay(walk);
    if (rb_goes_row_by_row(walk, tested)) return rb_learn_each(walk, tested, room);
    return walk->weights->n_vectors == 1 ? rb_learn_binary(walk) : rb_learn_classes(walk, room);
}

#endif
