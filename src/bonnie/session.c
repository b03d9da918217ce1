// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/session.h"

#include <signal.h>

#include "bonnie/phase.h"
#include "bonnie/reports.h"
#include "cli/parser.h"
#include "measure/clock.h"
#include "sys/input.h"
#include "sys/privilege.h"
#include "sys/program.h"
#include "sys/stop.h"

/* What is assumed for the time of a long test, and told: of a drive of everyday use. */
#define USUAL_SPEED      (200 * MIB)
#define USUAL_SPEED_TEXT "200 MiB/s"

/* Says, unless -q is given, what may surprise, and with -v what was decided. */
static void advise_user(const struct plan *p, const struct helpers *helpers, bool stays_root)
{
    if (!p->quiet && p->data.bytes > 0 && !p->direct &&
        (p->engine.ops->capabilities & ENGINE_NEEDS_DIRECT))
        message("%s without --direct is synchronous: the kernel's page cache serves one call "
                "at a time",
                p->engine.ops->name);
    if (!p->quiet && stays_root && !p->is_brief)
        message("running as root; -u USER runs as that user instead");
    if (!p->quiet && p->advise_bytes > 0) {
        char advised[UNITS_TEXT];
        units_format_chunk(advised, round_up(p->advise_bytes, p->advise_bytes > GIB ? GIB : MIB));
        message("the size is less than twice the RAM, so some reads may come from memory; %s %s "
                "avoids that",
                p->has_go_flags ? "-size" : "-s", advised);
    }
    if (p->verbose == 0)
        return;
    message("seed %" PRIu64 ", %u workers, chunks of %" PRIu64 " bytes", p->seed, p->workers,
            p->data.chunk_bytes);
    message("before tests that read, %s",
            p->is_device               ? "nothing is evicted, because O_DIRECT is used"
            : p->cache == CACHE_KEEP   ? "caches are kept"
            : helpers->dropper.pid > 0 ? "all caches of the system are dropped"
                                       : "the files' own pages are evicted; the system's caches "
                                         "cannot be dropped without root");
}

/* Where a test of a run of a row stands. With --seconds, only the run itself is looked at. */
static struct outlook look_ahead(const struct plan plans[], unsigned count, unsigned row,
                                 uint64_t run, enum test_id test)
{
    struct outlook o = {0};
    for (unsigned i = 0; i < count; i++) {
        const struct plan *p = &plans[i];
        uint64_t runs = p->least_ns > 0 ? 1 : p->runs;
        for (enum test_id t = 0; t < TEST_COUNT; t++) {
            if (!p->tests[t] || p->left_out)
                continue;
            uint64_t before = (p->least_ns > 0 ? 0 : run) + (t < test); /* this one */
            uint64_t begun = i != row ? (i < row) * runs : before + (t == test);
            struct cost each = phase_cost(p, t);
            o.test += begun;
            o.tests += runs;
            o.later.ns += (runs - begun) * each.ns;
            o.later.moved_bytes += (runs - begun) * each.moved_bytes;
            o.later.written_bytes += (runs - begun) * each.written_bytes;
            o.later.is_open |= begun < runs && each.is_open;
        }
    }
    return o;
}

/* Says what a long test will cost: directory, size, what will be written in all, and how long it
 * takes, which depends on a speed that nobody knows yet. */
