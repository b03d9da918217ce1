#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bonload/targets/mix.h"
#include "bonload/targets/paths.h"
#include "bonload/targets/target.h"
#include "bonload/targets/workspace.h"
#include "util/rng.h"
#include "util/units.h"

/*
 * meta: a mix of operations on the names of the template, whatever kind of file each is at that
 * moment. In such a mix it is normal that a file is not there, or there already: that is a miss.
 */

#define LARGEST_BUFFER MIB
#define ATTRIBUTE_TEXT 40
#define MOST_OWNER     65534

/* Its operations. */
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
    struct mix mix;
    size_t buffer_bytes;
    uint64_t period; /* number of names; 0: without end */
    bool is_root;
};

struct thread {
    struct shared *shared;
    struct workspace work;
    struct rng rng; /* of the present request */
    struct request *request;
};

/* What an operation does: 0 or a negative errno. */
typedef int operation(struct thread *t);

static int available(struct err *e)
{
    (void)e;
    return 0;
}

static int open_target(void **shared, const struct target_setup *setup, struct err *e)
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
        *shared = s;
    else
        free(s);
    return rc;
}

static void close_target(void *shared)
{
    free(shared);
}

static void leave(void *thread)
{
    struct thread *t = thread;
    workspace_close(&t->work);
    free(t);
}

/* What is written is random: it depends on nothing. */
static void fill(struct thread *t)
{
    struct rng rng;
    rng_init(&rng, t->shared->setup.plan->seed, 0);
    for (size_t i = 0; i < t->shared->buffer_bytes; i++)
        t->work.buffer[i] = (unsigned char)rng_next(&rng);
}

static int join(void **thread, void *shared, unsigned channels, struct err *e)
{
    struct shared *s = shared;
    struct thread *t = calloc(1, sizeof *t);
    (void)channels;
    if (!t)
        return err_system(e, ENOMEM, "memory for a thread");
    t->shared = s;
    int rc = workspace_open(&t->work, s->setup.names, s->buffer_bytes, e);
    if (rc != 0) {
        free(t);
        return rc;
    }
    fill(t);
    *thread = t;
    return 0;
}

/* ---- operations --------------------------------------------------------------------------------
 */

/* The result of a system call that returns -1 for a failure. */
static int outcome(ssize_t result)
{
    return result < 0 ? -errno : 0;
}

/* Opens the file itself, whatever link has its name; a negative errno if it is one. */
static int open_file(const struct thread *t, int flags)
{
    int fd = open(t->work.name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    return fd < 0 ? -errno : fd;
}

/* Closes it; the first failure counts. */
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

static int op_write(struct thread *t)
{
    int fd = open_file(t, O_WRONLY | O_CREAT);
    if (fd < 0)
        return fd;
    ssize_t moved = pwrite(fd, t->work.buffer, body_of(t), random_offset(t));
    t->request->bytes = moved > 0 ? (uint64_t)moved : 0;
    return close_file(fd, outcome(moved));
}

static int op_read(struct thread *t)
{
    int fd = open_file(t, O_RDONLY);
    if (fd < 0)
        return fd;
    ssize_t moved = pread(fd, t->work.buffer, body_of(t), random_offset(t));
    t->request->bytes = moved > 0 ? (uint64_t)moved : 0;
    return close_file(fd, outcome(moved));
}

static int op_truncate(struct thread *t)
{
    int fd = open_file(t, O_WRONLY);
    return fd < 0 ? fd : close_file(fd, outcome(ftruncate(fd, random_offset(t))));
}

static int op_unlink(struct thread *t)
{
    return outcome(unlink(t->work.name));
}

static int op_mknod(struct thread *t)
{
    return outcome(mknod(t->work.name, S_IFREG | 0644, 0));
}

static int op_stat(struct thread *t)
{
    struct stat st;
    return outcome(lstat(t->work.name, &st));
}

/* The owner of a file can be changed by root alone; its own rights are never taken away. */
static int op_setattr(struct thread *t)
{
    if (t->shared->is_root) {
        uid_t uid = (uid_t)rng_below(&t->rng, MOST_OWNER);
        gid_t gid = (gid_t)rng_below(&t->rng, MOST_OWNER);
        return outcome(lchown(t->work.name, uid, gid));
    }
    int fd = open_file(t, O_RDONLY);
    if (fd < 0)
        return fd;
    return close_file(fd, outcome(fchmod(fd, 0600 | (mode_t)rng_below(&t->rng, 0100))));
}

/* Another name of the template. */
static void choose_other(struct thread *t)
{
    const struct shared *s = t->shared;
    uint64_t names = s->period > 0 ? s->period : t->request->number;
    names_format(s->setup.names, rng_below(&t->rng, names) + 1, t->work.other_name);
}

/* Removes what has the name, so that a link can be made there. */
static int clear_name(const struct thread *t)
{
    int rc = outcome(unlink(t->work.name));
    return rc == -ENOENT ? 0 : rc;
}

/* What a link says: a name in the same directory has no path. */
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
    return rc ? rc : outcome(symlink(link_target(t), t->work.name));
}

