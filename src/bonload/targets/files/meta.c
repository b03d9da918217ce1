#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bonload/plan/mix.h"
#include "bonload/targets/files/paths.h"
#include "bonload/targets/files/workspace.h"
#include "bonload/targets/miss.h"
#include "bonload/targets/target.h"
#include "util/rng.h"
#include "util/units.h"

/*
 * meta: a mix of operations on the names of a template, whatever kind of file each name has at that
 * moment. It is normal that some files do not exist, or already do: that counts as a miss.
 */

#define LARGEST_BUFFER MIB
#define ATTRIBUTE_TEXT 40
#define MOST_OWNER     65534

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

struct shared {
    struct target_setup setup;
    struct paths paths;
    struct mix mix;
    size_t buffer_bytes;
    uint64_t period; /* number of names; 0: unlimited */
    bool is_root;
};

struct thread {
    struct workspace work;
    struct shared *shared;
    struct rng rng; /* random numbers of the current request */
    struct request *request;
    uint64_t other_number; /* number of the name in work.other_name */
    struct below_entry at; /* the directory of the name, and the last part of the name */
};

/* Either on_name (0 or a negative errno) or on_file (the result of a system call) is set. */
struct operation {
    int (*on_name)(struct thread *t);
    ssize_t (*on_file)(struct thread *t, int fd);
    int flags;       /* flags for opening the file */
    bool changes;    /* changes something other than the contents */
    bool only_looks; /* harmless on any kind of file: the kind is checked only after a failure */
};

static int meta_open(void **shared, const struct target_setup *setup, struct err *e)
{
    const struct plan *p = setup->plan;
    struct shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the target");
    s->setup = *setup;
    s->period = names_period(setup->names);
    s->is_root = geteuid() == 0;
    s->buffer_bytes = p->most_body < LARGEST_BUFFER ? (size_t)p->most_body : LARGEST_BUFFER;
    if (s->buffer_bytes < p->xattr_length)
        s->buffer_bytes = p->xattr_length;
    int rc = mix_parse(&s->mix, p->meta_ops, meta_op_names, "-meta-ops", e);
    if (rc == 0)
        rc = paths_begin(&s->paths, setup, e);
    if (rc == 0)
        *shared = s;
    else
        free(s);
    return rc;
}

static void meta_close(void *shared)
{
    struct shared *s = shared;
    paths_end(&s->paths);
    free(s);
}

/* Fills the buffer with random data, which nobody checks. */
static void meta_fill(struct thread *t)
{
    struct rng rng;
    rng_init(&rng, t->shared->setup.plan->seed, 0);
    for (size_t i = 0; i < t->shared->buffer_bytes; i++)
        t->work.buffer[i] = (unsigned char)rng_next(&rng);
}

static int meta_join(void **thread, void *shared, unsigned channels, struct err *e)
{
    struct shared *s = shared;
    (void)channels;
    int rc = workspace_open(thread, sizeof(struct thread), s->setup.names, s->buffer_bytes, e);
    if (rc != 0)
        return rc;
    struct thread *t = *thread;
    t->shared = s;
    meta_fill(t);
    return 0;
}

/* Turns the result of a system call into 0 or a negative errno. */
static int meta_outcome(ssize_t result)
{
    return result < 0 ? -errno : 0;
}

/* Opens the file, but not the target of a link. Returns a negative errno if the name is a link. */
static int meta_open_file(const struct thread *t, int flags)
{
    struct below directory = {.fd = t->at.directory};
    return below_open_file(&directory, t->at.name, flags, 0644);
}

/* Closes the file. Returns rc, or the failure of close(2) if rc is 0. */
static int close_file(int fd, int rc)
{
    int closed = close(fd) == 0 || errno == EINTR ? 0 : -errno;
    return rc != 0 ? rc : closed;
}

static off_t random_offset(struct thread *t)
{
    return (off_t)rng_below(&t->rng, t->shared->setup.plan->offset_limit);
}

static size_t body_of(const struct thread *t)
{
    uint64_t size = sizes_of(t->shared->setup.sizes, t->request->number);
    return size < t->shared->buffer_bytes ? (size_t)size : t->shared->buffer_bytes;
}

/* With -cleanup, records that the request made the file of its name, if rc is 0. */
static int meta_note_made(const struct thread *t, int rc)
{
    if (rc >= 0)
        made_note(t->shared->setup.made, t->request->number);
    return rc;
}

/* Opens a file for writing. With -cleanup, finds out whether the run made it. */
static int meta_open_to_write(const struct thread *t)
{
    int fd = t->shared->setup.made ? -ENOENT : meta_open_file(t, O_WRONLY | O_CREAT);
    for (int tries = 0; t->shared->setup.made && fd == -ENOENT && tries < 8; tries++) {
        int made_fd = meta_note_made(t, meta_open_file(t, O_WRONLY | O_CREAT | O_EXCL));
        if (made_fd != -EEXIST)
            return made_fd;
        fd = meta_open_file(t, O_WRONLY);
    }
    return fd;
}

