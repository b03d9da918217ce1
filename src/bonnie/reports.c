// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The stream for a report. With -q only one format is on standard output, for a script: CSV, JSON,
 * HTML or the table, the first of these that the user chose. The others leave it to that one. */
static FILE *stream_for(const struct reports *r, const struct report_ops *report)
{
    static const struct report_ops *const for_scripts[] = {&report_csv, &report_json,
                                                           &report_html_row};
    bool is_for_one = r->plan->quiet && !r->output->path;
    for (size_t i = 0; is_for_one && i < sizeof for_scripts / sizeof for_scripts[0]; i++)
        if (plan_has_format(r->plan, for_scripts[i]->name))
            return report == for_scripts[i] ? r->output->stream : stderr;
    return r->output->stream;
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
    const struct plan *p = none->plan;
    *r = (struct reports){.plan = p, .output = o, .page = page};
    r->is_read = p->text_is_named || isatty(fileno(o->stream));
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->format_count; i++) {
        const struct report_ops *report = report_by_name(p->formats[i]);
        FILE *stream = stream_for(r, report);
        if (report->header)
            rc = check_printed(r, report->header(stream, none), stream, e);
    }
    return rc;
}

int reports_test(const struct reports *r, const struct result *result, enum test_id test,
                 struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->plan->format_count; i++) {
        const struct report_ops *report = report_by_name(r->plan->formats[i]);
        FILE *stream = stream_for(r, report);
        if (report->test)
            rc = check_printed(r, report->test(stream, result, test), stream, e);
    }
    return rc;
}

/* Keeps a result, which belongs to r from now on, but not after a failure. */
static int keep(struct reports *r, struct result *result, struct err *e)
{
    size_t room = r->room > 0 ? 2 * r->room : 1;
    struct result *runs = r->runs;
    if (r->count == r->room)
        runs = reallocarray(r->runs, room, sizeof *runs);
    if (!runs)
        return err_system(e, ENOMEM, "allocate memory for the results of %zu runs", room);
    r->room = r->count == r->room ? room : r->room;
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
        const struct report_ops *report = report_by_name(p->formats[i]);
        is_kept |= report->all != NULL;
        FILE *stream = stream_for(r, report);
        if (report->run)
            rc = check_printed(r, report->run(stream, result), stream, e);
        /* notes go where people read, because scripts count the lines of standard output */
        FILE *notes = r->is_read ? stream : stderr;
        if (rc == 0 && report->notes)
            rc = check_printed(r, report->notes(notes, result, !p->quiet), notes, e);
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
        const struct report_ops *report = report_by_name(r->plan->formats[i]);
        FILE *stream = stream_for(r, report);
        if (report->all)
            rc = check_printed(r, report->all(stream, r->runs, r->count), stream, e);
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
    for (enum test_id test = 0; test < TEST_COUNT; test++)
        is_known |= r->unfinished.tests[test].measured;
    if (is_known && keep(r, &r->unfinished, &ignored) == 0)
        r->unfinished = (struct result){0};
    if (r->count > 0)
        r->runs[r->count - 1].ended_by = "signal";
    FILE *out = r->count > 0 && !r->output->path ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; out && i < p->format_count; i++) {
        const struct report_ops *report = report_by_name(p->formats[i]);
        if (report->is_of_whole_run || stream_for(r, report) == stderr)
            continue;
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
