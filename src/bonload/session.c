// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>

#include "bonload/control/main_loop.h"
#include "bonload/good_for.h"
#include "bonload/judge/verdict.h"
#include "bonload/options.h"
#include "bonload/report/report.h"
#include "cli/parser.h"
#include "report/page.h"
#include "storage/scratch.h"
#include "sys/privilege.h"
#include "sys/program.h"
#include "sys/stop.h"

/* A file that has the name of an option's value with a suffix. */
struct named_output {
    struct output file;
    char name[PATH_MAX]; /* "": it is not wanted */
};

/* The files that are written at the end. They are opened before any load is made. */
struct outputs {
    struct output report;
    struct named_output dump;
    struct named_output hgrm[LOAD_KINDS];
    struct html_page page;
};

static int open_named(struct named_output *o, const char *value, const char *suffix, struct err *e)
{
    if (snprintf(o->name, sizeof o->name, "%s%s", value, suffix) >= (int)sizeof o->name)
        return err_system(e, ENAMETOOLONG, "open %s%s", value, suffix);
    return output_open(&o->file, o->name, false, e);
}

static int open_outputs(struct outputs *o, const struct plan *p, struct err *e)
{
    const struct settings *s = p->settings;
    bool is_first = p->stripe.index == 0;
    char rank[16] = "";
    if (plan_ranks(p) > 1) /* each rank has a dump of its own */
        snprintf(rank, sizeof rank, ".%u", p->stripe.index);
    int rc = is_first ? output_open_stdout(&o->report, s->report, e) : 0;
    if (rc == 0 && s->written_dump)
        rc = open_named(&o->dump, s->written_dump, rank, e);
    if (rc == 0 && s->timeline_file && is_first)
        rc = html_page_open(&o->page, s->page_option, s->timeline_file, e);
    for (enum load_kind kind = 0; s->hgrm && is_first && kind < LOAD_KINDS; kind++)
        if (rc == 0 && plan_has(p, kind))
            rc = open_named(&o->hgrm[kind], s->hgrm,
                            kind == LOAD_READ ? "-reads.hgrm" : "-writes.hgrm", e);
    return rc;
}

static int print_reports(const struct result *result, struct outputs *o, struct err *e)
{
    const struct settings *s = result->plan->settings;
    bool is_goaders = s->output == OUTPUT_JSON && !s->json;
    bool has_document = s->json || s->timeline_file;
    if (result->plan->stripe.index > 0)
        return 0;
    char *json = has_document ? document_end(report_object(result), JSON_COMPACT) : NULL;
    char *goaders = is_goaders ? document_end(goader_object(result), JSON_COMPACT) : NULL;
    int rc = 0;
    if ((has_document && !json) || (is_goaders && !goaders))
        rc = err_system(e, ENOMEM, "allocate memory for the report");
    else if (s->json || is_goaders)
        puts(s->json ? json : goaders);
    else if (s->output == OUTPUT_HUMAN)
        report_human(result, stdout);
    else
        report_text(result, stdout);
    if (rc == 0)
        rc = output_finish(&o->report, e);
    if (rc == 0 && s->timeline_file)
        rc = html_page_write(&o->page, json, e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++) {
        if (!*o->hgrm[kind].name)
            continue;
        report_hgrm(&result->figures->kinds[kind].tally.response, o->hgrm[kind].file.stream);
        rc = output_finish(&o->hgrm[kind].file, e);
    }
    free(goaders);
    free(json);
    return rc;
}

/* Decides by the printed figures whether the run succeeded. */
static int judge_result(const struct result *result, const struct coordinator *c, struct err *e)
{
    const struct joint_run *t = &result->together;
    double most = result->plan->max_errors;
    double share = result_error_share(result->figures);
    const char *first = result->first_failure ? result->first_failure : "see above";
    uint64_t limit_ns = result->plan->settings->fail_above.nanoseconds;
    const char *which = result->is_of_last_load ? " at the last load" : "";
    int rc = result_check(result, e);
    if (rc != 0)
        return rc;
    if (!result->figures->could_read && tally_ended(&result->figures->kinds[LOAD_WRITE].tally) > 0)
        return err_say(e, "no write succeeded, so there was nothing to read: %s", first);
    if (share > most)
        return err_say(e,
                       "%.3g %% of the requests%s failed, more than -max-errors=%.4g; the "
                       "first: %s",
                       share, which, most, first);
    if (t->worst_share > most)
        return err_say(
            e, "rank %u on %s: %.3g %% of the requests%s failed, more than -max-errors=%.4g",
            t->worst, c->ranks.cards[t->worst].host, t->worst_share, which, most);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct tally *tally = &result->figures->kinds[kind].tally;
        if (limit_ns > 0 && tally->failed.count > 0 && tally->response.count == 0)
            return err_say(e, "%s: none succeeded, so -fail-above has no latency to judge: %s",
                           load_titles[kind], first);
    }
    return 0;
}

