#include "bonload/targets/bodies.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bonload/ledger/names.h"
#include "sys/input.h"
#include "util/units.h"

/* Largest size of all bodies together, because they are kept in memory. */
#define MOST_BYTES GIB

static int read_contents(struct given_body *body, struct bodies *b, int fd, const char *path,
                         struct err *e)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return err_system(e, errno, "read %s", path);
    if (!S_ISREG(facts.st_mode))
        return err_say(e, "the body %s is not a plain file", path);
    if ((uint64_t)facts.st_size > MOST_BYTES - b->all_bytes)
        return err_say(e, "the bodies are longer than 1 GiB together, and are kept in memory");
    int rc = input_contents(fd, "read", path, (size_t)facts.st_size, &body->bytes, &body->size, e);
    if (rc != 0)
        return rc;
    if (body->size != (size_t)facts.st_size) /* somebody has made the file shorter */
        return err_system(e, EIO, "read %s", path);
    b->all_bytes += body->size;
    if (body->size > b->longest)
        b->longest = body->size;
    return 0;
}

/* Reads the next body of the list. */
static int read_body(struct bodies *b, const char *path, struct err *e)
{
    int fd = input_open("open", path, e);
    if (fd < 0)
        return fd;
    int rc = read_contents(&b->list[b->count++], b, fd, path, e);
    close(fd);
    return rc;
}

int bodies_open(struct bodies *b, const char *file, const char *list, struct err *e)
{
    struct names paths = {.lines = NULL};
    *b = (struct bodies){0};
    int rc = list ? names_open(&paths, NULL, list, 0, e) : 0;
    uint64_t count = file ? 1 : paths.line_count;
    if (rc != 0 || count == 0)
        return rc;
    b->list = calloc(count, sizeof *b->list);
    if (!b->list)
        rc = err_system(e, ENOMEM, "memory for %zu bodies", (size_t)count);
    for (uint64_t i = 0; rc == 0 && i < count; i++)
        rc = read_body(b, file ? file : paths.lines[i], e);
    names_close(&paths);
    return rc;
}

void bodies_close(struct bodies *b)
{
    for (uint64_t i = 0; i < b->count; i++)
        free(b->list[i].bytes);
    free(b->list);
    *b = (struct bodies){0};
}

const struct given_body *bodies_of(const struct bodies *b, uint64_t number)
{
    return &b->list[(number - 1) % b->count];
}