/* Adds a transfer's bytes to the request's. Returns the result of the transfer. */
static ssize_t moved_bytes(struct thread *t, ssize_t moved)
{
    t->request->bytes = moved > 0 ? (uint64_t)moved : 0;
    return moved;
}

static ssize_t op_write(struct thread *t, int fd)
{
    return moved_bytes(t, pwrite(fd, t->work.buffer, body_of(t), random_offset(t)));
}

static ssize_t op_read(struct thread *t, int fd)
{
    return moved_bytes(t, pread(fd, t->work.buffer, body_of(t), random_offset(t)));
}

static ssize_t op_truncate(struct thread *t, int fd)
{
    return ftruncate(fd, random_offset(t));
}

static int op_unlink(struct thread *t)
{
    return meta_outcome(unlinkat(t->at.directory, t->at.name, 0));
}

static int op_mknod(struct thread *t)
{
    return meta_note_made(t, meta_outcome(mknodat(t->at.directory, t->at.name, S_IFREG | 0644, 0)));
}

static int op_stat(struct thread *t)
{
    struct stat st;
    return meta_outcome(fstatat(t->at.directory, t->at.name, &st, AT_SYMLINK_NOFOLLOW));
}

/* Root changes the owner; other users change permissions, but never take away the owner's own. */
static int op_setattr(struct thread *t)
{
    const struct below at = {.fd = t->at.directory};
    int fd = below_open_to_change(&at, t->at.name, t->shared->is_root ? O_PATH : O_RDONLY);
    if (fd < 0)
        return fd;
    if (!t->shared->is_root)
        return close_file(fd, meta_outcome(fchmod(fd, 0600 | (mode_t)rng_below(&t->rng, 0100))));
    uid_t uid = (uid_t)rng_below(&t->rng, MOST_OWNER);
    gid_t gid = (gid_t)rng_below(&t->rng, MOST_OWNER);
    return close_file(fd, meta_outcome(fchownat(fd, "", uid, gid, AT_EMPTY_PATH)));
}

/* Chooses another name of the template. */
static void choose_other(struct thread *t)
{
    const struct shared *s = t->shared;
    uint64_t names = s->period > 0 ? s->period : t->request->number;
    t->other_number = rng_below(&t->rng, names) + 1;
    names_format(s->setup.names, t->other_number, t->work.other_name);
}

/* Removes the file with the request's name, so that a link can be made there. */
static int clear_name(const struct thread *t)
{
    int rc = meta_outcome(unlinkat(t->at.directory, t->at.name, 0));
    return rc == -ENOENT ? 0 : rc;
}

/* The target of a link. A name in the same directory needs no path. */
static const char *link_target(const struct thread *t)
{
    const char *own = strrchr(t->work.name, '/');
    const char *other = strrchr(t->work.other_name, '/');
    if (!own || !other || own - t->work.name != other - t->work.other_name ||
        memcmp(t->work.name, t->work.other_name, (size_t)(own - t->work.name)) != 0)
        return t->work.other_name;
    return other + 1;
}

static int op_symlink(struct thread *t)
{
    choose_other(t);
    int rc = clear_name(t);
    if (rc == 0)
        rc = meta_outcome(symlinkat(link_target(t), t->at.directory, t->at.name));
    return meta_note_made(t, rc);
}

static int op_hardlink(struct thread *t)
{
    struct below_entry other;
    choose_other(t);
    if (strcmp(t->work.name, t->work.other_name) == 0)
        return -EEXIST;
    int rc = clear_name(t);
    if (rc == 0)
        rc = paths_find(&t->shared->paths, t->work.other_name, BELOW_FAILS, &other);
    if (rc != 0)
        return rc;
    rc = meta_note_made(
        t, meta_outcome(linkat(other.directory, other.name, t->at.directory, t->at.name, 0)));
    below_release(&other);
    return rc;
}

static int op_rename(struct thread *t)
{
    struct below_entry other;
    choose_other(t);
    int rc = paths_find(&t->shared->paths, t->work.other_name, BELOW_FAILS, &other);
    if (rc != 0)
        return rc;
    rc = meta_outcome(renameat(t->at.directory, t->at.name, other.directory, other.name));
    if (rc == 0)
        made_rename(t->shared->setup.made, t->request->number, t->other_number);
    below_release(&other);
    return rc;
}

static void attribute_name(struct thread *t, char text[static ATTRIBUTE_TEXT])
{
    snprintf(text, ATTRIBUTE_TEXT, "user.load%" PRIu64,
             rng_below(&t->rng, t->shared->setup.plan->xattr_keys));
}

static ssize_t op_setxattr(struct thread *t, int fd)
{
    char attribute[ATTRIBUTE_TEXT];
    attribute_name(t, attribute);
    size_t length = (size_t)rng_below(&t->rng, t->shared->setup.plan->xattr_length + 1);
    return fsetxattr(fd, attribute, t->work.buffer, length, 0);
}

static ssize_t op_getxattr(struct thread *t, int fd)
{
    char attribute[ATTRIBUTE_TEXT];
    char value[XATTR_SIZE_MAX];
    attribute_name(t, attribute);
    return fgetxattr(fd, attribute, value, sizeof value);
}

