// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bonnie/reports.h"
#include "support/golden.h"
#include "util/rng.h"

#define SECOND UINT64_C(1000000000)

static struct corruption_entry two_places[] = {
    {.file = 0,
     .offset = 8192,
     .kind = "stale",
     .description = "stale: generation 1.0 expected, generation 0.0 found"},
    {.file = 3,
     .offset = 1099511627776,
     .kind = "zeroed",
     .description = "zeroed: generation 1.0 expected, zeros found"},
};

static struct interval two_seconds[] = {
    {.end_ns = SECOND,
     .ops = 60000,
     .bytes = 491520000,
     .p50_ns = 9000,
     .p99_ns = 30000,
     .max_ns = 41000},
    {.end_ns = 2 * SECOND,
     .ops = 71072,
     .bytes = 582221824,
     .p50_ns = 9500,
     .p99_ns = 31000,
     .max_ns = 5000000},
};

/* A GiB in two seconds, and everything that a test can know about it. */
static struct test_result get_block(void)
{
    return (struct test_result){
        .measured = true,
        .workers = 4,
        .engine = "io_uring",
        .iodepth = 32,
        .direct = {true, DIRECT_YES, "a direct read left no page in the cache"},
        .chunk_bytes = 8192,
        .ops = 131072,
        .bytes = UINT64_C(1) << 30,
        .elapsed_ns = 2 * SECOND,
        .cpu_ns = 500000000,
        .latency_ns = {.min = 4000,
                       .mean = 9600,
                       .p50 = 9216,
                       .p90 = 15000,
                       .p95 = 20000,
                       .p99 = 30464,
                       .p99_9 = 90000,
                       .p99_99 = 1000000,
                       .max = 5000000},
        .verified_bytes = UINT64_C(1) << 30,
        .corrupted = 9,
        .corruption = {.entries = two_places, .count = 2},
        .device = {.known = true,
                   .read_bytes = UINT64_C(1) << 30,
                   .written_bytes = 4096,
                   .read_ops = 131000,
                   .write_ops = 1,
                   .busy_ns = {1990000000}},
        .cache = {.known = true,
                  .resident_percent_before = 0,
                  .resident_percent_after = 12.5,
                  .system_dropped = true},
        .verdict = {.is_known = true,
                    .least = {.by = LIMITED_DEVICE,
                              .reason = REASON_NO_DEVICE,
                              .others = {.used_percent = 3,
                                         .device_percent = 0,
                                         .stolen_percent = -1,
                                         .waited_percent = 12.5},
                              .device_known = true,
                              .in_flight = 7.5,
                              .filesystem = "A \"<fs>\""}},
        .levels = {.count = 2,
                   .list = {{.to = {.ns = SECOND / 2, .bytes = UINT64_C(1) << 29},
                             .rate = 1048576e3,
                             .ci95 = {1024e3, 2048e3},
                             .limited_by = "page cache"},
                            {.from = {.ns = SECOND / 2, .bytes = UINT64_C(1) << 29},
                             .to = {.ns = 2 * SECOND, .bytes = UINT64_C(1) << 30},
                             .rate = 358e6,
                             .ci95 = {1024, 0},
                             .limited_by = "device"}}},
        .intervals = two_seconds,
        .interval_count = 2,
    };
}

/* Five rounds of 0.4 s. With the last of them the test was steady. */
static struct steady_result five_rounds(void)
{
    static struct round rounds[5];
    for (unsigned i = 0; i < 5; i++)
        rounds[i] = (struct round){.end_ns = (i + 1) * (2 * SECOND / 5),
                                   .elapsed_ns = 2 * SECOND / 5,
                                   .ops = 25000 + 500 * i,
                                   .bytes = UINT64_C(8192) * (25000 + 500 * i),
                                   .mean_ns = 9600,
                                   .p99_ns = 30464};
    return (struct steady_result){
        .wanted = true,
        .is_steady = true,
        .metric = ROUND_BANDWIDTH,
        .round_ns = 2 * SECOND / 5,
        .most_rounds = 25,
        .precondition = 2,
        .fit = {.mean = 520000, .range_percent = 7.75, .slope = -10000, .slope_percent = -7.5},
        .rounds = rounds,
        .count = 5,
    };
}

