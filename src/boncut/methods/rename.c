#include "boncut/methods/rename.h"

#include <stdio.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/names.h"

int rename_begin(struct work *w)
{
    char name[LAYOUT_NAME];
    int rc = names_begin(w, 2);
    for (uint32_t unit = 0; rc == 0 && unit < w->header->units; unit++) {
        layout_version_name(name, unit, 0);
        rc = names_make_file(w, w->fd, name, unit, 1, 0, w->first_sync);
    }
    return rc;
}

int rename_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char from[LAYOUT_NAME];
    char to[LAYOUT_NAME];
    bool is_odd = versions[0] % 2;
    int from_fd = is_odd ? w->fd : w->other_fd;
    int to_fd = is_odd ? w->other_fd : w->fd;
    layout_version_name(from, unit, versions[0] - 1);
    layout_version_name(to, unit, versions[0]);
    int rc = work_called(w, "rename", renameat(from_fd, from, to_fd, to));
    if (rc == 0)
        rc = names_sync(w, to_fd);
    return rc == 0 ? names_sync(w, from_fd) : rc;
}

void rename_judge(struct judging *j, unsigned worker)
{
    static const struct names_rule rule = {.sides = 2, .leaves_none = true, .has_contents = true};
    names_judge(j, worker, &rule);
}
