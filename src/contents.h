#ifndef BONNIE_CONTENTS_H
#define BONNIE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generations.h"
#include "pattern.h"
#include "util/err.h"

/*
 * What the data files should hold at this moment, and whether they do. A place's generation is how
 * often its file was written as a whole, and how often its block was changed.
 *
 * `stamp` looks at the stamp and the check word of every unit that was read, `full` at every byte.
 */
enum verify_mode { VERIFY_STAMP, VERIFY_FULL, VERIFY_OFF, VERIFY_MODES };
extern const char *const verify_names[VERIFY_MODES];

/* One of the files that the data set consists of. */
struct contents_file {
    uint64_t start;      /* of the file within the data set, in bytes */
    uint64_t generation; /* how often it was begun anew or rewritten; changed by its worker alone */
};

struct contents {
    const struct pattern *pattern;
    enum verify_mode verify;
    uint64_t block_bytes;        /* what a change is a multiple of, in place and length */
    struct contents_file *files; /* the caller's */
    struct generations changes;
};

/* One damaged unit. */
struct finding {
    uint64_t file;
    uint64_t offset;
    enum damage damage;
    struct pattern_place expected;
    struct pattern_place found; /* what its stamp says; as expected if it says nothing */
};

/* What one worker or seeker has checked. Holds no pointers: it can lie in a shared mapping. */
#define FINDINGS_KEPT 8
struct findings {
    uint64_t checked_bytes;
    uint64_t damaged; /* units */
    struct finding kept[FINDINGS_KEPT];
};

/*
 * Fills buffer with what belongs at that place now (or, contents_fill_next, after the rewriting of
 * the whole file that is going on).
 */
void contents_fill(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                   size_t length);
void contents_fill_next(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                        size_t length);

/*
 * Changing whole blocks at a random place: claim it, fill the buffer with contents_fill(), write
 * it, and release it when it is written. False: somebody else is changing one of these blocks.
 */
bool contents_claim(struct contents *c, unsigned file, uint64_t offset, size_t length);
void contents_release(struct contents *c, unsigned file, uint64_t offset, size_t length);

/*
 * Reading: take a mark before, and check what came. What was changed between cannot be judged, and
 * is not counted as checked. Who has claimed a place needs no mark: it is CONTENTS_CLAIMED.
 */
#define CONTENTS_CLAIMED (GENERATIONS_CHANGING - 1)
uint64_t contents_mark(const struct contents *c, unsigned file, uint64_t offset, size_t length);
void contents_check(const struct contents *c, unsigned file, uint64_t offset, const void *buffer,
                    size_t length, uint64_t mark, struct findings *f);

/* Adds what part has found to whole. */
void findings_merge(struct findings *whole, const struct findings *part);

/* Tells a finding in words: "stale: generation 2 expected, 1 found". */
#define FINDING_TEXT 256
void finding_describe(char text[static FINDING_TEXT], const struct finding *f,
                      const struct pattern *p);

#endif
