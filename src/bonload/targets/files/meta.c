// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bonload/targets/files/paths.h"
#include "bonload/targets/target.h"
#include "sys/limits.h"
#include "util/rng.h"
#include "util/units.h"

/* meta: a mix of operations on the names of a template, whatever kind of file each name has at that
 * moment. It is normal that a file is missing, or exists already: that counts as a miss. */

#define LARGEST_BUFFER MIB
#define ATTRIBUTE_TEXT 40
#define MAX_OWNER      65534

enum meta_op {
    META_WRITE,
    META_READ,
    META_TRUNCATE,
    META_UNLINK,
    META_MKNOD,
    META_STAT,
    META_SETATTR,
    META_SYMLINK,
    META_HARDLINK,
    META_RENAME,
    META_SETXATTR,
    META_GETXATTR,
    META_LISTXATTR,
    META_REMOVEXATTR,
    META_OPS
};

const char *const meta_op_names[META_OPS + 1] = {
    [META_WRITE] = "write",         [META_READ] = "read",
    [META_TRUNCATE] = "truncate",   [META_UNLINK] = "unlink",
    [META_MKNOD] = "mknod",         [META_STAT] = "stat",
    [META_SETATTR] = "setattr",     [META_SYMLINK] = "symlink",
    [META_HARDLINK] = "hardlink",   [META_RENAME] = "rename",
    [META_SETXATTR] = "setxattr",   [META_GETXATTR] = "getxattr",
    [META_LISTXATTR] = "listxattr", [META_REMOVEXATTR] = "removexattr",
};

struct meta_state {
    struct paths paths;
    const struct settings *settings;
    struct mix mix;
    size_t buffer_bytes;
    bool is_root;
};

struct thread {
    struct workspace work;
    struct meta_state *shared;
    struct rng rng; /* random numbers of the current request */
    struct request *request;
    uint64_t other_number;      /* number of the name in work.other_name */
    struct paths_entry at;      /* the directory of the name, and the last part of the name */
    char value[XATTR_SIZE_MAX]; /* room for an attribute that is read, or for a list of them */
};

static int meta_open(void *shared, const struct target_setup *setup, struct err *e)
{
    uint64_t most = setup->plan->most_body;
    struct meta_state *s = shared;
    int rc = paths_open_target(&s->paths, setup, e);
    if (rc != 0)
        return rc;
    s->is_root = geteuid() == 0;
    s->settings = setup->plan->settings;
    s->buffer_bytes = most < LARGEST_BUFFER ? (size_t)most : LARGEST_BUFFER;
    if (s->buffer_bytes < s->settings->xattr_length.value)
        s->buffer_bytes = s->settings->xattr_length.value;
    rc = mix_parse(&s->mix, s->settings->meta_ops, meta_op_names, "-meta-ops", e);
    if (rc == 0 && s->mix.weights[META_WRITE] + s->mix.weights[META_TRUNCATE] > 0)
        rc = limits_file(s->settings->offset_limit.value + s->buffer_bytes, e);
    return rc;
}

static int meta_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct meta_state *s = shared;
    struct thread *t = thread;
    struct rng rng;
    (void)channels;
    t->shared = s;
    int rc = workspace_open(&t->work, s->paths.setup.names, s->buffer_bytes, e);
    rng_init(&rng, s->paths.setup.plan->seed, 0);
    for (size_t i = 0; rc == 0 && i < s->buffer_bytes; i++)
        t->work.buffer[i] = (unsigned char)rng_next(&rng); /* nobody checks it */
    return rc;
}

static void meta_prepare(void *thread, struct request *r)
{
    struct thread *t = thread;
    const struct meta_state *s = t->shared;
    rng_init(&t->rng, s->paths.setup.plan->rank_seed + 1 + r->kind, r->number);
    r->op = mix_at(&s->mix, rng_below(&t->rng, s->mix.sum));
    names_format(s->paths.setup.names, r->number, t->work.name);
}

/* Turns the result of a system call into 0 or a negative errno. */
static int outcome(ssize_t result)
{
    return result < 0 ? -errno : 0;
}

/* With -remove, records that the request made the file of its name, if rc is no failure. */
static int note_made(const struct thread *t, int rc)
{
    if (path_is_full(t->at.directory->fd, -rc))
        return -PATH_FULL;
    if (rc >= 0)
        made_note(t->shared->paths.setup.made, t->request->number);
    return rc;
}

/* ---- operations on a file -------------------------------------------------------------------- */

