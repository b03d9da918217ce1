#ifndef TOOLS_ZCAV_JSON_H
#define TOOLS_ZCAV_JSON_H

#include <stdint.h>

#include "tools/zcav_run.h"
#include "util/err.h"

/*
 * Formats all measurements as JSON (zcav(8) describes it) in *text, which the caller frees.
 * start_time is in seconds since 1970. Returns 0, or -ENOMEM with a line in e.
 */
int zcav_json(const struct zcav_job *jobs, unsigned count, int64_t start_time, char **text,
              struct err *e);

#endif
