#include "boncut/audit/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/clock.h"
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

static int measure_syncs(const struct scratch *s, int fd, uint64_t times[TRIAL_SYNCS],
                         struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < TRIAL_SYNCS; i++)
        rc = write_block(s, fd, i, e);
    if (rc == 0)
        rc = sync_file(s, fd, e);
    for (unsigned i = 0; rc == 0 && i < TRIAL_SYNCS; i++) {
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
static int run_in(struct trial *t, const struct scratch *s, struct err *e)
{
    uint64_t times[TRIAL_SYNCS];
    int fd = scratch_make_named_file(s, 0, e);
    if (fd < 0)
        return fd;
    int rc = measure_syncs(s, fd, times, e);
    close(fd);
    int removed = scratch_remove_data_file(s, 0, e);
    qsort(times, TRIAL_SYNCS, sizeof *times, compare_times);
    *t = (struct trial){.median_ns = times[TRIAL_SYNCS / 2], .slowest_ns = times[TRIAL_SYNCS - 1]};
    return rc == 0 ? removed : rc;
}

int trial_run(struct trial *t, const char *path, struct err *e)
{
    struct scratch s;
    int rc = scratch_open(&s, path, PATH_FAILS, e);
    if (rc == 0)
        rc = scratch_make(&s, e);
    if (rc == 0)
        rc = run_in(t, &s, e);
    int closed = scratch_close(&s, e);
    return rc == 0 ? closed : rc;
}
