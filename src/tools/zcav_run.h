// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/file.h"
#include "io/io_queue.h"
#include "tools/zcav_log.h"
#include "tools/zcav_options.h"
#include "util/err.h"
#include "verify/pattern.h"

/* A device, a file or a stream that is open for measuring. */

enum zcav_kind {
    ZCAV_PLAIN,
    ZCAV_BLOCK,
    ZCAV_STREAM, /* anything else: it is read once, from its current position to its end */
};

struct zcav_device {
    struct io_file file; /* fd -1: closed */
    char *label;         /* name for output: the path on one line, without control characters */
    enum zcav_kind kind;
    bool direct;    /* O_DIRECT is set */
    uint64_t bytes; /* UINT64_MAX: unknown */
};

/* What one pass over a device has measured: its blocks in their order. */
struct zcav_pass {
    struct zcav_block *blocks;
    size_t count;
    size_t room;
    struct zcav_block sum;
};

/* One device, and everything that is measured on it. */
struct zcav_job {
    const struct zcav_settings *settings;
    unsigned number; /* index among the devices */
    const struct engine_ops *engine;
    unsigned depth;
    const struct pattern *pattern; /* pattern of the data that is written */
    struct op_stats *stats;
    struct zcav_device device;
    bool is_live; /* standard error is a terminal with a progress bar */
    struct zcav_log log;
    struct io_queue queue;
    struct zcav_pass *passes; /* there are zcav_passes() of them */
    unsigned pass;            /* number of the current pass */
    struct bad_ranges bad;

    /* The block that is being moved. */
    uint64_t next;         /* offset of the next chunk */
    uint64_t end;          /* end of the block in bytes */
    uint64_t position;     /* position in a stream */
    unsigned char *failed; /* for each chunk of the block, whether moving it has failed */
    int failed_code;       /* errno of the first failed chunk; 0: none has failed */
    bool at_end;           /* the stream has ended */
};

unsigned zcav_passes(const struct zcav_settings *s);

/* Offset in bytes of the measured block with that index. */
uint64_t zcav_offset(const struct zcav_settings *s, size_t index);

/* Number of blocks that a pass over d measures; 0: unknown beforehand. */
uint64_t zcav_blocks(const struct zcav_settings *s, const struct zcav_device *d);

/*
 * Opens what a job needs for measuring file `number` of the settings. The caller must release the
 * job in either case.
 */
int zcav_job_open(struct zcav_job *j, unsigned number, struct err *e);
void zcav_job_release(struct zcav_job *j);

/* Measures all devices at the same time, and prints their logs. */
int zcav_run(struct zcav_job *jobs, unsigned count, struct err *e);
