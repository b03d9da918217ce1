#ifndef BONNIE_COORDINATE_H
#define BONNIE_COORDINATE_H

#include <stdbool.h>

#include "util/err.h"

/* How the phases of several processes are brought into step. */
enum coordination { COORDINATE_ALONE, COORDINATE_PROMPT, COORDINATE_SEMAPHORES };

/*
 * When a phase may begin: at once, when Enter is pressed at a prompt (-yp), or together with the
 * phases of other processes (-y), which meet at a set of System V semaphores made by -p N.
 */
struct coordinator {
    enum coordination kind;
    int semaphores;  /* the set's id */
    unsigned phases; /* how many meetings there have been */
};

/* Makes the semaphores for so many processes of this user, replacing those of before. */
int coordinate_make_semaphores(int processes, struct err *e);

/* Removes the semaphores of this user; there may be none. */
int coordinate_remove_semaphores(struct err *e);

/*
 * Prepares to meet others in that way. Where no semaphores were made there is nobody to wait for:
 * says so on stderr and goes on alone.
 */
int coordinate_init(struct coordinator *c, enum coordination kind, struct err *e);

/* Returns when the phase may begin; `phase` is its name for the prompt. */
int coordinate_wait(struct coordinator *c, const char *phase, struct err *e);

/*
 * Leaves the others: after the last phase, so that the semaphores serve again; after a failure by
 * removing them, so that the others fail instead of waiting for ever.
 */
int coordinate_leave(struct coordinator *c, bool failed, struct err *e);

#endif
