// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/rng.h"
#include "verify/contents.h"

#define BLOCK  1024
#define BLOCKS 64 /* number of units in each of two files */

static struct pattern pattern;
static struct contents_file files[2];
static struct contents contents;
static _Alignas(8) unsigned char storage[2][BLOCK * BLOCKS];

static int setup(void **state)
{
    (void)state;
    struct err e;
    err_init(&e);
    pattern_init(&pattern, DATA_RANDOM, 0, pattern_unit_for(BLOCK), 21, 1);
    files[0] = (struct contents_file){0};
    files[1] = (struct contents_file){.start = BLOCK * BLOCKS};
    contents = (struct contents){
        .pattern = &pattern, .verify = VERIFY_FULL, .block_bytes = BLOCK, .files = files};
    int rc = generations_open(&contents.changes, 2 * BLOCKS, &e);
    for (unsigned file = 0; file < 2; file++)
        contents_fill(&contents, file, 0, storage[file], sizeof storage[file], 0);
    return rc;
}

static int teardown(void **state)
{
    (void)state;
    generations_close(&contents.changes);
    return 0;
}

/* The number of damaged units in the whole storage. */
static uint64_t corrupted(void)
{
    struct corruption f = {0};
    for (unsigned file = 0; file < 2; file++)
        contents_check(&contents, file, 0, storage[file], sizeof storage[file],
                       contents_version(&contents, file, 0, sizeof storage[file]), &f);
    assert_int_equal(f.checked_bytes, sizeof storage);
    return f.corrupted;
}

static void change(unsigned file, uint64_t block, size_t count)
{
    assert_true(contents_claim(&contents, file, block * BLOCK, count * BLOCK));
    contents_fill(&contents, file, block * BLOCK, storage[file] + block * BLOCK, count * BLOCK, 0);
    contents_release(&contents, file, block * BLOCK, count * BLOCK);
}

static void changed_blocks_are_known(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 3, 3);
    assert_int_equal(corrupted(), 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t count = 1 + rng_below(&r, 5);
        change((unsigned)rng_below(&r, 2), rng_below(&r, BLOCKS - count + 1), count);
    }
    assert_int_equal(corrupted(), 0);
}

static void a_lost_change_is_stale(void **state)
{
    (void)state;
    unsigned char before[BLOCK];
    struct corruption f = {0};
    change(1, 9, 1);
    memcpy(before, storage[1] + 9 * BLOCK, BLOCK);
    change(1, 9, 1);
    memcpy(storage[1] + 9 * BLOCK, before, BLOCK);
    contents_check(&contents, 1, 0, storage[1], sizeof storage[1],
                   contents_version(&contents, 1, 0, sizeof storage[1]), &f);
    assert_int_equal(f.corrupted, 1);
    assert_int_equal(f.kept[0].kind, CORRUPTION_STALE);
    assert_int_equal(f.kept[0].file, 1);
    assert_int_equal(f.kept[0].offset, 9 * BLOCK);
    char text[CORRUPTED_PLACE_TEXT];
    corrupted_place_describe(text, &f.kept[0], &pattern);
    assert_string_equal(text, "stale: generation 0.2 expected, generation 0.1 found");
}

static void a_rewritten_file_has_the_next_generation(void **state)
{
    (void)state;
    change(0, 1, 2);
    contents_fill(&contents, 0, 0, storage[0], sizeof storage[0], 1);
    assert_int_equal(corrupted(), BLOCKS); /* the rewriting is not complete yet */
    files[0].generation++;
    assert_int_equal(corrupted(), 0);
}

static void nobody_else_gets_a_claimed_block(void **state)
{
    (void)state;
    struct corruption f = {0};
    uint64_t version = contents_version(&contents, 0, 0, 4 * BLOCK);
    assert_true(contents_claim(&contents, 0, BLOCK, 2 * BLOCK));
    assert_false(contents_claim(&contents, 0, 2 * BLOCK, 2 * BLOCK));
    assert_true(contents_claim(&contents, 0, 3 * BLOCK, BLOCK)); /* not claimed by the failure */
    contents_release(&contents, 0, 3 * BLOCK, BLOCK);

    /* The writer may check the old contents. Others cannot judge what they read meanwhile. */
    contents_check(&contents, 0, BLOCK, storage[0] + BLOCK, 2 * BLOCK, CONTENTS_CLAIMED, &f);
    assert_int_equal(f.checked_bytes, 2 * BLOCK);
    assert_int_equal(f.corrupted, 0);
    memset(storage[0], 0xee, 4 * BLOCK);
    contents_check(&contents, 0, 0, storage[0], 4 * BLOCK, version, &f);
    uint64_t during = contents_version(&contents, 0, 0, 4 * BLOCK);
    contents_release(&contents, 0, BLOCK, 2 * BLOCK);
    contents_check(&contents, 0, 0, storage[0], 4 * BLOCK, during, &f);
    assert_int_equal(f.checked_bytes, 2 * BLOCK);
    assert_int_equal(f.corrupted, 0);
}