/* Whether the storage itself failed, or lost what its filesystem had written there: for any request
 * (unless all may fail), or only for the filesystem, where requests find everything in memory. */
static int judge_storage(const struct run *run, const struct backing *backing, struct err *e)
{
    const unsigned named = TARGET_LOCAL | TARGET_NAMES;
    if ((run->target->traits & named) != named || run->plan->max_errors >= 100)
        return 0;
    for (const struct failure *f = run->failures.list; f < run->failures.list + MAX_FAILURES; f++) {
        int code = (int)(failure_code(f) & 0xffff);
        if (code != EIO && code != EUCLEAN && code != EBADMSG)
            continue;
        char *text = run_describe_failure(run, f);
        err_say(e, "the storage failed: %s", text ? text : "");
        free(text);
        return -EIO;
    }
    uint64_t errors = backing_errors(backing);
    if (errors > 0)
        return err_say(e, "the storage failed: the filesystem met %" PRIu64 " error%s", errors,
                       errors == 1 ? "" : "s");
    return 0;
}

/* Decides in rank 0 whether the run succeeded, or says by how much latencies are above -fail-above,
 * and what an unfinished search has found (under goader's name no failure). */
static int judge_run(const struct result *result, const struct coordinator *c, int *status,
                     struct err *e)
{
    const struct plan *p = result->plan;
    const struct latency_limit *above = &p->settings->fail_above;
    bool is_judge = p->stripe.index == 0 && !result->figures->was_stopped;
    int rc = is_judge ? judge_result(result, c, e) : 0;
    if (rc != 0 && c->ranks.count > 1) {
        message("%s", e->text);
        e->text[0] = '\0';
    }
    if (rc != 0)
        return rc;
    for (enum load_kind kind = 0; is_judge && kind < LOAD_KINDS; kind++) {
        const struct kind_result *k = &result->figures->kinds[kind];
        uint64_t found_ns = latency_limit_figure(above, &k->tally.response);
        const struct units_text name = latency_limit_name(above);
        const struct label_text answer = found_words(result, kind);
        enum found found = k->answer.found;
        if (*answer.text && !p->settings->as_goader && found != FOUND_LOAD && found != FOUND_MOST) {
            *status = found == FOUND_NONE || *status == STATUS_NO ? STATUS_NO : STATUS_NOT_KNOWN;
            if (!answer_is_shown(!p->settings->json && p->settings->output == OUTPUT_OURS))
                message("%s", answer.text);
        }
        if (above->nanoseconds == 0 || k->tally.response.count == 0)
            continue;
        if (found_ns > above->nanoseconds)
            message("%ss: %s %s is above %s", load_names[kind], name.text,
                    units_time_beside(found_ns, above->nanoseconds).text,
                    units_time_beside(above->nanoseconds, found_ns).text);
        if (found_ns > 0)
            continue;
        *status = *status == STATUS_NO ? STATUS_NO : STATUS_NOT_KNOWN;
        struct label_text seen = {""};
        label_add_seen(&seen, k->tally.response.count, "", percentile_needs(above->percent));
        message("%ss: %s is not known: %s", load_names[kind], name.text, seen.text);
    }
    if (is_judge && result->figures->is_bad_rate && !p->settings->as_goader)
        message("the rate could not be kept: two seconds' worth of requests are overdue");
    if (result->figures->is_bad_rate || (result->is_above && is_judge))
        *status = STATUS_NO;
    return 0;
}

/* The last number whose name counts: if names recur, no name counts twice. */
static uint64_t last_of(const struct run *run, uint64_t issued)
{
    uint64_t period = run->names.period;
    return period > 0 && period < issued ? period : issued;
}

/* Names that may recur are dumped in parts of about DUMP_PART, so the set has a fixed size. */
#define DUMP_SET  262144
#define DUMP_PART (DUMP_SET / 4)

