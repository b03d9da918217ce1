// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* What data files contain. Every byte is a function of the seed, the number of the run, the file,
 * the offset and the generation (how often that offset was rewritten): nothing is remembered.
 *
 * Contents consist of units of 4096 bytes, or fewer if a test changes less at once. Every unit is
 * the same block of random words, each of them combined with a key that only this unit has. So no
 * two units are equal, whichever run wrote them, and nothing in them can be compressed; `compress`
 * leaves the end of each unit zero. A stamp at the start of a unit and a check word at its end say
 * which unit it is. They reveal writes that were lost, torn or misdirected, and data that an
 * earlier run has left: the random words are the same in all runs, so parts of another's units are
 * known as such. Zeros have no stamp. Words are little-endian on every machine. */
enum data_kind { DATA_RANDOM, DATA_ZERO, DATA_COMPRESS };

#define PATTERN_UNIT_MAX  4096
#define PATTERN_UNIT_MIN  512
#define PATTERN_MAX_WORDS (PATTERN_UNIT_MAX / sizeof(uint64_t))

struct pattern {
    enum data_kind kind;
    uint64_t seed;
    uint64_t run;
    uint64_t key;        /* hash of the seed and the run */
    size_t unit_bytes;   /* power of two, from PATTERN_UNIT_MIN to PATTERN_UNIT_MAX */
    size_t random_words; /* number of random words in each unit; all others are zero */
    uint64_t pool[PATTERN_MAX_WORDS];
};

/* What distinguishes a unit from all others of the same run. */
struct pattern_place {
    uint64_t file;
    uint64_t unit; /* number of the unit in the file */
    uint64_t generation;
};

/* What distinguishes a unit from all others. */
struct pattern_origin {
    uint64_t seed;
    uint64_t run;
    struct pattern_place place;
};

/* The first words of a unit with random contents. The unit also ends in the check word. */
struct pattern_stamp {
    struct pattern_origin origin;
    uint64_t check; /* hash of the origin, and the key of the unit's contents */
};

/* Value of the expected generation that accepts any. */
#define PATTERN_ANY UINT64_MAX

/* What can be wrong with a unit. */
enum corruption_kind {
    CORRUPTION_NONE,
    CORRUPTION_FLIPPED,     /* has bytes that no write of this program has made */
    CORRUPTION_STALE,       /* has an older generation, or data of another run: a write was lost */
    CORRUPTION_TORN,        /* has parts of another write, or parts that were never written */
    CORRUPTION_MISDIRECTED, /* is another unit of this run, as a whole */
    CORRUPTION_ZEROED,      /* is all zeros */
    CORRUPTION_UNREADABLE,  /* was not read, because the storage returned an error */
};

/* Prepares contents of that kind. With DATA_COMPRESS, `percent` (1 to 100) of each unit is random,
 * which is also the percentage to which it can be compressed. Runs with the same seed whose data
 * must differ need different numbers in `run`. */
void pattern_init(struct pattern *p, enum data_kind kind, unsigned percent, size_t unit_bytes,
                  uint64_t seed, uint64_t run);

/* Goes on with another run, of which only the number differs. */
void pattern_begin_run(struct pattern *p, uint64_t run);

/* The largest size of a unit that divides `bytes`; PATTERN_UNIT_MIN if none does. */
size_t pattern_unit_for(uint64_t bytes);

/* Fills the buffer with the `length` bytes at `offset` of a file in that generation. Any offset and
 * length are allowed; whole units in an aligned buffer are fastest. */
void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation);

/* Number of bytes, from the start of `units` on, which must be aligned for uint64_t, that are whole
 * units with the stamps and check words of the place `first` and those that follow it. */
size_t pattern_sound_bytes(const struct pattern *p, const void *units, size_t length,
                           const struct pattern_place *first);

/* Checks a whole unit, which must be aligned for uint64_t: its stamp and its check word or, with
 * `full`, every byte. If the unit is corrupted, *found becomes the origin that its stamp names or,
 * if the stamp is not sound, the expected one. */
enum corruption_kind pattern_check(const struct pattern *p, const void *unit,
                                   const struct pattern_place *expected, bool full,
                                   struct pattern_origin *found);

/* What the first words of a unit say, in this machine's byte order. */
struct pattern_stamp pattern_stamp_read(const void *unit);

/* Whether the origin is that of a unit of this run. */
bool pattern_is_of_run(const struct pattern *p, const struct pattern_origin *origin);

/* A kind of corruption in one word: "flipped". */
extern const char *const corruption_kind_names[];
