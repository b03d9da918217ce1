// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"
#include "bonload/targets/target.h"
#include "storage/scratch.h"
#include "util/err.h"
#include "util/rng.h"
#include "verify/contents.h"
#include "verify/pattern.h"

/* What a profile needs for making its files. */
struct storage {
    struct scratch scratch;
    struct pattern pattern;
    enum verify_mode verify;
    struct verified *verified;
};

/*
 * Makes a file without a name, with O_DIRECT if the profile wants that and the filesystem supports
 * it. Returns its descriptor, or a negative errno with a line in e.
 */
int storage_make_file(const struct storage *s, const struct profile_file *f, unsigned number,
                      struct err *e);

/*
 * Reserves room from the start of a file, if the filesystem supports that. Returns 0 or a negative
 * errno.
 */
int storage_reserve(int fd, uint64_t bytes);

/*
 * Writes the first generation of a file's contents from its start, and syncs it. Returns 0, or a
 * negative errno with a line in e.
 */
int storage_fill(const struct storage *s, const struct profile_file *f, int fd, unsigned number,
                 uint64_t bytes, struct err *e);

/*
 * Writes the whole buffer at offset `at`, or at the file's position if that is -1. Returns 0 or a
 * positive errno.
 */
int storage_write(int fd, const unsigned char *from, size_t length, int64_t at);

/*
 * Calls fdatasync(2), or fsync(2) if `all`, again whenever a signal interrupts it. Returns 0 or a
 * positive errno.
 */
int storage_sync(int fd, bool all);

/*
 * Does the same for requests that wait for it: adds its duration to the gauge, and *longest_ns
 * grows to it.
 */
int storage_sync_timed(int fd, bool all, struct gauge *gauge, uint64_t *longest_ns);

/* Alignment of buffers, as O_DIRECT requires. */
#define STORAGE_ALIGNMENT 4096

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

/*
 * A mailbox as in maildir(5), in the private directory: each message is a file, and is delivered
 * when its name is in the directory `new`.
 */
struct mailbox {
    const struct storage *storage;
    const struct profile_file *file;
    struct gauge *gauge; /* gets the durations of syncs */
    int tmp_fd;          /* the directory `tmp`; -1: it does not exist */
    int new_fd;
    _Atomic uint64_t begun;   /* number of messages begun; messages are numbered from 1 */
    _Atomic uint64_t expired; /* number of the message that was removed last */
};

/* Makes the directories. Returns 0, or a negative errno with a line in e. */
int mailbox_open(struct mailbox *m, const struct storage *storage, const struct profile_file *file,
                 struct gauge *gauge, struct err *e);

/* Removes all messages and the directories. Returns 0, or a negative errno with a line in e. */
int mailbox_close(struct mailbox *m, struct err *e);

/*
 * Delivers a message. The buffer must have room for it. *longest_ns grows to the duration of the
 * longer of its two syncs. Returns 0 or a positive errno, with the failed call in *step, an enum
 * target_step.
 */
int mailbox_deliver(struct mailbox *m, unsigned char *buffer, uint64_t *longest_ns, unsigned *step);

/* Unlinks the oldest messages beyond those to keep. Returns 0 or a positive errno. */
int mailbox_expire(struct mailbox *m);
