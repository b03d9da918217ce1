// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bonnie/plan.h"
#include "bonnie/preset.h"
#include "storage/scratch.h"
#include "util/partition.h"
#include "util/rng.h"
#include "util/units.h"

static const struct host host = {.name = "lab", .ram_bytes = 4 * GIB, .cpus = 3};

/* The plan for a command line: the words after "bonnie", and a NULL at the end. */
static int plan_of(struct plan *p, struct err *e, ...)
{
    static struct settings settings; /* the plan points into it */
    char *words[16] = {(char *)"bonnie"};
    int count = 1;
    va_list arguments;
    va_start(arguments, e);
    while (count < 15 && (words[count] = va_arg(arguments, char *)))
        count++;
    va_end(arguments);
    err_init(e);
    assert_int_equal(options_parse(count, words, &settings, NULL, e), 0);
    return plan_make_row(p, &settings, &host, 0, e);
}

static void shares_cover_all_once(void **state)
{
    (void)state;
    static const uint64_t totals[] = {0, 1, 2, 7, 8, 100, 1023, 99999};
    for (size_t t = 0; t < sizeof totals / sizeof *totals; t++) {
        for (uint64_t parts = 1; parts < 12; parts++) {
            uint64_t next = 0;
            for (uint64_t i = 0; i < parts; i++) {
                struct partition s = partition_of(totals[t], parts, i);
                assert_int_equal(s.first, next);
                for (uint64_t n = s.first; n < s.first + s.count && n < s.first + 3; n++)
                    assert_int_equal(partition_owner(totals[t], parts, n), i);
                if (s.count > 0)
                    assert_int_equal(partition_owner(totals[t], parts, s.first + s.count - 1), i);
                assert_in_range(s.count, totals[t] / parts, totals[t] / parts + 1);
                next += s.count;
            }
            assert_int_equal(next, totals[t]);
        }
    }
}

static void defaults_are_those_of_the_preset(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, NULL), 0);
    assert_string_equal(p.label, "lab");
    assert_int_equal(p.data.bytes, 8 * GIB);
    assert_int_equal(p.data.chunk_bytes, 8192);
    assert_int_equal(p.data.perchar_bytes, 20 * MIB);
    assert_int_equal(p.data.seeks, 8192);
    assert_int_equal(p.data.seekers, 5);
    assert_int_equal(p.files.count, 16 * 1024);
    assert_int_equal(p.workers, 1);
    assert_string_equal(p.formats[0], "text");
    assert_string_equal(p.formats[1], "csv");
    assert_true(p.tests[TEST_RAN_DEL]);
    assert_int_equal(p.advise_bytes, 0);

    assert_int_equal(plan_of(&p, &e, "--preset=bonnie", NULL), 0);
    assert_null(p.label);
    assert_int_equal(p.data.bytes, 100 * MIB);
    assert_int_equal(p.data.perchar_bytes, 100 * MIB);
    assert_int_equal(p.data.seeks, 4000);
    assert_int_equal(p.data.seekers, 4);
    assert_string_equal(p.formats[0], "classic");
    assert_int_equal(p.format_count, 1);
    assert_false(p.tests[TEST_SEQ_CREATE]);
}