/* Writes each name that was written successfully or, if none is written, read: one per line. */
static int dump_names(const struct run *run, struct output *output, struct err *e)
{
    bool writes = plan_has(run->plan, LOAD_WRITE);
    uint64_t issued = writes ? atomic_load(&run->written.issued) : atomic_load(&run->read_numbers);
    uint64_t period = run->names.period;
    uint64_t last = last_of(run, issued);
    bool is_unique = names_are_unique(&run->names, last);
    uint64_t parts = is_unique ? 1 : last / DUMP_PART + 1;
    struct number_set dumped = {0}; /* hashes of the part's names that have been dumped */
    char *name = malloc(run->names.longest + 1);
    bool has_memory = name;
    for (uint64_t part = 0; has_memory && part < parts; part++) {
        number_set_close(&dumped);
        has_memory = is_unique || number_set_open(&dumped, DUMP_SET);
        for (uint64_t number = 1; has_memory && number <= last && !ferror(output->stream);
             number++) {
            uint64_t written = number;
            if (period > 0 && issued > period) /* the last cycle counts */
                written += (issued - number) / period * period;
            if (writes && !written_has(&run->written, written))
                continue;
            names_format(&run->names, number, name);
            if (!is_unique) {
                uint64_t hash = names_hash(name, strlen(name)) | 1;
                if ((hash >> 1) % parts != part || number_set_has(&dumped, hash))
                    continue;
                number_set_add(&dumped, hash);
            }
            fprintf(output->stream, "%s\n", name);
        }
    }
    number_set_close(&dumped);
    free(name);
    if (!has_memory)
        return err_system(e, ENOMEM, "allocate memory for the names that were written");
    return output_finish(output, e);
}

/* Removes the file with a number's name. Sets *rc if that fails and the file may still be there. */
static void remove_one(const struct run *run, uint64_t number, int *rc, struct err *e)
{
    int one = run->target->remove(run->shared, number);
    if (one == 0 || one == -ENOENT || one == -ENOTDIR)
        return;
    char *name = malloc(run->names.longest + 1);
    char why[256];
    if (name)
        names_show(&run->names, number, name);
    run->target->describe(run->shared, failure_of(CALL_OTHER, -one), why, sizeof why);
    err_say(e, "remove %s: %s", name ? name : "what was written", why);
    *rc = one;
    free(name);
}

/* Removes what the run wrote and made, unless it may belong to others or is gone. When an object
 * cannot be removed, goes on, unless the target cannot be reached. Returns the first failure. */
static int clean_up_run(const struct run *run, struct err *e)
{
    const struct written_set *w = &run->written;
    const struct number_set *made = &run->made.ours;
    uint64_t last = made->size > 0 ? 0 : last_of(run, atomic_load(&w->issued));
    uint64_t unknown = 0;
    int rc = 0;
    if (!run->target->remove)
        return 0;
    for (size_t i = 0; i < made->size; i++) {
        uint64_t number = atomic_load(&made->places[i]);
        if (number > 0 && !number_set_has(&run->made.strange, number))
            remove_one(run, number, &rc, e);
    }
    if (made->size > 0)
        unknown = atomic_load(&run->made.unknown) + atomic_load(&run->made.strange.count);
    for (uint64_t number = 1; number <= last && rc != -ENOTCONN; number++) {
        bool is_ours = number_set_has(&w->made_later, number);
        if (!is_ours && number_set_has(&w->not_made.singles, number))
            continue;
        if (!is_ours && exceptions_may_have(&w->not_made, number))
            unknown++;
        else
            remove_one(run, number, &rc, e);
    }
    if (unknown > 0)
        message("-remove: %" PRIu64 " names are not known to belong to this run, and are kept",
                unknown);
    return rc;
}

/* Prints the figures so far on standard error; with several ranks, only those of this one. */
static void print_interim(struct main_loop *m)
{
    struct result result;
    struct err e = {0};
    if (result_make(&result, m, &e) != 0) {
        message("%s", e.text);
        return;
    }
    if (plan_ranks(result.plan) > 1)
        fprintf(stderr, "Rank %u alone, one of %u:\n", result.plan->stripe.index,
                plan_ranks(result.plan));
    report_text(&result, stderr);
    fflush(stderr);
    result_release(&result);
}

/* Makes the plan, the run and the reports, then dumps names and removes objects, also after a
 * failure, whose line is empty if it was reported. *status: of a condition that the run broke. */
