#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bonload/targets/expected.h"
#include "bonload/targets/paths.h"
#include "bonload/targets/target.h"
#include "bonload/targets/workspace.h"
#include "measure/clock.h"
#include "util/units.h"

/*
 * disk: a write creates or truncates a file, writes and closes it; a read opens it, reads to the
 * end and closes it. Never through a symbolic link in the last component.
 */

/* Buffers of all channels together take about this much, as long as none gets too small. */
#define ALL_BUFFERS     (32 * MIB)
#define SMALLEST_BUFFER (32 * KIB)
#define LARGEST_BUFFER  MIB

struct shared {
    struct target_setup setup;
    struct pattern pattern;
    size_t buffer_bytes;
    size_t read_bytes; /* most of one read */
    _Atomic uint64_t checked_bytes;
    _Atomic uint64_t damaged;
};

/* One thread, which has one channel. */
struct thread {
    struct shared *shared;
    struct workspace work;
    struct expected expected; /* what is written, or should be read */
    bool is_filled;           /* the buffer holds all of a write */
    uint64_t kept_bytes;      /* of a read: the whole is in the buffer, to be inspected */
};

static int available(struct err *e)
{
    (void)e;
    return 0;
}

static size_t buffer_for(const struct plan *p)
{
    uint64_t channels = (uint64_t)p->kinds[LOAD_READ].channels + p->kinds[LOAD_WRITE].channels;
    uint64_t most = ALL_BUFFERS / (channels > 0 ? channels : 1);
    if (most < SMALLEST_BUFFER)
        most = SMALLEST_BUFFER;
    if (most > LARGEST_BUFFER)
        most = LARGEST_BUFFER;
    uint64_t wanted = p->most_body + 1; /* one more than a file has: a read sees its end at once */
    return round_up(wanted < most ? wanted : most, WORKSPACE_ALIGNMENT);
}

static int open_target(void **shared, const struct target_setup *setup, struct err *e)
{
    struct shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the target");
    s->setup = *setup;
    s->buffer_bytes = buffer_for(setup->plan);
    s->read_bytes = s->buffer_bytes;
    if (setup->plan->chunk_bytes > 0)
        s->read_bytes = (size_t)setup->plan->chunk_bytes;
    if (s->read_bytes > s->buffer_bytes)
        s->buffer_bytes = round_up(s->read_bytes, WORKSPACE_ALIGNMENT);
    pattern_init(&s->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, setup->plan->seed, 0);
    *shared = s;
    return 0;
}

static void close_target(void *shared)
{
    free(shared);
}

static void leave(void *thread)
{
    struct thread *t = thread;
    atomic_fetch_add(&t->shared->checked_bytes, t->expected.checked_bytes);
    workspace_close(&t->work);
    free(t);
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
    *thread = t;
    return 0;
}

/* Looks at a part that was read. */
static void check_part(struct thread *t, uint64_t offset, size_t length)
{
    const struct shared *s = t->shared;
    expected_look(&t->expected, s->setup.plan, &s->pattern, offset, t->work.buffer, length);
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static void fill(struct thread *t, uint64_t offset, size_t length)
{
    const struct body *body = &t->expected.body;
    pattern_fill(&t->shared->pattern, t->work.buffer, length, body->object, offset,
                 body->generation);
}

static void prepare_write(struct thread *t, uint64_t number)
{
    expected_of_write(&t->expected, &t->shared->setup, t->work.name, number);
    t->is_filled = t->expected.size <= t->shared->buffer_bytes;
    if (t->is_filled)
        fill(t, 0, (size_t)t->expected.size);
}

static void prepare(void *thread, struct request *r)
{
    struct thread *t = thread;
    names_format(t->shared->setup.names, r->number, t->work.name);
    t->kept_bytes = 0;
    if (r->kind == LOAD_WRITE)
        prepare_write(t, r->number);
    else
        expected_of_read(&t->expected, &t->shared->setup, t->work.name, r->number,
                         t->work.other_name);
}

static int open_flags(const struct plan *p)
{
    return O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | (p->direct ? O_DIRECT : 0);
}

/* Opens a file to be written; *is_new is only found out where somebody wants to know. */
static int open_to_write(const struct thread *t, bool *is_new)
{
    const struct plan *p = t->shared->setup.plan;
    int flags = O_WRONLY | O_CREAT | open_flags(p);
    *is_new = false;
    if (p->fsync) {
        int fd = open(t->work.name, flags | O_EXCL, 0644);
        *is_new = fd >= 0;
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return open(t->work.name, flags | O_TRUNC, 0644);
}

/* The same, after making what is missing above it. */
static int open_or_make(const struct thread *t, bool *is_new)
{
    int fd = open_to_write(t, is_new);
    if (fd >= 0 || errno != ENOENT || !t->shared->setup.plan->make_directories)
        return fd;
    int rc = paths_make_above(t->work.name);
    errno = -rc;
    return rc == 0 ? open_to_write(t, is_new) : -1;
}

/* Writes all of a buffer; 0 or a positive errno. */
static int write_all(int fd, const unsigned char *from, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, from, length);
        if (written == 0)
            return EIO;
        if (written < 0 && errno != EINTR)
            return errno;
        size_t done = written > 0 ? (size_t)written : 0;
        from += done;
        length -= done;
    }
    return 0;
}

