#include "bonload/recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/*
 * A number that others look at meanwhile, and, if `shared`, add to. Where one thread alone adds, a
 * load and a store are enough, which cost a fraction of an atomic addition.
 */
static inline void add(uint64_t *to, uint64_t number, bool shared)
{
    if (shared)
        __atomic_fetch_add(to, number, __ATOMIC_RELAXED);
    else
        __atomic_store_n(to, *to + number, __ATOMIC_RELAXED);
}

static inline void raise_to(uint64_t *highest, uint64_t number)
{
    uint64_t seen = __atomic_load_n(highest, __ATOMIC_RELAXED);
    while (seen < number && !__atomic_compare_exchange_n(highest, &seen, number, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static inline void record(struct histogram *h, uint64_t value, bool shared)
{
    add(&h->buckets[histogram_bucket(value)], 1, shared);
    add(&h->sum, value, shared);
    raise_to(&h->maximum, value);
    raise_to(&h->inverted_minimum, ~value);
    add(&h->count, 1, shared);
}

/* Connections that a request had to make. */
static void add_connections(struct tally *t, const struct observation *o, bool shared)
{
    add(&t->connections, o->connections, shared);
    add(&t->connect_ns, o->connect_ns, shared);
    add(&t->tls_ns, o->tls_ns, shared);
}

static void add_failure(struct recorder *r, const struct recorder_rules *rules,
                        const struct observation *o)
{
    struct tally *t = &r->kinds[o->kind];
    add(&t->error_ns, o->response_ns, rules->is_shared);
    raise_to(&t->error_longest_ns, o->response_ns);
    if (rules->has_ops)
        add(&r->ops[o->op].errors, 1, rules->is_shared);
    add(&t->errors, 1, rules->is_shared);
}

/* What most requests do not have. */
static void add_more(struct recorder *r, const struct recorder_rules *rules,
                     const struct observation *o)
{
    struct tally *t = &r->kinds[o->kind];
    bool shared = rules->is_shared;
    if (o->missed)
        add(&t->misses, 1, shared);
    if (o->first_byte_ns > 0)
        record(&t->first_byte, o->first_byte_ns, shared);
    if (!rules->has_ops)
        return;
    if (o->missed)
        add(&r->ops[o->op].misses, 1, shared);
    record(&r->ops[o->op].response, o->response_ns, shared);
}

void recorder_add(struct recorder *r, const struct recorder_rules *rules,
                  const struct observation *o)
{
    struct tally *t = &r->kinds[o->kind];
    bool shared = rules->is_shared;
    if (o->late_ns > LATE_NS)
        add(&t->late, 1, shared);
    if (o->connections > 0)
        add_connections(t, o, shared);
    if (o->failed) {
        add_failure(r, rules, o);
        return;
    }
    if (o->bytes > 0)
        add(&t->bytes, o->bytes, shared);
    if (o->response_ns > rules->limit_ns)
        add(&t->above, 1, shared);
    if (rules->has_service)
        record(&t->service, o->service_ns, shared);
    if (rules->has_ops || o->missed || o->first_byte_ns > 0)
        add_more(r, rules, o);
    record(&t->response, o->response_ns, shared);
}

/*
 * A histogram that is being added to, as it is at some moment: the count is made of the buckets, so
 * that percentiles are right.
 */
static void merge_histogram(struct histogram *whole, const struct histogram *part)
{
    uint64_t count = 0;
    whole->sum += __atomic_load_n(&part->sum, __ATOMIC_RELAXED);
    uint64_t maximum = __atomic_load_n(&part->maximum, __ATOMIC_RELAXED);
    uint64_t minimum = __atomic_load_n(&part->inverted_minimum, __ATOMIC_RELAXED);
    if (maximum > whole->maximum)
        whole->maximum = maximum;
    if (minimum > whole->inverted_minimum)
        whole->inverted_minimum = minimum;
    const struct histogram_span span = histogram_span(minimum, maximum);
    for (unsigned i = span.first; i < span.end; i++) {
        uint64_t here = __atomic_load_n(&part->buckets[i], __ATOMIC_RELAXED);
        whole->buckets[i] += here;
        count += here;
    }
    whole->count += count;
}

/* Untouched histograms stay so: looking at their memory would make it exist. */
static void merge_used(struct histogram *whole, const struct histogram *part)
{
    if (__atomic_load_n(&part->count, __ATOMIC_RELAXED) > 0)
        merge_histogram(whole, part);
}

static void merge_number(uint64_t *whole, const uint64_t *part)
{
    *whole += __atomic_load_n(part, __ATOMIC_RELAXED);
}

void tally_merge(struct tally *whole, const struct tally *part)
{
    merge_number(&whole->bytes, &part->bytes);
    merge_number(&whole->errors, &part->errors);
    merge_number(&whole->error_ns, &part->error_ns);
    merge_number(&whole->misses, &part->misses);
    merge_number(&whole->late, &part->late);
    merge_number(&whole->above, &part->above);
    merge_number(&whole->connections, &part->connections);
    merge_number(&whole->connect_ns, &part->connect_ns);
    merge_number(&whole->tls_ns, &part->tls_ns);
    uint64_t longest = __atomic_load_n(&part->error_longest_ns, __ATOMIC_RELAXED);
    if (longest > whole->error_longest_ns)
        whole->error_longest_ns = longest;
    merge_used(&whole->response, &part->response);
    merge_used(&whole->service, &part->service);
    merge_used(&whole->first_byte, &part->first_byte);
}

void op_tally_merge(struct op_tally *whole, const struct op_tally *part)
{
    merge_number(&whole->errors, &part->errors);
    merge_number(&whole->misses, &part->misses);
    merge_used(&whole->response, &part->response);
}

void tally_subtract(struct tally *difference, const struct tally *now, const struct tally *before)
{
    difference->bytes = now->bytes - before->bytes;
    difference->errors = now->errors - before->errors;
    difference->error_ns = now->error_ns - before->error_ns;
    difference->error_longest_ns = now->error_longest_ns;
    difference->misses = now->misses - before->misses;
    difference->late = now->late - before->late;
    difference->above = now->above - before->above;
    difference->connections = now->connections - before->connections;
    difference->connect_ns = now->connect_ns - before->connect_ns;
    difference->tls_ns = now->tls_ns - before->tls_ns;
    histogram_subtract(&difference->response, &now->response, &before->response);
    histogram_subtract(&difference->service, &now->service, &before->service);
    histogram_subtract(&difference->first_byte, &now->first_byte, &before->first_byte);
}

int recorders_open(struct recorders *r, unsigned count, struct err *e)
{
    void *memory = mmap(NULL, count * sizeof *r->list, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *r = (struct recorders){0};
    if (memory == MAP_FAILED)
        return err_system(e, errno, "memory for what is counted");
    *r = (struct recorders){.list = memory, .count = count};
    return 0;
}

void recorders_close(struct recorders *r)
{
    if (r->list)
        munmap(r->list, r->count * sizeof *r->list);
    *r = (struct recorders){0};
}

void recorders_sum(const struct recorders *r, enum load_kind kind, struct tally *sum)
{
    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < r->count; i++)
        tally_merge(sum, &r->list[i].kinds[kind]);
}

void recorders_sum_responses(const struct recorders *r, enum load_kind kind, struct histogram *sum)
{
    histogram_clear(sum);
    for (unsigned i = 0; i < r->count; i++)
        merge_used(sum, &r->list[i].kinds[kind].response);
}

struct counts recorders_counts(const struct recorders *r, enum load_kind kind)
{
    struct counts sum = {0};
    for (unsigned i = 0; i < r->count; i++) {
        const struct tally *t = &r->list[i].kinds[kind];
        merge_number(&sum.good, &t->response.count);
        merge_number(&sum.errors, &t->errors);
        merge_number(&sum.good_ns, &t->response.sum);
        merge_number(&sum.above, &t->above);
        merge_number(&sum.bytes, &t->bytes);
    }
    return sum;
}
