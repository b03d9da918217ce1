#include "tools/zcav_json.h"

#include <errno.h>

#include "report/json_object.h"
#include "sys/host.h"
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

int zcav_json(const struct zcav_job *jobs, unsigned count, int64_t start_time, char **text,
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
