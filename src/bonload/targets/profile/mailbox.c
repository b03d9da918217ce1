#include "bonload/targets/profile/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bonload/targets/target.h"
#include "storage/private_directory.h"

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
