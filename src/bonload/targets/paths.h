#ifndef BONLOAD_TARGETS_PATHS_H
#define BONLOAD_TARGETS_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/names.h"
#include "bonload/targets/target.h"

/* The check of a target that works on paths: refuses a URL, which is a path too, but not meant so.
 */
int paths_check(struct plan *p, const struct settings *s, struct err *e);

/* Makes all directories above the last part of a path that are missing; 0 or a negative errno. */
int paths_make_above(const char *path);

/* Makes the directory that a path is in durable; 0 or a negative errno. */
int paths_sync_above(const char *path);

/*
 * Removes the plain file that has a number's name, or, if `links`, the symbolic link. No run makes
 * anything else: it stays. Returns 0, also when nothing was removed, or a negative errno.
 */
int paths_remove(const struct names *names, uint64_t number, bool links);

#endif
