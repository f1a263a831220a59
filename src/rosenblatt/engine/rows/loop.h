/* The training loop: walk the rows in order, act where the rule says so. Plain C, nothing of Python.
 *
 * `visit` and `seek_class` skip the rows that need nothing; this file decides what the others get. It
 * is the only place where weights change, and where recorded changes are repeated.
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
    int32_t *right, *wrong;
    double *step;
    int64_t *t;
    double *change; /* by how much the rates fell, or NULL */
    /* Of weights that are scaled: the scale and the folds after the update, and the clock before it and
     * before a fold of its own; else NULL. */
    double *scale;
    int64_t *folds;
    double *clock;
    int64_t size, capacity;
} rb_log;

/* What a run adds up. */
typedef struct {
    int64_t mistakes, updates;
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
    int64_t seen_at_zero; /* examples seen before position 0 */
    rb_readout *readout;  /* or NULL: the last weights predict, or their mean */
    int64_t most_stored;  /* no row has more values; of interest to a read-out only */
    int index_bytes;      /* sparse rows: the size of a column number */
} rb_walk;

RB_INLINE double rb_as_stored(const rb_weights *weights, double step) {
    /* The step as it is applied, so that what is recorded is what was done. */
    return weights->is_float32 ? (double)(float)step : step;
}

/* The variance of the score of a row by a vector. */
RB_INLINE double rb_variance_of(const rb_walk *walk, int64_t row, int64_t vector) {
    const rb_weights *weights = walk->weights;
    double last = weights->fit_intercept ? rb_number(weights, weights->bias_rate, vector) : 0.0;
    const char *rates = weights->rate + vector * weights->class_stride * weights->itemsize;
    return walk->ops->variance(walk->rows, row, rates, weights->feature_stride, last);
}

/* By how much the rates fall with a step against the gradient of its length. */
RB_INLINE double rb_change_for(const rb_walk *walk, double step) {
    double gradient = step / walk->rule->parameters.eta, square = gradient * gradient;
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
            double whole = (1.0 - found->margin) / found->squared;
            if (whole < decision.step) decision.step = whole;
        }
    }
    decision.step = rb_as_stored(walk->weights, decision.step);
    decision.change = rb_change_for(walk, decision.step);
    return decision;
}

RB_INLINE void rb_write(const rb_walk *walk, int64_t at, int64_t row, int64_t right, int64_t wrong,
                        double step, double change) {
    rb_log *log = walk->log;
    if (!log) return;
    log->row[log->size] = row;
    log->right[log->size] = (int32_t)right;
    log->wrong[log->size] = (int32_t)wrong;
    log->step[log->size] = step;
    if (log->change) log->change[log->size] = change;
    log->t[log->size++] = walk->seen_at_zero + at + 1;
}

RB_INLINE void rb_move_by(const rb_walk *walk, int64_t at, int64_t row, int64_t vector, double step,
                          double change) {
    rb_move(walk->weights, walk->rows, walk->ops, row, vector, step, change,
            walk->seen_at_zero + at);
}

/* Repeat the recorded updates start .. stop - 1, in the order of training. What scaled the weights after the
 * last update is left to the caller. */
static void rb_replay(rb_weights *weights, const rb_rows *rows, const rb_ops *ops, const rb_log *log,
                      int64_t start, int64_t stop) {
    for (int64_t i = start; i < stop; i++) {
        double counted;
        if (weights->is_scaled) {
            counted = log->clock[i];
            if (log->folds[i] > weights->folds) {
                rb_fold(weights, log->folds[i] - weights->folds, counted);
                counted = 0.0;
            }
            weights->scale = log->scale[i];
        } else {
            counted = (double)(log->t[i] - 1 - weights->average_from);
        }

        const double change = weights->rates ? log->change[i] : 0.0, step = log->step[i];
        const int32_t right = log->right[i], wrong = log->wrong[i];
        if (weights->n_vectors == 1) {
            const double signed_step = (2 * right - 1) * step;
            rb_move_counted(weights, rows, ops, log->row[i], 0, signed_step, change, counted);
            continue;
        }
        if (wrong != RB_NO_RIVAL)
            rb_move_counted(weights, rows, ops, log->row[i], wrong, -step, change, counted);
        rb_move_counted(weights, rows, ops, log->row[i], right, step, change, counted);
    }
}

