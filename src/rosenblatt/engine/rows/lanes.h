/* Sums over dense rows of type REAL in eight lanes, and rows added to weights. Included by dense.h,
 * which says in what order lanes are added. */
#if defined(__GNUC__)
typedef REAL F(four) __attribute__((vector_size(4 * sizeof(REAL))));
#define LOAD4(p) ({ F(four) v_; memcpy(&v_, (p), sizeof v_); v_; })

/* Eight lanes: one vector of eight floats or two vectors of four doubles, as AVX2 holds them. */
#if LANES_IN_ONE_VECTOR
typedef REAL F(lanes) __attribute__((vector_size(8 * sizeof(REAL))));
typedef BITS F(bits) __attribute__((vector_size(8 * sizeof(BITS))));
#define NO_LANES {0}
#define LOAD8(p) ({ F(lanes) v_; memcpy(&v_, (p), sizeof v_); v_; })
#define PRODUCT(a, b) ((a) * (b))
#define ADD(l, a) ((l) += (a))
#define ADD_PRODUCT(l, a, b) ((l) += (a) * (b))
#define ALL(s) ((s) + (F(lanes)){0})
#define LOW(l) ({ F(four) v_; memcpy(&v_, &(l), sizeof v_); v_; })
#define HIGH(l) ({ F(four) v_; memcpy(&v_, (const char *)&(l) + sizeof v_, sizeof v_); v_; })
#else
typedef struct { F(four) low, high; } F(lanes);
typedef BITS F(bits) __attribute__((vector_size(4 * sizeof(BITS))));
#define NO_LANES {{0}, {0}}
#define LOAD8(p) ((F(lanes)){LOAD4(p), LOAD4((p) + 4)})
#define PRODUCT(a, b) \
    ({ F(lanes) a_ = (a), b_ = (b); (F(lanes)){a_.low * b_.low, a_.high * b_.high}; })
#define ADD(l, a) \
    do { F(lanes) a_ = (a); (l).low += a_.low; (l).high += a_.high; } while (0)
#define ADD_PRODUCT(l, a, b) \
    do { F(lanes) a_ = (a), b_ = (b); (l).low += a_.low * b_.low; (l).high += a_.high * b_.high; } while (0)
#define ALL(s) ((F(lanes)){(s) + (F(four)){0}, (s) + (F(four)){0}})
#define LOW(l) ((l).low)
#define HIGH(l) ((l).high)
#endif

/* The last `left` < 8 features, or their squares, and the bias, then the sum of the lanes. */
RB_INLINE REAL F(finish)(F(lanes) l, const REAL *x, const REAL *w, int64_t left, REAL bias,
                         const int squared) {
#define TIMES(v) (squared ? (v) * (v) : (v))
    F(four) low = LOW(l), high = HIGH(l), last;
    int upper = left >= 4;
    if (upper) {
        low += TIMES(LOAD4(x)) * LOAD4(w);
        x += 4, w += 4, left -= 4;
    }
    switch (left) {
    case 0: last = (F(four)){bias, 0, 0, 0}; break;
    case 1: last = (F(four)){TIMES(x[0]) * w[0], bias, 0, 0}; break;
    case 2: last = (F(four)){TIMES(x[0]) * w[0], TIMES(x[1]) * w[1], bias, 0}; break;
    default:
        last = (F(four)){TIMES(x[0]) * w[0], TIMES(x[1]) * w[1], TIMES(x[2]) * w[2], bias};
    }
#undef TIMES
    if (upper) high += last;
    else low += last;
    low += high;
    return (low[0] + low[2]) + (low[1] + low[3]);
}

/* The sum of the products with w of the values, or of their squares. On the way the lines of a row that
 * is needed later are asked for, unless it is NULL. Asked for all at once, many would be dropped. */
RB_INLINE REAL F(sum)(const REAL *x, const REAL *w, int64_t d, REAL bias, const REAL *later,
                      const int squared) {
    const int64_t line = 64 / (int64_t)sizeof(REAL);
    F(lanes) l = NO_LANES;
    int64_t j = 0;
#define FACTOR(k) ({ F(lanes) x_ = LOAD8(x + (k)); squared ? PRODUCT(x_, x_) : x_; })
    if (later) {
        for (; j + line <= d; j += line) {
            RB_PREFETCH_L2(later + j);
            for (int64_t k = j; k < j + line; k += 8) ADD_PRODUCT(l, FACTOR(k), LOAD8(w + k));
        }
        if (j < d) RB_PREFETCH_L2(later + j);
    }
    for (; j + 8 <= d; j += 8) ADD_PRODUCT(l, FACTOR(j), LOAD8(w + j));
#undef FACTOR
    return F(finish)(l, x + j, w + j, d - j, bias, squared);
}

