#ifndef BONLOAD_TARGETS_BODY_H
#define BONLOAD_TARGETS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/bodies.h"
#include "verify/contents.h"
#include "verify/pattern.h"

/*
 * The contents of written bodies. A stamp identifies the object by a hash of its name, and the
 * write by its number and the size of the body. So the name is enough to check what an earlier run
 * with the same seed wrote.
 */

/* The body that one write gave to an object. */
struct body {
    uint64_t object;     /* names_hash() of the object's name */
    uint64_t generation; /* body_generation(); PATTERN_ANY: taken from the stamp */
    /* contents given by the user; NULL: the pattern of object and generation */
    const struct given_body *given;
};

/* Writes `length` bytes of a body, from `offset` on, to `to`. */
void body_fill(const struct pattern *p, const struct body *body, uint64_t offset, void *to,
               size_t length);

/*
 * The generation of a write with that number, of which 23 bits are kept, and a body of that size,
 * at most 1 TiB. body_size() returns the size that a generation contains.
 */
uint64_t body_generation(uint64_t number, uint64_t size);
uint64_t body_size(uint64_t generation);

/*
 * Checks a part of a body. The parts must come in order, from offset 0. A generation of PATTERN_ANY
 * is taken from the stamp at the start; a body without a sound stamp counts as damaged, and one
 * that is too short for a stamp cannot be judged. Returns the kind of damage. Adds to
 * *checked_bytes the bytes that could be judged.
 */
enum corruption_kind body_check(const struct pattern *p, enum verify_mode verify, struct body *body,
                                uint64_t offset, const void *part, size_t length,
                                uint64_t *checked_bytes);

#endif
