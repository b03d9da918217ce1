#include "bonload/stats/standing.h"

void standing_add(struct standing *all, const struct standing *one)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct counts *counts = &all->counts[kind];
        struct progress *progress = &all->progress[kind];
        counts->good += one->counts[kind].good;
        counts->errors += one->counts[kind].errors;
        counts->good_ns += one->counts[kind].good_ns;
        counts->above += one->counts[kind].above;
        progress->begun += one->progress[kind].begun;
        progress->ended += one->progress[kind].ended;
    }
    all->busy += one->busy;
    all->ended += one->ended;
    all->behind += one->behind;
}