/* Whether a step keeps all weights within their limit; else the row is named as refused. No variance
 * is above 1, and a step divided by the root of all squared gradients is no longer than eta. */
RB_INLINE int rb_allowed(const rb_walk *walk, int64_t row, double step, double squared_norm) {
    double length = walk->rule->does & (RB_NORM | RB_VARIANCE) ? sqrt(squared_norm) : walk->longest_row;
    if (walk->rule->rates == RB_GRADIENTS && step < walk->weights->limit)
        length = walk->rule->parameters.eta / step;
    if (rb_within_reach(walk->weights, step * length)) return 1;
    walk->tally->refused = row;
    return 0;
}

/* By arithmetic: where a rule acts on right rows too, a branch could not be predicted. */
RB_INLINE void rb_count(rb_tally *tally, int64_t row, int mistaken) {
    tally->mistakes += mistaken;
    if (tally->counts) tally->counts[row] += mistaken;
}

/* log(1 + exp(-margin)), by the step, which is eta / (1 + exp(margin)). */
RB_INLINE double rb_log_loss(const rb_walk *walk, double margin, double squared_norm, double step) {
    double wrong = step / rb_soft_eta(&walk->rule->parameters, squared_norm);
    return margin > 0.0 ? -rb_logarithm(1.0 - wrong) : -margin - rb_logarithm(wrong);
}

/* Two classes: learn from a row of this margin. The search ends before a row that is refused, and
 * after one that fills the log. `decide` and `kind` are known to the compiler, which makes one such
 * function for each rule: of a rule without lengths and rates, of one with variances, of any other. */
enum { RB_PLAIN, RB_SURE, RB_OTHER };

RB_INLINE double rb_act_on(rb_walk *walk, int64_t at, double margin, rb_decide decide,
                           const int kind) {
    const rb_rule *rule = walk->rule;
    rb_weights *weights = walk->weights;
    rb_tally *tally = walk->tally;
    const int64_t row = rb_row_at(&walk->search, at);
    const int32_t label = walk->search.labels[row];
    rb_case found = {.margin = margin, .squared = 0.0, .weight = 1.0};
    rb_decision decision;

    if (walk->row_weights && (found.weight = walk->row_weights[row]) == 0.0) return 0.0;
    /* A plain rule acts on little but mistakes, so that the first branch is predicted. */
    found.mistaken = (kind == RB_PLAIN && margin < 0.0)
                     || rb_is_mistake(margin, label, rule->tie_is_mistake);

    if (kind == RB_PLAIN) {
        decision = decide(&rule->parameters, &found);
        decision.step = rb_as_stored(weights, found.weight * decision.step);
    } else if (kind == RB_SURE) {
        found.squared = rb_variance_of(walk, row, 0);
        decision = rb_ask(walk, &found, decide, 1);
    } else {
        if (rule->does & RB_NORM)
            found.squared = walk->ops->squared_norm(walk->rows, row, weights->fit_intercept);
        decision = rb_ask(walk, &found, decide, 0);
    }

    const double step = decision.step;
    if (step != 0.0) {
        if (!(kind == RB_OTHER ? rb_allowed(walk, row, step, found.squared)
                               : rb_within_reach(weights, step * (kind == RB_SURE
                                                                      ? sqrt(found.squared)
                                                                      : walk->longest_row)))) {
            tally->refused = row;
            walk->search.stop = at;
            return 0.0;
        }
        if (kind == RB_OTHER && rule->does & RB_BLAMES_ALL)
            tally->loss += found.weight * rb_log_loss(walk, margin, found.squared, step / found.weight);
        tally->updates += 1;
        tally->step_sum += step;
        rb_move_by(walk, at, row, 0, (2 * label - 1) * step, decision.change);
        if (tally->alpha) tally->alpha[row] += (2 * label - 1) * step;
        rb_write(walk, at, row, label, 1 - label, step, decision.change);
        if (walk->log && walk->log->size == walk->log->capacity) walk->search.stop = at + 1;
    }
    rb_count(tally, row, found.mistaken);
    return kind != RB_PLAIN && weights->rates ? NAN : step;
}

/* How weights that are scaled change for a row. */
typedef struct {
    double step;    /* of v; 0: it only scales */
    double counted; /* the clock that the running sums count by */
} rb_rescaling;

