// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/path.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "measure/mount_info.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"

#define OPEN_DIRECTORY (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define OPEN_ANY       (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* ---- whom to trust --------------------------------------------------------------------------- */

/* The uid that the kernel shows for users whom a user namespace does not map. */
#define OVERFLOW_UID 65534

/* Whether only one user can seem to have the uid, or one group the gid. */
static bool is_one(unsigned id)
{
    char map[64] = "";
    unsigned first, outside, count;
    if (id != OVERFLOW_UID)
        return true;
    kernel_file_text("/proc/self/uid_map", map, sizeof map);
    return sscanf(map, "%u %u %u", &first, &outside, &count) == 3 && count == UINT32_MAX;
}

static bool is_own(uid_t uid)
{
    return uid == geteuid() && is_one(uid);
}

static bool is_trusted(uid_t uid)
{
    return uid == 0 || is_own(uid);
}

/* Whether the mounts that this process sees are made by others: by a user of another user namespace
 * in a mount namespace of his own. The owner of one above cannot be asked for, and is trusted. */
static bool has_foreign_mounts(void)
{
    struct stat own, theirs;
    uid_t owner = 0;
    int mounts = kernel_file_open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    int self = kernel_file_open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    int users = mounts >= 0 ? portable_ioctl(mounts, NS_GET_USERNS, NULL) : -1;
    bool is_foreign = users >= 0 && self >= 0 && fstat(users, &theirs) == 0 &&
                      fstat(self, &own) == 0 && theirs.st_ino != own.st_ino &&
                      portable_ioctl(users, NS_GET_OWNER_UID, &owner) == 0 && !is_trusted(owner);
    descriptor_close(&mounts);
    descriptor_close(&self);
    descriptor_close(&users);
    return is_foreign;
}

/* Whether somebody else has made or brought what is mounted here, so that its owners are only his
 * word: 1, 0 or a negative errno. What users may mount has no devices and no set-user-IDs. */
static int is_brought(int fd)
{
    struct statfs fs;
    const long users = ST_NOSUID | ST_NODEV;
    if (fstatfs(fd, &fs) != 0)
        return -errno;
    bool may_be = fs.f_type == FUSE_SUPER_MAGIC || ((long)fs.f_flags & users) == users;
    return may_be && !is_trusted(mount_info_maker("", mount_info_id_of(fd)));
}

/* Answers of is_kept() and is_safe(), which may also be a negative errno. BROUGHT: safe, if what
 * others have mounted has the owners that it shows. */
enum { UNSAFE, SAFE, BROUGHT };

