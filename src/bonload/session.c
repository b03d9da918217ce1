#include "bonload/session.h"

#include <errno.h>
#include <inttypes.h>
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
    char *dump_name; /* of several ranks: each has a file of its own */
    bool has_dump;
    struct page page;
};

static bool is_first(const struct plan *p)
{
    return p->stripe.index == 0;
}

static int open_dump(struct outputs *o, const struct plan *p, struct err *e)
{
    const char *name = p->written_dump;
    if (plan_ranks(p) > 1) {
        if (asprintf(&o->dump_name, "%s.%u", p->written_dump, p->stripe.index) < 0)
            return err_system(e, ENOMEM, "memory for the name of a file");
        name = o->dump_name;
    }
    int rc = output_open(&o->dump, name, e);
    o->has_dump = rc == 0;
    return rc;
}

static int open_outputs(struct outputs *o, const struct plan *p, struct err *e)
{
    int rc = 0;
    *o = (struct outputs){0};
    if (p->written_dump)
        rc = open_dump(o, p, e);
    if (rc == 0 && p->timeline_file && is_first(p))
        rc = page_open(&o->page, "-timeline-file", p->timeline_file, e);
    return rc;
}

static void close_outputs(struct outputs *o)
{
    if (o->has_dump)
        output_discard(&o->dump);
    free(o->dump_name);
    page_close(&o->page);
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
    if (!is_first(p))
        return 0;
    if (p->output == OUTPUT_JSON || p->timeline_file)
        rc = report_json(result, &json, e);
    if (rc == 0)
        rc = print_result(result, json, e);
    if (rc == 0 && p->timeline_file)
        rc = page_write(&o->page, json, NULL, e);
    free(json);
    return rc;
}

/* What the figures say about success, when they have been printed. */
static int judge(const struct result *result, const struct coordinator *c, struct err *e)
{
    const struct together *t = &result->together;
    double most = result->plan->max_errors;
    double share = result_error_share(result);
    if (result->damaged > 0)
        return err_say(e,
                       "the storage returned something other than what was written: %" PRIu64
                       " damaged reads",
                       result->damaged);
    if (result->reads_written && !result->has_written && result->kinds[LOAD_WRITE].total > 0)
        return err_say(e, "no write succeeded, so there was nothing to read");
    if (share > most)
        return err_say(e, "%.4g %% of the requests failed, more than -max-errors=%.4g", share,
                       most);
    if (t->worst_share > most)
        return err_say(e,
                       "rank %u on %s: %.4g %% of the requests failed, more than "
                       "-max-errors=%.4g",
                       t->worst, c->ranks.cards[t->worst].host, t->worst_share, most);
    return 0;
}

/* The same in rank 0 of several: it says what is wrong with all, and not what is with itself. */
static int judge_all(const struct result *result, const struct coordinator *c, struct err *e)
{
    int rc = 0;
    if (!is_first(result->plan))
        return 0;
    rc = judge(result, c, e);
    if (rc != 0 && c->ranks.count > 1) {
        message("%s", e->text);
        e->text[0] = '\0';
    }
    return rc;
}

/* Reports, then what is done with what was written; the first failure counts. */
static int finish(struct conductor *c, struct outputs *o, bool *is_finished, int *status,
                  struct err *e)
{
    const struct plan *p = c->run->plan;
    struct result result;
    int rc = conductor_result(c, &result, e);
    *is_finished = rc == 0;
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
        rc = judge_all(&result, c->coordinator, e);
    if (rc == 0 && result.is_bad_rate)
        *status = STATUS_BAD_RATE;
    result_release(&result);
    return rc;
}

/* A run that failed leaves no more than one that did not. */
static int conduct(struct run *run, struct coordinator *coordinator, struct outputs *o, int *status,
                   struct err *e)
{
    struct conductor conductor;
    bool is_finished = false;
    int rc = conductor_open(&conductor, run, coordinator, e);
    if (rc != 0)
        return rc;
    rc = conductor_run(&conductor, e);
    if (rc == 0)
        rc = finish(&conductor, o, &is_finished, status, e);
    if (!is_finished && run->plan->cleanup)
        aftermath_remove(run, e);
    conductor_close(&conductor);
    return rc;
}

/* Of several ranks, rank 0's seed is that of all. */
static int make_plan(struct plan *p, const struct settings *s, struct coordinator *c, struct err *e)
{
    int rc = plan_make(p, s, e);
    if (rc == 0)
        rc = coordinator_share(c, "Starting", &p->seed, sizeof p->seed, e);
    return rc == 0 ? plan_join(p, &c->ranks, e) : rc;
}

int session(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e)
{
    struct plan plan;
    struct run run;
    struct outputs outputs = {0};
    int rc = make_plan(&plan, s, coordinator, e);
    if (rc != 0)
        return rc;
    rc = stop_init(e);
    if (rc == 0)
        stop_keeps_readers();
    if (rc == 0 && plan_ranks(&plan) > 1)
        stop_takes_repeats();
    if (rc == 0)
        rc = open_outputs(&outputs, &plan, e);
    if (rc == 0)
        rc = run_open(&run, &plan, e);
    if (rc == 0) {
        rc = conduct(&run, coordinator, &outputs, status, e);
        run_close(&run);
    }
    close_outputs(&outputs);
    return rc;
}