static int session(const struct settings *s, struct coordinator *coordinator, int *status,
                   struct err *e)
{
    struct plan plan;
    struct run run;
    struct main_loop main_loop;
    struct result result = {0};
    struct outputs outputs = {0};
    struct explainer explainer = {0};
    struct identity identity;
    if (s->cleans_up && coordinator->ranks.number > 0)
        return 0;
    if (s->cleans_up)
        tail_trace_cleanup();
    if (s->url)
        path_await(s->url);
    int rc = stop_init(e);
    if (rc != 0)
        return rc;
    stop_keeps_readers();
    if (coordinator->ranks.count > 1)
        stop_takes_repeats();
    if (s->explain_tail && !s->good_for && !s->cleans_up) /* opens what only root may open */
        rc = tail_trace_open(&explainer.trace, TAIL_OWN, e);
    if (rc == 0)
        rc = privilege_resolve(&identity, s->user, s->group, e);
    if (rc == 0) /* before any of the user's files is opened or made */
        rc = privilege_become(&identity, false, e);
    if (rc == 0 && s->cleans_up) {
        const char *place = s->url ? s->url : ".";
        rc = cleanup_directory(place, s->trusts_directory, e);
        if (rc != -ENOENT)
            return rc;
        err_init(e);
        return err_say(e,
                       "-cleanup: '%.100s' is not a directory; expected the one with what killed "
                       "runs left, and no template",
                       place);
    }
    if (rc == 0 && s->good_for) /* each of its runs has its own plan */
        return good_for(s, coordinator, status, e);
    if (rc == 0)
        rc = plan_make(&plan, s, coordinator, e);
    if (rc == 0 && !plan.explains_tail)
        explainer_close(&explainer);
    if (rc == 0)
        rc = open_outputs(&outputs, &plan, e);
    bool is_open = rc == 0 && (rc = run_open(&run, &plan, e)) == 0;
    bool has_loop = is_open && (rc = main_loop_open(&main_loop, &run, coordinator, e)) == 0;
    if (has_loop) {
        main_loop.asked = print_interim;
        main_loop.explainer = &explainer;
        rc = main_loop_run(&main_loop, e);
        if (rc == 0)
            rc = result_make(&result, &main_loop, e);
        bool has_result = rc == 0;
        if (has_result)
            rc = print_reports(&result, &outputs, e);
        if (has_result && s->written_dump) {
            int dumped = dump_names(&run, &outputs.dump.file, e);
            rc = rc ? rc : dumped;
        }
        if (s->removes) {
            int removed = clean_up_run(&run, e);
            rc = rc ? rc : removed;
        }
        if (rc == 0)
            rc = judge_run(&result, coordinator, status, e);
        if (rc == 0 && !stop_signal())
            rc = judge_storage(&run, &main_loop.backing, e);
        result_release(&result);
        main_loop_close(&main_loop);
    }
    if (is_open)
        run_close(&run);
    output_discard(&outputs.report);
    output_discard(&outputs.dump.file);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        output_discard(&outputs.hgrm[kind].file);
    html_page_close(&outputs.page);
    explainer_close(&explainer);
    int signal = stop_signal();
    if (rc == 0 && s->as_goader && (signal == SIGHUP || signal == SIGINT || signal == SIGTERM))
        stop_forget(); /* goader prints its results and ends normally */
    return rc;
}

/* Returns after all ranks have left. A load that breaks a condition has its own exit status. */
static int bonload(int argc, char *argv[], struct err *e)
{
    static struct settings settings;
    struct coordinator coordinator;
    int status = EXIT_SUCCESS;
    sigset_t usr1; /* asks for the figures so far; the main thread accepts it, while it waits */
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL); /* first, because all threads, also MPI's, inherit this */
    int rc = coordinator_join(&coordinator, program_coordinator, e);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, coordinator.ranks.number > 0 ? NULL : stdout, e);
    bool is_run = rc == 0;
    if (rc == CLI_ANSWERED)
        rc = 0;
    if (is_run)
        rc = coordinator_agree(&coordinator, argc, argv, e);
    path_trust_movers(settings.trusts_directory);
    if (is_run && rc == 0)
        rc = session(&settings, &coordinator, &status, e);
    rc = coordinator_leave(&coordinator, rc, e);
    return rc == 0 ? status : rc;
}

int main(int argc, char *argv[])
{
    /* -good-for, which needs most stack, with its histograms, worked from 560 KiB on */
    return program_run(argc, argv, 800, bonload);
}