/* Whether others can change neither this directory nor, by the filesystem, what it shows. */
static int is_kept(int directory, const struct stat *facts, bool may_be_sticky)
{
    bool others_write = facts->st_mode & (S_IWGRP | S_IWOTH);
    bool is_sticky = may_be_sticky && (facts->st_mode & S_ISVTX);
    if (!is_trusted(facts->st_uid) || (others_write && !is_sticky))
        return UNSAFE;
    int brought = is_brought(directory);
    return brought < 0 ? brought : brought ? BROUGHT : SAFE;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Goes to the directory above. Returns 1, 0 if this is `/`, or a negative errno. */
static int go_up(int *at, struct stat *facts)
{
    const struct stat below = *facts;
    *facts = (struct stat){0};
    int above = openat(*at, "..", OPEN_DIRECTORY);
    int rc = above >= 0 && fstat(above, facts) == 0 ? !is_same(facts, &below) : -errno;
    descriptor_close(at);
    *at = above;
    return rc;
}

/* Whether nobody else can change the directory `name` of this one, "." or "..", or one above it,
 * which may be sticky. */
static int is_safe(int directory, const char *name)
{
    struct stat facts;
    bool is_above = strcmp(name, "..") == 0;
    int at = openat(directory, name, OPEN_DIRECTORY);
    int rc = at >= 0 && fstat(at, &facts) == 0 ? is_kept(at, &facts, is_above) : -errno;
    int safety = has_foreign_mounts() ? BROUGHT : SAFE;
    bool is_top = false;
    while (rc > 0 && !is_top) {
        safety = rc == BROUGHT ? BROUGHT : safety;
        rc = go_up(&at, &facts);
        is_top = rc == 0;
        rc = is_top ? safety : rc > 0 ? is_kept(at, &facts, true) : rc;
    }
    descriptor_close(&at);
    return rc == -EACCES || rc == -ENOENT ? UNSAFE : rc; /* it cannot be looked at */
}

bool path_stays(int directory)
{
    return is_safe(directory, "..") == SAFE;
}

/* ---- who can move what ----------------------------------------------------------------------- */

#define NOBODY ((uid_t)-1)

/* Others who surely may do something. */
struct people {
    bool are_all;
    uid_t user;  /* NOBODY: none */
    gid_t group; /* the same */
};

/* Whether an access control list says more than the mode. If that cannot be known, it may. */
static bool has_list(int fd)
{
    static const char acl[] = "system.posix_acl_access";
    return getxattr(descriptor_path(fd).text, acl, NULL, 0) >= 0 ||
           (errno != ENODATA && errno != EOPNOTSUPP);
}

/* Those who have these permissions, given as bits for others; an owner can get any. */
static struct people people_with(mode_t bits, int fd, const struct stat *facts)
{
    bool group = (facts->st_mode >> 3 & bits) == bits && !has_list(fd);
    return (struct people){.are_all = group && (facts->st_mode & bits) == bits,
                           .user = is_one(facts->st_uid) ? facts->st_uid : NOBODY,
                           .group = group && is_one(facts->st_gid) ? facts->st_gid : NOBODY};
}

static bool has_user(const struct people *p, uid_t uid)
{
    return is_trusted(uid) || p->are_all || p->user == uid;
}

static bool hardlinks_are_protected(void)
{
    char value[2] = "";
    return kernel_file_text("/proc/sys/fs/protected_hardlinks", value, sizeof value) &&
           *value == '1';
}

/* Somebody who can move something that is closed to him. */
struct mover {
    char who[24];   /* "user 1000" */
    unsigned level; /* of what he can move: 0 is the file or directory itself, 1 what it is in */
};

/* Whether all who can move an entry of the directory are among the people; if not, sets m->who. */
static bool are_movers(const struct people *p, int fd, const struct stat *directory,
                       const struct stat *entry, struct mover *m)
{
    mode_t mode = directory->st_mode & (S_IWGRP | S_IWOTH);
    bool owner = has_user(p, directory->st_uid);
    bool is_sticky =
        (directory->st_mode & S_ISVTX) && (S_ISDIR(entry->st_mode) || hardlinks_are_protected());
    if (!owner || (mode && is_sticky)) {
        uid_t user = owner ? entry->st_uid : directory->st_uid;
        snprintf(m->who, sizeof m->who, "user %u", user);
        return has_user(p, user);
    }
    bool is_listed = mode && has_list(fd);
    if (mode & S_IWOTH || (is_listed && (geteuid() == 0 || !is_own(directory->st_uid)))) {
        strcpy(m->who, "everybody");
        return p->are_all;
    }
    snprintf(m->who, sizeof m->who, "group %u", directory->st_gid);
    /* those on a list in the user's own directory are his choice */
    return !mode || is_listed || p->are_all || p->group == directory->st_gid;
}

/* Looks for somebody who can move the directory, or one above it, and may not replace what is in
 * it; or, with f, can have named the file, and may not read it: 1, 0 or a negative errno. */
static int find_mover(int directory, const struct path_file *f, struct mover *m)
{
    struct stat facts, entry;
    struct people people = {0};
    int at = openat(directory, ".", OPEN_DIRECTORY);
    int rc = at >= 0 && fstat(at, &facts) == 0 ? 1 : -errno;
    if (rc > 0 && f) {
        entry = f->facts;
        people = people_with(S_IROTH, f->fd, &entry);
    } else if (rc > 0) {
        entry = facts;
        people = people_with(S_IWOTH | S_IXOTH, at, &entry);
        if (entry.st_mode & S_ISVTX)
            people = (struct people){.user = people.user, .group = NOBODY};
        rc = go_up(&at, &facts);
    }
    for (m->level = 0; rc > 0; m->level++) {
        if (!are_movers(&people, at, &facts, &entry, m))
            break;
        /* only those who may also go through the directory above remain */
        struct people above = people_with(S_IXOTH, at, &facts);
        people.user = has_user(&above, people.user) ? people.user : NOBODY;
        people.group = above.are_all || above.group == people.group ? people.group : NOBODY;
        people = people.are_all ? above : people;
        entry = facts;
        rc = go_up(&at, &facts);
    }
    descriptor_close(&at);
    return rc == -EACCES || rc == -ENOENT ? 0 : rc;
}

/* Set by path_trust_movers(). */
static _Atomic bool trusts_movers;

void path_trust_movers(bool trusts)
{
    atomic_store(&trusts_movers, trusts);
}

/* Root of a user namespace is an ordinary user outside. */
static bool is_root(void)
{
    return geteuid() == 0 && is_one(OVERFLOW_UID);
}

static bool is_trusting(void)
{
    return !is_root() && atomic_load_explicit(&trusts_movers, memory_order_relaxed);
}

static bool is_empty(int directory)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    unsigned count = 0;
    while (entries && count <= 2 && readdir(entries))
        count++;
    if (entries)
        closedir(entries);
    else
        descriptor_close(&fd);
    return count == 2; /* "." and ".." */
}