/* A test of files, about which nothing more is known. */
static struct test_result seq_del(uint64_t elapsed_ns)
{
    return (struct test_result){
        .measured = true,
        .workers = 4,
        .engine = "sync",
        .iodepth = 1,
        .ops = 16384,
        .elapsed_ns = elapsed_ns,
        .cpu_ns = elapsed_ns / 2,
        .latency_ns = {.min = 1, .mean = 5, .p50 = 2, .max = 9},
        .verdict = {.is_known = true,
                    .least = {.by = LIMITED_PAGE_CACHE,
                              .reason = REASON_NOT_WRITTEN,
                              .source = SOURCE_DEVICE,
                              .way = WAY_WRITTEN,
                              .others = others_unknown}},
    };
}

/* What the runs of a test case point to. build() begins them anew. */
static struct plan plan;
static struct storage storage;
static struct host host;

/* Two runs. The second one deleted half as fast. */
static void build(struct result runs[static 2])
{
    static const struct engine_ops engine = {.name = "io_uring"};
    host = (struct host){
        .name = "lab", .kernel = "Linux 6.1.0-18-amd64", .c_library = "glibc 2.36", .cpus = 8};
    storage = (struct storage){
        .sources = {.mount = {.filesystem = "ext4", .options = "rw,noatime,stripe=256"},
                    .devices = {.name = "dm-0 (nvme0n1, nvme1n1)"}},
    };
    plan = (struct plan){
        .preset = "bonnie++",
        .directory = "/raid1/caf\351",
        .cache = CACHE_EVICT,
        .host = &host,
        .label = " k\303\266ln \"<1>\"\n",
        .workers = 4,
        .seed = 42,
        .direct = true,
        .contents_name = "compress=50",
        .verify = VERIFY_FULL,
        .min_time_ns = SECOND / 2,
        .chunk_test_ns = 30 * SECOND,
        .time_ns = 60 * SECOND,
        .data = {.bytes = UINT64_C(1) << 30, .chunk_bytes = 8192, .seeks = 8192, .seekers = 5},
        .engine = {.ops = &engine, .depth = 32},
        .iops = {.block_bytes = 4096,
                 .write_percent = 10,
                 .duration_ns = 15 * SECOND,
                 .theta = 0.99},
        .files = {.count = 16384,
                  .kind = FILES_HARD_LINKS,
                  .directories_given = 3,
                  .chunk_bytes = 8192},
    };
    runs[0] = (struct result){.plan = &plan,
                              .storage = &storage,
                              .version = "3.0.0",
                              .ranks = 1,
                              .start_time = 1700000000,
                              .begun_ns = SECOND,
                              .ended_ns = 4 * SECOND};
    runs[1] = runs[0];
    runs[1].start_time += 60;
    runs[0].tests[TEST_GET_BLOCK] = get_block();
    runs[0].tests[TEST_SEQ_DEL] = seq_del(SECOND / 2);
    runs[1].tests[TEST_GET_BLOCK] = get_block();
    runs[1].tests[TEST_GET_BLOCK].intervals = NULL;
    runs[1].tests[TEST_GET_BLOCK].interval_count = 0;
    runs[1].tests[TEST_GET_BLOCK].levels.count = 0;
    runs[1].tests[TEST_SEQ_DEL] = seq_del(SECOND);
}

