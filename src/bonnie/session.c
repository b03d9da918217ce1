// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bonnie/options.h"
#include "bonnie/phase.h"
#include "bonnie/plan.h"
#include "bonnie/preset.h"
#include "bonnie/reports.h"
#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "cli/parser.h"
#include "measure/clock.h"
#include "storage/block_device.h"
#include "sync/coordinator.h"
#include "sys/cache_dropper.h"
#include "sys/host.h"
#include "sys/input.h"
#include "sys/output.h"
#include "sys/path.h"
#include "sys/privilege.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/units.h"

static struct result begin_result(const struct run_context *r)
{
    return (struct result){
        .plan = plan_whole(r->plan),
        .storage = &r->storage,
        .version = PACKAGE_VERSION,
        .ranks = r->plan->ranks,
        .shift = r->shift,
        .start_time = time(NULL),
        .begun_ns = clock_ns(),
    };
}

/* Warns about settings that Bonnie++ refuses but bonnie accepts. */
static void advise_user(const struct plan *p, bool stays_root)
{
    if (p->quiet)
        return;
    if (p->data.bytes > 0 && (p->engine.ops->capabilities & ENGINE_NEEDS_DIRECT) && !p->direct)
        message("%s without --direct is synchronous: the kernel's page cache serves one call "
                "at a time",
                p->engine.ops->name);
    if (stays_root && !p->preset->is_brief)
        message("running as root; -u USER runs as that user instead");
    if (p->advise_bytes > 0) {
        char advised[UNITS_TEXT];
        units_format_readable(advised, p->advise_bytes);
        message(
            "the size is less than twice the RAM, so some reads may come from memory; %s %" PRIu64
            "m (%s) avoids that",
            p->settings->has_go_flags ? "-size" : "-s", p->advise_bytes / MIB, advised);
    }
}

static void say_more(const struct plan *p, const struct helpers *helpers)
{
    if (p->verbose == 0)
        return;
    message("seed %" PRIu64 ", %u workers, chunks of %" PRIu64 " bytes", p->seed, p->workers,
            p->data.chunk_bytes);
    message("before tests that read, %s",
            p->is_device                       ? "nothing is evicted, because O_DIRECT is used"
            : p->settings->cache == CACHE_KEEP ? "caches are kept"
            : cache_dropper_is_there(&helpers->dropper)
                ? "all caches of the system are dropped"
                : "the files' own pages are evicted; the system's caches "
                  "cannot be dropped without root");
}

/* Decides whether there is another run. Rank 0 decides for all ranks. */
static int decide_more(struct run_context *context, uint64_t done, uint64_t start_ns, bool *more,
                       struct err *e)
{
    const struct plan *p = context->plan;
    uint64_t least_ns = p->settings->seconds_ns.value;
    *more = done < p->runs || clock_ns() - start_ns < least_ns;
    if (done == 0 || least_ns == 0)
        return 0; /* all ranks know the number of runs */
    return coordinator_share(context->coordinator, "Another run", more, sizeof *more, e);
}

/*
 * Closes the context, and reports the first failure in one line; after a signal, only what could
 * not be removed.
 */
static int close_context(struct run_context *context, int rc, struct err *e)
{
    bool is_live = progress_lines_is_live(&context->progress);
    int closed = run_context_close(context, rc, e);
    if (closed == 0 && stop_signal() && is_live)
        stop_message("interrupted; files removed");
    if (stop_signal())
        run_context_report_abandoned(context);
    return rc ? rc : closed;
}

/* Room for a label and the name of a row after it. */
#define LABEL_ROOM 320

/*
 * Everything from the settings to the exit status. All plans, those of a preset's rows or a single
 * one, are run one after the other.
 */
struct session {
    const struct settings *settings;
    struct host host;
    struct block_device device;  /* without a name if a directory is measured */
    struct plan whole[MAX_ROWS]; /* for each row, the plan of all ranks */
    struct plan share[MAX_ROWS]; /* for each row, this rank's share */
    char labels[MAX_ROWS][LABEL_ROOM];
    unsigned count;
    bool stays_root;
    struct helpers helpers;
    struct output output;
    struct html_page page;
    bool refuses_direct; /* nothing was measured, perhaps because O_DIRECT does not work here */
    uint64_t corrupted;  /* number of corrupted places */
    uint64_t unreadable; /* of these, of reads that failed */
    unsigned unsteady;   /* number of tests that did not become steady */
};

