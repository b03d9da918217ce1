// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* What is certain, before any power cut, about whether data that was written in a directory and
 * synced will survive one. It follows from the filesystem, its mount options, the layer below an
 * overlay, and what drives say about their caches. Nothing is written. */
enum durability_kind {
    DURABILITY_OPEN,   /* nothing rules it out, but only a cut can show it */
    DURABILITY_HIDDEN, /* what decides cannot be seen from here */
    DURABILITY_NONE,   /* nothing written there survives a crash */
};

struct durability {
    enum durability_kind kind;
    char what[64]; /* "tmpfs", "barrier=0", "tmpfs below an overlay"; may be empty if it is open */
    const char *why; /* "everything is in memory"; NULL if `what` is empty; with DURABILITY_HIDDEN,
                        what "cannot be seen from here" */
};

struct mount_info;
struct device_counters;

/* Judges the directory behind directory_fd, which must not be open with O_PATH; or a filesystem
 * that is not an overlay. */
void durability_find(struct durability *d, int directory_fd);
void durability_of_mount(struct durability *d, const struct mount_info *mount);

/* Whether `syncs` syncs returned, each of something newly written, and reached no drive, although
 * the devices count what they store. At most `at_once` syncs share a commit, so in that time the
 * filesystem's devices got at least one write for so many, and the drives below a write or a flush;
 * less than half of that is what others have stored. */
bool durability_is_pretended(const struct device_counters *spent, uint64_t syncs, unsigned at_once);
