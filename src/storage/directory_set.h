#ifndef STORAGE_DIRECTORY_SET_H
#define STORAGE_DIRECTORY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/scratch.h"
#include "util/partition.h"

/*
 * One worker's metadata directories. As many of them stay open as the limit on descriptors allows,
 * so that a name of one part leads to each file. The others are opened one at a time, when they are
 * used. All functions return 0 (or a descriptor), or a negative errno with a line in e.
 */
struct directory_set {
    const struct scratch *scratch;
    struct partition numbers; /* numbers of this worker's directories */
    int least_free;           /* number of descriptors that must stay free */
    int *fds; /* one for each directory; -1: it is not kept open. NULL: there are no directories */
    int other_fd;   /* the last used directory of those that are not kept open; -1: none */
    uint64_t other; /* index of that directory */
};

/* Initialises d, but makes nothing yet. `workers` is the number of workers that have such a set. */
void directory_set_init(struct directory_set *d, const struct scratch *scratch,
                        struct partition numbers, unsigned workers);

/* Makes all directories unless they exist. */
int directory_set_make(struct directory_set *d, struct err *e);

/* Opens and closes the directories that another process has made. */
int directory_set_visit(struct directory_set *d, struct err *e);
void directory_set_close(struct directory_set *d);

/* Removes and closes all directories, which must be empty. */
int directory_set_remove(struct directory_set *d, struct err *e);

/*
 * The number and the descriptor of the worker's directory `index`, counted from 0. The descriptor
 * belongs to the set, and is valid until the next call.
 */
static inline unsigned directory_set_number(const struct directory_set *d, uint64_t index)
{
    return (unsigned)(d->numbers.first + index);
}
int directory_set_fd(struct directory_set *d, uint64_t index, struct err *e);

#endif
