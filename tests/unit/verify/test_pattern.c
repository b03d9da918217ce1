// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify/pattern.h"

#define BLOCKS 256

/* Makes the bytes of a file in one call. All other ways of making them are compared with these. */
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
    pattern_init(&one, DATA_RANDOM, 0, 4096, 7, 1);
    pattern_init(&two, DATA_RANDOM, 0, 4096, 7, 1);
    pattern_init(&other, DATA_RANDOM, 0, 4096, 8, 1);
    unsigned char *a = make_file(&one, 3, 0);
    unsigned char *b = make_file(&two, 3, 0);
    unsigned char *c = make_file(&other, 3, 0);
    assert_memory_equal(a, b, BLOCKS * PATTERN_UNIT_MAX);
    assert_memory_not_equal(a, c, BLOCKS * PATTERN_UNIT_MAX);
    free(a);
    free(b);
    free(c);
}

/* The contents of two runs have no word in common except the seed, the place and zeros. */
static void every_word_depends_on_the_run(void **state)
{
    (void)state;
    for (enum data_kind kind = DATA_RANDOM; kind <= DATA_COMPRESS; kind++) {
        struct pattern one, two;
        pattern_init(&one, kind, 50, 4096, 7, 1);
        pattern_init(&two, kind, 50, 4096, 7, 2);
        unsigned char *a = make_file(&one, 3, 1);
        unsigned char *b = make_file(&two, 3, 1);
        size_t zeros = 0;
        for (size_t at = 0; kind != DATA_ZERO && at < BLOCKS * PATTERN_UNIT_MAX; at += 8) {
            size_t word = at % PATTERN_UNIT_MAX / 8;
            bool is_zero = memcmp(a + at, (char[8]){0}, 8) == 0;
            bool is_same = memcmp(a + at, b + at, 8) == 0;
            bool may_be_same = is_zero || word == 0 || (word >= 2 && word <= 4);
            zeros += is_zero;
            assert_true(!is_same || may_be_same);
        }
        assert_true(kind != DATA_RANDOM || zeros == 1); /* the number of the first unit */
        free(a);
        free(b);
    }
}

/* For each offset, length and address the bytes are those of the whole file. */
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
    pattern_init(&p, DATA_RANDOM, 0, 4096, 1, 1);
    unsigned char *whole = make_file(&p, 0, 2);
    unsigned char buffer[16384 + 8];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned char *to = buffer + parts[i].skew;
        memset(buffer, 0xee, sizeof buffer);
        pattern_fill(&p, to, parts[i].length, 0, parts[i].offset, 2);
        assert_memory_equal(to, whole + parts[i].offset, parts[i].length);
        assert_int_equal(to[parts[i].length], 0xee); /* the byte behind the end is unchanged */
    }
    free(whole);
}

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, PATTERN_UNIT_MAX);
}

/* No two blocks are equal, whatever their file, place and generation. */
static void no_two_blocks_are_equal(void **state)
{
    (void)state;
    struct pattern p;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 99, 1);
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

/* All byte values are about equally frequent: 3906 of each in a million. */
static void bytes_are_spread_evenly(void **state)
{
    (void)state;
    struct pattern p;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 5, 1);
    unsigned char *bytes = make_file(&p, 0, 0);
    unsigned counts[256] = {0};
    for (size_t i = 0; i < BLOCKS * PATTERN_UNIT_MAX; i++)
        counts[bytes[i]]++;
    free(bytes);
    unsigned mean = BLOCKS * PATTERN_UNIT_MAX / 256;
    for (int i = 1; i < 256; i++) { /* zeros are more frequent: the stamps contain small numbers */
        assert_in_range(counts[i], mean * 9 / 10, mean * 11 / 10);
    }
}

