// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/path.h"
#include "sys/stop.h"
#include "util/rng.h"

/* A seed comes from no more bytes than this, because the file may be a device without an end. */
#define SEED_FILE_BYTES 1048576

/* Time between two looks for a signal, which may come just before poll(), in ms. */
#define LOOK_MS 100

/* Room for the text of most files; a longer one gets twice as much whenever it is full. */
#define FIRST_BYTES 65536

int input_open(const char *verb, const char *path, struct err *e)
{
    struct path_file f;
    int fd = path_find(&f, verb, path, e);
    if (fd < 0)
        return fd;
    if (f.fd < 0)
        fd = path_say(&f, -ENOENT, e);
    else if (path_is_foreign_pipe(&f))
        fd = err_say(e, "%s %s: it is a pipe of another user", verb, path);
    else if ((fd = path_check_shown(&f)) != 0)
        fd = path_say(&f, fd, e);
    else
        fd = path_reopen(&f, O_RDONLY | O_NONBLOCK, e);
    path_release(&f);
    return fd;
}

/* The contents of a file as far as they have been read. */
struct reading {
    int fd;
    const char *verb;
    const char *path;
    size_t most; /* bytes that the caller wants */
    size_t room; /* bytes that `text` has room for, in addition to a NUL */
    size_t length;
    char *text;
};

/* Waits until the file has data or its end; a pipe without a writer has neither. */
static int wait_for_data(const struct reading *r, struct err *e)
{
    struct pollfd one = {.fd = r->fd, .events = POLLIN};
    int ready = 0;
    while (ready == 0) {
        int rc = stop_check(e);
        if (rc != 0)
            return rc;
        ready = poll(&one, 1, LOOK_MS);
        if (ready < 0 && errno == EINTR)
            ready = 0;
    }
    return ready > 0 ? 0 : err_system(e, errno, "%s %s", r->verb, r->path);
}

/* Makes room for more bytes, unless there is room, or all that the caller wants has been read. */
static int make_room(struct reading *r, struct err *e)
{
    if (r->text && (r->length < r->room || r->length == r->most))
        return 0;
    size_t more = r->text ? 2 * r->room : FIRST_BYTES;
    r->room = more < r->most ? more : r->most;
    char *larger = realloc(r->text, r->room + 1);
    if (!larger) {
        err_system(e, ENOMEM, "allocate memory for %s", r->path);
        return -ENOMEM; /* written out for the analyzer */
    }
    r->text = larger;
    return 0;
}

/* Reads the next bytes. Returns 1, 0 if there are no more to be read, or a negative errno. */
static int read_more(struct reading *r, struct err *e)
{
    int rc = make_room(r, e);
    if (rc != 0 || r->length == r->most)
        return rc;
    rc = wait_for_data(r, e);
    if (rc != 0)
        return rc;
    ssize_t got = read(r->fd, r->text + r->length, r->room - r->length);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return err_system(e, errno, "%s %s", r->verb, r->path);
    r->length += got > 0 ? (size_t)got : 0;
    return got != 0;
}

int input_contents(int fd, const char *verb, const char *path, size_t most, char **text,
                   size_t *length, struct err *e)
{
    struct reading r = {.fd = fd, .verb = verb, .path = path, .most = most};
    int rc = 1;
    while (rc > 0)
        rc = read_more(&r, e);
    if (rc == 0)
        r.text[r.length] = '\0';
    else
        free(r.text);
    *text = rc == 0 ? r.text : NULL;
    *length = rc == 0 ? r.length : 0;
    return rc;
}

int input_read(const char *verb, const char *path, size_t most, char **text, size_t *length,
               struct err *e)
{
    int fd = input_open(verb, path, e);
    *text = NULL;
    if (fd < 0)
        return fd;
    int rc = input_contents(fd, verb, path, most, text, length, e);
    close(fd);
    return rc;
}

int seed_file_seed(const char *path, uint64_t *seed, struct err *e)
{
    char *bytes;
    size_t length;
    int rc = input_read("read random file", path, SEED_FILE_BYTES, &bytes, &length, e);
    if (rc != 0)
        return rc;
    *seed = 0;
    for (size_t i = 0; i < length; i++)
        *seed = rng_mix(*seed ^ (unsigned char)bytes[i]);
    *seed &= SEED_MAX;
    if (length == 0)
        rc = err_say(e, "random file %s is empty; it needs at least one byte", path);
    free(bytes);
    return rc;
}
