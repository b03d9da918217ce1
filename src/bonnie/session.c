#include "bonnie/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bonnie/directories.h"
#include "bonnie/plan.h"
#include "bonnie/reports.h"
#include "bonnie/run.h"
#include "measure/clock.h"
#include "sync/coordinator.h"
#include "sys/cache_dropper.h"
#include "sys/host.h"
#include "sys/output.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "util/message.h"
#include "util/units.h"

/* Bonnie++ refuses to do these things; this program does them, and gives advice. */
static void advise(const struct plan *p, bool stays_root)
{
    if (p->quiet)
        return;
    if (p->data.bytes > 0 && (p->engine.ops->capabilities & ENGINE_NEEDS_DIRECT) && !p->direct)
        message("%s without -D (--direct) is synchronous: the kernel's page cache serves one call "
                "at a time",
                p->engine.ops->name);
    if (stays_root)
        message("running as root; -u USER runs as that user instead");
    if (p->advise_bytes > 0) {
        char advised[UNITS_TEXT];
        units_format_readable(advised, p->advise_bytes);
        message(
            "the size is less than twice the RAM, so some reads may come from memory; -s %" PRIu64
            "m (%s) avoids that",
            p->advise_bytes / MIB, advised);
    }
}

static void say_more(const struct plan *p, const struct cache_dropper *dropper)
{
    if (p->verbose == 0)
        return;
    message("seed %" PRIu64 ", %u workers, chunks of %" PRIu64 " bytes", p->seed, p->workers,
            p->data.chunk_bytes);
    message("before tests that read, %s",
            p->cache == CACHE_KEEP ? "caches are kept"
            : cache_dropper_is_there(dropper)
                ? "all caches of the system are dropped"
                : "the files' own pages are evicted; the system's caches "
                  "cannot be dropped without root");
}

/* Whether there is to be another run: of several ranks the first one decides. */
static int decide_more(struct run_context *context, uint64_t done, uint64_t start_ns, bool *more,
                       struct err *e)
{
    const struct plan *p = context->plan;
    *more = done < p->runs || clock_ns() - start_ns < p->seconds_ns;
    if (done == 0 || p->seconds_ns == 0)
        return 0; /* it is known to all */
    return coordinator_share(context->coordinator, "Another run", more, sizeof *more, e);
}

/* Does the number of whole runs that the plan asks for, and further ones until its time is over. */
static int run_often(struct run_context *context, struct reports *reports, struct err *e)
{
    uint64_t start_ns = clock_ns();
    bool more;
    int rc = decide_more(context, 0, start_ns, &more, e);
    for (uint64_t i = 0; rc == 0 && more; i++) {
        struct result result;
        rc = run_once(context, i, &result, e);
        if (rc == 0)
            rc = reports_run(reports, &result, e);
        else
            result_release(&result);
        if (rc == 0)
            rc = decide_more(context, i + 1, start_ns, &more, e);
    }
    return rc;
}

static int run_all(struct run_context *context, const struct plan *p, const struct output *o,
                   struct err *e)
{
    struct reports reports;
    int rc = reports_begin(&reports, p, o, e);
    if (rc == 0)
        rc = run_often(context, &reports, e);
    if (rc == 0)
        rc = reports_end(&reports, e);
    reports_release(&reports);
    return rc;
}

/* A failure is told in one line, the first; after a signal there is none, but for what is left. */
static int close_context(struct run_context *context, int rc, struct err *e)
{
    bool is_live = progress_lines_is_live(&context->progress);
    int closed = run_context_close(context, rc, e);
    if (closed == 0 && stop_signal() && is_live)
        stop_message("interrupted; files removed");
    if (stop_signal())
        directories_tell_abandoned(context->plan, context->numbers.directories, context->next_host);
    return rc ? rc : closed;
}

/* What the report says, and the exit status too. */
struct findings {
    uint64_t corrupted; /* damaged places */
    unsigned unsteady;  /* tests that did not become steady */
};

/*
 * From here on the process has given up what privileges it was told to give up.
 */
