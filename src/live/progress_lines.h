#ifndef LIVE_PROGRESS_LINES_H
#define LIVE_PROGRESS_LINES_H

#include <stdbool.h>

/* Lines on standard error that say which test is running. After a signal none is printed. */
struct progress_lines {
    bool quiet;
    bool is_terminal;
    bool has_colour; /* standard error is a terminal, and NO_COLOR is not set */
    bool line_open;  /* a line has been begun but not ended */
};

/* Finds out what standard error is. */
void progress_lines_init(struct progress_lines *p, bool quiet);

/* Begins a line: "Writing in chunks...". */
void progress_lines_begin(struct progress_lines *p, const char *title);

/* Whether standard error is a terminal, on which a line can be redrawn. */
bool progress_lines_is_live(const struct progress_lines *p);

/*
 * Ends the line with "done". On a terminal, prints the whole line again in place of the live line,
 * with the figures (NULL: none).
 */
void progress_lines_done(struct progress_lines *p, const char *title, const char *figures);

/* Ends a line that was begun, so that other output gets a line of its own. */
void progress_lines_break(struct progress_lines *p);

#endif
