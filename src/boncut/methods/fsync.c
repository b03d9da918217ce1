#include "boncut/methods/fsync.h"

#include <unistd.h>

#include "boncut/methods/blocks.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/tail.h"

int fsync_begin(struct work *w)
{
    return blocks_begin(w, 0);
}

/* The unit after the blocks is the tail. The sync promises its contents and its size. */
static int change_unit(struct work *w, uint32_t unit, uint64_t version, const char *call,
                       int (*sync)(int fd))
{
    if (unit == w->header->units)
        return tail_append(w, version, call, sync);
    int rc = blocks_write(w, unit, version, 0);
    return rc == 0 ? work_called(w, call, sync(w->fd)) : rc;
}

int fsync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return change_unit(w, unit, versions[0], "fsync", fsync);
}

int fdatasync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return change_unit(w, unit, versions[0], "fdatasync", fdatasync);
}

void fsync_end(struct work *w)
{
    tail_end(w);
    blocks_end(w);
}

void fsync_judge(struct judging *j, unsigned worker)
{
    blocks_judge(j, worker);
    tail_judge(j, worker);
}
