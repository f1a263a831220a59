/* Large arrays in pages of megabytes, where the system has some: to get memory in pages of 4 KB costs
   a third of the time of reading a file. */
#ifndef RB_LARGE_PAGES_H
#define RB_LARGE_PAGES_H

#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* A wish: what comes of it does not matter. Memory that is not asked for a byte costs nothing. */
static inline void rb_ask_for_large_pages(void *at, int64_t n_bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t)1 << 21;
    const uintptr_t first = ((uintptr_t)at + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)at + (uintptr_t)n_bytes) & ~(page - 1);
    if (end > first && end - first > 2 * page) madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)at;
    (void)n_bytes;
#endif
}

#endif
