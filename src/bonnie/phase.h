// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/run_context.h"

/* What tests will cost, as far as that is known beforehand. */
struct cost {
    uint64_t ns; /* of tests that go on for a time */
    uint64_t moved_bytes;
    uint64_t written_bytes; /* those of them that are written */
    bool is_open;           /* more may be moved, by tests that go on for a time */
};

struct cost phase_cost(const struct plan *p, enum test_id test);

/* Where a test stands among all tests of a session. */
struct outlook {
    uint64_t test; /* its number, counted from 1 */
    uint64_t tests;
    struct cost later; /* of the tests after it */
};

/* Runs one test: one round, or with --steady-state rounds until its figure is steady. A round is
 * one lap, or as many as fill --min-time or --time. A lap:
 *
 * 1. Each worker prepares in its own thread: it makes, empties or fills its files, evicts what it
 *    will read, and opens its queue. With a shift, all then do so again on another rank's files.
 * 2. Before a test that reads, the system's caches are dropped, if there is a dropper; not in
 *    further laps of a round whose laps end with its time.
 * 3. The seekers are forked. In the first lap, the page cache is looked at, and the coordinator
 *    waits for others; for ranks it does so in every lap.
 * 4. The devices' counters are read, the monitor is told, and all workers begin together. The final
 *    fsync is part of the work, in some tests as a step of its own when all have worked.
 * 5. When the last worker has ended, the counters and the cache are read again, and queues and
 *    seekers are taken down. Nothing until the next lap's step 4 counts.
 *
 * At the end the statistics are summed up, over all ranks, and the verdict is found. Returns 0 with
 * *result set, or a negative errno (-EINTR after a signal) with a line in e, and no figures. */
int phase_run(struct run_context *r, enum test_id test, const struct outlook *outlook,
              struct test_result *result, struct err *e);
