// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/options.h"

#include "bonload/judge/verdict.h"
#include "cli/parser.h"
#include "cli/rows.h"
#include "measure/clock.h"
#include "sys/path.h"
#include "util/rng.h"

/* Setters of options. When they refuse a value, the line in e says what is accepted. */

static int set_limit(void *limit, const char *value, struct err *e)
{
    if (latency_limit_parse(value, limit) != 0)
        return err_say(e, "a duration for the mean (20ms), pN:DURATION or max:DURATION");
    return 0;
}

static bool take_rate(void *settings, char *word)
{
    struct settings *s = settings;
    uint64_t rate;
    if (s->sweep_count == MAX_SWEEP || units_parse_decimal(word, &rate) != 0 || rate == 0)
        return false;
    s->sweep[s->sweep_count++] = rate;
    return true;
}

static int set_sweep(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->sweep_count = 0;
    return value_list(s, value, take_rate,
                      "up to 64 rates per second above 0, separated by commas: 100,200,400", e);
}

/* Appends the value, after a separator, to those given earlier. */
static int append_given(char *text, size_t size, char separator, const char *value,
                        const char *accepted, struct err *e)
{
    size_t used = strlen(text);
    size_t length = strlen(value);
    if (length == 0 || used + length + 2 > size)
        return err_say(e, "%s", accepted);
    if (used > 0)
        text[used++] = separator;
    memcpy(text + used, value, length + 1);
    return 0;
}

static int set_meta_ops(void *ops, const char *value, struct err *e)
{
    return append_given(ops, SETTINGS_OPS, ',', value, "OP[:WEIGHT],...", e);
}

static int set_s3_endpoint(void *endpoints, const char *value, struct err *e)
{
    return append_given(endpoints, SETTINGS_ENDPOINTS, ',', value, "a URL, 8 KiB in all", e);
}

static int set_header(void *headers, const char *value, struct err *e)
{
    const char *accepted = "NAME: VALUE, on one line, 8 KiB in all";
    if (!strchr(value, ':') || strpbrk(value, "\r\n"))
        return err_say(e, "%s", accepted);
    return append_given(headers, SETTINGS_HEADERS, '\n', value, accepted, e);
}

static int set_secret(void *secret, const char *value, struct err *e)
{
    if (*value == '\0' || strlen(value) >= SETTINGS_SECRET)
        return err_say(e, "a key of up to %d characters", SETTINGS_SECRET - 1);
    snprintf(secret, SETTINGS_SECRET, "%s", value);
    return 0;
}

static int set_s3_virtual(void *field, const char *value, struct err *e)
{
    bool is_virtual = true;
    int rc = value ? value_boolean(&is_virtual, value, e) : 0;
    *(struct optional *)field = (struct optional){.given = true, .value = is_virtual};
    return rc;
}

/* Accepts a sign, because goader's seed may be negative. */
static int set_seed(void *field, const char *value, struct err *e)
{
    struct optional *seed = field;
    int64_t with_sign;
    seed->given = true;
    if (units_parse_count(value, &seed->value) == 0)
        return 0;
    if (units_parse_signed(value, &with_sign) != 0)
        return err_say(e, "a whole number");
    seed->value = (uint64_t)with_sign;
    return 0;
}

static const char *const object_op_words[] = {"get",  "put",   "head", "delete",
                                              "post", "patch", "list", NULL};
static const char *const sign_version_words[] = {"4", "2", NULL};

#define FIELD(name) offsetof(struct settings, name)

/* Targets that have options of their own: the names of the bits in `owners`. */
enum { OF_DISK = 1, OF_META = 2, OF_HTTP = 4, OF_S3 = 8 };
static const char *const owners[] = {"disk", "meta", "http", "s3", NULL};

#define MAX_RATE     (UINT64_C(1000000000) * BILLION) /* larger ones can only be mistakes */
#define MAX_CHANNELS 100000

