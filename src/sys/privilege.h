#ifndef SYS_PRIVILEGE_H
#define SYS_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* Whom to become. */
struct identity {
    bool change; /* false: stay */
    uid_t uid;
    gid_t gid;
};

/*
 * Looks up -u USER[:GROUP] and -g GROUP, either of which may be NULL; each is a name, or a number
 * that need not be known to the system. Without a group it is the user's own, or for an unknown
 * user the group of the same number. Returns 0, or -EINVAL and a line in e.
 */
int privilege_resolve(struct identity *id, const char *user, const char *group, struct err *e);

/*
 * Becomes id permanently: supplementary groups, real, effective and saved ids, and unless it is
 * root all capabilities. A process that is that user already keeps supplementary groups that only
 * root could give up. Returns 0, or a negative errno when the system or the lack of root does not
 * allow it.
 */
int privilege_drop(const struct identity *id, struct err *e);

/*
 * Gives up all capabilities, and the way to get any by running a program. User 0 stays user 0.
 * Safe after fork. Returns 0 or a negative errno.
 */
int privilege_give_up_capabilities(struct err *e);

#endif