static ssize_t op_listxattr(struct thread *t, int fd)
{
    char list[XATTR_LIST_MAX];
    (void)t;
    return flistxattr(fd, list, sizeof list);
}

static ssize_t op_removexattr(struct thread *t, int fd)
{
    char attribute[ATTRIBUTE_TEXT];
    attribute_name(t, attribute);
    return fremovexattr(fd, attribute);
}

static const struct operation operations[META_OPS] = {
    [META_WRITE] = {.on_file = op_write, .flags = O_WRONLY | O_CREAT},
    [META_READ] = {.on_file = op_read, .only_looks = true},
    [META_TRUNCATE] = {.on_file = op_truncate, .flags = O_WRONLY},
    [META_UNLINK] = {.on_name = op_unlink},
    [META_MKNOD] = {.on_name = op_mknod},
    [META_STAT] = {.on_name = op_stat},
    [META_SETATTR] = {.on_name = op_setattr},
    [META_SYMLINK] = {.on_name = op_symlink},
    [META_HARDLINK] = {.on_name = op_hardlink},
    [META_RENAME] = {.on_name = op_rename},
    [META_SETXATTR] = {.on_file = op_setxattr, .changes = true},
    [META_GETXATTR] = {.on_file = op_getxattr, .only_looks = true},
    [META_LISTXATTR] = {.on_file = op_listxattr, .only_looks = true},
    [META_REMOVEXATTR] = {.on_file = op_removexattr, .changes = true},
};

static bool is_xattr(unsigned op)
{
    return op >= META_SETXATTR;
}

/* Whether the operation makes files: if it fails with ENOENT, a directory is missing. */
static bool makes_file(unsigned op)
{
    return op == META_WRITE || op == META_MKNOD || op == META_SYMLINK;
}

static void meta_prepare(void *thread, struct request *r)
{
    struct thread *t = thread;
    const struct shared *s = t->shared;
    rng_init(&t->rng, s->setup.plan->rank_seed + 1 + r->kind, r->number);
    r->op = mix_at(&s->mix, rng_below(&t->rng, s->mix.sum));
    names_format(s->setup.names, r->number, t->work.name);
}

static int operate_on_file(struct thread *t, const struct operation *o)
{
    const struct below at = {.fd = t->at.directory};
    int fd = o->flags & O_CREAT ? meta_open_to_write(t)
             : o->changes       ? below_open_to_change(&at, t->at.name, O_RDONLY)
             : o->only_looks    ? below_open_unseen(&at, t->at.name, o->flags)
                                : meta_open_file(t, o->flags);
    int rc = fd < 0 ? fd : meta_outcome(o->on_file(t, fd));
    uint64_t size;
    if (fd >= 0 && rc < 0 && o->only_looks && below_check_read(fd, &size) < 0)
        rc = below_check_read(fd, &size);
    return fd < 0 ? fd : close_file(fd, rc);
}

/* Does the operation in the directory of the request's name. */
static int meta_operate(struct thread *t, unsigned op, enum below_missing missing)
{
    int rc = paths_find(&t->shared->paths, t->work.name, missing, &t->at);
    if (rc != 0)
        return rc;
    const struct operation *o = &operations[op];
    rc = o->on_name ? o->on_name(t) : operate_on_file(t, o);
    below_release(&t->at);
    return rc;
}

static enum target_answer meta_submit(void *thread, struct request *r)
{
    struct thread *t = thread;
    t->request = r;
    int rc = meta_operate(t, r->op, BELOW_FAILS);
    if (rc == -ENOENT)
        paths_missed(&t->shared->paths, t->work.name);
    if (rc == -ENOENT && makes_file(r->op) && t->shared->setup.plan->make_directories)
        rc = meta_operate(t, r->op, BELOW_MAKES);
    if (rc != 0 && miss_is_normal(-rc, makes_file(r->op), is_xattr(r->op)))
        r->miss = r->op << 16 | (uint32_t)-rc;
    else if (rc != 0)
        r->failure = r->op << 16 | (uint32_t)-rc;
    return TARGET_ENDED;
}

static void meta_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    uint32_t op = failure >> 16;
    char reason[128];
    (void)shared;
    failure_describe(NULL, failure_of(STEP_OTHER, (int)(failure & 0xffff)), reason, sizeof reason);
    snprintf(text, size, "%s: %s", op < META_OPS ? meta_op_names[op] : "", reason);
}

static int meta_remove(void *shared, uint64_t number)
{
    return paths_remove(&((struct shared *)shared)->paths, number, true);
}

const struct target_ops target_meta = {
    .name = "meta",
    .summary = "a mix of operations on the names of the template",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_STORES | TARGET_NO_KINDS | TARGET_LOCAL,
    .ops = meta_op_names,
    .check = paths_check,
    .open = meta_open,
    .join = meta_join,
    .prepare = meta_prepare,
    .submit = meta_submit,
    .leave = workspace_close,
    .describe = meta_describe,
    .remove = meta_remove,
    .close = meta_close,
};
