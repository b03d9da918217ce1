#include "boncut/methods/tail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/*
 * Sets *last to the highest number of the tail's files that exist. Returns false when there is
 * none.
 */
static bool last_file(const struct judging *j, unsigned worker, uint64_t *last)
{
    bool is_there = false;
    uint64_t number;
    int fd = openat(j->directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory) {
        descriptor_close(&fd);
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!layout_parse_tail(entry->d_name, j->method, worker, &number))
            continue;
        *last = is_there && *last > number ? *last : number;
        is_there = true;
    }
    closedir(directory);
    return is_there;
}

/*
 * Examines the tail's file that contains `version`, up to the block with that version. Stores the
 * file's name in `name`.
 */
static void look_at_tail(struct judging *j, unsigned worker, uint64_t version, struct sight *s,
                         char name[LAYOUT_NAME])
{
    uint64_t number = file_of(j->header, version);
    uint64_t blocks = block_of(j->header, version) + 1;
    layout_tail_name(name, j->method, worker, number);
    int fd = judging_open(j, j->directory_fd, name);
    *s = (struct sight){.finding = fd < 0 ? FOUND_MISSING : FOUND_KEPT};
    for (uint64_t block = 0; s->finding == FOUND_KEPT && block < blocks; block++)
        contents_look(j, fd, layout_stamp(j->method, worker, number + 1), block, 1,
                      number * j->header->units + block + 1, s);
    descriptor_close(&fd);
}

void tail_judge(struct judging *j, unsigned worker)
{
    char name[LAYOUT_NAME];
    uint32_t unit = worker * header_units_of_worker(j->header, j->method) + j->header->units;
    uint64_t promised = ledger_promise(j->ledger, j->method, unit)->version;
    uint64_t last = 0;
    struct sight sight;
    if (promised == 0)
        return;
    look_at_tail(j, worker, promised, &sight, name);
    if (sight.finding == FOUND_MISSING && last_file(j, worker, &last) &&
        last > file_of(j->header, promised))
        look_at_tail(j, worker, last * j->header->units + 1, &sight, name);
    judging_tell(j, unit, &sight, name);
}
