// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/good_for.h"

#include <math.h>

#include "bonload/control/main_loop.h"
#include "bonload/judge/verdict.h"
#include "bonload/options.h"
#include "bonload/report/report.h"
#include "measure/clock.h"
#include "report/page.h"
#include "storage/sync_trial.h"
#include "sys/program.h"
#include "util/kernel_file.h"

#define JUDGED_NS (31 * BILLION) /* for all loads: a p99 of ten durations a second takes 299 */
#define WARMUP_NS BILLION        /* before each load */
#define SEARCH_NS (60 * BILLION) /* a search that has not ended by then reports how far it came */

/* The last requests may end later than the load by GRACE_NS and twice the longest limit (a commit
 * waits for the sync that is under way, and for its own), MAX_GRACE_NS at most, and are in time. */
#define GRACE_NS     (BILLION / 10)
#define MAX_GRACE_NS BILLION

/* What -good-for asks, and what is known so far. */
struct inquiry {
    const struct settings *settings;
    const char *directory; /* a directory on the storage in question */
    char path[PATH_MAX];   /* its path from the root, or if that is not known, the same */
    struct durability durability;
    struct coordinator *coordinator;
    struct answer *answers;
    size_t count;          /* number of answers begun */
    struct answer *answer; /* the last of them */
    unsigned loads;        /* number of loads that it judges */
    char *own;             /* text of the user's own profile */
    json_t *report;        /* report of the last run that was judged */
    struct output output;
    struct html_page page;
    bool is_all;
    bool was_stopped;
};

static struct duration_figures figures_of(const char *name, const struct histogram *h)
{
    return (struct duration_figures){.name = name, .count = h->count, .times = latencies_of(h)};
}

/* Adds what was measured with one load, and judges it. */
static void add_load(const struct inquiry *q, const struct run *run, const struct result *result)
{
    struct answer *a = q->answer;
    const struct kind_result *k = &result->figures->kinds[LOAD_WRITE];
    const struct profile *p = &a->profile;
    struct at_load *l = &a->loads[a->load_count++];
    double longest_ns = 0;
    bool was_ever_busy = false;
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++)
        longest_ns = fmax(longest_ns, (double)p->limits[i].nanoseconds);
    double grace_ns = fmin(GRACE_NS + 2 * longest_ns, MAX_GRACE_NS);
    double load_seconds = k->offered > 0 ? (double)k->due / k->offered : 0;
    /* the time by which the last requests were late counts */
    double seconds = fmax(load_seconds, k->elapsed - grace_ns / (double)BILLION);
    *l = (struct at_load){
        .asked = (double)run->plan->kinds[LOAD_WRITE].rate / (double)BILLION,
        .clients = run->plan->kinds[LOAD_WRITE].threads,
        .offered = k->offered,
        .achieved =
            k->offered > 0 ? (double)k->tally.response.count / seconds : result_good_rate(k),
        .requests = tally_ended(&k->tally),
        .machine = result->figures->machine,
    };
    l->durations[0] = figures_of(p->request, &k->tally.response);
    l->durations[1] =
        figures_of(p->sync, &profile_target_gauge(run->shared, LIMIT_ON_SYNC)->durations);
    for (uint32_t i = 0; i < PROFILE_WORKS && p->works[i].name; i++) {
        const struct gauge *g = profile_target_gauge(run->shared, i);
        l->durations[2 + i] = figures_of(p->works[i].name, &g->durations);
        gauge_append(&a->works[i], g); /* work beside the requests is judged over all loads */
    }
    for (size_t i = 0; i < a->load_count; i++)
        was_ever_busy |= others_are_busy(&a->loads[i].machine);
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++) {
        uint32_t on = p->limits[i].on;
        const struct gauge *g =
            on == LIMIT_ON_SYNC ? profile_target_gauge(run->shared, on) : &a->works[on];
        bool is_busy = on == LIMIT_ON_SYNC ? others_are_busy(&l->machine) : was_ever_busy;
        if (on == LIMIT_ON_SYNC || a->load_count == q->loads)
            l->judged[l->judged_count++] =
                verdict_on(g, &p->limits[i], at_load_is_made(l), is_busy);
    }
}