static void say_cost(const struct plan *p)
{
    enum test_id first = 0;
    while (!p->tests[first])
        first++;
    struct cost all = look_ahead(p, 1, 0, 0, first).later;
    struct cost one = phase_cost(p, first);
    uint64_t data = p->data.chunks * p->data.chunk_bytes;
    uint64_t written = all.written_bytes + one.written_bytes + p->steady.precondition * data;
    bool is_filled = !p->tests[TEST_PUT_BLOCK] && !p->is_device &&
                     (p->tests[TEST_REWRITE] || p->tests[TEST_GET_BLOCK] || p->tests[TEST_SEEKS] ||
                      p->tests[TEST_IOPS]); /* with what these tests need */
    uint64_t moved = all.moved_bytes + one.moved_bytes + (is_filled ? data : 0);
    uint64_t ns = all.ns + one.ns + mul_div(moved, BILLION, USUAL_SPEED);
    bool is_open = all.is_open || one.is_open;
    struct label_text t = {""};
    char time[UNITS_TEXT];
    progress_time(time, MAX(ns, BILLION));
    if (p->data.bytes == 0)
        label_add(&t, "%" PRIu64 " files;", p->files.count);
    else
        label_add(&t, "%s;", units_scaled((double)p->data.bytes, UNITS_BYTES).text);
    written += is_filled ? data : 0;
    if (p->reads_only)
        label_add(&t, " nothing is written;");
    else if (p->steady.wanted || p->chunk_test_ns > 0)
        label_add(&t, " written again and again;");
    else if (written > 0)
        label_add(&t, " %s%s written in all;", is_open ? "at least " : "",
                  units_scaled((double)written, UNITS_BYTES).text);
    message("%s: %s %s %s%s", p->directory, t.text, p->steady.wanted ? "at most" : "about", time,
            moved > GIB ? " at " USUAL_SPEED_TEXT : "");
}

/* For each row does as many runs as its plan wants, and further ones until its time is over; a run
 * is each of the plan's tests, as a phase (phase.h). Corrupted data is no failure: it is reported
 * on standard error, and counted. A row of a short look that cannot be measured here is left out,
 * except the first, whose data all others need. */
static int run_rows(struct plan plans[], unsigned count, struct run_context *r,
                    struct reports *reports, struct err *e)
{
    int rc = 0;
    uint64_t look_ends_ns = clock_ns() + MAX_BRIEF_NS - BRIEF_END_NS;
    uint64_t op_bytes = 0; /* size of an operation in the row before, and the time for each */
    uint64_t op_ns = 0;
    for (unsigned row = 0; rc == 0 && row < count; row++) {
        const struct plan *p = &plans[row];
        bool is_first_brief = p->is_brief && p->tests[TEST_PUT_BLOCK];
        /* the metadata tests need the room of the data files, but the next row needs their data */
        bool needs_room = !p->row || plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT);
        uint64_t start_ns = clock_ns();
        uint64_t left_ns = look_ends_ns > start_ns ? look_ends_ns - start_ns : 0;
        if (p->is_brief && !p->is_longer)
            plan_bound_row(&plans[row], left_ns, count - row, op_bytes, op_ns);
        for (uint64_t run = 0; rc == 0; run++) {
            struct err failure = {0};
            bool others_moved = false;
            bool more = run < p->runs || clock_ns() - start_ns < p->least_ns;
            if (run > 0 && p->least_ns > 0) /* otherwise all ranks know the number of runs */
                rc = coordinator_share(r->coordinator, "Another run", &more, sizeof more, e);
            if (rc != 0 || !more)
                break;
            struct result result = {
                .plan = plan_whole(p),
                .storage = &r->storage,
                .version = PACKAGE_VERSION,
                .ranks = p->ranks,
                .shift = r->shift,
                .start_time = time(NULL),
                .begun_ns = clock_ns(),
            };
            bool is_inability = p->left_out;
            rc = p->left_out ? -EOPNOTSUPP : 0;
            if (rc == 0)
                run_context_begin_run(r, p, run);
            for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
                if (test == TEST_FIRST_METADATA && needs_room)
                    for (unsigned i = 0; i < p->workers; i++)
                        data_file_release(&r->work[i].data);
                if (!p->tests[test])
                    continue;
                struct outlook outlook = look_ahead(plans, count, row, run, test);
                rc = phase_run(r, test, &outlook, &result.tests[test], &failure);
                is_inability = rc == -EOPNOTSUPP || rc == -ENOSYS || rc == -ENOSPC || rc == -EDQUOT;
                others_moved |= others_move_data(&result.tests[test].verdict.most.others);
                const struct test_result *t = &result.tests[test];
                if (rc == 0 && t->ops > 0) {
                    op_bytes = t->chunk_bytes;
                    op_ns = t->elapsed_ns / t->ops;
                }
                if (rc == 0)
                    rc = reports_test(reports, &result, test, &failure);
            }
            result.ended_ns = clock_ns();
            if (p->is_brief && !is_first_brief && is_inability) {
                snprintf(result.left_out, sizeof result.left_out, "%s",
                         p->left_out ? p->left_out : failure.text);
                rc = 0;
            } else {
                err_append(e, &failure);
            }
            facts_look(&r->storage.facts, &r->storage.sources.mount, &r->storage.sources.devices,
                       others_moved);
            if (rc == 0)
                rc = reports_run(reports, &result, e);
            else
                reports->unfinished = result;
        }
        /* all rows of a short look work on what the first one has written in its time */
        for (unsigned i = 0; rc == 0 && row == 0 && is_first_brief && i < count; i++) {
            struct data_plan *d = &plans[i].data;
            d->chunks = r->work[0].data.valid_bytes / d->chunk_bytes;
            d->bytes = d->chunks * d->chunk_bytes;
        }
    }
    return rc;
}

