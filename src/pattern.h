#ifndef BONNIE_PATTERN_H
#define BONNIE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/*
 * What the files contain. Every byte is a function of the run's seed, the file, the offset and the
 * generation (how often that place was changed), so nothing has to be remembered.
 *
 * In random contents no two blocks of PATTERN_BLOCK bytes are equal within a run, and nothing in
 * them can be compressed: each block is one pool of random words, each word combined with a key of
 * the block's own. A stamp at the start of each block and a check word at its end say which block
 * it is, so that a lost, stale, torn or misplaced write can be told.
 */
enum data_kind { DATA_RANDOM, DATA_ZERO };

#define PATTERN_BLOCK       4096
#define PATTERN_BLOCK_WORDS (PATTERN_BLOCK / sizeof(uint64_t))

struct pattern {
    enum data_kind kind;
    uint64_t seed;
    uint64_t pool[PATTERN_BLOCK_WORDS];
};

/* What a block of random contents begins with; its check word is repeated at the block's end. */
struct pattern_stamp {
    uint64_t seed;
    uint64_t file;
    uint64_t block;
    uint64_t generation;
    uint64_t check; /* a hash of the four above: also the key of the block's contents */
};

/* Prepares contents of that kind for a run with that seed. */
void pattern_init(struct pattern *p, enum data_kind kind, uint64_t seed);

/*
 * Fills buffer with what length bytes at offset of file hold in that generation. Any offset and
 * length will do; whole blocks into an aligned buffer are the fast case.
 */
void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation);

#endif
