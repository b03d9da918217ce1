// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

#include "measure/device.h"

/*
 * The rates to which a control group limits the use of a device (io.max, or blkio.throttle in
 * version 1). The kernel holds transfers back before they reach the device, so a device that is
 * held to a tenth of its speed looks idle.
 */

/* What can be limited, in bytes or operations per second. */
enum io_limit_kind {
    IO_LIMIT_READ_BYTES,
    IO_LIMIT_WRITTEN_BYTES,
    IO_LIMIT_READ_OPS,
    IO_LIMIT_WRITE_OPS,
    IO_LIMIT_KINDS
};

struct io_limit {
    uint64_t per_second[IO_LIMIT_KINDS]; /* 0: no limit */
};

/* Adds the limits of another host. A kind that is unlimited on either host is unlimited in *all. */
void io_limit_join(struct io_limit *all, const struct io_limit *one);

/*
 * Finds the limits that apply to this process on the devices of d, and keeps the lowest of each
 * kind. What cannot be found out counts as no limit.
 */
void io_limit_find(struct io_limit *l, const struct device_set *d);

/*
 * Lowers l by one line of io.max ("8:0 rbps=20971520 wbps=max riops=max wiops=max") or, if it is
 * about only one kind, of a file of version 1 ("8:0 20971520"), if the line names a device of d.
 * only: IO_LIMIT_KINDS for io.max.
 */
void io_limit_read_line(struct io_limit *l, const struct device_set *d, const char *line,
                        enum io_limit_kind only);
