// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/ledger.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boncut/methods/method.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static int take_text(struct ledger *l, const char *text, size_t length, struct err *e)
{
    struct log_line line;
    struct header other;
    struct err ignored = {0};
    if (l->header.workers == 0) {
        /* what a terminal has shown before the header is not the log's; ledger_read() fails */
        if (header_parse(&other, text, length, e) != 0)
            return 0;
        l->header = other;
        for (unsigned method = 0; method < METHODS; method++) {
            if (!(other.methods & 1U << method))
                continue;
            l->units[method] = calloc(method_units(&other, method), sizeof *l->units[method]);
            if (!l->units[method])
                return err_system(e, ENOMEM, "allocate promises of %s", methods[method].name);
        }
        return 0;
    }
    l->lines++;
    if (log_line_parse(&line, text, length, l->header.run) &&
        (l->header.methods & 1U << line.method) &&
        (methods[line.method].is_canary || line.unit < method_units(&l->header, line.method))) {
        bool is_canary = methods[line.method].is_canary;
        struct promise *p = &l->units[line.method][is_canary ? 0 : line.unit];
        if (line.time_us > l->last_us)
            l->last_us = line.time_us;
        if (line.is_failure) {
            p->failed = line.version > p->failed ? line.version : p->failed;
        } else if (line.version <= p->version) {
            l->repeated++;
        } else {
            if (line.method == METHOD_CACHED)
                l->cached_from = line.unit;
            l->promises[line.method] = is_canary ? line.version : l->promises[line.method] + 1;
            l->promised += method_promises(line.method);
            p->version = line.version;
            p->time_us = line.time_us;
        }
    } else if (header_parse(&other, text, length, &ignored) != 0) {
        l->damaged++;
    } else {
        l->repeated++;
        /* all lines of another run would count as damaged */
        if (other.run != l->header.run || other.seed != l->header.seed)
            return err_say(e, "the log has the promises of more than one run");
    }
    return 0;
}

/* ---- the stream ------------------------------------------------------------------------------ */

int ledger_read(struct ledger *l, int fd, struct err *e)
{
    const size_t most = 1 << 17; /* longer than any header: a line that does not fit is not ours */
    size_t length = 0;           /* of what has been read and not been processed yet */
    bool is_skipping = false;    /* the current line is too long, so the rest of it is skipped */
    int rc = 0;
    ssize_t got = 1;
    *l = (struct ledger){0};
    char *text = calloc(1, most + 1); /* sscanf() of a header finds an end */
    if (!text)
        return err_system(e, ENOMEM, "allocate memory for reading the log");
    while (rc == 0 && (got = read(fd, text + length, most - length)) > 0) {
        char *line = text;
        char *end = text + length + got;
        for (char *newline; rc == 0 && (newline = memchr(line, '\n', (size_t)(end - line)));) {
            if (!is_skipping)
                rc = take_text(l, line, (size_t)(newline - line), e);
            is_skipping = false;
            line = newline + 1;
        }
        length = (size_t)(end - line);
        memmove(text, line, length);
        if (length < most)
            continue;
        if (l->header.workers == 0)
            rc = header_parse(&(struct header){0}, text, length, e); /* it is none, says e */
        l->damaged += !is_skipping;
        is_skipping = true;
        length = 0;
    }
    if (got < 0)
        rc = err_system(e, errno, "read the log from standard input");
    l->unfinished = length > 0;
    if (rc == 0 && l->header.workers == 0)
        rc = e->code != 0 ? -e->code
             : length > 0
                 ? err_say(e, "the log ends within its first line: nothing was promised")
                 : err_say(e, "standard input is empty: the log of `boncut write` is expected");
    free(text);
    return rc;
}

void ledger_release(struct ledger *l)
{
    for (unsigned method = 0; method < METHODS; method++)
        free(l->units[method]);
    *l = (struct ledger){0};
}
