// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bonnie/preset.h"
#include "bonnie/reports.h"
#include "support/golden.h"

/* Golden tests: a result built by hand must be printed exactly like the file of its name in
 * tests/golden/report. Those files were written by hand, too; no test writes them. */

#define SECOND     UINT64_C(1000000000)
#define CSV_FIELDS 50

/* What the results of a test case point to. plain_result() begins it anew. */
static struct plan plan;

/* A result without tests, with a plan that the test case may change. */
static struct result plain_result(void)
{
    static const struct host host;
    static const struct engine_ops engine = {.name = "sync"};
    static const struct storage storage;
    plan = (struct plan){
        .preset = "bonnie++",
        .host = &host,
        .label = "lab",
        .workers = 1,
        .seed = 1,
        .data = {.bytes = UINT64_C(1) << 30,
                 .chunk_bytes = DEFAULT_CHUNK_BYTES,
                 .seeks = DEFAULT_SEEKS,
                 .seekers = DEFAULT_SEEKERS},
        .engine.ops = &engine,
        .files = {.count = 1024,
                  .kind = FILES_DATA,
                  .directories_given = 1,
                  .chunk_bytes = DEFAULT_FILE_CHUNK_BYTES},
    };
    return (struct result){.plan = &plan, .storage = &storage, .version = "3.0.0", .ranks = 1};
}

/* A test that moved this number of KiB per second for one second. */
static struct test_result moved(uint64_t kib, double cpu, uint64_t latency_us)
{
    return (struct test_result){
        .measured = true,
        .ops = kib / 8,
        .bytes = kib * 1024,
        .elapsed_ns = SECOND,
        .cpu_ns = (uint64_t)(cpu * 1e7 + 0.5),
        .latency_ns.max = latency_us * 1000,
    };
}

/* A test that did this number of operations per second for ten seconds. */
static struct test_result did(double ops, double cpu, uint64_t latency_us)
{
    return (struct test_result){
        .measured = true,
        .ops = (uint64_t)(ops * 10 + 0.5),
        .bytes = 12345678,
        .elapsed_ns = 10 * SECOND,
        .cpu_ns = (uint64_t)(cpu * 1e8 + 0.5),
        .latency_ns.max = latency_us * 1000,
    };
}

static struct test_result lasted(struct test_result t, uint64_t nanoseconds)
{
    t.elapsed_ns = nanoseconds;
    return t;
}

static struct result full(void)
{
    struct result r = plain_result();
    plan.seed = 1700000000;
    plan.files.count = UINT64_C(16) * 1024;
    r.tests[TEST_PUTC] = moved(1723, 99, 4964);
    r.tests[TEST_PUT_BLOCK] = moved(376832, 92, 5079);
    r.tests[TEST_REWRITE] = moved(2306867, 79, 499);
    r.tests[TEST_GETC] = moved(2716, 99, 5314);
    r.tests[TEST_GET_BLOCK] = moved(3250586, 60, 52);
    r.tests[TEST_SEEKS] = did(8244, 53, 4762);
    r.tests[TEST_SEQ_CREATE] = did(31209, 99, 4263);
    r.tests[TEST_SEQ_STAT] = did(90412, 97, 319);
    r.tests[TEST_SEQ_DEL] = did(96336, 98, 4904);
    r.tests[TEST_RAN_CREATE] = did(30770, 99, 16666);
    r.tests[TEST_RAN_STAT] = did(88869, 97, 81);
    r.tests[TEST_RAN_DEL] = did(88869, 97, 4281);
    return r;
}

static struct result gobonniego(void)
{
    struct result r = full();
    r.tests[TEST_IOPS] = did(20511, 99, 4263);
    return r;
}

static struct result fast(void)
{
    struct result r = plain_result();
    plan.label = "server.example.org";
    plan.workers = 4;
    plan.data.bytes = 64 << 20;
    plan.data.chunk_bytes = 32768;
    plan.data.seeks = 10000;
    plan.data.seekers = 12;
    r.tests[TEST_PUT_BLOCK] = moved(53000, 12.4, 109000);
    r.tests[TEST_REWRITE] = moved(9999, 3.6, 2095000);
    r.tests[TEST_GET_BLOCK] = moved(102349, 9, 100000000);
    r.tests[TEST_SEEKS] = did(533.8, 62, 0);
    return r;
}

