// SPDX-License-Identifier: GPL-2.0-or-later
/* Adding up packed statistics gives the same as merging the originals. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/histogram.h"
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

/* Ranks may run on machines of different byte orders: all of them pack the same bytes. */
static void bytes_are_those_of_every_machine(void **state)
{
    (void)state;
    struct packed_stats head;
    memset(&ranks[0], 0, sizeof ranks[0]);
    memset(&added, 0, sizeof added);
    op_stats_add(&ranks[0], 7, 512);
    ranks[0].errors = 0x210b;
    assert_int_equal(packed_stats_make(words, &ranks[0]), PACKED_STATS_HEAD + 2);
    const unsigned char *bytes = (const unsigned char *)words;
    assert_memory_equal(bytes, ((unsigned char[]){0, 2, 0, 0, 0, 0, 0, 0}), 8); /* bytes */
    assert_memory_equal(bytes + 8, ((unsigned char[]){0x0b, 0x21, 0, 0, 0, 0, 0, 0}),
                        8); /* errors */
    assert_memory_equal(bytes + 64, ((unsigned char[]){7, 0, 0, 0, 0, 0, 0, 0}),
                        8); /* bucket 7 ... */
    assert_memory_equal(bytes + 72, ((unsigned char[]){1, 0, 0, 0, 0, 0, 0, 0}),
                        8); /* ... has one */
    assert_true(packed_stats_add(&added, words, (PACKED_STATS_HEAD + 2) * 8, &head));
    assert_memory_equal(&added, &ranks[0], sizeof added);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),
        cmocka_unit_test(refuses_others),
        cmocka_unit_test(bytes_are_those_of_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
