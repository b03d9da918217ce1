// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Names of everything that a run makes in its private directory; --cleanup recognises them by their
 * form (storage/scratch.h):
 *
 *     fsync.0        the blocks of worker 0 for the method fsync
 *     fsync.0+3      the fourth file that this worker has appended to
 *     create.0/      a directory of worker 0 for the method create
 *         17.4       version 4 of unit 17
 *         17         a unit whose name stays the same
 */
#define LAYOUT_NAME 64

/* "fsync.0", "fsync.0+3", and "rename.0b" for one of several directories. */
void layout_worker_name(char name[LAYOUT_NAME], unsigned method, unsigned worker);
void layout_tail_name(char name[LAYOUT_NAME], unsigned method, unsigned worker, uint64_t number);
void layout_side_name(char name[LAYOUT_NAME], unsigned method, unsigned worker, unsigned side);

/* "17" and "17.4". */
void layout_unit_name(char name[LAYOUT_NAME], uint32_t unit);
void layout_version_name(char name[LAYOUT_NAME], uint32_t unit, uint64_t version);

/*
 * Parse "17.4", or the name of a tail of this method and worker. Return false when the name has
 * another form.
 */
bool layout_parse_version(const char *name, uint32_t *unit, uint64_t *version);
bool layout_parse_tail(const char *name, unsigned method, unsigned worker, uint64_t *number);

/* The number that identifies a file of a method and a worker in the stamps of its blocks. */
uint64_t layout_stamp(unsigned method, unsigned worker, uint64_t number);
