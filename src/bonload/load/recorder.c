// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/recorder.h"

#include <sys/mman.h>

/* Adds to a number that others read. Unless they add to it (`shared`), a load and a store do. */
static inline void shared_add(uint64_t *to, uint64_t number, bool shared)
{
    if (shared)
        __atomic_fetch_add(to, number, __ATOMIC_RELAXED);
    else
        __atomic_store_n(to, *to + number, __ATOMIC_RELAXED);
}

static inline void shared_raise(uint64_t *highest, uint64_t number)
{
    uint64_t seen = __atomic_load_n(highest, __ATOMIC_RELAXED);
    while (seen < number && !__atomic_compare_exchange_n(highest, &seen, number, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static inline void record_latency(struct histogram *h, uint64_t value, bool shared)
{
    shared_add(&h->buckets[histogram_bucket(value)], 1, shared);
    shared_add(&h->sum, value, shared);
    shared_raise(&h->maximum, value);
    shared_raise(&h->inverted_minimum, ~value);
    shared_add(&h->count, 1, shared);
}

/* Where the limit is on judged_ns, a request that begins later than this is above it, too. */
#define MAX_LATE_NS UINT64_C(250000000)

void recorder_add(struct recorder *to, const struct recorder_rules *rules, const struct request *r,
                  uint64_t response_ns, uint64_t service_ns)
{
    struct tally *t = &to->tallies[r->kind];
    struct tally *op = rules->has_ops ? &to->tallies[LOAD_KINDS + r->op] : NULL;
    bool shared = rules->is_shared;
    uint64_t late_ns = r->start_ns - r->due_ns;
    if (late_ns > LATE_NS)
        shared_add(&t->late, 1, shared);
    if (r->connections > 0) {
        shared_add(&t->connections, r->connections, shared);
        shared_add(&t->connect_ns, r->connect_ns, shared);
        shared_add(&t->tls_ns, r->tls_ns, shared);
    }
    if (r->failure != 0) {
        if (op)
            record_latency(&op->failed, response_ns, shared);
        record_latency(&t->failed, response_ns, shared);
        return;
    }
    if (r->bytes > 0)
        shared_add(&t->bytes, r->bytes, shared);
    bool is_late = r->judged_ns > 0 && rules->limit_ns < UINT64_MAX && late_ns > MAX_LATE_NS;
    if ((r->judged_ns > 0 ? r->judged_ns : response_ns) > rules->limit_ns || is_late)
        shared_add(&t->above, 1, shared);
    if (rules->has_service)
        record_latency(&t->service, service_ns, shared);
    if (r->miss != 0)
        shared_add(&t->misses, 1, shared);
    if (r->first_byte_ns > 0)
        record_latency(&t->first_byte, r->first_byte_ns, shared);
    if (op && r->miss != 0)
        shared_add(&op->misses, 1, shared);
    if (op)
        record_latency(&op->response, response_ns, shared);
    record_latency(&t->response, response_ns, shared);
}

/* Adds a histogram, but skips an unused one: reading its memory would allocate it. */
static void merge_used(struct histogram *whole, const struct histogram *part)
{
    if (__atomic_load_n(&part->count, __ATOMIC_RELAXED) > 0)
        histogram_merge(whole, part);
}

static void merge_number(uint64_t *whole, const uint64_t *part)
{
    *whole += __atomic_load_n(part, __ATOMIC_RELAXED);
}

void tally_merge(struct tally *whole, const struct tally *part)
{
    for (unsigned i = 0; i < COUNT_OF(whole->numbers); i++)
        merge_number(&whole->numbers[i], &part->numbers[i]);
    for (unsigned i = 0; i < COUNT_OF(whole->times); i++)
        merge_used(&whole->times[i], &part->times[i]);
}

void tally_subtract(struct tally *difference, const struct tally *now, const struct tally *before)
{
    for (unsigned i = 0; i < COUNT_OF(now->numbers); i++)
        difference->numbers[i] = now->numbers[i] - before->numbers[i];
    for (unsigned i = 0; i < COUNT_OF(now->times); i++)
        histogram_subtract(&difference->times[i], &now->times[i], &before->times[i]);
}

/* Maps zeroed memory for recorders, in the place of those at `at` unless that is NULL. */
static void *map_recorders(struct recorder *at, unsigned count, bool is_seen)
{
    int flags = (is_seen ? MAP_SHARED : MAP_PRIVATE) | (at ? MAP_FIXED : 0);
    return mmap(at, count * sizeof *at, PROT_READ | PROT_WRITE,
                flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int recorders_open(struct recorders *r, unsigned count, bool is_seen, struct err *e)
{
    void *memory = map_recorders(NULL, count, is_seen);
    *r = (struct recorders){0};
    if (memory == MAP_FAILED)
        return err_system(e, errno, "allocate memory for what is counted");
    *r = (struct recorders){.list = memory, .count = count, .is_seen = is_seen};
    return 0;
}

void recorders_close(struct recorders *r)
{
    if (r->list)
        munmap(r->list, r->count * sizeof *r->list);
    *r = (struct recorders){0};
}

/* Replaces the memory with new memory, which the kernel zeroes when it is touched. */
void recorders_clear(struct recorders *r)
{
    if (map_recorders(r->list, r->count, r->is_seen) == MAP_FAILED)
        memset(r->list, 0, r->count * sizeof *r->list);
}

void recorders_sum(const struct recorders *r, unsigned which, struct tally *sum)
{
    memset(sum->numbers, 0, sizeof sum->numbers);
    for (unsigned i = 0; i < COUNT_OF(sum->times); i++)
        histogram_clear(&sum->times[i]); /* only the part in use: the rest may have no memory */
    for (unsigned i = 0; i < r->count; i++)
        tally_merge(sum, &r->list[i].tallies[which]);
}

void recorders_sum_times(const struct recorders *r, enum load_kind kind, bool of_service,
                         struct histogram *sum)
{
    histogram_clear(sum);
    for (unsigned i = 0; i < r->count; i++) {
        const struct tally *t = &r->list[i].tallies[kind];
        merge_used(sum, of_service ? &t->service : &t->response);
    }
}

void recent_update(struct recent_counts *recent, const struct recorders *r, enum load_kind kind)
{
    recent->before[kind] = recent->now[kind];
    recorders_sum(r, kind, &recent->now[kind]);
    tally_subtract(&recent->since[kind], &recent->now[kind], &recent->before[kind]);
}

void counts_add(struct counts *sum, const struct tally *t)
{
    merge_number(&sum->good, &t->response.count);
    merge_number(&sum->errors, &t->failed.count);
    merge_number(&sum->good_ns, &t->response.sum);
    merge_number(&sum->above, &t->above);
    merge_number(&sum->bytes, &t->bytes);
}

struct counts recorders_counts(const struct recorders *r, enum load_kind kind)
{
    struct counts sum = {0};
    for (unsigned i = 0; i < r->count; i++)
        counts_add(&sum, &r->list[i].tallies[kind]);
    return sum;
}

void failures_note(struct failures *f, enum load_kind kind, uint32_t code, uint64_t number)
{
    uint64_t key = (uint64_t)kind << 32 | code;
    for (unsigned i = 0; i < MAX_FAILURES; i++) {
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
    for (unsigned i = 0; i < MAX_FAILURES; i++)
        atomic_init(&copy->list[i].count, atomic_load(&f->list[i].count));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        atomic_init(&copy->others[kind], atomic_load(&f->others[kind]));
}

void failures_clear(struct failures *f)
{
    for (unsigned i = 0; i < MAX_FAILURES; i++) {
        atomic_store(&f->list[i].count, 0);
        atomic_store(&f->list[i].number, 0);
        atomic_store(&f->list[i].key, 0);
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        atomic_store(&f->others[kind], 0);
}
