// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bonload/targets/expected.h"
#include "bonload/targets/files/paths.h"
#include "bonload/targets/target.h"
#include "io/file.h"
#include "measure/clock.h"
#include "storage/page_cache.h"
#include "sys/limits.h"
#include "util/units.h"

/* disk: a write creates or truncates a file, writes and closes it; a read opens it, reads to the
 * end and closes it. paths.h resolves names. */

/* Approximate size of all buffers together. No buffer is smaller than SMALLEST_BUFFER. */
#define ALL_BUFFERS     (32 * MIB)
#define SMALLEST_BUFFER (32 * KIB)
#define LARGEST_BUFFER  MIB

struct disk_state {
    struct paths paths;
    const struct settings *settings;
    struct pattern pattern;
    size_t buffer_bytes;
    size_t read_bytes; /* largest read */
};

struct thread {
    struct workspace work;
    struct disk_state *shared;
    struct expected_body expected; /* expected body of the current request */
    /* for a read: the buffer holds a body of this size, to be inspected later */
    uint64_t kept_bytes;
};

static int disk_open(void *shared, const struct target_setup *setup, struct err *e)
{
    struct disk_state *s = shared;
    const struct plan *p = setup->plan;
    uint64_t channels = (uint64_t)p->kinds[LOAD_READ].channels + p->kinds[LOAD_WRITE].channels;
    uint64_t most = ALL_BUFFERS / (channels > 0 ? channels : 1);
    most = most < SMALLEST_BUFFER ? SMALLEST_BUFFER : most > LARGEST_BUFFER ? LARGEST_BUFFER : most;
    /* one byte more than a file has, so that a single read(2) reaches its end */
    uint64_t wanted = p->most_body + 1;
    s->settings = p->settings;
    s->read_bytes = round_up(wanted < most ? wanted : most, WORKSPACE_ALIGNMENT);
    s->buffer_bytes = s->read_bytes;
    if (s->settings->chunk_bytes.value > 0)
        s->read_bytes = (size_t)s->settings->chunk_bytes.value;
    if (s->read_bytes > s->buffer_bytes)
        s->buffer_bytes = round_up(s->read_bytes, WORKSPACE_ALIGNMENT);
    pattern_init(&s->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, p->seed, 0);
    int rc = plan_has(p, LOAD_WRITE) ? limits_file(p->most_body, e) : 0;
    return rc == 0 ? paths_open_target(&s->paths, setup, e) : rc;
}

static void disk_leave(void *thread)
{
    struct thread *t = thread;
    atomic_fetch_add(&t->shared->paths.setup.verified->bytes, t->expected.checked_bytes);
    workspace_close(t);
}

static int disk_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct thread *t = thread;
    (void)channels;
    t->shared = shared;
    return workspace_open(&t->work, t->shared->paths.setup.names, t->shared->buffer_bytes, e);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void disk_prepare(void *thread, struct request *r)
{
    struct thread *t = thread;
    const struct disk_state *s = t->shared;
    const char *name = t->work.name;
    names_format(s->paths.setup.names, r->number, t->work.name);
    t->kept_bytes = 0;
    if (r->kind == LOAD_READ) {
        expected_of_read(&t->expected, &s->paths.setup, name, r->number, t->work.other_name);
        return;
    }
    expected_of_write(&t->expected, &s->paths.setup, name, r->number);
    if (t->expected.size <= s->buffer_bytes)
        body_fill(&s->pattern, &t->expected.body, 0, t->work.buffer, (size_t)t->expected.size);
}

/* Opens a file for writing. Finds out whether it is new only if a sync or -remove needs that. */
static int disk_open_to_write(struct thread *t, bool *is_new)
{
    const struct settings *s = t->shared->settings;
    int flags = O_WRONLY | O_CREAT | (s->direct ? O_DIRECT : 0);
    *is_new = false;
    if (s->fsync || s->removes) {
        int fd = paths_open(&t->shared->paths, t->work.name, flags | O_EXCL, 0);
        *is_new = fd >= 0;
        if (fd != -EEXIST)
            return fd;
    }
    return paths_open(&t->shared->paths, t->work.name, flags | O_TRUNC, 0);
}

/* Writes a file with the body, which disk_prepare() has made if it fits into the buffer. Direct
 * transfers are whole blocks, so it cuts off the excess afterwards. Returns 0 or a failure. */