/*
 * Whether a row of a short look is left out because it cannot be measured here. The data of all
 * other rows is that of the first, which must succeed.
 */
static bool is_left_out(const struct plan *p, int rc)
{
    bool is_inability = rc == -EOPNOTSUPP || rc == -ENOSYS || rc == -ENOSPC || rc == -EDQUOT;
    return p->preset->is_brief && !p->tests[TEST_PUT_BLOCK] && is_inability;
}

/*
 * For each row does as many runs as its plan wants, and further ones until its time is over; a run
 * is each of the plan's tests, as a phase (phase.h). Corrupted data is no failure: it is reported
 * on standard error, and counted.
 */
static int run_rows(struct session *all, struct run_context *r, struct reports *reports,
                    struct err *e)
{
    int rc = 0;
    for (unsigned row = 0; rc == 0 && row < all->count; row++) {
        const struct plan *p = &all->share[row];
        /* the metadata tests need the room of the data files, but the next row needs their data */
        bool needs_room = !p->row || plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT);
        uint64_t start_ns = clock_ns();
        bool more;
        if (row > 0)
            run_context_use(r, p);
        if (all->count > 1 && !p->quiet)
            message("%s", p->label);
        rc = decide_more(r, 0, start_ns, &more, e);
        for (uint64_t run = 0; rc == 0 && more; run++) {
            struct result result = begin_result(r);
            struct err failure = {0};
            struct facts later;
            rc = p->left_out ? -EOPNOTSUPP : 0;
            if (rc == 0)
                run_context_begin_run(r, run);
            for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
                if (test == TEST_FIRST_METADATA && needs_room)
                    for (unsigned i = 0; i < p->workers; i++)
                        data_file_release(&r->work[i].data);
                if (p->tests[test])
                    rc = phase_run(r, test, &result.tests[test], &failure);
            }
            result.ended_ns = clock_ns();
            if (rc != 0 && is_left_out(p, rc)) {
                result_release(&result);
                result = begin_result(r);
                result.ended_ns = result.begun_ns;
                snprintf(result.left_out, sizeof result.left_out, "%s",
                         p->left_out ? p->left_out : failure.text);
                rc = 0;
            } else {
                err_append(e, &failure);
            }
            run_context_facts(r, &later);
            facts_keep(&r->storage.facts, &later);
            if (rc == 0)
                rc = reports_run(reports, &result, e);
            else
                result_release(&result);
            if (rc == 0)
                rc = decide_more(r, run + 1, start_ns, &more, e);
        }
        /* all rows of a short look work on what the first one has written in its time */
        bool decides_size = row == 0 && p->preset->is_brief && p->tests[TEST_PUT_BLOCK];
        for (unsigned i = 0; rc == 0 && decides_size && i < all->count; i++) {
            struct data_plan *d = &all->share[i].data;
            d->chunks = r->work[0].data.valid_bytes / d->chunk_bytes;
            d->bytes = d->chunks * d->chunk_bytes;
            all->whole[i].data = *d;
        }
    }
    return rc;
}

/*
 * Runs the plans. The process has already given up the privileges that the user asked it to give
 * up.
 */
static int run_plans(struct session *all, struct coordinator *coordinator, struct err *e)
{
    struct reports reports = {0};
    struct run_context context;
    struct plan *p = &all->share[0];
    struct block_device *device = all->device.name ? &all->device : NULL;
    int rc = run_context_open(&context, p, device, &all->helpers, coordinator, e);
    all->refuses_direct = all->whole[0].direct && !device && (rc == -EINVAL || !p->direct);
    if (rc == 0 && all->refuses_direct && p->preset->is_brief)
        return close_context(&context, err_say(e, "O_DIRECT does not work here"), e);
    if (rc != 0)
        return rc;
    for (unsigned row = 1; row < all->count; row++)
        all->share[row].direct &= p->direct;
    advise_user(p, all->stays_root);
    say_more(p, &all->helpers);
    rc = reports_begin(&reports, p, &all->output, &all->page, e);
    if (rc == 0)
        rc = run_rows(all, &context, &reports, e);
    if (rc == 0)
        rc = reports_end(&reports, e);
    all->corrupted = context.corrupted;
    all->unreadable = context.unreadable;
    all->unsteady = context.unsteady;
    rc = close_context(&context, rc, e);
    reports_release(&reports);
    return rc;
}

