#ifndef SYS_PRIVILEGE_H
#define SYS_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* The user and group to change to. */
struct identity {
    bool change; /* false: keep the present ones */
    uid_t uid;
    gid_t gid;
};

/*
 * Looks up -u USER[:GROUP] and -g GROUP, either of which may be NULL; each is a name, or a number
 * that the system need not know. The default group is the user's own, or for an unknown user the
 * group of the same number. Returns 0, or -EINVAL and a line in e.
 */
int privilege_resolve(struct identity *id, const char *user, const char *group, struct err *e);

/*
 * Changes to that user and group permanently: sets the supplementary groups and the real, effective
 * and saved ids, and gives up all capabilities unless the user is root. A process that is that user
 * already keeps supplementary groups, which only root could give up. Returns 0, or a negative errno
 * when the system or the lack of root does not allow it.
 */
int privilege_drop(const struct identity *id, struct err *e);

/* Does the same and, unless is_quiet, reports it in a line on standard error, as Bonnie++ does. */
int privilege_become(const struct identity *id, bool is_quiet, struct err *e);

/*
 * Gives up all capabilities, and the means to get any by executing a program. User 0 stays user 0.
 * Safe after fork. Returns 0 or a negative errno.
 */
int privilege_give_up_capabilities(struct err *e);

#endif
