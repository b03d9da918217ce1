// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/result/aftermath.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

/* The last number whose name counts: where names recur, none counts twice. */
static uint64_t last_of(const struct run *run, uint64_t issued)
{
    uint64_t period = run->names.period;
    return period > 0 && period < issued ? period : issued;
}

/* Whether the last write of a name succeeded: where names recur, that of the last round. */
static bool was_written(const struct run *run, uint64_t number, uint64_t issued)
{
    uint64_t period = run->names.period;
    if (period > 0 && issued > period)
        number += (issued - number) / period * period;
    return written_has(&run->written, number);
}

/*
 * Names that may occur twice are dumped in parts of about DUMP_PART names, so the set of those that
 * have been dumped has a fixed size.
 */
#define DUMP_SET  262144
#define DUMP_PART (DUMP_SET / 4)

/* Whether a name, known by its hash, belongs to the part and has not been dumped yet. */
static bool is_next(struct number_set *dumped, const char *name, uint64_t part, uint64_t parts)
{
    uint64_t hash = names_hash(name, strlen(name)) | 1;
    if ((hash >> 1) % parts != part || number_set_has(dumped, hash))
        return false;
    number_set_add(dumped, hash);
    return true;
}

int aftermath_dump(const struct run *run, struct output *output, struct err *e)
{
    bool writes = plan_has(run->plan, LOAD_WRITE);
    uint64_t issued = writes ? atomic_load(&run->written.issued) : atomic_load(&run->read_numbers);
    uint64_t last = last_of(run, issued);
    bool is_unique = names_are_unique(&run->names, last);
    uint64_t parts = is_unique ? 1 : last / DUMP_PART + 1;
    struct number_set dumped = {0};
    char *name = malloc(run->names.longest + 1);
    bool has_memory = name && (is_unique || number_set_open(&dumped, DUMP_SET));
    for (uint64_t part = 0; has_memory && part < parts; part++) {
        if (part > 0)
            number_set_clear(&dumped);
        for (uint64_t number = 1; number <= last && !ferror(output->stream); number++) {
            if (writes && !was_written(run, number, issued))
                continue;
            names_format(&run->names, number, name);
            if (is_unique || is_next(&dumped, name, part, parts))
                fprintf(output->stream, "%s\n", name);
        }
    }
    number_set_close(&dumped);
    free(name);
    if (!has_memory)
        return err_system(e, ENOMEM, "memory for the names that were written");
    return output_finish(output, e);
}

/* Removes the file with a number's name. Sets *rc if that fails and the file may still be there. */
static void remove_one(const struct run *run, uint64_t number, int *rc, struct err *e)
{
    int one = run->target->remove(run->shared, number);
    if (one == 0 || one == -ENOENT || one == -ENOTDIR)
        return;
    char *name = malloc(run->names.longest + 1);
    if (name)
        names_format(&run->names, number, name);
    *rc = err_system(e, -one, "remove %s", name ? name : "what was written");
    free(name);
}

/* Removes the files that the run has made. Returns the number of names of which this is unknown. */
static uint64_t remove_made(const struct run *run, int *rc, struct err *e)
{
    const struct number_set *ours = &run->made.ours;
    for (size_t i = 0; i < ours->size; i++) {
        uint64_t number = atomic_load(&ours->places[i]);
        if (number > 0 && !number_set_has(&run->made.strange, number))
            remove_one(run, number, rc, e);
    }
    return atomic_load(&run->made.unknown) + atomic_load(&run->made.strange.count);
}

/* Removes what the run wrote and made. Returns the number of names of which this is unknown. */
static uint64_t remove_written(const struct run *run, int *rc, struct err *e)
{
    const struct exceptions *not_made = &run->written.not_made;
    uint64_t last = last_of(run, atomic_load(&run->written.issued));
    uint64_t unknown = 0;
    for (uint64_t number = 1; number <= last && *rc != -ENOTCONN; number++) {
        bool is_ours = number_set_has(&run->written.made_later, number);
        if (!is_ours && exceptions_has(not_made, number))
            continue;
        if (!is_ours && exceptions_may_have(not_made, number))
            unknown++;
        else
            remove_one(run, number, rc, e);
    }
    return unknown;
}

int aftermath_remove(const struct run *run, struct err *e)
{
    int rc = 0;
    if (!run->target->remove)
        return 0;
    uint64_t unknown =
        run->made.ours.size > 0 ? remove_made(run, &rc, e) : remove_written(run, &rc, e);
    if (unknown > 0)
        message("-cleanup: %" PRIu64 " names are not known to belong to this run, and are kept",
                unknown);
    return rc;
}
