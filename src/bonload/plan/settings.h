// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/option.h"
#include "measure/histogram.h"
#include "verify/contents.h"

struct profile;

/*
 * Reads and writes are counted, timed, limited and reported separately. Reports have writes first.
 */
enum load_kind { LOAD_WRITE, LOAD_READ, LOAD_KINDS };

extern const char *const load_names[LOAD_KINDS];  /* "write", "read" */
extern const char *const load_titles[LOAD_KINDS]; /* "Writes", "Reads" */

/* How load is made. */
enum mode { MODE_RATE, MODE_THREADS, MODE_SEARCH, MODE_SWEEP };
extern const char *const mode_names[];

/* How a rate spaces its requests. */
enum arrival { ARRIVAL_CONSTANT, ARRIVAL_POISSON };
extern const char *const arrival_names[];

/* What a search varies. */
enum search_for { SEARCH_THREADS, SEARCH_RATE };
extern const char *const search_names[];

enum output_format { OUTPUT_HUMAN, OUTPUT_JSON };
extern const char *const output_names[];

/* The figure of the latency that must stay below a limit. */
enum limit_of { LIMIT_MEAN, LIMIT_PERCENTILE, LIMIT_MAX };

struct latency_limit {
    enum limit_of of;
    double percent; /* of LIMIT_PERCENTILE: above 0, below 100 */
    uint64_t nanoseconds;
};

/* Parses "max" or "p99.9" into the limited figure. Returns false for anything else. */
bool limit_figure_parse(const char *word, struct latency_limit *limit);

/* Parses "20ms", "p99:20ms", "p99.9:20ms" or "max:20ms". Returns 0 or -EINVAL. */
int latency_limit_parse(const char *text, struct latency_limit *limit);

/* The figure of a distribution that the limit applies to, in ns. */
uint64_t latency_limit_figure(const struct latency_limit *limit, const struct histogram *h);

/* Formats the limited figure as "mean", "p99.9" or "max". */
#define LIMIT_TEXT 32
void latency_limit_name(const struct latency_limit *limit, char text[static LIMIT_TEXT]);

enum action { ACTION_RUN, ACTION_HELP, ACTION_SHORT_HELP, ACTION_VERSION, ACTION_OPTIONS };

/* Room for values that are copied because argv is overwritten, or that are given several times. */
#define SETTINGS_SECRET    512
#define SETTINGS_HEADERS   8192
#define SETTINGS_OPS       2048
#define SETTINGS_ENDPOINTS 8192
#define SWEEP_MOST         64

/*
 * What the user asked for, as given. Nothing here is looked up or computed. A value that the user
 * left out has its default, unless that depends on other settings.
 */
struct settings {
    enum action action;
    bool as_goader;     /* the user called the program `goader`: bonload(1) lists what differs */
    const char *engine; /* name of the target; NULL: default */
    const char *url;
    const char *url_source;
    bool literal;                  /* url is a name, and not a template */
    const char *good_for;          /* name of a profile, "all", "list", or a file; NULL: none */
    const struct profile *profile; /* the run's profile, when it has been found */
    bool trusts_directory;
    const char *user;
    const char *group;

    struct optional rate[LOAD_KINDS]; /* requests per second, in billionths */
    struct optional threads[LOAD_KINDS];
    struct optional reads_per_write; /* in billionths */
    struct optional max_channels;
    struct optional max_requests;
    struct optional duration_ns;
    struct optional warmup_ns;
    struct optional window_ns;
    struct optional window_most_ns;
    enum arrival arrival;
    struct latency_limit limit; /* of a search; 0 ns: none */
    enum search_for search;
    uint64_t sweep[SWEEP_MOST]; /* rates in billionths of requests per second */
    size_t sweep_count;
    const char *ramp;
    const char *load_file;
    bool stop_on_bad_rate;
    bool adjust_on_errors;

    struct optional body_size;
    struct optional min_body_size;
    struct optional max_body_size;
    bool fair_random;
    struct optional fair_buckets;
    const char *written_dump;
    bool make_directories;
    bool cleanup;
    const char *left_in; /* a directory in which killed runs left something; NULL: none */
    struct optional chunk_bytes;
    bool direct;
    bool evict; /* evict a file's pages before it is read */
    bool fsync;
    bool explain_tail;
    enum verify_mode verify; /* VERIFY_MODES: not given */

    char meta_ops[SETTINGS_OPS]; /* all values that the user gave, joined by commas */
    struct optional xattr_keys;
    struct optional xattr_length;
    struct optional offset_limit;

    const char *ops;
    const char *body_file;
    const char *body_source;
    struct optional timeout_ns;
    char headers[SETTINGS_HEADERS];    /* all headers, one per line */
    char credentials[SETTINGS_SECRET]; /* USER:PASSWORD of the URL; "": none */
    bool insecure_https;
    bool http1;
    const char *certificate; /* the client's, its key, and those of authorities */
    const char *key;
    const char *authorities;
    char s3_endpoint[SETTINGS_ENDPOINTS]; /* all values that the user gave, joined by commas */
    const char *s3_bucket;
    struct optional s3_virtual;
    const char *s3_region;
    struct optional s3_sign_version;
    struct optional s3_part_bytes;
    unsigned s3_checksum; /* enum sign_checksum */
    char s3_api_key[SETTINGS_SECRET];
    char s3_secret_key[SETTINGS_SECRET];

    enum output_format output;
    bool show_progress;
    const char *timeline_file;
    const char *live_file;
    const char *hgrm;                /* start of the paths of files with distributions */
    struct latency_limit fail_above; /* 0 ns: none */
    struct optional max_errors;      /* percent, in billionths */
    struct optional seed;
    bool verbose;
    bool memory_debug;
};
