#include "tools/tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/engine.h"
#include "report/page.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "tools/zcav_json.h"
#include "tools/zcav_options.h"
#include "tools/zcav_run.h"
#include "util/message.h"

/* zcav: measures the throughput along devices, block by block. */

/* A run from its start to its reports. */
struct session {
    const struct zcav_settings *settings;
    struct pattern pattern;
    struct page page;
    int64_t start_time;
    struct zcav_job *jobs;
    unsigned opened; /* number of jobs that must be released */
};

/* Sets up the data to write, which differs from run to run and from device to device. */
static void prepare_pattern(struct pattern *p, int64_t start_time)
{
    pattern_init(p, DATA_RANDOM, 100, PATTERN_UNIT_MAX, (uint64_t)start_time, 0);
}

static int open_jobs(struct session *s, struct err *e)
{
    const struct zcav_settings *settings = s->settings;
    const struct engine_ops *engine;
    unsigned depth;
    int rc = engine_choose(settings->engine, settings->iodepth.value, &engine, &depth, e);
    if (rc == 0)
        rc = engine_check(engine, e);
    if (rc != 0)
        return rc;
    s->jobs = calloc(settings->file_count, sizeof *s->jobs);
    if (!s->jobs)
        return err_system(e, ENOMEM, "memory for %u devices", settings->file_count);
    for (unsigned i = 0; rc == 0 && i < settings->file_count; i++) {
        s->jobs[i] = (struct zcav_job){
            .settings = settings, .engine = engine, .depth = depth, .pattern = &s->pattern};
        s->opened++;
        rc = zcav_job_open(&s->jobs[i], i, e);
    }
    return rc;
}

static void advise_user(const struct session *s)
{
    const struct zcav_job *j = s->jobs;
    if (!s->settings->quiet && (j->engine->capabilities & ENGINE_NEEDS_DIRECT) && !j->device.direct)
        message("%s without O_DIRECT (--direct) is synchronous: the kernel's page cache serves one "
                "call at a time",
                j->engine->name);
}

static int write_reports(struct session *s, struct err *e)
{
    char *json;
    if (!s->settings->json && !s->settings->page)
        return 0;
    int rc = zcav_json(s->jobs, s->opened, s->start_time, &json, e);
    if (rc != 0)
        return rc;
    if (s->settings->json) {
        errno = 0;
        puts(json);
        rc = output_flush(e);
    }
    if (rc == 0 && s->settings->page)
        rc = page_write(&s->page, json, "Throughput along the device", e);
    free(json);
    return rc;
}

/* Makes it a failure if something could not be moved, when everything else has been printed. */
static int judge_failures(const struct session *s, struct err *e)
{
    uint64_t bytes = 0;
    unsigned devices = 0;
    for (unsigned i = 0; i < s->opened; i++) {
        bytes += bad_ranges_bytes(&s->jobs[i].bad);
        devices += s->jobs[i].bad.count > 0;
    }
    if (devices == 0)
        return 0;
    return err_say(e, "%" PRIu64 " bytes on %u of %u devices cannot be %s", bytes, devices,
                   s->opened, s->settings->writes ? "written" : "read");
}

static int measure_devices(struct session *s, struct err *e)
{
    int rc = open_jobs(s, e);
    if (rc == 0) {
        advise_user(s);
        rc = zcav_run(s->jobs, s->opened, e);
    }
    if (rc == 0)
        rc = write_reports(s, e);
    if (rc == 0)
        rc = judge_failures(s, e);
    for (unsigned i = 0; i < s->opened; i++)
        zcav_job_release(&s->jobs[i]);
    free(s->jobs);
    return rc;
}

static int run_session(const struct zcav_settings *settings, struct err *e)
{
    struct session s = {.settings = settings, .start_time = (int64_t)time(NULL)};
    int rc = stop_init(e);
    if (rc == 0)
        rc = tool_become(&settings->common, settings->quiet, e);
    if (rc == 0 && settings->page)
        rc = page_open(&s.page, "--html", settings->page, e);
    if (rc == 0) {
        prepare_pattern(&s.pattern, s.start_time);
        rc = measure_devices(&s, e);
    }
    page_close(&s.page);
    return rc;
}

int zcav(int argc, char *argv[], struct err *e)
{
    struct zcav_settings settings;
    bool runs;
    int rc = zcav_options(argc, argv, &settings, &runs, e);
    return rc == 0 && runs ? run_session(&settings, e) : rc;
}
