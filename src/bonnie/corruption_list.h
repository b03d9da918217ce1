#ifndef BONNIE_CORRUPTION_LIST_H
#define BONNIE_CORRUPTION_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "verify/contents.h"

/* The first corrupted places that a test found, described for reports. */
struct corruption_entry {
    uint64_t file;                          /* number of the data file, counted from 0 */
    uint64_t offset;                        /* offset in that file */
    const char *kind;                       /* "stale", "torn" ...; a static text */
    char description[CORRUPTED_PLACE_TEXT]; /* the kind, what was expected, and what was found */
};

struct corruption_list {
    struct corruption_entry *entries; /* belongs to the list; NULL: none */
    size_t count;
};

/*
 * Describes the places that c has recorded. Returns 0, or a negative errno with a line in e;
 * corruption_list_release() frees the list.
 */
int corruption_list_make(struct corruption_list *list, const struct corruption *c,
                         const struct pattern *p, struct err *e);

void corruption_list_release(struct corruption_list *list);

#endif