/* Direct transfers are whole blocks: what is too much is cut off. */
static int write_body(struct thread *t, int fd)
{
    const struct shared *s = t->shared;
    bool direct = s->setup.plan->direct;
    uint64_t size = t->expected.size;
    int code = 0;
    for (uint64_t at = 0; code == 0 && at < size;) {
        uint64_t left = size - at;
        size_t part = left < s->buffer_bytes ? (size_t)left : s->buffer_bytes;
        if (!t->is_filled)
            fill(t, at, part);
        code = write_all(fd, t->work.buffer, direct ? round_up(part, WORKSPACE_ALIGNMENT) : part);
        at += part;
    }
    if (code == 0 && direct && size % WORKSPACE_ALIGNMENT != 0 && ftruncate(fd, (off_t)size) != 0)
        code = errno;
    return code;
}

static uint32_t write_file(struct thread *t)
{
    bool is_new;
    bool durable = t->shared->setup.plan->fsync;
    int fd = open_or_make(t, &is_new);
    if (fd < 0)
        return failure_of(STEP_OPEN, errno);
    int code = write_body(t, fd);
    uint32_t failure = code ? failure_of(STEP_WRITE, code) : 0;
    if (failure == 0 && durable && fsync(fd) != 0)
        failure = failure_of(STEP_SYNC, errno);
    if (close(fd) != 0 && errno != EINTR && failure == 0)
        failure = failure_of(STEP_CLOSE, errno);
    if (failure == 0 && durable && is_new) {
        int rc = paths_sync_above(t->work.name);
        failure = rc ? failure_of(STEP_SYNC, -rc) : 0;
    }
    return failure;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

/*
 * Reads up to the end. A short read is the end where that is expected; elsewhere another one says
 * so. *bytes is what was read.
 */
static int read_body(struct thread *t, int fd, struct request *r)
{
    const size_t most = t->shared->read_bytes;
    for (;;) {
        ssize_t got = read(fd, t->work.buffer, most);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            return 0;
        bool is_all = r->bytes + (size_t)got == t->expected.size && (size_t)got < most;
        if (is_all && r->bytes == 0) {
            r->bytes = t->kept_bytes = (uint64_t)got;
            return 0;
        }
        uint64_t before_ns = clock_ns();
        check_part(t, r->bytes, (size_t)got);
        r->aside_ns += clock_ns() - before_ns;
        r->bytes += (size_t)got;
        if (is_all)
            return 0;
    }
}

static uint32_t read_file(struct thread *t, struct request *r)
{
    int fd = open(t->work.name, O_RDONLY | open_flags(t->shared->setup.plan));
    if (fd < 0)
        return failure_of(STEP_OPEN, errno);
    int code = read_body(t, fd, r);
    uint32_t failure = code ? failure_of(STEP_READ, code) : 0;
    if (close(fd) != 0 && errno != EINTR && failure == 0)
        failure = failure_of(STEP_CLOSE, errno);
    return failure;
}

static enum target_answer submit(void *thread, struct request *r)
{
    struct thread *t = thread;
    struct versions *v = t->shared->setup.versions;
    if (r->kind == LOAD_READ) {
        r->failure = read_file(t, r);
        return TARGET_ENDED;
    }
    uint64_t begun = versions_begin(v, t->expected.body.object);
    r->failure = write_file(t);
    versions_end(v, t->expected.body.object, begun, r->number, r->failure == 0);
    r->bytes = r->failure == 0 ? t->expected.size : 0;
    return TARGET_ENDED;
}

/* What a read brought: less than it should, or something else? */
static void inspect(void *thread, struct request *r)
{
    struct thread *t = thread;
    if (r->kind == LOAD_WRITE || r->failure != 0)
        return;
    check_part(t, 0, (size_t)t->kept_bytes);
    r->failure = expected_verdict(&t->expected, &t->shared->setup, r->bytes);
    if (r->failure != 0 && t->shared->setup.plan->verify != VERIFY_OFF)
        atomic_fetch_add(&t->shared->damaged, 1);
}

static int remove_file(void *shared, uint64_t number)
{
    return paths_remove(((const struct shared *)shared)->setup.names, number, false);
}

static void verified(void *shared, uint64_t *checked_bytes, uint64_t *damaged)
{
    const struct shared *s = shared;
    *checked_bytes += atomic_load(&s->checked_bytes);
    *damaged += atomic_load(&s->damaged);
}

const struct target_ops target_disk = {
    .name = "disk",
    .summary = "writes and reads files",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_STORES,
    .available = available,
    .check = paths_check,
    .open = open_target,
    .join = join,
    .prepare = prepare,
    .submit = submit,
    .inspect = inspect,
    .leave = leave,
    .describe = failure_describe,
    .remove = remove_file,
    .verified = verified,
    .close = close_target,
};
