// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/reports.h"

#include "sys/stop.h"

const struct report_ops *const report_formats[] = {
    &report_text,
    &report_csv,
    &report_json,
    &report_classic,
    &report_html_row,
    &report_gobonniego,
    &report_gobonniego_json,
    &report_diskmark,
    &report_quick,
    NULL,
};

const struct report_ops *report_by_name(const char *name)
{
    const struct report_ops *const *report = report_formats;
    while (*report && strcmp((*report)->name, name) != 0)
        report++;
    return *report;
}

int report_end(FILE *out)
{
    if (fflush(out) != 0)
        return -errno;
    /* an earlier failure to write has left no errno */
    return ferror(out) ? -EIO : 0;
}

static int check_printed(const struct reports *r, int rc, const FILE *stream, struct err *e)
{
    if (rc == 0 || stream == stderr)
        return 0;
    return err_system(e, -rc, "write the report to %s", output_name(r->output));
}

int reports_begin(struct reports *r, const struct result *none, const struct output *o,
                  struct html_page *page, struct err *e)
{
    static const struct report_ops *const for_scripts[] = {&report_csv, &report_json,
                                                           &report_html_row};
    const struct plan *p = none->plan;
    *r = (struct reports){.plan = p, .output = o, .page = page};
    r->is_read = p->text_is_named || isatty(fileno(o->stream));
    const struct report_ops *only = NULL; /* report on standard output; NULL: all are there */
    int rc = 0;
    for (size_t i = 0; p->quiet && !o->path && i < COUNT_OF(for_scripts); i++)
        if (!only && plan_has_format(p, for_scripts[i]->name))
            only = for_scripts[i];
    for (size_t i = 0; rc == 0 && i < p->format_count; i++) {
        const struct report_ops *ops = report_by_name(p->formats[i]);
        FILE *stream = only && ops != only ? stderr : o->stream;
        r->formats[i] = (struct report_stream){ops, stream};
        if (ops->header)
            rc = check_printed(r, ops->header(stream, none), stream, e);
    }
    return rc;
}

int reports_test(const struct reports *r, const struct result *result, enum test_id test,
                 struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->plan->format_count; i++) {
        const struct report_stream *f = &r->formats[i];
        if (f->ops->test)
            rc = check_printed(r, f->ops->test(f->stream, result, test), f->stream, e);
    }
    return rc;
}

/* Keeps a result, which belongs to r from now on, but not after a failure. */
static int keep(struct reports *r, struct result *result, struct err *e)
{
    struct result *runs = reallocarray(r->runs, r->count + 1, sizeof *runs);
    if (!runs)
        return err_system(e, ENOMEM, "allocate memory for the results of %zu runs", r->count + 1);
    r->runs = runs;
    r->runs[r->count++] = *result;
    return 0;
}

int reports_run(struct reports *r, struct result *result, struct err *e)
{
    const struct plan *p = r->plan;
    bool is_kept = r->page->is_open;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->format_count; i++) {
        const struct report_stream *f = &r->formats[i];
        is_kept |= f->ops->all != NULL;
        /* notes go where people read, because scripts count the lines of standard output */
        FILE *notes = r->is_read ? f->stream : stderr;
        if (f->ops->damage)
            rc = check_printed(r, f->ops->damage(notes, result), notes, e);
        if (rc == 0 && f->ops->run)
            rc = check_printed(r, f->ops->run(f->stream, result), f->stream, e);
        if (rc == 0 && f->ops->notes)
            rc = check_printed(r, f->ops->notes(notes, result, !p->quiet), notes, e);
    }
    if (rc == 0 && is_kept)
        rc = keep(r, result, e);
    if (rc != 0 || !is_kept)
        result_release(result);
    return rc;
}

int reports_end(struct reports *r, struct err *e)
{
    char *json = NULL;
    size_t size = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && r->count > 0 && i < r->plan->format_count; i++) {
        const struct report_stream *f = &r->formats[i];
        if (f->ops->all)
            rc = check_printed(r, f->ops->all(f->stream, r->runs, r->count), f->stream, e);
    }
    if (rc != 0 || r->count == 0 || !r->page->is_open)
        return rc;
    FILE *out = open_memstream(&json, &size); /* the page is that of the JSON report */
    rc = out ? report_json.all(out, r->runs, r->count) : -ENOMEM;
    if (out && fclose(out) != 0)
        rc = -ENOMEM;
    rc = rc == 0 ? html_page_write(r->page, json, e)
                 : err_system(e, -rc, "allocate memory for the report");
    free(json);
    return rc;
}

void reports_print_unfinished(struct reports *r)
{
    const struct plan *p = r->plan;
    struct err ignored = {0}; /* what can be printed is printed */
    char *text = NULL;
    size_t size = 0;
    bool is_known = false;
    bool has_form = false; /* what -q left on standard output has one for a part of a run */
    for (enum test_id test = 0; test < TEST_COUNT; test++)
        is_known |= r->unfinished.tests[test].measured;
    if (is_known && keep(r, &r->unfinished, &ignored) == 0)
        r->unfinished = (struct result){0};
    if (r->count > 0)
        r->runs[r->count - 1].ended_by = "signal";
    FILE *out = r->count > 0 && !r->output->path ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; i < p->format_count; i++)
        has_form |= r->formats[i].stream != stderr && !r->formats[i].ops->is_of_whole_run;
    for (size_t i = 0; out && i < p->format_count; i++) {
        const struct report_ops *report = r->formats[i].ops;
        if (report->is_of_whole_run || (has_form && r->formats[i].stream == stderr))
            continue;
        if (report->damage && is_known && r->is_read)
            report->damage(out, &r->runs[r->count - 1]);
        if (report->run && is_known)
            report->run(out, &r->runs[r->count - 1]);
        if (report->notes && is_known && r->is_read)
            report->notes(out, &r->runs[r->count - 1], !p->quiet);
        if (report->all)
            report->all(out, r->runs, r->count);
    }
    if (out && fclose(out) == 0)
        stop_print(text, size);
    free(text);
}

void reports_release(struct reports *r)
{
    for (size_t i = 0; i < r->count; i++)
        result_release(&r->runs[i]);
    result_release(&r->unfinished);
    free(r->runs);
    *r = (struct reports){0};
}
