#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "coordinate.h"
#include "dropper.h"
#include "host.h"
#include "measure/clock.h"
#include "output.h"
#include "plan.h"
#include "privilege.h"
#include "reports.h"
#include "run.h"
#include "stop.h"

/* What Bonnie++ refused to do, this program does, with a word of advice. */
static void advise(const struct plan *p, bool stays_root)
{
    if (p->quiet)
        return;
    if (p->data.bytes > 0 && (p->engine.ops->capabilities & ENGINE_NEEDS_DIRECT) && !p->direct)
        fprintf(
            stderr,
            "bonnie: %s without -D (--direct) is synchronous: the page cache has no other way\n",
            p->engine.ops->name);
    if (stays_root)
        fprintf(stderr, "bonnie: running as root; -u USER gives that up\n");
    if (p->advise_bytes > 0)
        fprintf(stderr,
                "bonnie: a size below twice the RAM (%" PRIu64
                " MiB) lets the page cache help; -s %" PRIu64 "m avoids that\n",
                p->advise_bytes >> 21, p->advise_bytes >> 20);
}

static void say_more(const struct plan *p, const struct dropper *dropper)
{
    if (p->verbose == 0)
        return;
    fprintf(stderr, "bonnie: seed %" PRIu64 ", %u workers, chunks of %" PRIu64 " bytes\n", p->seed,
            p->workers, p->data.chunk_bytes);
    fprintf(stderr, "bonnie: before tests that read, %s\n",
            p->cache == CACHE_KEEP      ? "caches are kept"
            : dropper_is_there(dropper) ? "all caches of the system are dropped"
                                        : "the files' own pages are evicted; the system's caches "
                                          "cannot be dropped (it takes root)");
}

/* As many whole runs as the plan asks for, and on until so much time has passed. */
static int run_often(struct rig *rig, const struct plan *p, struct reports *reports, struct err *e)
{
    uint64_t start_ns = clock_ns();
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && (i < p->runs || clock_ns() - start_ns < p->seconds_ns); i++) {
        struct result result;
        rc = run_once(rig, &result, e);
        if (rc == 0)
            rc = reports_run(reports, &result, e);
        else
            result_release(&result);
    }
    return rc;
}

static int run_all(struct rig *rig, const struct plan *p, const struct output *o, struct err *e)
{
    struct reports reports;
    int rc = reports_begin(&reports, p, o, e);
    if (rc == 0)
        rc = run_often(rig, p, &reports, e);
    if (rc == 0)
        rc = reports_end(&reports, e);
    reports_release(&reports);
    return rc;
}

/* A failure is told in one line, the first; after a signal there is none, but for what is left. */
static int close_rig(struct rig *rig, int rc, struct err *e)
{
    struct err left;
    err_init(&left);
    int closed = rig_close(rig, stop_signal() ? &left : e);
    if (left.code != 0)
        fprintf(stderr, "bonnie: %s\n", left.text);
    return rc ? rc : closed;
}

/*
 * From here on the process has given up what privileges it was told to give up. *damaged is how
 * many damaged places were found.
 */
static int unprivileged_part(const struct plan *p, bool stays_root, struct dropper *dropper,
                             struct output *o, uint64_t *damaged, struct err *e)
{
    struct coordinator coordinator;
    struct rig rig;
    int rc = coordinate_init(&coordinator, p->coordination, e);
    if (rc != 0)
        return rc;
    rc = rig_open(&rig, p, dropper, &coordinator, e);
    if (rc == 0) {
        advise(p, stays_root);
        say_more(p, dropper);
        rc = run_all(&rig, p, o, e);
        *damaged = rig.damaged;
        rc = close_rig(&rig, rc, e);
    }
    int left = coordinate_leave(&coordinator, rc != 0, e);
    return rc ? rc : left;
}

/* Becomes the user asked for; says so, as Bonnie++ does. */
static int become(const struct identity *id, bool quiet, struct err *e)
{
    int rc = privilege_drop(id, e);
    if (rc == 0 && id->change && !quiet)
        fprintf(stderr, "Using uid:%u, gid:%u.\n", geteuid(), getegid());
    return rc;
}

int session(const struct settings *s, struct err *e)
{
    struct host host;
    struct plan plan;
    struct identity identity;
    struct output output = {0};
    struct dropper dropper = {0};
    uint64_t damaged = 0;

    host_detect(&host);
    int rc = plan_make(&plan, s, &host, e);
    if (rc == 0)
        rc = privilege_resolve(&identity, s->user, s->group, e);
    if (rc == 0)
        rc = stop_init(e);
    if (rc == 0 && plan.cache == CACHE_EVICT)
        rc = dropper_start(&dropper, e);
    if (rc == 0)
        rc = become(&identity, plan.quiet, e);
    if (rc == 0)
        rc = output_open(&output, plan.output, e);
    if (rc == 0)
        rc = unprivileged_part(&plan, geteuid() == 0 && !identity.change, &dropper, &output,
                               &damaged, e);
    if (rc == 0)
        rc = output_finish(&output, e);
    if (rc == 0 && damaged > 0) /* the report is there all the same */
        rc = err_say(
            e, "the storage returned something else than was written: %" PRIu64 " damaged places",
            damaged);
    output_discard(&output);
    dropper_stop(&dropper);
    return rc;
}
