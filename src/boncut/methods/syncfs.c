#include "boncut/methods/syncfs.h"

#include <unistd.h>

#include "boncut/methods/blocks.h"
#include "boncut/methods/contents.h"

int syncfs_begin(struct work *w)
{
    return blocks_begin(w, 0);
}

int syncfs_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < w->batch; i++)
        rc = blocks_write(w, unit + i, versions[i], 0);
    return rc == 0 ? work_called(w, "syncfs", syncfs(w->fd)) : rc;
}
