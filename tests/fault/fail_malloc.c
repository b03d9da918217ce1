/*
 * To be preloaded: the Nth call of malloc and its kind fails, as FAIL_MALLOC_AT in the environment
 * says, that of any thread or library. The number of calls goes to the file FAIL_MALLOC_COUNT at
 * the end of the first process.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What glibc's own functions are called, too. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong calls;
static unsigned long fails_at;
static pid_t first_process;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAIL_MALLOC_AT");
    first_process = getpid();
    atomic_store(&calls, 0); /* what came before is the dynamic linker's */
    fails_at = number ? strtoul(number, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("FAIL_MALLOC_COUNT");
    unsigned long count = calls;
    FILE *out = name && getpid() == first_process ? fopen(name, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%lu\n", count);
    fclose(out);
}

static bool fails(void)
{
    if (atomic_fetch_add(&calls, 1) + 1 != fails_at)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails())
        return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
