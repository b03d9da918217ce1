#include "verify/generations.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#define MAX_COUNTERS (UINT64_C(1) << 25)

int generations_open(struct generations *g, uint64_t blocks, struct err *e)
{
    g->is_exact = blocks <= MAX_COUNTERS;
    g->count = g->is_exact ? blocks : MAX_COUNTERS;
    /* Pages that nothing touches take no memory. */
    void *memory = mmap(NULL, g->count * sizeof *g->counters, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "memory to count the changes of blocks");
    g->counters = memory;
    return 0;
}

void generations_close(struct generations *g)
{
    if (g->counters)
        munmap((void *)g->counters, g->count * sizeof *g->counters);
    *g = (struct generations){0};
}

static bool claim_one(_Atomic uint16_t *counter)
{
    uint16_t seen = atomic_load(counter);
    return seen % 2 == 0 && atomic_compare_exchange_strong(counter, &seen, (uint16_t)(seen + 1));
}

bool generations_claim(struct generations *g, uint64_t first, uint64_t count)
{
    uint64_t done = 0;
    while (done < count && claim_one(generations_counter(g, first + done)))
        done++;
    if (done == count)
        return true;
    while (done > 0) /* gives back the claimed blocks, none of which has been changed */
        atomic_fetch_sub(generations_counter(g, first + --done), 1);
    return false;
}

void generations_release(struct generations *g, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        atomic_fetch_add(generations_counter(g, first + i), 1);
}

uint64_t generations_version(const struct generations *g, uint64_t first, uint64_t count)
{
    uint64_t sum = 0; /* even counters only grow, so the sum is equal only if each of them is */
    for (uint64_t i = 0; i < count; i++) {
        uint16_t seen = atomic_load(generations_counter(g, first + i));
        if (seen % 2 != 0)
            return GENERATIONS_CHANGING;
        sum += seen;
    }
    return sum;
}
