#include "boncut/methods/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "util/descriptor.h"

/* Number of the tail's file that contains a version. */
static uint64_t file_of(const struct header *h, uint64_t version)
{
    return (version - 1) / h->units;
}

static uint64_t block_of(const struct header *h, uint64_t version)
{
    return (version - 1) % h->units;
}

/* Makes the tail's file with that number; its name must not exist yet. */
static int open_next(struct work *w, uint64_t number)
{
    char name[LAYOUT_NAME];
    descriptor_close(&w->other_fd);
    layout_tail_name(name, w->method, w->worker, number);
    w->other_fd = work_create(w, w->directory_fd, name, 0);
    return w->other_fd >= 0 ? 0 : w->other_fd;
}

/*
 * Makes the name of the tail's file `number` durable, when that file has its first block, and
 * removes the file before it.
 */
static int leave_last(struct work *w, uint64_t number)
{
    char name[LAYOUT_NAME];
    int rc = work_called(w, "fsync of the directory", fsync(w->directory_fd));
    if (rc != 0 || number == 0)
        return rc;
    layout_tail_name(name, w->method, w->worker, number - 1);
    return work_called(w, "unlink", unlinkat(w->directory_fd, name, 0));
}

int tail_append(struct work *w, uint64_t version, const char *call, int (*sync)(int fd))
{
    uint64_t number = file_of(w->header, version);
    uint64_t block = block_of(w->header, version);
    int rc = block == 0 ? open_next(w, number) : 0;
    if (rc == 0)
        rc = contents_write(w, w->other_fd, layout_stamp(w->method, w->worker, number + 1), block,
                            1, version, 0);
    if (rc == 0)
        rc = work_called(w, call, sync(w->other_fd));
    if (rc == 0 && block == 0)
        rc = leave_last(w, number);
    return rc;
}

void tail_end(struct work *w)
{
    descriptor_close(&w->other_fd);
}

/* Examines one of the tail's files, up to its block with number `blocks` - 1. */
static void look_at_file(struct judging *j, unsigned worker, uint64_t number, uint64_t blocks,
                         struct sight *s, char name[LAYOUT_NAME])
{
    layout_tail_name(name, j->method, worker, number);
    int fd = judging_open(j, j->directory_fd, name);
    *s = (struct sight){.finding = fd < 0 ? judging_failure(j, -fd) : FOUND_KEPT};
    for (uint64_t block = 0; s->finding == FOUND_KEPT && block < blocks; block++)
        contents_look(j, fd, layout_stamp(j->method, worker, number + 1), block, 1,
                      number * j->header->units + block + 1, s);
    descriptor_close(&fd);
}

/* The search for a file that has replaced the one with the promised version. */
struct successor {
    struct judging *j;
    unsigned worker;
    uint64_t promised_file;
    struct sight sight; /* of the best later file */
    char name[LAYOUT_NAME];
};

static void see_successor(void *context, int fd, const char *name)
{
    struct successor *s = context;
    struct sight sight;
    char found[LAYOUT_NAME];
    uint64_t number;
    (void)fd;
    if (s->sight.finding == FOUND_KEPT ||
        !layout_parse_tail(name, s->j->method, s->worker, &number) || number <= s->promised_file)
        return;
    look_at_file(s->j, s->worker, number, 1, &sight, found);
    if (sight.finding == FOUND_KEPT || s->sight.finding == FOUND_MISSING) {
        s->sight = sight;
        memcpy(s->name, found, sizeof s->name);
    }
}

void tail_judge(struct judging *j, unsigned worker)
{
    const struct header *h = j->header;
    uint32_t unit = worker * header_units_of_worker(h, j->method) + h->units;
    uint64_t promised = ledger_promise(j->ledger, j->method, unit)->version;
    if (promised == 0)
        return;
    struct successor s = {.j = j, .worker = worker, .promised_file = file_of(h, promised)};
    look_at_file(j, worker, s.promised_file, block_of(h, promised) + 1, &s.sight, s.name);
    if (s.sight.finding == FOUND_MISSING) {
        int rc = directory_look(j->directory_fd, ".", see_successor, &s);
        if (rc < 0 && s.sight.finding != FOUND_KEPT)
            s.sight.finding = judging_failure(j, -rc);
    }
    judging_tell(j, unit, &s.sight, s.name);
}
