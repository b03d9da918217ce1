// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/methods/method.h"
#include "boncut/verdict.h"
#include "measure/clock.h"
#include "report/document.h"
#include "report/json_object.h"
#include "util/units.h"

static json_t *run_json(const struct check *c)
{
    const struct header *h = &c->ledger.header;
    char id[UNITS_TEXT];
    json_t *object = json_object();
    snprintf(id, sizeof id, "%016llx", (unsigned long long)h->run);
    put_text(&object, "id", id);
    put_count(&object, "seed", h->seed);
    put_text(&object, "directory", h->directory);
    put_known(&object, "device", h->device);
    put_known(&object, "filesystem", h->filesystem);
    put_text(&object, "mount_options", h->options);
    put_text(&object, "kernel", h->kernel);
    put_count(&object, "workers", h->workers);
    put_count(&object, "units", h->units);
    put_count(&object, "block_bytes", h->block_bytes);
    put_time(&object, "start_time", h->time);
    put_real(&object, "elapsed_seconds", (double)c->ledger.last_us / MILLION);
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
    for (unsigned method = 0; method < METHODS; method++)
        if (c->ledger.units[method] && method_promises(method))
            append_value(&array, tally_json(methods[method].name, c->ledger.promises[method],
                                            &c->findings.methods[method]));
    return array;
}

static json_t *canaries_json(const struct check *c)
{
    json_t *array = json_array();
    for (unsigned method = 0; method < METHODS; method++) {
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

json_t *check_report_json(const struct check *c)
{
    struct tally sum;
    json_t *losses = json_array();
    json_t *settings = json_object();
    put_text(&settings, "directory", c->settings->directory);
    put_flag(&settings, "unmounted", c->settings->is_unmounted);
    put_flag(&settings, "trust_directory", c->settings->trusts_directory);
    findings_sum(&c->findings, &sum);
    json_t *object = document_begin(&(struct document){
        .format = "boncut-check",
        .elapsed_seconds = (double)(clock_ns() - c->begun_ns) / BILLION,
        .storage = storage_json(&c->mount, &c->devices),
        .settings = settings,
        .verdict = verdict_names[c->verdict],
        .reason = c->reason,
    });
    put_text(&object, "layer_cut", layer_names[c->layer]);
    put_flag(&object, "same_boot", c->is_same_boot);
    put_flag(&object, "same_mount", c->is_same_mount);
    put_flag(&object, "directory_gone", c->is_gone);
    put_count(&object, "page_cache_bytes", c->resident_bytes);
    put_value(&object, "run", run_json(c));
    put_value(&object, "log", log_json(&c->ledger));
    put_value(&object, "methods", methods_json(c));
    put_value(&object, "sum", tally_json("sum", ledger_promises(&c->ledger), &sum));
    put_value(&object, "canaries", canaries_json(c));
    put_facts(&object, &c->findings);
    for (unsigned i = 0; i < c->findings.loss_count; i++)
        append_value(&losses, loss_json(&c->findings.losses[i]));
    put_value(&object, "losses", losses);
    return object;
}
