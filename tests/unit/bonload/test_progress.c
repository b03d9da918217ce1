#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bonload/progress.h"
#include "util/units.h"

/* The line of progress where standard error is no terminal: what it says of the last seconds. */

#define LINE_NS (6 * BILLION)

/* A run of one reading thread of which nothing has ended. */
static void open_run(struct run *run, struct plan *plan)
{
    struct err e;
    err_init(&e);
    *plan = (struct plan){.max_requests = UINT64_MAX};
    memset(run, 0, sizeof *run);
    run->plan = plan;
    run->most = UINT64_MAX;
    run->loads[LOAD_READ].pace = PACE_CLOSED;
    run->loads[LOAD_READ].active = 1;
    assert_int_equal(recorders_open(&run->recorders, 1, &e), 0);
}

static void end_requests(struct run *run, unsigned count, bool failed)
{
    const struct recorder_rules rules = {.limit_ns = UINT64_MAX};
    const struct observation o = {.kind = LOAD_READ, .response_ns = 5 * MILLION, .failed = failed};
    for (; count > 0; count--)
        recorder_add(run->recorders.list, &rules, &o);
}

/* The next line, without its end. */
static void look(struct progress_view *v, struct run *run, uint64_t now_ns, char line[static 200])
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    progress_look(v, run, now_ns, 0);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    if (!fgets(line, 200, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void what_did_not_end_has_no_latency(void **state)
{
    static struct run run;
    struct progress_view v;
    struct plan plan;
    struct err e;
    char line[200];
    (void)state;
    err_init(&e);
    open_run(&run, &plan);
    assert_int_equal(progress_open(&v, true, &e), 0);
    v.is_terminal = false;
    look(&v, &run, BILLION, line);
    assert_string_equal(line, "");
    end_requests(&run, 12, false);
    look(&v, &run, BILLION + LINE_NS, line);
    assert_string_equal(line, "reads 2/s with 1 thread p50 5000us p99 5000us 0 errors");
    look(&v, &run, BILLION + 2 * LINE_NS, line);
    assert_string_equal(line, "reads 0/s with 1 thread p50 - p99 - 0 errors");
    end_requests(&run, 6, true);
    look(&v, &run, BILLION + 3 * LINE_NS, line);
    assert_string_equal(line, "reads 1/s with 1 thread p50 - p99 - 6 errors");
    progress_close(&v);
    recorders_close(&run.recorders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_did_not_end_has_no_latency)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
