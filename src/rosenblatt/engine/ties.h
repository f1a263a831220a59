/* Who wins among equal scores: the option `ties` of the learners.
 *
 * "mistake": a tie is nobody's, so that whoever was right by a tie has made a mistake; a prediction that
 * has to name a class takes the first of the equals. "positive": the last of the equals wins, which of
 * two classes is the positive one. */
#ifndef ROSENBLATT_TIES_H
#define ROSENBLATT_TIES_H

#include <stdint.h>

/* Whether a margin is that of a mistake; `is_positive` says whether the right class wins a tie if a tie
 * can be won. Without branches, as nobody can predict a sign. */
static inline int rb_is_mistake(double margin, int is_positive, int tie_is_mistake) {
    return (margin < 0.0) | ((margin == 0.0) & (tie_is_mistake | !is_positive));
}

/* The vote by a score of two classes: 1 for the positive one, -1 for the other, `at_tie` (1 or 0) for
 * equal scores. Compilers make choices between constants of it, several at a time. */
static inline double rb_vote(double score, double at_tie) {
    const double sign = score > 0.0 ? 1.0 : score < 0.0 ? -1.0 : 0.0;
    return score == 0.0 ? at_tie : sign;
}

/* Whether a class takes the place of the best one so far. */
static inline int rb_beats(double score, double best, int wins_tie) {
    return (score > best) | (wins_tie & (score == best));
}

/* The class with the best score, of equals the last one or the first. */
static inline int64_t rb_best_class(const double *scores, int64_t n_classes, int last_wins) {
    int64_t best = 0;
    for (int64_t c = 1; c < n_classes; c++)
        if (rb_beats(scores[c], scores[best], last_wins)) best = c;
    return best;
}

#endif
