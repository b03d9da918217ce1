#include "boncut/methods/unlink.h"

#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/names.h"

int unlink_begin(struct work *w)
{
    return names_begin(w, 1);
}

/* Makes the name durable before it removes it: otherwise no cut could bring the name back. */
int unlink_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    layout_version_name(name, unit, versions[0]);
    int rc = names_make_file(w, w->fd, name, unit, 1, versions[0], NULL);
    if (rc == 0)
        rc = names_sync(w, w->fd);
    if (rc == 0)
        rc = work_called(w, "unlink", unlinkat(w->fd, name, 0));
    return rc == 0 ? names_sync(w, w->fd) : rc;
}

void unlink_judge(struct judging *j, unsigned worker)
{
    static const struct names_rule rule = {.sides = 1, .is_absent = true};
    names_judge(j, worker, &rule);
}
