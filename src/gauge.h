#ifndef BONNIE_GAUGE_H
#define BONNIE_GAUGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The live line of a phase on a terminal: title, bar, rate, percent and time left, as much of it as
 * the terminal is wide at that moment. Uses neither malloc nor stdio's streams.
 */
struct gauge {
    const char *title;
    int fd;            /* of the terminal */
    uint64_t since_ns; /* first drawn */
    unsigned drawn;    /* columns of the line that is there */
};

/* How far a phase is; all zeros while it is being prepared. */
struct gauge_reading {
    uint64_t elapsed_ns;
    uint64_t ops;
    uint64_t bytes;
    uint64_t goal_ops; /* when all of these that are not 0 are reached, the phase is at its end */
    uint64_t goal_bytes;
    uint64_t goal_ns;
};

#define GAUGE_TEXT 512

void gauge_init(struct gauge *g, const char *title, int fd);

/* How much of a phase is done, 0 to 1; negative when there is no telling. */
double gauge_fraction(const struct gauge_reading *r);

/*
 * The line for a terminal of so many columns, of which it fills all but one at most. `waited_ns` is
 * how long the phase has been going on, its preparation included. Returns the length.
 */
size_t gauge_text(char text[static GAUGE_TEXT], const char *title, const struct gauge_reading *r,
                  uint64_t waited_ns, unsigned columns);

/* Draws the line in place of the one drawn before. */
void gauge_draw(struct gauge *g, const struct gauge_reading *r, uint64_t now_ns);

/* Takes the line away, if one was drawn. */
void gauge_erase(struct gauge *g);

#endif
