#ifndef BONLOAD_SETTINGS_H
#define BONLOAD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/words.h"
#include "cli/values.h"
#include "verify/contents.h"

enum action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_OPTIONS };

/* Room for what is copied because argv is overwritten, and for what can be given several times. */
#define SETTINGS_SECRET  512
#define SETTINGS_HEADERS 8192
#define SETTINGS_OPS     2048
#define SWEEP_MOST       64

/* What the user wrote, and nothing else: nothing is looked up or computed here. */
struct settings {
    enum action action;
    const char *engine; /* name of the target; NULL: the default */
    const char *url;
    const char *url_source;

    struct given rate[LOAD_KINDS]; /* requests per second, in billionths */
    struct given threads[LOAD_KINDS];
    struct given reads_per_write; /* in billionths */
    struct given max_channels;
    struct given max_requests;
    struct given duration_ns;
    struct given warmup_ns;
    struct given window_ns;
    enum arrival arrival;
    bool has_latency_limit;
    struct latency_limit limit;
    enum search_for search;
    uint64_t sweep[SWEEP_MOST]; /* rates in billionths of requests per second */
    size_t sweep_count;
    bool stop_on_bad_rate;
    bool adjust_on_errors;

    struct given body_size;
    struct given min_body_size;
    struct given max_body_size;
    bool fair_random;
    struct given fair_buckets;
    const char *written_dump;
    bool make_directories;
    bool cleanup;
    struct given chunk_bytes;
    bool direct;
    bool fsync;
    enum verify_mode verify;
    bool has_verify;

    char meta_ops[SETTINGS_OPS]; /* everything that was given, joined by commas */
    struct given xattr_keys;
    struct given xattr_length;
    struct given offset_limit;

    const char *ops;
    struct given timeout_ns;
    char headers[SETTINGS_HEADERS]; /* one a line */
    bool insecure_https;
    const char *s3_endpoint;
    const char *s3_bucket;
    const char *s3_region;
    struct given s3_sign_version;
    struct given s3_part_bytes;
    char s3_api_key[SETTINGS_SECRET];
    char s3_secret_key[SETTINGS_SECRET];

    enum output_format output;
    bool show_progress;
    const char *timeline_file;
    struct given max_errors; /* percent, in billionths */
    struct given seed;
    bool verbose;
    bool memory_debug;
};

#endif