/* A label that still fits beside long settings. */
static struct result narrow(void)
{
    struct result r = fast();
    plan.label = "lab";
    plan.data.seekers = DEFAULT_SEEKERS;
    r.tests[TEST_PUT_BLOCK].measured = false;
    r.tests[TEST_REWRITE].measured = false;
    r.tests[TEST_GET_BLOCK].measured = false;
    return r;
}

static struct result files(void)
{
    struct result r = plain_result();
    plan.files.max_bytes = 1024;
    plan.files.min_bytes = 512;
    plan.files.directories_given = 4;
    plan.files.chunk_bytes = 4096;
    r.tests[TEST_SEQ_CREATE] = did(672, 29, 18244);
    r.tests[TEST_SEQ_STAT] = did(5.3, 0.2, 191000);
    r.tests[TEST_SEQ_DEL] = did(10, 0, 1662000);
    r.tests[TEST_RAN_CREATE] = did(0.4, 0.4, 30163000);
    r.tests[TEST_RAN_STAT] = did(571, 25, 1012000);
    r.tests[TEST_RAN_DEL] = did(206, 7, 16996000);
    return r;
}

/* Links have no data, so their sizes mean nothing. */
static struct result links(void)
{
    struct result r = plain_result();
    plan.files.kind = FILES_HARD_LINKS;
    plan.files.min_bytes = 77;
    plan.files.chunk_bytes = 4096;
    r.tests[TEST_SEQ_CREATE] = did(25015, 99, 97);
    r.tests[TEST_SEQ_STAT] = did(28712, 100, 77);
    r.tests[TEST_SEQ_DEL] = did(26846, 99.7, 303);
    return r;
}

static struct result symlinks(void)
{
    struct result r = plain_result();
    plan.files.kind = FILES_SYMBOLIC_LINKS;
    plan.files.directories_given = 3;
    r.tests[TEST_RAN_STAT] = did(28712, 100, 61);
    r.tests[TEST_RAN_DEL] = did(26846, 100, 301);
    return r;
}

/* One nanosecond too short, and just long enough. */
static struct result short_tests(void)
{
    struct result r = plain_result();
    plan.data.bytes = 1 << 20;
    r.tests[TEST_PUT_BLOCK] = lasted(moved(1000, 0.5, 700), 9999999);
    r.tests[TEST_REWRITE] = lasted(moved(1000, 0.5, 800), 10000000);
    r.tests[TEST_SEQ_CREATE] = lasted(did(1024, 1, 9), 0);
    return r;
}

/* Everything that can be too wide for its column is too wide. */
static struct result wide(void)
{
    struct result r = plain_result();
    r.version = "3.0.0-rc1-with-more";
    plan.label = "a-machine-with-a-name-longer-than-any-table-has-room-for";
    plan.workers = 128;
    plan.seed = UINT64_MAX;
    plan.data.bytes = UINT64_C(1) << 50;
    plan.data.chunk_bytes = (1 << 20) + 1;
    plan.data.seeks = UINT64_C(1000000000000);
    plan.data.seekers = 1000;
    plan.files.count = UINT64_C(1048576) * 1024;
    plan.files.max_bytes = 1 << 30;
    plan.files.min_bytes = 1000;
    plan.files.directories_given = 99999;
    plan.files.chunk_bytes = 65536;
    r.tests[TEST_PUTC] = moved(104805172, 1600, 99999);
    r.tests[TEST_PUT_BLOCK] = moved(UINT64_C(10485760000), 100, 100000);
    r.tests[TEST_REWRITE] = moved(1048064, 100, 99999000);
    r.tests[TEST_GETC] = moved(1048063, 100, 100000000);
    r.tests[TEST_GET_BLOCK] = moved(104805171, 100, 3600000000);
    r.tests[TEST_SEEKS] = did(123456, 100, 100000000000);
    r.tests[TEST_SEQ_CREATE] = did(1234567, 100, 500);
    return r;
}

