#ifndef BONNIE_PROGRESS_H
#define BONNIE_PROGRESS_H

#include <stdbool.h>

/* The lines on stderr that tell which test is running. */
struct progress {
    bool quiet;
    bool is_terminal;
    bool line_open; /* a line has been begun and not ended */
};

/* Finds out what standard error is. */
void progress_init(struct progress *p, bool quiet);

/* "Writing in chunks..." */
void progress_begin(struct progress *p, const char *title);

/* True when standard error is a terminal that a line can be drawn on again and again. */
bool progress_is_live(const struct progress *p);

/* The line ends with "done"; on a terminal it is written anew, as the live line was in its place.
 */
void progress_done(struct progress *p, const char *title);

/* Ends a line that was begun, so that what follows stands on its own. */
void progress_break(struct progress *p);

#endif
