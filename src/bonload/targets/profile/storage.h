#ifndef BONLOAD_TARGETS_PROFILE_STORAGE_H
#define BONLOAD_TARGETS_PROFILE_STORAGE_H

#include <stdbool.h>

#include "bonload/profiles/profile.h"
#include "storage/scratch.h"
#include "util/err.h"
#include "verify/contents.h"
#include "verify/pattern.h"

/* What all files of a profile are made from. */
struct storage {
    struct scratch scratch;
    struct pattern pattern;
    enum verify_mode verify;
};

/*
 * Makes a file without a name, with O_DIRECT if the profile wants it and the filesystem supports
 * it. Returns its descriptor or a negative errno with a line in e.
 */
int storage_make_file(const struct storage *s, const struct profile_file *f, unsigned number,
                      struct err *e);

/*
 * Has the filesystem reserve room from the start of a file, if it supports that. Returns 0 or a
 * negative errno.
 */
int storage_reserve(int fd, uint64_t bytes);

/*
 * Writes a file's contents from its start, in their first generation, and syncs them. Returns 0 or
 * a negative errno with a line in e.
 */
int storage_fill(const struct storage *s, const struct profile_file *f, int fd, unsigned number,
                 uint64_t bytes, struct err *e);

/*
 * Writes all of a buffer at that offset or, if that is -1, at the file's position. Returns 0 or a
 * positive errno.
 */
int storage_write(int fd, const unsigned char *from, size_t length, int64_t at);

/* fdatasync, or fsync if `all`, as often as signals interrupt it. Returns 0 or a positive errno. */
int storage_sync(int fd, bool all);

/* Alignment of buffers, as O_DIRECT requires. */
#define STORAGE_ALIGNMENT 4096

#endif
