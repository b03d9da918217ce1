#include "bonload/targets/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int paths_check(struct plan *p, const struct settings *s, struct err *e)
{
    if (!s->url || !name_is_url(s->url))
        return 0;
    return err_say(e,
                   "-url is an address on the web, but -requests-engine=%s takes a path; use "
                   "-requests-engine=http",
                   p->target->name);
}

int paths_make_above(const char *path)
{
    char above[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof above)
        return -ENAMETOOLONG;
    memcpy(above, path, length + 1);
    for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(above, 0777) != 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return 0;
}

int paths_sync_above(const char *path)
{
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length + 2 > sizeof above)
        return -ENAMETOOLONG;
    memcpy(above, path, length);
    memcpy(above + length, ".", 2);
    int fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fsync(fd) == 0 ? 0 : -errno;
    close(fd);
    return rc;
}

static bool is_removed(const char *name, bool links)
{
    struct stat st;
    return lstat(name, &st) != 0 || S_ISREG(st.st_mode) || (links && S_ISLNK(st.st_mode));
}

int paths_remove(const struct names *names, uint64_t number, bool links)
{
    char *name = malloc(names->longest + 1);
    if (!name)
        return -ENOMEM;
    names_format(names, number, name);
    int rc = !is_removed(name, links) || unlink(name) == 0 || errno == ENOENT ? 0 : -errno;
    free(name);
    return rc;
}