static void rows_of_a_preset_have_plans_of_their_own(void **state)
{
    (void)state;
    static const struct row {
        const char *name;
        enum test_id test;
        unsigned depth, writes;
    } rows[] = {
        {"SEQ1M Q8T1", TEST_GET_BLOCK, 8, 0}, {"SEQ1M Q1T1", TEST_PUT_BLOCK, 1, 0},
        {"RND4K Q32T1", TEST_IOPS, 32, 0},    {"RND4K Q32T1", TEST_IOPS, 32, 100},
        {"RND4K Q1T1", TEST_IOPS, 1, 0},      {"RND4K Q1T1", TEST_IOPS, 1, 100},
    };
    struct settings settings;
    struct plan p;
    struct err e;
    char *words[] = {(char *)"bonnie", (char *)"--preset=diskmark", NULL};
    err_init(&e);
    assert_int_equal(options_parse(2, words, &settings, NULL, &e), 0);
    assert_int_equal(plan_rows(&settings, &host), sizeof rows / sizeof *rows);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(plan_make_row(&p, &settings, &host, i, &e), 0);
        assert_string_equal(p.row->name, rows[i].name);
        assert_true(p.tests[rows[i].test]);
        assert_false(p.tests[TEST_PUTC] || p.tests[TEST_SEEKS] || p.tests[TEST_SEQ_CREATE]);
        assert_int_equal(p.engine.depth, rows[i].depth);
        assert_string_equal(p.engine.ops->name, "libaio");
        assert_true(p.direct);
        assert_int_equal(p.workers, 1);
        assert_int_equal(p.data.bytes, GIB);
        assert_int_equal(p.data.chunk_bytes, MIB);
        assert_int_equal(p.chunk_test_ns, 5 * BILLION);
        assert_int_equal(p.time_ns, 0);
        assert_int_equal(p.iops.duration_ns, 5 * BILLION);
        assert_int_equal(p.iops.block_bytes, 4096);
        if (rows[i].test == TEST_IOPS)
            assert_int_equal(p.iops.write_percent, rows[i].writes);
        assert_int_equal(p.advise_bytes, 0);
    }
    assert_int_equal(plan_of(&p, &e, "--preset=diskmark", "-s2g", "--time=1", NULL), 0);
    assert_int_equal(p.data.bytes, 2 * GIB);
    assert_int_equal(p.time_ns, BILLION);
    static char *const fixed[] = {
        (char *)"-c2",     (char *)"--iodepth=4",     (char *)"--tests=putc",
        (char *)"-s1g:4k", (char *)"--iops-block=8k", (char *)"--iops-writes=50"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        assert_int_not_equal(plan_of(&p, &e, "--preset=diskmark", fixed[i], NULL), 0);
    assert_int_equal(plan_of(&p, &e, "--preset=diskmark", "--steady-state", NULL), 0);
    assert_int_equal(plan_of(&p, &e, NULL), 0);
    assert_null(p.row);
}

/* All times that it allows itself, and all that it may write: files are counted as it counts
 * them. */
static void a_short_look_is_short(void **state)
{
    (void)state;
    static const uint64_t free_mib[] = {UINT64_C(1) << 40, 1 << 20, 20480, 20479, 1024, 320};
    struct settings settings;
    struct plan p;
    struct err e;
    char *words[] = {(char *)"bonnie", (char *)"/data", NULL};
    err_init(&e);
    assert_int_equal(options_parse(2, words, &settings, NULL, &e), 0);
    for (size_t i = 0; i < sizeof free_mib / sizeof *free_mib; i++) {
        struct host roomy = host;
        uint64_t ns = 0;
        uint64_t bytes = 0;
        roomy.free_bytes = free_mib[i] * MIB;
        roomy.filesystem_bytes = roomy.free_bytes;
        roomy.free_files = UINT64_MAX;
        for (unsigned row = 0; row < plan_rows(&settings, &roomy); row++) {
            assert_int_equal(plan_make_row(&p, &settings, &roomy, row, &e), 0);
            bool makes_files = p.tests[TEST_SEQ_CREATE];
            ns += p.tests[TEST_IOPS] ? p.iops.duration_ns : 0;
            ns += p.tests[TEST_PUT_BLOCK] || p.tests[TEST_GET_BLOCK] ? p.chunk_test_ns : 0;
            ns += makes_files ? 2 * (p.files.most_ns + p.min_time_ns) : 0;
            bytes += p.tests[TEST_PUT_BLOCK] ? p.data.bytes : 0;
            bytes += makes_files ? p.files.count * 2048 : 0;
            assert_true(p.min_time_ns <= p.most_bytes / GIB * BILLION); /* repeating makes more */
            if (p.tests[TEST_IOPS] && p.iops.write_percent > 0) {
                assert_int_not_equal(p.iops.most_ops, 0); /* which would be no limit */
                bytes += p.iops.most_ops * p.iops.block_bytes;
            }
        }
        assert_in_range(ns, 20 * BILLION, 60 * BILLION); /* ends of tests take some seconds more */
        assert_in_range(bytes, 16 * MIB, 2 * GIB);
        assert_in_range(bytes, 16 * MIB, roomy.free_bytes / 10);
    }
    struct host full = {.filesystem_bytes = GIB, .free_bytes = 319 * MIB};
    assert_int_not_equal(plan_make_row(&p, &settings, &full, 0, &e), 0);
}

