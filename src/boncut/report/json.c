// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "boncut/methods/method.h"
#include "boncut/verdict.h"
#include "report/json_object.h"
#include "sys/host.h"
#include "util/units.h"

#define FORMAT_VERSION 1
#define REAL_DIGITS    12

static json_t *run_json(const struct check *c)
{
    const struct header *h = &c->ledger.header;
    char number[UNITS_TEXT];
    json_t *object = json_object();
    snprintf(number, sizeof number, "%016llx", (unsigned long long)h->run);
    put_text(&object, "run", number);
    snprintf(number, sizeof number, "%016llx", (unsigned long long)h->seed);
    put_text(&object, "seed", number);
    put_text(&object, "directory", h->directory);
    put_fact(&object, "device", *h->device ? h->device : NULL);
    put_fact(&object, "filesystem", *h->filesystem ? h->filesystem : NULL);
    put_text(&object, "mount_options", h->options);
    put_text(&object, "kernel", h->kernel);
    put_count(&object, "workers", h->workers);
    put_count(&object, "units", h->units);
    put_count(&object, "block_bytes", h->block_bytes);
    put_time(&object, "start_time", h->time);
    put_real(&object, "seconds", (double)c->ledger.last_us / MILLION);
    return object;
}

static json_t *log_json(const struct ledger *l)
{
    json_t *object = json_object();
    put_count(&object, "lines", l->lines);
    put_count(&object, "damaged", l->damaged);
    put_count(&object, "repeated", l->repeated);
    put_flag(&object, "ends_within_line", l->unfinished > 0);
    return object;
}

static json_t *recent_json(const struct recent_units *r)
{
    json_t *object = json_object();
    put_count(&object, "units", r->units);
    put_count(&object, "lost", r->lost);
    return object;
}

static json_t *tally_json(const char *name, uint64_t promises, const struct tally *t)
{
    json_t *object = json_object();
    json_t *last = json_array();
    put_text(&object, "name", name);
    put_count(&object, "promises", promises);
    put_count(&object, "units", t->units);
    for (unsigned i = 0; i < FINDINGS; i++)
        put_count(&object, finding_names[i], t->found[i]);
    for (unsigned i = 0; i < LAST_SECONDS; i++)
        append_value(&last, recent_json(&t->last[i]));
    put_value(&object, "last_seconds", last);
    return object;
}

static json_t *methods_json(const struct check *c)
{
    json_t *array = json_array();
    for (unsigned method = 0; method < method_count; method++)
        if (c->ledger.units[method] && method_promises(method))
            append_value(&array, tally_json(methods[method].name, c->ledger.promises[method],
                                            &c->findings.methods[method]));
    return array;
}

static json_t *controls_json(const struct check *c)
{
    json_t *array = json_array();
    for (unsigned method = 0; method < method_count; method++) {
        if (!c->ledger.units[method] || !methods[method].is_control)
            continue;
        json_t *object = json_object();
        put_text(&object, "name", methods[method].name);
        put_count(&object, "writes", c->ledger.promises[method]);
        put_count(&object, "blocks", c->findings.controls[method].blocks);
        put_count(&object, "lost", c->findings.controls[method].lost);
        put_count(&object, "torn", c->findings.controls[method].torn);
        put_flag(&object, "counts", control_counts(c, method));
        append_value(&array, object);
    }
    return array;
}

/* Appends what the findings say beside losses: overwrites under way, new names, tenths. */
static void put_facts(json_t **object, const struct findings *f)
{
    json_t *overwrites = json_object();
    json_t *names = json_object();
    json_t *tenths = json_array();
    put_count(&overwrites, "under_way", f->overwrites.under_way);
    put_count(&overwrites, "torn", f->overwrites.torn);
    put_known_count(&overwrites, "torn_at_bytes", f->overwrites.torn_at);
    put_count(&names, "synced", f->new_names);
    put_count(&names, "present", f->new_names_present);
    for (unsigned i = 0; i < RECENT_BINS; i++)
        append_value(&tenths, recent_json(&f->bins[i]));
    put_value(object, "overwrites", overwrites);
    put_value(object, "new_names", names);
    put_value(object, "last_tenths", tenths);
}

static json_t *loss_json(const struct loss *l)
{
    json_t *object = json_object();
    put_text(&object, "method", methods[l->method].name);
    put_text(&object, "file", l->file);
    put_count(&object, "offset_bytes", l->sight.offset);
    put_text(&object, "finding", finding_names[l->sight.finding]);
    put_fact(&object, "detail", l->sight.detail);
    put_count(&object, "promised", l->promised);
    put_value(&object, "found",
              l->sight.has_version ? json_integer((json_int_t)l->sight.found) : json_null());
    put_real(&object, "seconds_before_end", (double)l->before_end_us / MILLION);
    return object;
}

static json_t *verdict_json(const struct check *c)
{
    json_t *object = json_object();
    put_text(&object, "result", verdict_names[c->verdict]);
    put_text(&object, "layer_cut", layer_names[c->layer]);
    put_text(&object, "text", c->text);
    put_count(&object, "exit_status", (uint64_t)verdict_status(c->verdict));
    put_flag(&object, "same_boot", c->is_same_boot);
    put_flag(&object, "same_mount", c->is_same_mount);
    put_flag(&object, "directory_gone", c->is_gone);
    put_count(&object, "page_cache_bytes", c->resident_bytes);
    return object;
}

char *check_report_json(const struct check *c)
{
    struct host host;
    struct tally sum;
    json_t *object = json_object();
    json_t *losses = json_array();
    host_detect(&host);
    findings_sum(&c->findings, &sum);
    put_text(&object, "format", "boncut-check");
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "bonnie_version", PACKAGE_VERSION);
    put_text(&object, "host", host.name);
    put_time(&object, "check_time", (int64_t)time(NULL));
    put_value(&object, "verdict", verdict_json(c));
    put_value(&object, "run", run_json(c));
    put_value(&object, "log", log_json(&c->ledger));
    put_value(&object, "methods", methods_json(c));
    put_value(&object, "sum", tally_json("sum", ledger_promises(&c->ledger), &sum));
    put_value(&object, "controls", controls_json(c));
    put_facts(&object, &c->findings);
    for (unsigned i = 0; i < c->findings.loss_count; i++)
        append_value(&losses, loss_json(&c->findings.losses[i]));
    put_value(&object, "losses", losses);
    char *text = json_text(object, JSON_REAL_PRECISION(REAL_DIGITS));
    json_decref(object);
    return text;
}
