// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/ledger/written.h"

#include "util/rng.h"

/* Exceptions are stored one by one in up to 1 MiB, later ones as blocks of numbers that count as a
 * whole. When no more blocks fit, every number from the start of the next one on counts. */
#define EXCEPTION_SINGLES 131072
#define EXCEPTION_BLOCKS  16384
#define EXCEPTION_BLOCK   1024

/* Which write a name holds, if names recur: entries, which names may share, count the writes that
 * began and ended, and hold the number of the last one if no other overlapped it. */
#define VERSION_PLACES 65536

bool number_set_open(struct number_set *s, size_t size)
{
    *s = (struct number_set){.size = size, .places = calloc(size, sizeof *s->places)};
    return s->places;
}

void number_set_close(struct number_set *s)
{
    free(s->places);
    *s = (struct number_set){0};
}

bool number_set_add(struct number_set *s, uint64_t number)
{
    if (atomic_load(&s->count) >= s->size / 8 * 7) /* a fuller set would be searched slowly */
        return number_set_has(s, number);
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

bool number_set_has(const struct number_set *s, uint64_t number)
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

static bool exceptions_open(struct exceptions *x)
{
    x->from = UINT64_MAX;
    return number_set_open(&x->singles, EXCEPTION_SINGLES) &&
           number_set_open(&x->blocks, EXCEPTION_BLOCKS);
}

static void exceptions_note(struct exceptions *x, uint64_t number)
{
    uint64_t block = number / EXCEPTION_BLOCK; /* which the set has by the number that follows */
    if (number_set_add(&x->singles, number) || number_set_add(&x->blocks, block + 1))
        return;
    uint64_t from = block * EXCEPTION_BLOCK;
    uint64_t seen = atomic_load_explicit(&x->from, memory_order_relaxed);
    while (seen > from && !atomic_compare_exchange_weak(&x->from, &seen, from))
        continue;
}

bool exceptions_may_have(const struct exceptions *x, uint64_t number)
{
    return number >= atomic_load_explicit(&x->from, memory_order_relaxed) ||
           number_set_has(&x->singles, number) ||
           number_set_has(&x->blocks, number / EXCEPTION_BLOCK + 1);
}

/* A record of the last write has its number in the lowest NUMBER_BITS bits, and above these the
 * number of writes that had begun by then, which exposes a record that was stored too late. */
#define NUMBER_BITS 40
#define MAX_NUMBER  ((UINT64_C(1) << NUMBER_BITS) - 1)
#define ONE_BEGUN   (UINT64_C(1) << 32)

/* Those that have ended are (uint32_t)writes. */
static uint32_t writes_begun(uint64_t writes)
{
    return (uint32_t)(writes >> 32);
}

int versions_open(struct written_set *w, struct err *e)
{
    w->names = calloc(VERSION_PLACES, sizeof *w->names);
    return w->names ? 0 : err_system(e, ENOMEM, "allocate memory for what names hold");
}

uint64_t versions_begin(struct written_set *w, uint64_t hash)
{
    if (!w->names)
        return 0;
    return atomic_fetch_add(&w->names[hash % VERSION_PLACES].writes, ONE_BEGUN) + ONE_BEGUN;
}

static uint64_t note_of(uint64_t writes, uint64_t number)
{
    return (uint64_t)writes_begun(writes) << NUMBER_BITS | number;
}

void versions_end(struct written_set *w, uint64_t hash, uint64_t mine, uint64_t number, bool ok)
{
    if (!w->names)
        return;
    struct version_place *p = &w->names[hash % VERSION_PLACES];
    bool began_alone = writes_begun(mine) == (uint32_t)mine + 1;
    atomic_store(&p->last, ok && began_alone && number <= MAX_NUMBER ? note_of(mine, number) : 0);
    atomic_fetch_add(&p->writes, 1);
}

struct version versions_read(const struct written_set *w, uint64_t hash)
{
    const struct version_place *p = &w->names[hash % VERSION_PLACES];
    uint64_t writes = atomic_load(&p->writes);
    uint64_t last = atomic_load(&p->last);
    uint64_t number = last & MAX_NUMBER;
    return (struct version){
        .writes = writes,
        .last = last == note_of(writes, number) ? number : 0,
        .is_quiet = writes_begun(writes) == (uint32_t)writes,
    };
}

bool versions_changed(const struct written_set *w, uint64_t hash, const struct version *before)
{
    return !before->is_quiet ||
           writes_begun(atomic_load(&w->names[hash % VERSION_PLACES].writes)) !=
               writes_begun(before->writes);
}

#define TAKING     (UINT64_C(1) << 63) /* the channel is about to take this number or a higher one */
#define MAX_DRAWS  4096  /* after so many failed draws almost all writes must be failures */
#define MADE_LATER 16384 /* room for names that a later cycle makes when it overtakes another */

int written_open(struct written_set *w, unsigned channels, struct err *e)
{
    *w = (struct written_set){.channels = channels};
    w->in_flight = calloc(channels + 1, sizeof *w->in_flight);
    bool has_room = exceptions_open(&w->left_out) && exceptions_open(&w->not_made) &&
                    number_set_open(&w->made_later, MADE_LATER);
    if (w->in_flight && has_room)
        return 0;
    written_close(w);
    return err_system(e, ENOMEM, "allocate memory for what has been written");
}

void written_close(struct written_set *w)
{
    free(w->in_flight);
    number_set_close(&w->left_out.singles);
    number_set_close(&w->left_out.blocks);
    number_set_close(&w->not_made.singles);
    number_set_close(&w->not_made.blocks);
    number_set_close(&w->made_later);
    free(w->names);
    *w = (struct written_set){0};
}

uint64_t written_begin(struct written_set *w, unsigned channel)
{
    atomic_store(&w->in_flight[channel], (atomic_load(&w->issued) + 1) | TAKING);
    uint64_t number = atomic_fetch_add(&w->issued, 1) + 1;
    atomic_store(&w->in_flight[channel], number);
    return number;
}

static void number_raise(_Atomic uint64_t *highest, uint64_t number)
{
    uint64_t seen = atomic_load_explicit(highest, memory_order_relaxed);
    while (seen < number && !atomic_compare_exchange_weak(highest, &seen, number))
        continue;
}

void written_leave_out(struct written_set *w, uint64_t number)
{
    exceptions_note(&w->left_out, number);
}

void written_end(struct written_set *w, unsigned channel, uint64_t number, bool ok)
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
static bool may_be_in_flight(struct written_set *w, uint64_t number)
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
        lowest = MIN(lowest, taken);
    }
    number_raise(&w->settled, lowest - 1);
    return found;
}

