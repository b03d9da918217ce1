#ifndef BONLOAD_TARGETS_BODIES_H
#define BONLOAD_TARGETS_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Bodies that are given as files, which are read before the load begins. */
struct given_body {
    unsigned char *bytes;
    size_t size;
};

struct bodies {
    uint64_t count; /* 0: bodies are made */
    struct given_body *list;
    size_t all_bytes;
    size_t longest;
};

/*
 * Reads one file or, if that is NULL, those of a list with a path on each line; both may be NULL.
 * Returns 0 or a negative errno with a line in e; bodies_close() is needed in either case.
 */
int bodies_open(struct bodies *b, const char *file, const char *list, struct err *e);
void bodies_close(struct bodies *b);

/* The body of the name with that number, from 1 on: they are used in turn. */
const struct given_body *bodies_of(const struct bodies *b, uint64_t number);

#endif