/* Decides whether the findings mean failure. The report is complete by now. */
static int judge_findings(const struct session *all, struct err *e)
{
    if (all->corrupted > 0 && all->corrupted == all->unreadable)
        return err_say(e, "%" PRIu64 " reads of %s failed", all->unreadable, all->device.name);
    if (all->corrupted > 0)
        return err_say(e,
                       "the storage returned something other than what was written: %" PRIu64
                       " damaged places",
                       all->corrupted);
    if (all->unsteady == 0 || !all->settings->require_steady)
        return 0;
    err_say(e, "--require-steady: %u test%s did not become steady", all->unsteady,
            all->unsteady == 1 ? "" : "s");
    return STATUS_NOT_KNOWN;
}

/* Refuses what several ranks cannot do together. */
static int check_ranks(const struct session *all, const struct coordinator *ranks, struct err *e)
{
    if (ranks->ranks.count == 1)
        return 0;
    if (all->settings->coordination)
        return err_say(
            e, "-y cannot be used with MPI: the ranks of a job wait for one another anyway");
    if (all->settings->steady)
        return err_say(
            e, "--steady-state cannot be combined with several ranks; --time makes tests longer");
    if (all->settings->explain_tail)
        return err_say(e, "--explain-tail cannot be combined with several ranks");
    if (all->device.name)
        return err_say(e, "%s: several ranks cannot share a device", all->device.name);
    if (all->count > 1)
        return err_say(e, "--preset=%s cannot be combined with several ranks",
                       all->whole[0].preset->name);
    return 0;
}

/* Makes the plans of all ranks, and this rank's shares of them. */
static int make_plans(struct session *all, struct coordinator *ranks, struct err *e)
{
    const struct settings *s = all->settings;
    struct host *host = &all->host;
    host_detect(host);
    host->device_bytes = all->device.name ? all->device.bytes : 0;
    if (plan_defaults(s, host)->is_brief && !all->device.name)
        host_find_room(host, s->directory);
    if (ranks->ranks.ram_bytes > host->ram_bytes)
        host->other_ram_bytes = ranks->ranks.ram_bytes - host->ram_bytes;
    int rc = 0;
    all->count = plan_rows(s, host);
    for (unsigned row = 0; rc == 0 && row < all->count; row++) {
        struct plan *p = &all->whole[row];
        rc = plan_make_row(p, s, host, row, e);
        if (!p->row)
            continue;
        snprintf(all->labels[row], LABEL_ROOM, "%.255s%s%s", s->label ? s->label : "",
                 s->label ? " " : "", preset_row_name(p->row).text);
        p->label = all->labels[row]; /* tells its results from those of other rows */
    }
    if (rc == 0)
        rc = check_ranks(all, ranks, e);
    for (unsigned row = 0; rc == 0 && row < all->count; row++)
        rc = plan_share(&all->share[row], &all->whole[row], &ranks->ranks, e);
    return rc;
}

/* Reads the seed from the user's file, if one is given. All rows of all ranks have the same. */
static int share_seed(struct session *all, struct coordinator *ranks, struct err *e)
{
    const char *file = all->settings->random_file;
    uint64_t seed = all->whole[0].seed;
    int rc = file ? seed_file_seed(file, &seed, e) : 0;
    if (rc == 0)
        rc = coordinator_share(ranks, "Starting", &seed, sizeof seed, e);
    for (unsigned row = 0; row < all->count; row++)
        all->whole[row].seed = all->share[row].seed = seed;
    return rc;
}

/*
 * Runs a whole session as the settings ask: makes the plans, gives up privileges, does the runs,
 * prints the reports, and leaves nothing behind. The dropper and the trace are opened before
 * privileges are given up, and the user's files afterwards. Each row of a preset is a plan with a
 * context of its own. `ranks` is the coordinator of the ranks of one run; the settings may choose
 * another way to begin together. Returns 0, or a negative errno with a line in e; after a signal
 * -EINTR, and stop_signal() returns the signal. Returns STATUS_NOT_KNOWN, also with a line in e, if
 * all tests ran but a figure that had to be steady is not.
 */