/* Which files may be opened for a change in a directory. */
enum changes {
    UNKNOWN,
    ALL_FILES,
    OWN_FILES, /* and new ones */
    NEW_FILES, /* in place of own ones */
    NO_FILES,  /* that are there already */
};

int path_look_into(struct path_directory *d)
{
    struct mover mover;
    int known = atomic_load_explicit(&d->changes, memory_order_relaxed);
    if (known != UNKNOWN)
        return known;
    int rc = is_safe(d->fd, ".");
    int changes = rc == SAFE ? ALL_FILES : NEW_FILES;
    if (rc == UNSAFE && geteuid() != 0 && is_own(geteuid()) && hardlinks_are_protected())
        changes = OWN_FILES;
    if (rc >= 0 && rc != SAFE)
        rc = is_trusting() ? 0 : find_mover(d->fd, NULL, &mover);
    if (rc < 0)
        return rc;
    /* what was empty has only what was made since this directory is open */
    if (changes != ALL_FILES && rc > 0 && !is_empty(d->fd))
        changes = NO_FILES;
    /* no other thread has made anything in it before one has stored this */
    bool is_first = atomic_compare_exchange_strong(&d->changes, &known, changes);
    return is_first ? changes : known;
}

/* ---- one name after the other ---------------------------------------------------------------- */

#define MAX_LINKS 40 /* The limit of the kernel (path_resolution(7)). */
#define MAX_ABOVE 64 /* The number of directories that a walk remembers. */

struct walk {
    int directory; /* O_PATH: the directory that the walk has reached */
    struct {
        dev_t device;
        ino_t inode;
    } above[MAX_ABOVE];      /* the directories that it has left behind, the outermost first */
    unsigned depth;          /* number of those */
    char name[NAME_MAX + 1]; /* the name that was looked up last */
    char rest[PATH_MAX];     /* the part of the path that is still ahead */
    unsigned links;          /* number of links that were followed */
    long mount;              /* number of the one that it must end in; 0: in any; -1: not known */
    enum path_missing missing;
    bool is_below; /* it must not leave the directory where it starts, except by links */
};

static int go_to_start(struct walk *w, int from)
{
    bool is_absolute = w->rest[0] == '/';
    int fd = openat(is_absolute ? AT_FDCWD : from, is_absolute ? "/" : ".", OPEN_DIRECTORY);
    if (fd < 0)
        return -errno;
    if (is_absolute)
        w->depth = 0;
    descriptor_close(&w->directory);
    w->directory = fd;
    return 0;
}

/* The root directory of every procfs; its links, such as `self`, are texts like all others. */
#define PROC_ROOT_INO 1

/* Follows a link. Returns 0 if the walk goes on with its target, the descriptor (O_PATH) of what
 * the kernel has led to, which is never 0, or a negative errno. */
