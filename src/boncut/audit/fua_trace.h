#ifndef BONCUT_AUDIT_FUA_TRACE_H
#define BONCUT_AUDIT_FUA_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

/*
 * Counts writes that are durable by themselves (FUA). No counter of the kernel has them, but the
 * events of tracefs show them (Documentation/trace/ftrace.rst), which root may read. The trace has
 * an instance of its own, so nobody else's is disturbed.
 */
struct fua_trace {
    char path[96]; /* path of the instance; empty: there is none, and nothing is known */
};

void fua_trace_begin(struct fua_trace *t);

/* The number of such writes to the device since then; returns false when it is not known. */
bool fua_trace_count(const struct fua_trace *t, const struct device *device, uint64_t *writes);

/* Removes the instance. */
void fua_trace_end(struct fua_trace *t);

/*
 * Whether a line of the trace is about a write with FUA to the device: "... block_rq_issue: 8,0 WFS
 * ...", where the F after the W means FUA.
 */
bool fua_trace_line(const char *line, unsigned major, unsigned minor);

#endif
