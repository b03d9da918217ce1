// SPDX-License-Identifier: GPL-2.0-or-later
/* A library to preload: makes the Nth call of malloc and similar functions fail, in any thread or
 * library, as FAIL_MALLOC_AT in the environment says, and then writes a line "failed" to the file
 * FAIL_MALLOC_NOTES. If the program crashes, lines "in NAME" follow for the functions on the stack,
 * the innermost first, with "in ?" for those without a known name in a library. At the end of the
 * first process, the number of calls is written to the file FAIL_MALLOC_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <execinfo.h>
#else
/* musl lacks this function, so a crash has no names of functions. */
static int backtrace(void **frames, int size)
{
    (void)frames;
    (void)size;
    return 0;
}
#endif

static atomic_ulong calls;
static unsigned long fails_at;
static pid_t first_process;
static int notes = -1;

/* Writes a line without allocating memory, because there is none when this is called. */
static void note(const char *what, const char *name)
{
    char line[200];
    int length = snprintf(line, sizeof line, "%s%s\n", what, name);
    ssize_t written = notes < 0 ? 0 : write(notes, line, (size_t)length);
    (void)written;
}

static void crashed(int number)
{
    void *frames[64];
    int count = backtrace(frames, 64);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        bool known = dladdr(frames[i], &info) && info.dli_sname;
        note("in ", known ? info.dli_sname : "?");
    }
    raise(number); /* the next SIGSEGV kills, as if no handler had been installed (SA_RESETHAND) */
}

static void watch_crashes(void)
{
    void *frame;
    backtrace(&frame, 1); /* the first call of backtrace() allocates */
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_RESETHAND};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAIL_MALLOC_AT");
    const char *name = getenv("FAIL_MALLOC_NOTES");
    first_process = getpid();
    if (name) {
        notes = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
        watch_crashes();
    }
    atomic_store(&calls, 0); /* earlier calls were the dynamic linker's */
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
    note("failed", "");
    errno = ENOMEM;
    return true;
}

/* The function of that name that would be called without this library: the C library's, or a
 * sanitizer's. */
#define NEXT(function)                                                                             \
    ({                                                                                             \
        static __typeof__(&function) next;                                                         \
        next ? next : (next = (__typeof__(&function))dlsym(RTLD_NEXT, #function));                 \
    })

void *malloc(size_t size)
{
    return fails() ? NULL : NEXT(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : NEXT(calloc)(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : NEXT(realloc)(old, size);
}

/* Calls of this function are not counted: musl refuses aligned memory if a library defines malloc,
 * but not this. */
void *aligned_alloc(size_t alignment, size_t size)
{
    return NEXT(aligned_alloc)(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    return fails() ? ENOMEM : NEXT(posix_memalign)(memory, alignment, size);
}