static const struct option_entry entries[] = {
    {VALUE("requests-engine", "ENGINE", OPTION_TEXT, engine), .words = target_words,
     .group = "The target", .foreign = "ioengine", .help = "%s (default: disk)"},
    {VALUE("url", "TEMPLATE", OPTION_TEXT, url), .foreign = "filename,if,of,directory",
     .accepted = "a template", .offer = OFFER_FILES,
     .help = "path, URL or object key; XX.. becomes the request's number, NN.. random digits, RR.. "
             "random letters"},
    {PATH("url-source", "FILE", url_source),
     .help = "file with one such name per line, used in turn, over and over; -url takes "
             "precedence"},
    {BOOLEAN("literal", literal), .help = "do not replace X, N and R in -url"},
    {OPTION_USER(user)},
    {OPTION_GROUP(group)},
    {VALUE("good-for", "PROFILE", OPTION_TEXT, good_for), .words = profile_words,
     .list = profiles_print, .accepted = "the name of a profile, all, or a file",
     .group = "Is this storage good enough?",
     .help = "judge the storage of a directory by what a program does: %s, or a file with a "
             "profile; list prints what each needs"},
    {OPTION_TRUST(trusts_directory)},
    {VALUE("rps", "R", OPTION_DECIMAL, rate[LOAD_READ]), .max = MAX_RATE, .group = "Amount of load",
     .help = "reads per second, fractions allowed"},
    {VALUE("wps", "R", OPTION_DECIMAL, rate[LOAD_WRITE]), .max = MAX_RATE,
     .help = "writes per second"},
    {VALUE("arrival", "HOW", OPTION_WORD, arrival), .words = arrival_names,
     .help = "gaps between requests: constant, or poisson for exponential ones (default: "
             "constant)"},
    {COUNT("rt", "N", threads[LOAD_READ], 0, MAX_CHANNELS),
     .help = "number of reading threads; each begins a request when its previous one ends"},
    {COUNT("wt", "N", threads[LOAD_WRITE], 0, MAX_CHANNELS), .help = "number of writing threads"},
    {VALUE("rpw", "R", OPTION_DECIMAL, reads_per_write), .max = MAX_RATE,
     .help = "reads for each successful write, fractions allowed"},
    {CUSTOM("max-latency", "LIMIT", set_limit, limit),
     .help = "find the largest load whose mean latency stays below this: 20ms; or another figure: "
             "p99:20ms, max:20ms"},
    {VALUE("search", "WHAT", OPTION_WORD, search), .words = search_names,
     .help = "look for a number of threads, or for a rate (default: threads)"},
    {DURATION("window", window_ns, 1),
     .help = "shortest time at each load of a search (default: 1s)"},
    {DURATION("window-max", window_most_ns, 1),
     .help = "longest time at each load of a search (default: 60s)"},
    {SETTER("sweep", "R,R,...", set_sweep),
     .help = "several rates in turn, divided between reads and writes in the ratio of -rps and "
             "-wps"},
    {VALUE("ramp", "R..R/D", OPTION_TEXT, ramp), .accepted = "RATE..RATE/TIME",
     .help = "a rate that changes gradually, divided as in a sweep: 100..2000/60s"},
    {PATH("load-file", "FILE", load_file),
     .help = "file with a time and the rate at that time on each line"},
    {COUNT("max-channels", "N", max_channels, 1, MAX_CHANNELS),
     .help = "largest number of reads, and of writes, in flight (default: 500)"},
    {COUNT("max-requests", "N", max_requests, 1, UINT64_MAX / 2), .group = "End of the run",
     .help = "stop after this number of requests (default: 10000; none with -duration or in a "
             "search)"},
    {DURATION("duration", duration_ns, 1), .alias = "time", .foreign = "runtime",
     .help = "stop after this time; in a sweep: time at each rate (default there: 10s)"},
    {DURATION("warmup", warmup_ns, 0), .help = "exclude this time at the start from all figures"},
    {BOOLEAN("stop-on-bad-rate", stop_on_bad_rate),
     .help = "stop with exit status 2 when two seconds' worth of requests are overdue"},
    {BOOLEAN("adjust-on-errors", adjust_on_errors),
     .help = "in a search, an error rate above 3 % counts as exceeding the limit (default: true)"},
    {VALUE("max-errors", "PERCENT", OPTION_DECIMAL, max_errors), .max = 100 * BILLION,
     .help = "exit with status 1 if more than this share of requests failed (default: 50)"},
    {CUSTOM("fail-above", "LIMIT", set_limit, fail_above),
     .help = "exit with status 2 if the latency was above this: p99:20ms, max:1s, 5ms for the "
             "mean"},
    {VALUE("body-size", "SIZE", OPTION_SIZE, body_size), .foreign = "bs,size", .max = TIB,
     .group = "Written data",
     .help = "size of each write; 1KiB is 1024 bytes, 1k is 1000 (default: 160KiB)"},
    {VALUE("min-body-size", "SIZE", OPTION_SIZE, min_body_size), .max = TIB,
     .help = "smallest size, for sizes that vary uniformly"},
    {VALUE("max-body-size", "SIZE", OPTION_SIZE, max_body_size), .max = TIB,
     .help = "largest size, for sizes that vary uniformly"},
    {BOOLEAN("fair-random", fair_random),
     .help = "sizes vary so that small requests move as many bytes in all as large ones"},
    {COUNT("random-fair-buckets", "N", fair_buckets, 1, 1000000), .quirks = OPTION_UNLISTED,
     .help = "number of equal ranges of size from which -fair-random chooses (default: 1000)"},
    {PATH("written-urls-dump", "FILE", written_dump),
     .help = "file for the names of what was written (or read, if nothing was written), one per "
             "line, for -url-source"},
    {BOOLEAN("remove", removes), .help = "at the end, remove what the run wrote"},
    {VALUE("verify", "HOW", OPTION_WORD, verify), .words = verify_names,
     .help = "check that what is read is what was written: off, stamp or full (default: stamp if "
             "the run writes)"},
    {BOOLEAN("mkdirs", make_directories), .owners = OF_DISK | OF_META, .group = "disk and meta",
     .help = "create missing directories when writing"},
    {VALUE("chunk-size", "SIZE", OPTION_SIZE, chunk_bytes), .owners = OF_DISK, .max = GIB,
     .group = "disk", .help = "read a file in pieces of this size; 0: as a whole (default: 0)"},
    {BOOLEAN("direct", direct), .owners = OF_DISK, .help = "use O_DIRECT"},
    {BOOLEAN("evict", evict), .owners = OF_DISK,
     .help = "evict a file from the page cache before each read of it"},
    {BOOLEAN("fsync", fsync), .owners = OF_DISK, .help = "call fsync as part of each write"},
    {BOOLEAN("explain-tail", explain_tail), .owners = OF_DISK,
     .help = "as root, say what the slowest requests waited for"},
    {CUSTOM("meta-ops", "OP[:WEIGHT],...", set_meta_ops, meta_ops), .owners = OF_META,
     .words = meta_op_names, .offer = OFFER_LIST, .group = "meta",
     .help = "mix of operations; may be repeated (default: all)"},
    {COUNT("meta-xattr-keys", "N", xattr_keys, 1, 1000000), .owners = OF_META,
     .help = "number of names of extended attributes (default: 10)"},
    {VALUE("meta-xattr-length", "SIZE", OPTION_SIZE, xattr_length), .owners = OF_META,
     .max = 64 * KIB, .help = "length of the longest value (default: 5120)"},
    {VALUE("meta-offset-limit", "SIZE", OPTION_SIZE, offset_limit), .owners = OF_META, .min = 1,
     .max = 8 * TIB,
     .help = "offsets of write, read and truncate stay below this (default: 16MiB)"},
    {VALUE("ops", "OP[:WEIGHT],...", OPTION_TEXT, ops), .owners = OF_HTTP | OF_S3,
     .accepted = "OP[:WEIGHT],...", .words = object_op_words, .offer = OFFER_LIST,
     .group = "http and s3",
     .help = "mix of get, put, head, delete, also post and patch (http) or list (s3)"},
    {PATH("body-file", "FILE", body_file), .owners = OF_HTTP | OF_S3,
     .help = "file with the body of every write"},
    {DURATION("timeout", timeout_ns, 1), .owners = OF_HTTP | OF_S3,
     .help = "http, s3: time limit of one request (default: 60s, or 5 x the limit of a search)"},
    {CUSTOM("header", "HEADER", set_header, headers), .owners = OF_HTTP | OF_S3,
     .quirks = OPTION_SECRET, .help = "one more header, NAME: VALUE; may be repeated"},
    {PATH("cert", "FILE", certificate), .owners = OF_HTTP | OF_S3,
     .help = "certificate of the client, PEM"},
    {PATH("key", "FILE", key), .owners = OF_HTTP | OF_S3,
     .help = "its private key, PEM (default: in the file of -cert)"},
    {PATH("cacert", "FILE", authorities), .owners = OF_HTTP | OF_S3,
     .help = "CA certificates for verifying servers (default: SSL_CERT_FILE)"},
    {BOOLEAN("http1", http1), .owners = OF_HTTP | OF_S3,
     .help = "use HTTP/1.1 even where a server has HTTP/2"},
    {BOOLEAN("insecure-https", insecure_https), .owners = OF_HTTP | OF_S3,
     .help = "do not verify certificates"},
    {CUSTOM("s3-endpoint", "URL[,URL]...", set_s3_endpoint, s3_endpoint), .owners = OF_S3,
     .group = "s3",
     .help = "URL of the store, or of its servers, used in turn; may be repeated (default: "
             "AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL)"},
    {VALUE("s3-bucket", "NAME", OPTION_TEXT, s3_bucket), .owners = OF_S3,
     .accepted = "the name of a bucket", .help = "bucket"},
    {.name = "s3-virtual",
     .owners = OF_S3,
     .value = VALUE_OPTIONAL,
     .value_name = "false",
     .field = FIELD(s3_virtual),
     .set = set_s3_virtual,
     .help = "the bucket is part of the host name, not of the path (default: only for Amazon)"},
    {VALUE("s3-region", "NAME", OPTION_TEXT, s3_region), .owners = OF_S3,
     .accepted = "the name of a region",
     .help = "region (default: AWS_REGION, AWS_DEFAULT_REGION, us-east-1)"},
    {CUSTOM("s3-api-key", "KEY", set_secret, s3_api_key), .owners = OF_S3, .quirks = OPTION_SECRET,
     .help = "access key (default: AWS_ACCESS_KEY_ID)"},
    {CUSTOM("s3-secret-key", "KEY", set_secret, s3_secret_key), .owners = OF_S3,
     .quirks = OPTION_SECRET, .help = "secret key (default: AWS_SECRET_ACCESS_KEY)"},
    {COUNT("s3-sign-ver", "N", s3_sign_version, 2, 4), .owners = OF_S3, .words = sign_version_words,
     .quirks = OPTION_UNLISTED, .help = "version of the signatures, 4 or 2 (default: 4)"},
    {VALUE("s3-part-size", "SIZE", OPTION_SIZE, s3_part_bytes), .owners = OF_S3, .min = 5 * MIB,
     .max = 5 * GIB, .help = "upload larger objects in parts of this size (default: off)"},
    {VALUE("output", "FORMAT", OPTION_WORD, output), .words = output_names, .group = "Output",
     .accepted = "human or json; -o FILE writes the report to a file",
     .help = "human or json, as goader prints it (default: bonload's own report)"},
    {OPTION_JSON(json)},
    {OPTION_OUTPUT_AS(NULL, report)},
    {OPTION_LABEL(label)},
    {BOOLEAN("show-progress", show_progress),
     .help = "show progress during the run (default: true)"},
    {OPTION_HTML(timeline_file)},
    {OUTPUT_FILE("timeline-file", "PAGE", timeline_file), .accepted = "the path of a page",
     .help = "the same, as goader calls it"},
    {PATH("live-file", "FILE", live_file),
     .help = "write the figures of each second, as CSV or, to a name ending in .prom, as metrics"},
    {PATH("hgrm", "PREFIX", hgrm),
     .help = "write the distributions of latency to PREFIX-reads.hgrm and PREFIX-writes.hgrm"},
    {CUSTOM("seed", "N", set_seed, seed), .help = OPTION_SEED_HELP},
    {OPTION_QUIET(quiet)},
    {BOOLEAN("verbose", verbose), .letter = 'v',
     .help = OPTION_VERBOSE_HELP ": each distinct error when it first happens"},
    {BOOLEAN("memory-debug", memory_debug), .quirks = OPTION_UNLISTED,
     .help = "report the memory used every 10 s"},
    {OPTION_CLEANUP(cleans_up)},
    OPTIONS_ABOUT,
};

