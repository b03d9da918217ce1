#include "cli/options.h"

#include <string.h>

#include "cli/grammar.h"
#include "cli/limits.h"
#include "cli/preset.h"
#include "cli/set_bulk.h"
#include "cli/values.h"
#include "util/units.h"

static int set_directory(struct settings *s, const char *value, struct err *e)
{
    return value_text(&s->directory, value, "the path of a directory", e);
}

static int set_size(struct settings *s, const char *value, struct err *e)
{
    return grammar_size(s, value, e);
}

static int set_files(struct settings *s, const char *value, struct err *e)
{
    return grammar_files(s, value, e);
}

static int set_workers(struct settings *s, const char *value, struct err *e)
{
    s->workers_auto = strcmp(value, "auto") == 0;
    if (s->workers_auto)
        return 0;
    return value_count(&s->workers, value, 1, LIMIT_WORKERS, "1 to 1024, or auto", e);
}

static int set_label(struct settings *s, const char *value, struct err *e)
{
    (void)e;
    s->label = value;
    return 0;
}

static int set_ram(struct settings *s, const char *value, struct err *e)
{
    return value_size(&s->ram_bytes, value, MIB, LIMIT_DATA_BYTES,
                      "MiB, or a size with a suffix k, m, g, t, up to 1024t; 0 for no check", e);
}

static int set_runs(struct settings *s, const char *value, struct err *e)
{
    return value_count(&s->runs, value, 1, LIMIT_RUNS, "1 to 1000000", e);
}

static int set_seconds(struct settings *s, const char *value, struct err *e)
{
    return value_seconds(&s->seconds_ns, value, 0, e);
}

static int set_user(struct settings *s, const char *value, struct err *e)
{
    return value_text(&s->user, value, "USER or USER:GROUP, names or numbers", e);
}

static int set_group(struct settings *s, const char *value, struct err *e)
{
    return value_text(&s->group, value, "a group, by name or number", e);
}

static int set_quiet(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->quiet = true;
    return 0;
}

static int set_fast(struct settings *s, const char *value, struct err *e)
{
    s->fast = value == NULL;
    if (s->fast)
        return 0;
    return value_size(&s->perchar_bytes, value, MIB, LIMIT_DATA_BYTES,
                      "MiB, or a size with a suffix k, m, g, t, up to 1024t", e);
}

static int set_sync(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->sync = true;
    return 0;
}

static int set_direct(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->direct = true;
    return 0;
}

static int set_unlocked(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->unlocked = true;
    return 0;
}

static int set_seed(struct settings *s, const char *value, struct err *e)
{
    s->random_file = NULL;
    return value_count(&s->seed, value, 0, UINT64_MAX, "a whole number from 0 to 2^64-1", e);
}

static int set_random_file(struct settings *s, const char *value, struct err *e)
{
    s->seed.given = false;
    return value_text(&s->random_file, value, "the path of a file", e);
}

static int set_processes(struct settings *s, const char *value, struct err *e)
{
    int64_t number;
    if (units_parse_signed(value, &number) != 0 || number < -1 || number == 0 ||
        number > LIMIT_PROCESSES)
        return err_say(e, "1 to 1000 processes, or -1 to remove the semaphores");
    s->action = ACTION_SEMAPHORES;
    s->semaphore_processes = (int)number;
    return 0;
}

static int set_synchronise(struct settings *s, const char *value, struct err *e)
{
    static const char *const words[] = {"s", "p"};
    int word = value ? value_word(value, words, 2) : 0;
    if (word < 0)
        return err_say(e, "s for semaphores or p for a prompt");
    s->coordination = word == 0 ? COORDINATE_SEMAPHORES : COORDINATE_PROMPT;
    return 0;
}

static bool take_test(struct settings *s, char *word)
{
    enum test_id test = test_by_name(word);
    if (test == TEST_COUNT)
        return false;
    s->tests[test] = true;
    return true;
}

static int set_tests(struct settings *s, const char *value, struct err *e)
{
    memset(s->tests, 0, sizeof s->tests);
    s->tests_given = true;
    return value_list(s, value, take_test,
                      "a comma-separated list of putc, put_block, rewrite, getc, get_block, seeks, "
                      "iops, seq_create, seq_stat, seq_del, ran_create, ran_stat, ran_del",
                      e);
}

static int set_preset(struct settings *s, const char *value, struct err *e)
{
    s->preset = preset_by_name(value);
    return s->preset ? 0 : err_say(e, "bonnie, bonnie++ or gobonniego");
}

static bool take_format(struct settings *s, char *word)
{
    static const char *const words[MAX_FORMATS] = {"text", "csv", "json", "html"};
    int format = value_word(word, words, MAX_FORMATS);
    if (format < 0)
        return false;
    for (size_t i = 0; i < s->format_count; i++)
        if (s->formats[i] == words[format])
            return false;
    s->formats[s->format_count++] = words[format];
    return true;
}