static struct result hostile(void)
{
    struct result r = plain_result();
    plan.label = "<script>alert(1)</script>,\"x\"&";
    r.tests[TEST_PUT_BLOCK] = moved(4096, 50, 10);
    return r;
}

static struct result utf8(void)
{
    struct result r = plain_result();
    plan.label = "k\303\266ln-\342\202\254\342\202\254-1";
    plan.data.bytes = 1536 << 10;
    plan.workers = 4;
    r.tests[TEST_GETC] = moved(4096, 50, 10);
    return r;
}

static struct result classic(void)
{
    struct result r = plain_result();
    plan.label = "mystery";
    plan.data.bytes = 750 << 20;
    r.tests[TEST_PUTC] = moved(534, 65.7, 10);
    r.tests[TEST_PUT_BLOCK] = moved(1236, 22.5, 10);
    r.tests[TEST_REWRITE] = moved(419, 17.5, 10);
    r.tests[TEST_GETC] = moved(564, 74.3, 10);
    r.tests[TEST_GET_BLOCK] = moved(1534, 32.8, 10);
    r.tests[TEST_SEEKS] = did(35, 8.3, 10);
    return r;
}

/* Tests that were skipped, or were too short, or are too fast for their columns. */
static struct result classic_gaps(void)
{
    struct result r = plain_result();
    plan.label = "k\303\266lnische";
    plan.data.bytes = (UINT64_C(16384) << 20) - 1;
    r.tests[TEST_PUT_BLOCK] = moved(1234567, 100, 10);
    r.tests[TEST_REWRITE] = lasted(moved(1234567, 100, 10), 1);
    r.tests[TEST_GET_BLOCK] = moved(534, 65.7, 10);
    r.tests[TEST_SEEKS] = did(1234.5, 99.9, 10);
    return r;
}

static struct corruption_entry three_places[] = {
    {.file = 0, .offset = 8192, .description = "zeroed: generation 1.0 expected, zeros found"},
    {.file = 12,
     .offset = UINT64_C(1) << 40,
     .description = "misdirected: generation 1.0 expected, what belongs to data file 0 at "
                    "1099511627776 found"},
    {.file = 1,
     .offset = 0,
     .description = "flipped: generation 0.0 expected, changed bytes found"},
};

/* A verdict whose figures differ from test to test. */
static struct verdict verdict(enum limited_by by, enum limit_reason reason, double percent,
                              uint64_t advice)
{
    struct verdict v = {.is_known = true,
                        .advice = advice,
                        .least = {.by = by,
                                  .reason = reason,
                                  .device_known = true,
                                  .source = SOURCE_DEVICE,
                                  .device_percent = percent,
                                  .computed_percent = 100 - percent,
                                  .others = {.waited_percent = percent}}};
    v.most = v.least;
    return v;
}

/* Verdicts and advice, where two verdicts share an advice; two tests that were measured briefly;
 * corruption; and a test too short for a verdict. */
