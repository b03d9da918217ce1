#ifndef BONLOAD_TARGETS_PROFILE_STORAGE_H
#define BONLOAD_TARGETS_PROFILE_STORAGE_H

#include <stdbool.h>

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"
#include "bonload/targets/target.h"
#include "storage/scratch.h"
#include "util/err.h"
#include "verify/contents.h"
#include "verify/pattern.h"

/* What a profile needs for making its files. */
struct storage {
    struct scratch scratch;
    struct pattern pattern;
    enum verify_mode verify;
    struct verified *verified;
};

/*
 * Makes a file without a name, with O_DIRECT if the profile wants that and the filesystem supports
 * it. Returns its descriptor, or a negative errno with a line in e.
 */
int storage_make_file(const struct storage *s, const struct profile_file *f, unsigned number,
                      struct err *e);

/*
 * Reserves room from the start of a file, if the filesystem supports that. Returns 0 or a negative
 * errno.
 */
int storage_reserve(int fd, uint64_t bytes);

/*
 * Writes the first generation of a file's contents from its start, and syncs it. Returns 0, or a
 * negative errno with a line in e.
 */
int storage_fill(const struct storage *s, const struct profile_file *f, int fd, unsigned number,
                 uint64_t bytes, struct err *e);

/*
 * Writes the whole buffer at offset `at`, or at the file's position if that is -1. Returns 0 or a
 * positive errno.
 */
int storage_write(int fd, const unsigned char *from, size_t length, int64_t at);

/*
 * Calls fdatasync(2), or fsync(2) if `all`, again whenever a signal interrupts it. Returns 0 or a
 * positive errno.
 */
int storage_sync(int fd, bool all);

/*
 * Does the same for requests that wait for it: adds its duration to the gauge, and *longest_ns
 * grows to it.
 */
int storage_sync_timed(int fd, bool all, struct gauge *gauge, uint64_t *longest_ns);

/* Alignment of buffers, as O_DIRECT requires. */
#define STORAGE_ALIGNMENT 4096

#endif
