#include "boncut/methods/mkdir.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/names.h"
#include "util/descriptor.h"

int mkdir_begin(struct work *w)
{
    return names_begin(w, 1);
}

int mkdir_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    int rc = names_forget(w, unit, versions[0], AT_REMOVEDIR);
    layout_version_name(name, unit, versions[0]);
    int fd = rc == 0 ? work_make_directory(w, w->fd, name) : rc;
    if (fd < 0)
        return fd;
    rc = names_sync(w, fd);
    descriptor_close(&fd);
    return rc == 0 ? names_sync(w, w->fd) : rc;
}

void mkdir_judge(struct judging *j, unsigned worker)
{
    static const struct names_rule rule = {.sides = 1};
    names_judge(j, worker, &rule);
}
