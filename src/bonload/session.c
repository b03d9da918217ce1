#include "bonload/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/control/conductor.h"
#include "bonload/good_for.h"
#include "bonload/planning.h"
#include "bonload/report/report.h"
#include "bonload/result/aftermath.h"
#include "bonload/targets/target.h"
#include "report/page.h"
#include "sys/output.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "util/message.h"

/* The files that are written at the end. They are opened before any load is made. */
struct outputs {
    struct output dump;
    char *dump_name; /* with several ranks, each rank has a file of its own */
    bool has_dump;
    struct page page;
    struct output hgrm[LOAD_KINDS];
    char *hgrm_names[LOAD_KINDS];
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

static int open_hgrm(struct outputs *o, const struct plan *p, enum load_kind kind, struct err *e)
{
    if (asprintf(&o->hgrm_names[kind], "%s-%s.hgrm", p->settings->hgrm,
                 kind == LOAD_READ ? "reads" : "writes") < 0) {
        o->hgrm_names[kind] = NULL;
        return err_system(e, ENOMEM, "memory for the name of a file");
    }
    int rc = output_open(&o->hgrm[kind], o->hgrm_names[kind], e);
    if (rc != 0) {
        free(o->hgrm_names[kind]);
        o->hgrm_names[kind] = NULL;
    }
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
    for (enum load_kind kind = 0; p->settings->hgrm && is_first(p) && kind < LOAD_KINDS; kind++)
        if (rc == 0 && plan_has(p, kind))
            rc = open_hgrm(o, p, kind, e);
    return rc;
}

static void close_outputs(struct outputs *o)
{
    if (o->has_dump)
        output_discard(&o->dump);
    free(o->dump_name);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        if (o->hgrm_names[kind])
            output_discard(&o->hgrm[kind]);
        free(o->hgrm_names[kind]);
    }
    page_close(&o->page);
}

static int print_result(const struct result *result, const char *json, struct err *e)
{
    errno = 0;
    if (result->plan->output == OUTPUT_HUMAN)
        report_human(result, stdout);
    else
        puts(json);
    return output_flush(e);
}

static int print_reports(const struct result *result, struct outputs *o, struct err *e)
{
    const struct plan *p = result->plan;
    char *json = NULL;
    json_t *object = NULL;
    int rc = 0;
    if (!is_first(p))
        return 0;
    if (p->output == OUTPUT_JSON || p->timeline_file) {
        object = report_object(result);
        rc = report_json(object, &json, e);
    }
    json_decref(object);
    if (rc == 0)
        rc = print_result(result, json, e);
    if (rc == 0 && p->timeline_file)
        rc = page_write(&o->page, json, NULL, e);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        if (rc != 0 || !o->hgrm_names[kind])
            continue;
        report_hgrm(&result->kinds[kind].tally->response, o->hgrm[kind].stream);
        rc = output_finish(&o->hgrm[kind], e);
    }
    free(json);
    return rc;
}

/* Decides by the printed figures whether the run succeeded. */
static int judge_result(const struct result *result, const struct coordinator *c, struct err *e)
{
    const struct together *t = &result->together;
    double most = result->plan->max_errors;
    double share = result_error_share(result);
    const char *first = result->first_failure ? result->first_failure : "see above";
    if (result->damaged > 0)
        return err_say(e,
                       "the storage returned something other than what was written: %" PRIu64
                       " damaged reads%s",
                       result->damaged,
                       result->plan->target->traits & TARGET_LOCAL
                           ? ""
                           : "; -verify=off is for a server that does not keep what is put");
    if (result->reads_written && !result->has_written && result->kinds[LOAD_WRITE].total > 0)
        return err_say(e, "no write succeeded, so there was nothing to read: %s", first);
    if (share > most)
        return err_say(e,
                       "%.4g %% of the requests failed, more than -max-errors=%.4g; the first: %s",
                       share, most, first);
    if (t->worst_share > most)
        return err_say(e,
                       "rank %u on %s: %.4g %% of the requests failed, more than "
                       "-max-errors=%.4g",
                       t->worst, c->ranks.cards[t->worst].host, t->worst_share, most);
    return 0;
}

/*
 * Does the same in rank 0 of several: reports what is wrong with the whole run, and not with rank
 * 0.
 */
static int judge_as_first(const struct result *result, const struct coordinator *c, struct err *e)
{
    int rc = 0;
    if (!is_first(result->plan))
        return 0;
    rc = judge_result(result, c, e);
    if (rc != 0 && c->ranks.count > 1) {
        message("%s", e->text);
        e->text[0] = '\0';
    }
    return rc;
}

