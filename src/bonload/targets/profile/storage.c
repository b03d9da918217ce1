// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/profile/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

#define FILL_BYTES MIB

/* Opens the file again with O_DIRECT, if that is supported. */
static int open_direct(int fd, const char *name)
{
    struct err ignored;
    err_init(&ignored);
    int direct = scratch_reopen(fd, O_RDWR | O_DIRECT, name, &ignored);
    if (direct < 0)
        return fd;
    close(fd);
    return direct;
}

int storage_make_file(const struct storage *s, const struct profile_file *f, unsigned number,
                      struct err *e)
{
    bool is_named;
    int fd = scratch_make_data_file(&s->scratch, number, &is_named, e);
    if (fd < 0)
        return fd;
    if (is_named) {
        int rc = scratch_remove_data_file(&s->scratch, number, e);
        close(fd);
        return rc ? rc
                  : err_say(e, "%s: the filesystem does not support files without a name",
                            s->scratch.path);
    }
    return f->is_direct ? open_direct(fd, f->name) : fd;
}

int storage_reserve(int fd, uint64_t bytes)
{
    while (fallocate(fd, 0, 0, (off_t)bytes) != 0)
        if (errno != EINTR)
            return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
    return 0;
}

int storage_write(int fd, const unsigned char *from, size_t length, int64_t at)
{
    while (length > 0) {
        ssize_t written = at < 0 ? write(fd, from, length) : pwrite(fd, from, length, (off_t)at);
        if (written == 0)
            return EIO;
        if (written < 0 && errno != EINTR)
            return errno;
        size_t done = written > 0 ? (size_t)written : 0;
        from += done;
        length -= done;
        at += at < 0 ? 0 : (int64_t)done;
    }
    return 0;
}

