#include "cache.h"

#include <fcntl.h>

#include "io.h"

int cache_evict_file(int fd, const char *name, struct err *e)
{
    const struct io_file file = {.fd = fd, .name = name};
    int rc = io_sync(&file, e); /* only clean pages can be dropped */
    if (rc != 0)
        return rc;
    int code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (code != 0)
        return err_system(e, code, "evict %s from the cache", name);
    return 0;
}
