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
 * Repeatedly overwrites a block of a file and calls fsync(2). The file is in a private directory
 * below the path; both are removed afterwards. Returns 0 or a negative errno with a line in e.
 */
int trial_run(struct trial *t, const char *path, struct err *e);

#endif
