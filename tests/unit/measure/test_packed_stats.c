/* Statistics that were packed, sent and added up are what merging the whole ones gives. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/packed_stats.h"
#include "util/rng.h"

static uint64_t words[PACKED_STATS_MOST];
static struct op_stats ranks[3];
static struct op_stats merged;
static struct op_stats added;

static void fill(struct op_stats *s, uint64_t seed, unsigned count)
{
    struct rng rng;
    rng_init(&rng, seed, 0);
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < count; i++)
        op_stats_add(s, rng_next(&rng) >> (rng_next(&rng) % 64), 512);
    s->errors = seed;
    s->in_flight_ns = 3 * seed;
}

static void adds_up(void **state)
{
    (void)state;
    memset(&merged, 0, sizeof merged);
    memset(&added, 0, sizeof added);
    for (unsigned i = 0; i < 3; i++) {
        struct packed_stats head;
        fill(&ranks[i], i + 1, i * 100000);
        op_stats_merge(&merged, &ranks[i]);
        size_t used = packed_stats_make(words, &ranks[i]);
        assert_true(used <= PACKED_STATS_MOST);
        assert_true(packed_stats_add(&added, words, used * sizeof *words, &head));
        assert_int_equal(head.count, i * 100000);
        assert_int_equal(head.bytes, i * 100000 * 512);
    }
    assert_memory_equal(&added, &merged, sizeof merged);
}

static void refuses_others(void **state)
{
    (void)state;
    struct packed_stats head;
    memset(&added, 0, sizeof added);
    memset(&merged, 0, sizeof merged);
    fill(&ranks[0], 1, 1000);
    size_t bytes = packed_stats_make(words, &ranks[0]) * sizeof *words;
    assert_false(packed_stats_add(&added, words, 8, &head));
    assert_false(packed_stats_add(&added, words, bytes - 16, &head));
    words[PACKED_STATS_HEAD] = HISTOGRAM_BUCKETS;
    assert_false(packed_stats_add(&added, words, bytes, &head));
    assert_memory_equal(&added, &merged, sizeof merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),
        cmocka_unit_test(refuses_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
