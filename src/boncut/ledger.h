// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boncut/log.h"
#include "boncut/methods/method.h"
#include "util/err.h"

/* The last promise about a unit. The versions of a unit only grow. */
struct promise {
    uint64_t version; /* 0: nothing was promised */
    uint64_t time_us;
    uint64_t failed; /* the last version that a call failed to give it; if that is later than the
                        promised one, the sectors may hold anything */
};

/* All promises of a log. Its memory depends on the number of units, not on that of promises. */
struct ledger {
    struct header header;
    struct promise *units[METHODS]; /* the units of each method; NULL: not in use */
    uint64_t promises[METHODS];     /* promises of each method; for canaries, writes */
    uint64_t promised;              /* number of all promises, without such writes */
    uint64_t last_us;               /* time of the latest line, in microseconds */
    uint64_t lines;                 /* number of lines without the header */
    uint64_t damaged;               /* number of lines ignored because of a wrong checksum */
    uint64_t repeated;              /* number of lines that add nothing to earlier ones */
    bool unfinished;                /* the last line has no newline, and was ignored */
    uint64_t cached_from;           /* writes of `cached` up to this number may be durable */
};

/* Reads a log to its end, in one pass. After the header, lines may be missing, damaged, repeated
 * and in any order: then the ledger claims less. Returns 0, or a negative errno with a line in e
 * when the input is not a log, or contains logs of several runs. */
int ledger_read(struct ledger *l, int fd, struct err *e);
void ledger_release(struct ledger *l);
