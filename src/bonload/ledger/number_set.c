#include "bonload/ledger/number_set.h"

#include <stdlib.h>
#include <string.h>

#include "util/rng.h"

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

void number_set_clear(struct number_set *s)
{
    memset(s->places, 0, s->size * sizeof *s->places);
    atomic_store(&s->count, 0);
}

bool number_set_add(struct number_set *s, uint64_t number)
{
    if (atomic_load(&s->count) >= s->size / 8 * 7) /* a fuller set would be searched slowly */
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

bool exceptions_open(struct exceptions *x)
{
    x->from = UINT64_MAX;
    return number_set_open(&x->singles, EXCEPTION_SINGLES) &&
           number_set_open(&x->blocks, EXCEPTION_BLOCKS);
}

void exceptions_close(struct exceptions *x)
{
    number_set_close(&x->singles);
    number_set_close(&x->blocks);
}

static uint64_t block_of(uint64_t number)
{
    return number / EXCEPTION_BLOCK + 1;
}

void exceptions_note(struct exceptions *x, uint64_t number)
{
    if (number_set_add(&x->singles, number) || number_set_add(&x->blocks, block_of(number)))
        return;
    uint64_t from = number / EXCEPTION_BLOCK * EXCEPTION_BLOCK;
    uint64_t seen = atomic_load_explicit(&x->from, memory_order_relaxed);
    while (seen > from && !atomic_compare_exchange_weak(&x->from, &seen, from))
        continue;
}

bool exceptions_has(const struct exceptions *x, uint64_t number)
{
    return number_set_has(&x->singles, number);
}

bool exceptions_may_have(const struct exceptions *x, uint64_t number)
{
    return number >= atomic_load_explicit(&x->from, memory_order_relaxed) ||
           number_set_has(&x->singles, number) || number_set_has(&x->blocks, block_of(number));
}
