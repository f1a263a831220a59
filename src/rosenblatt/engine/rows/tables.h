/* The functions of rows.h for every kind of table. Included by rows.pyx alone.
 *
 * Those of dense rows are compiled once for any processor and, on x86-64 Linux, again for AVX2 and for
 * AVX-512VL (vectors of 256 bits, but twice as many of them): `rb_clone` says which of them are used.
 */
#ifndef ROSENBLATT_TABLES_H
#define ROSENBLATT_TABLES_H

#include "rows/rows.h"

#define RB_PASTE_(a, b) a##_##b
#define RB_PASTE(a, b) RB_PASTE_(a, b)

#define REAL float
#define TYPE f32
#define BITS int32_t
#define LANES_IN_ONE_VECTOR 1
#define LEAST_RATE 1e-30
#include "rows/table_kinds.h"

#define REAL double
#define TYPE f64
#define BITS int64_t
#define LANES_IN_ONE_VECTOR 0
#define LEAST_RATE 1e-300
#include "rows/table_kinds.h"

/* Clones from the plainest to the one of the newest processors; all give the same bytes. */
enum { RB_PORTABLE, RB_AVX2, RB_AVX512VL };
static const char *const rb_clone_names[] = {"portable", "avx2", "avx512vl"};
static int rb_clone = RB_PORTABLE;

#if RB_HAS_CLONES
static const rb_ops *const rb_dense_ops[][2] = {
    {&rb_ops_dense_f64, &rb_ops_dense_f32},
    {&rb_ops_dense_f64_avx2, &rb_ops_dense_f32_avx2},
    {&rb_ops_dense_f64_avx512vl, &rb_ops_dense_f32_avx512vl}};
/* How many of the clones this processor can run. */
static int rb_count_clones(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return 1;
    return __builtin_cpu_supports("avx512vl") ? 3 : 2;
}
#else
static const rb_ops *const rb_dense_ops[][2] = {{&rb_ops_dense_f64, &rb_ops_dense_f32}};
static int rb_count_clones(void) { return 1; }
#endif

#endif