/* Defaults other than 0, of settings that do not depend on others. */
static const struct settings defaults = {
    .output = OUTPUT_OURS,
    .show_progress = true,
    .adjust_on_errors = true,
    .max_channels.value = 500,
    .window_ns.value = BILLION,
    .window_most_ns.value = 60 * BILLION,
    .max_errors.value = 50 * BILLION,
    .body_size.value = 160 * KIB,
    .fair_buckets.value = 1000,
    .xattr_keys.value = 10,
    .xattr_length.value = 5120,
    .offset_limit.value = 16 * MIB,
    .verify = VERIFY_MODES,
};

static const struct option_table option_table = {
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .operand_name = "url",
    .owners = owners,
    .style = STYLE_GO,
    .operand_offer = OFFER_FILES,
    .usage = "Usage: bonload [OPTION]... [TEMPLATE]\n"
             "Generate load and measure the latency of requests, or find the largest load\n"
             "whose latency stays below a limit. Options take one dash or two, and a value\n"
             "after = or as the next word.\n",
    .brief = "Usage: bonload [OPTION]... [TEMPLATE]\n"
             "Generate load and measure the latency of requests, or find the largest load\n"
             "whose latency stays below a limit.\n\n"
             "Is the storage good enough for a program? (-good-for=list lists those known)\n"
             "    bonload -good-for=etcd /data\n"
             "How long does a request take at 500 reads and 100 writes a second?\n"
             "    bonload -rps=500 -wps=100 -mkdirs -url=/data/XX/NNN\n"
             "What load keeps 99 % of the writes below 5 ms, with four reads for each?\n"
             "    bonload -rpw=4 -max-latency=p99:5ms -mkdirs -url=/data/XX/NNN\n"
             "A web server, for a minute:\n"
             "    bonload -requests-engine=http -rps=1000 -duration=60s -url=http://HOST/page\n"
             "S3, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY:\n"
             "    bonload -requests-engine=s3 -s3-endpoint=URL -s3-bucket=NAME -wt=8 -url=XXX\n\n"
             "bonload -help lists all options; the manual is bonload(1).\n",
    .closing = "\nThe manual page bonload(1) says more.\n",
};

