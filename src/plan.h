#ifndef BONNIE_PLAN_H
#define BONNIE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/settings.h"
#include "host.h"
#include "util/err.h"

/* The data set of the I/O tests. */
struct data_plan {
    uint64_t bytes; /* as asked for; whole chunks of it are used */
    uint64_t chunk_bytes;
    uint64_t chunks;
    uint64_t perchar_bytes; /* what putc and getc work on, at the start of the files */
    uint64_t seeks;
    unsigned seekers;
};

/* The file set of the metadata tests. */
struct files_plan {
    uint64_t count;
    enum file_kind kind;
    uint64_t max_bytes;
    uint64_t min_bytes;
    unsigned directories_given; /* as asked for */
    unsigned directories;       /* as made: at least one for each worker */
    uint64_t chunk_bytes;
};

/*
 * Settings and host joined: validated, complete, and never changed afterwards. Texts point into
 * the settings or the host.
 */
struct plan {
    const char *directory;
    const char *label;
    const char *output;
    unsigned workers;
    uint64_t seed;
    uint64_t runs;
    bool csv_header; /* -x: CSV with a header */
    bool tests[TEST_COUNT];
    struct data_plan data;
    struct files_plan files;
    bool sync;
    bool direct;
    bool unlocked;
    bool quiet;
    unsigned verbose;
    enum cache_mode cache;
    enum data_kind contents;
    enum coordination coordination;
    size_t format_count;
    const char *formats[MAX_FORMATS]; /* names of reports, as report_by_name() knows them */
    uint64_t advise_bytes;            /* the data set should be at least this; 0: no advice */
};

/* Part `index` of `total` things shared out among `parts` as evenly as can be. */
struct share {
    uint64_t first;
    uint64_t count;
};
struct share share_of(uint64_t total, uint64_t parts, uint64_t index);

/* The reverse: the part that thing `number` belongs to. */
uint64_t share_owner(uint64_t total, uint64_t parts, uint64_t number);

/*
 * Makes the plan. Returns 0, or a negative errno and a line in e: a data set that cannot be shared
 * out, no test left, or a random file that cannot be read.
 */
int plan_make(struct plan *p, const struct settings *s, const struct host *h, struct err *e);

/*
 * Bytes and files that the plan needs at its fullest moment, on a filesystem with blocks of that
 * size; UINT64_MAX bytes: more than can be counted. links_are_files: a hard
 * link counts as a file there.
 */
uint64_t plan_bytes_needed(const struct plan *p, uint64_t block);
uint64_t plan_files_needed(const struct plan *p, bool links_are_files);

#endif
