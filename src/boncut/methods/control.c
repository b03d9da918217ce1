#include "boncut/methods/control.h"

#include <fcntl.h>

#include "boncut/layout.h"
#include "boncut/methods/blocks.h"
#include "boncut/methods/contents.h"
#include "util/descriptor.h"

int cached_begin(struct work *w)
{
    return blocks_begin(w, 0);
}

int drive_begin(struct work *w)
{
    return blocks_begin(w, O_DIRECT);
}

int control_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    uint64_t write = versions[0];
    uint32_t block = (uint32_t)((write - 1) % CONTROL_GROUPS) * CONTROL_BATCH;
    (void)unit;
    return contents_write(w, w->fd, layout_stamp(w->method, w->worker, 0), block, CONTROL_BATCH,
                          control_version(write, block), 0);
}

/* Number of the last write that something else may have made durable. */
static uint64_t durable_writes(const struct judging *j)
{
    return j->method == method_cached ? j->ledger->cached_from : 0;
}

void control_judge(struct judging *j, unsigned worker)
{
    char name[LAYOUT_NAME];
    struct sight sight;
    struct control_tally *t = &j->findings->controls[j->method];
    uint64_t writes = ledger_promise(j->ledger, j->method, 0)->version;
    uint64_t durable = durable_writes(j);
    layout_worker_name(name, j->method, worker);
    int fd = judging_open(j, j->directory_fd, name);
    for (uint32_t block = 0; fd >= 0 && durable < writes && block < CONTROL_BLOCKS; block++) {
        uint64_t version = control_version(writes, block);
        if (version == control_version(durable, block))
            continue;
        contents_look(j, fd, layout_stamp(j->method, worker, 0), block, 1, version, &sight);
        t->blocks += sight.finding == FOUND_KEPT || sight.finding == FOUND_LOST;
        t->lost += sight.finding == FOUND_LOST;
    }
    descriptor_close(&fd);
}
