// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/document.h"

#include <time.h>

#include "report/json_object.h"

/* Number of significant digits with which a number prints as the user wrote it. */
#define REAL_DIGITS 15

static json_t *drive_json(const struct device_set *devices, const struct device *drive)
{
    char model[64];
    char cache[64];
    char schedulers[128];
    char speed[64];
    char width[16];
    json_t *object = json_object();
    json_t *link = json_null(); /* what a PCIe drive and its slot have agreed upon */
    device_fact(devices, drive, "device/model", model, sizeof model);
    device_fact(devices, drive, "queue/write_cache", cache, sizeof cache);
    device_fact(devices, drive, "queue/scheduler", schedulers, sizeof schedulers);
    device_fact(devices, drive, "device/device/current_link_speed", speed, sizeof speed);
    device_fact(devices, drive, "device/device/current_link_width", width, sizeof width);
    if (*speed && *width) {
        link = json_object();
        put_text(&link, "speed", speed);
        put_count(&link, "width", strtoul(width, NULL, 10));
    }
    /* the one in use is in brackets: "none [mq-deadline] kyber" */
    char *scheduler = strchr(schedulers, '[');
    if (scheduler)
        scheduler[strcspn(scheduler, "]")] = '\0';
    put_text(&object, "name", drive->name);
    put_known(&object, "model", model);
    put_fact(&object, "scheduler", scheduler ? scheduler + 1 : NULL);
    put_known(&object, "write_cache", cache);
    put_value(&object, "link", link);
    return object;
}

json_t *storage_json(const struct mount_info *mount, const struct device_set *devices,
                     const struct facts *facts)
{
    char point[PATH_MAX];
    json_t *object = json_object();
    json_t *drives = json_array();
    json_t *in_the_way = json_array();
    for (unsigned i = 0; i < devices->count; i++)
        if (devices->devices[i].is_drive)
            append_value(&drives, drive_json(devices, &devices->devices[i]));
    for (const struct fact *f = facts->list; f < facts->list + facts->count; f++) {
        json_t *one = json_object();
        put_text(&one, "fact", f->key);
        put_text(&one, "text", f->text);
        put_known_count(&one, "link_bytes_per_second", f->bytes_per_second);
        append_value(&in_the_way, one);
    }
    mount_info_read_path(point, mount->point, strlen(mount->point));
    put_known(&object, "mount_point", point);
    put_known(&object, "filesystem", mount->filesystem);
    put_known(&object, "mount_options", mount->options);
    put_known(&object, "device", devices->name);
    put_value(&object, "drives", drives);
    put_value(&object, "facts", in_the_way);
    return object;
}

json_t *document_begin(const struct document *d)
{
    struct host here = {.cpus = 0};
    const struct host *h = d->host ? d->host : &here;
    json_t *object = json_object();
    json_t *host = json_object();
    if (!d->host)
        host_detect(&here);
    put_text(&object, "format", d->format);
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "program", program_name);
    put_text(&object, "version", PACKAGE_VERSION);
    put_text(&object, "label", d->label ? d->label : h->name);
    put_time(&object, "start_time",
             d->start_time ? d->start_time : (int64_t)((double)time(NULL) - d->elapsed_seconds));
    put_real(&object, "elapsed_seconds", d->elapsed_seconds);
    const double quota = cpu_quotas_lowest(&h->quotas);
    put_known(&host, "name", h->name);
    put_known(&host, "kernel", h->kernel);
    put_known(&host, "c_library", h->c_library);
    put_known(&host, "cpu_model", h->cpu_model);
    put_known_count(&host, "cpus", h->cpus);
    put_value(&host, "cpu_quota", quota > 0 ? json_real(quota) : json_null());
    put_known_count(&host, "ram_bytes", h->ram_bytes);
    put_known(&host, "ram_from", h->ram_is_limit ? "control group" : h->ram_bytes ? "machine" : "");
    put_value(&object, "host", host);
    put_value(&object, "storage", d->storage);
    put_value(&object, "settings", d->settings);
    if (d->verdict) {
        put_text(&object, "verdict", d->verdict);
        put_text(&object, "reason", d->reason);
    }
    return object;
}

char *document_end(json_t *document, size_t flags)
{
    char *text = json_text(document, JSON_REAL_PRECISION(REAL_DIGITS) | flags);
    json_decref(document);
    return text;
}

int document_print(json_t *document, struct err *e)
{
    char *json = document_end(document, JSON_COMPACT);
    if (!json)
        return err_system(e, ENOMEM, "allocate memory for the JSON report");
    puts(json);
    free(json);
    return 0;
}