/* What becomes of a refusal, rc with a line in e: as goader, which accepts the option, a note. */
static int pass_goader(const struct settings *s, int rc, struct err *e)
{
    if (!s->as_goader)
        return rc;
    message("%s; it is left out", e->text);
    err_init(e);
    return 0;
}

int options_parse(int argc, char *argv[], struct settings *settings, FILE *out, struct err *e)
{
    struct settings *s = settings;
    bool given[MAX_OPTIONS];
    *s = defaults;
    s->as_goader = cli_is_called(argc, argv, "goader");
    if (s->as_goader)
        s->output = OUTPUT_HUMAN;
    int rc = cli_parse(&option_table, argc, argv, s, given, out, e);
    for (size_t i = 0; rc == 0 && i < option_table.count; i++) {
        const char *target = target_by_name(s->engine ? s->engine : DEFAULT_TARGET)->name;
        rc = given[i] ? cli_check_owner(&option_table, &entries[i], target, e) : 0;
        rc = rc == 0 ? 0 : pass_goader(s, rc, e);
        if (given[i] && entries[i].field == offsetof(struct settings, timeline_file))
            s->page_option = strcmp(entries[i].name, "html") == 0 ? "-html" : "-timeline-file";
    }
    s->show_progress &= !s->quiet;
    char *at = rc == 0 && s->as_goader && s->url ? credentials_end((char *)s->url) : NULL;
    if (at) { /* moves USER:PASSWORD@ from the URL in argv to the credentials */
        char *from = strstr((char *)s->url, "//") + 2;
        size_t length = (size_t)(at - from);
        size_t rest = strlen(at + 1) + 1;
        if (length >= sizeof s->credentials)
            rc = err_say(e, "-url: the user's name and password have more than %zu characters",
                         sizeof s->credentials - 1);
        snprintf(s->credentials, sizeof s->credentials, "%.*s", (int)length, from);
        memmove(from, at + 1, rest);
        memset(from + rest, 0, length);
    }
    size_t length;
    if (rc == 0 && s->url && name_is_url(s->url) && url_signature(s->url, &length)) {
        char *shown = (char *)s->url; /* in argv, for lists of processes */
        s->url = strdup(shown);
        url_hide_signatures(shown);
        rc = s->url ? 0 : err_system(e, ENOMEM, "allocate memory for -url");
    }
    return rc;
}