static void zeros_are_zeros(void **state)
{
    (void)state;
    struct pattern p;
    unsigned char buffer[5000];
    unsigned char zeros[5000] = {0};
    pattern_init(&p, DATA_ZERO, 0, 4096, 5, 1);
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
    pattern_init(&p, DATA_RANDOM, 0, 4096, 42, 1);
    unsigned char *bytes = make_file(&p, 9, 4);
    stamp = pattern_stamp_read(bytes + 17 * PATTERN_UNIT_MAX);
    memcpy(&last, bytes + 18 * PATTERN_UNIT_MAX - sizeof last, sizeof last);
    assert_int_equal(stamp.origin.seed, 42);
    assert_int_equal(stamp.origin.run, 1);
    assert_int_equal(stamp.origin.place.file, 9);
    assert_int_equal(stamp.origin.place.unit, 17);
    assert_int_equal(stamp.origin.place.generation, 4);
    assert_int_equal(stamp.check, le64toh(last));
    free(bytes);
}

/* One machine checks what another one has written: the bytes are the same, whatever the byte order
 * is. */
static void bytes_are_those_of_every_machine(void **state)
{
    (void)state;
    struct pattern p;
    unsigned char bytes[PATTERN_UNIT_MAX];
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    pattern_init(&p, DATA_COMPRESS, 60, sizeof bytes, 0x0102, 3);
    pattern_fill(&p, bytes, sizeof bytes, 9, 5 * sizeof bytes, 4);
    assert_memory_equal(bytes, ((unsigned char[]){2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
                                                  9, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0}),
                        32);
    for (size_t i = 0; i < sizeof bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    assert_int_equal(hash, UINT64_C(0xbfe543fe2faadcb4));
}

/* The sizes of units and the kinds of contents that these tests check. */
static const struct {
    enum data_kind kind;
    unsigned percent;
    size_t unit;
} forms[] = {
    {DATA_RANDOM, 0, 4096},    {DATA_RANDOM, 0, 512},    {DATA_RANDOM, 0, 2048},
    {DATA_COMPRESS, 50, 4096}, {DATA_COMPRESS, 3, 4096}, {DATA_COMPRESS, 40, 1024},
};
#define FORMS (sizeof forms / sizeof *forms)

/* A unit as a write has left it in its place. */
static uint64_t unit[PATTERN_MAX_WORDS];
static const struct pattern_place here = {.file = 3, .unit = 77, .generation = 5};

static void write_unit(const struct pattern *p, struct pattern_place place)
{
    pattern_fill(p, unit, p->unit_bytes, place.file, place.unit * p->unit_bytes, place.generation);
}

static enum corruption_kind check(const struct pattern *p, bool full)
{
    struct pattern_origin found;
    return pattern_check(p, unit, &here, full, &found);
}

static void sound_units_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct pattern p;
        pattern_init(&p, forms[i].kind, forms[i].percent, forms[i].unit, 11, 1);
        write_unit(&p, here);
        assert_int_equal(check(&p, false), CORRUPTION_NONE);
        assert_int_equal(check(&p, true), CORRUPTION_NONE);
    }
}

/* Flips each single bit. Both modes find it in the stamp and the check word, the full mode
 * anywhere. */
static void every_flipped_bit_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct pattern p;
        pattern_init(&p, forms[i].kind, forms[i].percent, forms[i].unit, 12, 1);
        write_unit(&p, here);
        size_t words = p.unit_bytes / sizeof *unit;
        for (size_t bit = 0; bit < 64 * words; bit++) {
            size_t word = bit / 64;
            bool is_stamped = word < sizeof(struct pattern_stamp) / 8 || word == words - 1;
            unit[word] ^= UINT64_C(1) << bit % 64;
            assert_int_equal(check(&p, true), CORRUPTION_FLIPPED);
            assert_int_equal(check(&p, false), is_stamped ? CORRUPTION_FLIPPED : CORRUPTION_NONE);
            unit[word] ^= UINT64_C(1) << bit % 64;
        }
    }
}

