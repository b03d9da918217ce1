#include "bonload/ledger/written.h"

#include <errno.h>
#include <stdlib.h>

#include "util/rng.h"

/* Flag in a channel's entry: the channel is about to take this number or a higher one. */
#define TAKING (UINT64_C(1) << 63)

/*
 * Number of failed draws after which almost all writes must be failures. Then the last good number
 * is used.
 */
#define MOST_DRAWS 4096

/*
 * Room for names that a second or later round makes, which happens when one write overtakes
 * another.
 */
#define MADE_LATER 16384

int written_open(struct written *w, unsigned channels, struct err *e)
{
    *w = (struct written){.channels = channels};
    w->in_flight = calloc(channels + 1, sizeof *w->in_flight);
    bool has_room = exceptions_open(&w->left_out) && exceptions_open(&w->not_made) &&
                    number_set_open(&w->made_later, MADE_LATER);
    if (w->in_flight && has_room)
        return 0;
    written_close(w);
    return err_system(e, ENOMEM, "memory for what has been written");
}

void written_close(struct written *w)
{
    free(w->in_flight);
    exceptions_close(&w->left_out);
    exceptions_close(&w->not_made);
    number_set_close(&w->made_later);
    *w = (struct written){0};
}

uint64_t written_begin(struct written *w, unsigned channel)
{
    atomic_store(&w->in_flight[channel], (atomic_load(&w->issued) + 1) | TAKING);
    uint64_t number = atomic_fetch_add(&w->issued, 1) + 1;
    atomic_store(&w->in_flight[channel], number);
    return number;
}

uint64_t written_take(struct written *w, uint64_t count)
{
    return atomic_fetch_add_explicit(&w->issued, count, memory_order_relaxed) + 1;
}

static void number_raise(_Atomic uint64_t *highest, uint64_t number)
{
    uint64_t seen = atomic_load_explicit(highest, memory_order_relaxed);
    while (seen < number && !atomic_compare_exchange_weak(highest, &seen, number))
        continue;
}

void written_leave_out(struct written *w, uint64_t number)
{
    exceptions_note(&w->left_out, number);
}

void written_end(struct written *w, unsigned channel, uint64_t number, bool ok)
{
    if (ok) {
        number_raise(&w->last_ok, number);
        atomic_fetch_add(&w->ok_count, 1);
    } else {
        written_leave_out(w, number);
    }
    atomic_store(&w->in_flight[channel], 0);
}

/* Whether a write with that number may be in flight. Also raises w->settled. */
static bool may_be_in_flight(struct written *w, uint64_t number)
{
    if (number <= atomic_load_explicit(&w->settled, memory_order_relaxed))
        return false;
    uint64_t lowest = atomic_load(&w->issued) + 1;
    bool found = false;
    for (unsigned i = 0; i < w->channels; i++) {
        uint64_t place = atomic_load(&w->in_flight[i]);
        uint64_t taken = place & ~TAKING;
        if (place == 0)
            continue;
        found = found || (place & TAKING ? number >= taken : number == taken);
        if (taken < lowest)
            lowest = taken;
    }
    number_raise(&w->settled, lowest - 1);
    return found;
}

bool written_has(const struct written *w, uint64_t number)
{
    return number > atomic_load(&w->removed) && number <= atomic_load(&w->issued) &&
           !exceptions_may_have(&w->left_out, number);
}

uint64_t written_pick(struct written *w, uint64_t random)
{
    struct rng rng;
    uint64_t removed = atomic_load(&w->removed);
    uint64_t last = atomic_load(&w->last_ok);
    if (last <= removed)
        return last;
    rng_init(&rng, random, 0);
    for (int draws = 0; draws < MOST_DRAWS; draws++) {
        uint64_t number = removed + rng_below(&rng, last - removed) + 1;
        if (!may_be_in_flight(w, number) && !exceptions_may_have(&w->left_out, number))
            return number;
    }
    return last;
}

uint64_t written_take_oldest(struct written *w)
{
    uint64_t removed = atomic_load(&w->removed);
    for (;;) {
        uint64_t oldest = removed + 1;
        if (oldest > atomic_load(&w->last_ok) || may_be_in_flight(w, oldest))
            return 0;
        bool is_there = !exceptions_may_have(&w->left_out, oldest);
        if (atomic_compare_exchange_strong(&w->removed, &removed, oldest)) {
            if (is_there)
                return oldest;
            removed = oldest;
        }
    }
}

/* The lowest number that has the same name as `number`. */
static uint64_t first_of_name(uint64_t number, uint64_t period)
{
    return period > 0 ? (number - 1) % period + 1 : number;
}

void written_note_file(struct written *w, uint64_t number, uint64_t period, bool made)
{
    uint64_t first = first_of_name(number, period);
    if (number == first && !made)
        exceptions_note(&w->not_made, number);
    if (number > first && made)
        number_set_add(&w->made_later, first);
}

bool made_open(struct made *m, uint64_t period)
{
    m->period = period;
    return number_set_open(&m->ours, EXCEPTION_SINGLES) &&
           number_set_open(&m->strange, EXCEPTION_SINGLES);
}

void made_close(struct made *m)
{
    number_set_close(&m->ours);
    number_set_close(&m->strange);
}

static void note_name(struct made *m, struct number_set *s, uint64_t number)
{
    if (!number_set_add(s, first_of_name(number, m->period)))
        atomic_fetch_add(&m->unknown, 1);
}

void made_note(struct made *m, uint64_t number)
{
    if (m)
        note_name(m, &m->ours, number);
}

void made_rename(struct made *m, uint64_t from, uint64_t to)
{
    if (!m)
        return;
    bool is_ours = number_set_has(&m->ours, first_of_name(from, m->period));
    note_name(m, is_ours ? &m->ours : &m->strange, to);
}