RB_INLINE REAL F(dot)(const REAL *x, const REAL *w, int64_t d, REAL bias) {
    return F(sum)(x, w, d, bias, NULL, 0);
}

/* Two rows in step: each weight is loaded once for both. */
RB_INLINE void F(dot_pair)(const REAL *x0, const REAL *x1, const REAL *w, int64_t d, REAL bias,
                           REAL *out) {
    F(lanes) l0 = NO_LANES, l1 = NO_LANES;
    int64_t j = 0;
    for (; j + 8 <= d; j += 8) {
        F(lanes) v = LOAD8(w + j);
        ADD_PRODUCT(l0, LOAD8(x0 + j), v);
        ADD_PRODUCT(l1, LOAD8(x1 + j), v);
    }
    out[0] = F(finish)(l0, x0 + j, w + j, d - j, bias, 0);
    out[1] = F(finish)(l1, x1 + j, w + j, d - j, bias, 0);
}

/* One row by four classes: it is read once for the four. */
RB_INLINE void F(dot_four)(const REAL *x, const REAL *w, const REAL *b, int64_t d, int64_t c0,
                           int64_t c1, int64_t c2, int64_t c3, REAL *out) {
    const REAL *w0 = w + c0 * d, *w1 = w + c1 * d, *w2 = w + c2 * d, *w3 = w + c3 * d;
    F(lanes) l0 = NO_LANES, l1 = NO_LANES, l2 = NO_LANES, l3 = NO_LANES;
    int64_t j = 0;
    for (; j + 8 <= d; j += 8) {
        F(lanes) v = LOAD8(x + j);
        ADD_PRODUCT(l0, v, LOAD8(w0 + j));
        ADD_PRODUCT(l1, v, LOAD8(w1 + j));
        ADD_PRODUCT(l2, v, LOAD8(w2 + j));
        ADD_PRODUCT(l3, v, LOAD8(w3 + j));
    }
    out[c0] = F(finish)(l0, x + j, w0 + j, d - j, b[c0], 0);
    out[c1] = F(finish)(l1, x + j, w1 + j, d - j, b[c1], 0);
    out[c2] = F(finish)(l2, x + j, w2 + j, d - j, b[c2], 0);
    out[c3] = F(finish)(l3, x + j, w3 + j, d - j, b[c3], 0);
}

RB_INLINE void F(dot_classes)(const REAL *x, const REAL *w, const REAL *b, int64_t k, int64_t d,
                              REAL *out) {
    int64_t c = 0;
    for (; c + 4 <= k; c += 4) F(dot_four)(x, w, b, d, c, c + 1, c + 2, c + 3, out);
    for (; c < k; c++) out[c] = F(dot)(x, w + c * d, d, b[c]);
}

RB_INLINE void F(add_row)(const REAL *x, int64_t d, REAL step, REAL *w) {
    const F(four) s = {step, step, step, step};
    int64_t j = 0;
#if LANES_IN_ONE_VECTOR /* as wide as `dot` reads them, so that it need not wait */
    const F(lanes) wide = {step, step, step, step, step, step, step, step};
    for (; j + 8 <= d; j += 8) {
        F(lanes) v = LOAD8(w + j) + wide * LOAD8(x + j);
        memcpy(w + j, &v, sizeof v);
    }
#endif
    for (; j + 4 <= d; j += 4) {
        F(four) v = LOAD4(w + j) + s * LOAD4(x + j);
        memcpy(w + j, &v, sizeof v);
    }
    for (; j < d; j++) w[j] += step * x[j];
}

/* Sixteen features of a parting at a time, for up to 16 vectors: the raised one stays in registers.
 * Returns how many features were done. */