static void other_writes_are_told_by_their_stamps(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct pattern p;
        struct pattern_origin found;
        pattern_init(&p, forms[i].kind, forms[i].percent, forms[i].unit, 13, 1);
        write_unit(&p, (struct pattern_place){3, 77, 4});
        assert_int_equal(pattern_check(&p, unit, &here, false, &found), CORRUPTION_STALE);
        assert_int_equal(found.place.generation, 4);
        write_unit(&p, (struct pattern_place){3, 78, 5});
        assert_int_equal(pattern_check(&p, unit, &here, false, &found), CORRUPTION_MISDIRECTED);
        assert_int_equal(found.place.unit, 78);
        write_unit(&p, (struct pattern_place){4, 77, 5});
        assert_int_equal(pattern_check(&p, unit, &here, false, &found), CORRUPTION_MISDIRECTED);
        assert_int_equal(found.place.file, 4);
        memset(unit, 0, sizeof unit);
        assert_int_equal(check(&p, false), CORRUPTION_ZEROED);
    }
}

/* The first sectors belong to one write, and the others to another, or were never written. */
static void torn_units_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct pattern p;
        pattern_init(&p, forms[i].kind, forms[i].percent, forms[i].unit, 14, 1);
        for (size_t sectors = 1; sectors < p.unit_bytes / 512; sectors++) {
            uint64_t kept[PATTERN_MAX_WORDS];
            size_t torn = 512 * sectors;
            write_unit(&p, (struct pattern_place){3, 77, 4});
            memcpy(kept, unit, sizeof kept);
            write_unit(&p, here);
            memcpy(unit, kept, torn);
            assert_int_equal(check(&p, false), CORRUPTION_TORN);
            write_unit(&p, here);
            memcpy((char *)unit + torn, (char *)kept + torn, p.unit_bytes - torn);
            assert_int_equal(check(&p, false), CORRUPTION_TORN);
            write_unit(&p, here);
            memset((char *)unit + torn, 0, p.unit_bytes - torn);
            assert_int_equal(check(&p, false), CORRUPTION_TORN);
            unit[0] ^= 1; /* both torn and flipped: changed bytes have priority */
            assert_int_equal(check(&p, false), CORRUPTION_FLIPPED);
        }
    }
}

/* Data left by another run: whole units of any kind, and torn ones. */
static void other_runs_are_told(void **state)
{
    (void)state;
    static const struct pattern_place places[] = {{3, 77, 5}, {3, 77, 4}, {8, 4, 5}};
    static const uint64_t seeds[] = {18, 19};
    for (size_t i = 0; i < 3 * 2 * FORMS; i++) {
        struct pattern now, before;
        struct pattern_origin found;
        uint64_t kept[PATTERN_MAX_WORDS];
        size_t form = i / 6;
        pattern_init(&now, forms[form].kind, forms[form].percent, forms[form].unit, 18, 1);
        pattern_init(&before, forms[form].kind, forms[form].percent, forms[form].unit, seeds[i % 2],
                     2);
        write_unit(&before, places[i % 3]);
        memcpy(kept, unit, sizeof kept);
        assert_int_equal(pattern_check(&now, unit, &here, false, &found), CORRUPTION_STALE);
        assert_false(pattern_is_of_run(&now, &found));
        assert_true(pattern_is_of_run(&before, &found));
        assert_memory_equal(&found.place, &places[i % 3], sizeof found.place);
        for (size_t torn = 512; torn < now.unit_bytes; torn += 512) {
            write_unit(&now, here);
            memcpy((char *)unit + torn, (char *)kept + torn, now.unit_bytes - torn);
            assert_int_equal(check(&now, false), CORRUPTION_TORN);
            write_unit(&now, here);
            memcpy(unit, kept, torn);
            assert_int_equal(check(&now, false), CORRUPTION_TORN);
        }
    }
}

