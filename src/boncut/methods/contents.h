#ifndef BONCUT_METHODS_CONTENTS_H
#define BONCUT_METHODS_CONTENTS_H

#include <stdint.h>

#include "boncut/findings.h"
#include "boncut/methods/method.h"

/* Blocks with a stamp in every sector of 512 bytes: writing them, and checking them. */
#define SECTOR_BYTES 512

/*
 * Writes `blocks` blocks (up to METHOD_BUFFER) of one version from block `block` of the file with
 * that stamp, with these flags of pwritev2(2). Returns 0 or a negative errno, in which case w->call
 * is what failed. A short write is continued, so that the next call returns the reason.
 */
int contents_write(struct work *w, int fd, uint64_t stamp, uint64_t block, unsigned blocks,
                   uint64_t version, int flags);

/* Records the call; returns 0 or the negative errno of its result. */
int work_called(struct work *w, const char *call, int result);

/*
 * Makes a file below the directory behind fd, which must not exist, and opens it with these
 * additional flags. Returns the descriptor or a negative errno.
 */
int work_create(struct work *w, int fd, const char *name, int flags);

/* Makes a directory, and opens it. Returns the descriptor or a negative errno. */
int work_make_directory(struct work *w, int fd, const char *name);

/*
 * Opens a file that was written before the cut, for reading. Evicts its pages if they may be from
 * before the cut. Returns the descriptor or a negative errno.
 */
int judging_open(struct judging *j, int fd, const char *name);

/* The contents of a range of a file. */
struct sight {
    enum finding finding;
    uint64_t offset;  /* of the first sector that is not as promised, or of the range */
    bool has_version; /* a version was found there */
    uint64_t found;
    const char *detail; /* about foreign contents */
    uint64_t oldest;    /* versions of the sectors, if all of them are sound */
    uint64_t newest;
    /* the smallest alignment of a boundary between two versions; 0: there is none */
    uint32_t torn_at;
};

/*
 * Examines `blocks` blocks (up to METHOD_BUFFER) from block `block` on, of which at least that
 * version was promised. Newer versions are kept, also when they are mixed: whether that is a fault
 * depends on the method.
 */
void contents_look(struct judging *j, int fd, uint64_t stamp, uint64_t block, unsigned blocks,
                   uint64_t promised, struct sight *s);

/* Reports what was seen of a unit, in a file of that name. */
void judging_tell(struct judging *j, uint32_t unit, const struct sight *s, const char *file);

/* Reports a unit without contents: its name is missing, or its size is wrong. */
void judging_tell_finding(struct judging *j, uint32_t unit, enum finding finding, const char *file);

#endif
