#ifndef TOOLS_ZCAV_RUN_H
#define TOOLS_ZCAV_RUN_H

#include "io/io_queue.h"
#include "live/shared_stats.h"
#include "tools/bad_ranges.h"
#include "tools/zcav_device.h"
#include "tools/zcav_log.h"
#include "tools/zcav_options.h"
#include "verify/pattern.h"

/* The measurements of one pass over a device: of every measured block, in order. */
struct zcav_pass {
    struct zcav_block *blocks;
    size_t count;
    size_t room;
    struct zcav_block sum;
};

/* One device and everything that is measured on it. */
struct zcav_job {
    const struct zcav_settings *settings;
    unsigned number; /* index among the devices */
    const struct engine_ops *engine;
    unsigned depth;
    const struct pattern *pattern; /* what is written */
    struct op_stats *stats;
    struct zcav_device device;
    bool is_live; /* a progress bar is on standard error's terminal */
    struct zcav_log log;
    struct io_queue queue;
    struct zcav_pass *passes; /* zcav_passes() of them */
    unsigned pass;            /* the current pass */
    struct bad_ranges bad;

    /* The current block. */
    uint64_t next;         /* offset of the next chunk */
    uint64_t end;          /* end of the block */
    uint64_t position;     /* position in a stream */
    unsigned char *failed; /* for each chunk of the block, whether moving it failed */
    int failed_code;       /* errno of the first chunk that failed; 0: none did */
    bool at_end;           /* a stream has ended */
};

unsigned zcav_passes(const struct zcav_settings *s);

/* The offset of the block with that index among the measured ones, in bytes. */
uint64_t zcav_offset(const struct zcav_settings *s, size_t index);

/* The number of blocks of d that a pass measures; 0 when it is not known beforehand. */
uint64_t zcav_blocks(const struct zcav_settings *s, const struct zcav_device *d);

/*
 * Opens what a job needs to measure file `number` of the settings. Release it even if this fails.
 */
int zcav_job_open(struct zcav_job *j, unsigned number, struct err *e);
void zcav_job_release(struct zcav_job *j);

/* Measures all devices at the same time, and prints their logs. Returns 0 or a negative errno. */
int zcav_run(struct zcav_job *jobs, unsigned count, struct err *e);

#endif
