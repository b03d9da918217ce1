// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/sync_trial.h"

#include "measure/clock.h"
#include "measure/durability.h"
#include "measure/summary.h"
#include "storage/scratch.h"
#include "sys/limits.h"
#include "sys/stop.h"
#include "util/rng.h"

#define BLOCK 4096

int sync_trial_run(struct sync_trial *t, const char *path, const struct device_set *d,
                   unsigned syncs, bool trusts, struct err *e)
{
    uint64_t block[BLOCK / sizeof(uint64_t)];
    double times[MAX_SYNC_TRIAL];
    struct device_counters before, after;
    struct summary summary;
    struct scratch s;
    struct rng rng;
    int fd = -1;
    int rc = limits_file((uint64_t)syncs * BLOCK, e);
    if (rc != 0)
        return rc;
    rc = scratch_open(&s, path, PATH_FAILS, trusts, e);
    if (rc == 0)
        rc = scratch_make(&s, 0, e);
    if (rc == 0) { /* with a name: btrfs does not sync a file that has none */
        fd = scratch_make_file(&s, made_name(MADE_FILE, 0).text, e);
        rc = fd < 0 ? fd : 0;
    }
    rng_init(&rng, clock_ns(), 0);
    /* writes all blocks and syncs them once, and then each on its own, which is what counts */
    for (unsigned i = 0; rc == 0 && i < 2 * syncs; i++) {
        if (i == syncs)
            device_read(d, &before);
        for (unsigned k = 0; k < BLOCK / sizeof *block; k++)
            block[k] = rng_next(&rng);
        ssize_t written = pwrite(fd, block, BLOCK, (off_t)(i % syncs) * BLOCK);
        if (written != BLOCK)
            rc = err_system(e, written < 0 ? errno : ENOSPC, "write in %s/%s", s.path, s.name);
        uint64_t start_ns = clock_ns();
        if (rc == 0 && i + 1 >= syncs && fsync(fd) != 0)
            rc = err_system(e, errno, "fsync in %s/%s", s.path, s.name);
        times[i % syncs] = (double)(clock_ns() - start_ns);
        if (rc == 0)
            rc = stop_check(e);
    }
    if (rc == 0) {
        device_read(d, &after);
        const struct device_counters stored = device_since(&after, &before);
        summary_of_rates(&summary, times, syncs);
        /* the time of one of the syncs, and not of two halves */
        *t = (struct sync_trial){.median_ns = (uint64_t)times[syncs / 2],
                                 .slowest_ns = (uint64_t)summary.max,
                                 .is_pretended = durability_is_pretended(&stored, syncs, 1)};
    }
    if (fd >= 0) {
        close(fd);
        int removed = scratch_remove_data_file(&s, 0, e);
        rc = rc ? rc : removed;
    }
    int closed = scratch_close(&s, e);
    return rc ? rc : closed;
}
