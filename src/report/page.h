#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>

#include "sys/output.h"
#include "util/err.h"

/*
 * The page of a report: drawn by bon_csv2html(1), which is handed the report in JSON. Whether that
 * program is there and runs, and whether the page can be written, is found out before anything is
 * measured. A zeroed page is one that nobody wants.
 */
struct page {
    const char *option; /* the user's word for it, in messages */
    struct output output;
    bool is_open;
    char *program; /* path of bon_csv2html */
};

/*
 * Finds bon_csv2html: what BON_CSV2HTML in the environment names; or else the one beside this
 * program, in the bin directory beside this program's directory, or in PATH. Then opens the page.
 * Returns 0 or a negative errno with a line in e; page_close() has to be called in both cases.
 */
int page_open(struct page *p, const char *option, const char *path, struct err *e);

/*
 * Draws the page of that report and puts it in its place, with this title; NULL: its own. What
 * bon_csv2html says of a failure goes to standard error. A request to stop that
 * comes meanwhile ends it; the page of a run that was stopped before is drawn. Returns 0 or a
 * negative errno with a line in e.
 */
int page_write(struct page *p, const char *json, const char *title, struct err *e);

/* Frees what p has; a page that was not written is not left. */
void page_close(struct page *p);

#endif