/* Prints the reports, dumps names and removes objects. Returns the first failure. */
static int finish_run(struct conductor *c, struct outputs *o, bool *is_finished, int *status,
                      struct err *e)
{
    const struct plan *p = c->run->plan;
    struct result result;
    int rc = conductor_result(c, &result, e);
    *is_finished = rc == 0;
    if (rc != 0)
        return rc;
    rc = print_reports(&result, o, e);
    if (p->written_dump) {
        int dumped = aftermath_dump(c->run, &o->dump, e);
        rc = rc ? rc : dumped;
    }
    if (p->cleanup) {
        int removed = aftermath_remove(c->run, e);
        rc = rc ? rc : removed;
    }
    if (rc == 0 && !result.was_stopped)
        rc = judge_as_first(&result, c->coordinator, e);
    if (rc == 0 && (result.is_bad_rate || (result.is_above && is_first(p) && !result.was_stopped)))
        *status = STATUS_BROKEN;
    result_release(&result);
    return rc;
}

/* Prints the figures so far on standard error; with several ranks, only those of this one. */
static void tell_interim(struct conductor *c)
{
    struct result result;
    struct err e;
    err_init(&e);
    if (conductor_result(c, &result, &e) != 0) {
        message("%s", e.text);
        return;
    }
    if (plan_ranks(result.plan) > 1)
        fprintf(stderr, "\nRank %u alone, one of %u:", result.plan->stripe.index,
                plan_ranks(result.plan));
    report_human(&result, stderr);
    fflush(stderr);
    result_release(&result);
}

/* Conducts a run. After a failure, it leaves no more behind than after a success. */
static int conduct_run(struct run *run, struct coordinator *coordinator,
                       struct explainer *explainer, struct outputs *o, int *status, struct err *e)
{
    struct conductor conductor;
    bool is_finished = false;
    int rc = conductor_open(&conductor, run, coordinator, e);
    if (rc != 0)
        return rc;
    conductor.asked = tell_interim;
    conductor.explainer = explainer;
    rc = conductor_run(&conductor, e);
    if (rc == 0)
        rc = finish_run(&conductor, o, &is_finished, status, e);
    if (!is_finished && run->plan->cleanup)
        aftermath_remove(run, e);
    conductor_close(&conductor);
    return rc;
}

/* Makes the plan. With several ranks, all use rank 0's seed. */
static int make_plan(struct plan *p, const struct settings *s, struct coordinator *c, struct err *e)
{
    int rc = plan_make(p, s, e);
    if (rc == 0)
        rc = coordinator_share(c, "Starting", &p->seed, sizeof p->seed, e);
    return rc == 0 ? plan_join(p, &c->ranks, e) : rc;
}

/* Changes the user before the program opens or makes any of the user's files. */
static int become_user(const struct settings *s, struct err *e)
{
    struct identity identity;
    int rc = privilege_resolve(&identity, s->user, s->group, e);
    return rc == 0 ? privilege_become(&identity, false, e) : rc;
}

/*
 * Whether the signal asks for the end of the run. goader then prints its results and ends normally.
 */
static bool is_request(int signal)
{
    return signal == SIGHUP || signal == SIGINT || signal == SIGTERM;
}

/* Makes the runs of -good-for, each of which has its own plan. */
static int session_good_for(const struct settings *s, struct coordinator *coordinator, int *status,
                            struct err *e)
{
    struct page page = {0};
    if (strcmp(s->good_for, "list") == 0)
        return good_for_list(e);
    int rc = stop_init(e);
    if (rc == 0)
        stop_keeps_readers();
    if (rc == 0)
        rc = become_user(s, e);
    if (rc == 0 && s->timeline_file)
        rc = page_open(&page, "-timeline-file", s->timeline_file, e);
    if (rc == 0)
        rc = good_for(s, coordinator, &page, status, e);
    page_close(&page);
    return rc;
}

int session(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e)
{
    struct plan plan;
    struct run run;
    struct outputs outputs = {0};
    struct explainer explainer = {0};
    if (s->good_for)
        return session_good_for(s, coordinator, status, e);
    int rc = make_plan(&plan, s, coordinator, e);
    if (rc != 0)
        return rc;
    rc = stop_init(e);
    if (rc == 0)
        stop_keeps_readers();
    if (rc == 0 && plan_ranks(&plan) > 1)
        stop_takes_repeats();
    if (rc == 0)
        rc = explainer_open(&explainer, &plan, e);
    if (rc == 0)
        rc = become_user(s, e);
    if (rc == 0)
        rc = open_outputs(&outputs, &plan, e);
    if (rc == 0)
        rc = run_open(&run, &plan, e);
    if (rc == 0) {
        rc = conduct_run(&run, coordinator, &explainer, &outputs, status, e);
        run_close(&run);
    }
    close_outputs(&outputs);
    explainer_close(&explainer);
    if (rc == 0 && s->as_goader && is_request(stop_signal()))
        stop_forget();
    return rc;
}
