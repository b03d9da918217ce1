#ifndef BONLOAD_TARGETS_EXPECTED_H
#define BONLOAD_TARGETS_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/body.h"
#include "bonload/targets/target.h"

/*
 * The expected body of a request: what a write must store, or what a read should return, as far as
 * that is known. Where names recur, a read that overlaps a write of the same name is not judged.
 */
struct expected {
    struct body body;
    uint64_t size;          /* UINT64_MAX: unknown */
    bool is_judged;         /* the contents are known, or the body's stamp is trusted */
    struct version version; /* for a read, if names recur: the state of its name before the read */
    enum corruption_kind damage;
    uint64_t checked_bytes; /* sum over all requests so far */
};

/* Prepares to write the name with that number. */
void expected_of_write(struct expected *x, const struct target_setup *setup, const char *name,
                       uint64_t number);

/* Prepares to read a name. `other` must have room for a name. */
void expected_of_read(struct expected *x, const struct target_setup *setup, const char *name,
                      uint64_t number, char *other);

/* Whether a write of the same name has begun since the read was prepared. */
bool expected_is_overlapped(const struct expected *x, const struct target_setup *setup);

/* Checks a part of what was read. The parts must come in order, from offset 0. */
void expected_look(struct expected *x, const struct plan *plan, const struct pattern *pattern,
                   uint64_t offset, const void *part, size_t length);

/* Judges a read of `bytes` bytes. Returns 0, or the failure as failure_of() has it. */
uint32_t expected_verdict(const struct expected *x, const struct target_setup *setup,
                          uint64_t bytes);

#endif
