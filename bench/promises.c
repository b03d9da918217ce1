// SPDX-License-Identifier: GPL-2.0-or-later
/* The bare loop beside `boncut write`: workers that each overwrite random blocks of a file of their
 * own, durably, with the calls of one method, and note nothing; and beside them the two writers
 * that boncut has as control groups. Prints every millisecond how many durable writes there were,
 * until it is ended. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define BLOCK        4096
#define WORKERS_MOST 64

/* The control groups of boncut: a file, the size of a write, and the pause between two writes of
 * `cached`. */
#define CONTROL_BYTES   (256 * BLOCK)
#define CONTROL_WRITE   (16 * BLOCK)
#define CACHED_PAUSE_NS 1000000

struct method {
    const char *name;
    int open_flags;
    int write_flags;
    int (*sync)(int fd); /* one write in four appends, as in boncut */
};

static const struct method methods[] = {
    {"fsync", 0, 0, fsync},
    {"fdatasync", 0, 0, fdatasync},
    {"dsync", O_DSYNC, 0, NULL},
    {"direct_dsync", O_DIRECT | O_DSYNC, 0, NULL},
    {"rwf_dsync", 0, RWF_DSYNC, NULL},
};

static const struct method *method;
static const char *directory;
static uint64_t units;

struct worker {
    pthread_t thread;
    unsigned number;
    int fd, tail_fd;
    void *buffer;
    _Atomic uint64_t writes;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void *make_buffer(size_t bytes)
{
    void *buffer = aligned_alloc(BLOCK, bytes);
    if (!buffer)
        fail("memory");
    memset(buffer, 42, bytes);
    return buffer;
}

/* Makes a file of this size, and opens it with these flags. */
static int make_file(const char *name, unsigned number, uint64_t bytes, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%u", directory, name, number);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        fail(path);
    void *buffer = make_buffer(BLOCK);
    for (uint64_t offset = 0; offset < bytes; offset += BLOCK)
        if (pwrite(fd, buffer, BLOCK, (off_t)offset) != BLOCK)
            fail(path);
    free(buffer);
    if (fsync(fd) != 0 || close(fd) != 0 || (fd = open(path, O_RDWR | flags)) < 0)
        fail(path);
    return fd;
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void write_durably(struct worker *w, int fd, off_t offset)
{
    const struct iovec block = {w->buffer, BLOCK};
    if (pwritev2(fd, &block, 1, offset, method->write_flags) != BLOCK)
        fail("write");
    if (method->sync && method->sync(fd) != 0)
        fail("sync");
}

static void *make_durable_writes(void *context)
{
    struct worker *w = context;
    uint64_t random = 88172645463325252 + w->number;
    off_t end = 0;
    for (;;) {
        if (method->sync && draw(&random) % 4 == 0) {
            write_durably(w, w->tail_fd, end);
            end += BLOCK;
        } else
            write_durably(w, w->fd, (off_t)(draw(&random) % units * BLOCK));
        atomic_store_explicit(&w->writes, w->writes + 1, memory_order_relaxed);
    }
    return NULL;
}

static void *overwrite(int fd, uint64_t pause_ns)
{
    const struct timespec pause = {.tv_nsec = (long)pause_ns};
    void *buffer = make_buffer(CONTROL_WRITE);
    for (off_t offset = 0;; offset = (offset + CONTROL_WRITE) % CONTROL_BYTES) {
        if (pwrite(fd, buffer, CONTROL_WRITE, offset) != CONTROL_WRITE)
            fail("overwrite");
        if (pause_ns > 0)
            nanosleep(&pause, NULL);
    }
    return NULL;
}

static void *overwrite_cached(void *fd)
{
    return overwrite(*(int *)fd, CACHED_PAUSE_NS);
}

static void *overwrite_drive(void *fd)
{
    return overwrite(*(int *)fd, 0);
}

static void start(pthread_t *thread, void *(*function)(void *), void *context)
{
    if (pthread_create(thread, NULL, function, context) != 0)
        fail("thread");
}

static void make_worker(struct worker *w, unsigned number)
{
    *w = (struct worker){.number = number, .buffer = make_buffer(BLOCK)};
    w->fd = make_file("blocks", number, units * BLOCK, method->open_flags);
    w->tail_fd = make_file("tail", number, 0, 0);
}

static void find_method(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0)
            method = &methods[i];
}

static void print_writes(struct worker workers[], unsigned count)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (;;) {
        uint64_t writes = 0;
        for (unsigned i = 0; i < count; i++)
            writes += atomic_load_explicit(&workers[i].writes, memory_order_relaxed);
        printf("%" PRIu64 "\n", writes);
        fflush(stdout);
        nanosleep(&pause, NULL);
    }
}

/* arguments: DIRECTORY METHOD WORKERS UNITS */
int main(int argc, char *argv[])
{
    static struct worker workers[WORKERS_MOST];
    unsigned count = argc == 5 ? (unsigned)atoi(argv[3]) : 0;
    if (count < 1 || count > WORKERS_MOST)
        return 1;
    directory = argv[1];
    find_method(argv[2]);
    units = strtoul(argv[4], NULL, 10);
    if (!method || units == 0)
        return 1;
    for (unsigned i = 0; i < count; i++)
        make_worker(&workers[i], i);
    int cached_fd = make_file("cached", 0, CONTROL_BYTES, 0);
    int drive_fd = make_file("drive", 0, CONTROL_BYTES, O_DIRECT);
    pthread_t cached, drive;
    start(&cached, overwrite_cached, &cached_fd);
    start(&drive, overwrite_drive, &drive_fd);
    for (unsigned i = 0; i < count; i++)
        start(&workers[i].thread, make_durable_writes, &workers[i]);
    print_writes(workers, count);
}
