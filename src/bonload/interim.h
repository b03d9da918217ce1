#ifndef BONLOAD_INTERIM_H
#define BONLOAD_INTERIM_H

struct conductor;

/* What is printed on standard error while a run goes on. */

/* Each kind of failure that has not been told yet. */
void tell_failures(struct conductor *c);

/* The figures so far; of several ranks, those of this one. */
void tell_interim(struct conductor *c);

#endif
