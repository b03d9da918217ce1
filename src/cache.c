#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int cache_evict_file(int fd, const char *name, struct err *e)
{
    /* Only clean pages can be dropped. */
    if (fsync(fd) != 0)
        return err_system(e, errno, "fsync %s", name);
    int code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (code != 0)
        return err_system(e, code, "evict %s from the cache", name);
    return 0;
}