/* Makes a run, and removes its files. If the target has failed, which work beside the requests may
 * do until it has ended, that is the reason. A certain answer needs no run: its report is zero. */
static int make_run(struct inquiry *q, const struct settings *s, struct err *e)
{
    struct plan plan;
    struct run run;
    struct main_loop main_loop;
    struct result result = {0};
    struct err failure = {0};
    struct err left = {0};
    int failed = 0;
    int finished = 0;
    int rc = plan_make(&plan, s, q->coordinator, e);
    if (rc == 0 && answer_is_certain(q->answer)) {
        struct series none[SERIES] = {{0}};
        const struct levels levels[LOAD_KINDS] = {{0}};
        result = (struct result){
            .plan = &plan, .series = none, .levels = levels, .start_time_ns = clock_wall_ns()};
        json_decref(q->report);
        q->report = result_open(&result) ? report_object(&result) : NULL;
        result_release(&result);
        return q->report ? 0 : err_system(e, ENOMEM, "allocate memory for the report");
    }
    if (rc == 0)
        rc = run_open(&run, &plan, e);
    if (rc != 0)
        return rc;
    rc = main_loop_open(&main_loop, &run, q->coordinator, e);
    if (rc == 0) {
        main_loop.view.title = q->answer->profile.name;
        rc = main_loop_run(&main_loop, &failure);
        if (rc == 0)
            rc = result_make(&result, &main_loop, &failure);
        failed = profile_target_end(run.shared, main_loop.end_ns, e);
        if (failed == 0 && rc == 0)
            rc = result_check(&result, &failure);
        if (failed == 0 && rc == 0) {
            const struct figures *f = result.figures;
            q->was_stopped |= f->was_stopped;
            if (plan.mode == MODE_SEARCH) {
                q->answer->is_more_sought = true;
                q->answer->more = f->kinds[LOAD_WRITE].answer;
            } else if (!f->was_stopped) {
                json_decref(q->report);
                q->report = report_object(&result);
                rc = q->report ? 0 : err_system(&failure, ENOMEM, "allocate memory for the report");
                add_load(q, &run, &result);
            }
        }
        if (failed == 0 && rc != 0)
            *e = failure;
        result_release(&result);
        finished = profile_target_finish(run.shared, &left);
        err_append(e, &left);
        main_loop_close(&main_loop);
    }
    run_close(&run);
    return failed ? failed : rc ? rc : finished;
}

/* The settings that all runs of a profile share. */
static struct settings settings_for(const struct inquiry *q)
{
    struct settings s = *q->settings;
    s.engine = "profile";
    s.profile = &q->answer->profile;
    s.url = q->directory;
    s.timeline_file = NULL;
    s.limit.nanoseconds = 0;
    memset(s.rate, 0, sizeof s.rate);
    memset(s.threads, 0, sizeof s.threads);
    s.rate[LOAD_READ].given = s.threads[LOAD_READ].given = true; /* there are no reads */
    if (!s.warmup_ns.given)
        s.warmup_ns = (struct optional){true, WARMUP_NS};
    return s;
}

/* The load that the user has fixed; not `given` if there is none. */
static struct optional fixed_load(const struct optional loads[])
{
    return loads[LOAD_WRITE].given ? loads[LOAD_WRITE] : loads[LOAD_READ];
}

/* Makes -max-latency the limit on the syncs that requests wait for. */
static int set_limit(struct profile *p, const struct settings *s, struct err *e)
{
    if (s->limit.nanoseconds == 0)
        return 0;
    if (s->limit.of == LIMIT_MEAN)
        return err_say(e, "-max-latency: with -good-for it is pN:DURATION or max:DURATION");
    for (struct profile_limit *l = p->limits; l < p->limits + PROFILE_LIMITS; l++) {
        if (l->name && l->on != LIMIT_ON_SYNC)
            continue;
        *l = (struct profile_limit){.on = LIMIT_ON_SYNC,
                                    .name = p->sync,
                                    .percent = s->limit.of == LIMIT_MAX ? 100 : s->limit.percent,
                                    .nanoseconds = s->limit.nanoseconds};
        return 0;
    }
    return err_say(e, "-max-latency: the profile %s has no room for another limit", p->name);
}

