#ifndef BONLOAD_TARGETS_BODIES_H
#define BONLOAD_TARGETS_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Bodies that the user gives as files. They are read before the load begins. */
struct given_body {
    char *bytes;
    size_t size;
};

struct bodies {
    uint64_t count; /* 0: the user gave none, so the target makes bodies */
    struct given_body *list;
    size_t all_bytes;
    size_t longest;
};

/*
 * Reads the body in `file`, or those in the files that `list` names, one path per line. One of the
 * two or both are NULL. Returns 0, or a negative errno with a line in e; the caller must call
 * bodies_close() in either case.
 */
int bodies_open(struct bodies *b, const char *file, const char *list, struct err *e);
void bodies_close(struct bodies *b);

/* The body of the name with that number, counted from 1. The bodies are used in turn. */
const struct given_body *bodies_of(const struct bodies *b, uint64_t number);

#endif
