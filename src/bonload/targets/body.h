#ifndef BONLOAD_TARGETS_BODY_H
#define BONLOAD_TARGETS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/contents.h"
#include "verify/pattern.h"

/*
 * What a body that was written holds. Its stamps name the object by a hash of its name, and the
 * write by its number and the size of the body, so that what an earlier run with the same seed
 * wrote can be recognised without knowing more than the name.
 */

/* Which object, and which write of it. */
struct body {
    uint64_t object;     /* body_object() of its name */
    uint64_t generation; /* body_generation(); PATTERN_ANY: whichever it turns out to be */
};

/* A hash of the name, which stands for the object in its stamps. */
uint64_t body_object(const char *name);

/*
 * The write of that number, whose body has that number of bytes, 1 TiB at most; of the number the
 * last 23 bits. And the number of bytes of a generation.
 */
uint64_t body_generation(uint64_t number, uint64_t size);
uint64_t body_size(uint64_t generation);

/*
 * Looks at a part of a body, from offset 0 on part by part. If the generation is PATTERN_ANY it is
 * taken from the stamp at the beginning; where there is none, because the part is too short or
 * something else is there, the part is damaged or, if too short, cannot be judged. Returns the kind
 * of damage; *checked_bytes grows by what could be judged.
 */
enum corruption_kind body_check(const struct pattern *p, enum verify_mode verify, struct body *body,
                                uint64_t offset, const void *part, size_t length,
                                uint64_t *checked_bytes);

#endif
