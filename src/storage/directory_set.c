#include "storage/directory_set.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/descriptor.h"

/*
 * Number of descriptors that stay free for what is opened later: for the whole process, and for
 * each worker, which may have its file open twice, a queue, and a file or directory of the metadata
 * tests.
 */
#define FREE_IN_ALL     48
#define FREE_PER_WORKER 6

void directory_set_init(struct directory_set *d, const struct scratch *scratch,
                        struct partition numbers, unsigned workers)
{
    *d = (struct directory_set){
        .scratch = scratch,
        .numbers = numbers,
        .least_free = FREE_IN_ALL + FREE_PER_WORKER * (int)workers,
        .other_fd = -1,
    };
}

/* Kept directories have only descriptors below this number. */
static int end_of_kept(const struct directory_set *d)
{
    return descriptor_limit_raise() - d->least_free;
}

/*
 * Keeps fd open if that is possible. The kernel gives out the lowest free number, so the number
 * shows how full the table is.
 */
static void keep_open(struct directory_set *d, uint64_t index, int fd, int end)
{
    bool is_kept = fd < end || d->numbers.count == 1;
    d->fds[index] = is_kept ? fd : -1;
    if (!is_kept)
        close(fd);
}

int directory_set_make(struct directory_set *d, struct err *e)
{
    if (d->fds)
        return 0;
    d->fds = calloc(d->numbers.count, sizeof *d->fds);
    if (!d->fds)
        return err_system(e, ENOMEM, "memory for directories of files");
    int end = end_of_kept(d);
    for (uint64_t i = 0; i < d->numbers.count; i++) {
        int fd = scratch_make_directory(d->scratch, directory_set_number(d, i), e);
        if (fd < 0) {
            d->numbers.count = i; /* only these exist and must be removed */
            return fd;
        }
        keep_open(d, i, fd, end);
    }
    return 0;
}

static void close_other(struct directory_set *d)
{
    if (d->other_fd >= 0)
        close(d->other_fd);
    d->other_fd = -1;
}

int directory_set_fd(struct directory_set *d, uint64_t index, struct err *e)
{
    if (d->fds[index] >= 0)
        return d->fds[index];
    if (d->other_fd >= 0 && d->other == index)
        return d->other_fd;
    close_other(d);
    d->other = index;
    d->other_fd = scratch_open_directory(d->scratch, directory_set_number(d, index), e);
    return d->other_fd;
}

int directory_set_visit(struct directory_set *d, struct err *e)
{
    d->fds = calloc(d->numbers.count, sizeof *d->fds);
    if (!d->fds)
        return err_system(e, ENOMEM, "memory for directories of files");
    int end = end_of_kept(d);
    for (uint64_t i = 0; i < d->numbers.count; i++)
        d->fds[i] = -1;
    for (uint64_t i = 0; i < d->numbers.count; i++) {
        int fd = scratch_open_directory(d->scratch, directory_set_number(d, i), e);
        if (fd < 0)
            return fd;
        keep_open(d, i, fd, end);
    }
    return 0;
}

void directory_set_close(struct directory_set *d)
{
    close_other(d);
    for (uint64_t i = 0; d->fds && i < d->numbers.count; i++)
        if (d->fds[i] >= 0)
            close(d->fds[i]);
    free(d->fds);
    d->fds = NULL;
}

int directory_set_remove(struct directory_set *d, struct err *e)
{
    int rc = 0;
    close_other(d);
    for (uint64_t i = 0; d->fds && i < d->numbers.count; i++) {
        if (d->fds[i] >= 0)
            close(d->fds[i]);
        int one = scratch_remove_directory(d->scratch, directory_set_number(d, i), e);
        rc = rc ? rc : one;
    }
    free(d->fds);
    d->fds = NULL;
    return rc;
}
