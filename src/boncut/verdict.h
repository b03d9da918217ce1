// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boncut/findings.h"
#include "boncut/options.h"
#include "measure/device.h"

/* The deepest cache whose contents the cut destroyed, as far as the control groups show. */
enum layer {
    LAYER_NONE,  /* none: the cut destroyed nothing */
    LAYER_HOST,  /* the page cache; whether the drive lost its cache is unknown */
    LAYER_DRIVE, /* the drive's cache, too */
    LAYERS
};

/* The layers and the verdicts as words ("drive"), each list with a NULL at the end. */
extern const char *const layer_names[LAYERS + 1];

enum verdict { VERDICT_KEPT, VERDICT_LOST, VERDICT_UNREADABLE, VERDICT_NOT_KNOWN, VERDICTS };
extern const char *const verdict_names[VERDICTS + 1];

/* The verdicts as people read them, before the reason: "NOT KNOWN". */
extern const char *const verdict_headings[VERDICTS];

/* Everything that `check` reports. */
struct check {
    struct ledger ledger;
    struct findings findings;
    struct header here;      /* the mount and the boot when `check` runs */
    struct mount_info mount; /* empty: it cannot be mounted */
    struct device_set devices;
    const struct settings *settings;
    uint64_t begun_ns;
    bool is_gone;            /* the private directory is missing, and with it everything */
    char gone[128];          /* what happened to the directory, in words: "is gone" */
    bool is_same_boot;       /* the system has not been rebooted since `write` */
    bool is_same_mount;      /* it has not been unmounted either: the kernel remembers it */
    uint64_t resident_bytes; /* number of bytes that stayed in the page cache during the check */
    enum layer layer;
    enum verdict verdict;
    char reason[1024]; /* why, in words */
};

/*
 * Whether losses of this control group show how far the cut reached. If direct overwrites are not
 * made in place, the kernel may lose what the drive has kept.
 */
bool control_counts(const struct check *c, unsigned method);

/* Sets the layer, the verdict and the reason of a check from its other fields. */
void verdict_find(struct check *c);

/* The exit status that says it. Unreadable units lead to the same status as lost ones. */
int verdict_status(enum verdict verdict);

/* Prints the findings of a check: a table, facts, losses and the verdict. */
void check_report_text(const struct check *c, FILE *out);

/* The same as JSON (share/boncut.schema.json). */
json_t *check_report_json(const struct check *c);
