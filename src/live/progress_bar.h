#ifndef LIVE_PROGRESS_BAR_H
#define LIVE_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The live line of a phase on a terminal: title, bar, rate, percent and time left, as much of it as
 * the terminal is wide at that moment. Uses neither malloc nor stdio's streams.
 */
struct progress_bar {
    const char *title;
    bool has_colour;
    int fd;            /* of the terminal */
    uint64_t since_ns; /* first drawn */
    unsigned drawn;    /* columns of the line that is there */
};

/* How far a phase is; all zeros while it is being prepared. */
struct progress_reading {
    uint64_t elapsed_ns;
    uint64_t ops;
    uint64_t bytes;
    uint64_t goal_ops; /* when all of these that are not 0 are reached, the phase is at its end */
    uint64_t goal_bytes;
    uint64_t goal_ns;
    unsigned preparing_round; /* the further round that is being prepared, from 2 on; 0: none is */
};

#define PROGRESS_BAR_TEXT 512
#define PROGRESS_FIGURES  80

void progress_bar_init(struct progress_bar *g, const char *title, int fd);

/*
 * What a phase has done in its time: "1.2 GiB/s  0.9 s", throughput if it has a goal in bytes, else
 * operations. What was measured for less than 10 ms has no rate.
 */
void progress_figures(char text[static PROGRESS_FIGURES], const struct progress_reading *r);

/* How much of a phase is done, 0 to 1; negative when there is no telling. */
double progress_bar_fraction(const struct progress_reading *r);

/*
 * The line for a terminal with `columns` columns, of which it fills all but three at most.
 * `waited_ns` is how long the phase has been going on, its preparation included. Returns the
 * length.
 */
size_t progress_bar_text(char text[static PROGRESS_BAR_TEXT], const char *title,
                         const struct progress_reading *r, uint64_t waited_ns, unsigned columns);

/* Draws the line in place of the one drawn before. */
void progress_bar_draw(struct progress_bar *g, const struct progress_reading *r, uint64_t now_ns);

/*
 * Draws any text instead, cut to the width of the terminal, unless it is in the foreground of
 * another program or takes no output now.
 */
void progress_bar_draw_text(struct progress_bar *g, const char *text);

/* Takes the line away, if one was drawn. */
void progress_bar_erase(struct progress_bar *g);

#endif
