/* Tables with values of type REAL. Included once per type by tables.h. */
#include "rows/rates.h"

#define KIND RB_PASTE(dense, TYPE)
#include "rows/dense.h"
#if RB_HAS_CLONES
#pragma GCC push_options
#pragma GCC target("avx2")
#define KIND RB_PASTE(RB_PASTE(dense, TYPE), avx2)
#include "rows/dense.h"
#pragma GCC target("avx512vl,prefer-vector-width=256")
#define KIND RB_PASTE(RB_PASTE(dense, TYPE), avx512vl)
#include "rows/dense.h"
#pragma GCC pop_options
#endif

#define COLUMN int32_t
#define UNSIGNED uint32_t
#define CHECKED 0
#define KIND RB_PASTE(RB_PASTE(sparse, TYPE), i32)
#include "rows/sparse.h"
#define COLUMN int32_t
#define UNSIGNED uint32_t
#define CHECKED 1
#define KIND RB_PASTE(RB_PASTE(checked, TYPE), i32)
#include "rows/sparse.h"
#define COLUMN int64_t
#define UNSIGNED uint64_t
#define CHECKED 0
#define KIND RB_PASTE(RB_PASTE(sparse, TYPE), i64)
#include "rows/sparse.h"
#define COLUMN int64_t
#define UNSIGNED uint64_t
#define CHECKED 1
#define KIND RB_PASTE(RB_PASTE(checked, TYPE), i64)
#include "rows/sparse.h"

#undef REAL
#undef TYPE
#undef BITS
#undef LANES_IN_ONE_VECTOR
#undef LEAST_RATE
