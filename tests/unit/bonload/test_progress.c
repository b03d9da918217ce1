// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bonload/control/progress.h"
#include "util/units.h"

/* The progress line where standard error is not a terminal: its figures for the last seconds. */

#define LINE_NS (6 * BILLION)

/* A run with one reading thread, of which no request has ended yet, and its line where standard
 * error is not a terminal. The caller may change the plan and the load before the first look. */
static void open_view(struct progress_view *v, struct run *run, struct plan *plan)
{
    static const struct settings settings;
    struct err e;
    err_init(&e);
    *plan = (struct plan){.settings = &settings, .max_requests = UINT64_MAX};
    memset(run, 0, sizeof *run);
    run->plan = plan;
    run->most = UINT64_MAX;
    run->loads[LOAD_READ].pace = PACE_CLOSED;
    run->loads[LOAD_READ].active = 1;
    assert_int_equal(recorders_open(&run->recorders, 1, false, &e), 0);
    assert_int_equal(progress_open(v, true, &e), 0);
    v->is_terminal = false;
}

static void close_view(struct progress_view *v, struct run *run)
{
    free(v->counted);
    recorders_close(&run->recorders);
}

static void end_requests(struct run *run, enum load_kind kind, unsigned count, bool failed)
{
    const struct recorder_rules rules = {.limit_ns = UINT64_MAX};
    const struct request r = {.kind = kind, .failure = failed};
    for (; count > 0; count--)
        recorder_add(run->recorders.list, &rules, &r, 5 * MILLION, 0);
}

/* The next progress line, without its newline. */
static void look_until(struct progress_view *v, struct run *run, uint64_t now_ns, uint64_t goal_ns,
                       char line[static 200])
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    progress_update(v, run, now_ns, goal_ns);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    if (!fgets(line, 200, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void look(struct progress_view *v, struct run *run, uint64_t now_ns, char line[static 200])
{
    look_until(v, run, now_ns, 0, line);
}

static void what_did_not_end_has_no_latency(void **state)
{
    static struct run run;
    struct progress_view v;
    struct plan plan;
    char line[200];
    (void)state;
    open_view(&v, &run, &plan);
    look(&v, &run, BILLION, line);
    assert_string_equal(line, "");
    end_requests(&run, LOAD_READ, 12, false);
    look(&v, &run, BILLION + LINE_NS, line);
    assert_string_equal(line, "reads 2/s by 1 thread p50 5.00 ms p99 -");
    look(&v, &run, BILLION + 2 * LINE_NS, line);
    assert_string_equal(line, "reads 0/s by 1 thread p50 - p99 -");
    end_requests(&run, LOAD_READ, 6, true);
    look(&v, &run, BILLION + 3 * LINE_NS, line);
    assert_string_equal(line, "reads 0/s by 1 thread p50 - p99 -, 6 errors");
    close_view(&v, &run);
}

/* Two kinds of requests at high rates: the line still fits. */
static void two_kinds_fit_80_columns(void **state)
{
    static struct run run;
    struct progress_view v;
    struct plan plan;
    char line[200];
    (void)state;
    open_view(&v, &run, &plan);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        plan.kinds[kind].pace = run.loads[kind].pace = PACE_RATE;
        run.loads[kind].rate = run.loads[kind].schedules[0].rate = 100000 * BILLION;
    }
    look(&v, &run, BILLION, line);
    end_requests(&run, LOAD_READ, 600000, false);
    end_requests(&run, LOAD_WRITE, 599000, false);
    end_requests(&run, LOAD_WRITE, 3, true);
    look_until(&v, &run, BILLION + LINE_NS, 18 * BILLION, line);
    assert_string_equal(line,
                        "writes 100k/s of 100k p99 5.00 ms, reads 100k/s of 100k p99 5.00 ms, "
                        "3 errors");
    assert_in_range(strlen(line), 1, 79);
    look_until(&v, &run, BILLION + 2 * LINE_NS, 18 * BILLION, line);
    assert_string_equal(line,
                        "writes 0/s of 100k p99 -, reads 0/s of 100k p99 -, 3 errors, 6 s left");
    close_view(&v, &run);
}

/* Nobody knows how long a search takes, which is said, after what it took. */
static void a_search_has_no_known_end(void **state)
{
    static struct run run;
    struct progress_view v;
    struct plan plan;
    char line[200];
    (void)state;
    open_view(&v, &run, &plan);
    plan.mode = MODE_SEARCH;
    run.start_ns = BILLION;
    look(&v, &run, BILLION, line);
    look(&v, &run, BILLION + LINE_NS, line);
    assert_string_equal(line, "reads 0/s by 1 thread p50 - p99 -, 6 s; time left not known");
    look_until(&v, &run, BILLION + 2 * LINE_NS, 18 * BILLION, line);
    assert_string_equal(line, "reads 0/s by 1 thread p50 - p99 -, 6 s left");
    close_view(&v, &run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_did_not_end_has_no_latency),
                                       cmocka_unit_test(two_kinds_fit_80_columns),
                                       cmocka_unit_test(a_search_has_no_known_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
