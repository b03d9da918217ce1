#include "bonload/stats/failures.h"

void failures_note(struct failures *f, enum load_kind kind, uint32_t code, uint64_t number)
{
    uint64_t key = (uint64_t)kind << 32 | code;
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&f->list[i].key, &there, key))
            atomic_store(&f->list[i].number, number);
        else if (there != key)
            continue;
        atomic_fetch_add(&f->list[i].count, 1);
        return;
    }
    atomic_fetch_add(&f->others[kind], 1);
}

void failures_copy(struct failures *copy, const struct failures *f)
{
    for (unsigned i = 0; i < FAILURES_MOST; i++)
        atomic_init(&copy->list[i].count, atomic_load(&f->list[i].count));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        atomic_init(&copy->others[kind], atomic_load(&f->others[kind]));
}

void failures_clear(struct failures *f)
{
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        atomic_store(&f->list[i].count, 0);
        atomic_store(&f->list[i].number, 0);
        atomic_store(&f->list[i].key, 0);
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        atomic_store(&f->others[kind], 0);
}