/* Judges a profile at the user's load or its own, and if none is bad, searches for a higher one. */
static int ask_profile(struct inquiry *q, const struct profile *given, struct err *e)
{
    struct answer *a = &q->answers[q->count++];
    struct profile *p = &a->profile;
    const struct optional rate = fixed_load(q->settings->rate);
    const struct optional clients = fixed_load(q->settings->threads);
    bool is_fixed = rate.given || clients.given;
    uint64_t good_rate = 0;
    q->answer = a;
    *p = *given;
    a->durability = q->durability;
    int rc = set_limit(p, q->settings, e);
    if (rc == 0 && rate.given && clients.given)
        rc = err_say(e, "threads (-rt, -wt) and rates (-rps, -wps) cannot be combined");
    if (rc == 0 && is_fixed && (rate.given ? rate : clients).value == 0)
        rc = err_say(e, "-good-for: the load must be above 0");
    for (q->loads = 1; !is_fixed && q->loads < PROFILE_LOADS && p->loads[q->loads] > 0;)
        q->loads++;
    for (unsigned i = 0; rc == 0 && i < q->loads && !q->was_stopped; i++) {
        struct settings s = settings_for(q);
        s.rate[LOAD_WRITE] = rate;
        s.threads[LOAD_WRITE] = clients;
        if (!is_fixed && p->loads[0] > 0)
            s.rate[LOAD_WRITE] = (struct optional){true, p->loads[i] * BILLION};
        else if (!is_fixed)
            s.threads[LOAD_WRITE] = (struct optional){true, p->clients};
        if (!s.duration_ns.given)
            s.duration_ns = (struct optional){true, JUDGED_NS / q->loads};
        rc = make_run(q, &s, e);
    }
    const struct profile_limit *limit = profile_sought_limit(p);
    bool is_over = rc != 0 || q->was_stopped || answer_goodness(a) == GOODNESS_BAD;
    if (is_over || !limit || q->is_all || is_fixed)
        return rc;
    for (size_t i = 0; i < a->load_count; i++)
        if (a->loads[i].judged_count > 0 && a->loads[i].judged[0].goodness == GOODNESS_GOOD)
            good_rate = (uint64_t)a->loads[i].asked * BILLION;
    if (good_rate == 0)
        return 0;
    struct settings s = settings_for(q);
    s.search = SEARCH_RATE;
    s.limit = (struct latency_limit){
        .of = LIMIT_PERCENTILE, .percent = limit->percent, .nanoseconds = limit->nanoseconds};
    s.rate[LOAD_WRITE] = (struct optional){true, good_rate};
    s.duration_ns = (struct optional){true, SEARCH_NS};
    return make_run(q, &s, e);
}

/* So few syncs take no second on a disk, and others hardly store anything meanwhile. */
#define TRIAL_SYNCS 20

/* Finds out what is certain about the directory behind fd. A trial that fails says nothing: what
 * the storage refuses there, it also refuses to the profile, which reports that. */
static void find_durability(struct inquiry *q, int fd)
{
    struct durability *d = &q->durability;
    struct sources sources;
    struct sync_trial trial;
    struct err ignored = {0};
    durability_find(d, fd);
    sources_find(&sources, fd);
    if (d->kind == DURABILITY_NONE || sources.devices.count == 0 ||
        sync_trial_run(&trial, q->directory, &sources.devices, TRIAL_SYNCS,
                       q->settings->trusts_directory, &ignored) != 0 ||
        !trial.is_pretended)
        return;
    d->kind = DURABILITY_NONE;
    d->why = "fsync does nothing";
    snprintf(d->what, sizeof d->what, "none of %d fsyncs reaches %.30s", TRIAL_SYNCS,
             sources.devices.name);
}