static void ram_sets_size_and_advice(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-r", "512", NULL), 0);
    assert_int_equal(p.data.bytes, GIB);
    assert_int_equal(plan_of(&p, &e, "-r0", "-s1g", NULL), 0);
    assert_int_equal(p.advise_bytes, 0);
    assert_int_equal(plan_of(&p, &e, "-s1g", NULL), 0);
    assert_int_equal(p.advise_bytes, 8 * GIB);
    assert_int_equal(plan_of(&p, &e, "-s1g", "--tests=seq_create", NULL), 0);
    assert_int_equal(p.advise_bytes, 0);
}

static void what_has_no_work_is_left_out(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-s0", NULL), 0);
    assert_false(p.tests[TEST_PUT_BLOCK]);
    assert_true(p.tests[TEST_SEQ_STAT]);
    assert_int_equal(plan_of(&p, &e, "-n0", "-f", NULL), 0);
    assert_false(p.tests[TEST_PUTC] || p.tests[TEST_GETC] || p.tests[TEST_SEQ_STAT]);
    assert_true(p.tests[TEST_SEEKS]);
    assert_int_not_equal(plan_of(&p, &e, "-n0", "-s0", NULL), 0);
    assert_int_not_equal(plan_of(&p, &e, "-n0", "--tests=seq_del", NULL), 0);
}

static void workers_get_something_to_do(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-cauto", NULL), 0);
    assert_int_equal(p.workers, 3);
    assert_int_equal(p.files.directories, 3);
    assert_int_equal(p.files.directories_given, 1);
    assert_int_equal(plan_of(&p, &e, "-c4", "-s4k:1k", NULL), 0);
    assert_int_not_equal(plan_of(&p, &e, "-c5", "-s4k:1k", NULL), 0);
    assert_int_not_equal(plan_of(&p, &e, "-n1:0:0:1025", NULL), 0);
}

static void links_have_no_size(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-n1:-2:5", NULL), 0);
    assert_int_equal(p.files.kind, FILES_SYMBOLIC_LINKS);
    assert_int_equal(p.files.max_bytes, 0);
    assert_int_equal(plan_of(&p, &e, "-n1:-1", "-n1:100", NULL), 0);
    assert_int_equal(p.files.kind, FILES_DATA);
    assert_int_not_equal(plan_of(&p, &e, "-n1::5", NULL), 0);
}

/* A filesystem that reports how much room a file without data takes. */
static const struct scratch_space blocks = {.allocation_bytes = 4096};
static const struct scratch_space names = {.allocation_bytes = 4096, .file_bytes = 32};

static void needs_are_counted_in_blocks(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-s0", "-n4:1:1", NULL), 0);
    assert_in_range(plan_bytes_needed(&p, &blocks), 4096 * 4096, 4096 * 4096 + 16 * 4096);
    assert_in_range(plan_files_needed(&p, false), 4096, 4096 + 8);
    assert_int_equal(plan_of(&p, &e, "-s0", "-n4:-1", NULL), 0);
    assert_in_range(plan_files_needed(&p, false), 1, 8);
    assert_in_range(plan_files_needed(&p, true), 4096, 4096 + 8);
    assert_int_equal(plan_of(&p, &e, "-s0", "-n16777216:1g:1g", NULL), 0);
    assert_int_equal(plan_bytes_needed(&p, &blocks), UINT64_MAX);
    assert_int_equal(plan_of(&p, &e, "-s1g", "-n0", "--tests=putc", NULL), 0);
    assert_in_range(plan_bytes_needed(&p, &blocks), 20 * MIB, 21 * MIB);
    assert_int_equal(plan_of(&p, &e, "-s1g", "-n16", NULL), 0);
    assert_in_range(plan_bytes_needed(&p, &blocks), GIB, GIB + MIB);
}