/* The other run had other sizes, or contents of another kind. */
static void other_runs_of_other_forms_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct pattern now, before;
        pattern_init(&now, DATA_RANDOM, 0, 4096, 18, 1);
        pattern_init(&before, forms[i].kind, forms[i].percent, forms[i].unit, 18, 2);
        pattern_fill(&before, unit, sizeof unit, 3, 0, 0);
        assert_int_equal(check(&now, false), CORRUPTION_STALE);
    }
}

static void any_generation_is_accepted_if_it_is_whole(void **state)
{
    (void)state;
    struct pattern p;
    struct pattern_origin found;
    struct pattern_place any = here;
    any.generation = PATTERN_ANY;
    pattern_init(&p, DATA_RANDOM, 0, 4096, 15, 1);
    write_unit(&p, (struct pattern_place){3, 77, 123456});
    assert_int_equal(pattern_check(&p, unit, &any, true, &found), CORRUPTION_NONE);
    unit[200] ^= 1;
    assert_int_equal(pattern_check(&p, unit, &any, true, &found), CORRUPTION_FLIPPED);
    write_unit(&p, (struct pattern_place){3, 79, 123456});
    assert_int_equal(pattern_check(&p, unit, &any, false, &found), CORRUPTION_MISDIRECTED);
}

static void zeros_are_checked_too(void **state)
{
    (void)state;
    struct pattern p;
    pattern_init(&p, DATA_ZERO, 0, 4096, 16, 1);
    memset(unit, 0, sizeof unit);
    assert_int_equal(check(&p, true), CORRUPTION_NONE);
    unit[100] = 1;
    assert_int_equal(check(&p, false), CORRUPTION_NONE);
    assert_int_equal(check(&p, true), CORRUPTION_FLIPPED);
    unit[0] = 1;
    assert_int_equal(check(&p, false), CORRUPTION_FLIPPED);
}

static void part_of_each_unit_is_zero(void **state)
{
    (void)state;
    for (unsigned percent = 10; percent <= 100; percent += 10) {
        struct pattern p;
        pattern_init(&p, DATA_COMPRESS, percent, 4096, 17, 1);
        write_unit(&p, here);
        unsigned zeros = 0;
        for (size_t i = 0; i < PATTERN_MAX_WORDS; i++)
            zeros += unit[i] == 0;
        assert_in_range(zeros, PATTERN_MAX_WORDS * (100 - percent) / 100 - (percent < 100 ? 2 : 0),
                        PATTERN_MAX_WORDS * (100 - percent) / 100 + 1);
    }
}

static void units_divide_what_is_changed(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        size_t unit;
    } cases[] = {{4096, 4096}, {8192, 4096}, {512, 512}, {1024, 1024}, {3072, 1024},
                 {1536, 512},  {1000, 512},  {256, 512}, {6144, 2048}, {1 << 20, 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(pattern_unit_for(cases[i].bytes), cases[i].unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_makes_same_bytes),
        cmocka_unit_test(every_word_depends_on_the_run),
        cmocka_unit_test(parts_are_parts_of_the_whole),
        cmocka_unit_test(no_two_blocks_are_equal),
        cmocka_unit_test(bytes_are_spread_evenly),
        cmocka_unit_test(zeros_are_zeros),
        cmocka_unit_test(stamp_tells_the_place),
        cmocka_unit_test(bytes_are_those_of_every_machine),
        cmocka_unit_test(sound_units_are_sound),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(other_writes_are_told_by_their_stamps),
        cmocka_unit_test(torn_units_are_told),
        cmocka_unit_test(other_runs_are_told),
        cmocka_unit_test(other_runs_of_other_forms_are_told),
        cmocka_unit_test(any_generation_is_accepted_if_it_is_whole),
        cmocka_unit_test(zeros_are_checked_too),
        cmocka_unit_test(part_of_each_unit_is_zero),
        cmocka_unit_test(units_divide_what_is_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