static uint32_t disk_write(struct thread *t, struct request *r)
{
    const struct disk_state *s = t->shared;
    bool direct = s->settings->direct;
    bool durable = s->settings->fsync;
    uint64_t size = t->expected.size;
    struct err ignored = {0};
    int fd = disk_open_to_write(t, &r->made);
    if (fd < 0)
        return failure_of(CALL_OPEN, -fd);
    const struct io_file file = {.fd = fd, .name = t->work.name};
    int code = 0;
    for (uint64_t at = 0; code == 0 && at < size;) {
        uint64_t left = size - at;
        size_t part = left < s->buffer_bytes ? (size_t)left : s->buffer_bytes;
        if (size > s->buffer_bytes) {
            uint64_t before_ns = clock_ns();
            body_fill(&s->pattern, &t->expected.body, at, t->work.buffer, part);
            /* making the contents does not count as writing */
            r->aside_ns += clock_ns() - before_ns;
        }
        code = -io_write(&file, t->work.buffer, direct ? round_up(part, WORKSPACE_ALIGNMENT) : part,
                         at, &ignored);
        at += part;
    }
    if (code == 0 && direct && size % WORKSPACE_ALIGNMENT != 0 && ftruncate(fd, (off_t)size) != 0)
        code = errno;
    uint32_t failure = code ? failure_of(CALL_WRITE, code) : 0;
    if (failure == 0 && durable) {
        int rc = io_sync(&file, &ignored);
        failure = rc ? failure_of(CALL_SYNC, -rc) : 0;
    }
    if (close(fd) != 0 && errno != EINTR && failure == 0)
        failure = failure_of(CALL_CLOSE, errno);
    if (failure == 0 && durable && r->made) {
        int rc = paths_sync_above(&t->shared->paths, t->work.name);
        failure = rc ? failure_of(CALL_SYNC, -rc) : 0;
    }
    return failure;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a file to its end. Where the expected size is reached, a short read is the end. Otherwise
 * it checks the kind of the file, and reads until the file's size or an empty read shows the end.
 * Returns 0 or a failure. */
static uint32_t read_body(struct thread *t, int fd, struct request *r)
{
    const struct plan *plan = t->shared->paths.setup.plan;
    const size_t most = t->shared->read_bytes;
    uint64_t size = 0; /* 0: unknown */
    int seen = 1;
    for (;;) {
        ssize_t got = read(fd, t->work.buffer, most);
        int code = got < 0 ? errno : 0;
        if (code == EINTR)
            continue;
        bool is_all = r->bytes + (size_t)got == t->expected.size && (size_t)got < most;
        if (is_all && r->bytes == 0) {
            r->bytes = t->kept_bytes = (uint64_t)got;
            return 0;
        }
        if (seen > 0)
            seen = path_check_read(fd, &size);
        if (seen != 0)
            return failure_of(CALL_OPEN, -seen);
        if (got <= 0)
            return code ? failure_of(CALL_READ, code) : 0;
        uint64_t before_ns = clock_ns();
        expected_check(&t->expected, plan, &t->shared->pattern, r->bytes, t->work.buffer,
                       (size_t)got);
        r->aside_ns += clock_ns() - before_ns;
        r->bytes += (size_t)got;
        if (is_all || r->bytes == size)
            return 0;
    }
}

/* Evicts a file's pages from the cache, so that the next read comes from storage. Pages that cannot
 * be evicted stay. If the file cannot be opened, the next read fails anyway. */
static void disk_evict(struct thread *t)
{
    struct stat st;
    struct err ignored = {0};
    int fd = paths_open(&t->shared->paths, t->work.name, O_RDONLY, 0);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0) {
        struct residency left = page_cache_residency(fd, (uint64_t)st.st_size);
        if (!left.known || left.bytes > 0)
            page_cache_evict(fd, t->work.name, &left, &ignored);
    }
    close(fd);
}

static uint32_t disk_read(struct thread *t, struct request *r)
{
    int direct = t->shared->settings->direct ? O_DIRECT : 0;
    int fd = paths_open(&t->shared->paths, t->work.name, O_RDONLY | direct, PATH_ANY_KIND);
    /* if a write replaces a file, as the rule of paths allows, there is no file for a moment */
    if (fd == -ENOENT && expected_is_overlapped(&t->expected, &t->shared->paths.setup))
        return 0;
    if (fd < 0)
        return failure_of(CALL_OPEN, -fd);
    uint32_t failure = read_body(t, fd, r);
    if (close(fd) != 0 && errno != EINTR && failure == 0)
        failure = failure_of(CALL_CLOSE, errno);
    return failure;
}

static enum target_answer disk_submit(void *thread, struct request *r)
{
    struct thread *t = thread;
    struct written_set *written = t->shared->paths.setup.written;
    if (r->kind == LOAD_READ) {
        if (t->shared->settings->evict) {
            disk_evict(t);
            r->aside_ns = clock_ns() - r->start_ns;
        }
        r->failure = disk_read(t, r);
        return TARGET_ENDED;
    }
    uint64_t begun = versions_begin(written, t->expected.body.object);
    r->failure = disk_write(t, r);
    versions_end(written, t->expected.body.object, begun, r->number, r->failure == 0);
    r->bytes = r->failure == 0 ? t->expected.size : 0;
    return TARGET_ENDED;
}

static void disk_inspect(void *thread, struct request *r)
{
    struct thread *t = thread;
    const struct target_setup *setup = &t->shared->paths.setup;
    if (r->kind == LOAD_WRITE || r->failure != 0)
        return;
    expected_check(&t->expected, setup->plan, &t->shared->pattern, 0, t->work.buffer,
                   (size_t)t->kept_bytes);
    r->failure = expected_verdict(&t->expected, setup, r->bytes);
    if (r->failure != 0 && setup->plan->verify != VERIFY_OFF)
        atomic_fetch_add(&setup->verified->damaged, 1);
}

static void disk_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    int code = (int)(failure & 0xffff);
    if (code == PATH_CLOSED)
        paths_explain(shared, code, text, size);
    else
        failure_describe(shared, failure, text, size);
}

const struct target_ops target_disk = {
    .name = "disk",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_FILES | TARGET_LOCAL,
    .shared_bytes = sizeof(struct disk_state),
    .thread_bytes = sizeof(struct thread),
    .check = paths_check,
    .open = disk_open,
    .join = disk_join,
    .prepare = disk_prepare,
    .submit = disk_submit,
    .inspect = disk_inspect,
    .leave = disk_leave,
    .describe = disk_describe,
    .remove = paths_remove,
    .close = paths_close_target,
};
