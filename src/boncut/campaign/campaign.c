#include "boncut/campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "boncut/campaign/bound.h"
#include "boncut/campaign/cut.h"
#include "boncut/campaign/sum.h"
#include "boncut/verdict.h"
#include "report/json_object.h"
#include "report/page.h"
#include "sys/host.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/printable.h"

#define DEFAULT_CUTS   10
#define FORMAT_VERSION 2
#define REAL_DIGITS    12

/* Most bytes of a check's report. It has some KiB, because it lists only the first losses. */
#define REPORT_MOST (16 << 20)

/* A campaign in progress. */
struct session {
    struct campaign campaign;
    struct campaign_sum sum;
    struct page page;
    json_t *cuts; /* a short report of each cut */
};

static int open_logs(struct session *session, const struct settings *s, struct err *e)
{
    uint64_t seed;
    int rc = path_open(&session->campaign.logs, NULL, s->logs, PATH_MAKES, e);
    if (rc != 0)
        return rc;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        return err_system(e, errno, "random number");
    rng_init(&session->campaign.rng, seed, 0);
    return 0;
}

/* ---- one cut --------------------------------------------------------------------------------- */

static void note_cut(struct session *session, unsigned number, const struct campaign_cut *cut)
{
    json_t *object = json_object();
    put_count(&object, "number", number);
    put_text(&object, "result", verdict_names[cut->verdict]);
    put_text(&object, "layer_cut", layer_names[cut->layer]);
    put_count(&object, "promises", cut->promises);
    put_count(&object, "units", cut->units);
    put_count(&object, "lost_units", cut->lost_units);
    put_text(&object, "text", cut->text);
    append_value(&session->cuts, object);
    campaign_sum_add(&session->sum, cut);
}

static void print_cut(unsigned number, const struct campaign_cut *cut)
{
    printf("cut %u: %s\n", number, printable(cut->text).text);
    fflush(stdout);
}

/* A report in progress of being read. */
struct reading {
    int fd;
    uint64_t left; /* bytes that it may still have */
};

static size_t read_some(void *buffer, size_t bytes, void *context)
{
    struct reading *r = context;
    ssize_t got = stop_requested() || bytes > r->left ? -1 : read(r->fd, buffer, bytes);
    r->left -= got > 0 ? (uint64_t)got : 0;
    return (size_t)got; /* -1: fails */
}

/*
 * Reads the report of a check, which must be this user's or root's: whoever may write to the
 * directory of logs could leave another. Returns NULL with a line in e when it is unusable.
 */
static json_t *read_report(struct campaign *c, const char *name, struct err *e)
{
    struct reading r = {.fd = path_open_file(&c->logs, name, O_RDONLY, 0, 0), .left = REPORT_MOST};
    json_t *report = NULL;
    struct stat st;
    if (r.fd < 0 || fstat(r.fd, &st) != 0)
        err_say(e, "%s", path_reason(r.fd < 0 ? -r.fd : errno));
    else if (st.st_uid != geteuid() && st.st_uid != 0)
        err_say(e, "it belongs to uid %u, so another user may have made it up", st.st_uid);
    else if (st.st_size > REPORT_MOST)
        err_say(e, "it is larger than %d MiB", REPORT_MOST >> 20);
    else
        report = json_load_callback(read_some, &r, 0, NULL);
    descriptor_close(&r.fd);
    return report;
}

/* Reads the report of cut `number`, and adds it to the sum. */
static int take_cut(struct session *session, unsigned number, struct err *e)
{
    struct campaign_cut cut = {0};
    struct err reason;
    char name[CUT_NAME];
    err_init(&reason);
    cut_name(name, number, "json");
    json_t *report = read_report(&session->campaign, name, &reason);
    int rc = stop_check(e);
    if (rc == 0)
        rc = campaign_cut_read(&cut, report, &reason);
    if (rc == 0) {
        note_cut(session, number, &cut);
        print_cut(number, &cut);
    }
    json_decref(report);
    return rc == 0 ? 0
                   : err_say(e, "%s/%s: %s; remove this file to have the cut made again",
                             session->campaign.settings->logs, name, reason.text);
}

