#ifndef BONCUT_AUDIT_FUA_TRACE_H
#define BONCUT_AUDIT_FUA_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

/*
 * Counts writes that are durable by themselves (FUA). The kernel has no counter for them, but root
 * can see them as events of tracefs (Documentation/trace/ftrace.rst). The trace uses an instance of
 * its own and disturbs no other user of tracefs.
 */
struct fua_trace {
    char path[96]; /* path of the instance; empty: there is none, and nothing is known */
    int in_use;    /* keeps --cleanup from removing it */
};

/* Makes an instance, and begins to count. Without the right to do so, t->path stays empty. */
void fua_trace_begin(struct fua_trace *t);

/*
 * Sets *writes to the number of FUA writes to the device since fua_trace_begin(). Returns false
 * when the number is unknown.
 */
bool fua_trace_count(const struct fua_trace *t, const struct device *device, uint64_t *writes);

/* Removes the trace instance. */
void fua_trace_end(struct fua_trace *t);

/*
 * Whether this line of the trace reports a write with FUA to the device: "... block_rq_issue: 8,0
 * WFS ...", where the F after the W means FUA.
 */
bool fua_trace_line(const char *line, unsigned major, unsigned minor);

#endif