static void counters_wrap_round(void **state)
{
    (void)state;
    for (int i = 0; i < 70000; i++) {
        assert_true(contents_claim(&contents, 0, 0, BLOCK));
        if (i > 32000) /* close to where the count wraps around */
            contents_fill(&contents, 0, 0, storage[0], BLOCK, 0);
        contents_release(&contents, 0, 0, BLOCK);
        if (i > 32000 && i % 97 == 0)
            assert_int_equal(corrupted(), 0);
    }
    assert_int_equal(corrupted(), 0);
}

static void off_checks_nothing(void **state)
{
    (void)state;
    struct corruption f = {0};
    contents.verify = VERIFY_OFF;
    memset(storage, 0, sizeof storage);
    contents_check(&contents, 0, 0, storage[0], sizeof storage[0], 0, &f);
    assert_int_equal(f.checked_bytes, 0);
    assert_int_equal(f.corrupted, 0);
}

/* Chunks that are not a whole number of units are compared byte by byte in every mode. */
static void odd_places_are_checked(void **state)
{
    (void)state;
    contents.verify = VERIFY_STAMP;
    struct corruption f = {0};
    size_t length = 3 * BLOCK + 77;
    contents_check(&contents, 0, 100, storage[0] + 100, length,
                   contents_version(&contents, 0, 100, length), &f);
    assert_int_equal(f.corrupted, 0);
    storage[0][101] ^= 1;
    contents_check(&contents, 0, 100, storage[0] + 100, length,
                   contents_version(&contents, 0, 100, length), &f);
    assert_int_equal(f.corrupted, 1);
    assert_int_equal(f.kept[0].offset, 100);
}

/* Whatever the number of units in a block, which need be no power of two. */
static void each_unit_of_a_block_is_checked(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {BLOCK, 3 * BLOCK, 4 * BLOCK, BLOCK * BLOCKS};
    contents.verify = VERIFY_STAMP;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        contents.block_bytes = sizes[i];
        contents_fill(&contents, 0, 0, storage[0], sizeof storage[0], 0);
        for (uint64_t unit = 0; unit < BLOCKS; unit++) {
            uint64_t first = unit * BLOCK / sizes[i] * sizes[i];
            if (unit * BLOCK == first && first + sizes[i] <= sizeof storage[0]) {
                assert_true(contents_claim(&contents, 0, first, sizes[i]));
                contents_fill(&contents, 0, first, storage[0] + first, sizes[i], 0);
                contents_release(&contents, 0, first, sizes[i]);
            }
            for (size_t byte = 0; byte <= BLOCK; byte += BLOCK / 2) { /* stamp, neither, check */
                size_t at = unit * BLOCK + (byte == BLOCK ? BLOCK - 1 : byte);
                struct corruption f = {0};
                storage[0][at] ^= 1;
                contents_check(&contents, 0, 0, storage[0], sizeof storage[0], CONTENTS_CLAIMED,
                               &f);
                storage[0][at] ^= 1;
                assert_int_equal(f.checked_bytes, sizeof storage[0]);
                assert_int_equal(f.corrupted, byte != BLOCK / 2);
                if (f.corrupted > 0)
                    assert_int_equal(f.kept[0].offset, unit * BLOCK);
            }
        }
    }
}

static void corruption_adds_up(void **state)
{
    (void)state;
    struct corruption whole = {.corrupted = 6, .checked_bytes = 10};
    struct corruption part = {.corrupted = 100, .checked_bytes = 5};
    for (uint64_t i = 0; i < CORRUPTION_KEPT; i++) {
        whole.kept[i].offset = i;
        part.kept[i].offset = 50 + i;
    }
    corruption_merge(&whole, &part);
    assert_int_equal(whole.corrupted, 106);
    assert_int_equal(whole.checked_bytes, 15);
    assert_int_equal(whole.kept[5].offset, 5);
    assert_int_equal(whole.kept[6].offset, 50);
    assert_int_equal(whole.kept[7].offset, 51);
}

/* A data set that is too large for one counter per block: good data is accepted, and foreign data
 * is found. */
static void shared_counters_accept_any_generation(void **state)
{
    (void)state;
    contents.changes.count = 4;
    contents.changes.is_exact = false;
    change(0, 3, 1);
    change(1, 3, 1);
    assert_int_equal(corrupted(), 0);
    memcpy(storage[0], storage[0] + BLOCK, BLOCK);
    assert_int_equal(corrupted(), 1);
    contents.changes.count = 2 * BLOCKS;
}

