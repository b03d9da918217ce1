// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "boncut/log.h"

#define RUN UINT64_C(0x123456789abcdef0)

static struct header a_header(uint64_t run)
{
    struct header h = {.seed = 42,
                       .run = run,
                       .block_bytes = 4096,
                       .units = 8,
                       .workers = 2,
                       .methods = (1U << METHODS) - 1,
                       .directory = "boncut.0123456789abcdef",
                       .device = "sda (a b)",
                       .filesystem = "ext4",
                       .whole = {4096, 16384},
                       .options = "rw,100%=\n",
                       .boot_id = "id",
                       .kernel = "Linux",
                       .mount_id = 7,
                       .time = 1795384746};
    return h;
}

static unsigned method_of(const char *name)
{
    unsigned method;
    assert_true(method_find(name, &method));
    return method;
}

/* A log under construction. */
struct text {
    char text[1 << 16];
    size_t length;
};

static void add_header(struct text *t, uint64_t run)
{
    char line[MAX_HEADER_LINE];
    struct header h = a_header(run);
    size_t length = header_format(line, &h);
    memcpy(t->text + t->length, line, length);
    t->length += length;
}

static void add_line(struct text *t, const char *method, uint32_t unit, uint64_t version,
                     uint64_t time_us, uint64_t run)
{
    const struct log_line line = {.method = method_of(method + (*method == '!')),
                                  .is_failure = *method == '!',
                                  .unit = unit,
                                  .version = version,
                                  .time_us = time_us};
    t->length += log_line_format(t->text + t->length, &line, run);
}

static int read_log(struct ledger *l, const char *text, size_t length, struct err *e)
{
    int fd = memfd_create("log", MFD_CLOEXEC);
    assert_int_equal(write(fd, text, length), length);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    err_init(e);
    int rc = ledger_read(l, fd, e);
    close(fd);
    return rc;
}

static void a_line(void **state)
{
    (void)state;
    char text[MAX_LOG_LINE];
    struct log_line back;
    const struct log_line line = {
        .method = method_of("rename"), .unit = 17, .version = INT64_MAX, .time_us = 123456};
    size_t length = log_line_format(text, &line, RUN);
    assert_memory_equal(text, "rename 17 9223372036854775807 123456 ", 37);
    assert_int_equal(length, 37 + 8 + 1);
    assert_true(log_line_parse(&back, text, length - 1, RUN));
    assert_int_equal(back.method, line.method);
    assert_int_equal(back.unit, 17);
    assert_true(back.version == INT64_MAX);
    assert_int_equal(back.time_us, 123456);
    assert_false(back.is_failure);
    assert_false(log_line_parse(&back, text, length - 1, RUN + 1));
    for (size_t i = 0; i < length - 1; i++) {
        char damaged[MAX_LOG_LINE];
        memcpy(damaged, text, length);
        damaged[i] ^= 1;
        assert_false(log_line_parse(&back, damaged, length - 1, RUN));
        assert_false(log_line_parse(&back, text, i, RUN));
    }
}

/* Lines with the right checksum, but invalid contents. */
static void wrong_lines(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "fsync",
        "fsync 1 2",
        "fsync 1 2 3 ",
        "fsync  1 2 3",
        "fsync 1 2 3 4",
        "fsync -1 2 3",
        "fsync 1 +2 3",
        "fsync 4294967296 2 3",
        "fsync 1 9223372036854775808 3",
        "fsync 1 99999999999999999999999 3",
        "fsyn 1 2 3",
        "!!fsync 1 2 3",
        " fsync 1 2 3",
    };
    struct log_line line;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[MAX_LOG_LINE];
        size_t length = strlen(wrong[i]);
        memcpy(text, wrong[i], length);
        log_checksum_put(text + length, text, length, RUN);
        assert_false(log_line_parse(&line, text, length + LOG_CHECKSUM_LENGTH, RUN));
    }
}

static void the_header(void **state)
{
    (void)state;
    char text[MAX_HEADER_LINE];
    struct err e;
    struct header back;
    const struct header h = a_header(RUN);
    size_t length = header_format(text, &h);
    err_init(&e);
    assert_int_equal(header_parse(&back, text, length - 1, &e), 0);
    assert_true(back.run == RUN && back.seed == 42 && back.time == h.time);
    assert_int_equal(back.units, 8);
    assert_int_equal(back.methods, h.methods);
    assert_string_equal(back.device, "sda (a b)");
    assert_string_equal(back.options, "rw,100%=\n");
    for (size_t i = 0; i < length - 1; i++) {
        err_init(&e);
        assert_int_not_equal(header_parse(&back, text, i, &e), 0);
        assert_int_not_equal(e.code, 0);
    }
}

/* The sizes of writes that are promised whole: powers of two, and there where a method needs
 * them. */
static void the_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        struct whole_sizes whole;
        bool is_valid;
    } cases[] = {
        {"fsync", {0, 0}, true},           {"atomic", {4096, MIB}, true},
        {"plain", {512, 512}, true},       {"atomic", {0, 0}, false},
        {"plain", {0, 0}, false},          {"atomic", {0, 4096}, false},
        {"atomic", {4096, 2048}, false},   {"atomic", {4096, 12288}, false},
        {"atomic", {256, 4096}, false},    {"fsync", {4096, 5000}, false},
        {"fsync", {3 * 512, 4096}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MAX_HEADER_LINE];
        struct err e;
        struct header back;
        struct header h = a_header(RUN);
        h.methods = 1U << method_of(cases[i].method);
        h.whole = cases[i].whole;
        size_t length = header_format(text, &h);
        err_init(&e);
        assert_int_equal(header_parse(&back, text, length - 1, &e) == 0, cases[i].is_valid);
        if (cases[i].is_valid)
            assert_memory_equal(&back.whole, &h.whole, sizeof h.whole);
    }
}

