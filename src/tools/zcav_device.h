// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/file.h"
#include "tools/zcav_options.h"
#include "util/err.h"

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

/*
 * Opens `path` ("-": standard input) as the settings say. For writing it opens only what
 * zcav_guard() allows, and a block device with O_EXCL. Returns 0, or a negative errno with a line
 * in e; the caller must call zcav_device_close() in either case.
 */
int zcav_device_open(struct zcav_device *d, const char *path, const struct zcav_settings *s,
                     struct err *e);
void zcav_device_close(struct zcav_device *d);
