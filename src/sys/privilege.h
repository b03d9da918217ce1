// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include "util/err.h"

/* The user and group that a process changes to. */
struct identity {
    bool change; /* false: keeps the present ones */
    uid_t uid;
    gid_t gid;
};

/* Looks up -u USER[:GROUP] and -g GROUP, either of which may be NULL: names, or numbers that the
 * system need not know. The default group is the user's own or, for an unknown user, that with the
 * same number. Returns 0, or -EINVAL with a line in e. */
int privilege_resolve(struct identity *id, const char *user, const char *group, struct err *e);

/* Changes to that user and group for good: supplementary groups, and real, effective and saved ids;
 * gives up all capabilities unless the user is root. A process that already is that user keeps
 * supplementary groups that only root could give up. Unless is_quiet, says so in a line on standard
 * error, as Bonnie++ does. Returns 0, or a negative errno with a line in e. */
int privilege_become(const struct identity *id, bool is_quiet, struct err *e);

/* Does both: looks up the user and the group, and becomes them. */
static inline int privilege_change(const char *user, const char *group, bool is_quiet,
                                   struct err *e)
{
    struct identity id;
    int rc = privilege_resolve(&id, user, group, e);
    return rc == 0 ? privilege_become(&id, is_quiet, e) : rc;
}

/* Gives up all capabilities, and the means to get any by exec; user 0 stays. Safe after fork. */
int privilege_give_up_capabilities(struct err *e);