static int run_together(const struct plan *p, bool stays_root, struct cache_dropper *dropper,
                        struct coordinator *coordinator, struct output *o, struct findings *found,
                        struct err *e)
{
    struct run_context context;
    int rc = run_context_open(&context, p, dropper, coordinator, e);
    if (rc != 0)
        return rc;
    advise(p, stays_root);
    say_more(p, dropper);
    rc = run_all(&context, p, o, e);
    *found = (struct findings){.corrupted = context.corrupted, .unsteady = context.unsteady};
    return close_context(&context, rc, e);
}

/* The same, with the other processes that the plan asks for. */
static int unprivileged_part(const struct plan *p, bool stays_root, struct cache_dropper *dropper,
                             struct coordinator *ranks, struct output *o, struct findings *found,
                             struct err *e)
{
    struct coordinator others;
    if (!p->coordination)
        return run_together(p, stays_root, dropper, ranks, o, found, e);
    if (ranks->ranks.count > 1)
        return err_say(e, "-y: the ranks of an MPI job wait for one another without it");
    int rc = coordinator_join(&others, p->coordination, e);
    if (rc != 0)
        return rc;
    rc = run_together(p, stays_root, dropper, &others, o, found, e);
    return coordinator_leave(&others, rc, e);
}

/* Becomes the user asked for; says so, as Bonnie++ does. */
static int become(const struct identity *id, bool quiet, struct err *e)
{
    int rc = privilege_drop(id, e);
    if (rc == 0 && id->change && !quiet)
        fprintf(stderr, "Using uid:%u, gid:%u.\n", geteuid(), getegid());
    return rc;
}

/* The report is there, but it may not say what is asked for. */
static int judge(const struct findings *found, const struct plan *p, struct err *e)
{
    if (found->corrupted > 0)
        return err_say(e,
                       "the storage returned something other than what was written: %" PRIu64
                       " damaged places",
                       found->corrupted);
    if (found->unsteady == 0 || !p->steady.is_required)
        return 0;
    err_say(e, "--require-steady: %u test%s did not become steady", found->unsteady,
            found->unsteady == 1 ? "" : "s");
    return EXIT_NOT_STEADY;
}

/* The plan of all ranks, and what this one has to do of it. */
static int make_plans(struct plan *whole, struct plan *share, const struct settings *s,
                      struct host *host, struct coordinator *ranks, struct err *e)
{
    host_detect(host);
    if (ranks->ranks.ram_bytes > host->ram_bytes)
        host->other_ram_bytes = ranks->ranks.ram_bytes - host->ram_bytes;
    int rc = plan_make(whole, s, host, e);
    if (rc == 0)
        rc = coordinator_share(ranks, "Starting", &whole->seed, sizeof whole->seed, e);
    if (rc == 0 && ranks->ranks.count > 1 && whole->steady.wanted)
        return err_say(e, "--steady-state: not for several ranks; --time makes tests longer");
    return rc == 0 ? plan_share(share, whole, &ranks->ranks, e) : rc;
}

int session(const struct settings *s, struct coordinator *ranks, struct err *e)
{
    struct host host;
    struct plan whole;
    struct plan plan = {0};
    struct identity identity;
    struct output output = {0};
    struct cache_dropper dropper = {0};
    struct findings found = {0};

    int rc = make_plans(&whole, &plan, s, &host, ranks, e);
    if (rc == 0)
        rc = privilege_resolve(&identity, s->user, s->group, e);
    if (rc == 0)
        rc = stop_init(e);
    if (rc == 0)
        stop_takes_inquiries();
    if (rc == 0 && ranks->ranks.count > 1)
        stop_takes_repeats();
    if (rc == 0 && plan.cache == CACHE_EVICT)
        rc = cache_dropper_start(&dropper, e);
    if (rc == 0)
        rc = become(&identity, plan.quiet, e);
    if (rc == 0)
        rc = output_open(&output, plan.output, e);
    if (rc == 0)
        rc = unprivileged_part(&plan, geteuid() == 0 && !identity.change, &dropper, ranks, &output,
                               &found, e);
    if (rc == 0)
        rc = output_finish(&output, e);
    if (rc == 0)
        rc = judge(&found, &plan, e);
    output_discard(&output);
    cache_dropper_stop(&dropper);
    return rc;
}
