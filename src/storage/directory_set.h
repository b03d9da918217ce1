#ifndef STORAGE_DIRECTORY_SET_H
#define STORAGE_DIRECTORY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/scratch.h"
#include "util/partition.h"

/*
 * One worker's metadata directories. Each is kept open, so that a file in it is reached by a name
 * of one part, as far as the limit to open descriptors goes; the others are opened when they are
 * used, one at a time. All functions return 0 (or a descriptor) or a negative errno with a line in
 * e.
 */
struct directory_set {
    const struct scratch *scratch;
    struct partition numbers; /* which directories are this worker's */
    int least_free;           /* this number of descriptors is left to others */
    int *fds;                 /* of each directory; -1: it is not kept open. NULL: none is made */
    int other_fd;             /* of the one used last that is not kept open, or -1 */
    uint64_t other;           /* its index */
};

/* Makes nothing yet. workers is the number of workers that have such a set. */
void directory_set_init(struct directory_set *d, const struct scratch *scratch,
                        struct partition numbers, unsigned workers);

/* Makes all directories, if they are not there yet. */
int directory_set_make(struct directory_set *d, struct err *e);

/* Opens those that another process has made; and closes them again. */
int directory_set_visit(struct directory_set *d, struct err *e);
void directory_set_close(struct directory_set *d);

/* Removes and closes all of them; they must be empty. */
int directory_set_remove(struct directory_set *d, struct err *e);

/* Directory `index`, from 0 on, of the worker's share: its number, and its descriptor, which
 * belongs to the set and is valid until the next call. */
static inline unsigned directory_set_number(const struct directory_set *d, uint64_t index)
{
    return (unsigned)(d->numbers.first + index);
}
int directory_set_fd(struct directory_set *d, uint64_t index, struct err *e);

#endif
