#ifndef VERIFY_CONTENTS_H
#define VERIFY_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "verify/generations.h"
#include "verify/pattern.h"

/*
 * What the data files should hold at this moment, and whether they do. The generation of a place
 * says how often its file was written as a whole, and how often its block was changed.
 *
 * `stamp` checks the stamp and the check word of every unit that was read, `full` every byte.
 */
enum verify_mode { VERIFY_STAMP, VERIFY_FULL, VERIFY_OFF, VERIFY_MODES };
extern const char *const verify_names[VERIFY_MODES + 1];

/* One of the files that the data set consists of. */
struct contents_file {
    uint64_t start;      /* of the file within the data set, in bytes */
    uint64_t generation; /* how often it was emptied or rewritten; only its worker changes it */
    uint64_t rewritten; /* number of bytes from its start that were rewritten once more than that */
};

struct contents {
    const struct pattern *pattern;
    enum verify_mode verify;
    uint64_t block_bytes;        /* offset and length of a random change are multiples of this */
    uint64_t first_number;       /* of the first file in stamps; the others follow */
    struct contents_file *files; /* the caller's */
    struct generations changes;
};

/* One corrupted unit, or part of a unit. */
struct corrupted_place {
    uint64_t file;
    uint64_t offset;
    enum corruption_kind kind;
    struct pattern_place expected;
    struct pattern_origin found; /* what its stamp says; as expected if it says nothing */
};

/* What one worker or seeker has checked. Holds no pointers: it can lie in a shared mapping. */
#define CORRUPTION_KEPT 8
struct corruption {
    uint64_t checked_bytes;
    uint64_t corrupted;                           /* number of units */
    struct corrupted_place kept[CORRUPTION_KEPT]; /* the first of them */
};

/* Fills the buffer with what belongs at that place now. */
void contents_fill(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                   size_t length);

/*
 * The same for the time after the rewriting of the whole file that is going on; the place lies
 * behind what has been rewritten.
 */
void contents_fill_next(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                        size_t length);

/*
 * The rewriting of a file has ended, after its last byte or because the file is given up: the next
 * contents are unlike all that it held before.
 */
void contents_end_rewriting(struct contents *c, unsigned file);

/*
 * Whole blocks at a random place are changed in four steps: claim them, fill the buffer with
 * contents_fill(), write it, and release them when it is written. contents_claim() returns false,
 * and claims nothing, when another writer is changing one of the blocks.
 */
bool contents_claim(struct contents *c, unsigned file, uint64_t offset, size_t length);
void contents_release(struct contents *c, unsigned file, uint64_t offset, size_t length);

/*
 * A reader takes the version of a place before it reads, and checks the buffer afterwards. What was
 * changed in between cannot be judged, and is not counted as checked. A writer that has claimed the
 * place needs no version and passes CONTENTS_CLAIMED. What is wrong is added to *found.
 */
#define CONTENTS_CLAIMED (GENERATIONS_CHANGING - 1)
uint64_t contents_version(const struct contents *c, unsigned file, uint64_t offset, size_t length);
void contents_check(const struct contents *c, unsigned file, uint64_t offset, const void *buffer,
                    size_t length, uint64_t version, struct corruption *found);

/* Adds what `part` has found to `whole`. */
void corruption_merge(struct corruption *whole, const struct corruption *part);

/* Describes one place in words: "stale: generation 2.0 expected, generation 1.0 found". */
#define CORRUPTED_PLACE_TEXT 256
void corrupted_place_describe(char text[static CORRUPTED_PLACE_TEXT],
                              const struct corrupted_place *place, const struct pattern *p);

#endif
