#include "boncut/methods/create.h"

#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/names.h"

int create_begin(struct work *w)
{
    return names_begin(w, 1);
}

int create_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    int rc = names_forget(w, unit, versions[0], 0);
    layout_version_name(name, unit, versions[0]);
    if (rc == 0)
        rc = names_make_file(w, w->fd, name, unit, 1, versions[0], fsync);
    return rc == 0 ? names_sync(w, w->fd) : rc;
}

void create_judge(struct judging *j, unsigned worker)
{
    static const struct names_rule rule = {.sides = 1, .has_contents = true, .has_version = true};
    names_judge(j, worker, &rule);
}
