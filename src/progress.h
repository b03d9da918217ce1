#ifndef BONNIE_PROGRESS_H
#define BONNIE_PROGRESS_H

#include <stdbool.h>

/* The lines on stderr that tell which test is running. */
struct progress {
    bool quiet;
    bool line_open; /* a line has been begun and not ended */
};

/* "Writing in chunks..." */
void progress_begin(struct progress *p, const char *title);

/* "done", and the line's end. */
void progress_done(struct progress *p);

/* Ends a line that was begun, so that what follows stands on its own. */
void progress_break(struct progress *p);

#endif
