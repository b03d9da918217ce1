#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "coordinate.h"
#include "dropper.h"
#include "host.h"
#include "output.h"
#include "plan.h"
#include "privilege.h"
#include "report/report.h"
#include "run.h"
#include "stop.h"

/* What Bonnie++ refused to do, this program does, with a word of advice. */
static void advise(const struct plan *p, bool stays_root)
{
    if (p->quiet)
        return;
    if (p->data.bytes > 0 && strcmp(p->engine.ops->name, "libaio") == 0 && !p->direct)
        fprintf(stderr,
                "bonnie: libaio without -D (--direct) is synchronous: the page cache has no "
                "other way\n");
    if (stays_root)
        fprintf(stderr, "bonnie: running as root; -u USER gives that up\n");
    if (p->advise_bytes > 0)
        fprintf(stderr,
                "bonnie: a size below twice the RAM (%" PRIu64
                " MiB) lets the page cache help; -s %" PRIu64 " avoids that\n",
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

static bool has_format(const struct plan *p, const struct report_ops *report)
{
    for (size_t i = 0; i < p->format_count; i++)
        if (strcmp(p->formats[i], report->name) == 0)
            return true;
    return false;
}

/* -q: one format is alone on standard output, for a script: CSV, else HTML, else the table. */
static FILE *stream_for(const struct plan *p, const struct output *o, const char *format)
{
    const char *alone = has_format(p, &report_csv)        ? report_csv.name
                        : has_format(p, &report_html_row) ? report_html_row.name
                                                          : format;
    bool moved = p->quiet && !o->path && strcmp(format, alone) != 0;
    return moved ? stderr : o->stream;
}

static int report_header(const struct plan *p, const struct output *o, struct err *e)
{
    for (size_t i = 0; i < p->format_count; i++) {
        const struct report_ops *report = report_by_name(p->formats[i]);
        if (p->csv_header && report->header) {
            int rc = report->header(o->stream);
            if (rc != 0)
                return err_system(e, -rc, "write the report");
        }
    }
    return 0;
}

static int report_run(const struct plan *p, const struct output *o, const struct result *result,
                      struct err *e)
{
    for (size_t i = 0; i < p->format_count; i++) {
        const struct report_ops *report = report_by_name(p->formats[i]);
        FILE *stream = stream_for(p, o, p->formats[i]);
        int rc = report->run(stream, result);
        if (rc != 0 && stream != stderr) /* what -q moves out of the way may be thrown away */
            return err_system(e, -rc, "write the report");
    }
    return 0;
}

static int run_all(struct rig *rig, const struct plan *p, const struct output *o, struct err *e)
{
    int rc = report_header(p, o, e);
    for (uint64_t i = 0; rc == 0 && i < p->runs; i++) {
        struct result result;
        rc = run_once(rig, &result, e);
        if (rc == 0)
            rc = report_run(p, o, &result, e);
        result_release(&result);
    }
    return rc;
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
        int closed = rig_close(&rig, e);
        rc = rc ? rc : closed;
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
