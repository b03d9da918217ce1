#include "run/rounds.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Number of snapshots: at the ends of all rounds of a window, at the end of the round before it,
 * and one as scratch space.
 */
#define LOOKS (STEADY_WINDOW + 2)

/* The state at the end of a round. Before the first round it is all zeros. */
struct round_look {
    struct section section;
    struct op_stats stats;
};

static struct round_look *look_after(const struct rounds *r, unsigned rounds)
{
    return &r->looks[rounds % LOOKS];
}

int rounds_open(struct rounds *r, struct err *e)
{
    r->list = calloc(r->most, sizeof *r->list);
    r->looks = calloc(LOOKS, sizeof *r->looks);
    if (r->list && r->looks)
        return 0;
    rounds_close(r);
    return err_system(e, ENOMEM, "memory for %u rounds", r->most);
}

void rounds_close(struct rounds *r)
{
    free(r->list);
    free(r->looks);
    *r = (struct rounds){0};
}

/* Notes what the last round did. Uses the next snapshot's place for computing that. */
static void note_round(struct rounds *r)
{
    struct round_look *before = look_after(r, r->count);
    struct round_look *now = look_after(r, r->count + 1);
    struct op_stats *counted = &look_after(r, r->count + 2)->stats;
    now->section = *r->section;
    shared_stats_sum(r->stats, &now->stats);
    op_stats_subtract(counted, &now->stats, &before->stats);
    r->list[r->count++] = round_of(counted, before->section.elapsed_ns, now->section.elapsed_ns);
}

static void judge_window(struct rounds *r)
{
    double figures[STEADY_WINDOW];
    for (unsigned i = 0; i < STEADY_WINDOW; i++)
        figures[i] = round_figure(&r->list[r->count - STEADY_WINDOW + i], r->metric);
    r->is_steady = steady_judge(&r->fit, figures);
}

bool rounds_end(struct rounds *r)
{
    note_round(r);
    if (r->count >= STEADY_WINDOW)
        judge_window(r);
    return !r->is_steady && r->count < r->most;
}

void rounds_window(const struct rounds *r, struct section *section, struct op_stats *stats)
{
    unsigned first = r->count > STEADY_WINDOW ? r->count - STEADY_WINDOW : 0;
    const struct round_look *before = look_after(r, first);
    const struct round_look *now = look_after(r, r->count);
    section_subtract(section, &now->section, &before->section);
    op_stats_subtract(stats, &now->stats, &before->stats);
}
