// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/output.h"

/* The HTML page of a report. bon_csv2html(1) draws it from the report in JSON. html_page_open()
 * checks, before anything is measured, that this program runs and that the page can be written. A
 * zeroed struct means that no page is wanted. */
struct html_page {
    const char *option; /* option that asked for the page, for messages */
    struct output output;
    bool is_open;
    char *program; /* path of bon_csv2html */
};

/* Finds bon_csv2html, and opens the page. The program is the first one of these: what BON_CSV2HTML
 * in the environment names; the one beside this program, or among the sources above it; the one in
 * PATH. All but the first must be programs that only root and this user can change; one that does
 * not work, or is Bonnie++'s, is passed over. html_page_close() must be called in any case. */
int html_page_open(struct html_page *p, const char *option, const char *path, struct err *e);

/* Draws the page of a report, and gives it its name. Then prints what bon_csv2html has said.
 * A request to stop ends the drawing, but a run that was stopped before still gets its page. */
int html_page_write(struct html_page *p, const char *json, struct err *e);

/* Frees what p owns, and removes a page that was not finished. */
void html_page_close(struct html_page *p);