RB_INLINE int64_t F(part_lanes)(const REAL *x, int64_t d, const rb_parting *p, int64_t first,
                                const int averaged) {
    typedef double four __attribute__((vector_size(4 * sizeof(double))));
    const int64_t n = p->n - first < 16 ? p->n - first : 16;
    REAL *w = p->w, *raised = w + p->raised * d, *lowered[16], steps[16];
    double *u = p->u, *sum = averaged ? u + p->raised * d : NULL, *sums[16], counted[16];
    for (int64_t i = 0; i < n; i++) {
        lowered[i] = w + p->lowered[first + i] * d, steps[i] = (REAL)p->steps[first + i];
        if (!averaged) continue;
        sums[i] = u + p->lowered[first + i] * d, counted[i] = p->counted * p->steps[first + i];
    }
    int64_t j = 0;
#define FOUR(at) ({ four v_; memcpy(&v_, (at), sizeof v_); v_; })
    for (; j + 16 <= d; j += 16) {
        const F(lanes) v0 = LOAD8(x + j), v1 = LOAD8(x + j + 8);
        F(lanes) r0 = LOAD8(raised + j), r1 = LOAD8(raised + j + 8);
        for (int64_t i = 0; i < n; i++) {
            const F(lanes) step = ALL(steps[i]), less = ALL(-steps[i]);
            F(lanes) l0 = LOAD8(lowered[i] + j), l1 = LOAD8(lowered[i] + j + 8);
            ADD_PRODUCT(l0, less, v0);
            ADD_PRODUCT(l1, less, v1);
            ADD_PRODUCT(r0, step, v0);
            ADD_PRODUCT(r1, step, v1);
            memcpy(lowered[i] + j, &l0, sizeof l0), memcpy(lowered[i] + j + 8, &l1, sizeof l1);
        }
        memcpy(raised + j, &r0, sizeof r0), memcpy(raised + j + 8, &r1, sizeof r1);
    }
    for (int64_t k = 0; averaged && k < j; k += 8) {
        const F(lanes) v = LOAD8(x + k);
        const four v0 = __builtin_convertvector(LOW(v), four);
        const four v1 = __builtin_convertvector(HIGH(v), four);
        four r0 = FOUR(sum + k), r1 = FOUR(sum + k + 4);
        for (int64_t i = 0; i < n; i++) {
            const four l0 = FOUR(sums[i] + k) + -counted[i] * v0;
            const four l1 = FOUR(sums[i] + k + 4) + -counted[i] * v1;
            r0 += counted[i] * v0;
            r1 += counted[i] * v1;
            memcpy(sums[i] + k, &l0, sizeof l0), memcpy(sums[i] + k + 4, &l1, sizeof l1);
        }
        memcpy(sum + k, &r0, sizeof r0), memcpy(sum + k + 4, &r1, sizeof r1);
    }
#undef FOUR
    return j;
}

#include "rows/narrow.h"
#include "rows/tiles.h"

#undef SHUFFLE
#undef SUMS
#undef SUMMED
#undef LOAD4
#undef LOAD8
#undef NO_LANES
#undef ALL
#undef PRODUCT
#undef ADD
#undef ADD_PRODUCT
#undef LOW
#undef HIGH

#else /* the same order of operations without vector types */
#define TILED 0

RB_INLINE REAL F(sum)(const REAL *x, const REAL *w, int64_t d, REAL bias, const REAL *later,
                      const int squared) {
    REAL l[8] = {0};
    int64_t j = 0;
    (void)later;
#define TERM(at) ((squared ? x[at] * x[at] : x[at]) * w[at])
    for (; j + 8 <= d; j += 8)
        for (int i = 0; i < 8; i++) l[i] += TERM(j + i);
    int i = 0;
    for (; j < d; j++, i++) l[i] += TERM(j);
#undef TERM
    l[i] += bias;
    for (i = 0; i < 4; i++) l[i] += l[i + 4];
    return (l[0] + l[2]) + (l[1] + l[3]);
}

RB_INLINE REAL F(dot)(const REAL *x, const REAL *w, int64_t d, REAL bias) {
    return F(sum)(x, w, d, bias, NULL, 0);
}

RB_INLINE void F(dot_pair)(const REAL *x0, const REAL *x1, const REAL *w, int64_t d, REAL bias,
                           REAL *out) {
    out[0] = F(dot)(x0, w, d, bias);
    out[1] = F(dot)(x1, w, d, bias);
}

RB_INLINE void F(dot_classes)(const REAL *x, const REAL *w, const REAL *b, int64_t k, int64_t d,
                              REAL *out) {
    for (int64_t c = 0; c < k; c++) out[c] = F(dot)(x, w + c * d, d, b[c]);
}

RB_INLINE void F(add_row)(const REAL *x, int64_t d, REAL step, REAL *w) {
    for (int64_t j = 0; j < d; j++) w[j] += step * x[j];
}

RB_INLINE int64_t F(part_lanes)(const REAL *x, int64_t d, const rb_parting *p, int64_t first,
                                const int averaged) {
    (void)x, (void)d, (void)p, (void)first, (void)averaged;
    return 0;
}
#endif