/* The output for this number of runs. The caller frees it. */
static char *printed_by(const struct report_ops *report, const struct result runs[], size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(report->all(out, runs, count), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *printed(const struct result runs[], size_t count)
{
    return printed_by(&report_json, runs, count);
}

/* The same, parsed. The caller passes it to json_decref(). */
static json_t *parsed(const struct result runs[], size_t count)
{
    json_error_t error;
    char *text = printed(runs, count);
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object)
        fail_msg("%s in\n%s", error.text, text);
    free(text);
    return object;
}

static void expect_golden(const char *name, const struct result runs[], size_t count)
{
    char *text = printed(runs, count);
    char *expected = golden_text(name);
    if (strcmp(text, expected) != 0)
        fail_msg("%s is not what was printed:\n%s", name, text);
    free(text);
    free(expected);
}

/* Compares every byte, and so the order of the keys, whole numbers and fractions. The file was
 * written by hand. */
static void results_come_out_as_written_by_hand(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    plan.seed = SEED_MAX;
    expect_golden("full.json", runs, 2);
}

/* The same for a test that was repeated until it was steady. */
static void rounds_come_out_as_written_by_hand(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    runs[0].tests[TEST_GET_BLOCK].steady = five_rounds();
    runs[0].tests[TEST_GET_BLOCK].levels.count = 0;
    runs[0].tests[TEST_SEQ_DEL].measured = false;
    expect_golden("steady.json", runs, 1);
}

/* A test of this number of bytes or operations in this number of nanoseconds. */
static struct test_result took(uint64_t bytes, uint64_t ops, uint64_t nanoseconds)
{
    return (struct test_result){
        .measured = true, .bytes = bytes, .ops = ops, .elapsed_ns = nanoseconds};
}

static void gobonniego_s_object_is_key_for_key(void **state)
{
    (void)state;
    static const struct host machine = {.ram_bytes = UINT64_C(16) << 30};
    const struct plan half_a_gib = {
        .directory = "/raid1",
        .host = &machine,
        .workers = 4,
        .data.bytes = 512 << 20,
        .iops.duration_ns = SECOND / 2,
    };
    struct result runs[2] = {{
        .plan = &half_a_gib,
        .version = "3.0.0",
        .ranks = 1,
        .start_time = 1700000000,
    }};
    runs[0].tests[TEST_PUT_BLOCK] = took(512000000, 1, SECOND);
    runs[0].tests[TEST_GET_BLOCK] = took(512000000, 1, SECOND / 2);
    runs[1] = runs[0];
    runs[1].start_time += 60;
    runs[0].tests[TEST_IOPS] = took(2560000, 5000, SECOND / 2); /* the second run had no iops */
    char *text = printed_by(&report_gobonniego_json, runs, 2);
    char *expected = golden_text("gobonniego.json");
    assert_string_equal(text, expected);
    free(text);
    free(expected);
}

static const json_t *first_test(const json_t *document)
{
    const json_t *run = json_array_get(json_object_get(document, "runs"), 0);
    return json_array_get(json_object_get(run, "tests"), 0);
}

static void every_test_is_there_in_running_order(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    for (enum test_id test = 0; test < TEST_COUNT; test++)
        runs[0].tests[test] = seq_del(SECOND);
    json_t *document = parsed(runs, 1);
    const json_t *tests =
        json_object_get(json_array_get(json_object_get(document, "runs"), 0), "tests");
    const json_t *summary = json_object_get(document, "summary");
    assert_int_equal(json_array_size(tests), TEST_COUNT);
    assert_int_equal(json_array_size(summary), TEST_COUNT);
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const json_t *both[] = {json_array_get(tests, test), json_array_get(summary, test)};
        for (size_t i = 0; i < 2; i++)
            assert_string_equal(json_string_value(json_object_get(both[i], "name")),
                                test_names[test]);
        assert_non_null(
            json_object_get(both[1], test < TEST_SEEKS ? "bytes_per_second" : "ops_per_second"));
    }
    json_decref(document);
}

/* The summary of a test covers only the runs that have measured it. */
static void runs_without_the_test_do_not_count(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    runs[0].tests[TEST_SEQ_DEL].measured = false;
    json_t *document = parsed(runs, 2);
    const json_t *entry = json_array_get(json_object_get(document, "summary"), 1);
    assert_int_equal(json_integer_value(json_object_get(entry, "runs")), 1);
    const json_t *rate = json_object_get(entry, "ops_per_second");
    assert_true(json_real_value(json_object_get(rate, "median")) == 16384);
    assert_true(json_real_value(json_object_get(rate, "stddev")) == 0);
    assert_true(json_real_value(json_array_get(json_object_get(rate, "ci95"), 1)) == 16384);
    json_decref(document);
}

static void no_number_is_infinite_or_too_large(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    struct test_result *t = &runs[0].tests[TEST_GET_BLOCK];
    t->elapsed_ns = 0;
    t->cache.resident_percent_before = INFINITY;
    t->latency_ns.max = UINT64_MAX;
    json_t *document = parsed(runs, 1);
    const json_t *test = first_test(document);
    assert_true(json_is_real(json_object_get(test, "bytes_per_second")));
    assert_true(json_real_value(json_object_get(test, "bytes_per_second")) == 0);
    assert_true(json_real_value(json_object_get(test, "cpu_percent")) == 0);
    const json_t *busy = json_object_get(json_object_get(test, "device"), "busy_percent");
    assert_true(json_is_real(busy) && json_real_value(busy) == 0);
    const json_t *max = json_object_get(json_object_get(test, "latency_ns"), "max");
    assert_true(json_integer_value(max) == INT64_MAX);
    json_decref(document);
}