/* Finds how load is made. Refuses what cannot be combined. */
static int find_mode(struct plan *p, const struct settings *s, struct err *e)
{
    bool rates = s->rate[LOAD_READ].value > 0 || s->rate[LOAD_WRITE].value > 0;
    bool threads = s->threads[LOAD_READ].value > 0 || s->threads[LOAD_WRITE].value > 0;
    bool sweeps = s->sweep_count > 0;
    bool searches = s->limit.nanoseconds > 0;
    if (s->output == OUTPUT_JSON && !s->json && (s->ramp || s->load_file || sweeps))
        return err_say(e, "-output=json is goader's, which has no -sweep, -ramp or -load-file; "
                          "--json prints them");
    if (s->ramp && s->load_file)
        return err_say(e, "-ramp and -load-file cannot be combined");
    int rc = s->load_file ? rate_curve_read(&p->curve, s->load_file, e) : 0;
    if (rc != 0)
        return rc;
    if (s->ramp && rate_curve_parse_ramp(&p->curve, s->ramp) != 0)
        return err_say(
            e, "-ramp: '%.100s' is not accepted; expected RATE..RATE/TIME: 100..2000/60s", s->ramp);
    bool has_curve = p->curve.count > 0;
    if (has_curve && (threads || sweeps || searches))
        return err_say(e, "-ramp and -load-file set rates, and cannot be combined with threads, "
                          "-sweep or -max-latency");
    if (sweeps && searches)
        return err_say(e, "-sweep and -max-latency cannot be combined");
    const struct optional *unused = s->search == SEARCH_RATE ? s->threads : s->rate;
    if (searches && !s->as_goader && (unused[LOAD_READ].given || unused[LOAD_WRITE].given))
        return err_say(e, s->search == SEARCH_RATE ? "-search=rate uses -rps and -wps, not -rt, -wt"
                                                   : "-rps, -wps need -search=rate in a search");
    if (sweeps && threads)
        return err_say(e, "-sweep uses rates, and cannot be combined with threads (-rt, -wt)");
    if (rates && threads && !searches)
        return err_say(e, "threads (-rt, -wt) and rates (-rps, -wps) cannot be combined");
    if (!rates && !threads && !sweeps && !searches && !has_curve) {
        struct path_directory d;
        const char *dir = s->url; /* for a directory, says which questions loads answer */
        if (!dir || path_open(&d, NULL, dir, PATH_FAILS, NULL) != 0)
            return err_say(
                e, "no load is given: use -rps or -wps, -rt or -wt, -max-latency or -sweep");
        path_close(&d);
        message("is %s good enough for etcd, a database, a mail store? bonload -good-for=etcd %s",
                dir, dir);
        message("how long does a write take at 100 a second? bonload -wps=100 -duration=10s -fsync "
                "-remove %s/XXXXXX",
                dir);
        return err_say(e,
                       "how many threads can write below 20 ms? bonload -max-latency=p99:20ms "
                       "-rt=0 -duration=30s -fsync -remove %s/XXXXXX",
                       dir);
    }
    p->mode = sweeps ? MODE_SWEEP : searches ? MODE_SEARCH : threads ? MODE_THREADS : MODE_RATE;
    if (s->stop_on_bad_rate && p->mode != MODE_RATE)
        return pass_goader(s, err_say(e, "-stop-on-bad-rate needs a rate (-rps, -wps)"), e);
    return 0;
}

