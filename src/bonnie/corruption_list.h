#ifndef BONNIE_CORRUPTION_LIST_H
#define BONNIE_CORRUPTION_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "verify/contents.h"

/* The first places that a test found damaged, in words, for reports. */
struct corruption_entry {
    uint64_t file;                          /* the number of the data file, from 0 on */
    uint64_t offset;                        /* in that file */
    const char *kind;                       /* "stale", "torn" ...; static */
    char description[CORRUPTED_PLACE_TEXT]; /* the kind, what was expected and what was found */
};

struct corruption_list {
    struct corruption_entry *entries; /* the list's own; NULL: none */
    size_t count;
};

/* Describes the places that c has kept. Returns 0 or a negative errno. */
int corruption_list_make(struct corruption_list *list, const struct corruption *c,
                         const struct pattern *p, struct err *e);

void corruption_list_release(struct corruption_list *list);

#endif
