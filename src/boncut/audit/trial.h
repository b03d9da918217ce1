#ifndef BONCUT_AUDIT_TRIAL_H
#define BONCUT_AUDIT_TRIAL_H

#include <stdint.h>

#include "util/err.h"

/* Number of fsyncs in a trial. */
#define TRIAL_SYNCS 200

struct trial {
    uint64_t median_ns;
    uint64_t slowest_ns;
};

/*
 * Overwrites one block of a file and calls fsync(2), TRIAL_SYNCS times. The file is in a private
 * directory below the path; trial_run() removes both afterwards. Returns 0 or a negative errno with
 * a line in e.
 */
int trial_run(struct trial *t, const char *path, struct err *e);

#endif