static void what_is_not_known_is_null(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    plan.label = NULL;
    host = (struct host){0};
    storage = (struct storage){0};
    json_t *document = parsed(runs, 1);
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(document, "host"), key, value)
    {
        assert_true(json_is_null(value));
    }
    assert_string_equal(json_string_value(json_object_get(document, "label")), "");
    json_decref(document);
}

/* Valid UTF-8 stays as it is. jansson parses nothing else. */
static void no_label_breaks_the_document(void **state)
{
    (void)state;
    static const struct {
        const char *label, *expected;
    } cases[] = {
        {"", ""},
        {"<script>alert(1)</script>,\"x\"&'", "<script>alert(1)</script>,\"x\"&'"},
        {"a\tb\nc\033[2Jd\001", "a b c?[2Jd?"},
        {"\377\376\300\200", "????"},
        {"\303", "?"},
        {"\355\240\200", "???"},
        {"k\303\266ln \342\202\254 \360\237\220\231", "k\303\266ln \342\202\254 \360\237\220\231"},
        {"a\342\200\256b\342\200\250c", "a?b c"},
        {"\n  \"seed\": 7", "\"seed\": 7"},
        {"\\u0000\\", "\\u0000\\"},
        {"%s%n", "%s%n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result runs[2];
        build(runs);
        plan.seed = i;
        plan.label = cases[i].label;
        json_t *document = parsed(runs, 1);
        assert_string_equal(json_string_value(json_object_get(document, "label")),
                            cases[i].expected);
        assert_int_equal(
            json_integer_value(json_object_get(json_object_get(document, "settings"), "seed")), i);
        json_decref(document);
    }
}

static void a_long_label_is_whole(void **state)
{
    (void)state;
    char label[5000];
    memset(label, 'm', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    struct result runs[2];
    build(runs);
    plan.label = label;
    json_t *document = parsed(runs, 1);
    assert_string_equal(json_string_value(json_object_get(document, "label")), label);
    json_decref(document);
}

/* The number of jansson's allocations so far, and the number of the one that fails; 0: none. */
static size_t requests, fail_at, blocks;

static void *scarce_malloc(size_t size)
{
    if (++requests == fail_at)
        return NULL;
    blocks++;
    return malloc(size);
}

static void counting_free(void *block)
{
    blocks -= block != NULL;
    free(block);
}

/* Whichever allocation fails, nothing is printed and no memory is lost. */
static void without_memory_the_report_fails(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    json_set_alloc_funcs(scarce_malloc, counting_free);
    int rc = -ENOMEM;
    for (fail_at = 1; rc != 0; fail_at++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        assert_non_null(out);
        requests = 0;
        rc = report_json.all(out, runs, 2);
        assert_int_equal(fclose(out), 0);
        assert_true(rc == 0 || (rc == -ENOMEM && length == 0));
        requests = fail_at; /* no allocation fails while the report is parsed */
        json_t *document = rc == 0 ? json_loads(text, 0, NULL) : NULL;
        assert_true(rc != 0 || document);
        json_decref(document);
        free(text);
    }
    json_set_alloc_funcs(malloc, free);
    assert_in_range(fail_at, 100, 100000);
    assert_int_equal(blocks, 0);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    struct result runs[2];
    build(runs);
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    assert_int_equal(report_json.all(out, runs, 2), -ENOSPC);
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_out_as_written_by_hand),
        cmocka_unit_test(rounds_come_out_as_written_by_hand),
        cmocka_unit_test(gobonniego_s_object_is_key_for_key),
        cmocka_unit_test(every_test_is_there_in_running_order),
        cmocka_unit_test(runs_without_the_test_do_not_count),
        cmocka_unit_test(no_number_is_infinite_or_too_large),
        cmocka_unit_test(what_is_not_known_is_null),
        cmocka_unit_test(no_label_breaks_the_document),
        cmocka_unit_test(a_long_label_is_whole),
        cmocka_unit_test(without_memory_the_report_fails),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
