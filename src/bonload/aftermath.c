#include "bonload/aftermath.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Number of names that were used: where they begin again, no name is told twice. */
static uint64_t last_of(const struct run *run, uint64_t issued)
{
    uint64_t period = names_period(&run->names);
    return period > 0 && period < issued ? period : issued;
}

/*
 * Whether the write that used a name last was successful. Where names were used again and again,
 * the failures that count are those of the last round.
 */
static bool was_written(const struct run *run, uint64_t number, uint64_t issued)
{
    uint64_t period = names_period(&run->names);
    if (period > 0 && issued > period)
        number += (issued - number) / period * period;
    return written_has(&run->written, number);
}

int aftermath_dump(const struct run *run, struct output *output, struct err *e)
{
    bool writes = plan_has(run->plan, LOAD_WRITE);
    uint64_t issued = writes ? atomic_load(&run->written.issued) : atomic_load(&run->read_numbers);
    char *name = malloc(run->names.longest + 1);
    if (!name)
        return err_system(e, ENOMEM, "memory for a name");
    uint64_t last = last_of(run, issued);
    for (uint64_t number = 1; number <= last && !ferror(output->stream); number++) {
        if (writes && !was_written(run, number, issued))
            continue;
        names_format(&run->names, number, name);
        fputs(name, output->stream);
        fputc('\n', output->stream);
    }
    free(name);
    return output_finish(output, e);
}

static int describe_removal(const struct run *run, uint64_t number, int code, struct err *e)
{
    char *name = malloc(run->names.longest + 1);
    if (name)
        names_format(&run->names, number, name);
    int rc = err_system(e, code, "remove %s", name ? name : "what was written");
    free(name);
    return rc;
}

int aftermath_remove(const struct run *run, struct err *e)
{
    uint64_t written = atomic_load(&run->written.issued);
    uint64_t last = last_of(run, written);
    int rc = 0;
    if (!run->target->remove)
        return 0;
    for (uint64_t number = 1; rc != -ENOTCONN && number <= last; number++) {
        int one = run->target->remove(run->shared, number);
        if (one != 0 && one != -ENOENT && one != -ENOTDIR)
            rc = describe_removal(run, number, -one, e);
    }
    return rc;
}
