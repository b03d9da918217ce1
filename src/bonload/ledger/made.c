#include "bonload/ledger/made.h"

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

/* The lowest number that has the same name as `number`. */
static uint64_t first_of_name(const struct made *m, uint64_t number)
{
    return m->period > 0 ? (number - 1) % m->period + 1 : number;
}

static void note_name(struct made *m, struct number_set *s, uint64_t number)
{
    if (!number_set_add(s, first_of_name(m, number)))
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
    note_name(m, number_set_has(&m->ours, first_of_name(m, from)) ? &m->ours : &m->strange, to);
}
