#include "bonload/options.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "bonload/goader.h"
#include "bonload/good_for_option.h"
#include "bonload/option_setters.h"
#include "bonload/targets/target.h"
#include "cli/common_options.h"
#include "cli/go_parser.h"
#include "cli/parser.h"
#include "util/units.h"

static const char *const object_op_words[] = {"get",  "put",   "head", "delete",
                                              "post", "patch", "list", NULL};
static const char *const sign_version_words[] = {"4", "2", NULL};

#define FIELD(name) offsetof(struct settings, name)

/* Start of a row, for options with a value, with a setter, and with true or false. */
#define VALUE(option, word, what, member)                                                          \
    .name = option, .value = VALUE_REQUIRED, .value_name = word, .kind = what,                     \
    .field = FIELD(member)
#define CUSTOM(option, word, setter)                                                               \
    .name = option, .value = VALUE_REQUIRED, .value_name = word, .set = setter
#define BOOLEAN(option, member) .name = option, .kind = OPTION_BOOLEAN, .field = FIELD(member)

/* Larger rates and numbers of threads can only be mistakes. */
#define MOST_RATE     (UINT64_C(1000000000) * BILLION)
#define MOST_CHANNELS 100000

static const struct option_entry entries[] = {
    {VALUE("requests-engine", "ENGINE", OPTION_TEXT, engine), .accepted = "the name of a target",
     .words = target_words, .group = "The target",
     .help = "disk, meta, null, sleep, http (also upload), s3 (default: disk)"},
    {VALUE("url", "TEMPLATE", OPTION_TEXT, url), .accepted = "a template", .offer = OFFER_FILES,
     .help = "path, URL or object key; XX.. becomes the request's number, NN.. random digits, RR.. "
             "random letters"},
    {VALUE("url-source", "FILE", OPTION_TEXT, url_source), .accepted = "the path of a file",
     .offer = OFFER_FILES,
     .help =
         "file with one such name per line, used in turn, over and over; -url takes precedence"},
    OPTION_USER(struct settings),
    OPTION_GROUP(struct settings),
    OPTION_GOOD_FOR(struct settings),
    {VALUE("rps", "R", OPTION_DECIMAL, rate[LOAD_READ]), .max = MOST_RATE,
     .accepted = "requests per second; fractions are allowed", .group = "Amount of load",
     .help = "reads per second, fractions allowed"},
    {VALUE("wps", "R", OPTION_DECIMAL, rate[LOAD_WRITE]), .max = MOST_RATE,
     .accepted = "requests per second; fractions are allowed", .help = "writes per second"},
    {VALUE("arrival", "HOW", OPTION_WORD, arrival), .words = arrival_names,
     .accepted = "constant or poisson",
     .help =
         "gaps between requests: constant, or poisson for exponential ones (default: constant)"},
    {VALUE("rt", "N", OPTION_COUNT, threads[LOAD_READ]), .max = MOST_CHANNELS,
     .accepted = "a whole number up to 100000",
     .help = "number of reading threads; each begins a request when its last one has ended"},
    {VALUE("wt", "N", OPTION_COUNT, threads[LOAD_WRITE]), .max = MOST_CHANNELS,
     .accepted = "a whole number up to 100000", .help = "number of writing threads"},
    {VALUE("rpw", "R", OPTION_DECIMAL, reads_per_write), .max = MOST_RATE,
     .accepted = "a number of reads; fractions are allowed",
     .help = "reads for each successful write, fractions allowed"},
    {CUSTOM("max-latency", "LIMIT", set_latency_limit),
     .help = "find the largest load whose mean latency stays below this: 20ms; or another figure: "
             "p99:20ms, max:20ms"},
    {VALUE("search", "WHAT", OPTION_WORD, search), .words = search_names,
     .accepted = "threads or rate",
     .help = "look for a number of threads, or for a rate (default: threads)"},
    {VALUE("window", "D", OPTION_DURATION, window_ns), .min = 1, .accepted = "a duration above 0",
     .help = "shortest time at each load of a search (default: 1s)"},
    {VALUE("window-max", "D", OPTION_DURATION, window_most_ns), .min = 1,
     .accepted = "a duration above 0",
     .help = "longest time at each load of a search (default: 60s)"},
    {CUSTOM("sweep", "R,R,...", set_sweep),
     .help =
         "several rates in turn, divided between reads and writes in the ratio of -rps and -wps"},
    {VALUE("ramp", "R..R/D", OPTION_TEXT, ramp), .accepted = "RATE..RATE/TIME",
     .help = "a rate that changes gradually, divided as in a sweep: 100..2000/60s"},
    {VALUE("load-file", "FILE", OPTION_TEXT, load_file), .accepted = "the path of a file",
     .offer = OFFER_FILES, .help = "file with a time and the rate at that time on each line"},
    {VALUE("max-channels", "N", OPTION_COUNT, max_channels), .min = 1, .max = MOST_CHANNELS,
     .accepted = "a whole number from 1 to 100000",
     .help = "largest number of reads, and of writes, in flight (default: 500)"},
    {VALUE("max-requests", "N", OPTION_COUNT, max_requests), .min = 1, .max = UINT64_MAX / 2,
     .accepted = "a whole number above 0", .group = "End of the run",
     .help =
         "stop after this number of requests (default: 10000; none with -duration or in a search)"},
    {VALUE("duration", "D", OPTION_DURATION, duration_ns), .min = 1,
     .accepted = "a duration above 0: 30s, 1m30s",
     .help = "stop after this time; in a sweep: time at each rate (default there: 10s)"},
    {VALUE("warmup", "D", OPTION_DURATION, warmup_ns), .accepted = "a duration: 5s",
     .help = "leave this time at the start out of all figures"},
    {BOOLEAN("stop-on-bad-rate", stop_on_bad_rate),
     .help = "stop with exit status 2 when two seconds' worth of requests are overdue"},
    {BOOLEAN("adjust-on-errors", adjust_on_errors),
     .help = "in a search, an error rate above 3 % counts as exceeding the limit (default: true)"},
    {VALUE("max-errors", "PERCENT", OPTION_DECIMAL, max_errors), .max = 100 * BILLION,
     .accepted = "percent, from 0 to 100",
     .help = "exit with status 1 if more than this share of requests failed (default: 50)"},
    {CUSTOM("fail-above", "LIMIT", set_fail_above),
     .help =
         "exit with status 2 if the latency was above this: p99:20ms, max:1s, 5ms for the mean"},
    {VALUE("body-size", "SIZE", OPTION_BYTES, body_size), .max = TIB,
     .accepted = "a size up to 1TiB: 4KiB, 1.5MB", .group = "Written data",
     .help = "size of each write; 1KiB is 1024 bytes, 1k is 1000 (default: 160KiB)"},
    {VALUE("min-body-size", "SIZE", OPTION_BYTES, min_body_size), .max = TIB,
     .accepted = "a size up to 1TiB: 4KiB, 1.5MB",
     .help = "smallest size, for sizes that vary uniformly"},
    {VALUE("max-body-size", "SIZE", OPTION_BYTES, max_body_size), .max = TIB,
     .accepted = "a size up to 1TiB: 4KiB, 1.5MB",
     .help = "largest size, for sizes that vary uniformly"},
    {BOOLEAN("fair-random", fair_random),
     .help = "sizes vary so that small requests move as many bytes in all as large ones"},
    {VALUE("random-fair-buckets", "N", OPTION_COUNT, fair_buckets), .min = 1, .max = 1000000,
     .accepted = "a whole number from 1 to 1000000",
     .help = "number of equal ranges of size from which -fair-random chooses (default: 1000)"},
    {VALUE("written-urls-dump", "FILE", OPTION_TEXT, written_dump),
     .accepted = "the path of a file", .offer = OFFER_FILES,
     .help = "file for the names of what was written (or read, if nothing was written), one per "
             "line, for -url-source"},
    {BOOLEAN("cleanup", cleanup), .help = "remove what the run wrote when it is over"},
    {CUSTOM("verify", "HOW", set_verify), .words = verify_names,
     .help = "check that what is read is what was written: off, stamp or full (default: stamp if "
             "the run writes)"},
    {BOOLEAN("mkdirs", make_directories), .group = "disk and meta",
     .help = "make missing directories when writing"},
    {VALUE("chunk-size", "SIZE", OPTION_BYTES, chunk_bytes), .max = GIB,
     .accepted = "a size up to 1GiB", .group = "disk",
     .help = "read a file in pieces of this size; 0: as a whole (default: 0)"},
    {BOOLEAN("direct", direct), .help = "use O_DIRECT"},
    {BOOLEAN("evict", evict),
     .help = "have the kernel forget a file's pages before each read of it"},
    {BOOLEAN("fsync", fsync), .help = "call fsync before a write ends"},
    {BOOLEAN("explain-tail", explain_tail),
     .help = "as root, say what the slowest requests waited for"},
    {CUSTOM("meta-ops", "OP[:WEIGHT],...", set_meta_ops), .words = meta_op_names,
     .offer = OFFER_LIST, .group = "meta",
     .help = "mix of operations; may be repeated (default: all)"},
    {VALUE("meta-xattr-keys", "N", OPTION_COUNT, xattr_keys), .min = 1, .max = 1000000,
     .accepted = "a whole number from 1 to 1000000",
     .help = "number of names of extended attributes (default: 10)"},
    {VALUE("meta-xattr-length", "SIZE", OPTION_BYTES, xattr_length), .max = 64 * KIB,
     .accepted = "a size up to 64KiB", .help = "length of the longest value (default: 5120)"},
    {VALUE("meta-offset-limit", "SIZE", OPTION_BYTES, offset_limit), .min = 1, .max = 8 * TIB,
     .accepted = "a size from 1 to 8TiB",
     .help = "offsets of write, read and truncate stay below this (default: 16MiB)"},
    {VALUE("ops", "OP[:WEIGHT],...", OPTION_TEXT, ops), .accepted = "OP[:WEIGHT],...",
     .words = object_op_words, .offer = OFFER_LIST, .group = "http and s3",
     .help = "mix of get, put, head, delete and, with http, post, patch, with s3, list; "
             "get:range=1MiB reads parts"},
    {VALUE("body-file", "FILE", OPTION_TEXT, body_file), .accepted = "the path of a file",
     .offer = OFFER_FILES, .help = "file with the body of every write"},
    {VALUE("body-source", "FILE", OPTION_TEXT, body_source), .accepted = "the path of a file",
     .offer = OFFER_FILES,
     .help =
         "file with the path of a body per line; the first goes with the first name, and so on"},
    {VALUE("timeout", "D", OPTION_DURATION, timeout_ns), .min = 1, .accepted = "a duration above 0",
     .help = "http, s3: time limit of one request (default: 60s, or 5 x the limit of a search)"},
    {CUSTOM("header", "HEADER", set_header), .quirks = OPTION_SECRET,
     .help = "one more header, NAME: VALUE; may be repeated"},
    {VALUE("cert", "FILE", OPTION_TEXT, certificate), .accepted = "the path of a file",
     .offer = OFFER_FILES, .help = "certificate of the client, PEM"},
    {VALUE("key", "FILE", OPTION_TEXT, key), .accepted = "the path of a file", .offer = OFFER_FILES,
     .help = "its private key, PEM (default: in the file of -cert)"},
    {VALUE("cacert", "FILE", OPTION_TEXT, authorities), .accepted = "the path of a file",
     .offer = OFFER_FILES, .help = "certificates that vouch for servers (default: SSL_CERT_FILE)"},
    {BOOLEAN("http1", http1), .help = "use HTTP/1.1 also where a server has HTTP/2"},
    {BOOLEAN("insecure-https", insecure_https), .help = "do not verify certificates"},
    {CUSTOM("s3-endpoint", "URL[,URL]...", set_s3_endpoint), .group = "s3",
     .help = "URL of the store, or of its servers, used in turn; may be repeated (default: "
             "AWS_ENDPOINT_URL)"},
    {VALUE("s3-bucket", "NAME", OPTION_TEXT, s3_bucket), .accepted = "the name of a bucket",
     .help = "bucket"},
    {VALUE("s3-region", "NAME", OPTION_TEXT, s3_region), .accepted = "the name of a region",
     .help = "region (default: AWS_REGION, us-east-1)"},
    {CUSTOM("s3-api-key", "KEY", set_s3_api_key), .quirks = OPTION_SECRET,
     .help = "access key (default: AWS_ACCESS_KEY_ID)"},
    {CUSTOM("s3-secret-key", "KEY", set_s3_secret_key), .quirks = OPTION_SECRET,
     .help = "secret key (default: AWS_SECRET_ACCESS_KEY)"},
    {VALUE("s3-sign-ver", "N", OPTION_COUNT, s3_sign_version), .min = 2, .max = 4,
     .accepted = "4 or 2", .words = sign_version_words,
     .help = "version of the signatures, 4 or 2 (default: 4)"},
    {VALUE("s3-part-size", "SIZE", OPTION_BYTES, s3_part_bytes), .min = 5 * MIB, .max = 5 * GIB,
     .accepted = "a size from 5MiB to 5GiB",
     .help = "upload larger objects in parts of this size (default: off)"},
    {VALUE("output", "FORMAT", OPTION_WORD, output), .words = output_names,
     .accepted = "human or json", .group = "Output", .help = "human or json (default: human)"},
    {BOOLEAN("show-progress", show_progress),
     .help = "show progress during the run (default: true)"},
    {VALUE("timeline-file", "PAGE", OPTION_TEXT, timeline_file), .accepted = "the path of a file",
     .offer = OFFER_FILES, .help = "write an HTML page that shows the run over time"},
    {VALUE("live-file", "FILE", OPTION_TEXT, live_file), .accepted = "the path of a file",
     .offer = OFFER_FILES,
     .help = "write the figures of each second: a line of CSV, or metrics to a name in .prom"},
    {VALUE("hgrm", "PREFIX", OPTION_TEXT, hgrm), .accepted = "the path of a file",
     .offer = OFFER_FILES,
     .help = "write the distributions of latency to PREFIX-reads.hgrm and PREFIX-writes.hgrm"},
    {CUSTOM("seed", "N", set_seed),
     .help = "seed of everything that is random (default: the time)"},
    {BOOLEAN("verbose", verbose), .help = "report each distinct error when it first happens"},
    {BOOLEAN("memory-debug", memory_debug), .help = "report the memory used every 10 s"},
    {.name = "version",
     .kind = OPTION_SETS,
     .field = FIELD(action),
     .constant = ACTION_VERSION,
     .help = "print the version"},
    {.letter = 'h',
     .name = "help",
     .kind = OPTION_SETS,
     .field = FIELD(action),
     .constant = ACTION_HELP,
     .help = "print this help"},
    OPTION_ALL_OPTIONS(struct settings, action, ACTION_OPTIONS),
};

