#include "bonload/written.h"

#include <errno.h>
#include <stdlib.h>

#include "util/rng.h"

/* In a channel's place: it is about to take a number, which will be this one or a higher one. */
#define TAKING (UINT64_C(1) << 63)

/* A set is full, so that looking for a number stays short, when this share of it is taken. */
#define FULL_PART(size) ((size) / 8 * 7)

/* After this number of draws in vain there is next to nothing but failures: the last number that is
 * known to be good is taken. */
#define MOST_DRAWS 4096

static bool set_open(struct number_set *s, size_t size)
{
    *s = (struct number_set){.size = size, .places = calloc(size, sizeof *s->places)};
    return s->places;
}

/* Adds a number; false when there is no room. */
static bool set_add(struct number_set *s, uint64_t number)
{
    if (atomic_load(&s->count) >= FULL_PART(s->size))
        return false;
    for (size_t i = rng_mix(number) & (s->size - 1);; i = (i + 1) & (s->size - 1)) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&s->places[i], &there, number)) {
            atomic_fetch_add(&s->count, 1);
            return true;
        }
        if (there == number)
            return true;
    }
}

static bool set_has(const struct number_set *s, uint64_t number)
{
    if (atomic_load_explicit(&s->count, memory_order_relaxed) == 0)
        return false;
    for (size_t i = rng_mix(number) & (s->size - 1);; i = (i + 1) & (s->size - 1)) {
        uint64_t there = atomic_load_explicit(&s->places[i], memory_order_relaxed);
        if (there == number)
            return true;
        if (there == 0)
            return false;
    }
}

int written_open(struct written *w, unsigned channels, struct err *e)
{
    *w = (struct written){.channels = channels, .left_out = UINT64_MAX};
    w->in_flight = calloc(channels + 1, sizeof *w->in_flight);
    bool has_room = set_open(&w->singles, WRITTEN_SINGLES) && set_open(&w->blocks, WRITTEN_BLOCKS);
    if (w->in_flight && has_room)
        return 0;
    written_close(w);
    return err_system(e, ENOMEM, "memory for what has been written");
}

void written_close(struct written *w)
{
    free(w->in_flight);
    free(w->singles.places);
    free(w->blocks.places);
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

static void raise_to(_Atomic uint64_t *highest, uint64_t number)
{
    uint64_t seen = atomic_load_explicit(highest, memory_order_relaxed);
    while (seen < number && !atomic_compare_exchange_weak(highest, &seen, number))
        continue;
}

static void lower_to(_Atomic uint64_t *lowest, uint64_t number)
{
    uint64_t seen = atomic_load_explicit(lowest, memory_order_relaxed);
    while (seen > number && !atomic_compare_exchange_weak(lowest, &seen, number))
        continue;
}

static uint64_t block_of(uint64_t number)
{
    return number / WRITTEN_BLOCK + 1;
}

void written_leave_out(struct written *w, uint64_t number)
{
    if (set_add(&w->singles, number) || set_add(&w->blocks, block_of(number)))
        return;
    lower_to(&w->left_out, number / WRITTEN_BLOCK * WRITTEN_BLOCK);
}

void written_end(struct written *w, unsigned channel, uint64_t number, bool ok)
{
    if (ok) {
        raise_to(&w->last_ok, number);
        atomic_fetch_add(&w->ok_count, 1);
    } else {
        written_leave_out(w, number);
    }
    atomic_store(&w->in_flight[channel], 0);
}

/* True when a write of that number may be under way; notes up to where none is. */
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
    raise_to(&w->settled, lowest - 1);
    return found;
}

static bool is_left_out(const struct written *w, uint64_t number)
{
    return number >= atomic_load_explicit(&w->left_out, memory_order_relaxed) ||
           set_has(&w->singles, number) || set_has(&w->blocks, block_of(number));
}

bool written_has(const struct written *w, uint64_t number)
{
    return number > atomic_load(&w->removed) && number <= atomic_load(&w->issued) &&
           !is_left_out(w, number);
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
        if (!is_left_out(w, number) && !may_be_in_flight(w, number))
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
        bool is_there = !is_left_out(w, oldest);
        if (atomic_compare_exchange_strong(&w->removed, &removed, oldest)) {
            if (is_there)
                return oldest;
            removed = oldest;
        }
    }
}
