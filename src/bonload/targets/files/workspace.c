#include "bonload/targets/files/workspace.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

int workspace_open(void **thread, size_t thread_bytes, const struct names *names, size_t bytes,
                   struct err *e)
{
    struct workspace *w = calloc(1, thread_bytes);
    if (w) {
        w->buffer = aligned_alloc(WORKSPACE_ALIGNMENT,
                                  round_up(bytes > 0 ? bytes : 1, WORKSPACE_ALIGNMENT));
        w->name = malloc(names->longest + 1);
        w->other_name = malloc(names->longest + 1);
        if (w->buffer && w->name && w->other_name) {
            *thread = w;
            return 0;
        }
        workspace_close(w);
    }
    return err_system(e, ENOMEM, "memory for the requests of a thread");
}

void workspace_close(void *thread)
{
    struct workspace *w = thread;
    free(w->buffer);
    free(w->name);
    free(w->other_name);
    free(w);
}
