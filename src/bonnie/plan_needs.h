#ifndef BONNIE_PLAN_NEEDS_H
#define BONNIE_PLAN_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct scratch_space;

/*
 * The largest number of bytes and of files that the plan needs at any moment on a filesystem with
 * these blocks and inodes. UINT64_MAX bytes: more than can be counted. links_are_files: a hard link
 * counts as a file there.
 */
uint64_t plan_bytes_needed(const struct plan *p, const struct scratch_space *space);
uint64_t plan_files_needed(const struct plan *p, bool links_are_files);

#endif