static int session(const struct settings *s, struct coordinator *ranks, struct err *e)
{
    struct session all = {.settings = s};
    const struct plan *plan = &all.share[0]; /* has what all rows have in common */
    struct identity identity;
    struct coordinator others;
    struct coordinator *coordinator = ranks;

    int rc = block_device_find(&all.device, s->directory, s->writes, e);
    if (rc == 0)
        rc = make_plans(&all, ranks, e);
    if (rc == 0)
        rc = privilege_resolve(&identity, s->user, s->group, e);
    if (rc == 0)
        rc = stop_init(e);
    if (rc == 0)
        stop_takes_inquiries();
    if (rc == 0 && ranks->ranks.count > 1)
        stop_takes_repeats();
    if (rc == 0 && s->cache == CACHE_EVICT && !all.device.name)
        rc = cache_dropper_start(&all.helpers.dropper, e);
    if (rc == 0 && s->explain_tail)
        rc = tail_trace_open(&all.helpers.trace, TAIL_OWN, e);
    if (rc == 0)
        rc = privilege_become(&identity, plan->quiet, e);
    if (rc == 0)
        rc = share_seed(&all, ranks, e);
    if (rc == 0)
        rc = output_open(&all.output, plan->output, e);
    if (rc == 0 && s->page && ranks->ranks.number == 0)
        rc = html_page_open(&all.page, "--html", s->page, e);
    if (rc == 0 && s->coordination) {
        rc = coordinator_join(&others, s->coordination, e);
        coordinator = rc == 0 ? &others : ranks;
    }
    if (rc == 0) {
        all.stays_root = geteuid() == 0 && !identity.change;
        rc = run_plans(&all, coordinator, e);
    }
    if (rc != 0 && all.refuses_direct && plan->preset->is_brief) { /* once more, without it */
        all.host.refuses_direct = true;
        all.stays_root = false;
        err_init(e);
        rc = make_plans(&all, ranks, e);
        if (rc == 0)
            rc = share_seed(&all, ranks, e);
        if (rc == 0)
            rc = run_plans(&all, coordinator, e);
    }
    if (coordinator == &others)
        rc = coordinator_leave(&others, rc, e);
    if (rc == 0)
        rc = output_finish(&all.output, e);
    if (rc == 0)
        rc = judge_findings(&all, e);
    output_discard(&all.output);
    html_page_close(&all.page);
    block_device_close(&all.device);
    tail_trace_close(&all.helpers.trace);
    cache_dropper_stop(&all.helpers.dropper);
    return rc;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* --cleanup and -p, which measure nothing. */
static int do_chore(const struct settings *s, struct coordinator *coordinator, struct err *e)
{
    if (coordinator->ranks.number > 0)
        return 0; /* the user has already been warned */
    if (s->cleans_up)
        tail_trace_cleanup();
    int rc = privilege_change(s->user, s->group, true, e);
    if (rc != 0)
        return rc;
    if (s->semaphore_processes != 0)
        return s->semaphore_processes < 0 ? semaphores_remove(e)
                                          : semaphores_make(s->semaphore_processes, e);
    semaphores_clean_up();
    return cleanup_directory(s->directory, s->trusts_directory, e);
}

int bonnie(int argc, char *argv[], struct err *e)
{
    struct coordinator coordinator;
    struct settings settings;
    int rc = coordinator_join(&coordinator, program_coordinator, e);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, coordinator.ranks.number > 0 ? NULL : stdout, e);
    bool is_run = rc == 0;
    if (rc == CLI_ANSWERED)
        rc = 0;
    if (is_run)
        rc = coordinator_agree(&coordinator, argc, argv, e);
    if (is_run && rc == 0) {
        path_trust_movers(settings.trusts_directory);
        rc = settings.cleans_up || settings.semaphore_processes != 0
                 ? do_chore(&settings, &coordinator, e)
                 : session(&settings, &coordinator, e);
    }
    return coordinator_leave(&coordinator, rc, e);
}
