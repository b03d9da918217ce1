// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/target.h"
#include "verify/pattern.h"

/* A body that the user gives as a file. It is read before the load begins. */
struct given_body {
    char *bytes;
    size_t size;
};

/* The body that one write gives to an object. Its stamp identifies the object by a hash of its
 * name, and the write by its number and the size of the body; its run is 0. So the name is enough
 * to check what an earlier run with the same seed wrote. */
struct body {
    uint64_t object;     /* names_hash() of the object's name */
    uint64_t generation; /* body_generation(); PATTERN_ANY: taken from the stamp */
    /* contents given by the user; NULL: the pattern of object and generation */
    const struct given_body *given;
};

/* Writes `length` bytes of a body, from `offset` on, to `to`. */
void body_fill(const struct pattern *p, const struct body *body, uint64_t offset, void *to,
               size_t length);

/* The generation of a write with that number, of which 23 bits are kept, and a body of that size,
 * at most 1 TiB. body_size() returns the size that a generation contains. */
uint64_t body_generation(uint64_t number, uint64_t size);
uint64_t body_size(uint64_t generation);

/* The expected body of a request: what a write must store, or what a read should return, as far as
 * that is known. Where names recur, a read that overlaps a write of the same name is not judged. */
struct expected_body {
    struct body body;
    uint64_t size;          /* UINT64_MAX: unknown */
    bool is_judged;         /* the contents are known, or the body's stamp is trusted */
    bool is_damaged;        /* a part of what was read is wrong */
    struct version version; /* for a read, if names recur: the state of its name before the read */
    uint64_t checked_bytes; /* bytes that could be judged, of all requests so far */
};

/* Prepare to write, or to read, the name with that number. `other` must have room for a name. */
void expected_of_write(struct expected_body *x, const struct target_setup *setup, const char *name,
                       uint64_t number);
void expected_of_read(struct expected_body *x, const struct target_setup *setup, const char *name,
                      uint64_t number, char *other);

/* Whether a write of the same name has begun since the read was prepared. */
bool expected_is_overlapped(const struct expected_body *x, const struct target_setup *setup);

/* Checks a part of what was read. The parts must come in order, from offset 0. If the generation is
 * to be taken from the stamp, a body without a sound stamp counts as damaged, and one that is too
 * short for a stamp cannot be judged. */
void expected_check(struct expected_body *x, const struct plan *plan, const struct pattern *pattern,
                    uint64_t offset, const void *part, size_t length);

/* Judges a read of `bytes` bytes. Returns 0, or a failure as failure_of() makes it. */
uint32_t expected_verdict(const struct expected_body *x, const struct target_setup *setup,
                          uint64_t bytes);
