// SPDX-License-Identifier: GPL-2.0-or-later
/* The log of promises. However its text is damaged, it never claims more than was promised: what it
 * says about a unit is one of its promises, or nothing. The input is the damage: pairs of bytes,
 * each of which changes a known log. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boncut/log.h"
#include "fuzz.h"
#include "util/rng.h"

#define LINES 64
#define UNITS 8
#define RUN   UINT64_C(0x626f6e637574)

struct text {
    char text[1 << 16];
    size_t length;
};

static void add(struct text *t, const char *text, size_t length)
{
    if (t->length + length > sizeof t->text)
        return;
    memcpy(t->text + t->length, text, length);
    t->length += length;
}

static size_t make_header(char text[static MAX_HEADER_LINE])
{
    const struct header h = {.run = RUN,
                             .block_bytes = 512,
                             .units = UNITS,
                             .workers = 1,
                             .methods = (1U << METHODS) - 1,
                             .whole = {.least = 4096, .most = 65536},
                             .directory = "boncut.0123456789abcdef"};
    return header_format(text, &h);
}

/* Line `number` of the log, of any method but the first two. Each version of a unit occurs
 * once. */
static size_t make_line(char text[static MAX_LOG_LINE], unsigned number, uint64_t run)
{
    const struct log_line line = {.method = 2 + number % (METHODS - 2),
                                  .unit = number / (METHODS - 2) % UNITS,
                                  .version = number + 1,
                                  .time_us = number * 1000};
    return log_line_format(text, &line, run);
}

/* Damages the log as this pair of bytes says. */
static void damage(struct text *t, uint8_t what, uint8_t where)
{
    char line[MAX_HEADER_LINE];
    size_t at = t->length * where / 256;
    switch (what % 6) {
    case 0:
        t->text[at] = (char)(what ^ where);
        break;
    case 1:
        t->length = at;
        break;
    case 2:
        add(t, line, make_line(line, where % LINES, RUN));
        break;
    case 3:
        add(t, line, make_line(line, where % LINES, RUN + 1));
        break;
    case 4:
        add(t, line, make_header(line));
        break;
    default:
        memmove(t->text, t->text + at, t->length - at);
        t->length -= at;
    }
}

/* Checks that a promise was really made: a promise that was not would be reported as a loss that
 * never happened. */
static void check_promise(unsigned method, uint32_t unit, uint64_t version)
{
    if (version == 0)
        return;
    unsigned number = (unsigned)version - 1;
    MUST(version <= LINES);
    MUST(method == 2 + number % (METHODS - 2) && unit == number / (METHODS - 2) % UNITS);
}

static void read_log(const char *text, size_t length, bool is_ours)
{
    struct ledger l;
    struct err e;
    err_init(&e);
    int fd = memfd_create("log", MFD_CLOEXEC);
    MUST(write(fd, text, length) == (ssize_t)length && lseek(fd, 0, SEEK_SET) == 0);
    int rc = ledger_read(&l, fd, &e);
    close(fd);
    MUST((rc == 0) == (e.code == 0));
    for (unsigned method = 0; is_ours && rc == 0 && method < METHODS; method++)
        for (uint32_t unit = 0; unit < method_units(&l.header, method); unit++)
            if (!methods[method].is_canary)
                check_promise(method, unit, l.units[method][unit].version);
    ledger_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct text t;
    char line[MAX_HEADER_LINE];
    read_log((const char *)data, size, false);
    t.length = 0;
    add(&t, line, make_header(line));
    for (unsigned number = 0; number < LINES; number++)
        add(&t, line, make_line(line, number, RUN));
    for (size_t i = 0; i + 1 < size && t.length > 0; i += 2)
        damage(&t, data[i], data[i + 1]);
    read_log(t.text, t.length, true);
    return 0;
}
