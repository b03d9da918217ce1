#ifndef TOOLS_ZCAV_DEVICE_H
#define TOOLS_ZCAV_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/file.h"
#include "tools/zcav_options.h"
#include "util/err.h"

/* A device, a file or a stream that is open to be measured. */

enum zcav_kind {
    ZCAV_PLAIN,
    ZCAV_BLOCK,
    ZCAV_STREAM, /* neither: it is read from where it is to its end, once */
};

struct zcav_device {
    struct io_file file; /* fd -1: closed */
    char *label;         /* its name: the path on one line, without control characters */
    enum zcav_kind kind;
    bool direct;    /* opened with O_DIRECT */
    uint64_t bytes; /* UINT64_MAX: not known */
};

/*
 * Opens path ("-": standard input) in the way that the settings ask for; to be written to, only
 * what zcav_guard() allows, and a block device with O_EXCL. Returns 0 or a negative errno with a
 * line in e; zcav_device_close() follows in either case.
 */
int zcav_device_open(struct zcav_device *d, const char *path, const struct zcav_settings *s,
                     struct err *e);

void zcav_device_close(struct zcav_device *d);

#endif
