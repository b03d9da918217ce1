#include <string.h>

#include "io/engine.h"

extern const struct engine_ops engine_sync;
extern const struct engine_ops engine_libaio;
extern const struct engine_ops engine_io_uring;
extern const struct engine_ops engine_null;

/* An engine that this build lacks keeps its row, and says why it cannot be used. */
#ifndef HAVE_LIBAIO
static int no_libaio(struct err *e)
{
    return err_say(e, "this build lacks libaio (the header libaio.h was not found)");
}

const struct engine_ops engine_libaio = {.name = "libaio",
                                         .summary = "Linux native asynchronous I/O",
                                         .capabilities =
                                             ENGINE_QUEUES | ENGINE_STORES | ENGINE_NEEDS_DIRECT,
                                         .available = no_libaio};
#endif

#ifndef HAVE_LIBURING
static int no_io_uring(struct err *e)
{
    return err_say(e, "this build lacks liburing (version 2.2 or later was not found)");
}

const struct engine_ops engine_io_uring = {.name = "io_uring",
                                           .summary = "rings shared with the kernel",
                                           .capabilities = ENGINE_QUEUES | ENGINE_STORES,
                                           .available = no_io_uring};
#endif

const struct engine_ops *const engine_table[] = {
    &engine_sync, &engine_libaio, &engine_io_uring, &engine_null, NULL,
};

const struct engine_ops *engine_by_name(const char *name)
{
    const struct engine_ops *const *engine = engine_table;
    while (*engine && strcmp((*engine)->name, name) != 0)
        engine++;
    return *engine;
}
