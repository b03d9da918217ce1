#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/limits.h"

#define SECOND UINT64_C(1000000000)
#define MIB    (UINT64_C(1) << 20)

/* Ten seconds in which 1000 MiB were read, all of them from the device, by one worker. */
static const struct evidence reading = {
    .elapsed_ns = 10 * SECOND,
    .busiest_cpu_ns = 2 * SECOND,
    .in_flight = 1,
    .read_bytes = 1000 * MIB,
    .filesystem = "ext4",
    .is_stored = true,
    .device = {.known = true, .read_bytes = 1000 * MIB, .read_ops = 1000, .busy_percent = 75},
};

static struct verdict verdict;

static enum limit judge(const struct evidence *e)
{
    limits_judge(&verdict, e);
    assert_true(verdict.sentence[strlen(verdict.sentence) - 1] == '.');
    assert_null(strpbrk(verdict.sentence, ",\n")); /* no line is taken for CSV */
    assert_null(strpbrk(verdict.advice, ",\n"));
    return verdict.by;
}

static void what_comes_from_the_device_is_its_speed(void **state)
{
    (void)state;
    struct evidence e = reading;
    assert_int_equal(judge(&e), LIMITED_DEVICE);
    assert_string_equal(verdict.sentence, "Device busy 75 %; busiest worker 20 % of the time.");
    assert_non_null(strstr(verdict.advice, "One operation at a time"));
    e.in_flight = 32;
    assert_int_equal(judge(&e), LIMITED_DEVICE);
    assert_string_equal(verdict.advice, "");
}

static void what_does_not_is_the_page_cache(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.read_bytes = 890 * MIB;
    assert_int_equal(judge(&e), LIMITED_PAGE_CACHE);
    assert_string_equal(verdict.sentence, "Only 89 % of what was read came from the device.");
    assert_non_null(strstr(verdict.advice, "--cache=evict"));
    e.device.read_bytes = 0;
    e.busiest_cpu_ns = 10 * SECOND; /* copying memory takes CPU time: that explains nothing */
    assert_int_equal(judge(&e), LIMITED_PAGE_CACHE);
    e.device.read_bytes = 900 * MIB;
    assert_int_equal(judge(&e), LIMITED_CPU);
}

static void others_traffic_proves_nothing_more(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.read_bytes = 5000 * MIB;
    assert_int_equal(judge(&e), LIMITED_DEVICE);
}

static void writes_that_stay_in_memory_are_told(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.read_bytes = 0;
    e.written_bytes = 1000 * MIB;
    e.device.written_bytes = 500 * MIB;
    assert_int_equal(judge(&e), LIMITED_PAGE_CACHE);
    assert_non_null(strstr(verdict.sentence, "Only 50 % of what was written reached the device."));
    e.device.written_bytes = 1001 * MIB;
    assert_int_equal(judge(&e), LIMITED_DEVICE);
}

static void a_worker_that_computes_all_the_time_is_the_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.busiest_cpu_ns = 9 * SECOND;
    e.device.busy_percent = 100;
    assert_int_equal(judge(&e), LIMITED_CPU);
    e.busiest_cpu_ns = 6 * SECOND;
    assert_int_equal(judge(&e), LIMITED_DEVICE);
    e.device.busy_percent = 59;
    assert_int_equal(judge(&e), LIMITED_CPU);
    assert_non_null(strstr(verdict.advice, "-D"));
    e.is_direct = true;
    assert_int_equal(judge(&e), LIMITED_CPU);
    assert_null(strstr(verdict.advice, "-D"));
}

static void without_a_device_that_is_said(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.known = false;
    e.filesystem = "tmpfs";
    assert_int_equal(judge(&e), LIMITED_PAGE_CACHE);
    assert_string_equal(verdict.sentence, "No device is below tmpfs: this is the speed of memory.");
    e.filesystem = "nfs4";
    assert_int_equal(judge(&e), LIMITED_UNKNOWN);
    assert_non_null(strstr(verdict.sentence, "nfs4"));
    e.filesystem = NULL;
    assert_int_equal(judge(&e), LIMITED_UNKNOWN);
}

static void tests_of_many_files(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.read_bytes = 0;
    e.device = (struct device_use){.known = true, .busy_percent = 5};
    assert_int_equal(judge(&e), LIMITED_UNKNOWN);
    e.busiest_cpu_ns = 95 * SECOND / 10;
    assert_int_equal(judge(&e), LIMITED_CPU);
    e.busiest_cpu_ns = 2 * SECOND;
    e.device.busy_percent = 80;
    assert_int_equal(judge(&e), LIMITED_DEVICE);
}

static void nothing_moved_is_nothing_measured(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.is_stored = false;
    assert_int_equal(judge(&e), LIMITED_CPU);
    assert_non_null(strstr(verdict.sentence, "Nothing was moved"));
}

static void no_time_is_no_trouble(void **state)
{
    (void)state;
    const struct evidence e = {.is_stored = true, .device.known = true};
    judge(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_from_the_device_is_its_speed),
        cmocka_unit_test(what_does_not_is_the_page_cache),
        cmocka_unit_test(others_traffic_proves_nothing_more),
        cmocka_unit_test(writes_that_stay_in_memory_are_told),
        cmocka_unit_test(a_worker_that_computes_all_the_time_is_the_limit),
        cmocka_unit_test(without_a_device_that_is_said),
        cmocka_unit_test(tests_of_many_files),
        cmocka_unit_test(nothing_moved_is_nothing_measured),
        cmocka_unit_test(no_time_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
