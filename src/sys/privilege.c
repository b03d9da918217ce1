// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/units.h"

/* The highest id. The system takes the next number for "no change". */
#define LAST_ID UINT64_C(4294967294)

static bool parse_id(const char *text, unsigned *id)
{
    uint64_t number;
    if (units_parse_count(text, &number) != 0 || number > LAST_ID)
        return false;
    *id = (unsigned)number;
    return true;
}

/* Whether a lookup has failed. All other errnos only say that the name is unknown (getpwnam(3)). */
static bool is_trouble(int code)
{
    return code == EINTR || code == EIO || code == EMFILE || code == ENFILE || code == ENOMEM;
}

static int resolve_group(struct identity *id, const char *group, struct err *e)
{
    errno = 0;
    const struct group *known = getgrnam(group);
    int code = errno;
    if (known)
        id->gid = known->gr_gid;
    else if (!parse_id(group, &id->gid))
        return is_trouble(code) ? err_system(e, code, "--group: look up '%.100s'", group)
                                : err_say(e, "--group: no group is named '%.100s'", group);
    return 0;
}

static int resolve_user(struct identity *id, const char *user, struct err *e)
{
    errno = 0;
    const struct passwd *known = getpwnam(user);
    int code = errno;
    if (!known) {
        if (!parse_id(user, &id->uid))
            return is_trouble(code) ? err_system(e, code, "--user: look up '%.100s'", user)
                                    : err_say(e, "--user: no user is named '%.100s'", user);
        known = getpwuid(id->uid);
    }
    id->uid = known ? known->pw_uid : id->uid;
    id->gid = known ? known->pw_gid : (gid_t)id->uid;
    return 0;
}

int privilege_resolve(struct identity *id, const char *user, const char *group, struct err *e)
{
    *id = (struct identity){.change = user || group, .uid = geteuid(), .gid = getegid()};

    char name[256];
    const char *colon = user ? strchr(user, ':') : NULL;
    if (colon) {
        size_t length = (size_t)(colon - user);
        if (length >= sizeof name || length == 0 || colon[1] == '\0')
            return err_say(e, "--user: '%.100s' is not accepted; expected USER or USER:GROUP",
                           user);
        memcpy(name, user, length);
        name[length] = '\0';
        user = name;
        if (!group)
            group = colon + 1;
    }
    int rc = user ? resolve_user(id, user, e) : 0;
    if (rc == 0 && group)
        rc = resolve_group(id, group, e);
    return rc;
}

int privilege_give_up_capabilities(struct err *e)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capset, &header, none) != 0)
        return err_system(e, errno, "give up capabilities");
    return 0;
}

/* Whether this process already has only the wanted ids, and none of them is root's. */
static bool is_already(const struct identity *id)
{
    uid_t real, effective, saved;
    gid_t real_group, effective_group, saved_group;
    return getresuid(&real, &effective, &saved) == 0 &&
           getresgid(&real_group, &effective_group, &saved_group) == 0 && id->uid != 0 &&
           real == id->uid && effective == id->uid && saved == id->uid && real_group == id->gid &&
           effective_group == id->gid && saved_group == id->gid;
}

static int drop(const struct identity *id, struct err *e)
{
    if (!id->change)
        return 0;
    if (is_already(id)) {
        /* Without CAP_SETGID the supplementary groups stay: they are this user's own. */
        if (setgroups(1, &id->gid) != 0 && errno != EPERM)
            return err_system(e, errno, "give up supplementary groups");
        return privilege_give_up_capabilities(e);
    }
    if (geteuid() != 0)
        return err_say(e, "--user, --group: only root can become uid %u, gid %u", id->uid, id->gid);
    if (setgroups(1, &id->gid) != 0)
        return err_system(e, errno, "give up supplementary groups");
    if (setresgid(id->gid, id->gid, id->gid) != 0)
        return err_system(e, errno, "become gid %u", id->gid);
    /*
     * Keeps the user's other processes out. Where fs.suid_dumpable is 1, the change of the user
     * lets them in until PR_SET_DUMPABLE; but not to a process that still has capabilities which
     * they lack (cap_ptrace_access_check() of the kernel), and giving these up changes nothing
     * then.
     */
    prctl(PR_SET_KEEPCAPS, 1);
    if (setresuid(id->uid, id->uid, id->uid) != 0)
        return err_system(e, errno, "become uid %u", id->uid);
    prctl(PR_SET_KEEPCAPS, 0);
    if (id->uid == 0)
        return 0;
    prctl(PR_SET_DUMPABLE, 0);
    int rc = privilege_give_up_capabilities(e);
    if (rc == 0 && setuid(0) == 0)
        return err_say(e, "become uid %u: root could be regained", id->uid);
    return rc;
}

int privilege_become(const struct identity *id, bool is_quiet, struct err *e)
{
    int rc = drop(id, e);
    if (rc == 0 && id->change && !is_quiet)
        fprintf(stderr, "Using uid:%u, gid:%u.\n", geteuid(), getegid());
    return rc;
}
