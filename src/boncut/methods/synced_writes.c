#include "boncut/methods/synced_writes.h"

#include <fcntl.h>
#include <sys/uio.h>

#include "boncut/methods/blocks.h"
#include "util/portable.h"

int dsync_begin(struct work *w)
{
    return blocks_begin(w, O_DSYNC);
}

int direct_dsync_begin(struct work *w)
{
    return blocks_begin(w, O_DIRECT | O_DSYNC);
}

int rwf_dsync_begin(struct work *w)
{
    return blocks_begin(w, 0);
}

int dsync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return blocks_write(w, unit, versions[0], 0);
}

int rwf_dsync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return blocks_write(w, unit, versions[0], RWF_DSYNC);
}
