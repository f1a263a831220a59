/* The functions of rows.h for every kind of table. Included by rows.pyx alone. */
#ifndef ROSENBLATT_TABLES_H
#define ROSENBLATT_TABLES_H

#include "rows/rows.h"

#define RB_PASTE_(a, b) a##_##b
#define RB_PASTE(a, b) RB_PASTE_(a, b)

#define REAL float
#define TYPE f32
#define LEAST_RATE 1e-30
#include "rows/rates.h"
#define KIND dense_f32
#define LANES_IN_ONE_VECTOR 1
#include "rows/dense.h"
#define COLUMN int32_t
#define UNSIGNED uint32_t
#define KIND sparse_f32_i32
#include "rows/sparse.h"
#define COLUMN int64_t
#define UNSIGNED uint64_t
#define KIND sparse_f32_i64
#include "rows/sparse.h"
#undef REAL
#undef TYPE
#undef LEAST_RATE

#define REAL double
#define TYPE f64
#define LEAST_RATE 1e-300
#include "rows/rates.h"
#define KIND dense_f64
#define LANES_IN_ONE_VECTOR 0
#include "rows/dense.h"
#define COLUMN int32_t
#define UNSIGNED uint32_t
#define KIND sparse_f64_i32
#include "rows/sparse.h"
#define COLUMN int64_t
#define UNSIGNED uint64_t
#define KIND sparse_f64_i64
#include "rows/sparse.h"
#undef REAL
#undef TYPE
#undef LEAST_RATE

#endif
