#include "bonload/load/numbers.h"

#include "util/rng.h"

/* The next number for a request whose name does not matter. Takes `batch` numbers at once. */
static uint64_t next_of_batch(struct numbers *n, struct run *run, enum load_kind kind,
                              uint64_t batch)
{
    if (n->count == 0) {
        n->count = batch;
        n->next = kind == LOAD_WRITE ? written_take(&run->written, n->count)
                                     : atomic_fetch_add(&run->read_numbers, n->count) + 1;
    }
    n->count--;
    return n->next++;
}

/* Picks one of the run's writes at random, and returns its number; 0: there is none yet. */
static uint64_t pick_written(struct run *run)
{
    return written_pick(&run->written,
                        rng_mix(run->plan->rank_seed ^ atomic_fetch_add(&run->read_numbers, 1)));
}

/*
 * Numbers a request that removes. It removes the oldest object that the run wrote; in a run that
 * writes nothing, the next name. If there is no such object, the request becomes a write.
 */
static void number_removal(struct run *run, struct request *r)
{
    r->number = run->plan->puts_nothing ? atomic_fetch_add(&run->removals, 1) + 1
                                        : written_take_oldest(&run->written);
    r->removes = r->number != 0;
}

/* Numbers a request that changes one of the objects that the run wrote. */
static void number_change(struct run *run, struct request *r)
{
    r->number = pick_written(run);
    r->changes = r->number != 0;
}

static bool is_written_one_by_one(const struct run *run)
{
    return run->reads_written || !(run->target->traits & TARGET_INSTANT);
}

void numbers_give(struct numbers *n, struct run *run, struct request *r, uint64_t batch)
{
    if (r->removes)
        number_removal(run, r);
    else if (r->changes)
        number_change(run, r);
    if (r->removes || r->changes)
        return;
    if (r->kind == LOAD_WRITE && is_written_one_by_one(run))
        r->number = written_begin(&run->written, r->channel);
    else if (r->kind == LOAD_READ && run->reads_written)
        r->number = pick_written(run);
    else
        r->number = next_of_batch(n, run, r->kind, batch);
}

void numbers_settle(struct run *run, const struct request *r, uint64_t now_ns)
{
    if (r->removes || r->changes)
        return;
    if (is_written_one_by_one(run))
        written_end(&run->written, r->channel, r->number, r->failure == 0);
    else if (r->failure != 0)
        written_leave_out(&run->written, r->number);
    if (run->plan->cleanup && (run->target->traits & TARGET_FILES))
        written_note_file(&run->written, r->number, run->period, r->made);
    if (r->failure == 0 && plan_has(run->plan, LOAD_READ))
        run_tell_written(run, now_ns);
}

void numbers_leave(struct numbers *n, struct run *run, enum load_kind kind)
{
    for (; n->count > 0; n->count--)
        if (kind == LOAD_WRITE)
            written_leave_out(&run->written, n->next++);
}