static struct result damaged(void)
{
    const uint64_t again = advice_for(&(struct advice_facts){.reason = REASON_OTHERS_COMPUTED});
    const uint64_t larger = advice_for(&(struct advice_facts){
        .test = TEST_GET_BLOCK, .reason = REASON_READ_FROM_CACHE, .evicts = true});
    struct result r = plain_result();
    r.tests[TEST_PUTC] = moved(1723, 99, 4964);
    r.tests[TEST_PUTC].verdict = verdict(LIMITED_OTHERS, REASON_OTHERS_COMPUTED, 70, again);
    r.tests[TEST_GETC] = lasted(moved(1000, 99, 4964), SECOND / 4);
    r.tests[TEST_GETC].is_short = true;
    r.tests[TEST_GETC].verdict = verdict(LIMITED_OTHERS, REASON_OTHERS_COMPUTED, 44.4, again);
    r.tests[TEST_PUT_BLOCK] = moved(2306867, 79, 499);
    r.tests[TEST_PUT_BLOCK].verdict = verdict(LIMITED_DEVICE, REASON_DEVICE_BUSY, 91, 0);
    r.tests[TEST_SEEKS] = r.tests[TEST_PUT_BLOCK];
    r.tests[TEST_SEEKS].is_short = true;
    r.tests[TEST_SEEKS].verdict = verdict(LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS, 2, 0);
    r.tests[TEST_REWRITE] = lasted(moved(2306867, 79, 499), 9999999);
    r.tests[TEST_REWRITE].verdict = verdict(LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS, 1, again);
    r.tests[TEST_REWRITE].verified_bytes = 4096;
    r.tests[TEST_REWRITE].corrupted = 1;
    r.tests[TEST_REWRITE].corruption =
        (struct corruption_list){.entries = &three_places[2], .count = 1};
    r.tests[TEST_GET_BLOCK] = moved(3250586, 60, 52);
    r.tests[TEST_GET_BLOCK].verdict =
        verdict(LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE, 0, larger);
    r.tests[TEST_GET_BLOCK].verified_bytes = 1073741824;
    r.tests[TEST_GET_BLOCK].corrupted = 1000;
    r.tests[TEST_GET_BLOCK].corruption =
        (struct corruption_list){.entries = three_places, .count = 2};
    return r;
}

/* A test whose speed fell, and one at random places whose limit is not known. */
static struct result levels(void)
{
    static const struct level falls[] = {
        {.to = {.ns = 14600 * MILLION, .bytes = UINT64_C(44238163149)},
         .rate = 2.83 * (double)GIB,
         .limited_by = "page cache"},
        {.from = {.ns = 14600 * MILLION, .bytes = UINT64_C(44238163149)},
         .to = {.ns = 90000 * MILLION, .bytes = UINT64_C(115474546934)},
         .rate = 901 * (double)MIB,
         .limited_by = "device"},
    };
    struct result r = plain_result();
    plan.iops.block_bytes = 4096;
    r.tests[TEST_PUT_BLOCK] = moved(1253000, 20, 499000);
    r.tests[TEST_PUT_BLOCK].verdict = verdict(LIMITED_DEVICE, REASON_DEVICE_BUSY, 97, 0);
    r.tests[TEST_IOPS] = did(12345, 10, 300);
    r.tests[TEST_IOPS].chunk_bytes = 4096;
    r.tests[TEST_IOPS].verdict = verdict(LIMITED_UNKNOWN, REASON_NO_DEVICE, 0, 0);
    r.tests[TEST_IOPS].verdict.least.device_known = false;
    for (size_t i = 0; i < 2; i++) {
        r.tests[TEST_PUT_BLOCK].levels.list[r.tests[TEST_PUT_BLOCK].levels.count++] = falls[i];
        r.tests[TEST_IOPS].levels.list[r.tests[TEST_IOPS].levels.count++] = falls[i];
        r.tests[TEST_IOPS].levels.list[i].limited_by = "unknown";
    }
    return r;
}

static const struct golden {
    const char *file;
    const char *format;
    struct result (*build)(void);
} goldens[] = {
    {"levels.txt", "text", levels},
    {"full.txt", "text", full},
    {"full.csv", "csv", full},
    {"gobonniego.txt", "gobonniego", gobonniego},
    {"fast.txt", "text", fast},
    {"fast.csv", "csv", fast},
    {"narrow.txt", "text", narrow},
    {"files.txt", "text", files},
    {"files.csv", "csv", files},
    {"links.txt", "text", links},
    {"links.csv", "csv", links},
    {"symlinks.txt", "text", symlinks},
    {"symlinks.csv", "csv", symlinks},
    {"short.txt", "text", short_tests},
    {"short.csv", "csv", short_tests},
    {"wide.txt", "text", wide},
    {"wide.csv", "csv", wide},
    {"damaged.txt", "text", damaged},
    {"nothing.txt", "text", plain_result},
    {"nothing.csv", "csv", plain_result},
    {"hostile.txt", "text", hostile},
    {"hostile.csv", "csv", hostile},
    {"hostile.html", "html", hostile},
    {"utf8.txt", "text", utf8},
    {"classic.txt", "classic", classic},
    {"classic.html", "html", classic},
    {"classic_gaps.txt", "classic", classic_gaps},
    {"classic_gaps.html", "html", classic_gaps},
};

