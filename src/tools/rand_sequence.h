#ifndef TOOLS_RAND_SEQUENCE_H
#define TOOLS_RAND_SEQUENCE_H

#include <stdint.h>

/*
 * The numbers of glibc's rand(3), whatever the C library is: an additive feedback generator of 31
 * words (random(3), TYPE_3). A seed has the same numbers on every machine.
 */
#define RAND_SEQUENCE_WORDS 31

struct rand_sequence {
    uint32_t words[RAND_SEQUENCE_WORDS];
    unsigned at; /* index of the word for the next number */
};

void rand_sequence_init(struct rand_sequence *s, uint32_t seed);

/* The next number, which has 31 bits. */
uint32_t rand_sequence_next(struct rand_sequence *s);

#endif
