#include "bonload/targets/workspace.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

int workspace_open(struct workspace *w, const struct names *names, size_t bytes, struct err *e)
{
    size_t size = round_up(bytes > 0 ? bytes : 1, WORKSPACE_ALIGNMENT);
    *w = (struct workspace){.buffer = aligned_alloc(WORKSPACE_ALIGNMENT, size),
                            .name = malloc(names->longest + 1),
                            .other_name = malloc(names->longest + 1)};
    if (w->buffer && w->name && w->other_name)
        return 0;
    workspace_close(w);
    return err_system(e, ENOMEM, "memory for the requests of a thread");
}

void workspace_close(struct workspace *w)
{
    free(w->buffer);
    free(w->name);
    free(w->other_name);
}
