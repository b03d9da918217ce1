#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>

#include "sys/output.h"
#include "util/err.h"

/*
 * The HTML page of a report. bon_csv2html(1) draws it from the report in JSON. Whether that program
 * exists and runs, and whether the page can be written, is checked before anything is measured. A
 * zeroed page means that none is wanted.
 */
struct page {
    const char *option; /* the option that asked for the page, for messages */
    struct output output;
    bool is_open;
    char *program; /* path of bon_csv2html */
};

/*
 * Finds bon_csv2html and opens the page. The program is the one that BON_CSV2HTML in the
 * environment names; or the one beside this program, in the bin directory beside this program's
 * directory, or among the sources above it, if nobody but root and this user can change it; or the
 * one that was installed with this program, or the one in PATH. Returns 0 or a negative errno with
 * a line in e; page_close() has to be called in both cases.
 */
int page_open(struct page *p, const char *option, const char *path, struct err *e);

/*
 * Draws the page of that report, with this title (NULL: its own), and puts it in its place.
 * Messages of bon_csv2html go to standard error. A request to stop ends it, but the page of a run
 * that was stopped before is drawn. Returns 0 or a negative errno with a line in e.
 */
int page_write(struct page *p, const char *json, const char *title, struct err *e);

/* Frees p, and removes a page that was not finished. */
void page_close(struct page *p);

#endif