static int follow(struct walk *w, int link)
{
    static const char *const above[] = {".", "..", "../..", "../../.."};
    char self[sizeof "../../../../self"];
    char target[PATH_MAX];
    struct statfs fs;
    struct stat directory, own;
    /* whether only the kernel knows where the link leads, as those of /proc/self/fd */
    if (fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC &&
        fstat(w->directory, &directory) == 0 && directory.st_ino != PROC_ROOT_INO) {
        /* it is this process's directory, or one below that: /proc/PID/task/TID/fd */
        for (size_t i = 0; i < COUNT_OF(above); i++) {
            snprintf(self, sizeof self, "%s/../self", above[i]);
            if (fstatat(w->directory, above[i], &directory, 0) == 0 &&
                fstatat(w->directory, self, &own, 0) == 0 && is_same(&directory, &own)) {
                int fd = openat(w->directory, w->name, O_PATH | O_CLOEXEC);
                return fd >= 0 ? fd : -errno;
            }
        }
        return -PATH_LINK;
    }
    int safe = is_safe(w->directory, ".");
    if (safe <= 0)
        return safe < 0 ? safe : -PATH_LINK;
    if (safe == BROUGHT && w->mount == 0)
        w->mount = mount_info_id_of(w->directory);
    if (++w->links > MAX_LINKS)
        return -PATH_ENDLESS;
    ssize_t length = readlinkat(link, "", target, sizeof target);
    size_t rest = strlen(w->rest);
    if (length < 0)
        return -errno;
    if ((size_t)length + rest >= sizeof w->rest)
        return -ENAMETOOLONG;
    memmove(w->rest + length, w->rest, rest + 1);
    memcpy(w->rest, target, (size_t)length);
    return w->rest[0] == '/' ? go_to_start(w, AT_FDCWD) : 0;
}

/* A link on what another user has mounted may lead away, but has to come back. */
static bool is_away(const struct walk *w, int fd)
{
    return w->mount < 0 || (w->mount > 0 && mount_info_id_of(fd) != w->mount);
}

/* Enters a directory. `..` must lead back to the one that was left: others may move directories. */
static int enter(struct walk *w, int directory, const struct stat *facts)
{
    struct stat here = {0};
    int rc = 0;
    if (w->name[0] == '\0') {
        w->depth = 0; /* a link of the kernel begins the way anew */
    } else if (strcmp(w->name, "..") == 0 && w->depth > 0) {
        w->depth--;
        if (w->above[w->depth].device != facts->st_dev || w->above[w->depth].inode != facts->st_ino)
            rc = -PATH_MOVED;
    } else if (strcmp(w->name, "..") != 0 && strcmp(w->name, ".") != 0) {
        if (w->depth == MAX_ABOVE)
            memmove(w->above, w->above + 1, --w->depth * sizeof *w->above);
        rc = fstat(w->directory, &here) == 0 ? 0 : -errno;
        w->above[w->depth].device = here.st_dev;
        w->above[w->depth++].inode = here.st_ino;
    }
    descriptor_close(&w->directory);
    w->directory = directory;
    return rc;
}

/* Looks at the next name, even if it is that of a link: enters a directory, and follows a link.
 * Returns 0 if the walk goes on, or the descriptor (O_PATH) of anything else, or a negative errno.
 * On the way, the kernel also mounts what an automounter would mount there. */
static int step(struct walk *w, bool is_on_the_way, struct stat *facts)
{
    int how = OPEN_ANY | (is_on_the_way ? O_DIRECTORY : 0);
    int fd = openat(w->directory, w->name, how);
    if (fd < 0 && errno == ENOENT && is_on_the_way && w->missing == PATH_MAKES) {
        if (is_away(w, w->directory))
            return -PATH_AWAY;
        if (mkdirat(w->directory, w->name, 0777) != 0 && errno != EEXIST)
            return -errno;
        fd = openat(w->directory, w->name, how);
    }
    if (fd < 0 && errno == ENOTDIR && is_on_the_way)
        fd = openat(w->directory, w->name, OPEN_ANY);
    int rc = fd >= 0 && fstat(fd, facts) == 0 ? fd : -errno;
    if (rc > 0 && S_ISLNK(facts->st_mode)) {
        rc = follow(w, fd);
        close(fd);
        fd = rc;
        if (rc <= 0)
            return rc;
        w->name[0] = '\0';
        rc = fstat(fd, facts) == 0 ? fd : -errno;
    }
    if (rc > 0 && S_ISDIR(facts->st_mode))
        return enter(w, fd, facts);
    if (rc < 0 && fd >= 0)
        close(fd);
    return rc;
}

/* Walks a path, which may begin in the directory `from`: into a directory or, if f is not NULL, to
 * the directory of the last name, and looks at what has that name. Returns 0 or a negative errno:
 * -EISDIR if there is no such name. */