/* Opens the file, but not the target of a link. With -remove, notes whether a write made it. */
static int open_for(const struct thread *t, unsigned op)
{
    struct path_directory *at = t->at.directory;
    const char *name = t->at.name;
    if (op == META_WRITE && !t->shared->paths.setup.made)
        return path_open_file(at, name, O_WRONLY | O_CREAT, 0644, 0);
    if (op == META_WRITE) {
        int fd = -ENOENT;
        for (int tries = 0; fd == -ENOENT && tries < 8; tries++) {
            fd = note_made(t, path_open_file(at, name, O_WRONLY | O_CREAT | O_EXCL, 0644, 0));
            if (fd != -EEXIST)
                return fd;
            fd = path_open_file(at, name, O_WRONLY, 0, 0);
        }
        return fd;
    }
    if (op == META_TRUNCATE)
        return path_open_file(at, name, O_WRONLY, 0, 0);
    if (op == META_SETATTR && t->shared->is_root)
        return path_open_file(at, name, O_PATH, 0, PATH_CHANGES | PATH_ANY_KIND);
    bool changes = op == META_SETATTR || op == META_SETXATTR || op == META_REMOVEXATTR;
    return path_open_file(at, name, O_RDONLY, 0, changes ? PATH_CHANGES : PATH_ANY_KIND);
}

static int operate_on_file(struct thread *t, unsigned op)
{
    /* harmless on any kind of file, so the kind is checked only after a failure */
    bool only_looks = op == META_READ || op == META_GETXATTR || op == META_LISTXATTR;
    const struct settings *s = t->shared->settings;
    char text[ATTRIBUTE_TEXT];
    uint64_t size = 0;
    size_t body = 0;
    off_t offset = 0;
    uint64_t length = 0;
    ssize_t result = 0;
    int fd = open_for(t, op);
    if (fd < 0)
        return fd;
    if (op == META_WRITE || op == META_READ) {
        size = sizes_of(t->shared->paths.setup.sizes, t->request->number);
        body = size < t->shared->buffer_bytes ? (size_t)size : t->shared->buffer_bytes;
    }
    if (op == META_WRITE || op == META_READ || op == META_TRUNCATE)
        offset = (off_t)rng_below(&t->rng, s->offset_limit.value);
    else if (op != META_SETATTR && op != META_LISTXATTR)
        snprintf(text, sizeof text, "user.load%" PRIu64, rng_below(&t->rng, s->xattr_keys.value));
    switch (op) {
    case META_WRITE:
        result = pwrite(fd, t->work.buffer, body, offset);
        break;
    case META_READ:
        result = pread(fd, t->work.buffer, body, offset);
        break;
    case META_TRUNCATE:
        result = ftruncate(fd, offset);
        break;
    case META_SETATTR: /* only root changes the owner; nobody's own permissions are taken away */
        if (t->shared->is_root) {
            uid_t uid = (uid_t)rng_below(&t->rng, MAX_OWNER);
            gid_t gid = (gid_t)rng_below(&t->rng, MAX_OWNER);
            result = fchownat(fd, "", uid, gid, AT_EMPTY_PATH);
        } else {
            result = fchmod(fd, 0600 | (mode_t)rng_below(&t->rng, 0100));
        }
        break;
    case META_SETXATTR:
        length = rng_below(&t->rng, s->xattr_length.value + 1);
        result = fsetxattr(fd, text, t->work.buffer, (size_t)length, 0);
        break;
    case META_GETXATTR:
        result = fgetxattr(fd, text, t->value, sizeof t->value);
        break;
    case META_LISTXATTR:
        result = flistxattr(fd, t->value, sizeof t->value);
        break;
    case META_REMOVEXATTR:
        result = fremovexattr(fd, text);
        break;
    }
    int rc = outcome(result);
    int kind = rc != 0 && only_looks ? path_check_read(fd, &size) : 0;
    if (rc == 0 && (op == META_WRITE || op == META_READ))
        t->request->bytes = (uint64_t)result;
    if (close(fd) != 0 && errno != EINTR && rc == 0)
        rc = -errno;
    return kind != 0 ? kind : rc;
}

/* ---- operations on names --------------------------------------------------------------------- */

static void choose_other(struct thread *t)
{
    const struct meta_state *s = t->shared;
    uint64_t period = s->paths.setup.names->period; /* 0: names do not recur */
    uint64_t names = period > 0 ? period : t->request->number;
    t->other_number = rng_below(&t->rng, names) + 1;
    names_format(s->paths.setup.names, t->other_number, t->work.other_name);
}

/* Removes the file with the request's name, so that a link can be made there. */
static int clear_name(const struct thread *t)
{
    int rc = path_remove(t->at.directory, t->at.name, false);
    return rc == -ENOENT ? 0 : rc;
}

