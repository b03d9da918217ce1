// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/engine.h"
#include "report/json_object.h"
#include "report/page.h"
#include "sys/host.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "tools/tool.h"
#include "tools/zcav_options.h"
#include "tools/zcav_run.h"
#include "util/err.h"
#include "util/portable.h"
#include "util/units.h"

#define FORMAT_VERSION 1

/* Number of significant digits with which a number prints as it was measured. */
#define REAL_DIGITS 12

static double seconds_of(uint64_t nanoseconds)
{
    return (double)nanoseconds / BILLION;
}

static json_t *json_of_settings(const struct zcav_job *first)
{
    const struct zcav_settings *s = first->settings;
    json_t *object = json_object();
    put_text(&object, "operation", s->writes ? "write" : "read");
    put_count(&object, "block_bytes", s->block_bytes);
    put_count(&object, "chunk_bytes", s->chunk_bytes);
    put_count(&object, "passes", zcav_passes(s));
    put_count(&object, "skip", s->skip.given ? s->skip.value : 1);
    return object;
}

/*
 * Makes [offset, bytes, seconds]. A disk has so many blocks that names of fields would be most of
 * the text.
 */
static json_t *json_of_block(uint64_t offset, const struct zcav_block *b)
{
    json_t *array = json_array();
    append_value(&array, json_integer((json_int_t)offset));
    append_value(&array, json_integer((json_int_t)b->bytes));
    append_real(&array, seconds_of(b->nanoseconds));
    return array;
}

static json_t *json_of_pass(const struct zcav_job *j, const struct zcav_pass *p)
{
    json_t *object = json_object();
    json_t *blocks = json_array();
    put_count(&object, "bytes", p->sum.bytes);
    put_real(&object, "seconds", seconds_of(p->sum.nanoseconds));
    for (size_t i = 0; i < p->count; i++)
        append_value(&blocks, json_of_block(zcav_offset(j->settings, i), &p->blocks[i]));
    put_value(&object, "blocks", blocks);
    return object;
}

static json_t *json_of_bad(const struct bad_ranges *b)
{
    json_t *array = json_array();
    for (size_t i = 0; i < b->count; i++) {
        json_t *object = json_object();
        put_count(&object, "offset_bytes", b->ranges[i].offset);
        put_count(&object, "bytes", b->ranges[i].bytes);
        put_text(&object, "error", portable_reason(b->ranges[i].code));
        append_value(&array, object);
    }
    return array;
}

static json_t *json_of_device(const struct zcav_job *j)
{
    const struct zcav_device *d = &j->device;
    json_t *object = json_object();
    json_t *passes = json_array();
    put_text(&object, "name", d->file.name);
    put_known_count(&object, "bytes", d->bytes == UINT64_MAX ? 0 : d->bytes);
    put_flag(&object, "direct", d->direct);
    put_text(&object, "engine", j->engine->name);
    put_count(&object, "iodepth", j->depth);
    for (unsigned i = 0; i < zcav_passes(j->settings); i++)
        append_value(&passes, json_of_pass(j, &j->passes[i]));
    put_value(&object, "passes", passes);
    put_value(&object, "bad", json_of_bad(&j->bad));
    return object;
}

/*
 * Formats all measurements as JSON (zcav(8) describes it) in *text, which the caller frees.
 * start_time is in seconds since 1970.
 */
static int zcav_json(const struct zcav_job *jobs, unsigned count, int64_t start_time, char **text,
                     struct err *e)
{
    struct host host;
    json_t *object = json_object();
    json_t *devices = json_array();
    host_detect(&host);
    put_text(&object, "format", "zcav");
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "bonnie_version", PACKAGE_VERSION);
    put_text(&object, "host", host.name);
    put_time(&object, "start_time", start_time);
    put_value(&object, "settings", json_of_settings(jobs));
    for (unsigned i = 0; i < count; i++)
        append_value(&devices, json_of_device(&jobs[i]));
    put_value(&object, "devices", devices);
    *text = json_text(object, JSON_REAL_PRECISION(REAL_DIGITS));
    json_decref(object);
    return *text ? 0 : err_system(e, ENOMEM, "memory for the JSON report");
}

/* zcav: measures the throughput along devices, block by block. */

/* A run from its start to its reports. */
struct session {
    const struct zcav_settings *settings;
    struct pattern pattern;
    struct html_page page;
    int64_t start_time;
    struct zcav_job *jobs;
    unsigned opened; /* number of jobs that must be released */
};

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
        rc = html_page_write(&s->page, json, "Throughput along the device", e);
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

int zcav(int argc, char *argv[], struct err *e)
{
    struct zcav_settings settings;
    struct session s = {.settings = &settings, .start_time = (int64_t)time(NULL)};
    bool runs;
    int rc = zcav_options(argc, argv, &settings, &runs, e);
    if (rc != 0 || !runs)
        return rc;
    rc = stop_init(e);
    if (rc == 0)
        rc = tool_become(&settings.common, settings.quiet, e);
    if (rc == 0 && settings.page)
        rc = html_page_open(&s.page, "--html", settings.page, e);
    /* what is written differs from run to run and from device to device */
    pattern_init(&s.pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, (uint64_t)s.start_time, 0);
    if (rc == 0)
        rc = measure_devices(&s, e);
    html_page_close(&s.page);
    return rc;
}
