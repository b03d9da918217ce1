#ifndef BONLOAD_TARGETS_BODY_H
#define BONLOAD_TARGETS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/contents.h"
#include "verify/pattern.h"

/*
 * The contents of written bodies. Their stamps identify the object by a hash of its name, and the
 * write by its number and the size of the body, so that the name is enough to recognise what an
 * earlier run with the same seed wrote.
 */

/* An object, and one of the writes to it. */
struct body {
    uint64_t object;            /* names_hash() of its name */
    uint64_t generation;        /* body_generation(); PATTERN_ANY: taken from the body's stamp */
    const unsigned char *given; /* its contents; NULL: the pattern of object and generation */
    uint64_t given_bytes;
};

/* Writes a part of a body to `to`. */
void body_fill(const struct pattern *p, const struct body *body, uint64_t offset, void *to,
               size_t length);

/*
 * The generation of the write with that number, of which 23 bits are used, and a body of that size,
 * at most 1 TiB; and the size in a generation.
 */
uint64_t body_generation(uint64_t number, uint64_t size);
uint64_t body_size(uint64_t generation);

/*
 * Checks a part of a body; the parts come in order from offset 0. If the generation is PATTERN_ANY
 * it is taken from the stamp at the beginning; without a stamp, the part is damaged or, if it is
 * too short for one, cannot be judged. Returns the kind of damage; *checked_bytes grows by what
 * could be judged.
 */
enum corruption_kind body_check(const struct pattern *p, enum verify_mode verify, struct body *body,
                                uint64_t offset, const void *part, size_t length,
                                uint64_t *checked_bytes);

#endif
