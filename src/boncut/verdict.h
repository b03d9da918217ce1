#ifndef BONCUT_VERDICT_H
#define BONCUT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/findings.h"
#include "boncut/ledger.h"

/* The layer that the cut has reached, as far as the control groups show. */
enum layer {
    LAYER_NONE,  /* nothing was cut */
    LAYER_HOST,  /* the page cache: nothing is known about the drive's */
    LAYER_DRIVE, /* the drive's cache, too */
    LAYERS
};

/* The layers as words: "drive". */
extern const char *const layer_names[LAYERS];

enum verdict { VERDICT_KEPT, VERDICT_LOST, VERDICT_INCONCLUSIVE, VERDICTS };
extern const char *const verdict_names[VERDICTS];

/* Exit statuses. */
enum { STATUS_KEPT = 0, STATUS_LOST = 2, STATUS_INCONCLUSIVE = 3 };

/* Everything that `check` reports. */
struct check {
    struct ledger ledger;
    struct findings findings;
    struct header here;      /* the present state of the place */
    bool is_gone;            /* the private directory is missing: everything is lost */
    char gone[128];          /* what happened to it, in words: "is gone" */
    bool is_same_boot;       /* the system has not been rebooted since */
    uint64_t resident_bytes; /* number of bytes that stayed in the page cache */
    enum layer layer;
    enum verdict verdict;
    char text[1024]; /* the verdict in words */
};

/* Fills layer, verdict and text of a check from its other fields. */
void verdict_find(struct check *c);

/* The exit status for a verdict. */
int verdict_status(enum verdict verdict);

#endif