int good_for(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e)
{
    struct inquiry q = {
        .settings = s,
        .directory = s->url ? s->url : ".",
        .coordinator = coordinator,
        .is_all = strcmp(s->good_for, "all") == 0,
    };
    struct profile from_file;
    const struct profile *single[] = {profile_by_name(s->good_for), NULL};
    const struct profile *const *list = q.is_all ? profile_table : single;
    size_t profiles = 1;
    if (coordinator->ranks.count > 1)
        return err_say(e, "-good-for judges the storage of one machine: it takes one rank");
    if (s->sweep_count > 0 || s->engine || s->url_source || s->written_dump || s->ramp ||
        s->load_file || s->reads_per_write.given || s->stop_on_bad_rate || s->live_file ||
        s->hgrm || s->explain_tail)
        return err_say(e, "-good-for cannot be combined with -requests-engine, -url-source, "
                          "-sweep, -ramp, -load-file, -rpw, -stop-on-bad-rate, -live-file, -hgrm, "
                          "-written-urls-dump or -explain-tail");
    if (s->fail_above.nanoseconds > 0)
        return err_say(e, "-good-for has limits of its own, and cannot be combined with "
                          "-fail-above; -max-latency=pN:DURATION sets another limit");
    if (s->output == OUTPUT_JSON && !s->json)
        return err_say(e, "-output=json is goader's, which has no -good-for; --json prints this");
    while (q.is_all && profile_table[profiles])
        profiles++;
    q.answers = calloc(profiles, sizeof *q.answers);
    if (!q.answers)
        return err_system(e, ENOMEM, "allocate memory for the answers");
    int rc = output_open_stdout(&q.output, s->report, e);
    if (rc == 0 && s->timeline_file)
        rc = html_page_open(&q.page, s->page_option, s->timeline_file, e);
    int fd = rc == 0 ? path_open_to_list(q.directory, PATH_FAILS, e) : rc;
    if (fd >= 0) {
        find_durability(&q, fd);
        if (!kernel_file_link(descriptor_path(fd).text, q.path, sizeof q.path))
            snprintf(q.path, sizeof q.path, "%s", q.directory);
        if (!s->url)
            message("no directory is given: %s is judged", printable(q.path).text);
        close(fd);
    }
    rc = fd >= 0 ? 0 : fd;
    if (rc == 0 && !q.is_all && !single[0]) {
        rc = profile_read(&from_file, s->good_for, &q.own, e);
        single[0] = &from_file;
    }
    for (; rc == 0 && *list && !q.was_stopped; list++)
        rc = ask_profile(&q, *list, e);
    if (rc == 0 && !q.report) {
        message("stopped before anything could be judged");
    } else if (rc == 0) {
        answers_put(&q.report, q.answers, q.count, q.path);
        char *json = document_end(q.report, JSON_COMPACT);
        q.report = NULL;
        if (!json)
            rc = err_system(e, ENOMEM, "allocate memory for the report");
        else if (s->json)
            puts(json);
        else
            answers_print(q.answers, q.count, stdout);
        if (rc == 0)
            rc = output_finish(&q.output, e);
        if (rc == 0 && q.page.is_open)
            rc = html_page_write(&q.page, json, e);
        free(json);
    }
    enum goodness worst = GOODNESS_NONE;
    for (size_t i = 0; rc == 0 && !q.was_stopped && i < q.count; i++) {
        enum goodness one = answer_goodness(&q.answers[i]);
        worst = one > worst ? one : worst;
        if (!answer_is_shown(!s->json))
            answer_complain(&q.answers[i]);
    }
    if (rc == 0 && !q.was_stopped)
        *status = worst == GOODNESS_BAD       ? STATUS_NO
                  : worst == GOODNESS_UNKNOWN ? STATUS_NOT_KNOWN
                                              : EXIT_SUCCESS;
    html_page_close(&q.page);
    output_discard(&q.output);
    json_decref(q.report);
    free(q.own);
    free(q.answers);
    return rc;
}