int storage_sync(int fd, bool all)
{
    while ((all ? fsync(fd) : fdatasync(fd)) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int storage_sync_timed(int fd, bool all, struct gauge *gauge, uint64_t *longest_ns)
{
    uint64_t begin_ns = clock_ns();
    int code = storage_sync(fd, all);
    uint64_t end_ns = clock_ns();
    gauge_add(gauge, end_ns - begin_ns, end_ns);
    if (end_ns - begin_ns > *longest_ns)
        *longest_ns = end_ns - begin_ns;
    return code;
}

int storage_fill(const struct storage *s, const struct profile_file *f, int fd, unsigned number,
                 uint64_t bytes, struct err *e)
{
    unsigned char *buffer = aligned_alloc(STORAGE_ALIGNMENT, FILL_BYTES);
    int rc = buffer ? 0 : err_system(e, ENOMEM, "memory for a buffer");
    for (uint64_t at = 0; rc == 0 && at < bytes; at += FILL_BYTES) {
        size_t part = bytes - at < FILL_BYTES ? bytes - at : FILL_BYTES;
        pattern_fill(&s->pattern, buffer, part, number, at, 0);
        int code = storage_write(fd, buffer, part, (int64_t)at);
        rc = code ? err_system(e, code, "write the file '%s' in %s", f->name, s->scratch.path)
                  : stop_check(e);
    }
    free(buffer);
    int code = rc == 0 ? storage_sync(fd, true) : 0;
    return code ? err_system(e, code, "fsync the file '%s' in %s", f->name, s->scratch.path) : rc;
}

int pages_open(struct pages *p, const struct storage *storage, const struct profile_file *file,
               unsigned number, struct err *e)
{
    p->storage = storage;
    p->file = file;
    p->number = number;
    p->count = file->bytes / file->unit;
    p->begun = calloc(p->count, sizeof *p->begun);
    p->ended = calloc(p->count, sizeof *p->ended);
    for (unsigned i = 0; i < PAGES_LATCHES; i++)
        pthread_mutex_init(&p->latches[i], NULL);
    p->fd = storage_make_file(storage, file, number, e);
    if (p->fd < 0)
        return p->fd;
    if (!p->begun || !p->ended)
        return err_system(e, ENOMEM, "memory for the pages of '%s'", file->name);
    return storage_fill(storage, file, p->fd, number, p->count * file->unit, e);
}

void pages_close(struct pages *p)
{
    if (!p->file)
        return;
    if (p->fd >= 0)
        close(p->fd);
    for (unsigned i = 0; i < PAGES_LATCHES; i++)
        pthread_mutex_destroy(&p->latches[i]);
    free(p->begun);
    free(p->ended);
    p->file = NULL;
}

/* The latch of a page. Latches are taken in ascending order, so there is no deadlock. */
static unsigned latch_of(const struct pages *p, uint64_t page)
{
    return (unsigned)(page * PAGES_LATCHES / p->count);
}

/* Writes the next generation of consecutive pages. */
static int write_pages(struct pages *p, uint64_t first, unsigned count, unsigned char *buffer)
{
    const uint64_t unit = p->file->unit;
    const unsigned last_latch = latch_of(p, first + count - 1);
    for (unsigned i = latch_of(p, first); i <= last_latch; i++)
        pthread_mutex_lock(&p->latches[i]);
    for (unsigned i = 0; i < count; i++) {
        uint32_t generation = atomic_fetch_add(&p->begun[first + i], 1) + 1;
        pattern_fill(&p->storage->pattern, buffer + i * unit, unit, p->number, (first + i) * unit,
                     generation);
    }
    int code = storage_write(p->fd, buffer, count * unit, (int64_t)(first * unit));
    for (unsigned i = 0; code == 0 && i < count; i++)
        atomic_store(&p->ended[first + i], atomic_load(&p->begun[first + i]));
    for (unsigned i = latch_of(p, first); i <= last_latch; i++)
        pthread_mutex_unlock(&p->latches[i]);
    return code;
}

int pages_write(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count,
                bool begins_out)
{
    int code = 0;
    for (unsigned i = 0; code == 0 && i < count; i++) {
        uint64_t page = rng_below(random, p->count);
        code = write_pages(p, page, 1, buffer);
        if (code == 0 && begins_out &&
            sync_file_range(p->fd, (off_t)(page * p->file->unit), (off_t)p->file->unit,
                            SYNC_FILE_RANGE_WRITE) != 0 &&
            errno != EINTR && errno != ENOSYS)
            code = errno;
    }
    return code;
}

int pages_write_run(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count)
{
    if (count > p->count)
        count = (unsigned)p->count;
    uint64_t first = rng_below(random, p->count - count + 1);
    return write_pages(p, first, count, buffer);
}

int pages_read(struct pages *p, struct rng *random, unsigned char *buffer, uint64_t *page,
               uint32_t *ended_before)
{
    *page = rng_below(random, p->count);
    *ended_before = atomic_load(&p->ended[*page]);
    for (;;) {
        ssize_t got = pread(p->fd, buffer, p->file->unit, (off_t)(*page * p->file->unit));
        if (got == (ssize_t)p->file->unit)
            return 0;
        if (got >= 0)
            return EIO; /* pages are never partial */
        if (errno != EINTR)
            return errno;
    }
}

bool pages_are_right(struct pages *p, const unsigned char *buffer, uint64_t page,
                     uint32_t ended_before)
{
    const struct storage *s = p->storage;
    const size_t unit = s->pattern.unit_bytes;
    bool was_still = atomic_load(&p->begun[page]) == ended_before;
    bool is_right = true;
    struct pattern_origin found;
    if (s->verify == VERIFY_OFF)
        return true;
    for (uint64_t at = 0; at < p->file->unit; at += unit) {
        const struct pattern_place expected = {
            .file = p->number,
            .unit = (page * p->file->unit + at) / unit,
            .generation = was_still ? ended_before : PATTERN_ANY,
        };
        enum corruption_kind kind =
            pattern_check(&s->pattern, buffer + at, &expected, s->verify == VERIFY_FULL, &found);
        /*
         * While a page is being written, a read may return any generation, and even parts of two.
         * If it cuts a unit's stamp in two, the unit looks as if no write had made it.
         */
        bool may_move = kind == CORRUPTION_TORN || kind == CORRUPTION_FLIPPED;
        is_right &= kind == CORRUPTION_NONE || (!was_still && may_move);
    }
    atomic_fetch_add(&s->verified->bytes, p->file->unit);
    if (!is_right)
        atomic_fetch_add(&s->verified->damaged, 1);
    return is_right;
}

#define MESSAGE_NAME 24

static void message_name(char name[MESSAGE_NAME], uint64_t number)
{
    snprintf(name, MESSAGE_NAME, "%016" PRIx64, number);
}

static int make_directory(const struct storage *s, const char *name, struct err *e)
{
    if (mkdirat(s->scratch.fd, name, 0700) != 0)
        return err_system(e, errno, "make %s/%s/%s", s->scratch.path, s->scratch.name, name);
    int fd = directory_open(s->scratch.fd, name);
    if (fd >= 0)
        return fd;
    unlinkat(s->scratch.fd, name, AT_REMOVEDIR);
    return err_system(e, -fd, "open %s/%s/%s", s->scratch.path, s->scratch.name, name);
}

int mailbox_open(struct mailbox *m, const struct storage *storage, const struct profile_file *file,
                 struct gauge *gauge, struct err *e)
{
    m->storage = storage;
    m->file = file;
    m->gauge = gauge;
    m->new_fd = -1;
    m->tmp_fd = make_directory(storage, "tmp", e);
    if (m->tmp_fd < 0)
        return m->tmp_fd;
    m->new_fd = make_directory(storage, "new", e);
    return m->new_fd < 0 ? m->new_fd : 0;
}

/*
 * Removes a message from that directory. Returns 0 or a positive errno (ENOENT: it is not there).
 */
static int remove_message(int fd, uint64_t number)
{
    char name[MESSAGE_NAME];
    message_name(name, number);
    return unlinkat(fd, name, 0) == 0 ? 0 : errno;
}

/* Removes a directory with all remaining messages. */
static int remove_directory(const struct mailbox *m, int fd, const char *name, struct err *e)
{
    const struct scratch *s = &m->storage->scratch;
    int code = 0;
    if (fd < 0)
        return 0;
    for (uint64_t i = atomic_load(&m->expired) + 1; i <= atomic_load(&m->begun); i++) {
        int removed = remove_message(fd, i);
        if (code == 0 && removed != ENOENT)
            code = removed;
    }
    close(fd);
    if (code != 0)
        return err_system(e, code, "unlink a message in %s/%s", s->path, s->name);
    return unlinkat(s->fd, name, AT_REMOVEDIR) == 0
               ? 0
               : err_system(e, errno, "remove %s/%s/%s", s->path, s->name, name);
}

int mailbox_close(struct mailbox *m, struct err *e)
{
    if (!m->file)
        return 0;
    int rc = remove_directory(m, m->tmp_fd, "tmp", e);
    int other = remove_directory(m, m->new_fd, "new", e);
    m->file = NULL;
    return rc ? rc : other;
}

static int write_message(const struct mailbox *m, const char *name, const unsigned char *message,
                         uint64_t *longest_ns, unsigned *step)
{
    *step = STEP_OPEN;
    int fd = openat(m->tmp_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    *step = STEP_WRITE;
    int code = storage_write(fd, message, m->file->bytes, -1);
    if (code == 0) {
        *step = STEP_SYNC;
        code = storage_sync_timed(fd, true, m->gauge, longest_ns);
    }
    if (close(fd) != 0 && errno != EINTR && code == 0) {
        *step = STEP_CLOSE;
        code = errno;
    }
    return code;
}

/* Syncs the directory `new`. Opens it again for that, as dovecot-lda does. */
static int sync_new(const struct mailbox *m, uint64_t *longest_ns)
{
    int fd = directory_open(m->storage->scratch.fd, "new");
    if (fd < 0)
        return -fd;
    int code = storage_sync_timed(fd, true, m->gauge, longest_ns);
    close(fd);
    return code;
}

int mailbox_deliver(struct mailbox *m, unsigned char *buffer, uint64_t *longest_ns, unsigned *step)
{
    char name[MESSAGE_NAME];
    uint64_t number = atomic_fetch_add(&m->begun, 1) + 1;
    message_name(name, number);
    pattern_fill(&m->storage->pattern, buffer, m->file->bytes, number, 0, 0);
    int code = write_message(m, name, buffer, longest_ns, step);
    if (code != 0)
        return code;
    *step = STEP_RENAME;
    if (renameat(m->tmp_fd, name, m->new_fd, name) != 0)
        return errno;
    *step = STEP_SYNC;
    return sync_new(m, longest_ns);
}

/*
 * A message that is still being delivered does not exist yet: this one and all later ones stay
 * until the next call.
 */
int mailbox_expire(struct mailbox *m)
{
    int code = 0;
    uint64_t next = atomic_load(&m->expired) + 1;
    while (code == 0 && next + m->file->count <= atomic_load(&m->begun)) {
        code = remove_message(m->new_fd, next);
        if (code == 0)
            atomic_store(&m->expired, next++);
    }
    return code == ENOENT ? 0 : code;
}
