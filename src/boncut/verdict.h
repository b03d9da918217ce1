// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* The deepest cache whose contents the cut destroyed, as far as the canaries show. */
enum layer {
    LAYER_NONE,  /* none: the cut destroyed nothing */
    LAYER_HOST,  /* the page cache; whether the drive lost its cache is unknown */
    LAYER_DRIVE, /* the drive's cache, too */
    LAYERS
};

enum verdict { VERDICT_KEPT, VERDICT_LOST, VERDICT_UNREADABLE, VERDICT_NOT_KNOWN, VERDICTS };

/* The layers and the verdicts as words ("drive"), each list with a NULL at the end. */
extern const char *const layer_names[LAYERS + 1];
extern const char *const verdict_names[VERDICTS + 1];

/* The verdict for people: "NOT KNOWN"; of a cut that reached one, "KEPT as far as the drive". */
const char *verdict_heading(enum verdict verdict, enum layer layer);

/* The exit status that says it. Unreadable units lead to the same status as lost ones. */
int verdict_status(enum verdict verdict);