static int walk(struct walk *w, int from, const char *path, struct path_file *f)
{
    struct stat facts;
    bool is_last = false;
    int fd = 0;
    if (strlen(path) >= sizeof w->rest)
        return -ENAMETOOLONG;
    strcpy(w->rest, path);
    int rc = go_to_start(w, from);
    if (rc != 0 || (f && *path == '\0'))
        return rc != 0 ? rc : -ENOENT;
    while (fd == 0 && (f || w->rest[strspn(w->rest, "/")] != '\0')) {
        const char *first = w->rest + strspn(w->rest, "/");
        size_t length = strcspn(first, "/");
        if (length == 0)
            return -EISDIR;
        if (length > NAME_MAX)
            return -ENAMETOOLONG;
        memcpy(w->name, first, length);
        w->name[length] = '\0';
        is_last = first[length] == '\0';
        memmove(w->rest, first + length, strlen(first + length) + 1);
        /* the directory above one changes when somebody moves it */
        if (w->is_below && w->links == 0 && strcmp(w->name, "..") == 0)
            return -EXDEV;
        fd = step(w, !f || !is_last, f ? &f->facts : &facts);
    }
    bool is_missing = f && fd == -ENOENT && is_last && w->rest[0] == '\0';
    if (fd < 0 && !is_missing)
        return fd;
    rc = fd > 0 && (!f || !is_last)               ? -ENOTDIR
         : is_away(w, fd > 0 ? fd : w->directory) ? -PATH_AWAY
                                                  : 0;
    if (rc != 0 && fd > 0)
        close(fd);
    if (rc != 0 || !f)
        return rc;
    f->directory.fd = w->directory;
    f->fd = is_missing ? -1 : fd;
    f->is_in_place = w->name[0] != '\0';
    memcpy(f->name, w->name, sizeof f->name);
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

const char *path_reason(int code)
{
    const char *foreign =
        geteuid() == 0
            ? "another user can change its directory, so root changes no file that is "
              "there; its owner can (-u)"
            : "another user can change its directory, so only your own files are changed "
              "there";
    return code == PATH_NOT_A_FILE ? "not a plain file"
           : code == PATH_CLOSED
               ? "another user can move its directory, but may not write to it: nothing that is "
                 "there is changed"
           : code == PATH_AWAY
               ? "a symbolic link is not followed out of what another user has mounted"
           : code == PATH_LINK  ? "a symbolic link that is not followed"
           : code == PATH_MOVED ? "somebody has moved a directory on the way"
           : code == PATH_FULL
               ? "No space left on device; the filesystem has room, so the directory "
                 "may be full: use more directories"
           : code == PATH_FOREIGN ? foreign
                                  : portable_reason(code == PATH_ENDLESS ? ELOOP : code);
}

static int say(const char *verb, const char *path, int code, struct err *e)
{
    if (code == -PATH_AWAY || code == -PATH_FOREIGN || code == -PATH_NOT_A_FILE ||
        code == -PATH_MOVED || code == -PATH_FULL) {
        err_say(e, "%s %s: %s", verb, path, path_reason(-code));
        return code;
    }
    err_system(e, code == -PATH_ENDLESS ? ELOOP : -code, "%s %s", verb, path);
    return code;
}

/* Names the target of a link that was not followed, or the directory that may not be entered. */
static void say_where(const struct walk *w, const char *verb, const char *path, int code,
                      struct err *e)
{
    char directory[PATH_MAX] = "";
    char target[PATH_MAX] = "";
    bool is_link =
        code == -PATH_LINK && readlinkat(w->directory, w->name, target, sizeof target - 1) >= 0;
    if (code == -EACCES || (is_link && *target != '/'))
        kernel_file_link(descriptor_path(w->directory).text, directory, sizeof directory);
    if (is_link)
        err_say(e,
                "%s %.120s: a symbolic link is not followed where another user can change its "
                "directory or one above it; if it is right, give its target: %s%s%s%s",
                verb, path, directory, *directory ? "/" : "", target, w->rest);
    else if (*directory && strlen(path) + strlen(directory) < sizeof e->text / 2)
        err_system(e, EACCES, "%s %s: in %s", verb, path, directory);
    else
        say(verb, path, code, e);
}

/* ---- directories ----------------------------------------------------------------------------- */

int path_open(struct path_directory *d, const struct path_directory *from, const char *path,
              enum path_missing missing, struct err *e)
{
    const struct open_how how = {.flags = OPEN_DIRECTORY,
                                 .resolve = RESOLVE_NO_SYMLINKS | (from ? RESOLVE_BENEATH : 0)};
    const char *verb = missing == PATH_MAKES ? "make directory" : "open directory";
    int at = from ? from->fd : AT_FDCWD;
    *d = (struct path_directory){.fd = -1, .changes = UNKNOWN};
    /* One call, if there is no link on the way, and `..` only below `from`. Otherwise, and where
     * the kernel lacks openat2(2) (before Linux 5.6) or a filter refuses it, the path is walked. */
    if (from || !strstr(path, "..")) {
        d->fd = (int)syscall(SYS_openat2, at, *path ? path : ".", &how, sizeof how);
        if (d->fd >= 0)
            return 0;
        int code = errno;
        bool is_walked = code == ELOOP || code == ENOSYS || code == EPERM || code == EAGAIN ||
                         code == EXDEV || code == EINTR ||
                         (code == ENOENT && missing == PATH_MAKES);
        if (!is_walked && !(code == EACCES && e)) /* a walk knows where it may not enter */
            return e ? say(verb, path, -code, e) : -code;
    }
    struct walk w = {.directory = -1, .missing = missing, .is_below = from != NULL};
    int rc = walk(&w, at, path, NULL);
    if (rc != 0 && e)
        say_where(&w, verb, path, rc, e);
    if (rc != 0)
        descriptor_close(&w.directory);
    d->fd = w.directory;
    return rc;
}

void path_close(struct path_directory *d)
{
    descriptor_close(&d->fd);
}

int path_open_to_list(const char *path, enum path_missing missing, struct err *e)
{
    struct path_directory d;
    int rc = path_open(&d, NULL, path, missing, e);
    if (rc != 0)
        return rc;
    int fd = openat(d.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = fd >= 0 ? fd : say("open directory", path, -errno, e);
    path_close(&d);
    return rc;
}

/* ---- files that the user has named ----------------------------------------------------------- */

int path_find(struct path_file *f, const char *verb, const char *path, struct err *e)
{
    struct walk w = {.directory = -1};
    *f = (struct path_file){.verb = verb, .path = path, .directory.fd = -1, .fd = -1};
    int rc = walk(&w, AT_FDCWD, path, f);
    if (rc != 0) {
        say_where(&w, verb, path, rc, e);
        descriptor_close(&w.directory);
    }
    return rc;
}

void path_await(const char *path)
{
    struct statfs facts; /* which no cache has */
    statfs(path, &facts);
}

int path_reopen(const struct path_file *f, int flags, struct err *e)
{
    int fd = kernel_file_reopen(f->fd, flags);
    if (fd >= 0)
        return fd;
    if (errno == ENOENT && !kernel_file_exists("/proc/self/fd"))
        return err_system(e, ENOENT, "%s %s: /proc is not mounted", f->verb, f->path);
    return err_system(e, errno, "%s %s", f->verb, f->path);
}

/* Returns 0 if the rule lets this user change that owner's file in place, or a negative errno. */
static int check_change(struct path_directory *d, uid_t owner)
{
    int changes = path_look_into(d);
    if (changes < 0 || changes == ALL_FILES || (changes == OWN_FILES && is_own(owner)))
        return changes < 0 ? changes : 0;
    return changes == NO_FILES ? -PATH_CLOSED : -PATH_FOREIGN;
}

int path_check_changed(struct path_file *f)
{
    return f->is_in_place ? check_change(&f->directory, f->facts.st_uid) : 0;
}

void path_vouch(struct path_file *f)
{
    atomic_store(&f->directory.changes, NEW_FILES);
}

bool path_is_foreign_pipe(const struct path_file *f)
{
    return f->is_in_place && S_ISFIFO(f->facts.st_mode) &&
           (!is_trusted(f->facts.st_uid) || is_brought(f->fd) != 0 || has_foreign_mounts());
}

void path_explain(const struct path_directory *d, const struct path_file *f, int code, char *text,
                  size_t size)
{
    struct mover mover;
    char path[PATH_MAX] = "";
    bool is_read = code == PATH_HIDDEN;
    if ((code != PATH_CLOSED && !is_read) || find_mover(d->fd, is_read ? f : NULL, &mover) <= 0) {
        snprintf(text, size, "%s", path_reason(code));
        return;
    }
    kernel_file_link(descriptor_path(is_read ? f->fd : d->fd).text, path, sizeof path);
    while (mover.level-- > 0 && strrchr(path, '/'))
        *strrchr(path, '/') = '\0';
    snprintf(text, size, "%s can move %.200s, but may not %s (%s%s)", mover.who, path,
             is_read ? "read the file: its contents are not shown"
                     : "write to it: nothing that is there is changed",
             is_root() ? "its owner can: -u" : "--trust-directory allows it",
             *mover.who == 'u' ? "" : "; so does a sticky bit of the directory above");
}

int path_say(const struct path_file *f, int code, struct err *e)
{
    char text[sizeof e->text];
    if (code != -PATH_CLOSED && code != -PATH_HIDDEN)
        return say(f->verb, f->path, code, e);
    path_explain(&f->directory, f, -code, text, sizeof text);
    err_say(e, "%s %s: %s", f->verb, f->path, text);
    return code;
}

int path_check_shown(const struct path_file *f)
{
    struct mover mover;
    int rc = f->is_in_place && !is_trusting() ? find_mover(f->directory.fd, f, &mover) : 0;
    return rc > 0 ? -PATH_HIDDEN : rc;
}

void path_release(struct path_file *f)
{
    path_close(&f->directory);
    descriptor_close(&f->fd);
}

bool path_is_safe_program(const char *path)
{
    struct path_file f;
    struct err ignored = {0};
    if (path_find(&f, "run", path, &ignored) != 0)
        return false;
    bool is_good = f.fd >= 0 && f.is_in_place && S_ISREG(f.facts.st_mode) &&
                   is_trusted(f.facts.st_uid) && !(f.facts.st_mode & (S_IWGRP | S_IWOTH)) &&
                   is_safe(f.directory.fd, ".") == SAFE &&
                   faccessat(f.directory.fd, f.name, X_OK, 0) == 0;
    path_release(&f);
    return is_good;
}

/* ---- names of one part in a directory -------------------------------------------------------- */

/* Opens whatever has the name, but no link: neither waits nor empties it. */
static int open_name(const struct path_directory *d, const char *name, int flags, mode_t mode)
{
    int how = (flags & ~O_TRUNC) | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = openat(d->fd, name, how, mode);
    if (fd >= 0)
        return fd;
    return errno == ENXIO ? -PATH_NOT_A_FILE : -errno; /* a pipe without a reader, or a socket */
}

/* How often a file is made anew if others put another one there each time. */
#define TRIES 8

/* Opens a file for a change in a directory whose files may not be changed in place: with O_CREAT,
 * makes a new one; with O_TRUNC as well, in place of one of this user's own. */
static int open_new(const struct path_directory *d, const char *name, int flags, mode_t mode,
                    int changes)
{
    struct stat facts;
    bool makes = flags & O_CREAT;
    int refused = changes == NO_FILES            ? -PATH_CLOSED
                  : !makes || !(flags & O_TRUNC) ? -PATH_FOREIGN
                                                 : 0;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        int fd = makes ? open_name(d, name, flags | O_EXCL, mode) : -EEXIST;
        if (fd != -EEXIST || (flags & O_EXCL))
            return fd;
        int rc = fstatat(d->fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ? -errno
                 : S_ISLNK(facts.st_mode)                               ? -PATH_LINK
                 : S_ISDIR(facts.st_mode)                               ? -EISDIR
                 : !S_ISREG(facts.st_mode)                              ? -PATH_NOT_A_FILE
                 : !is_own(facts.st_uid)                                ? -PATH_FOREIGN
                                                                        : refused;
        if (rc == 0 && unlinkat(d->fd, name, 0) != 0)
            rc = -errno;
        if (rc != 0 && (rc != -ENOENT || !makes))
            return rc;
    }
    return -EEXIST;
}

/* Checks what was opened before anything is done with it. */
static int check_opened(struct path_directory *d, int fd, int flags, unsigned how)
{
    struct stat facts;
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (fstat(fd, &facts) != 0)
        return -errno;
    int rc = writes || (how & PATH_CHANGES) ? check_change(d, facts.st_uid) : 0;
    if (rc != 0 || (how & PATH_ANY_KIND))
        return rc;
    if (S_ISREG(facts.st_mode)) {
        bool is_cut = (flags & O_TRUNC) && facts.st_size > 0;
        return is_cut && ftruncate(fd, 0) != 0 ? -errno : 0;
    }
    if (S_ISDIR(facts.st_mode))
        return -EISDIR;
    if (!S_ISBLK(facts.st_mode) && !(S_ISCHR(facts.st_mode) && writes))
        return -PATH_NOT_A_FILE;
    return fcntl(fd, F_SETFL, flags & ~(O_CREAT | O_TRUNC)) == 0 ? 0 : -errno;
}

bool path_is_full(int directory, int code)
{
    struct statfs fs;
    return code == ENOSPC && fstatfs(directory, &fs) == 0 && fs.f_bavail > 0 &&
           (fs.f_files == 0 || fs.f_ffree > 0);
}

int path_open_file(struct path_directory *d, const char *name, int flags, mode_t mode, unsigned how)
{
    bool changes = (flags & O_ACCMODE) != O_RDONLY || (how & PATH_CHANGES);
    int allowed = changes ? path_look_into(d) : ALL_FILES;
    if (allowed < 0)
        return allowed;
    bool is_new = allowed == NEW_FILES || allowed == NO_FILES;
    int fd = is_new ? open_new(d, name, flags, mode, allowed) : open_name(d, name, flags, mode);
    if ((flags & O_CREAT) && path_is_full(d->fd, -fd))
        return -PATH_FULL;
    if (fd == -PATH_LINK && (how & PATH_FOLLOWS)) {
        struct walk w = {.directory = -1};
        struct path_file f = {.path = name, .directory.fd = -1, .fd = -1};
        fd = walk(&w, d->fd, name, &f);
        if (fd != 0) {
            descriptor_close(&w.directory);
            return fd;
        }
        if (f.is_in_place)
            fd = path_open_file(&f.directory, f.name, flags, mode, how & ~(unsigned)PATH_FOLLOWS);
        else if ((fd = kernel_file_reopen(f.fd, flags)) < 0)
            fd = -errno;
        path_release(&f);
        return fd;
    }
    bool is_checked = is_new || (flags & O_EXCL) || (!changes && (how & PATH_ANY_KIND));
    if (fd < 0 || is_checked)
        return fd;
    int rc = check_opened(d, fd, flags, how);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

int path_check_read(int fd, uint64_t *size)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return -errno;
    *size = S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
    if (S_ISREG(facts.st_mode) || S_ISBLK(facts.st_mode))
        return 0;
    return S_ISDIR(facts.st_mode) ? -EISDIR : -PATH_NOT_A_FILE;
}

int path_check_removed(struct path_directory *d, const char *name, bool is_made)
{
    struct stat facts;
    int changes = path_look_into(d);
    if (changes < 0 || changes == ALL_FILES)
        return changes < 0 ? changes : 0;
    if (fstatat(d->fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    if (changes == NO_FILES && !is_made)
        return -PATH_CLOSED;
    return is_own(facts.st_uid) ? 0 : -PATH_FOREIGN;
}

int path_remove(struct path_directory *d, const char *name, bool is_made)
{
    int rc = path_check_removed(d, name, is_made);
    return rc != 0 ? rc : unlinkat(d->fd, name, 0) == 0 ? 0 : -errno;
}

int path_rename(struct path_directory *from, const char *name, struct path_directory *to,
                const char *new_name)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        int rc = path_check_removed(to, new_name, false);
        if (rc != 0 && rc != -ENOENT)
            return rc;
        if (rc != 0 &&
            syscall(SYS_renameat2, from->fd, name, to->fd, new_name, RENAME_NOREPLACE) == 0)
            return 0;
        bool is_unknown = errno == EINVAL || errno == ENOSYS || errno == EPERM; /* the flag is */
        if (rc == 0 || is_unknown)
            return renameat(from->fd, name, to->fd, new_name) == 0 ? 0 : -errno;
        if (errno != EEXIST)
            return -errno;
    }
    return -PATH_FOREIGN;
}