static int op_hardlink(struct thread *t)
{
    choose_other(t);
    if (strcmp(t->work.name, t->work.other_name) == 0)
        return -EEXIST;
    int rc = clear_name(t);
    return rc ? rc : outcome(linkat(AT_FDCWD, t->work.other_name, AT_FDCWD, t->work.name, 0));
}

static int op_rename(struct thread *t)
{
    choose_other(t);
    return outcome(rename(t->work.name, t->work.other_name));
}

static void attribute_name(struct thread *t, char text[static ATTRIBUTE_TEXT])
{
    snprintf(text, ATTRIBUTE_TEXT, "user.load%" PRIu64,
             rng_below(&t->rng, t->shared->setup.plan->xattr_keys));
}

static int op_setxattr(struct thread *t)
{
    char attribute[ATTRIBUTE_TEXT];
    int fd = open_file(t, O_RDONLY);
    if (fd < 0)
        return fd;
    attribute_name(t, attribute);
    size_t length = (size_t)rng_below(&t->rng, t->shared->setup.plan->xattr_length + 1);
    return close_file(fd, outcome(fsetxattr(fd, attribute, t->work.buffer, length, 0)));
}

static int op_getxattr(struct thread *t)
{
    char attribute[ATTRIBUTE_TEXT];
    char value[XATTR_SIZE_MAX];
    int fd = open_file(t, O_RDONLY);
    if (fd < 0)
        return fd;
    attribute_name(t, attribute);
    return close_file(fd, outcome(fgetxattr(fd, attribute, value, sizeof value)));
}

static int op_listxattr(struct thread *t)
{
    char list[XATTR_LIST_MAX];
    int fd = open_file(t, O_RDONLY);
    return fd < 0 ? fd : close_file(fd, outcome(flistxattr(fd, list, sizeof list)));
}

static int op_removexattr(struct thread *t)
{
    char attribute[ATTRIBUTE_TEXT];
    int fd = open_file(t, O_RDONLY);
    if (fd < 0)
        return fd;
    attribute_name(t, attribute);
    return close_file(fd, outcome(fremovexattr(fd, attribute)));
}

static operation *const operations[META_OPS] = {
    [META_WRITE] = op_write,         [META_READ] = op_read,
    [META_TRUNCATE] = op_truncate,   [META_UNLINK] = op_unlink,
    [META_MKNOD] = op_mknod,         [META_STAT] = op_stat,
    [META_SETATTR] = op_setattr,     [META_SYMLINK] = op_symlink,
    [META_HARDLINK] = op_hardlink,   [META_RENAME] = op_rename,
    [META_SETXATTR] = op_setxattr,   [META_GETXATTR] = op_getxattr,
    [META_LISTXATTR] = op_listxattr, [META_REMOVEXATTR] = op_removexattr,
};

/* ---- requests ----------------------------------------------------------------------------------
 */

static bool is_xattr(unsigned op)
{
    return op >= META_SETXATTR;
}

/* True for what makes a file: when that is "not there", a directory is missing. */
static bool makes_file(unsigned op)
{
    return op == META_WRITE || op == META_MKNOD || op == META_SYMLINK;
}

/* What is normal in such a mix. */
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
        return is_xattr(op);
    default:
        return false;
    }
}

static void prepare(void *thread, struct request *r)
{
    struct thread *t = thread;
    const struct shared *s = t->shared;
    rng_init(&t->rng, s->setup.plan->rank_seed + 1 + r->kind, r->number);
    r->op = mix_at(&s->mix, rng_below(&t->rng, s->mix.sum));
    names_format(s->setup.names, r->number, t->work.name);
}

static enum target_answer submit(void *thread, struct request *r)
{
    struct thread *t = thread;
    t->request = r;
    int rc = operations[r->op](t);
    if (rc == -ENOENT && makes_file(r->op) && t->shared->setup.plan->make_directories) {
        rc = paths_make_above(t->work.name);
        if (rc == 0)
            rc = operations[r->op](t);
    }
    if (rc != 0 && is_miss(r->op, -rc))
        r->miss = r->op << 16 | (uint32_t)-rc;
    else if (rc != 0)
        r->failure = r->op << 16 | (uint32_t)-rc;
    return TARGET_ENDED;
}

static void describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    uint32_t op = failure >> 16;
    char reason[128];
    (void)shared;
    failure_describe(NULL, failure_of(STEP_OTHER, (int)(failure & 0xffff)), reason, sizeof reason);
    snprintf(text, size, "%s: %s", op < META_OPS ? meta_op_names[op] : "", reason);
}

static int remove_file(void *shared, uint64_t number)
{
    return paths_remove(((const struct shared *)shared)->setup.names, number, true);
}

const struct target_ops target_meta = {
    .name = "meta",
    .summary = "a mix of operations on the names of the template",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_STORES | TARGET_NO_KINDS,
    .ops = meta_op_names,
    .available = available,
    .check = paths_check,
    .open = open_target,
    .join = join,
    .prepare = prepare,
    .submit = submit,
    .leave = leave,
    .describe = describe,
    .remove = remove_file,
    .close = close_target,
};