static int set_format(struct settings *s, const char *value, struct err *e)
{
    s->format_count = 0;
    return value_list(s, value, take_format,
                      "a comma-separated list of text, csv, json, html, each once", e);
}

static int set_json(struct settings *s, const char *value, struct err *e)
{
    (void)value;
    return set_format(s, "json", e);
}

static int set_html(struct settings *s, const char *value, struct err *e)
{
    (void)value;
    return set_format(s, "html", e);
}

static int set_output(struct settings *s, const char *value, struct err *e)
{
    return value_text(&s->output, value, "the path of a file", e);
}

static int set_cache(struct settings *s, const char *value, struct err *e)
{
    static const char *const words[] = {[CACHE_EVICT] = "evict", [CACHE_KEEP] = "keep"};
    int word = value_word(value, words, 2);
    if (word < 0)
        return err_say(e, "evict or keep");
    s->cache = (enum cache_mode)word;
    return 0;
}

static int set_min_time(struct settings *s, const char *value, struct err *e)
{
    return value_seconds(&s->min_time_ns, value, 0, e);
}

static int set_drop_interval(struct settings *s, const char *value, struct err *e)
{
    return value_seconds(&s->drop_interval_ns, value, 0, e);
}

static int set_cleanup(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->action = ACTION_CLEANUP;
    return 0;
}

static int set_verbose(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->verbose++;
    return 0;
}

static int set_version(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->action = ACTION_VERSION;
    return 0;
}

static int set_help(struct settings *s, const char *value, struct err *e)
{
    (void)value, (void)e;
    s->action = ACTION_HELP;
    return 0;
}

static int ignore(struct settings *s, const char *value, struct err *e)
{
    (void)s, (void)value, (void)e;
    return 0;
}