/* The output of a format for r, or its header if r is NULL. The caller frees it. */
static char *printed(const char *format, const struct result *r)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    const struct report_ops *report = report_by_name(format);
    assert_non_null(report);
    if (r && report->damage)
        assert_int_equal(report->damage(out, r), 0);
    assert_int_equal(r ? report->run(out, r) : report->header(out, &(struct result){.plan = &plan}),
                     0);
    if (r && report->notes)
        assert_int_equal(report->notes(out, r, true), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void results_come_out_as_written_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        struct result r = goldens[i].build();
        char *expected = golden_text(goldens[i].file);
        char *text = printed(goldens[i].format, &r);
        if (strcmp(text, expected) != 0)
            fail_msg("%s is not what was printed:\n%s", goldens[i].file, text);
        free(text);
        free(expected);
    }
}

static void older_generations_have_their_columns(void **state)
{
    static const struct {
        const char *file;
        enum csv_generation csv;
        struct result (*build)(void);
    } lines[] = {
        {"full_1.97.csv", CSV_1_97, full},   {"full_1.03.csv", CSV_1_03, full},
        {"fast_1.97.csv", CSV_1_97, fast},   {"fast_1.03.csv", CSV_1_03, fast},
        {"files_1.96.csv", CSV_1_96, files}, {"files_1.03.csv", CSV_1_03, files},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct result r = lines[i].build();
        plan.csv = lines[i].csv;
        char *expected = golden_text(lines[i].file);
        char *text = printed("csv", &r);
        assert_string_equal(text, expected);
        free(text);
        free(expected);
    }
}

static void header_names_every_field(void **state)
{
    (void)state;
    const char *const files[] = {
        [CSV_1_98] = "header.csv", [CSV_1_96] = "header_1.96.csv", [CSV_1_03] = "header_1.03.csv"};
    plain_result();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i])
            continue;
        plan.csv = (enum csv_generation)i;
        char *none = printed("csv", NULL);
        assert_string_equal(none, "");
        free(none);
        plan.runs = 2; /* one line has no names above it */
        char *expected = golden_text(files[i]);
        char *text = printed("csv", NULL);
        plan.runs = 1;
        assert_string_equal(text, expected);
        free(text);
        free(expected);
    }
}

/* The output of a format after this number of runs, with all that it prints before they end if it
 * prints their tests. The caller frees it. */
