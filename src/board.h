#ifndef BONNIE_BOARD_H
#define BONNIE_BOARD_H

#include <stdint.h>

#include "contents.h"
#include "measure/samples.h"
#include "util/err.h"

/*
 * Where workers and seekers write down what they count and find: one place for each of them, in
 * memory that forked processes share. A place has one writer; others may look at it meanwhile, and
 * see each number as it was at some moment.
 */
struct tally {
    _Alignas(64) struct samples samples; /* apart: writers do not share cache lines */
    struct findings findings;
};

struct board {
    struct tally *tallies;
    unsigned room;
    unsigned used; /* in the present phase: the first so many */
};

/* A board with room for so many. Returns 0 or a negative errno. */
int board_open(struct board *b, unsigned room, struct err *e);

void board_close(struct board *b);

/* Begins a phase of so many workers or seekers: empties their places, whose memory is there then.
 */
void board_begin(struct board *b, unsigned used);

/* Adds up the samples, or all that is there. */
void board_sum_samples(const struct board *b, struct samples *sum);
void board_sum(const struct board *b, struct tally *sum);

#endif
