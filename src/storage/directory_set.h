#ifndef STORAGE_DIRECTORY_SET_H
#define STORAGE_DIRECTORY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/scratch.h"
#include "util/partition.h"

/*
 * One worker's metadata directories. As many as the limit on open descriptors allows are kept open,
 * so that a file in them is reached by a name of one part; the others are opened when they are
 * used, one at a time. All functions return 0 (or a descriptor) or a negative errno with a line in
 * e.
 */
struct directory_set {
    const struct scratch *scratch;
    struct partition numbers; /* the numbers of this worker's directories */
    int least_free;           /* number of descriptors to leave free */
    int *fds;     /* one for each directory; -1: not kept open. NULL: no directory has been made */
    int other_fd; /* the one that was used last without being kept open, or -1 */
    uint64_t other; /* index of that directory */
};

/* Initialises d; makes nothing yet. workers is the number of workers that have such a set. */
void directory_set_init(struct directory_set *d, const struct scratch *scratch,
                        struct partition numbers, unsigned workers);

/* Makes all directories unless they exist. */
int directory_set_make(struct directory_set *d, struct err *e);

/* Opens directories that another process has made, and closes them again. */
int directory_set_visit(struct directory_set *d, struct err *e);
void directory_set_close(struct directory_set *d);

/* Removes and closes all directories; they must be empty. */
int directory_set_remove(struct directory_set *d, struct err *e);

/*
 * The number and the descriptor of the worker's directory `index`, from 0. The descriptor belongs
 * to the set and is valid until the next call.
 */
static inline unsigned directory_set_number(const struct directory_set *d, uint64_t index)
{
    return (unsigned)(d->numbers.first + index);
}
int directory_set_fd(struct directory_set *d, uint64_t index, struct err *e);

#endif