/* Does what measures nothing: --cleanup, and -p in the words of Bonnie++. */
static int tidy_up(const struct settings *s, struct err *e)
{
    if (s->cleans_up)
        tail_trace_cleanup();
    int rc = privilege_change(s->user, s->group, true, e);
    if (rc != 0)
        return rc;
    if (s->semaphore_processes == 0) {
        semaphores_clean_up();
        return cleanup_directory(s->plan.directory, s->plan.trusts_directory, e);
    }
    bool makes = s->semaphore_processes > 0;
    rc = makes ? semaphores_make(s->semaphore_processes, e) : semaphores_remove(e);
    if (rc == 0 && makes)
        printf("Creating semaphore for %d procs.\n", s->semaphore_processes);
    else if (rc == 0)
        puts("Semaphore removed.");
    return rc;
}

/* A whole session: makes the plans, opens dropper and trace, gives up privileges, opens the user's
 * files, does the runs, prints the reports, and leaves nothing behind. */
int bonnie(int argc, char *argv[], struct err *e)
{
    struct coordinator all;    /* of the ranks of one run */
    struct coordinator others; /* the way to begin together that -y chooses */
    struct coordinator *coordinator = &all;
    const struct ranks *ranks = &all.ranks;
    struct settings settings;
    const struct settings *s = &settings;
    struct host host = {0};
    struct block_device device = {0}; /* without a name if a directory is measured */
    struct plan plans[MAX_ROWS];      /* one for each row of a preset; of this rank's share */
    struct plan *plan = &plans[0];    /* has what all rows have in common */
    struct plan whole;                /* the plan of several ranks */
    unsigned count = 0;
    struct helpers helpers = {0};
    struct output output = {0};
    struct html_page page = {0};
    struct reports reports = {0};
    struct run_context context = {0};
    struct identity identity;

    int rc = coordinator_join(&all, program_coordinator, e);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, ranks->number > 0 ? NULL : stdout, e);
    if (rc == CLI_ANSWERED)
        return coordinator_leave(&all, 0, e);
    if (rc == 0)
        rc = coordinator_agree(&all, argc, argv, e);
    if (rc == 0)
        path_trust_movers(s->plan.trusts_directory);
    bool measures = rc == 0 && !s->cleans_up && s->semaphore_processes == 0;
    if (rc == 0 && !measures && ranks->number == 0)
        rc = tidy_up(s, e);
    if (!measures)
        return coordinator_leave(&all, rc, e);

    path_await(s->plan.directory);
    rc = block_device_find(&device, s->plan.directory, s->writes, e);
    if (rc == 0) {
        host_detect(&host);
        host.device_bytes = device.name ? device.bytes : 0;
        if (plan_defaults(s)->is_brief && !device.name)
            host_find_room(&host, s->plan.directory);
        if (ranks->ram_bytes > host.ram_bytes)
            host.other_ram_bytes = ranks->ram_bytes - host.ram_bytes;
        count = plan_rows(s, &host);
    }
    for (unsigned row = 0; rc == 0 && row < count; row++)
        rc = plan_make_row(&plans[row], s, &host, row, e);
    if (rc == 0 && ranks->count > 1) {
        whole = *plan;
        rc = s->coordination ? err_say(e, "-y cannot be used with MPI: the ranks of a job wait for "
                                          "one another anyway")
                             : plan_share(plan, &whole, ranks, e);
    }
    ASSUME(rc != 0 || count > 0);
    if (rc == 0)
        rc = privilege_resolve(&identity, s->user, s->group, e);
    if (rc == 0)
        rc = stop_init(e);
    if (rc == 0)
        stop_takes_inquiries(true);
    if (rc == 0 && ranks->count > 1)
        stop_takes_repeats();
    if (rc == 0 && s->plan.cache == CACHE_EVICT && !device.name)
        rc = cache_dropper_start(&helpers.dropper, e);
    if (rc == 0 && s->plan.explains_tail)
        rc = tail_trace_open(&helpers.trace, TAIL_OWN, e);
    if (rc == 0)
        rc = privilege_become(&identity, plan->quiet, e);

    uint64_t seed = rc == 0 ? plan->seed : 0; /* of all rows and ranks */
    if (rc == 0 && s->random_file)
        rc = seed_file_seed(s->random_file, &seed, e);
    if (rc == 0)
        rc = coordinator_share(coordinator, "Starting", &seed, sizeof seed, e);
    for (unsigned row = 0; rc == 0 && row < count; row++) {
        plans[row].seed = seed;
        rc = run_context_check_limits(&plans[row], e);
    }
    whole.seed = seed;
    if (rc == 0)
        rc = output_open(&output, plan->output, false, e);
    if (rc == 0 && s->page && ranks->number == 0)
        rc = html_page_open(&page, "--html", s->page, e);
    if (rc == 0 && s->coordination) {
        rc = coordinator_join(&others, s->coordination, e);
        coordinator = rc == 0 ? &others : coordinator;
    }
    if (rc == 0)
        rc = run_context_open(&context, plan, device.name ? &device : NULL, &helpers, coordinator,
                              e);
    bool is_open = rc == 0;
    for (unsigned row = 1; is_open && !plan->direct && row < count; row++)
        plan_forgo_direct(&plans[row]);
    if (is_open) {
        if (!plan->quiet && !plan->is_brief && !plan->row && !plan->is_bonniexx &&
            !plan->has_go_flags && plan_stores(plan))
            say_cost(plan_whole(plan));
        advise_user(plan, &helpers, geteuid() == 0 && !identity.change);
        rc = reports_begin(&reports, &(struct result){.plan = plan, .storage = &context.storage},
                           &output, &page, e);
    }
    if (rc == 0)
        rc = run_rows(plans, count, &context, &reports, e);
    if (rc == 0)
        rc = reports_end(&reports, e);
    if (is_open) {
        int closed = run_context_close(&context, rc, e);
        if (rc != 0 && ranks->number == 0 && (stop_signal() == SIGINT || stop_signal() == SIGTERM))
            reports_print_unfinished(&reports);
        rc = rc ? rc : closed;
    }
    reports_release(&reports);
    if (coordinator == &others)
        rc = coordinator_leave(&others, rc, e);
    if (rc == 0)
        rc = output_finish(&output, e);
    /* the report is complete: do the findings mean failure? */
    if (rc == 0 && context.corrupted > 0 && context.corrupted == context.unreadable)
        rc = err_say(e, "%" PRIu64 " reads of %s failed", context.unreadable, device.name);
    else if (rc == 0 && context.corrupted > 0)
        rc = err_say(e,
                     "the storage returned something other than what was written: %" PRIu64
                     " damaged places",
                     context.corrupted);
    if (rc == 0 && context.unsteady > 0 && s->require_steady) {
        err_say(e, "--require-steady: %u test%s did not become steady", context.unsteady,
                context.unsteady == 1 ? "" : "s");
        rc = STATUS_NOT_KNOWN;
    }
    output_discard(&output);
    html_page_close(&page);
    block_device_close(&device);
    tail_trace_close(&helpers.trace);
    cache_dropper_stop(&helpers.dropper);
    return coordinator_leave(&all, rc, e);
}
