#ifndef TOOLS_ZCAV_RUN_H
#define TOOLS_ZCAV_RUN_H

#include "io/io_queue.h"
#include "live/shared_stats.h"
#include "tools/bad_ranges.h"
#include "tools/zcav_device.h"
#include "tools/zcav_log.h"
#include "tools/zcav_options.h"
#include "verify/pattern.h"

/* What was measured in one pass over a device: of every block that was taken, in order. */
struct zcav_pass {
    struct zcav_block *blocks;
    size_t count;
    size_t room;
    struct zcav_block sum;
};

/* One device and all that is measured of it. */
struct zcav_job {
    const struct zcav_settings *settings;
    unsigned number; /* among the devices */
    const struct engine_ops *engine;
    unsigned depth;
    const struct pattern *pattern; /* what is written */
    struct op_stats *stats;
    struct zcav_device device;
    bool is_live; /* there is a progress bar on the terminal of standard error */
    struct zcav_log log;
    struct io_queue queue;
    struct zcav_pass *passes; /* zcav_passes() of them */
    unsigned pass;            /* the one under way */
    struct bad_ranges bad;

    /* The block under way. */
    uint64_t next;         /* offset of the next chunk */
    uint64_t end;          /* of the block */
    uint64_t position;     /* of a stream */
    unsigned char *failed; /* of each of its chunks, whether it could not be moved */
    int failed_code;       /* errno of the first that could not; 0: all could */
    bool at_end;           /* a stream has ended */
};

unsigned zcav_passes(const struct zcav_settings *s);

/* Where block number `index` of those that are taken begins, in bytes. */
uint64_t zcav_offset(const struct zcav_settings *s, size_t index);

/* The number of blocks that are taken of d in a pass; 0 when that is not known before. */
uint64_t zcav_blocks(const struct zcav_settings *s, const struct zcav_device *d);

/*
 * Opens what a job needs to measure file `number` of the settings. It is to be released even when
 * this fails.
 */
int zcav_job_open(struct zcav_job *j, unsigned number, struct err *e);
void zcav_job_release(struct zcav_job *j);

/* Measures all devices at the same time, and prints their logs. Returns 0 or a negative errno. */
int zcav_run(struct zcav_job *jobs, unsigned count, struct err *e);

#endif
