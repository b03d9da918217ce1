// SPDX-License-Identifier: GPL-2.0-or-later
/* Advice for all tests, reasons and settings: it applies to all of them, and the user can follow
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bonnie/verdict.h"
#include "util/units.h"

#define CPUS 4

static char advice[ADVICE_TEXT];

static bool says(const char *words)
{
    return strstr(advice, words) != NULL;
}

static bool is_of_characters(enum test_id test)
{
    return test == TEST_PUTC || test == TEST_GETC;
}

static bool is_of_blocks(enum test_id test)
{
    return test == TEST_PUT_BLOCK || test == TEST_REWRITE || test == TEST_GET_BLOCK;
}

static bool is_random(enum test_id test)
{
    return test == TEST_SEEKS || test == TEST_IOPS;
}

static bool is_of_files(enum test_id test)
{
    return test >= TEST_FIRST_METADATA;
}

static bool is_stat(enum test_id test)
{
    return test == TEST_SEQ_STAT || test == TEST_RAN_STAT;
}

static bool is_create(enum test_id test)
{
    return test == TEST_SEQ_CREATE || test == TEST_RAN_CREATE;
}

/* Calls `check` with every combination of the facts that the table uses. */
static void with_all(void (*check)(const struct advice_facts *f))
{
    static const struct {
        unsigned workers, iodepth;
    } sizes[] = {{1, 1}, {2, 1}, {CPUS, 1}, {64, 1}, {1, 32}, {5, 4}};
    static const uint64_t chunks[] = {0, 1000, 4096, 8192, 64 * KIB, MIB, 16 * MIB};
    for (enum limit_reason reason = 0; reason < REASON_COUNT; reason++)
        for (enum test_id test = 0; test < TEST_COUNT; test++)
            for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
                for (size_t chunk = 0; chunk < sizeof chunks / sizeof chunks[0]; chunk++)
                    for (unsigned flags = 0; flags < 1U << 7; flags++) {
                        const struct advice_facts f = {
                            .test = test,
                            .reason = reason,
                            .workers = sizes[size].workers,
                            .iodepth = sizes[size].iodepth,
                            .cpus = CPUS,
                            .operation_bytes = chunks[chunk],
                            .is_direct = (is_of_blocks(test) || is_random(test)) && (flags & 1),
                            .is_durable = flags & 2,
                            .engine_queues = flags & 4,
                            .engine_needs_direct = (flags & 4) && (flags & 8),
                            .evicts = flags & 16,
                            .is_compressible = flags & 32,
                            .lacks_journal = flags & 64,
                        };
                        memset(advice, '#', sizeof advice);
                        advice_text(advice, advice_for(&f));
                        check(&f);
                    }
}

static void check_sentence(const struct advice_facts *f)
{
    assert_non_null(memchr(advice, '\0', sizeof advice));
    size_t length = strlen(advice);
    assert_true(length < sizeof advice - 1); /* nothing was cut off */
    assert_null(strpbrk(advice, ",\n"));
    assert_true(length == 0 || advice[length - 1] == '.');
    assert_true(length == 0 || advice[0] == '-' || (advice[0] >= 'A' && advice[0] <= 'Z'));
    if (f->reason == REASON_NOTHING_EXPLAINS || f->reason == REASON_NO_DEVICE ||
        f->reason == REASON_NOTHING_MOVED)
        assert_string_equal(advice, "");
}

static void every_advice_is_a_sentence_without_commas(void **state)
{
    (void)state;
    with_all(check_sentence);
}

static void check_test(const struct advice_facts *f)
{
    enum test_id test = f->test;
    if (says("-D") || says("--engine") || says("--iodepth") || says("asynchronous"))
        assert_true(is_of_blocks(test) || is_random(test)); /* other tests ignore these options */
    if (says("chunk (-s"))
        assert_true(is_of_blocks(test)); /* seeks and iops need their size as it is */
    if (says("seekers"))
        assert_int_equal(test, TEST_SEEKS);
    if (says("workers (-c)"))
        assert_int_not_equal(test, TEST_SEEKS);
    if (says("-s "))
        assert_false(is_of_files(test));
    if (says("-n"))
        assert_true(is_stat(test));
    if (says("-b"))
        assert_true(is_create(test));
    if (says("--cache=evict"))
        assert_true(is_stat(test) || !is_of_files(test));
    if (says("journal"))
        assert_true(is_create(test));
}

static void advice_fits_the_test(void **state)
{
    (void)state;
    with_all(check_test);
}

