#include "boncut/methods/blocks.h"

#include <fcntl.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "util/descriptor.h"

uint32_t blocks_of(const struct header *h, unsigned method)
{
    return methods[method].is_control ? CONTROL_BLOCKS : h->units;
}

int blocks_write(struct work *w, uint32_t block, uint64_t version, int flags)
{
    return contents_write(w, w->fd, layout_stamp(w->method, w->worker, 0), block, 1, version,
                          flags);
}

static int fill_file(struct work *w, int fd)
{
    uint32_t blocks = blocks_of(w->header, w->method);
    uint64_t stamp = layout_stamp(w->method, w->worker, 0);
    int rc = 0;
    for (uint32_t block = 0; rc == 0 && block < blocks; block += METHOD_BUFFER) {
        uint32_t left = blocks - block;
        rc = contents_write(w, fd, stamp, block, left < METHOD_BUFFER ? left : METHOD_BUFFER, 0, 0);
    }
    return rc == 0 && w->first_sync ? work_called(w, "fsync", w->first_sync(fd)) : rc;
}

int blocks_begin(struct work *w, int flags)
{
    char name[LAYOUT_NAME];
    layout_worker_name(name, w->method, w->worker);
    int fd = work_create(w, w->directory_fd, name, 0);
    int rc = fd < 0 ? fd : fill_file(w, fd);
    descriptor_close(&fd);
    if (rc != 0)
        return rc;
    w->fd = openat(w->directory_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags);
    return work_called(w, "open", w->fd);
}

void blocks_end(struct work *w)
{
    descriptor_close(&w->fd);
}

static void note_overwrite(struct overwrites *o, const struct sight *s, uint64_t promised)
{
    if (s->finding != FOUND_KEPT || s->newest <= promised)
        return;
    o->under_way++;
    o->torn += s->torn_at > 0;
    if (s->torn_at > 0 && (o->torn_at == 0 || s->torn_at < o->torn_at))
        o->torn_at = s->torn_at;
}

void blocks_judge(struct judging *j, unsigned worker)
{
    char name[LAYOUT_NAME];
    struct sight sight;
    uint32_t first = worker * header_units_of_worker(j->header, j->method);
    layout_worker_name(name, j->method, worker);
    int fd = judging_open(j, j->directory_fd, name);
    for (uint32_t block = 0; block < j->header->units; block++) {
        uint64_t promised = ledger_promise(j->ledger, j->method, first + block)->version;
        if (promised == 0)
            continue;
        if (fd < 0) {
            judging_tell_finding(j, first + block, judging_failure(j, -fd), name);
            continue;
        }
        contents_look(j, fd, layout_stamp(j->method, worker, 0), block, 1, promised, &sight);
        note_overwrite(&j->findings->overwrites, &sight, promised);
        judging_tell(j, first + block, &sight, name);
    }
    descriptor_close(&fd);
}