/* Plans both kinds, with at least as many channels as threads. A search makes both, unless the user
 * gives 0 for one. In a sweep or a curve, a kind without a rate has half, or all if the other one's
 * is given as 0. With -rpw, reads have channels as writes do, but no rate or threads. */
static int plan_kinds(struct plan *p, const struct settings *s, struct err *e)
{
    struct kind_plan *reads = &p->kinds[LOAD_READ];
    uint64_t channels = s->max_channels.value;
    uint64_t threads = MAX(s->threads[LOAD_READ].value, s->threads[LOAD_WRITE].value);
    if (threads > channels && s->max_channels.given && !s->as_goader)
        return err_say(e, "-rt, -wt: %" PRIu64 " threads are more than -max-channels=%" PRIu64,
                       threads, channels);
    p->max_channels = (unsigned)MAX(threads, channels);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_plan *k = &p->kinds[kind];
        enum load_kind other = kind == LOAD_READ ? LOAD_WRITE : LOAD_READ;
        k->channels = p->max_channels;
        if (p->mode == MODE_SEARCH && s->search == SEARCH_RATE)
            k->rate = optional_or(s->rate[kind], 100 * BILLION);
        else if (p->mode == MODE_SEARCH)
            k->threads = (unsigned)optional_or(s->threads[kind], 1);
        else if (p->mode == MODE_THREADS)
            k->channels = k->threads = (unsigned)s->threads[kind].value;
        else if (p->mode == MODE_SWEEP || p->curve.count > 0)
            k->rate = optional_or(s->rate[kind], s->rate[other].value == 0);
        else if (s->rate[kind].value > 0)
            k->rate = s->rate[kind].value;
        else
            k->channels = 0;
        if (k->rate > 0)
            k->pace = PACE_RATE;
        else if (k->threads > 0)
            k->pace = PACE_CLOSED;
    }
    if (!plan_has(p, LOAD_READ) && !plan_has(p, LOAD_WRITE))
        return err_say(e, "no reads or writes are requested");
    p->reads_per_write = s->reads_per_write.value;
    if (p->reads_per_write == 0)
        return 0;
    if (!plan_has(p, LOAD_WRITE))
        return err_say(e, "-rpw needs writes: there are none to make reads for");
    if (s->rate[LOAD_READ].value > 0) {
        p->reads_per_write = 0;
        return pass_goader(
            s, err_say(e, "-rpw and -rps cannot be combined: both say how many reads there are"),
            e);
    }
    if (reads->pace != PACE_CLOSED || p->mode != MODE_THREADS)
        reads->channels = p->max_channels;
    *reads = (struct kind_plan){.pace = PACE_FOLLOWS, .channels = reads->channels};
    return 0;
}

