#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pattern.h"

#define BLOCKS 256

/* A file's bytes made at once: what all other ways of making them are held against. */
static unsigned char *make_file(const struct pattern *p, uint64_t file, uint64_t generation)
{
    unsigned char *bytes = aligned_alloc(PATTERN_UNIT_MAX, BLOCKS * PATTERN_UNIT_MAX);
    assert_non_null(bytes);
    pattern_fill(p, bytes, BLOCKS * PATTERN_UNIT_MAX, file, 0, generation);
    return bytes;
}

static void same_seed_makes_same_bytes(void **state)
{
    (void)state;
    struct pattern one, two, other;
    pattern_init(&one, DATA_RANDOM, 0, 4096, 7);
    pattern_init(&two, DATA_RANDOM, 0, 4096, 7);
    pattern_init(&other, DATA_RANDOM, 0, 4096, 8);
    unsigned char *a = make_file(&one, 3, 0);
    unsigned char *b = make_file(&two, 3, 0);
    unsigned char *c = make_file(&other, 3, 0);
    assert_memory_equal(a, b, BLOCKS * PATTERN_UNIT_MAX);
    assert_memory_not_equal(a, c, BLOCKS * PATTERN_UNIT_MAX);
    free(a);
    free(b);
    free(c);
}

/* Any offset, length and address: the bytes are those of the whole file. */
static void parts_are_parts_of_the_whole(void **state)
{
    (void)state;
    static const struct {
        size_t offset, length, skew;
    } parts[] = {{0, 1, 0},
                 {1, 1, 1},
                 {4095, 2, 3},
                 {4096, 4096, 1},
                 {100, 9000, 0},
                 {512, 512, 8},
                 {8191, 12289, 5},
                 {4000, 97, 7},
                 {12288, 8192, 0},
                 {3, 0, 0},
                 {BLOCKS * 4096 - 1, 1, 0}};
    struct pattern p;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 1);
    unsigned char *whole = make_file(&p, 0, 2);
    unsigned char buffer[16384 + 8];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned char *to = buffer + parts[i].skew;
        memset(buffer, 0xee, sizeof buffer);
        pattern_fill(&p, to, parts[i].length, 0, parts[i].offset, 2);
        assert_memory_equal(to, whole + parts[i].offset, parts[i].length);
        assert_int_equal(to[parts[i].length], 0xee); /* nothing behind it was touched */
    }
    free(whole);
}

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, PATTERN_UNIT_MAX);
}

/* Files, places and generations: every block is another one. */
static void no_two_blocks_are_equal(void **state)
{
    (void)state;
    struct pattern p;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 99);
    const size_t parts = 4;
    unsigned char *all = malloc(parts * BLOCKS * PATTERN_UNIT_MAX);
    assert_non_null(all);
    for (uint64_t i = 0; i < parts; i++) {
        unsigned char *file = make_file(&p, i / 2, i % 2);
        memcpy(all + i * BLOCKS * PATTERN_UNIT_MAX, file, BLOCKS * PATTERN_UNIT_MAX);
        free(file);
    }
    qsort(all, parts * BLOCKS, PATTERN_UNIT_MAX, compare_blocks);
    for (size_t i = 1; i < parts * BLOCKS; i++)
        assert_true(memcmp(all + (i - 1) * PATTERN_UNIT_MAX, all + i * PATTERN_UNIT_MAX,
                           PATTERN_UNIT_MAX) != 0);
    free(all);
}

/* Every byte value is about as frequent as every other: 3906 of a million, give or take. */
static void bytes_are_spread_evenly(void **state)
{
    (void)state;
    struct pattern p;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 5);
    unsigned char *bytes = make_file(&p, 0, 0);
    unsigned counts[256] = {0};
    for (size_t i = 0; i < BLOCKS * PATTERN_UNIT_MAX; i++)
        counts[bytes[i]]++;
    free(bytes);
    unsigned mean = BLOCKS * PATTERN_UNIT_MAX / 256;
    for (int i = 1; i < 256; i++) { /* zeros are more: the stamps' small numbers */
        assert_in_range(counts[i], mean * 9 / 10, mean * 11 / 10);
    }
}

static void zeros_are_zeros(void **state)
{
    (void)state;
    struct pattern p;
    unsigned char buffer[5000];
    unsigned char zeros[5000] = {0};
    pattern_init(&p, DATA_ZERO, 0, 4096, 5);
    memset(buffer, 1, sizeof buffer);
    pattern_fill(&p, buffer, sizeof buffer, 1, 77, 3);
    assert_memory_equal(buffer, zeros, sizeof buffer);
}

static void stamp_tells_the_place(void **state)
{
    (void)state;
    struct pattern p;
    struct pattern_stamp stamp;
    uint64_t last;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 42);
    unsigned char *bytes = make_file(&p, 9, 4);
    memcpy(&stamp, bytes + 17 * PATTERN_UNIT_MAX, sizeof stamp);
    memcpy(&last, bytes + 18 * PATTERN_UNIT_MAX - sizeof last, sizeof last);
    assert_int_equal(stamp.seed, 42);
    assert_int_equal(stamp.place.file, 9);
    assert_int_equal(stamp.place.unit, 17);
    assert_int_equal(stamp.place.generation, 4);
    assert_int_equal(stamp.check, last);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_makes_same_bytes),
        cmocka_unit_test(parts_are_parts_of_the_whole),
        cmocka_unit_test(no_two_blocks_are_equal),
        cmocka_unit_test(bytes_are_spread_evenly),
        cmocka_unit_test(zeros_are_zeros),
        cmocka_unit_test(stamp_tells_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
