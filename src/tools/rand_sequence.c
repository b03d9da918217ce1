#include "tools/rand_sequence.h"

/* Number of words between the two words that are added. */
#define DISTANCE 3

/* Number of the first numbers, which show the seed too plainly and are left out. */
#define LEFT_OUT (10 * RAND_SEQUENCE_WORDS)

/* Returns 16807 times the word modulo 2^31 - 1, by Schrage's method, which needs only 32 bits. */
static int32_t multiplied(int32_t word)
{
    int32_t next = 16807 * (word % 127773) - 2836 * (word / 127773);
    return next < 0 ? next + INT32_MAX : next;
}

void rand_sequence_init(struct rand_sequence *s, uint32_t seed)
{
    int32_t word = seed == 0 ? 1 : (int32_t)seed;
    for (unsigned i = 0; i < RAND_SEQUENCE_WORDS; i++) {
        s->words[i] = (uint32_t)word;
        word = multiplied(word);
    }
    s->at = DISTANCE;
    for (unsigned i = 0; i < LEFT_OUT; i++)
        rand_sequence_next(s);
}

uint32_t rand_sequence_next(struct rand_sequence *s)
{
    unsigned partner = (s->at + RAND_SEQUENCE_WORDS - DISTANCE) % RAND_SEQUENCE_WORDS;
    uint32_t sum = s->words[s->at] += s->words[partner];
    s->at = (s->at + 1) % RAND_SEQUENCE_WORDS;
    return sum >> 1;
}
