#ifndef BONNIE_PATTERN_H
#define BONNIE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the files contain. Every byte is a function of the run's seed, the file, the offset and the
 * generation (how often that place was changed), so nothing has to be remembered.
 *
 * Contents are made of units of 4096 bytes, or fewer where a test changes less at once. Each is one
 * pool of random words, each word combined with a key of the unit's own, so no two units are equal
 * within a run and nothing in them can be compressed; `compress` leaves the end of each unit zero.
 * A stamp at a unit's start and a check word at its end say which unit it is, so that a lost,
 * stale, torn or misplaced write can be told. Zeros have no stamp.
 */
enum data_kind { DATA_RANDOM, DATA_ZERO, DATA_COMPRESS };

#define PATTERN_UNIT_MAX  4096
#define PATTERN_UNIT_MIN  512
#define PATTERN_MAX_WORDS (PATTERN_UNIT_MAX / sizeof(uint64_t))

struct pattern {
    enum data_kind kind;
    uint64_t seed;
    uint64_t seed_key;   /* a hash of it */
    size_t unit_bytes;   /* a power of two, PATTERN_UNIT_MIN .. PATTERN_UNIT_MAX */
    size_t random_words; /* of each unit; the others are zero */
    uint64_t pool[PATTERN_MAX_WORDS];
};

/* What makes one unit different from all others. */
struct pattern_place {
    uint64_t file;
    uint64_t unit; /* number of the unit within the file */
    uint64_t generation;
};

/* What a unit of random contents begins with; its check word is repeated at the unit's end. */
struct pattern_stamp {
    uint64_t seed;
    struct pattern_place place;
    uint64_t check; /* a hash of the four above: also the key of the unit's contents */
};

/* In a place that is expected: any will do. */
#define PATTERN_ANY UINT64_MAX

/* What can be wrong with a unit. */
enum damage {
    DAMAGE_NONE,
    DAMAGE_FLIPPED,   /* bytes that nobody wrote */
    DAMAGE_STALE,     /* another generation of this unit: a later write is lost */
    DAMAGE_TORN,      /* parts of it are of another write, or were never written */
    DAMAGE_MISPLACED, /* another unit as a whole */
    DAMAGE_ZEROED,    /* nothing but zeros */
};

/*
 * Prepares contents of that kind for a run with that seed; percent is how much of each unit is
 * random under DATA_COMPRESS, and so what it compresses to (1 .. 100).
 */
void pattern_init(struct pattern *p, enum data_kind kind, unsigned percent, size_t unit_bytes,
                  uint64_t seed);

/* The largest unit that `bytes` is a multiple of; PATTERN_UNIT_MIN when none is. */
size_t pattern_unit_for(uint64_t bytes);

/*
 * Fills buffer with what length bytes at offset of file hold in that generation. Any offset and
 * length will do; whole units into an aligned buffer are the fast case.
 */
void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation);

/*
 * Looks at one whole unit (aligned for uint64_t): at its stamp and its check word, or, if `full`,
 * at every byte. When it is damaged, *found is the place that its stamp names, if its stamp is
 * sound, else *expected.
 */
enum damage pattern_check(const struct pattern *p, const void *unit,
                          const struct pattern_place *expected, bool full,
                          struct pattern_place *found);

/* A damage in a word: "flipped". */
const char *damage_name(enum damage damage);

#endif