static void the_ledger(void **state)
{
    (void)state;
    static struct text t;
    struct findings f = {0};
    struct ledger l;
    struct err e;
    t.length = 0;
    add_header(&t, RUN);
    add_line(&t, "fsync", 3, 2, 2000, RUN);
    add_line(&t, "fsync", 3, 5, 5000, RUN);
    add_line(&t, "fsync", 3, 4, 4000, RUN); /* not in order */
    add_line(&t, "create", 3, 7, 9000, RUN + 1);
    add_line(&t, "create", 16, 7, 9000, RUN); /* there are only 16 units */
    add_line(&t, "!dsync", 4, 6, 6000, RUN);
    add_line(&t, "dsync", 4, 5, 5500, RUN); /* promised before the failure */
    add_header(&t, RUN);
    assert_int_equal(read_log(&l, t.text, t.length, &e), 0);
    const struct promise *p = &l.units[method_of("fsync")][3];
    assert_int_equal(p->version, 5);
    assert_int_equal(p->time_us, 5000);
    assert_int_equal(l.promises[method_of("fsync")], 2);
    assert_int_equal(l.units[method_of("create")][3].version, 0);
    assert_int_equal(l.units[method_of("dsync")][4].failed, 6);
    assert_int_equal(l.repeated, 2);
    assert_int_equal(l.damaged, 2);
    assert_int_equal(l.last_us, 6000);
    findings_add(&f, &l, method_of("dsync"), 4, &(struct sight){.finding = FOUND_FOREIGN}, "");
    assert_int_equal(f.methods[method_of("dsync")].found[FOUND_UNKNOWN], 1);
    ledger_release(&l);
    add_header(&t, RUN + 1);
    assert_int_not_equal(read_log(&l, t.text, t.length, &e), 0);
    assert_string_equal(e.text, "the log has the promises of more than one run");
    ledger_release(&l);
}

/* Writes of `cached` count only after the last syncfs that returned, in whatever order the lines
 * are. */
static void cached_and_syncfs(void **state)
{
    (void)state;
    static struct text t;
    struct ledger l;
    struct err e;
    t.length = 0;
    add_header(&t, RUN);
    add_line(&t, "cached", 0, 100, 1000, RUN);
    assert_int_equal(read_log(&l, t.text, t.length, &e), 0);
    assert_int_equal(l.cached_from, 0);
    ledger_release(&l);
    add_line(&t, "cached", 120, 140, 2200, RUN);
    add_line(&t, "cached", 120, 120, 2100, RUN);
    add_line(&t, "syncfs", 0, 1, 2000, RUN);
    assert_int_equal(read_log(&l, t.text, t.length, &e), 0);
    assert_int_equal(l.cached_from, 120);
    assert_int_equal(l.units[METHOD_CACHED][0].version, 140);
    ledger_release(&l);
}

/* Each write of a canary goes to the next one of its groups of blocks. */
static void canary_versions(void **state)
{
    (void)state;
    uint64_t version[CANARY_BLOCKS] = {0};
    for (uint64_t writes = 0; writes < UINT64_C(3) * CANARY_GROUPS; writes++) {
        for (uint32_t block = 0; block < CANARY_BLOCKS; block++)
            assert_true(canary_version(writes, block) == version[block]);
        for (uint32_t i = 0; i < CANARY_BATCH; i++)
            version[writes % CANARY_GROUPS * CANARY_BATCH + i]++;
    }
}

static void what_is_counted(void **state)
{
    (void)state;
    static struct text t;
    struct ledger l;
    struct err e;
    struct findings f = {0};
    unsigned fsync_method = method_of("fsync");
    t.length = 0;
    add_header(&t, RUN);
    add_line(&t, "fsync", 0, 1, 1000000, RUN);
    add_line(&t, "fsync", 1, 1, 3500000, RUN);
    add_line(&t, "fsync", 2, 1, 4950000, RUN);
    add_line(&t, "!fsync", 2, 2, 5000000, RUN);
    assert_int_equal(read_log(&l, t.text, t.length, &e), 0);
    findings_add(&f, &l, fsync_method, 0, &(struct sight){.finding = FOUND_KEPT}, "");
    findings_add(&f, &l, fsync_method, 1, &(struct sight){.finding = FOUND_FOREIGN}, "");
    findings_add(&f, &l, fsync_method, 2, &(struct sight){.finding = FOUND_UNREADABLE}, "");
    findings_add(&f, &l, fsync_method, 2, &(struct sight){.finding = FOUND_LOST}, "");
    const struct tally sum = f.sum;
    assert_int_equal(sum.units, 4);
    assert_int_equal(sum.found[FOUND_UNKNOWN], 1); /* a failed call explains unreadable units */
    assert_int_equal(sum.found[FOUND_LOST],
                     1); /* a failed call does not explain units older than promised */
    assert_int_equal(sum.lost, 2);
    assert_int_equal(sum.last[0].units, 2);
    assert_int_equal(sum.last[0].lost, 1);
    assert_int_equal(sum.last[1].units, 3);
    assert_int_equal(sum.last[2].units, 3);
    assert_int_equal(f.bins[RECENT_BINS - 1].units, 2);
    assert_int_equal(f.bins[RECENT_BINS - 16].lost, 1);
    assert_int_equal(f.loss_count, 2);
    assert_int_equal(f.losses[0].before_end_us, 1500000);
    ledger_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line),          cmocka_unit_test(wrong_lines),
        cmocka_unit_test(the_header),      cmocka_unit_test(the_sizes),
        cmocka_unit_test(the_ledger),      cmocka_unit_test(cached_and_syncfs),
        cmocka_unit_test(canary_versions), cmocka_unit_test(what_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
