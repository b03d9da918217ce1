#include "io/engine_choice.h"

#include <inttypes.h>

#define DEFAULT_IODEPTH 32

const char *const engine_words[] = {"sync", "libaio", "io_uring", "null", "help", NULL};

int engine_choose(const char *name, uint64_t wanted_depth, const struct engine_ops **engine,
                  unsigned *depth, struct err *e)
{
    *engine = engine_by_name(name ? name : DEFAULT_ENGINE);
    bool queues = (*engine)->capabilities & ENGINE_QUEUES;
    uint64_t usual = queues ? DEFAULT_IODEPTH : 1;
    *depth = (unsigned)(wanted_depth > 0 ? wanted_depth : usual);
    if (*depth > 1 && !queues)
        return err_say(
            e,
            "--iodepth: the engine %s keeps one operation in flight; libaio and io_uring "
            "keep %u (--engine)",
            (*engine)->name, *depth);
    return 0;
}

int engine_check(const struct engine_ops *engine, struct err *e)
{
    struct err reason;
    err_init(&reason);
    if (engine->available(&reason) == 0)
        return 0;
    return err_say(e, "--engine=%s: %s", engine->name, reason.text);
}

void engine_print_all(FILE *out)
{
    for (const struct engine_ops *const *engine = engine_table; *engine; engine++) {
        struct err reason;
        err_init(&reason);
        bool works = (*engine)->available(&reason) == 0;
        fprintf(out, "%-9s %s\n", (*engine)->name, (*engine)->summary);
        if (!works)
            fprintf(out, "%-9s cannot be used here: %s\n", "", reason.text);
    }
}
