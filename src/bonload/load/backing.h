// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/load/run.h"
#include "measure/facts.h"
#include "storage/direct.h"

/* The devices below the files of a run, of which a difference of two readings shows whether bytes
 * came from storage. Only the first name's directory is watched, or a profile's. */
struct backing {
    bool is_watched; /* false: the target has no files, or other ranks use the same devices */
    bool is_judged;  /* the bytes of requests are those of files (TARGET_FILES) */
    bool may_be_cached[LOAD_KINDS]; /* requests need not wait for a device */
    bool is_cold;                   /* reads find nothing in the page cache */
    bool is_direct;
    const char *doubt[LOAD_KINDS]; /* why nobody knows about the bytes of a kind; NULL: no reason */
    struct sources sources;
    struct facts facts;    /* what stands in their way */
    struct direct direct;  /* what -direct did, if the run has that */
    struct io_limit limit; /* those that have not changed since the run began */
    uint64_t errors;       /* that the filesystem had counted when the run began */
};

/* What the devices did. */
struct backing_use {
    const struct backing *backing; /* NULL: the devices are not watched */
    struct reading spent;
    bool is_judged[LOAD_KINDS];         /* false: the kind had no bytes, or not those of files */
    struct judgement kinds[LOAD_KINDS]; /* where the bytes of each kind came from or went to */
};

/* Finds the devices. It is not a failure if there are none. */
void backing_open(struct backing *b, const struct run *run);

/* How many errors the filesystem has met since the run began. ext4 alone tells. */
uint64_t backing_errors(const struct backing *b);

/* Finds what the devices did in the time in which each kind's requests were counted. */
void backing_use(const struct backing *b, const struct reading *spent,
                 const struct tally *const tallies[LOAD_KINDS], struct backing_use *use);
