// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/units.h"

/* The live line on standard error: the phase's title, a bar of all phases, number of the phase,
 * time left and rate, as far as they fit the terminal. Uses neither malloc nor stdio's streams. */
struct progress_bar {
    const char *title;
    bool has_colour;
    uint64_t since_ns; /* when the line was first drawn, by clock_ns() */
    unsigned drawn;    /* number of columns of the line that is on the terminal */
};

/* The progress of a phase. All zeros: the phase is being prepared. */
struct progress_reading {
    uint64_t elapsed_ns, ops, bytes;
    uint64_t goal_ns, goal_ops, goal_bytes; /* it ends when it has reached all that are not 0 */
    unsigned preparing_round; /* number of the round, from 2 on, that is being prepared; 0: none */
    uint64_t phase, phases;   /* number of the phase, from 1 on, and of all; if that is at most 1,
                                 only the phase itself is shown */
    uint64_t later_ns;        /* time that the phases after it take */
    uint64_t later_bytes;     /* what they move, which takes as long as the bytes of this phase */
    bool is_unforeseen;       /* nobody can tell yet how long they take */
};

#define PROGRESS_BAR_TEXT 512
#define PROGRESS_FIGURES  80

/* Formats a phase's figures: "1.20 GiB/s  920 ms"; without a goal in bytes, operations per second;
 * without a rate if less than 10 ms were measured. */
void progress_figures(char text[static PROGRESS_FIGURES], const struct progress_reading *r);

/* Formats a time in its two largest units: "42 s", "3 min 05 s", "2 h 07 min". */
void progress_time(char text[static UNITS_TEXT], uint64_t nanoseconds);

/* The part of a phase that is done, from 0 to 1; negative: unknown. */
double progress_bar_fraction(const struct progress_reading *r);

/* Formats the line for a terminal with `columns` columns, at least three of which stay free.
 * waited_ns is the time since the phase began, with its preparation. Returns the length. */
unsigned progress_bar_text(char text[static PROGRESS_BAR_TEXT], const char *title,
                           const struct progress_reading *r, uint64_t waited_ns, unsigned columns);

/* Replaces the line on the terminal by the current one. */
void progress_bar_draw(struct progress_bar *g, const struct progress_reading *r, uint64_t now_ns);

/* Replaces the line by another text, cut to the width of the terminal. Does nothing while another
 * program is in the terminal's foreground, or while the terminal accepts no output. */
void progress_bar_draw_text(struct progress_bar *g, const char *text);
void progress_bar_erase(struct progress_bar *g);

/* Lines on standard error that say which test is running. After a signal none is printed. */
struct progress_lines {
    bool quiet;
    bool is_live;    /* standard error is a terminal, on which a line can be redrawn */
    bool has_colour; /* and NO_COLOR is not set */
    bool line_open;  /* a line has been begun but not ended */
};

/* Finds out what standard error is. */
void progress_lines_init(struct progress_lines *p, bool quiet);

/* Begins a line: "Writing in chunks...". */
void progress_lines_begin(struct progress_lines *p, const char *title);

/* Ends the line with a word, printed `times` times: "done...done..."; clears it on a terminal. */
void progress_lines_end(struct progress_lines *p, const char *word, unsigned times);

/* Ends a line that was begun, or clears it on a terminal, so that other output has its own. `lines`
 * is a struct progress_lines *, which a coordinator need not know. */
void progress_lines_break(void *lines);
