// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/sync_trial.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/durability.h"
#include "storage/scratch.h"
#include "sys/stop.h"
#include "util/rng.h"

#define BLOCK 4096

static int compare_times(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static int write_block(const struct scratch *s, int fd, unsigned number, struct err *e)
{
    uint64_t block[BLOCK / sizeof(uint64_t)];
    struct rng rng;
    rng_init(&rng, clock_ns(), number);
    for (unsigned i = 0; i < BLOCK / sizeof *block; i++)
        block[i] = rng_next(&rng);
    ssize_t written = pwrite(fd, block, BLOCK, (off_t)number * BLOCK);
    return written == BLOCK
               ? 0
               : err_system(e, written < 0 ? errno : ENOSPC, "write in %s/%s", s->path, s->name);
}

static int sync_file(const struct scratch *s, int fd, struct err *e)
{
    return fsync(fd) == 0 ? 0 : err_system(e, errno, "fsync in %s/%s", s->path, s->name);
}

static int measure_syncs(const struct scratch *s, int fd, unsigned syncs,
                         uint64_t times[SYNC_TRIAL_MOST], struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < syncs; i++) {
        rc = stop_check(e);
        if (rc == 0)
            rc = write_block(s, fd, i, e);
        uint64_t start_ns = clock_ns();
        if (rc == 0)
            rc = sync_file(s, fd, e);
        times[i] = clock_ns() - start_ns;
    }
    return rc;
}

/* The file needs a name: btrfs does not sync a file that has none. */
static int run_in(struct sync_trial *t, const struct scratch *s, const struct device_set *d,
                  unsigned syncs, struct err *e)
{
    uint64_t times[SYNC_TRIAL_MOST];
    struct device_counters before, after;
    int fd = scratch_make_named_file(s, 0, e);
    if (fd < 0)
        return fd;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < syncs; i++)
        rc = write_block(s, fd, i, e);
    if (rc == 0)
        rc = sync_file(s, fd, e);
    device_read(d, &before);
    if (rc == 0)
        rc = measure_syncs(s, fd, syncs, times, e);
    device_read(d, &after);
    close(fd);
    int removed = scratch_remove_data_file(s, 0, e);
    if (rc != 0)
        return rc;
    const struct device_counters stored = device_since(&after, &before);
    qsort(times, syncs, sizeof *times, compare_times);
    *t = (struct sync_trial){.median_ns = times[syncs / 2],
                             .slowest_ns = times[syncs - 1],
                             .is_pretended = durability_is_pretended(&stored, syncs, 1)};
    return removed;
}

int sync_trial_run(struct sync_trial *t, const char *path, const struct device_set *d,
                   unsigned syncs, bool trusts, struct err *e)
{
    struct scratch s;
    int rc = scratch_open(&s, path, PATH_FAILS, trusts, e);
    if (rc == 0)
        rc = scratch_make(&s, e);
    if (rc == 0)
        rc = run_in(t, &s, d, syncs, e);
    int closed = scratch_close(&s, e);
    return rc == 0 ? closed : rc;
}
