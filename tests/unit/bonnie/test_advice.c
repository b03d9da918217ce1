/* Advice, over all tests, reasons and settings: what is said fits both, and can be followed. */
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

/* Calls `check` with every combination of what the table looks at. */
static void with_all(void (*check)(const struct advice_facts *f))
{
    static const struct {
        unsigned workers, iodepth;
    } sizes[] = {{1, 1}, {2, 1}, {CPUS, 1}, {64, 1}, {1, 32}, {5, 4}};
    static const uint64_t chunks[] = {0, 1000, 4096, 8192, 64 * KIB, MIB, 16 * MIB};
    for (enum bottleneck_reason reason = 0; reason < REASON_COUNT; reason++)
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
                        advice_for(advice, &f);
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
        assert_true(is_of_blocks(test) || is_random(test)); /* the others do not heed these */
    if (says("chunk (-s"))
        assert_true(is_of_blocks(test)); /* of seeks and iops it is the work itself */
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
        assert_true(*advice == '\0' || says("-D (--direct)"));
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

/* What is said in the cases that most people meet. */
static void common_cases(void **state)
{
    (void)state;
    static const struct {
        struct advice_facts facts;
        const char *advice;
    } cases[] = {
        {{.test = TEST_GET_BLOCK, .reason = REASON_DEVICE_BUSY, .is_direct = true},
         "A larger chunk (-s SIZE:1m) or an asynchronous engine (--engine=io_uring --iodepth=32) "
         "or more workers (-c) may get more out of the device."},
        {{.test = TEST_GET_BLOCK, .reason = REASON_DEVICE_BUSY},
         "-D with an asynchronous engine (--engine=io_uring --iodepth=32) or more workers (-c) may "
         "get more out of the device."},
        {{.test = TEST_PUT_BLOCK, .reason = REASON_DEVICE_BUSY}, ""},
        {{.test = TEST_PUT_BLOCK, .reason = REASON_DEVICE_BUSY, .is_durable = true},
         "A larger chunk (-s SIZE:1m) may get more out of the device."},
        {{.test = TEST_PUT_BLOCK, .reason = REASON_COMPUTED},
         "A larger chunk (-s SIZE:1m) or -D (--direct) or more workers (-c) may be faster."},
        {{.test = TEST_PUTC, .reason = REASON_COMPUTED}, "More workers (-c) may be faster."},
        {{.test = TEST_SEEKS, .reason = REASON_COMPUTED, .is_direct = true},
         "More seekers (-s SIZE:CHUNK:SEEKS:SEEKERS) may be faster."},
        {{.test = TEST_SEQ_CREATE, .reason = REASON_COMPUTED, .lacks_journal = true},
         "A journal (this ext4 has none and skips inodes that were freed lately) may be faster."},
        {{.test = TEST_SEQ_CREATE, .reason = REASON_COMPUTED}, "More workers (-c) may be faster."},
        {{.test = TEST_GET_BLOCK, .reason = REASON_READ_FROM_CACHE},
         "--cache=evict or -D (--direct) or a larger -s would measure more of the device."},
        {{.test = TEST_GET_BLOCK, .reason = REASON_READ_FROM_CACHE, .evicts = true},
         "-D (--direct) or a larger -s would measure more of the device."},
        {{.test = TEST_SEQ_STAT, .reason = REASON_READ_FROM_CACHE, .evicts = true},
         "More files (-n) would measure more of the device."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct advice_facts f = cases[i].facts;
        f.workers = 1;
        f.iodepth = 1;
        f.cpus = CPUS;
        f.operation_bytes = 8192;
        advice_for(advice, &f);
        assert_string_equal(advice, cases[i].advice);
    }
}

/* ---- the sentences ---- */

static struct verdict verdict;

static const char *sentence(const struct judgement *j, const char *filesystem)
{
    const struct advice_facts facts = {.cpus = 2};
    verdict_tell(&verdict, j, &facts, filesystem);
    assert_null(strpbrk(verdict.sentence, ",\n"));
    assert_int_equal(verdict.sentence[strlen(verdict.sentence) - 1], '.');
    assert_int_equal(verdict.by, j->by);
    return verdict.sentence;
}

static void every_reason_has_a_sentence(void **state)
{
    (void)state;
    for (enum bottleneck_reason reason = 0; reason < REASON_COUNT; reason++) {
        const struct judgement j = {.by = LIMITED_CPU, .reason = reason, .waited_percent = -1};
        assert_true(strlen(sentence(&j, NULL)) > 10);
        assert_true(strlen(sentence(&j, "fuse.sshfs")) > 10);
    }
}

static void sentences_name_their_figures(void **state)
{
    (void)state;
    struct judgement j = {.reason = REASON_DEVICE_BUSY,
                          .device_known = true,
                          .device_percent = 76,
                          .computed_percent = 39};
    assert_string_equal(sentence(&j, NULL), "Device busy 76 %; worker computing 39 % of the time.");
    j.waited_percent = 3;
    assert_string_equal(sentence(&j, NULL), "Device busy 76 %; worker computing 39 % and "
                                            "waiting for a CPU 3 % of the time.");
    j.reason = REASON_COMPUTED;
    j.device_known = false;
    j.waited_percent = -1;
    assert_string_equal(sentence(&j, NULL), "Worker computing 39 % of the time.");
    j.reason = REASON_NOTHING_EXPLAINS;
    assert_string_equal(sentence(&j, NULL), "Worker computing 39 % of the time: none "
                                            "of that explains the figure.");
    j = (struct judgement){.reason = REASON_OTHERS_COMPUTED, .waited_percent = 70};
    assert_string_equal(sentence(&j, NULL),
                        "Waiting for a CPU 70 % of the time: other programs had it.");
    j = (struct judgement){.reason = REASON_CPUS_FULL, .cpus_percent = 96};
    assert_string_equal(sentence(&j, NULL), "The test used 96 % of the time of 2 CPUs.");
    j = (struct judgement){.reason = REASON_DEVICE_HELD,
                           .held_by = IO_LIMIT_WRITTEN_BYTES,
                           .held_to = 20 * MIB,
                           .held_percent = 98};
    assert_string_equal(sentence(&j, NULL),
                        "Its control group may write 20.0 MiB/s: 98 % of that was used.");
    j.held_by = IO_LIMIT_READ_OPS;
    j.held_to = 500;
    assert_string_equal(sentence(&j, NULL),
                        "Its control group may read 500 times a second: 98 % of that was used.");
}

/* The rule is "less than 90 %": 90 is not to stand there. And nothing is not "only 0 %". */
static void what_the_device_moved_is_rounded_down(void **state)
{
    (void)state;
    struct judgement j = {.reason = REASON_READ_FROM_CACHE, .moved_percent = 89.9};
    assert_string_equal(sentence(&j, NULL), "89 % of what was read came from the device.");
    j.moved_percent = 0.5;
    assert_string_equal(sentence(&j, NULL), "Less than 1 % of what was read came from the device.");
    j.moved_percent = 0;
    assert_string_equal(sentence(&j, NULL), "None of what was read came from the device.");
    j.waited_percent = 70;
    assert_string_equal(sentence(&j, NULL), "None of what was read came from the device; waiting "
                                            "for a CPU 70 % of the time.");
    j.waited_percent = -1;
    j.reason = REASON_NOT_WRITTEN;
    j.moved_percent = 50;
    assert_string_equal(sentence(&j, NULL), "50 % of what was written reached the device.");
}

static void the_filesystem_is_named(void **state)
{
    (void)state;
    struct judgement j = {.reason = REASON_IN_MEMORY};
    assert_string_equal(sentence(&j, "tmpfs"),
                        "Below tmpfs there is no device: this is the speed of memory.");
    j.reason = REASON_NO_DEVICE;
    assert_string_equal(sentence(&j, "nfs4"), "Below nfs4 there is no block device to watch.");
    assert_string_equal(sentence(&j, NULL),
                        "Below this filesystem there is no block device to watch.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_advice_is_a_sentence_without_commas),
        cmocka_unit_test(advice_fits_the_test),
        cmocka_unit_test(advice_fits_the_settings),
        cmocka_unit_test(advice_fits_the_reason),
        cmocka_unit_test(common_cases),
        cmocka_unit_test(every_reason_has_a_sentence),
        cmocka_unit_test(sentences_name_their_figures),
        cmocka_unit_test(what_the_device_moved_is_rounded_down),
        cmocka_unit_test(the_filesystem_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