const struct option_entry option_table[] = {
    {.letter = 'd',
     .name = "directory",
     .value = VALUE_REQUIRED,
     .value_name = "DIR",
     .set = set_directory,
     .help = "scratch directory (default: .)"},
    {.letter = 's',
     .name = "size",
     .value = VALUE_REQUIRED,
     .value_name = "SIZE[:CHUNK[:SEEKS[:SEEKERS]]]",
     .set = set_size,
     .help = "data in MiB, shared out among the workers; 0 skips these tests (default: 2 x RAM)"},
    {.letter = 'n',
     .name = "files",
     .value = VALUE_REQUIRED,
     .value_name = "NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]",
     .set = set_files,
     .help = "files in units of 1024; MAX -1 hard links, -2 symbolic links; 0 skips (default: 16)"},
    {.letter = 'c',
     .name = "concurrency",
     .alias = "threads",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .set = set_workers,
     .help = "workers in every test; auto: one per CPU (default: 1)"},
    {.letter = 'm',
     .name = "label",
     .value = VALUE_REQUIRED,
     .value_name = "LABEL",
     .set = set_label,
     .help = "label of the results (default: host name)"},
    {.letter = 'r',
     .name = "ram",
     .value = VALUE_REQUIRED,
     .value_name = "MIB",
     .set = set_ram,
     .help = "RAM to check the size against; 0: no check (default: detected)"},
    {.letter = 'x',
     .name = "runs",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .set = set_runs,
     .help = "run N times and print CSV alone, with a header"},
    {.name = "seconds",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .set = set_seconds,
     .help = "go on with further whole runs until so long has passed; with -x both must be met"},
    {.letter = 'u',
     .name = "user",
     .value = VALUE_REQUIRED,
     .value_name = "USER[:GROUP]",
     .set = set_user,
     .help = "give up root and become this user"},
    {.letter = 'g',
     .name = "group",
     .value = VALUE_REQUIRED,
     .value_name = "GROUP",
     .set = set_group,
     .help = "become this group"},
    {.letter = 'q',
     .name = "quiet",
     .set = set_quiet,
     .help = "CSV alone on stdout, the table on stderr, no progress"},
    {.letter = 'f',
     .name = "fast",
     .value = VALUE_OPTIONAL,
     .value_name = "MIB",
     .set = set_fast,
     .help = "skip the per-character tests; with MIB: this much for them (default: 20)"},
    {.letter = 'b',
     .name = "sync",
     .set = set_sync,
     .help = "no write buffering: every write and every directory change is made durable"},
    {.letter = 'D',
     .name = "direct",
     .set = set_direct,
     .help = "O_DIRECT in every block test and in the seeks"},
    {.letter = 'z',
     .name = "seed",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .set = set_seed,
     .help = "seed of everything random (default: the time)"},
    {.letter = 'Z',
     .name = "random-file",
     .value = VALUE_REQUIRED,
     .value_name = "FILE",
     .set = set_random_file,
     .help = "make the seed from the contents of FILE"},
    {.letter = 'p',
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .set = set_processes,
     .help = "make semaphores for N processes started with -y, and exit; -1 removes them"},
    {.letter = 'y',
     .value = VALUE_OPTIONAL,
     .value_name = "s|p",
     .set = set_synchronise,
     .help = "begin every test together: s (default) by semaphores, p at a prompt"},
    {.name = "tests",
     .value = VALUE_REQUIRED,
     .value_name = "LIST",
     .set = set_tests,
     .help = "only these tests, by name, separated by commas"},
    {.name = "preset",
     .value = VALUE_REQUIRED,
     .value_name = "NAME",
     .set = set_preset,
     .help = "tests, defaults and reports of bonnie, bonnie++ or gobonniego (default: bonnie++)"},
    {.name = "engine",
     .value = VALUE_REQUIRED,
     .value_name = "NAME",
     .set = set_engine,
     .help = "how block tests move data: sync, libaio, io_uring, null; help tells more (default: "
             "sync)"},
    {.name = "iodepth",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .set = set_iodepth,
     .help = "operations in flight per worker or seeker (default: 1 with sync, else 32)"},
    {.name = "uring",
     .value = VALUE_REQUIRED,
     .value_name = "LIST",
     .set = set_uring,
     .help = "for io_uring: sqpoll (a kernel thread submits), iopoll (completions are polled for)"},
    {.name = "null",
     .value = VALUE_REQUIRED,
     .value_name = "LIST",
     .set = set_null,
     .help = "for null: delay=MICROSECONDS; fail=N, short=N, corrupt=N: what befalls the Nth "
             "transfer"},
    {.name = "iops-duration",
     .value = VALUE_REQUIRED,
     .value_name = "SECONDS",
     .set = set_iops_duration,
     .help = "how long iops goes on (default: 15)"},
    {.name = "iops-block",
     .value = VALUE_REQUIRED,
     .value_name = "BYTES",
     .set = set_iops_block,
     .help = "size of each operation of iops (default: 4k)"},
    {.name = "iops-writes",
     .value = VALUE_REQUIRED,
     .value_name = "PERCENT",
     .set = set_iops_writes,
     .help = "how many of them are writes (default: 10)"},
    {.name = "iops-pattern",
     .value = VALUE_REQUIRED,
     .value_name = "PATTERN",
     .set = set_iops_pattern,
     .help = "where: uniform, or zipf:THETA (default: uniform)"},
    {.name = "data",
     .value = VALUE_REQUIRED,
     .value_name = "KIND",
     .set = set_data,
     .help = "contents of the files: random (incompressible), zero, or compress=PERCENT, which "
             "compresses to that (default: random)"},
    {.name = "verify",
     .value = VALUE_REQUIRED,
     .value_name = "MODE",
     .set = set_verify,
     .help = "of what is read, check: stamp (of every block), full (every byte), off (default: "
             "stamp)"},
    {.name = "cache",
     .value = VALUE_REQUIRED,
     .value_name = "MODE",
     .set = set_cache,
     .help = "before tests that read: evict or keep what is cached (default: evict)"},
    {.name = "drop-interval",
     .value = VALUE_REQUIRED,
     .value_name = "SECONDS",
     .set = set_drop_interval,
     .help = "as root, drop the system's caches so often while tests read; 0: never (default: 0)"},
    {.name = "min-time",
     .value = VALUE_REQUIRED,
     .value_name = "SECONDS",
     .set = set_min_time,
     .help = "seeks and tests of many files go on in further rounds for so long (default: 0.5)"},
    {.name = "unlocked",
     .set = set_unlocked,
     .help = "putc_unlocked and getc_unlocked in the per-character tests"},
    {.name = "format",
     .value = VALUE_REQUIRED,
     .value_name = "LIST",
     .set = set_format,
     .help = "reports to print: text, csv, json, html (default: text,csv)"},
    {.name = "json", .set = set_json, .help = "same as --format=json"},
    {.name = "html", .set = set_html, .help = "same as --format=html; also written -html"},
    {.name = "output",
     .value = VALUE_REQUIRED,
     .value_name = "FILE",
     .set = set_output,
     .help = "write the report to FILE, complete or not at all"},
    {.name = "cleanup",
     .set = set_cleanup,
     .help = "remove what killed runs left in the scratch directory, and exit"},
    {.letter = 'v', .name = "verbose", .set = set_verbose, .help = "say more on stderr"},
    {.letter = 'V', .name = "version", .set = set_version, .help = "print the version and exit"},
    {.letter = 'h', .name = "help", .set = set_help, .help = "print this and exit"},
    {.letter = 'l', .value = VALUE_REQUIRED, .value_name = "FILE", .set = ignore},
};

const size_t option_count = sizeof option_table / sizeof *option_table;