/* The same for parts of units, which may have no stamp: the check compares all of their bytes. */
static void shared_counters_leave_no_part_unchecked(void **state)
{
    (void)state;
    const size_t first = 100;
    const size_t length = 3 * BLOCK;
    struct corruption f = {0};
    contents.changes.count = 4;
    contents.changes.is_exact = false;
    change(0, 1, 1);
    change(0, 5, 1); /* this block shares the counter of block 1, which has changed less often */
    change(0, 5, 1);
    contents_check(&contents, 0, first, storage[0] + first, length,
                   contents_version(&contents, 0, first, length), &f);
    assert_int_equal(f.corrupted, 0);
    assert_int_equal(f.checked_bytes, length);
    for (size_t at = first; at < BLOCK; at += 37) { /* the end of the block, without a stamp */
        storage[0][at] ^= 0x10;
        f = (struct corruption){0};
        contents_check(&contents, 0, first, storage[0] + first, length,
                       contents_version(&contents, 0, first, length), &f);
        assert_int_equal(f.corrupted, 1);
        assert_int_equal(f.kept[0].kind, CORRUPTION_FLIPPED);
        assert_int_equal(f.kept[0].offset, first);
        assert_int_equal(f.checked_bytes, length);
        storage[0][at] ^= 0x10;
    }
    contents.changes.count = 2 * BLOCKS;
}

/* The report says that data is an earlier run's, whether that run had the same seed or not. */
static void data_of_an_earlier_run_is_named(void **state)
{
    (void)state;
    struct pattern earlier;
    for (uint64_t seed = 21; seed <= 22; seed++) {
        struct corruption f = {0};
        char expected[CORRUPTED_PLACE_TEXT];
        char text[CORRUPTED_PLACE_TEXT];
        pattern_init(&earlier, DATA_RANDOM, 0, BLOCK, seed, 9);
        pattern_fill(&earlier, storage[0] + BLOCK, BLOCK, 7, 5 * BLOCK, 3);
        contents_check(&contents, 0, 0, storage[0], sizeof storage[0],
                       contents_version(&contents, 0, 0, sizeof storage[0]), &f);
        assert_int_equal(f.corrupted, 1);
        snprintf(expected, sizeof expected,
                 "stale: generation 0.0 expected, data of an earlier run (seed %d) found",
                 (int)seed);
        corrupted_place_describe(text, &f.kept[0], &pattern);
        assert_string_equal(text, expected);
    }
}

#define THREADS 4
#define ROUNDS  20000

/* Threads read and change the same few blocks: a read that counts never finds damage. */
static void *collide(void *argument)
{
    struct corruption *f = argument;
    static _Thread_local unsigned char buffer[BLOCK] __attribute__((aligned(8)));
    struct rng r;
    rng_init(&r, 5, (uint64_t)(uintptr_t)argument);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t at = rng_below(&r, 3) * BLOCK;
        if (rng_below(&r, 2) == 0) {
            if (!contents_claim(&contents, 0, at, BLOCK))
                continue;
            contents_fill(&contents, 0, at, buffer, BLOCK, 0);
            for (size_t w = 0; w < BLOCK; w += 8) /* memory changes word by word, unlike a device */
                __atomic_store_n((uint64_t *)(void *)(storage[0] + at + w),
                                 *(uint64_t *)(void *)(buffer + w), __ATOMIC_RELAXED);
            contents_release(&contents, 0, at, BLOCK);
        } else {
            uint64_t version = contents_version(&contents, 0, at, BLOCK);
            for (size_t w = 0; w < BLOCK; w += 8)
                *(uint64_t *)(void *)(buffer + w) =
                    __atomic_load_n((uint64_t *)(void *)(storage[0] + at + w), __ATOMIC_ACQUIRE);
            contents_check(&contents, 0, at, buffer, BLOCK, version, f);
        }
    }
    return NULL;
}

static void overlapping_writes_are_never_taken_for_corruption(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    static struct corruption found[THREADS];
    struct corruption whole = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, collide, &found[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        corruption_merge(&whole, &found[i]);
    }
    assert_int_equal(whole.corrupted, 0);
    assert_true(whole.checked_bytes > 0);
    assert_int_equal(corrupted(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(changed_blocks_are_known),
        TEST(a_lost_change_is_stale),
        TEST(a_rewritten_file_has_the_next_generation),
        TEST(nobody_else_gets_a_claimed_block),
        TEST(counters_wrap_round),
        TEST(off_checks_nothing),
        TEST(odd_places_are_checked),
        TEST(each_unit_of_a_block_is_checked),
        TEST(corruption_adds_up),
        TEST(shared_counters_accept_any_generation),
        TEST(shared_counters_leave_no_part_unchecked),
        TEST(data_of_an_earlier_run_is_named),
        TEST(overlapping_writes_are_never_taken_for_corruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
