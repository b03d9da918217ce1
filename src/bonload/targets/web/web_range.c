#include "bonload/targets/web/web.h"

/*
 * Sizes of objects. An object may displace another one, whose size must then be asked for again.
 * The lowest SIZE_BITS bits of a slot are the size + 1, as far as it fits. The bits above are part
 * of the name's hash. 0: the slot is empty.
 */
#define SIZE_BITS 40
#define SIZE_MASK ((UINT64_C(1) << SIZE_BITS) - 1)

static bool find_size(const struct web_shared *s, uint64_t hash, uint64_t *size)
{
    uint64_t slot = atomic_load_explicit(&s->sizes[hash % WEB_SIZES], memory_order_relaxed);
    *size = (slot & SIZE_MASK) - 1;
    return slot != 0 && slot >> SIZE_BITS == hash >> SIZE_BITS;
}

static void note_size(struct web_shared *s, uint64_t hash, uint64_t size)
{
    uint64_t slot = (hash & ~SIZE_MASK) | (size < SIZE_MASK ? size + 1 : SIZE_MASK);
    atomic_store_explicit(&s->sizes[hash % WEB_SIZES], slot, memory_order_relaxed);
}

/*
 * Whether the size of the object is known. A run that only reads remembers what HEAD told; a run
 * that writes knows what it wrote.
 */
static bool knows_size(struct web_exchange *x, uint64_t *size)
{
    struct web_shared *s = x->thread->shared;
    const struct plan *p = s->setup.plan;
    if (!plan_has(p, LOAD_WRITE))
        return find_size(s, x->expected.body.object, size);
    *size = x->expected.size;
    return plan_reads_written(p) && !p->has_changes && *size != UINT64_MAX;
}

static void choose_range(struct web_exchange *x, uint64_t size)
{
    uint64_t most = x->thread->shared->setup.plan->range_bytes;
    x->range_bytes = most < size ? most : size;
    x->range_from = rng_below(&x->thread->rng, size - x->range_bytes + 1);
    x->expected.size = x->range_bytes;
}

void web_range_prepare(struct web_exchange *x)
{
    uint64_t size;
    if (knows_size(x, &size))
        choose_range(x, size);
    else
        x->asks_size = true;
}

bool web_range_follow(struct web_exchange *x)
{
    struct web_shared *s = x->thread->shared;
    curl_off_t size = -1;
    x->asks_size = false;
    curl_easy_getinfo(x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    if (x->failure == 0 && size < 0)
        x->failure = web_failure(x, "the answer to HEAD does not give the size");
    if (x->failure != 0)
        return false;
    note_size(s, x->expected.body.object, (uint64_t)size);
    choose_range(x, (uint64_t)size);
    return true;
}

/* Writes a number that ends before `end`. Returns a pointer to its first digit. */
static char *put_digits(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

void web_range_set(struct web_exchange *x)
{
    bool has_range = x->method == METHOD_GET && x->range_bytes > 0;
    char text[48];
    char *at = text + sizeof text;
    if (has_range) {
        *--at = '\0';
        at = put_digits(at, x->range_from + x->range_bytes - 1);
        *--at = '-';
        at = put_digits(at, x->range_from);
    }
    if (has_range || x->has_range)
        curl_easy_setopt(x->easy, CURLOPT_RANGE, has_range ? at : NULL);
    x->has_range = has_range;
}

uint32_t web_range_verdict(const struct web_exchange *x)
{
    const struct target_setup *setup = &x->thread->shared->setup;
    if (x->status != 206)
        return web_failure(x, "200 instead of 206: the server does not support ranges");
    if (x->received == x->range_bytes || expected_is_overlapped(&x->expected, setup))
        return 0;
    if (x->received < x->range_bytes)
        return failure_of(STEP_SHORT, 0);
    return web_failure(x, "more than the range that was asked for");
}
