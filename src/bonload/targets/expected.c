#include "bonload/targets/expected.h"

#include <string.h>

static void expect_write(struct expected *x, const struct target_setup *setup, uint64_t number)
{
    x->body.given =
        setup->bodies ? bodies_of(setup->bodies, names_number(setup->names, number)) : NULL;
    x->size = x->body.given ? x->body.given->size : sizes_of(setup->sizes, number);
    /* the number among all ranks: the contents are those that a single process would write */
    x->body.generation = body_generation(stripe_number(&setup->plan->stripe, number), x->size);
    x->is_judged = true;
}

void expected_of_write(struct expected *x, const struct target_setup *setup, const char *name,
                       uint64_t number)
{
    x->body.object = names_hash(name, strlen(name));
    expect_write(x, setup, number);
}

/*
 * Whether the write with that number has the name that is being read. `other` has room for a name.
 */
static bool has_this_name(const struct target_setup *setup, const char *name, uint64_t number,
                          char *other)
{
    names_format(setup->names, number, other);
    return strcmp(name, other) == 0;
}

void expected_of_read(struct expected *x, const struct target_setup *setup, const char *name,
                      uint64_t number, char *other)
{
    x->body.object = names_hash(name, strlen(name));
    x->body.generation = PATTERN_ANY;
    x->body.given = NULL;
    x->size = UINT64_MAX;
    x->is_judged = false;
    x->damage = CORRUPTION_NONE;
    if (setup->versions->places)
        x->version = versions_look(setup->versions, x->body.object);
    if (!plan_reads_written(setup->plan)) {
        if (setup->bodies)
            expect_write(x, setup, number);
        x->is_judged = setup->plan->verify != VERIFY_OFF;
    } else if (!setup->versions->places ||
               names_are_unique(setup->names, atomic_load(&setup->written->issued))) {
        expect_write(x, setup, number);
    } else {
        uint64_t last = x->version.last;
        if (x->version.is_quiet && last > 0 &&
            (last == number || has_this_name(setup, name, last, other)))
            expect_write(x, setup, last);
    }
}

bool expected_is_overlapped(const struct expected *x, const struct target_setup *setup)
{
    return setup->versions->places &&
           versions_changed(setup->versions, x->body.object, &x->version);
}

void expected_look(struct expected *x, const struct plan *plan, const struct pattern *pattern,
                   uint64_t offset, const void *part, size_t length)
{
    if (x->is_judged && x->damage == CORRUPTION_NONE && plan->verify != VERIFY_OFF)
        x->damage =
            body_check(pattern, plan->verify, &x->body, offset, part, length, &x->checked_bytes);
}

uint32_t expected_verdict(const struct expected *x, const struct target_setup *setup,
                          uint64_t bytes)
{
    if (!x->is_judged || expected_is_overlapped(x, setup))
        return 0;
    uint64_t size = x->size;
    if (size == UINT64_MAX && x->body.generation != PATTERN_ANY)
        size = body_size(x->body.generation);
    if (size != UINT64_MAX && bytes < size)
        return failure_of(STEP_SHORT, 0);
    if (x->damage != CORRUPTION_NONE || (size != UINT64_MAX && bytes > size))
        return failure_of(STEP_DAMAGED, 0);
    return 0;
}