const struct option_table option_table = {
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .dashes = "-",
    .operand_offer = OFFER_FILES,
    .usage = "Usage: bonload [OPTION]... [TEMPLATE]\n"
             "Generate load and measure the latency of requests, or find the largest load\n"
             "whose latency stays below a limit. Options take one dash or two, and a value\n"
             "after = or as the next word.\n",
    .closing = "\nThe manual page bonload(1) says more.\n",
};

/*
 * Whether that target has the options of a group. A group that only some targets have bears their
 * names, in lower case.
 */
static bool is_for(const char *group, const char *target)
{
    const char *at = strstr(group, target);
    return !islower((unsigned char)*group) || (at && strchr(" ", at[strlen(target)]));
}

static int check_targets(const struct settings *s, const bool given[OPTIONS_MOST], struct err *e)
{
    const struct target_ops *target = target_by_name(s->engine ? s->engine : DEFAULT_TARGET);
    const char *group = "";
    int rc = 0;
    for (size_t i = 0; target && rc == 0 && i < option_table.count; i++) {
        group = entries[i].group ? entries[i].group : group;
        if (given[i] && !is_for(group, target->name))
            rc = goader_passes(s,
                               err_say(e, "-%s is an option for %s, but -requests-engine is %s",
                                       entries[i].name, group, target->name),
                               e);
    }
    return rc;
}

int options_parse(int argc, char *argv[], struct settings *settings, struct err *e)
{
    bool given[OPTIONS_MOST];
    *settings = (struct settings){.show_progress = true,
                                  .adjust_on_errors = true,
                                  .as_goader = cli_is_called(argc, argv, "goader")};
    int rc = cli_parse_go(&option_table, "url", argc, argv, settings, given, e);
    if (rc == 0 && settings->action == ACTION_RUN)
        rc = check_targets(settings, given, e);
    if (rc == 0 && settings->as_goader)
        rc = goader_take_credentials(settings, e);
    return rc;
}
