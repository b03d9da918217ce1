#include "bonload/versions.h"

#include <errno.h>
#include <stdlib.h>

#define ONE_BEGUN (UINT64_C(1) << 32)

static uint32_t begun(uint64_t writes)
{
    return (uint32_t)(writes >> 32);
}

static uint32_t ended(uint64_t writes)
{
    return (uint32_t)writes;
}

static struct version_place *place_of(const struct versions *v, uint64_t hash)
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
    return atomic_fetch_add(&place_of(v, hash)->writes, ONE_BEGUN) + ONE_BEGUN;
}

/* True when a write that saw `mine` when it began has been alone until now. */
static bool was_alone(uint64_t mine, uint64_t now)
{
    return begun(mine) == (uint32_t)(ended(mine) + 1) && begun(mine) == begun(now);
}

void versions_end(struct versions *v, uint64_t hash, uint64_t mine, uint64_t number, bool ok)
{
    if (!v->places)
        return;
    struct version_place *p = place_of(v, hash);
    bool is_known = ok && was_alone(mine, atomic_load(&p->writes));
    atomic_store(&p->last, is_known ? number : 0);
    atomic_fetch_add(&p->writes, 1);
}

struct version versions_look(const struct versions *v, uint64_t hash)
{
    const struct version_place *p = place_of(v, hash);
    uint64_t writes = atomic_load(&p->writes);
    return (struct version){
        .writes = writes,
        .last = atomic_load(&p->last),
        .is_quiet = begun(writes) == ended(writes),
    };
}

bool versions_changed(const struct versions *v, uint64_t hash, const struct version *before)
{
    return !before->is_quiet ||
           begun(atomic_load(&place_of(v, hash)->writes)) != begun(before->writes);
}
