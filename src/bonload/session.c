#include "bonload/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/aftermath.h"
#include "bonload/conductor.h"
#include "bonload/report/report.h"
#include "report/page.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "util/message.h"

/* Files that are written in the end are opened before any load is made. */
struct outputs {
    struct output dump;
    bool has_dump;
    struct page page;
};

static int open_outputs(struct outputs *o, const struct plan *p, struct err *e)
{
    int rc = 0;
    *o = (struct outputs){0};
    if (p->written_dump) {
        rc = output_open(&o->dump, p->written_dump, e);
        o->has_dump = rc == 0;
    }
    if (rc == 0 && p->timeline_file)
        rc = page_open(&o->page, "-timeline-file", p->timeline_file, e);
    return rc;
}

static void close_outputs(struct outputs *o)
{
    if (o->has_dump)
        output_discard(&o->dump);
    page_close(&o->page);
}

/* SIGUSR1 asks for the figures so far: the main thread alone takes it, when it waits. */
static void hold_usr1(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Prints the figures at once, as long as the reason of a failed write is known. */
static int print_result(const struct result *result, const char *json, struct err *e)
{
    errno = 0;
    if (result->plan->output == OUTPUT_HUMAN)
        report_human(result, stdout);
    else
        puts(json);
    if (!ferror(stdout) && fflush(stdout) == 0)
        return 0;
    return err_system(e, errno ? errno : EIO, "write to standard output");
}

static int report(const struct result *result, struct outputs *o, struct err *e)
{
    const struct plan *p = result->plan;
    char *json = NULL;
    int rc = 0;
    if (p->output == OUTPUT_JSON || p->timeline_file)
        rc = report_json(result, &json, e);
    if (rc == 0)
        rc = print_result(result, json, e);
    if (rc == 0 && p->timeline_file)
        rc = page_write(&o->page, json, NULL, e);
    free(json);
    return rc;
}

/* The share of requests that failed, in percent. */
static double error_share(const struct result *result)
{
    uint64_t all = 0;
    uint64_t errors = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        all += result->kinds[kind].total;
        errors += result->kinds[kind].total_errors;
    }
    return all > 0 ? 100 * (double)errors / (double)all : 0;
}

/* What the figures say about success, when they have been printed. */
static int judge(const struct result *result, struct err *e)
{
    const struct run *run = result->run;
    double share = error_share(result);
    if (result->damaged > 0)
        return err_say(e,
                       "the storage returned something other than what was written: %" PRIu64
                       " damaged reads",
                       result->damaged);
    if (run->reads_written && atomic_load(&run->written.last_ok) == 0 &&
        result->kinds[LOAD_WRITE].total > 0)
        return err_say(e, "no write succeeded, so there was nothing to read");
    if (share > result->plan->max_errors)
        return err_say(e, "%.4g %% of the requests failed, more than -max-errors=%.4g", share,
                       result->plan->max_errors);
    return 0;
}

static int take_result(struct conductor *c, struct result *result, struct err *e)
{
    const struct target_ops *target = c->run->target;
    int rc = conductor_result(c, result, e);
    if (rc == 0 && target->verified)
        target->verified(c->run->shared, &result->checked_bytes, &result->damaged);
    return rc;
}

/* Reports, then what is done with what was written; the first failure counts. */
static int finish(struct conductor *c, struct outputs *o, int *status, struct err *e)
{
    const struct plan *p = c->run->plan;
    struct result result;
    int rc = take_result(c, &result, e);
    if (rc != 0)
        return rc;
    rc = report(&result, o, e);
    if (p->written_dump) {
        int dumped = aftermath_dump(c->run, &o->dump, e);
        rc = rc ? rc : dumped;
    }
    if (p->cleanup) {
        int removed = aftermath_remove(c->run, e);
        rc = rc ? rc : removed;
    }
    if (rc == 0 && !result.was_stopped)
        rc = judge(&result, e);
    if (rc == 0 && result.is_bad_rate)
        *status = STATUS_BAD_RATE;
    conductor_release(&result);
    return rc;
}

static int conduct(struct run *run, struct outputs *o, int *status, struct err *e)
{
    struct conductor conductor;
    int rc = conductor_open(&conductor, run, e);
    if (rc != 0)
        return rc;
    rc = conductor_run(&conductor, e);
    if (rc == 0)
        rc = finish(&conductor, o, status, e);
    conductor_close(&conductor);
    return rc;
}

int session(const struct settings *s, int *status, struct err *e)
{
    struct plan plan;
    struct run run;
    struct outputs outputs = {0};
    int rc = plan_make(&plan, s, e);
    if (rc != 0)
        return rc;
    hold_usr1();
    rc = stop_init(e);
    if (rc == 0)
        stop_keeps_readers();
    if (rc == 0)
        rc = open_outputs(&outputs, &plan, e);
    if (rc == 0)
        rc = run_open(&run, &plan, e);
    if (rc == 0) {
        rc = conduct(&run, &outputs, status, e);
        run_close(&run);
    }
    close_outputs(&outputs);
    return rc;
}
