// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/input.h"

#include <poll.h>

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

int input_contents(int fd, const char *verb, const char *path, size_t most, char **text,
                   size_t *length, struct err *e)
{
    size_t room = MIN(most, FIRST_BYTES); /* in addition to a NUL */
    size_t used = 0;
    ssize_t got = 1; /* 0: there is no more */
    char *bytes = malloc(room + 1);
    int rc = bytes ? 0 : -ENOMEM;
    while (rc == 0 && got != 0 && used < most && (rc = stop_check(e)) == 0) {
        if (used == room) {
            room = 2 * room < most ? 2 * room : most;
            char *larger = realloc(bytes, room + 1);
            if (!larger) {
                rc = -ENOMEM;
                break;
            }
            bytes = larger;
        }
        struct pollfd one = {.fd = fd, .events = POLLIN};
        int ready = poll(&one, 1, LOOK_MS);
        if (ready == 0) /* a pipe without a writer has neither data nor an end */
            continue;
        got = ready < 0 ? -1 : read(fd, bytes + used, room - used);
        if (got > 0)
            used += (size_t)got;
        else if (got < 0 && errno != EAGAIN && errno != EINTR)
            rc = err_system(e, errno, "%s %s", verb, path);
    }
    *text = rc == 0 ? bytes : NULL;
    *length = rc == 0 ? used : 0;
    if (rc == 0)
        bytes[used] = '\0';
    else
        free(bytes);
    return rc == -ENOMEM ? err_system(e, ENOMEM, "allocate memory for %s", path) : rc;
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