static void check_settings(const struct advice_facts *f)
{
    if (f->is_direct)
        assert_false(says("-D"));
    if (f->evicts)
        assert_false(says("--cache=evict"));
    if (!f->is_compressible)
        assert_false(says("--data=random"));
    if (f->is_durable)
        assert_false(says("-b"));
    if (!f->lacks_journal)
        assert_false(says("journal"));
    if (f->engine_queues)
        assert_false(says("asynchronous"));
    else
        assert_false(says("greater --iodepth"));
    if (!f->is_direct && says("asynchronous"))
        assert_true(says("-D with")); /* buffered transfers are not asynchronous */
    if (f->operation_bytes % 512 != 0)
        assert_false(says("-D"));
    if (f->operation_bytes >= MIB)
        assert_false(says("larger chunk"));
    if (f->workers * f->iodepth >= 32 && f->reason == REASON_DEVICE_BUSY)
        assert_true(*advice == '\0' || says("-D"));
    if (f->workers >= CPUS && f->reason == REASON_COMPUTED)
        assert_false(says("workers") || says("seekers"));
}

static void advice_fits_the_settings(void **state)
{
    (void)state;
    with_all(check_settings);
}

static void check_reason(const struct advice_facts *f)
{
    if (f->reason == REASON_CPUS_FULL)
        assert_false(says("workers") || says("seekers"));
    if (f->reason == REASON_OTHERS_COMPUTED)
        assert_true(says("idle machine"));
    if (f->reason == REASON_IN_MEMORY)
        assert_true(says("-d"));
    if (says("--cache=evict") || says("larger -s"))
        assert_int_equal(f->reason, REASON_READ_FROM_CACHE);
    if (is_of_characters(f->test) && f->reason == REASON_DEVICE_BUSY)
        assert_string_equal(advice, "");
}

static void advice_fits_the_reason(void **state)
{
    (void)state;
    with_all(check_reason);
}

