#ifndef BONLOAD_TARGETS_EXPECTED_H
#define BONLOAD_TARGETS_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/body.h"
#include "bonload/targets/target.h"

/*
 * The body of one request: what a write is to store, or what a read should bring, as far as that
 * can be known. Where names are written again and again, a read that overlaps a write of its name
 * is not judged.
 */
struct expected {
    struct body body;
    uint64_t size;    /* UINT64_MAX: not known */
    bool is_judged;   /* what a read should bring is known, or its stamp is to be believed */
    bool has_version; /* of a read: `version` is how its name was before */
    struct version version;
    enum corruption_kind damage;
    uint64_t checked_bytes; /* of all requests so far */
};

/* A write of that number under that name. */
void expected_of_write(struct expected *x, const struct target_setup *setup, const char *name,
                       uint64_t number);

/* A read; `other` has room for a name. */
void expected_of_read(struct expected *x, const struct target_setup *setup, const char *name,
                      uint64_t number, char *other);

/* True when a write of the same name has begun since the read was prepared. */
bool expected_is_overlapped(const struct expected *x, const struct target_setup *setup);

/* Looks at a part of what was read, from offset 0 on part by part. */
void expected_look(struct expected *x, const struct plan *plan, const struct pattern *pattern,
                   uint64_t offset, const void *part, size_t length);

/* How a read of that number of bytes is to be judged: 0, or failure_of() what is wrong with it. */
uint32_t expected_verdict(const struct expected *x, const struct target_setup *setup,
                          uint64_t bytes);

#endif
