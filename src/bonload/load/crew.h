#ifndef BONLOAD_LOAD_CREW_H
#define BONLOAD_LOAD_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/driver.h"
#include "bonload/load/run.h"
#include "bonload/stats/slowest.h"
#include "bonload/stats/standing.h"

/* All drivers of a run: their threads and their counts. */
struct crew {
    struct run *run;
    struct driver *list;
    unsigned count;
};

/* Prepares the drivers of an open run, which must outlive them. Returns 0 or a negative errno. */
int crew_open(struct crew *c, struct run *run, struct err *e);
void crew_close(struct crew *c);

/* Starts a thread for each driver, which begin to make requests. */
int crew_start(struct crew *c, struct err *e);

/* Waits until all drivers have ended. */
void crew_join(struct crew *c);

/* The number of drivers in a paused run that may have requests in flight. */
unsigned crew_busy(const struct crew *c);

/* The numbers of requests of one kind that have begun and ended. */
struct progress crew_progress(const struct crew *c, enum load_kind kind);

/* The standing of this process's load, apart from its end. */
struct standing crew_standing(const struct crew *c);

/* When the last request of a kind ended; 0: none has. */
uint64_t crew_last_end(const struct crew *c, enum load_kind kind);

/* Adds the longest requests of a kind; may be called while requests are made. */
void crew_add_slowest(const struct crew *c, enum load_kind kind, struct slowest *all);

/* Counts the longest requests so far as those of earlier loads. The run must be paused. */
void crew_move_slowest(struct crew *c, struct slowest earlier[LOAD_KINDS]);

/*
 * Forgets all counts, but not what has been written. The run must be paused or over; requests still
 * in flight will not count.
 */
void crew_forget(struct crew *c);

#endif