static int operate_on_name(struct thread *t, unsigned op)
{
    struct stat st;
    struct paths_entry other;
    struct made_set *made = t->shared->paths.setup.made;
    struct path_directory *at = t->at.directory;
    const char *name = t->at.name;
    const char *target = t->work.other_name;
    const char *own_slash;
    const char *slash;
    int rc;
    switch (op) {
    case META_UNLINK:
        return path_remove(at, name, false);
    case META_MKNOD:
        return note_made(t, outcome(mknodat(at->fd, name, S_IFREG | 0644, 0)));
    case META_STAT:
        return outcome(fstatat(at->fd, name, &st, AT_SYMLINK_NOFOLLOW));
    case META_SYMLINK:
        choose_other(t);
        rc = clear_name(t);
        own_slash = strrchr(t->work.name, '/');
        slash = strrchr(target, '/');
        if (own_slash && slash && own_slash - t->work.name == slash - target &&
            memcmp(t->work.name, target, (size_t)(slash - target)) == 0)
            target = slash + 1; /* a name in the same directory needs no path */
        return rc ? rc : note_made(t, outcome(symlinkat(target, at->fd, name)));
    case META_HARDLINK:
        choose_other(t);
        if (strcmp(t->work.name, target) == 0)
            return -EEXIST;
        rc = clear_name(t);
        if (rc == 0)
            rc = paths_find(&t->shared->paths, target, PATH_FAILS, &other);
        if (rc != 0)
            return rc;
        rc = note_made(t, outcome(linkat(other.directory->fd, other.name, at->fd, name, 0)));
        path_close(&other.found);
        return rc;
    case META_RENAME:
        choose_other(t);
        rc = paths_find(&t->shared->paths, target, PATH_FAILS, &other);
        if (rc != 0)
            return rc;
        rc = path_check_removed(at, name, false);
        if (rc == 0)
            rc = path_rename(at, name, other.directory, other.name);
        if (rc == 0)
            made_rename(made, t->request->number, t->other_number);
        path_close(&other.found);
        return rc;
    default:
        return operate_on_file(t, op);
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Whether the operation makes files: if it fails with ENOENT, a directory is missing. */
static bool makes_file(unsigned op)
{
    return op == META_WRITE || op == META_MKNOD || op == META_SYMLINK;
}

/* Whether an error is normal when several operations use the same names. */
static bool is_miss(unsigned op, int code)
{
    switch (code) {
    case ENOENT:
        return !makes_file(op);
    case EEXIST:
    case ENODATA:
    case ELOOP:
    case EMLINK:
    case ERANGE:
        return true;
    case ENOSPC:
    case E2BIG:
    case EOPNOTSUPP:
        return op >= META_SETXATTR;
    default:
        return false;
    }
}

static int find_and_operate(struct thread *t, unsigned op, enum path_missing missing)
{
    int rc = paths_find(&t->shared->paths, t->work.name, missing, &t->at);
    if (rc == 0) {
        rc = operate_on_name(t, op);
        path_close(&t->at.found);
    }
    return rc;
}

static enum target_answer meta_submit(void *thread, struct request *r)
{
    struct thread *t = thread;
    t->request = r;
    int rc = find_and_operate(t, r->op, PATH_FAILS);
    if (rc == -ENOENT)
        paths_missed(&t->shared->paths, t->work.name);
    if (rc == -ENOENT && makes_file(r->op) && t->shared->settings->make_directories)
        rc = find_and_operate(t, r->op, PATH_MAKES);
    if (rc != 0 && is_miss(r->op, -rc))
        r->miss = r->op << 16 | (uint32_t)-rc;
    else if (rc != 0)
        r->failure = r->op << 16 | (uint32_t)-rc;
    return TARGET_ENDED;
}

static void meta_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    int used = snprintf(text, size, "%s: ", meta_op_names[failure >> 16]);
    paths_explain(shared, (int)(failure & 0xffff), text + used, size - (size_t)used);
}

const struct target_ops target_meta = {
    .name = "meta",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_NO_KINDS | TARGET_LOCAL,
    .ops = meta_op_names,
    .shared_bytes = sizeof(struct meta_state),
    .thread_bytes = sizeof(struct thread),
    .check = paths_check,
    .open = meta_open,
    .join = meta_join,
    .prepare = meta_prepare,
    .submit = meta_submit,
    .leave = workspace_close,
    .describe = meta_describe,
    .remove = paths_remove,
    .close = paths_close_target,
};
