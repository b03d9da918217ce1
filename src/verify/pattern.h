#ifndef VERIFY_PATTERN_H
#define VERIFY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the files contain. Every byte is a function of the seed, the number of the run, the file,
 * the offset and the generation (how often that place was changed), so nothing has to be
 * remembered.
 *
 * Contents are made of units of 4096 bytes, or fewer where a test changes less at once. Every unit
 * is the same block of random words, each of them combined with a key that only this unit has. So
 * no two units are equal, whichever run wrote them, and nothing in them can be compressed;
 * `compress` leaves the end of each unit zero. A stamp at the start of a unit and a check word at
 * its end say which unit it is. So a write that was lost, torn or misdirected can be told, and so
 * can data that an earlier run has left behind. Zeros have no stamp.
 */
enum data_kind { DATA_RANDOM, DATA_ZERO, DATA_COMPRESS };

#define PATTERN_UNIT_MAX  4096
#define PATTERN_UNIT_MIN  512
#define PATTERN_MAX_WORDS (PATTERN_UNIT_MAX / sizeof(uint64_t))

struct pattern {
    enum data_kind kind;
    uint64_t seed;
    uint64_t run;
    uint64_t key;        /* a hash of the seed and the run */
    size_t unit_bytes;   /* a power of two, PATTERN_UNIT_MIN .. PATTERN_UNIT_MAX */
    size_t random_words; /* of each unit; the others are zero */
    uint64_t pool[PATTERN_MAX_WORDS];
};

/* What makes a unit different from all others of the same run. */
struct pattern_place {
    uint64_t file;
    uint64_t unit; /* number of the unit within the file */
    uint64_t generation;
};

/* What makes a unit different from all others. */
struct pattern_origin {
    uint64_t seed;
    uint64_t run;
    struct pattern_place place;
};

/* What a unit of random contents begins with; the check word is repeated at the unit's end. */
struct pattern_stamp {
    struct pattern_origin origin;
    uint64_t check; /* a hash of the origin, and the key of the unit's contents */
};

/* A generation that is expected: any will do. */
#define PATTERN_ANY UINT64_MAX

/* What can be wrong with a unit. */
enum corruption_kind {
    CORRUPTION_NONE,
    CORRUPTION_FLIPPED,     /* it has bytes that nobody wrote */
    CORRUPTION_STALE,       /* an older generation of it, or data of another run: a write is lost */
    CORRUPTION_TORN,        /* parts of it are of another write, or were never written */
    CORRUPTION_MISDIRECTED, /* another unit of this run, as a whole */
    CORRUPTION_ZEROED,      /* it has nothing but zeros */
};

/*
 * Prepares contents of that kind. percent is how much of each unit is random under DATA_COMPRESS,
 * and so what it compresses to (1 .. 100). Two runs of the same seed that are to tell their data
 * apart need different numbers in `run`.
 */
void pattern_init(struct pattern *p, enum data_kind kind, unsigned percent, size_t unit_bytes,
                  uint64_t seed, uint64_t run);

/* Goes on to another run: only its number changes. */
void pattern_begin_run(struct pattern *p, uint64_t run);

/* The largest unit that `bytes` is a multiple of; PATTERN_UNIT_MIN when none is. */
size_t pattern_unit_for(uint64_t bytes);

/*
 * Fills the buffer with what `length` bytes at `offset` of a file hold in that generation. Any
 * offset and length will do; whole units into an aligned buffer are the fast case.
 */
void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation);

/*
 * Looks at one whole unit (aligned for uint64_t): at its stamp and its check word, or, if `full`,
 * at every byte. When it is corrupted, *found is the origin that its stamp names, if that can be
 * relied on, else what was expected.
 */
enum corruption_kind pattern_check(const struct pattern *p, const void *unit,
                                   const struct pattern_place *expected, bool full,
                                   struct pattern_origin *found);

/* True when that is the origin of a unit of this run. */
bool pattern_is_of_run(const struct pattern *p, const struct pattern_origin *origin);

/* A kind of corruption as one word: "flipped". */
const char *corruption_kind_name(enum corruption_kind kind);

#endif
