#ifndef BONCUT_METHODS_METHOD_H
#define BONCUT_METHODS_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "verify/pattern.h"

struct findings;
struct header;
struct ledger;

/*
 * A method is one way in which a program asks for durability. For each worker it has files of its
 * own, changes their units one step at a time, and knows afterwards what has to be there.
 */

/* The data of a worker in one method. Fields below the line belong to the method. */
struct work {
    const struct header *header;
    const struct pattern *pattern;
    int directory_fd; /* the private directory */
    unsigned method;
    unsigned worker;
    const char *call;          /* the last system call, for messages */
    int (*first_sync)(int fd); /* syncs files that begin() makes; NULL: not needed */
    /* ---- */
    int fd;
    int other_fd;
    void *buffer; /* room for METHOD_BUFFER blocks, aligned for O_DIRECT */
    void *own;
};

#define METHOD_BUFFER 16

/* The data for judging. */
struct judging {
    const struct header *header;
    const struct ledger *ledger;
    const struct pattern *pattern;
    int directory_fd;
    bool evicts; /* pages may be from before the cut, and are evicted before they are read */
    unsigned method;
    void *buffer; /* as in struct work */
    struct findings *findings;
    uint64_t resident_bytes; /* number of bytes that could not be evicted */
    int failure;             /* a positive errno that ends the judging, or 0 */
};

struct method {
    const char *name;
    const char *promise;  /* the calls that have returned, in words */
    bool is_control;      /* it promises nothing: losses are expected */
    bool is_fact;         /* it promises nothing either, and its losses prove nothing */
    unsigned tails;       /* number of units per worker beyond those asked for */
    unsigned batch;       /* number of units that a step changes; 0: one */
    uint64_t interval_ns; /* shortest time between two steps of a worker */

    /*
     * Makes the worker's files with version 0 of all units. They become durable later, unless
     * w->first_sync syncs them. Returns 0 or a negative errno, in which case w->call is what
     * failed. NULL: this build lacks the method.
     */
    int (*begin)(struct work *w);

    /*
     * Changes `batch` units from this one on to their versions, and returns 0 when they are
     * durable; otherwise a negative errno, with the call that failed in w->call.
     */
    int (*step)(struct work *w, uint32_t unit, const uint64_t versions[]);

    /* Closes all descriptors. */
    void (*end)(struct work *w);

    /* Examines all units of a worker, and reports the findings. */
    void (*judge)(struct judging *j, unsigned worker);
};

extern const struct method methods[];
extern const unsigned method_count;

/* Indexes of the control groups in the table, which `check` treats specially. */
extern const unsigned method_cached;
extern const unsigned method_drive;
extern const unsigned method_syncfs;

/* Whether the method promises anything. */
static inline bool method_promises(unsigned method)
{
    return !methods[method].is_control && !methods[method].is_fact;
}

/* Prints what each method promises, one per line. */
void method_print_all(FILE *out);

/* Finds the method of that name. Returns false when there is none. */
bool method_find(const char *name, size_t length, unsigned *method);

#endif
