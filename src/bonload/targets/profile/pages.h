#ifndef BONLOAD_TARGETS_PROFILE_PAGES_H
#define BONLOAD_TARGETS_PROFILE_PAGES_H

#include <pthread.h>
#include <stdatomic.h>

#include "bonload/targets/profile/storage.h"
#include "util/rng.h"

/*
 * A file of pages, each of which has been written at least once. The expected contents are known,
 * because the number of writes to each page is counted.
 */
#define PAGES_LATCHES 64

struct pages {
    const struct storage *storage;
    const struct profile_file *file;
    unsigned number; /* number of the file, for its contents */
    int fd;
    uint64_t count;
    /* number of writes of each page that have begun, and of those that have ended */
    _Atomic uint32_t *begun;
    _Atomic uint32_t *ended;
    pthread_mutex_t latches[PAGES_LATCHES]; /* so that only one thread writes a page at a time */
    _Atomic uint64_t checked_bytes;
    _Atomic uint64_t damaged;
};

/* Makes the file. Returns 0 or a negative errno with a line in e; pages_close() may follow. */
int pages_open(struct pages *p, const struct storage *storage, const struct profile_file *file,
               unsigned number, struct err *e);
void pages_close(struct pages *p);

/*
 * Write `count` pages at random offsets, or consecutive ones; the buffer has room for them.
 * `begins_out`: have the kernel start writeback of each. Return 0 or a positive errno.
 */
int pages_write(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count,
                bool begins_out);
int pages_write_run(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count);

/* Reads a page at a random offset; *page becomes its number. Returns 0 or a positive errno. */
int pages_read(struct pages *p, struct rng *random, unsigned char *buffer, uint64_t *page,
               uint32_t *ended_before);

/* Whether a page that was read has the expected contents; without -verify nothing is checked. */
bool pages_are_right(struct pages *p, const unsigned char *buffer, uint64_t page,
                     uint32_t ended_before);

/* fsync or fdatasync. Returns 0 or a positive errno. */
int pages_sync(struct pages *p, bool all);

#endif
