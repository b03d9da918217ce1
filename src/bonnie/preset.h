// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/tests.h"
#include "util/units.h"

#define DEFAULT_PRESET "bonnie++"
#define QUICK_PRESET   "quick" /* of `bonnie DIR` */
/* Defaults of Bonnie++, which its table and its CSV line omit. */
#define DEFAULT_CHUNK_BYTES      8192
#define DEFAULT_FILE_CHUNK_BYTES 8192
#define DEFAULT_SEEKS            8192
#define DEFAULT_SEEKERS          5
/* Most formats that a session can print: text, csv, json, html, each at most once. */
#define MAX_FORMATS 4

/* One of several rows that a preset measures, with settings of its own. */
struct preset_row {
    const char *name; /* "RND4K Q32T1" */
    const char *part; /* name of a part of the row: "read"; NULL: this is the whole row */
    struct {
        const char *id, *title; /* what programs call it, "read-4k-q32", and people */
    } tests[TEST_COUNT];        /* NULL: it has no such test */
    uint64_t chunk_bytes;
    uint64_t iops_block_bytes; /* 0: the preset's */
    unsigned iodepth;
    unsigned iops_writes; /* percentage of operations that write */
    unsigned share;       /* of what a short look may write, in BRIEF_SHARES; 0: no limit */
    bool sync;            /* every write is made durable, one after the other, by plain calls */
};

/* Most rows that a preset has. */
#define MAX_ROWS 8

/* A short look writes at most this, and at most a tenth of the free space. Rows that write share
 * that; half is the data set. With less than BRIEF_LEAST_BYTES, no figure would mean anything. */
#define MAX_BRIEF_BYTES   (2 * GIB)
#define BRIEF_LEAST_BYTES (32 * MIB)
#define BRIEF_SHARES      16

/* A short look takes at most this long. Ends of the last tests take a part of it. */
#define MAX_BRIEF_NS (75 * BILLION)
#define BRIEF_END_NS (5 * BILLION)

struct preset_defaults {
    const char *name; /* as given to --preset */
    bool tests[TEST_COUNT];
    const struct preset_row *rows; /* NULL: one run has all tests */
    unsigned row_count;
    bool sizes_are_gib;  /* a size in -s without a suffix is in GiB; false: in MiB */
    uint64_t data_bytes; /* 0: twice the RAM */
    uint64_t chunk_bytes;
    bool every_cpu; /* one worker for each CPU */
    uint64_t iops_block_bytes;
    uint64_t iops_ns;   /* time of the iops test */
    uint64_t time_ns;   /* time of each sequential block test; 0: once through the data */
    const char *engine; /* NULL: the first engine */
    bool direct;        /* with O_DIRECT */
    /* A short look: sizes follow the free space, times are upper limits, the data is what the first
     * row has written, O_DIRECT and engine are what works, and what cannot be measured says why. */
    bool is_brief;
    uint64_t drop_interval_ns;
    uint64_t perchar_bytes, seeks, files_k;
    unsigned seekers;
    bool host_name_is_label;
    bool makes_directory; /* makes a missing directory, which then stays */
    const char *table;    /* name of the report that "text" means */
    const char *json;     /* name of the report that "json" means; NULL: the same */
    bool repeats_in_csv;  /* several runs are reported as CSV by default */
    size_t format_count;
    const char *formats[MAX_FORMATS];
};

/* The names of all presets, with a NULL at the end. */
extern const char *const preset_names[];

/* The preset with that name; NULL: there is none. */
const struct preset_defaults *preset_by_name(const char *name);