static void empty_files_take_room_too(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-s0", "-n1000", NULL), 0);
    assert_in_range(plan_bytes_needed(&p, &blocks), 0, 16 * 4096);
    assert_in_range(plan_bytes_needed(&p, &names), 1024000 * 32, 1024000 * 32 + 16 * 4096);
    assert_int_equal(plan_of(&p, &e, "-s0", "-n1:0:0:1000", NULL), 0);
    assert_in_range(plan_bytes_needed(&p, &names), 1000 * 4096, 1100 * 4096);
    assert_int_equal(plan_of(&p, &e, "-s1", "-n1000", "--tests=put_block", NULL), 0);
    assert_in_range(plan_bytes_needed(&p, &names), MIB, MIB + 16 * 4096);
}

static void files_that_no_test_makes_are_not_checked(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_not_equal(plan_of(&p, &e, "-n1:0:0:2000", NULL), 0);
    assert_int_equal(plan_of(&p, &e, "-n1:0:0:2000", "--tests=put_block", NULL), 0);
}

static void several_runs_are_csv(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-x3", NULL), 0);
    assert_int_equal(p.runs, 3);
    assert_int_equal(p.format_count, 1);
    assert_string_equal(p.formats[0], "csv");
}

static void seed_is_kept(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-z9007199254740991", NULL), 0);
    assert_int_equal(p.seed, SEED_MAX);
}

static void contents_and_preset_are_named_as_given(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, NULL), 0);
    assert_string_equal(p.contents_name, "random");
    assert_string_equal(p.preset, "bonnie++");
    assert_int_equal(plan_of(&p, &e, "--data=zero", "--preset=bonnie", NULL), 0);
    assert_string_equal(p.contents_name, "zero");
    assert_string_equal(p.preset, "bonnie");
    assert_int_equal(plan_of(&p, &e, "--data=compress=100", NULL), 0);
    assert_string_equal(p.contents_name, "compress=100");
}

static void runs_go_on_for_seconds(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, NULL), 0);
    assert_int_equal(p.runs, 1);
    assert_int_equal(p.least_ns, 0);
    assert_int_equal(plan_of(&p, &e, "--seconds=1.25", "-x3", NULL), 0);
    assert_int_equal(p.runs, 3);
    assert_int_equal(p.least_ns, 1250000000);
    assert_int_not_equal(plan_of(&p, &e, "--seconds=1", "-y", NULL), 0);
    assert_non_null(strstr(e.text, "--seconds"));
    assert_int_equal(plan_of(&p, &e, "--seconds=0", "-y", NULL), 0);
    assert_int_equal(plan_of(&p, &e, "--seconds=1", "-yp", NULL), 0);
}

static void without_a_test_of_data_there_is_no_data(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    assert_int_equal(plan_of(&p, &e, "-s1g", "--tests=seq_create", NULL), 0);
    assert_int_equal(p.data.bytes, 0);
    assert_int_equal(p.data.chunks, 0);
    assert_int_equal(p.data.perchar_bytes, 0);
    assert_int_equal(p.advise_bytes, 0);
}

/* A row that a short look bounds: random blocks of 4 KiB, or chunks of 1 MiB. */
static struct plan row_of_look(bool has_iops, unsigned depth)
{
    struct plan p = {.data.chunk_bytes = MIB,
                     .iops = {.block_bytes = 4096, .duration_ns = 4 * BILLION},
                     .engine.depth = depth,
                     .chunk_test_ns = 8 * BILLION,
                     .files.most_ns = 2 * BILLION,
                     .min_time_ns = BILLION};
    p.tests[has_iops ? TEST_IOPS : TEST_GET_BLOCK] = true;
    return p;
}

