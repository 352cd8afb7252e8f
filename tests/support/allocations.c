/* Lets one allocation of a program fail; loaded by LD_PRELOAD.
 *
 *   ALLOCATION_AT     the number of the allocation that returns NULL, from 1; 0 counts only
 *   ALLOCATION_COUNT  a file for the number of allocations, written when the program ends
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long calls;
static long wanted;

__attribute__((constructor)) static void start(void) {
    const char *at = getenv("ALLOCATION_AT");
    wanted = at ? atol(at) : 0;
    atomic_store(&calls, 0);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("ALLOCATION_COUNT");
    long counted = atomic_load(&calls);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld", counted);
        fclose(file);
    }
}

static int fails(void) {
    if (atomic_fetch_add(&calls, 1) + 1 != wanted || wanted == 0) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }

void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }

void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *found = memalign(alignment, size);
    if (!found) return ENOMEM;
    *place = found;
    return 0;
}
