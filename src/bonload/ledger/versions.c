#include "bonload/ledger/versions.h"

#include <errno.h>
#include <stdlib.h>

#define ONE_BEGUN (UINT64_C(1) << 32)

/*
 * A record of the last write has the write's number in its lowest NUMBER_BITS bits. Above these, it
 * has the number of writes that had begun by then, which exposes a record that was stored too late.
 */
#define NUMBER_BITS 40
#define MOST_NUMBER ((UINT64_C(1) << NUMBER_BITS) - 1)

static uint32_t writes_begun(uint64_t writes)
{
    return (uint32_t)(writes >> 32);
}

static uint32_t writes_ended(uint64_t writes)
{
    return (uint32_t)writes;
}

static struct version_place *version_place_of(const struct versions *v, uint64_t hash)
{
    return &v->places[hash % VERSION_PLACES];
}

int versions_open(struct versions *v, struct err *e)
{
    v->places = calloc(VERSION_PLACES, sizeof *v->places);
    return v->places ? 0 : err_system(e, ENOMEM, "memory for what names hold");
}

void versions_close(struct versions *v)
{
    free(v->places);
    v->places = NULL;
}

uint64_t versions_begin(struct versions *v, uint64_t hash)
{
    if (!v->places)
        return 0;
    return atomic_fetch_add(&version_place_of(v, hash)->writes, ONE_BEGUN) + ONE_BEGUN;
}

static uint64_t note_of(uint64_t writes, uint64_t number)
{
    return (uint64_t)writes_begun(writes) << NUMBER_BITS | number;
}

void versions_end(struct versions *v, uint64_t hash, uint64_t mine, uint64_t number, bool ok)
{
    if (!v->places)
        return;
    struct version_place *p = version_place_of(v, hash);
    bool began_alone = writes_begun(mine) == writes_ended(mine) + 1;
    bool is_known = ok && began_alone && number <= MOST_NUMBER;
    atomic_store(&p->last, is_known ? note_of(mine, number) : 0);
    atomic_fetch_add(&p->writes, 1);
}

struct version versions_look(const struct versions *v, uint64_t hash)
{
    const struct version_place *p = version_place_of(v, hash);
    uint64_t writes = atomic_load(&p->writes);
    uint64_t last = atomic_load(&p->last);
    uint64_t number = last & MOST_NUMBER;
    return (struct version){
        .writes = writes,
        .last = last == note_of(writes, number) ? number : 0,
        .is_quiet = writes_begun(writes) == writes_ended(writes),
    };
}

bool versions_changed(const struct versions *v, uint64_t hash, const struct version *before)
{
    return !before->is_quiet || writes_begun(atomic_load(&version_place_of(v, hash)->writes)) !=
                                    writes_begun(before->writes);
}