/* The advice in the most common cases. */
static void common_cases(void **state)
{
    (void)state;
    static const struct {
        struct advice_facts facts;
        const char *advice;
    } cases[] = {
        {{.test = TEST_GET_BLOCK, .reason = REASON_DEVICE_BUSY, .is_direct = true},
         "Larger chunks (-s SIZE:1m) or --engine=io_uring --iodepth=32 or more workers (-c) may "
         "help."},
        {{.test = TEST_GET_BLOCK, .reason = REASON_DEVICE_BUSY},
         "-D --engine=io_uring --iodepth=32 or more workers (-c) may help."},
        {{.test = TEST_PUT_BLOCK, .reason = REASON_DEVICE_BUSY}, ""},
        {{.test = TEST_PUT_BLOCK, .reason = REASON_DEVICE_BUSY, .is_durable = true},
         "Larger chunks (-s SIZE:1m) may help."},
        {{.test = TEST_PUT_BLOCK, .reason = REASON_COMPUTED},
         "Larger chunks (-s SIZE:1m) or -D or more workers (-c) may help."},
        {{.test = TEST_PUTC, .reason = REASON_COMPUTED}, "More workers (-c) may help."},
        {{.test = TEST_SEEKS, .reason = REASON_COMPUTED, .is_direct = true},
         "More seekers (-s) may help."},
        {{.test = TEST_SEQ_CREATE, .reason = REASON_COMPUTED, .lacks_journal = true},
         "A journal (this ext4 has none) may help."},
        {{.test = TEST_SEQ_CREATE, .reason = REASON_COMPUTED}, "More workers (-c) may help."},
        {{.test = TEST_GET_BLOCK, .reason = REASON_READ_FROM_CACHE},
         "--cache=evict or -D or a larger -s would measure the storage."},
        {{.test = TEST_GET_BLOCK, .reason = REASON_READ_FROM_CACHE, .evicts = true},
         "-D or a larger -s would measure the storage."},
        {{.test = TEST_SEQ_STAT, .reason = REASON_READ_FROM_CACHE, .evicts = true},
         "More files (-n) would measure the storage."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct advice_facts f = cases[i].facts;
        f.workers = 1;
        f.iodepth = 1;
        f.cpus = CPUS;
        f.operation_bytes = 8192;
        advice_text(advice, advice_for(&f));
        assert_string_equal(advice, cases[i].advice);
    }
}

/* ---- the sentences ---- */

static char words[LIMIT_SENTENCE];

/* The sentence for a judgement. The longest one must fit into a line, too. */
static const char *sentence(const struct judgement *j, const char *filesystem)
{
    struct judgement of = *j;
    of.others.cpus = 2;
    if (filesystem)
        strcpy(of.filesystem, filesystem);
    limit_sentence(words, &of, &of);
    assert_null(strpbrk(words, ",\n"));
    assert_int_equal(words[strlen(words) - 1], '.');
    assert_true(strlen(words) <= 80 - strlen("  page cache  seq_create  "));
    return words;
}

static void every_reason_has_a_short_sentence(void **state)
{
    (void)state;
    for (enum limit_reason reason = 0; reason < REASON_COUNT; reason++) {
        struct judgement j = {.by = LIMITED_CPU,
                              .reason = reason,
                              .doubt = "the names differ",
                              .others.waited_percent = -1};
        assert_true(strlen(sentence(&j, NULL)) > 10);
        assert_true(strlen(sentence(&j, "nfs4")) > 10);
        j = (struct judgement){.by = LIMITED_CPU,
                               .reason = reason,
                               .device_known = true,
                               .device_percent = 100,
                               .computed_percent = 100,
                               .others.waited_percent = 100,
                               .others.own_percent = 100,
                               .others.stolen_percent = 100,
                               .others.device_percent = 100,
                               .doubt = "the names differ",
                               .instant_ns = 9999,
                               .moved_percent = 0.5,
                               .held_percent = 100,
                               .held_by = IO_LIMIT_WRITTEN_BYTES,
                               .held_to = 9999 * MIB};
        sentence(&j, "tmpfs");
    }
}

static void sentences_name_their_figures(void **state)
{
    (void)state;
    struct judgement j = {.reason = REASON_DEVICE_BUSY,
                          .device_known = true,
                          .device_percent = 76,
                          .computed_percent = 39};
    assert_string_equal(sentence(&j, NULL), "Device busy 76 %; computing 39 %.");
    j.others.waited_percent = 3;
    assert_string_equal(sentence(&j, NULL), "Device busy 76 %; computing 39 %; no CPU free 3 %.");
    j.reason = REASON_COMPUTED;
    j.device_known = false;
    j.others.waited_percent = -1;
    assert_string_equal(sentence(&j, NULL), "Computing 39 %.");
    j = (struct judgement){.reason = REASON_OTHERS_COMPUTED, .others.waited_percent = 70};
    assert_string_equal(sentence(&j, NULL), "Waiting for a CPU 70 % of the time: others used it.");
    j = (struct judgement){.reason = REASON_CPUS_FULL, .others.own_percent = 96};
    assert_string_equal(sentence(&j, NULL), "The test used 96 % of the time of 2 CPUs.");
    j = (struct judgement){.reason = REASON_OTHERS_MOVED, .others.device_percent = 68};
    assert_string_equal(sentence(&j, NULL), "Others moved 68 % of the device's bytes.");
    j = (struct judgement){.reason = REASON_HOST_TOOK, .others.stolen_percent = 31};
    assert_string_equal(sentence(&j, NULL), "The host took 31 % of the time of the CPUs.");
    j = (struct judgement){.reason = REASON_DEVICE_BUSY,
                           .device_known = true,
                           .device_percent = 7,
                           .computed_percent = -1};
    assert_string_equal(sentence(&j, NULL), "Device busy 7 %.");
    j = (struct judgement){.reason = REASON_DEVICE_HELD,
                           .held_by = IO_LIMIT_WRITTEN_BYTES,
                           .held_to = 20 * MIB,
                           .held_percent = 98};
    assert_string_equal(sentence(&j, NULL), "Control group: writes of 20.0 MiB/s; 98 % used.");
    j.held_by = IO_LIMIT_READ_OPS;
    j.held_to = 500;
    assert_string_equal(sentence(&j, NULL), "Control group: 500 reads/s; 98 % used.");
}

/* The rule is "less than 90 %": the text must not say 90, nor "only 0 %". */
static void what_the_device_moved_is_rounded_down(void **state)
{
    (void)state;
    struct judgement j = {
        .reason = REASON_READ_FROM_CACHE, .source = SOURCE_DEVICE, .moved_percent = 89.9};
    assert_string_equal(sentence(&j, NULL), "The device read 89 % of the data.");
    j.moved_percent = 0.5;
    assert_string_equal(sentence(&j, NULL), "The device read <1 % of the data.");
    j.moved_percent = 0;
    assert_string_equal(sentence(&j, NULL), "The device read none of the data.");
    j.others.waited_percent = 70;
    assert_string_equal(sentence(&j, NULL), "The device read none of the data; no CPU free 70 %.");
    j.others.waited_percent = -1;
    j.reason = REASON_NOT_WRITTEN;
    j.way = WAY_WRITTEN;
    j.moved_percent = 50;
    assert_string_equal(sentence(&j, NULL), "The device wrote 50 % of the data.");
}

/* Whoever knows how much came from storage is named. */
static void the_source_of_evidence_is_named(void **state)
{
    (void)state;
    static const struct {
        enum source source;
        enum way way;
        double moved_percent;
        const char *sentence;
    } cases[] = {
        {SOURCE_PROCESS, WAY_READ, 0, "This process read none of the data from storage."},
        {SOURCE_PROCESS, WAY_READ, 100, "This process read all of the data from storage."},
        {SOURCE_GROUP, WAY_WRITTEN, 12, "The control group wrote 12 % of the data to storage."},
        {SOURCE_NFS, WAY_READ, 100, "The server sent all of the data."},
        {SOURCE_CIFS, WAY_WRITTEN, 99.9, "The server took 99 % of the data."},
        {SOURCE_ZFS, WAY_READ, 0.2, "ZFS read <1 % of the data from storage."},
        {SOURCE_BELOW, WAY_WRITTEN, 3, "The device below wrote 3 % of the data."},
        {SOURCE_RESIDENT, WAY_READ, 0, "The page cache had all of the data."},
        {SOURCE_RESIDENT, WAY_READ, 60, "The page cache had 40 % of the data."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct judgement j = {.reason = REASON_STORAGE_MOVED,
                              .source = cases[i].source,
                              .way = cases[i].way,
                              .moved_percent = cases[i].moved_percent};
        assert_string_equal(sentence(&j, NULL), cases[i].sentence);
    }
}

/* A quota of CPU time is a limit like those of I/O. */
static void a_quota_is_named(void **state)
{
    (void)state;
    struct judgement j = {.by = LIMITED_CPU,
                          .reason = REASON_QUOTA,
                          .others.waited_percent = 70,
                          .quota_cpus = 0.2,
                          .quota_percent = 98};
    assert_string_equal(sentence(&j, NULL), "Control group: 0.20 CPUs; 98 % used.");
    j.reason = REASON_READ_FROM_CACHE;
    j.source = SOURCE_DEVICE;
    assert_string_equal(sentence(&j, NULL),
                        "The device read none of the data; CPU quota used 98 %.");
}

static void the_filesystem_is_named(void **state)
{
    (void)state;
    struct judgement j = {.reason = REASON_IN_MEMORY};
    assert_string_equal(sentence(&j, "tmpfs"), "tmpfs is memory and has no device.");
    j.reason = REASON_NO_DEVICE;
    assert_string_equal(sentence(&j, "nfs4"), "nfs4 has no block device to watch.");
    assert_string_equal(sentence(&j, NULL), "This filesystem has no block device to watch.");
}

/* The verdict on one test. */
static struct verdict verdict_of(const struct judgement *j, struct advice_facts facts)
{
    facts.reason = j->reason;
    return (struct verdict){
        .is_known = true, .least = *j, .most = *j, .advice = advice_for(&facts)};
}

/* Two tests with the same reason share a sentence, which has the smallest and the largest of each
 * figure. */
static void tests_are_told_together(void **state)
{
    (void)state;
    const struct advice_facts reads = {.test = TEST_GET_BLOCK, .cpus = 2, .workers = 1};
    const struct advice_facts seeks = {.test = TEST_SEEKS, .cpus = 2, .workers = 1};
    struct judgement j = {.by = LIMITED_CPU,
                          .reason = REASON_COMPUTED,
                          .device_known = true,
                          .device_percent = 40.6,
                          .computed_percent = 78};
    struct verdict sum;
    struct verdict other;
    sum = verdict_of(&j, reads);
    assert_true(verdict_join(&sum, &sum));
    limit_sentence(words, &sum.least, &sum.most);
    assert_string_equal(words, "Device busy 40 %; computing 78 %.");

    j.device_percent = 74;
    j.computed_percent = 56;
    j.others.waited_percent = 18;
    other = verdict_of(&j, reads);
    assert_true(verdict_join(&sum, &other));
    limit_sentence(words, &sum.least, &sum.most);
    assert_string_equal(words, "Device busy 40-74 %; computing 56-78 %; no CPU free 0-18 %.");

    other = verdict_of(&j, seeks);
    assert_true(verdict_join(&sum, &other));
    advice_text(advice, sum.advice);
    assert_string_equal(advice, "Larger chunks (-s SIZE:1m) or -D or more workers (-c) or more "
                                "seekers (-s) may help.");
    j.reason = REASON_OTHERS_COMPUTED;
    other = verdict_of(&j, reads);
    assert_false(verdict_join(&sum, &other));
    assert_false(verdict_join(&sum, &(struct verdict){0}));
    assert_false(verdict_join(&(struct verdict){0}, &(struct verdict){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_advice_is_a_sentence_without_commas),
        cmocka_unit_test(advice_fits_the_test),
        cmocka_unit_test(advice_fits_the_settings),
        cmocka_unit_test(advice_fits_the_reason),
        cmocka_unit_test(common_cases),
        cmocka_unit_test(every_reason_has_a_short_sentence),
        cmocka_unit_test(sentences_name_their_figures),
        cmocka_unit_test(what_the_device_moved_is_rounded_down),
        cmocka_unit_test(the_source_of_evidence_is_named),
        cmocka_unit_test(a_quota_is_named),
        cmocka_unit_test(the_filesystem_is_named),
        cmocka_unit_test(tests_are_told_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