static char *printed_at_the_end(const char *format, const struct result runs[], size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    const struct report_ops *report = report_by_name(format);
    if (report->test)
        assert_int_equal(report->header(out, runs), 0);
    for (size_t i = 0; report->test && i < count; i++) {
        for (enum test_id test = 0; test < TEST_COUNT; test++)
            if (runs[i].tests[test].measured)
                assert_int_equal(report->test(out, &runs[i], test), 0);
        assert_int_equal(report->run(out, &runs[i]), 0);
    }
    assert_int_equal(report->all(out, runs, count), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Four tests: one steady, one steady except for one run, one that was too short once, and a large
 * one. */
static void several_runs_end_in_a_summary(void **state)
{
    (void)state;
    struct result runs[3];
    for (unsigned i = 0; i < 3; i++) {
        runs[i] = plain_result();
        runs[i].tests[TEST_PUT_BLOCK] = moved(99000 + i * 1000, 50, 10);
        runs[i].tests[TEST_REWRITE] = lasted(moved(1000, 50, 10), i == 1 ? 9999999 : SECOND);
        runs[i].tests[TEST_GET_BLOCK] = moved(UINT64_C(10485760000), 50, 10);
        runs[i].tests[TEST_SEEKS] = did(i == 2 ? 50 : 100, 50, 10);
    }
    runs[0].tests[TEST_SEQ_DEL] = did(12345.6, 50, 10);
    char *expected = golden_text("summary.txt");
    static const char *const tables[] = {"text", "classic"};
    for (size_t i = 0; i < 2; i++) {
        char *text = printed_at_the_end(tables[i], runs, 3);
        if (strcmp(text, expected) != 0)
            fail_msg("summary.txt is not what was printed:\n%s", text);
        free(text);
        text = printed_at_the_end(tables[i], runs, 1);
        assert_string_equal(text, "");
        free(text);
    }
    free(expected);
}

/* For each row the report shows the median of three runs, and the row's name once. */
static void rows_are_a_table(void **state)
{
    (void)state;
    static const struct preset_row rows[] = {
        {.name = "SEQ1M Q8T1"}, {.name = "RND4K Q32T1"}, {.name = "RND4K Q32T1"}};
    struct plan plans[3];
    struct result runs[5];
    for (unsigned i = 0; i < 5; i++) {
        unsigned row = i < 3 ? 0 : i - 2;
        runs[i] = plain_result();
        plans[row] = plan;
        plans[row].row = &rows[row];
        runs[i].plan = &plans[row];
    }
    for (unsigned i = 0; i < 3; i++) {
        static const uint64_t kib[] = {3000000, 1000000, 2000000};
        runs[i].tests[TEST_PUT_BLOCK] = moved(kib[i] / 2, 50, 100 + i);
        runs[i].tests[TEST_GET_BLOCK] = moved(kib[i], 50, 200 + i);
        runs[i].tests[TEST_GET_BLOCK].verdict = (struct verdict){
            .is_known = true,
            .least = {.by = LIMITED_OTHERS, .reason = REASON_OTHERS_COMPUTED},
        };
    }
    runs[3].tests[TEST_IOPS] = did(12345, 10, 300);
    runs[3].tests[TEST_IOPS].verdict = (struct verdict){
        .is_known = true,
        .least = {.by = LIMITED_DEVICE, .reason = REASON_DEVICE_BUSY},
    };
    plans[2].iops.write_percent = 100;
    runs[4].tests[TEST_IOPS] = lasted(did(1, 10, 300), 9999999);
    for (size_t i = 0; i < 5; i++)
        for (enum test_id test = 0; test < TEST_COUNT; test++)
            runs[i].tests[test].direct = (struct direct_use){.asked = true, .seen = DIRECT_YES};
    char *expected = golden_text("diskmark.txt");
    char *text = printed_at_the_end("diskmark", runs, 5);
    if (strcmp(text, expected) != 0)
        fail_msg("diskmark.txt is not what was printed:\n%s", text);
    free(text);
    free(expected);
}

static struct test_result with_latency(struct test_result t, uint64_t p50_ns, uint64_t p99_ns)
{
    t.latency_ns.p50 = p50_ns;
    t.latency_ns.p99 = p99_ns;
    return t;
}

/* The table of the short look: a row with each kind of figure, and one that could not be
 * measured. */
static void short_look_is_a_table(void **state)
{
    (void)state;
    static const struct preset_row rows[] = {
        {.iodepth = 8, .tests[TEST_PUT_BLOCK].title = "Write 1 MiB, 8 in flight"},
        {.iodepth = 8, .tests[TEST_GET_BLOCK].title = "Read 1 MiB, 8 in flight"},
        {.iodepth = 1, .tests[TEST_IOPS].title = "Read 4 KiB, one by one"},
        {.iodepth = 32, .tests[TEST_IOPS].title = "Write 4 KiB, 32 in flight"},
        {.iodepth = 1, .tests[TEST_IOPS].title = "Durable 8 KiB, one by one"},
        {.tests =
             {[TEST_SEQ_CREATE].title = "Files created", [TEST_SEQ_DEL].title = "Files deleted"}},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    static const struct host host = {.ram_bytes = 24 * GIB,
                                     .cpus = 2,
                                     .filesystem_bytes = 252 * GIB,
                                     .free_bytes = 80 * GIB,
                                     .free_files = UINT64_MAX};
    static const struct storage storage = {.sources = {.mount.filesystem = "ext4",
                                                       .devices.name = "vda",
                                                       .by = {[WAY_READ] = SOURCE_DEVICE}},
                                           .models = "Virtio disk"};
    struct plan plans[COUNT];
    struct result runs[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        runs[i] = plain_result();
        runs[i].storage = &storage;
        runs[i].begun_ns = i * 7 * SECOND;
        runs[i].ended_ns = runs[i].begun_ns + 7 * SECOND;
    }
    plan.directory = "/data";
    plan.host = &host;
    for (unsigned i = 0; i < COUNT; i++) {
        plans[i] = plan;
        plans[i].row = &rows[i];
        runs[i].plan = &plans[i];
    }
    runs[0].tests[TEST_PUT_BLOCK] = moved(UINT64_C(1268777), 50, 100);
    runs[1].tests[TEST_GET_BLOCK] = moved(5120, 50, 100);
    runs[0].tests[TEST_PUT_BLOCK].iodepth = 8;
    runs[1].tests[TEST_GET_BLOCK].iodepth = 1; /* no engine keeps more in flight there */
    runs[1].tests[TEST_GET_BLOCK].direct = (struct direct_use){.asked = true, .seen = DIRECT_YES};
    runs[2].tests[TEST_IOPS] = with_latency(did(16449, 50, 900), 58000, 1125000);
    runs[2].tests[TEST_IOPS].verdict = (struct verdict){
        .is_known = true,
        .least = {.by = LIMITED_DEVICE, .reason = REASON_DEVICE_BUSY},
    };
    snprintf(runs[3].left_out, sizeof runs[3].left_out,
             "it needs O_DIRECT or io_uring, and neither works here");
    runs[4].tests[TEST_IOPS] = with_latency(did(999.4, 50, 900), 702000, UINT64_C(3100000000));
    plans[4].iops.write_percent = 100;
    runs[5].tests[TEST_SEQ_CREATE] = did(128000, 50, 900);
    runs[5].tests[TEST_SEQ_DEL] = lasted(did(1, 10, 300), 9999999);
    char *expected = golden_text("quick.txt");
    char *text = printed_at_the_end("quick", runs, COUNT);
    if (strcmp(text, expected) != 0)
        fail_msg("quick.txt is not what was printed:\n%s", text);
    free(text);
    free(expected);
}

/* Runs that a report was not given are not in it. */
static void only_the_given_runs_are_printed(void **state)
{
    (void)state;
    static const struct preset_row row = {.name = "SEQ1M"};
    struct result runs[2] = {full(), full()};
    plan.row = &row;
    plan.percentiles = true;
    struct plan other = plan;
    other.label = "another";
    runs[1].plan = &other;
    char *both = printed_at_the_end("diskmark", runs, 2);
    char *one = printed_at_the_end("diskmark", runs, 1);
    assert_non_null(strstr(both, "another"));
    assert_null(strstr(one, "another"));
    free(both);
    free(one);
}

static size_t count(const char *text, char wanted)
{
    size_t found = 0;
    for (; *text != '\0'; text++)
        found += *text == wanted;
    return found;
}

static void no_label_breaks_the_csv_line(void **state)
{
    (void)state;
    static const char *const labels[] = {
        NULL,         "",
        ",",          ",,,,,,,,,,,,,,,,",
        "a\nb",       "a\r\nb",
        "\"a,b\"",    "'",
        "\n",         "<!--",
        "]]>",        "a\302\205b",
        "\303,",      "\342\200\250",
        "=cmd|' /C'", "%s%n",
        "a\\",        "\\,",
        "\377",       "\303",
        "#",          "1.98,1,2,3,4,",
        "a;b",        " ",
    };
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        struct result r = full();
        plan.label = labels[i];
        char *line = printed("csv", &r);
        assert_int_equal(count(line, ','), CSV_FIELDS - 1);
        assert_int_equal(count(line, '\n'), 1);
        assert_int_equal(line[strlen(line) - 1], '\n');
        assert_int_equal(count(line, '"') + count(line, '<') + count(line, '\r'), 0);
        assert_memory_equal(line, "1.98,3.00,", 10);
        free(line);
    }
}

/* A reader with room for 1024 bytes must get the whole line. */
static void longest_label_leaves_the_csv_line_short(void **state)
{
    (void)state;
    char label[5000];
    memset(label, 'm', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    struct result r = wide();
    plan.label = label;
    for (enum test_id test = TEST_SEQ_CREATE; test < TEST_COUNT; test++)
        r.tests[test] = did(1234567, 1234, 99999);
    char *line = printed("csv", &r);
    assert_in_range(strlen(line), 255, 1023);
    free(line);
}

static void lines_fit_eighty_columns_and_end_without_blanks(void **state)
{
    (void)state;
    struct result r = full();
    for (unsigned workers = 1; workers < 1000000000; workers = workers * 10 + 3) {
        plan.workers = workers;
        plan.label = workers % 20 ? "some.machine.with.a.name" : "m";
        char *text = printed("text", &r);
        assert_null(strstr(text, " \n"));
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            assert_in_range(strlen(line), 1, 80);
        free(text);
    }
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        "text",     "csv",  "json", "classic", "html", "gobonniego", "gobonniego_json",
        "diskmark", "quick"};
    size_t formats = 0;
    for (; report_formats[formats]; formats++) {
        const struct report_ops *report = report_formats[formats];
        assert_ptr_equal(report_by_name(report->name), report);
        assert_true(report->run || report->all);
    }
    assert_int_equal(formats, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < formats; i++)
        assert_string_equal(report_by_name(names[i])->name, names[i]);
    assert_null(report_by_name("xml"));
    assert_null(report_by_name(""));
}

static void every_format_has_a_golden_test(void **state)
{
    (void)state;
    for (size_t i = 0; report_formats[i]; i++) {
        if (!report_formats[i]->run || report_formats[i]->test)
            continue; /* those for all runs are in test_json.c, the short look is above */
        size_t tests = 0;
        for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++)
            tests += strcmp(goldens[g].format, report_formats[i]->name) == 0;
        assert_in_range(tests, 1, SIZE_MAX);
    }
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    static const struct preset_row row = {
        .name = "Write",
        .part = "1 MiB",
        .tests[TEST_PUT_BLOCK].title = "Write 1 MiB, 8 in flight",
    };
    struct result r = full();
    plan.row = &row;
    plan.directory = "/data";
    plan.runs = 2;
    for (size_t i = 0; report_formats[i]; i++) {
        FILE *out = fopen("/dev/full", "w");
        assert_non_null(out);
        if (report_formats[i]->test)
            assert_int_equal(report_formats[i]->test(out, &r, TEST_PUT_BLOCK), -ENOSPC);
        else if (report_formats[i]->run)
            assert_int_equal(report_formats[i]->run(out, &r), -ENOSPC);
        if (report_formats[i]->header)
            assert_int_equal(report_formats[i]->header(out, &r), -ENOSPC);
        const struct result twice[] = {r, r};
        if (report_formats[i]->all)
            assert_int_equal(report_formats[i]->all(out, twice, 2), -ENOSPC);
        fclose(out);
    }
}

/* Without a buffer every write fails on its own, and a flush has nothing to do. */
static void an_earlier_failure_is_not_forgotten(void **state)
{
    (void)state;
    struct result r = full();
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    setvbuf(out, NULL, _IONBF, 0);
    assert_in_range(-report_by_name("text")->run(out, &r), 1, 4095);
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_out_as_written_by_hand),
        cmocka_unit_test(older_generations_have_their_columns),
        cmocka_unit_test(header_names_every_field),
        cmocka_unit_test(several_runs_end_in_a_summary),
        cmocka_unit_test(rows_are_a_table),
        cmocka_unit_test(short_look_is_a_table),
        cmocka_unit_test(only_the_given_runs_are_printed),
        cmocka_unit_test(no_label_breaks_the_csv_line),
        cmocka_unit_test(longest_label_leaves_the_csv_line_short),
        cmocka_unit_test(lines_fit_eighty_columns_and_end_without_blanks),
        cmocka_unit_test(formats_are_found_by_name),
        cmocka_unit_test(every_format_has_a_golden_test),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(an_earlier_failure_is_not_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
