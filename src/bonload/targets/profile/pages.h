#ifndef BONLOAD_TARGETS_PROFILE_PAGES_H
#define BONLOAD_TARGETS_PROFILE_PAGES_H

#include <pthread.h>
#include <stdatomic.h>

#include "bonload/targets/profile/storage.h"
#include "util/rng.h"

/*
 * A file of pages, each of which has been written at least once. The number of writes to each page
 * is counted, so its contents are known.
 */
#define PAGES_LATCHES 64

struct pages {
    const struct storage *storage;
    const struct profile_file *file;
    unsigned number; /* number of the file, for the stamps of its contents */
    int fd;
    uint64_t count;
    /* for each page, the number of writes that have begun, and of those that have ended */
    _Atomic uint32_t *begun;
    _Atomic uint32_t *ended;
    pthread_mutex_t latches[PAGES_LATCHES]; /* let only one thread at a time write a page */
};

/*
 * Makes the file. Returns 0, or a negative errno with a line in e; the caller may call
 * pages_close() in either case.
 */
int pages_open(struct pages *p, const struct storage *storage, const struct profile_file *file,
               unsigned number, struct err *e);
void pages_close(struct pages *p);

/*
 * Write `count` pages: pages_write() at random offsets, with room for one page in the buffer;
 * pages_write_run() consecutive ones, with room for all. With begins_out, the kernel starts
 * writeback of each page. Return 0 or a positive errno.
 */
int pages_write(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count,
                bool begins_out);
int pages_write_run(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count);

/*
 * Reads a page at a random offset. *page becomes its number, *ended_before the number of its writes
 * that had ended by then. Returns 0 or a positive errno.
 */
int pages_read(struct pages *p, struct rng *random, unsigned char *buffer, uint64_t *page,
               uint32_t *ended_before);

/* Whether a page that was read has the expected contents. Without -verify it checks nothing. */
bool pages_are_right(struct pages *p, const unsigned char *buffer, uint64_t page,
                     uint32_t ended_before);

#endif
