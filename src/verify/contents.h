// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>

#include "util/err.h"
#include "verify/pattern.h"

/* What data files should hold, and whether they do. Bytes are a function of a generation
 * (pattern.h), so only generations have to be remembered: of each file how often it was written as
 * a whole, which its worker alone counts (contents_file), and of each block how often it was
 * changed at random since (generations). What is damaged is noted, and ends no test. */

/* Counts how often each block of the data set was changed, for tests that change blocks at random
 * places, several at once and in several processes. Each block has a counter of 16 bits in a shared
 * mapping, which is odd while the block is being changed, and grows by two with each change: a
 * sequence lock on which readers never wait, but compare the counters before and after they read.
 * Beyond 2^25 blocks (64 MiB of counters), several blocks share one counter, and the number of
 * changes of a single block is unknown. */
struct generations {
    _Atomic uint16_t *counters; /* NULL: no block is ever changed */
    uint64_t count;
    bool is_exact; /* each block has a counter of its own */
};

/* Allocates counters for `blocks` blocks. */
int generations_open(struct generations *g, uint64_t blocks, struct err *e);
void generations_close(struct generations *g);

/* What is checked of a unit that was read: the stamp and the check word; every byte; nothing. */
enum verify_mode { VERIFY_STAMP, VERIFY_FULL, VERIFY_OFF, VERIFY_MODES };

extern const char *const verify_names[VERIFY_MODES + 1];

/* One of the files that make up the data set. */
struct contents_file {
    uint64_t start;      /* offset of the file in the data set, in bytes */
    uint64_t generation; /* times emptied or rewritten; only its worker changes it */
    uint64_t rewritten;  /* number of bytes, from its start, that were rewritten once more */
};

struct contents {
    const struct pattern *pattern;
    enum verify_mode verify;
    uint64_t block_bytes; /* offset and length of a random change are multiples of this, in bytes */
    uint64_t first_number;       /* of the first file in stamps; the others have the next numbers */
    struct contents_file *files; /* belongs to the caller */
    struct generations changes;
};

/* One corrupted unit, or a part of a unit. */
struct corrupted_place {
    uint64_t file;
    uint64_t offset;
    enum corruption_kind kind;
    int code; /* errno, if it is CORRUPTION_UNREADABLE */
    struct pattern_place expected;
    struct pattern_origin found; /* by the unit's stamp; if that is not sound, as expected */
};

/* What one worker or seeker has checked. Has no pointers, so it can be in a shared mapping. */
#define CORRUPTION_KEPT 8

struct corruption {
    uint64_t checked_bytes;
    uint64_t corrupted;  /* number of corrupted units, and of reads that failed */
    uint64_t unreadable; /* of these, of reads that failed */
    struct corrupted_place kept[CORRUPTION_KEPT]; /* the first corrupted units */
};

/* Counts a corrupted unit, or a read that failed, and keeps its place if it is one of the first. */
void corruption_note(struct corruption *found, const struct corrupted_place *place);

/* Fills the buffer with the contents that belong at this offset: with `further` 0, now; with 1,
 * after the whole file has been rewritten, which is in progress and has not come to the offset. */
void contents_fill(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                   size_t length, unsigned further);

/* Ends the rewriting of a file, after its last byte, or because the file is given up. Its next
 * contents will differ from all earlier ones. */
void contents_end_rewriting(struct contents *c, unsigned file);

/* A random change of whole blocks takes four steps: claim the blocks, fill the buffer with
 * contents_fill(), write it, and release the blocks when it has been written. contents_claim()
 * returns false, and claims nothing, when another writer is changing one of the blocks. */
bool contents_claim(struct contents *c, unsigned file, uint64_t offset, size_t length);
void contents_release(struct contents *c, unsigned file, uint64_t offset, size_t length);

/* A reader gets the version of a range before it reads the range, and checks the buffer afterwards.
 * If the range was changed in between, which gives it another version, it cannot be judged, and
 * does not count as checked; while it is being changed, its version is GENERATIONS_CHANGING. A
 * writer that has claimed the range needs no version, and passes CONTENTS_CLAIMED. contents_check()
 * adds what is wrong to *found. */
#define GENERATIONS_CHANGING UINT64_MAX
#define CONTENTS_CLAIMED     (GENERATIONS_CHANGING - 1)

uint64_t contents_version(const struct contents *c, unsigned file, uint64_t offset, size_t length);
void contents_check(const struct contents *c, unsigned file, uint64_t offset, const void *buffer,
                    size_t length, uint64_t version, struct corruption *found);

void corruption_merge(struct corruption *whole, const struct corruption *part);

/* Describes a corrupted place: "stale: generation 2.0 expected, generation 1.0 found". */
#define CORRUPTED_PLACE_TEXT 256
void corrupted_place_describe(char text[static CORRUPTED_PLACE_TEXT],
                              const struct corrupted_place *place, const struct pattern *p);
