#ifndef LIVE_PROGRESS_LINES_H
#define LIVE_PROGRESS_LINES_H

#include <stdbool.h>

/* The lines on standard error that say which test is running. Nothing is printed after a signal. */
struct progress_lines {
    bool quiet;
    bool is_terminal;
    bool has_colour; /* standard error is a terminal, and NO_COLOR is not set */
    bool line_open;  /* a line has been begun and not ended */
};

/* Checks what standard error is. */
void progress_lines_init(struct progress_lines *p, bool quiet);

/* Prints "Writing in chunks...". */
void progress_lines_begin(struct progress_lines *p, const char *title);

/* True when standard error is a terminal, on which a line can be redrawn. */
bool progress_lines_is_live(const struct progress_lines *p);

/*
 * Ends the line with "done". On a terminal the line is printed again in place of the live line,
 * followed by the figures, which may be NULL.
 */
void progress_lines_done(struct progress_lines *p, const char *title, const char *figures);

/* Ends a line that was begun, so that the next output starts on a line of its own. */
void progress_lines_break(struct progress_lines *p);

#endif