/* Ask a rule that scales, `found` having its margin by v, and scale w as it says; 0 if that is refused,
 * and then nothing has changed. The step itself is left to the caller. Folds come before a step and only
 * with one, so that the ledger has an entry for each. */
static int rb_rescale(rb_walk *walk, int64_t at, int64_t row, rb_case *found, rb_decide decide,
                      rb_rescaling *taken) {
    rb_weights *weights = walk->weights;
    const int64_t seen = walk->seen_at_zero + at;
    found->margin *= weights->scale;
    found->length2 = weights->length2;
    found->k = weights->updates + 1;
    found->t = weights->examples + 1;
    const rb_decision decision = decide(&walk->rule->parameters, found);

    /* What the rule may not say, whether it takes a step or not. */
    double scale = weights->scale * decision.scale;
    walk->tally->refused = row;
    if (!(decision.scale > 0.0 && decision.scale <= 1.0 && scale >= RB_SMALLEST_SCALE)) return 0;

    int64_t folds = 0;
    taken->step = 0.0;
    if (decision.step != 0.0) {
        double folded = scale;
        for (; folded < RB_FOLD_BELOW; folds++) folded /= RB_FOLD_BELOW;
        taken->step = rb_as_stored(weights, decision.step / folded);
        if (taken->step != 0.0) scale = folded;
        else folds = 0;
    }
    const double factor = rb_fold_factor(folds);
    double growth = 0.0;
    if (taken->step != 0.0) {
        const double length =
            walk->rule->does & RB_NORM ? sqrt(found->squared) : walk->longest_row;
        growth = taken->step * length;
        if (!(weights->reach * factor + growth <= weights->limit)) {
            weights->reach = rb_largest_weight(weights);
            if (!(weights->reach * factor + growth <= weights->limit)) return 0;
        }
    }
    walk->tally->refused = -1;

    /* From here on nothing is refused. */
    const double clock = rb_clock_at(weights, seen);
    if (folds) {
        rb_fold(weights, folds, clock);
        /* The steps of each row are counted in units of v as well. */
        double *alpha = walk->tally->alpha;
        for (int64_t i = 0; alpha && i < walk->rows->n_rows; i++) alpha[i] *= factor;
    }
    weights->reach += growth;
    weights->examples += 1;
    if (walk->rule->does & RB_HINGE && found->margin < 1.0)
        walk->tally->loss += found->weight * (1.0 - found->margin);
    taken->counted = folds ? 0.0 : clock;
    if (folds || scale != weights->scale) {
        weights->clock = taken->counted;
        weights->since = seen;
        weights->scale = scale;
    }
    if (taken->step != 0.0) {
        weights->updates += 1;
        walk->tally->updates += 1;
        walk->tally->step_sum += taken->step * scale;
        rb_log *log = walk->log;
        if (log && log->scale) { /* the caller writes the rest of the entry */
            log->scale[log->size] = scale;
            log->folds[log->size] = weights->folds;
            log->clock[log->size] = clock;
        }
    }
    if (walk->rule->does & RB_LENGTH) {
        /* |s w + step y x|^2 from what is known, so that no table is read. */
        const double s = decision.scale, step = taken->step * scale;
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

/* Two classes: learn from a row by a rule that scales; as `rb_act_on` otherwise. */
RB_INLINE double rb_act_scaling(rb_walk *walk, int64_t at, double margin, rb_decide decide) {
    rb_weights *weights = walk->weights;
    rb_tally *tally = walk->tally;
    const int64_t row = rb_row_at(&walk->search, at);
    const int32_t label = walk->search.labels[row];
    rb_case found = {.margin = margin, .squared = 0.0, .weight = 1.0,
                     .mistaken = rb_is_mistake(margin, label, walk->rule->tie_is_mistake)};
    rb_rescaling taken;

    if (walk->row_weights && (found.weight = walk->row_weights[row]) == 0.0) return 0.0;
    if (walk->rule->does & RB_NORM)
        found.squared = walk->ops->squared_norm(walk->rows, row, weights->fit_intercept);
    if (!rb_rescale(walk, at, row, &found, decide, &taken)) {
        walk->search.stop = at;
        return 0.0;
    }
    if (taken.step != 0.0) {
        const double step = (2 * label - 1) * taken.step;
        rb_move_counted(weights, walk->rows, walk->ops, row, 0, step, 0.0, taken.counted);
        if (tally->alpha) tally->alpha[row] += step;
        rb_write(walk, at, row, label, 1 - label, taken.step, 0.0);
        if (walk->log && walk->log->size == walk->log->capacity) walk->search.stop = at + 1;
        rb_measure_length(walk);
    }
    rb_count(tally, row, found.mistaken);
    return NAN;
}

/* Of a rule written in Python, or whose weights have rates by their gradients. */
static double rb_act_any(void *walk, int64_t at, double margin) {
    return rb_act_on(walk, at, margin, ((rb_walk *)walk)->rule->decide, RB_OTHER);
}

#define RB_KIND_OF(does) \
    ((does) & RB_VARIANCE ? RB_SURE : (does) & (RB_NORM | RB_BLAMES_ALL) ? RB_OTHER : RB_PLAIN)
#define RB_ACT_OF(id, name, does, quiet_above, longest_step)                       \
    static double rb_act_##id(void *walk, int64_t at, double margin) {             \
        if ((does) & RB_SCALES) return rb_act_scaling(walk, at, margin, rb_decide_##id); \
        return rb_act_on(walk, at, margin, rb_decide_##id, RB_KIND_OF(does));      \
    }
RB_RULES(RB_ACT_OF)

RB_INLINE rb_action rb_act_of(const rb_rule *rule) {
#define RB_NAME_OF_ACT(id, name, does, quiet_above, longest_step) rb_act_##id,
    static const rb_action acts[] = {RB_RULES(RB_NAME_OF_ACT)};
#undef RB_NAME_OF_ACT
    return rule->number < 0 || rule->rates == RB_GRADIENTS ? rb_act_any : acts[rule->number];
}

/* Two classes: the position reached, which is before `stop` when the log is full or a row refused. */
static int64_t rb_learn_binary(rb_walk *walk) {
    if (walk->log && walk->log->size == walk->log->capacity) return walk->search.at;
    walk->ops->visit(walk->rows, &walk->search, walk->weights->w, walk->weights->b,
                     rb_act_of(walk->rule), walk);
    return walk->search.stop;
}

/* The last wrong class whose score equals that of the right class. */
static int64_t rb_last_tied(const rb_weights *weights, const void *scores, int64_t right,
                            int64_t rival) {
    double best = rb_number(weights, scores, right);
    for (int64_t c = rival + 1; c < weights->n_vectors; c++)
        if (c != right && rb_number(weights, scores, c) == best) rival = c;
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
                        double margin, double squared_norm, int mistaken, double weight) {
    const rb_case found = {
        .margin = margin, .squared = squared_norm, .weight = weight, .mistaken = mistaken};
    const rb_rule *rule = walk->rule;
    const rb_decision decision = rb_ask(walk, &found, rule->decide, rule->does & RB_VARIANCE);
    const double step = decision.step, change = decision.change;
    if (step == 0.0) return 1;
    if (!rb_allowed(walk, row, step, squared_norm)) return 0;
    walk->tally->updates += 1;
    if (rival == RB_NO_RIVAL) {
        walk->tally->raised_sum += step;
    } else {
        walk->tally->step_sum += step;
        rb_move_by(walk, at, row, rival, -step, change);
        rb_note_moved(walk, rival);
    }
    rb_move_by(walk, at, row, right, step, change);
    rb_note_moved(walk, right);
    rb_write(walk, at, row, right, rival, step, change);
    return 1;
}

/* The same by a rule that scales all classes; there is always a rival. */
static int rb_blame_one_scaling(rb_walk *walk, int64_t at, int64_t row, int64_t right, int64_t rival,
                                double margin, double squared_norm, int mistaken, double weight) {
    rb_case found = {
        .margin = margin, .squared = squared_norm, .weight = weight, .mistaken = mistaken};
    rb_weights *weights = walk->weights;
    rb_rescaling taken;
    if (!rb_rescale(walk, at, row, &found, walk->rule->decide, &taken)) return 0;
    if (taken.step == 0.0) return 1;
    rb_move_counted(weights, walk->rows, walk->ops, row, rival, -taken.step, 0.0, taken.counted);
    rb_move_counted(weights, walk->rows, walk->ops, row, right, taken.step, 0.0, taken.counted);
    rb_write(walk, at, row, right, rival, taken.step, 0.0);
    rb_measure_length(walk);
    return 1;
}

/* Lower each wrong class by its probability and raise the right one by as much; 0 when refused.
 * `steps` and `lowered` have room for a number a class. */
static int rb_blame_all(rb_walk *walk, const void *scores, double *steps, int32_t *lowered, int64_t at,
                        int64_t row, int64_t right, double squared_norm, double weight) {
    rb_weights *weights = walk->weights;
    const int64_t k = weights->n_vectors;
    double total = 0.0, eta = rb_soft_eta(&walk->rule->parameters, squared_norm) * weight;
    double top = rb_number(weights, scores, 0);
    for (int64_t c = 1; c < k; c++) {
        double score = rb_number(weights, scores, c);
        if (score > top) top = score;
    }
    for (int64_t c = 0; c < k; c++) steps[c] = rb_number(weights, scores, c) - top;
    rb_exponentials(steps, k);
    for (int64_t c = 0; c < k; c++) total += steps[c];
    double growth = eta * walk->longest_row;
    if (walk->rule->rates == RB_GRADIENTS)
        growth = fmax(walk->rule->parameters.eta * (double)k, eta);
    if (!rb_within_reach(weights, growth)) {
        walk->tally->refused = row;
        return 0;
    }
    walk->tally->loss += weight * (rb_logarithm(total) + top - rb_number(weights, scores, right));
    int64_t n = 0;
    for (int64_t c = 0; c < k; c++) {
        double step = rb_as_stored(weights, eta * (steps[c] / total));
        if (c == right || step == 0.0) continue;
        walk->tally->step_sum += step;
        steps[n] = step, lowered[n++] = (int32_t)c;
        double change = rb_change_for(walk, step);
        if (weights->rates) {
            rb_move_by(walk, at, row, c, -step, change);
            rb_move_by(walk, at, row, right, step, change);
        }
        rb_write(walk, at, row, right, c, step, change);
    }
    walk->tally->updates += n;
    if (!weights->rates)
        rb_move_apart(weights, walk->rows, walk->ops, row, right, n, lowered, steps,
                      walk->seen_at_zero + at);
    return 1;
}

/* Several classes; `scores` has room for three doubles a class. */
static int64_t rb_learn_classes(rb_walk *walk, void *scores) {
    rb_search *search = &walk->search;
    const rb_rule *rule = walk->rule;
    rb_weights *weights = walk->weights;
    int64_t at = search->at, stop = search->stop, rival = 0;
    int64_t entries = rule->does & RB_BLAMES_ALL ? weights->n_vectors : 1;
    double margin, squared_norm = 0.0, weight = 1.0;
    if (search->block) rb_begin_blocks(search, weights->n_vectors);
    for (; at < stop; at++) {
        if (walk->log && walk->log->size + entries > walk->log->capacity) return at;
        search->at = at;
        at = walk->ops->seek_class(walk->rows, search, weights->w, weights->b, weights->n_vectors,
                                   weights->feature_stride, scores, &rival, &margin);
        if (at == stop) break;
        int64_t row = rb_row_at(search, at);
        if (walk->row_weights && (weight = walk->row_weights[row]) == 0.0) continue;
        int64_t right = search->labels[row];
        int mistaken = margin <= 0.0, alone = 0;
        if (margin == 0.0) {
            if (rule->tie_is_mistake) {
                alone = rule->does & RB_RAISES;
            } else {
                int64_t winner = rb_last_tied(weights, scores, right, rival);
                mistaken = winner > right;
                if (mistaken) rival = winner;
            }
        }
        if (rule->does & RB_VARIANCE) /* of both vectors that move */
            squared_norm = rb_variance_of(walk, row, right) + rb_variance_of(walk, row, rival);
        else if (rule->does & RB_NORM)
            squared_norm = 2.0 * walk->ops->squared_norm(walk->rows, row, weights->fit_intercept);
        if (rule->does & RB_BLAMES_ALL) {
            double *steps = (double *)scores + weights->n_vectors;
            int32_t *lowered = (int32_t *)(steps + weights->n_vectors);
            if (!rb_blame_all(walk, scores, steps, lowered, at, row, right, squared_norm / 2.0, weight))
                return at;
        } else if (rule->does & RB_SCALES) {
            if (!rb_blame_one_scaling(walk, at, row, right, rival, margin, squared_norm, mistaken, weight))
                return at;
        } else if (!rb_blame_one(walk, at, row, right, alone ? RB_NO_RIVAL : rival, margin,
                                 squared_norm, mistaken, weight)) {
            return at;
        }
        rb_count(walk->tally, row, mistaken);
    }
    return stop;
}

/* By how much the right class is above the highest of the others. */
RB_INLINE double rb_margin_of(const double *scores, int64_t k, int32_t right) {
    int64_t rival;
    double margin;
    if (k == 1) return (2 * right - 1) * scores[0];
    RB_BEST_RIVAL(scores, k, right, &rival, &margin);
    return margin;
}

/* ------------------------------------------------------------------ one row after the other */

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
    if (*first >= 0 && *first <= end && end <= rows->n_stored && end - *first <= walk->most_stored)
        return end - *first;
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

/* Take down the weights that a step on a row may move, vector by vector, each with its bias behind. */
static void rb_remember(const rb_walk *walk, const rb_weights *weights, int64_t row, double *before) {
    int64_t first;
    const int64_t n = rb_values_of(walk, row, &first);
    for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
        const double *w = (const double *)weights->w + vector * weights->class_stride;
        for (int64_t i = 0; i < n; i++)
            *before++ = w[rb_column_of(walk, first + i) * weights->feature_stride];
        *before++ = ((const double *)weights->b)[vector];
    }
}

/* Let the means lag by what the weights have moved since. */
static void rb_lag_behind(const rb_walk *walk, const rb_weights *weights, int64_t row, double *before) {
    rb_readout *readout = walk->readout;
    int64_t first, at = 0;
    const int64_t n = rb_values_of(walk, row, &first);
    int has_moved = 0;
    for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
        const double *w = (const double *)weights->w + vector * weights->class_stride;
        for (int64_t i = 0; i < n; i++, at++)
            before[at] = w[rb_column_of(walk, first + i) * weights->feature_stride] - before[at];
        before[at] = ((const double *)weights->b)[vector] - before[at];
        at++;
    }
    for (int64_t i = 0; i < at && !has_moved; i++) has_moved = before[i] != 0.0;
    /* Before the first example all means are the weights. */
    if (!has_moved || readout->t == 0) return;

    for (int mean = 0; mean < RB_MEANS; mean++) {
        const double scale = readout->scales[mean];
        at = 0;
        for (int64_t vector = 0; vector < weights->n_vectors; vector++) {
            double *lag = readout->lags[mean] + vector * weights->class_stride;
            for (int64_t i = 0; i < n; i++, at++)
                lag[rb_column_of(walk, first + i) * weights->feature_stride] += before[at] / scale;
            readout->bias_lags[mean][vector] += before[at++] / scale;
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
    const int64_t stop = search->stop, k = weights->n_vectors;
    double *served = room + 3 * k, *by_each = served + k, *before = by_each + RB_MOST_READ * k;
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
        const double served_margin =
            tested && !tested->latest ? rb_margin_of(served, k, right) : margin;
        if (tested && tested->scores)
            memcpy(tested->scores + row * k, served, (size_t)k * sizeof(double));
        if (readout) {
            for (int i = 0; i < rb_n_read(readout); i++)
                wrong[i] = rb_margin_of(by_each + i * k, k, right) <= 0.0;
            rb_remember(walk, averaged, row, before);
        }

        if (margin <= search->quiet_above && !rb_learn_row_at(walk, at, room)) return at;

        if (tested) tested->wrong[row] = served_margin <= 0.0;
        if (!readout) continue;
        if (readout->has_gentle) rb_learn_gently(walk, at, room);
        rb_lag_behind(walk, averaged, row, before);
        rb_end_example(readout, weights, wrong);
    }
    return stop;
}

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

/* The one door: learn from the rows of a walk, in order. The position reached, which is before `stop`
 * when the log is full or a row is refused; then nothing has changed from that row on. */
static int64_t rb_learn(rb_walk *walk, const rb_tested *tested, double *room) {
    if (rb_goes_row_by_row(walk, tested)) return rb_learn_each(walk, tested, room);
    return walk->weights->n_vectors == 1 ? rb_learn_binary(walk) : rb_learn_classes(walk, room);
}

#endif
