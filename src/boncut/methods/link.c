#include "boncut/methods/link.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/names.h"
#include "util/descriptor.h"

/* All links of a unit lead to one file, whose name is the unit's number. */
int link_begin(struct work *w)
{
    char name[LAYOUT_NAME];
    int rc = names_begin(w, 1);
    for (uint32_t unit = 0; rc == 0 && unit < w->header->units; unit++) {
        layout_unit_name(name, unit);
        rc = names_make_file(w, w->fd, name, unit, 1, 0, w->first_sync);
    }
    return rc;
}

static int sync_file(struct work *w, const char *name)
{
    int fd = openat(w->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = work_called(w, "open", fd);
    if (rc == 0)
        rc = work_called(w, "fsync", fsync(fd));
    descriptor_close(&fd);
    return rc;
}

int link_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char target[LAYOUT_NAME];
    char name[LAYOUT_NAME];
    int rc = names_forget(w, unit, versions[0], 0);
    layout_unit_name(target, unit);
    layout_version_name(name, unit, versions[0]);
    if (rc == 0)
        rc = work_called(w, "link", linkat(w->fd, target, w->fd, name, 0));
    if (rc == 0)
        rc = sync_file(w, name);
    return rc == 0 ? names_sync(w, w->fd) : rc;
}

void link_judge(struct judging *j, unsigned worker)
{
    static const struct names_rule rule = {.sides = 1, .has_contents = true};
    names_judge(j, worker, &rule);
}
