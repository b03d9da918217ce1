// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/host.h"

/* The model found in this text of /proc/cpuinfo, with room for `size` bytes. */
static const char *model_in(const char *text, size_t size)
{
    static char model[128];
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", text);
    FILE *in = fmemopen(copy, strlen(copy), "r");
    assert_non_null(in);
    memset(model, 'x', sizeof model);
    host_read_cpu_model(in, model, size);
    fclose(in);
    return model;
}

static void the_model_of_each_architecture(void **state)
{
    (void)state;
    assert_string_equal(model_in("processor\t: 0\nvendor_id\t: V\nmodel\t\t: 1\n"
                                 "model name\t: Xeon(R) CPU           X5650  @ 2.67GHz \n"
                                 "flags\t: a b\n\nprocessor\t: 1\nmodel name\t: Other\n",
                                 128),
                        "Xeon(R) CPU X5650 @ 2.67GHz");
    assert_string_equal(model_in("processor\t: 0\ncpu\t\t: POWER9 (raw), altivec supported\n", 128),
                        "POWER9 (raw), altivec supported");
    assert_string_equal(model_in("system type\t: S\ncpu model\t\t: MIPS 74Kc V5.0\n", 128),
                        "MIPS 74Kc V5.0");
    assert_string_equal(model_in("Model Name\t\t: Loongson-3A5000\n", 128), "Loongson-3A5000");
    assert_string_equal(model_in("hart : 1\nuarch\t\t: sifive,u74-mc\n", 128), "sifive,u74-mc");
}

static void no_model_is_empty(void **state)
{
    (void)state;
    assert_string_equal(model_in("processor\t: 0\nCPU implementer\t: 0x41\n", 128), "");
    assert_string_equal(model_in("cpu MHz\t: 2445\ncpu family\t: 25\ncpus\nmodel name\n", 128), "");
    assert_string_equal(model_in("model name\t:  \n", 128), "");
}

static void a_long_model_is_cut(void **state)
{
    (void)state;
    assert_string_equal(model_in("model name\t: abc  def\n", 6), "abc d");
    assert_string_equal(model_in("model name\t: abc  def\n", 5), "abc");
}

static void this_machine_has_a_kernel(void **state)
{
    (void)state;
    struct host h;
    host_detect(&h);
    assert_int_equal(strncmp(h.kernel, "Linux ", 6), 0);
    assert_true(strlen(h.kernel) > 6);
    assert_true(strlen(h.cpu_model) < sizeof h.cpu_model);
    assert_null(strchr(h.cpu_model, '\n'));
}

/* Names are cut where nothing that tells hosts of a cluster apart can follow. */
static void a_short_name_keeps_numbers(void **state)
{
    static const struct {
        const char *name;
        size_t length;
    } cases[] = {
        {"lab", 3},      {"lab.example.org", 3}, {"mpi-worker.1.foo", 12},
        {"10.1.2.1", 8}, {"node.12.3.x", 9},     {"node.1a.foo", 4},
        {"node.", 4},    {"fe80::1", 7},         {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(host_short_length(cases[i].name), cases[i].length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_of_each_architecture),
        cmocka_unit_test(no_model_is_empty),
        cmocka_unit_test(a_long_model_is_cut),
        cmocka_unit_test(this_machine_has_a_kernel),
        cmocka_unit_test(a_short_name_keeps_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