/* Of 75 seconds a row takes its share, with what is still in flight when its time is over. */
static void a_row_of_a_short_look_is_bounded(void **state)
{
    (void)state;
    struct plan p = row_of_look(true, 1);
    plan_bound_row(&p, 70 * BILLION, 7, 4096, BILLION / 1000); /* fast: nothing changes */
    assert_int_equal(p.iops.duration_ns, 4 * BILLION);
    assert_int_equal(p.chunk_test_ns, 8 * BILLION);
    assert_int_equal(p.files.most_ns, 2 * BILLION);
    assert_int_equal(p.min_time_ns, BILLION);
    assert_null(p.left_out);

    plan_bound_row(&p, 20 * BILLION, 5, 4096, BILLION); /* 1 IOPS: 4 s, of which one is the last */
    assert_int_equal(p.iops.duration_ns, 3 * BILLION);
    assert_int_equal(p.files.most_ns, 3 * BILLION / 2 + 1);
    assert_null(p.left_out);

    p = row_of_look(true, 32);
    plan_bound_row(&p, 70 * BILLION, 7, 4096, BILLION); /* 32 of them in flight take 32 s */
    assert_non_null(p.left_out);
    p = row_of_look(true, 32);
    plan_bound_row(&p, 70 * BILLION, 7, MIB, 4 * BILLION); /* which says nothing of 4 KiB */
    assert_null(p.left_out);

    p = row_of_look(false, 8);
    plan_bound_row(&p, 70 * BILLION, 7, MIB, 4 * BILLION); /* 256 KiB/s: one at a time */
    assert_null(p.left_out);
    assert_int_equal(p.engine.depth, 1);
    assert_int_equal(p.chunk_test_ns, 6 * BILLION);

    for (uint64_t op_ns = 1; op_ns < 100 * BILLION; op_ns *= 3) {
        for (unsigned depth = 1; depth < 64; depth *= 2) {
            p = row_of_look(depth % 3 == 1, depth);
            uint64_t bytes = p.tests[TEST_IOPS] ? 4096 : MIB;
            plan_bound_row(&p, 70 * BILLION, 7, bytes, op_ns);
            uint64_t end_ns = p.engine.depth * op_ns;
            uint64_t test_ns = p.tests[TEST_IOPS] ? p.iops.duration_ns : p.chunk_test_ns;
            if (!p.left_out) /* one operation is the least */
                assert_true(test_ns == 1 || test_ns + end_ns <= 10 * BILLION);
        }
    }
    p = row_of_look(false, 1);
    plan_bound_row(&p, 0, 1, 0, 0); /* no time is left */
    assert_int_equal(p.chunk_test_ns, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_cover_all_once),
        cmocka_unit_test(defaults_are_those_of_the_preset),
        cmocka_unit_test(rows_of_a_preset_have_plans_of_their_own),
        cmocka_unit_test(a_short_look_is_short),
        cmocka_unit_test(a_row_of_a_short_look_is_bounded),
        cmocka_unit_test(ram_sets_size_and_advice),
        cmocka_unit_test(what_has_no_work_is_left_out),
        cmocka_unit_test(workers_get_something_to_do),
        cmocka_unit_test(links_have_no_size),
        cmocka_unit_test(needs_are_counted_in_blocks),
        cmocka_unit_test(empty_files_take_room_too),
        cmocka_unit_test(files_that_no_test_makes_are_not_checked),
        cmocka_unit_test(several_runs_are_csv),
        cmocka_unit_test(seed_is_kept),
        cmocka_unit_test(contents_and_preset_are_named_as_given),
        cmocka_unit_test(runs_go_on_for_seconds),
        cmocka_unit_test(without_a_test_of_data_there_is_no_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
