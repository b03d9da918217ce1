// SPDX-License-Identifier: GPL-2.0-or-later
#include "io/engine.h"

#define DEFAULT_IODEPTH 32

const char *const engine_words[] = {"sync", "libaio", "io_uring", "null", NULL};

int engine_choose(const char *name, uint64_t wanted_depth, const struct engine_ops **engine,
                  unsigned *depth, struct err *e)
{
    *engine = engine_by_name(name ? name : DEFAULT_ENGINE);
    bool queues = (*engine)->capabilities & ENGINE_QUEUES;
    *depth = wanted_depth > 0 ? (unsigned)wanted_depth : queues ? DEFAULT_IODEPTH : 1;
    if (*depth == 1 || queues)
        return 0;
    return err_say(e,
                   "--iodepth: the engine %s keeps one operation in flight; libaio and io_uring "
                   "keep %u (--engine)",
                   (*engine)->name, *depth);
}

static bool is_available(const struct engine_ops *engine, struct err *reason)
{
    if (engine->lacks)
        err_say(reason, "this build lacks %s", engine->lacks);
    return !engine->lacks && (!engine->available || engine->available(reason) == 0);
}

int engine_check(const struct engine_ops *engine, struct err *e)
{
    struct err reason = {0};
    bool is_good = is_available(engine, &reason);
    return is_good ? 0 : err_say(e, "--engine=%s: %s", engine->name, reason.text);
}

void engine_print_all(FILE *out)
{
    for (const struct engine_ops *const *engine = engine_table; *engine; engine++) {
        struct err reason = {0};
        fprintf(out, "%-9s %s\n", (*engine)->name, (*engine)->summary);
        if (!is_available(*engine, &reason))
            fprintf(out, "%-9s cannot be used here: %s\n", "", reason.text);
    }
}

extern const struct engine_ops engine_sync, engine_libaio, engine_io_uring, engine_null;

/* An engine that this build lacks keeps its row, and says why it cannot be used. */
#ifndef HAVE_LIBAIO
const struct engine_ops engine_libaio = {
    .name = "libaio",
    .summary = "Linux native asynchronous I/O",
    .capabilities = ENGINE_QUEUES | ENGINE_STORES | ENGINE_NEEDS_DIRECT,
    .lacks = "libaio (the header libaio.h was not found)",
};
#endif

#ifndef HAVE_LIBURING
const struct engine_ops engine_io_uring = {
    .name = "io_uring",
    .summary = "rings shared with the kernel",
    .capabilities = ENGINE_QUEUES | ENGINE_STORES,
    .lacks = "liburing (version 2.2 or later was not found)",
};
#endif

const struct engine_ops *const engine_table[] = {
    &engine_sync, &engine_libaio, &engine_io_uring, &engine_null, NULL,
};
_Static_assert(sizeof engine_words == sizeof engine_table, "a word for each engine");

const struct engine_ops *engine_by_name(const char *name)
{
    const struct engine_ops *const *engine = engine_table;
    while (*engine && strcmp((*engine)->name, name) != 0)
        engine++;
    return *engine;
}