bool written_has(const struct written_set *w, uint64_t number)
{
    return number > atomic_load(&w->removed) && number <= atomic_load(&w->issued) &&
           !exceptions_may_have(&w->left_out, number);
}

uint64_t written_pick(struct written_set *w, uint64_t random)
{
    struct rng rng;
    uint64_t removed = atomic_load(&w->removed);
    uint64_t last = atomic_load(&w->last_ok);
    if (last <= removed)
        return last;
    rng_init(&rng, random, 0);
    for (int draws = 0; draws < MAX_DRAWS; draws++) {
        uint64_t number = removed + rng_below(&rng, last - removed) + 1;
        if (!may_be_in_flight(w, number) && !exceptions_may_have(&w->left_out, number))
            return number;
    }
    return last;
}

uint64_t written_take_oldest(struct written_set *w)
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

void written_note_file(struct written_set *w, uint64_t number, uint64_t period, bool made)
{
    uint64_t first = first_of_name(number, period);
    if (number == first && !made)
        exceptions_note(&w->not_made, number);
    if (number > first && made)
        number_set_add(&w->made_later, first);
}

bool made_open(struct made_set *m, uint64_t period)
{
    m->period = period;
    return number_set_open(&m->ours, EXCEPTION_SINGLES) &&
           number_set_open(&m->strange, EXCEPTION_SINGLES);
}

void made_close(struct made_set *m)
{
    number_set_close(&m->ours);
    number_set_close(&m->strange);
}

void made_note(struct made_set *m, uint64_t number)
{
    if (m && !number_set_add(&m->ours, first_of_name(number, m->period)))
        atomic_fetch_add(&m->unknown, 1);
}

void made_rename(struct made_set *m, uint64_t from, uint64_t to)
{
    if (!m)
        return;
    bool is_ours = number_set_has(&m->ours, first_of_name(from, m->period));
    if (!number_set_add(is_ours ? &m->ours : &m->strange, first_of_name(to, m->period)))
        atomic_fetch_add(&m->unknown, 1);
}
