// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/privilege.h"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "util/units.h"

/* Takes a name for an id, when the system knows no such name: a number. `code` is what the lookup
 * left in errno; most errnos only say that the name is unknown (getpwnam(3)). */
static int parse_id(const char *text, unsigned *id, int code, const char *kind, struct err *e)
{
    uint64_t number;
    bool is_trouble =
        code == EINTR || code == EIO || code == EMFILE || code == ENFILE || code == ENOMEM;
    /* the system takes the highest number for "no change" */
    if (units_parse_count(text, &number) != 0 || number >= UINT32_MAX)
        return is_trouble ? err_system(e, code, "--%s: look up '%.100s'", kind, text)
                          : err_say(e, "--%s: no %s is named '%.100s'", kind, kind, text);
    *id = (unsigned)number;
    return 0;
}

int privilege_resolve(struct identity *id, const char *user, const char *group, struct err *e)
{
    *id = (struct identity){.change = user || group, .uid = geteuid(), .gid = getegid()};

    int rc = 0;
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
    if (user) {
        errno = 0;
        const struct passwd *known = getpwnam(user);
        if (!known) {
            rc = parse_id(user, &id->uid, errno, "user", e);
            known = rc == 0 ? getpwuid(id->uid) : NULL;
        }
        id->uid = known ? known->pw_uid : id->uid;
        id->gid = known ? known->pw_gid : (gid_t)id->uid;
    }
    if (rc == 0 && group) {
        errno = 0;
        const struct group *known = getgrnam(group);
        if (known)
            id->gid = known->gr_gid;
        else
            rc = parse_id(group, &id->gid, errno, "group", e);
    }
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

static int drop(const struct identity *id, struct err *e)
{
    uid_t real, effective, saved;
    gid_t real_group, effective_group, saved_group;
    if (!id->change)
        return 0;
    bool has_already = getresuid(&real, &effective, &saved) == 0 &&
                       getresgid(&real_group, &effective_group, &saved_group) == 0 &&
                       id->uid != 0 && real == id->uid && effective == id->uid &&
                       saved == id->uid && real_group == id->gid && effective_group == id->gid &&
                       saved_group == id->gid;
    if (!has_already && geteuid() != 0)
        return err_say(e, "--user, --group: only root can become uid %u, gid %u", id->uid, id->gid);
    /* Without CAP_SETGID the supplementary groups stay: they are this user's own. */
    if (setgroups(1, &id->gid) != 0 && !(has_already && errno == EPERM))
        return err_system(e, errno, "give up supplementary groups");
    if (has_already)
        return privilege_give_up_capabilities(e);
    if (setresgid(id->gid, id->gid, id->gid) != 0)
        return err_system(e, errno, "become gid %u", id->gid);
    /* Keeps the user's other processes out. Where fs.suid_dumpable is 1, the change of the user
     * lets them in until PR_SET_DUMPABLE; but not to a process that still has capabilities which
     * they lack (cap_ptrace_access_check() of the kernel), and these are given up after it. */
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
