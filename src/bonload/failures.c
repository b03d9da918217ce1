#include "bonload/failures.h"

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
    atomic_fetch_add(&f->others, 1);
}