static int make_cuts(struct session *session, struct err *e)
{
    uint64_t cuts = given_or(session->campaign.settings->cuts, DEFAULT_CUTS);
    int rc = 0;
    for (unsigned number = 1; rc == 0 && number <= cuts; number++) {
        if (!cut_is_done(&session->campaign, number))
            rc = cut_make(&session->campaign, number, e);
        if (rc == 0)
            rc = take_cut(session, number, e);
    }
    return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

static json_t *verdict_json(const struct campaign_sum *sum)
{
    json_t *object = json_object();
    put_text(&object, "result", verdict_names[sum->verdict]);
    put_text(&object, "text", sum->text);
    put_count(&object, "exit_status", (uint64_t)verdict_status(sum->verdict));
    put_count(&object, "cuts", sum->cuts);
    put_count(&object, "conclusive", sum->conclusive);
    put_count(&object, "lost", sum->lost);
    put_count(&object, "unreadable", sum->unreadable);
    put_count(&object, "reached_drive", sum->reached_drive);
    put_count(&object, "promises", sum->promises);
    put_count(&object, "lost_units", sum->lost_units);
    double probability = sum->lost > 0 ? 0.025 : 0.05;
    put_real(&object, "lower_percent", 100 * bound_lower(sum->lost, sum->conclusive, probability));
    put_real(&object, "upper_percent", 100 * bound_upper(sum->lost, sum->conclusive, probability));
    return object;
}

static char *report_json(const struct session *session)
{
    const struct settings *s = session->campaign.settings;
    struct host host;
    json_t *object = json_object();
    host_detect(&host);
    put_text(&object, "format", "boncut-campaign");
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "bonnie_version", PACKAGE_VERSION);
    put_text(&object, "host", host.name);
    put_time(&object, "end_time", (int64_t)time(NULL));
    put_text(&object, "victim", s->victim);
    put_text(&object, "cut", s->cut);
    put_text(&object, "directory", s->directory);
    put_value(&object, "verdict", verdict_json(&session->sum));
    put_value(&object, "cuts", json_incref(session->cuts));
    char *text = json_text(object, JSON_REAL_PRECISION(REAL_DIGITS));
    json_decref(object);
    return text;
}

static int report_campaign(struct session *session, struct err *e)
{
    const struct settings *s = session->campaign.settings;
    char *text = report_json(session);
    if (!text)
        return err_system(e, ENOMEM, "memory for the JSON report");
    errno = 0;
    if (s->json)
        puts(text);
    else
        printf("\n%s\n", session->sum.text);
    int rc = output_flush(e);
    if (rc == 0 && s->page)
        rc = page_write(&session->page, text, NULL, e);
    free(text);
    return rc;
}

/* A failure or a signal does not lose the earlier cuts: the next campaign continues after them. */
static int run_session(struct session *session, int *status, struct err *e)
{
    int rc = make_cuts(session, e);
    if (rc != 0)
        return rc;
    campaign_sum_end(&session->sum);
    *status = verdict_status(session->sum.verdict);
    return report_campaign(session, e);
}

int boncut_campaign(const struct settings *s, int *status, struct err *e)
{
    struct session session = {.campaign = {.settings = s, .logs = {.fd = -1}}};
    int rc = stop_init(e);
    if (rc == 0 && s->page)
        rc = page_open(&session.page, "--html", s->page, e);
    if (rc == 0)
        rc = open_logs(&session, s, e);
    session.cuts = json_array();
    if (rc == 0)
        rc = run_session(&session, status, e);
    json_decref(session.cuts);
    path_close(&session.campaign.logs);
    page_close(&session.page);
    return rc;
}
