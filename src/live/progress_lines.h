#ifndef LIVE_PROGRESS_LINES_H
#define LIVE_PROGRESS_LINES_H

#include <stdbool.h>

/* The lines on stderr that tell which test is running. After a signal nothing is printed. */
struct progress_lines {
    bool quiet;
    bool is_terminal;
    bool has_colour; /* a terminal, and nobody has set NO_COLOR */
    bool line_open;  /* a line has been begun and not ended */
};

/* Finds out what standard error is. */
void progress_lines_init(struct progress_lines *p, bool quiet);

/* "Writing in chunks..." */
void progress_lines_begin(struct progress_lines *p, const char *title);

/* True when standard error is a terminal that a line can be drawn on again and again. */
bool progress_lines_is_live(const struct progress_lines *p);

/*
 * The line ends with "done"; on a terminal it is written again, over the live line, and the figures
 * follow. NULL: there are none.
 */
void progress_lines_done(struct progress_lines *p, const char *title, const char *figures);

/* Ends a line that was begun, so that what follows stands on its own. */
void progress_lines_break(struct progress_lines *p);

#endif