int plan_make(struct plan *p, const struct settings *s, struct coordinator *c, struct err *e)
{
    static const char *const thread_options[] = {[LOAD_WRITE] = "-wt", [LOAD_READ] = "-rt"};
    const struct ranks *r = &c->ranks;
    bool has_range = s->min_body_size.given || s->max_body_size.given;
    *p = (struct plan){
        .settings = s,
        .target = target_by_name(s->engine ? s->engine : DEFAULT_TARGET),
        .url = s->url,
        .url_source = s->url ? NULL : s->url_source,
        .least_body = has_range ? s->min_body_size.value : s->body_size.value,
        .most_body = optional_or(s->max_body_size, s->body_size.value),
        .fair_buckets = s->fair_random ? s->fair_buckets.value : 0,
        .window_most_ns = MAX(s->window_most_ns.value, s->window_ns.value),
        .max_errors = (double)s->max_errors.value / (double)BILLION,
        .seed = optional_or(s->seed, rng_mix((uint64_t)clock_wall_ns()) & SEED_MAX),
    };
    p->explains_tail = s->explain_tail && (p->target->traits & TARGET_FILES);
    if (!p->target->submit)
        return err_say(e, "this build lacks libcurl or OpenSSL, which the targets http and s3 "
                          "need");
    int rc = find_mode(p, s, e);
    if (rc == 0)
        rc = plan_kinds(p, s, e);
    if (rc != 0)
        return rc;
    if (p->least_body > p->most_body)
        return err_say(e,
                       "-min-body-size: %" PRIu64
                       " bytes are more than the largest body has (%" PRIu64 ", -max-body-size)",
                       p->least_body, p->most_body);
    if ((p->target->traits & TARGET_NAMES) && !p->url && !p->url_source)
        return err_say(e, "no names are given: use -url=TEMPLATE or -url-source=FILE");
    bool has_steps = plan_has_steps(p);
    if (p->explains_tail && has_steps)
        return err_say(e, "-explain-tail explains a single load, and cannot be combined with "
                          "-max-latency or -sweep");
    /* what the mode and the loads decide, unless it is given */
    bool has_end = has_steps || s->duration_ns.given || p->curve.count > 0;
    bool checks = plan_has(p, LOAD_WRITE) && !s->as_goader;
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    uint64_t peak = (uint64_t)(p->curve.peak * (double)BILLION);
    for (enum load_kind kind = 0; p->curve.count > 0 && kind < LOAD_KINDS; kind++)
        p->kinds[kind].rate = mul_div(peak, p->kinds[kind].rate, all);
    uint64_t default_ns = p->mode == MODE_SWEEP ? 10 * BILLION : p->curve.end_ns;
    uint64_t patience_ns = p->mode == MODE_SEARCH ? 5 * s->limit.nanoseconds : 60 * BILLION;
    p->max_requests = optional_or(s->max_requests, has_end ? UINT64_MAX : UINT64_C(10000));
    p->duration_ns = optional_or(s->duration_ns, default_ns);
    p->timeout_ns = optional_or(s->timeout_ns, patience_ns);
    p->verify = s->verify != VERIFY_MODES ? s->verify : checks ? VERIFY_STAMP : VERIFY_OFF;
    if (p->target->check)
        rc = p->target->check(p, s, e);
    if (rc == 0)
        rc = coordinator_share(c, "Starting", &p->seed, sizeof p->seed, e);
    if (rc != 0)
        return rc;
    p->stripe = (struct stripe){.others = r->count - 1, .index = r->number};
    p->rank_seed = r->number > 0 ? rng_mix(p->seed + r->number) : p->seed;
    if (r->count > 1 && p->mode == MODE_SEARCH)
        return err_say(e, "-max-latency: a search cannot be combined with several ranks");
    if (r->count > 1 && p->explains_tail)
        return err_say(e, "-explain-tail cannot be combined with several ranks");
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (plan_has(p, kind) && p->kinds[kind].channels < r->count)
            return err_say(e, "%s: %u cannot be divided among %u ranks",
                           p->mode == MODE_THREADS ? thread_options[kind] : "-max-channels",
                           p->kinds[kind].channels, r->count);
    return 0;
}
