// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/plan.h"

#include "cli/parser.h"
#include "cli/rows.h"
#include "util/rng.h"

#define FIELD(name) offsetof(struct settings, name)

#define MAX_FIELDS 5
#define FIELD_SIZE 32

/* Takes "a:b:c", each by a rule of its own. An empty or missing field keeps its default. */
static int take_fields(struct settings *s, const char *value, const char *grammar,
                       const struct option_entry rules[], size_t count, struct err *e)
{
    char fields[MAX_FIELDS][FIELD_SIZE] = {""};
    const char *rest = value;
    struct err ignored = {0};
    for (size_t i = 0; rest; i++) {
        size_t length = strcspn(rest, ":");
        if (i >= count || length >= FIELD_SIZE)
            return err_say(e, "%s, %s %s", grammar, rules[0].name, rules[0].accepted);
        memcpy(fields[i], rest, length);
        rest = rest[length] == ':' ? rest + length + 1 : NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (fields[i][0] != '\0' && option_apply(&rules[i], s, fields[i], &ignored) != 0)
            return err_say(e, "%s %s instead of '%s', in %s", rules[i].name, rules[i].accepted,
                           fields[i], grammar);
    return 0;
}

#define CHUNK_FIELD(member)                                                                        \
    VALUE("CHUNK", NULL, OPTION_SIZE, member), .min = MIN_CHUNK_BYTES, .max = MAX_CHUNK_BYTES,     \
                                               .unit = 1, .accepted = "from 256 to 1g bytes"

/* Takes SIZE: bytes with a suffix, or a number of the preset's units. Both may have a fraction. */
static int set_data_size(void *settings, const char *text, struct err *e)
{
    struct settings *s = settings;
    struct optional *units = &s->data_units;
    units->given = units_parse_decimal(text, &units->value) == 0;
    s->data_bytes.given = false;
    if (units->given)
        return units->value / BILLION <= MAX_DATA_BYTES / MIB ? 0 : -EINVAL;
    return value_size(&s->data_bytes, text, 1, 0, MAX_DATA_BYTES, NULL, e);
}

static int set_size(void *settings, const char *text, struct err *e)
{
    static const struct option_entry rules[] = {
        {SETTER("SIZE", NULL, set_data_size),
         .accepted = "in MiB, or with a suffix k, m, g, t, up to 1024t"},
        {CHUNK_FIELD(chunk_bytes)},
        {COUNT("SEEKS", NULL, seeks, 1, MAX_SEEKS), .accepted = "from 1 to 10^12"},
        {COUNT("SEEKERS", NULL, seekers, 1, MAX_SEEKERS), .accepted = "from 1 to 65536"},
    };
    /* Bonnie++ ignores an empty first field, as in "-s:3000:64k", and old scripts rely on that. */
    return take_fields(settings, text + (*text == ':'), "SIZE[:CHUNK[:SEEKS[:SEEKERS]]]", rules,
                       COUNT_OF(rules), e);
}

/* Takes MAX: a size, or the kind of links that are made. */
static int set_max(void *settings, const char *text, struct err *e)
{
    struct settings *s = settings;
    s->plan.files.kind = strcmp(text, "-1") == 0   ? FILES_HARD_LINKS
                         : strcmp(text, "-2") == 0 ? FILES_SYMBOLIC_LINKS
                                                   : FILES_DATA;
    return s->plan.files.kind != FILES_DATA
               ? 0
               : value_size(&s->file_max_bytes, text, 1, 0, MAX_FILE_BYTES, NULL, e);
}

static int set_files(void *settings, const char *text, struct err *e)
{
    static const struct option_entry rules[] = {
        {COUNT("NUM", NULL, files_k, 0, MAX_FILES_K),
         .accepted = "in units of 1024 files, up to 10^9"},
        {SETTER("MAX", NULL, set_max),
         .accepted = "up to 1t bytes, -1 for hard or -2 for symbolic links,"},
        {VALUE("MIN", NULL, OPTION_SIZE, file_min_bytes), .max = MAX_FILE_BYTES, .unit = 1,
         .accepted = "up to 1t bytes"},
        {COUNT("DIRS", NULL, directories, 0, MAX_DIRECTORIES), .accepted = "up to 99999"},
        {CHUNK_FIELD(file_chunk_bytes)},
    };
    struct settings *s = settings;
    s->plan.files.kind = FILES_DATA;
    int rc = take_fields(s, text, "NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]", rules, COUNT_OF(rules), e);
    if (rc == 0 && s->file_max_bytes.given && s->file_min_bytes.given &&
        s->file_min_bytes.value > s->file_max_bytes.value)
        return err_say(e, "a MIN no larger than MAX");
    return rc;
}

static const char *const workers_words[] = {"auto", NULL};

static int set_workers(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->workers_auto = strcmp(value, "auto") == 0;
    return s->workers_auto ? 0 : value_count(&s->workers, value, 1, 1024, "1 to 1024, or auto", e);
}

static int set_fast(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->fast = value == NULL;
    return s->fast ? 0
                   : value_size(&s->perchar_bytes, value, MIB, 0, MAX_DATA_BYTES,
                                "a size up to 1024TiB; a number alone is in MiB", e);
}

static int set_seed(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->random_file = NULL;
    return value_count(&s->seed, value, 0, SEED_MAX, "a whole number from 0 to 2^53-1", e);
}

static int set_random_file(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->seed.given = false;
    return value_text(&s->random_file, value, "the path of a file", e);
}

static int set_processes(void *processes, const char *value, struct err *e)
{
    int64_t number;
    if (units_parse_signed(value, &number) != 0 || number < -1 || number == 0 || number > 1000)
        return err_say(e, "1 to 1000 processes, or -1 to remove the semaphores");
    *(int *)processes = (int)number;
    return 0;
}

/* What their values can be, or begin with (option_entry.words). */
static const char *const synchronise_words[] = {"s", "p", NULL};

static int set_synchronise(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    int word = value ? value_word(value, synchronise_words) : 0;
    (void)e;
    if (word < 0)
        return -EINVAL;
    s->coordination = word == 0 ? &coordinator_semaphores : &coordinator_prompt;
    return 0;
}

static bool take_test(void *settings, char *word)
{
    struct settings *s = settings;
    int test = value_word(word, test_names);
    if (test >= 0)
        s->tests[test] = true;
    return test >= 0;
}

static int set_tests(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    memset(s->tests, 0, sizeof s->tests);
    s->tests_given = true;
    return value_list(settings, value, take_test, NULL, e);
}

static const char *const format_words[] = {"text", "csv", "json", "html", NULL};
_Static_assert(COUNT_OF(format_words) - 1 <= MAX_FORMATS, "room for each");

static bool take_format(void *settings, char *word)
{
    struct settings *s = settings;
    int format = value_word(word, format_words);
    if (format < 0)
        return false;
    for (size_t i = 0; i < s->format_count; i++)
        if (s->formats[i] == format_words[format])
            return false;
    s->formats[s->format_count++] = format_words[format];
    const char **last = &s->formats[s->format_count - 1]; /* JSON, which is whole at the end */
    if (s->format_count > 1 && strcmp(last[-1], "json") == 0) {
        last[-1] = *last;
        *last = "json";
    }
    return true;
}

/* Bonnie's -html has no value. */
static int set_format(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->format_count = 0;
    return value_list(settings, value ? value : "html", take_format, NULL, e);
}

/* GoBonnieGo's -json may have a value; without one, it is true. */
static int set_json(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    bool is_wanted = false;
    int rc = value_boolean(&is_wanted, value ? value : "true", e);
    s->format_count = 0;
    return rc == 0 && is_wanted ? set_format(s, "json", e) : rc;
}

static const char *const uring_words[] = {"sqpoll", "iopoll", NULL};

static bool take_uring(void *settings, char *word)
{
    struct settings *s = settings;
    bool *const fields[] = {&s->plan.engine.options.uring.sqpoll,
                            &s->plan.engine.options.uring.iopoll};
    int field = value_word(word, uring_words);
    if (field >= 0)
        *fields[field] = true;
    return field >= 0;
}

static int set_uring(void *settings, const char *value, struct err *e)
{
    return value_list(settings, value, take_uring, NULL, e);
}

static const char *const null_words[] = {"delay=", "fail=", "short=", "corrupt=", NULL};

/* Parses a word of --null: "delay=500" is a delay in microseconds; other values are numbers of
 * transfers. Returns false when the word is wrong. */
static bool take_null(void *settings, char *word)
{
    struct settings *s = settings;
    uint64_t *const fields[] = {
        &s->plan.engine.options.null.delay_ns, &s->plan.engine.options.null.fail_at,
        &s->plan.engine.options.null.short_at, &s->plan.engine.options.null.corrupt_at};
    size_t field = 0;
    while (null_words[field] && strncmp(word, null_words[field], strlen(null_words[field])) != 0)
        field++;
    if (!null_words[field])
        return false;
    const char *number = word + strlen(null_words[field]);
    if (units_parse_count(number, fields[field]) != 0 || *fields[field] > MAX_SEEKS)
        return false;
    if (field == 0)
        *fields[field] *= 1000;
    return true;
}

static int set_null(void *settings, const char *value, struct err *e)
{
    return value_list(settings, value, take_null,
                      "a comma-separated list of delay=MICROSECONDS, fail=N, short=N, corrupt=N",
                      e);
}

static const char *const iops_pattern_words[] = {"uniform", "zipf:", NULL};

static int set_iops_pattern(void *exponent, const char *value, struct err *e)
{
    const char *zipf = iops_pattern_words[1];
    uint64_t theta = 0;
    bool is_zipf = strncmp(value, zipf, strlen(zipf)) == 0;
    if (is_zipf ? units_parse_decimal(value + strlen(zipf), &theta) != 0 || theta == 0 ||
                      theta > 10 * BILLION
                : strcmp(value, "uniform") != 0)
        return err_say(e, "uniform, or zipf:THETA with a number above 0, up to 10");
    *(double *)exponent = (double)theta / (double)BILLION;
    return 0;
}

static int set_steady(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    int metric = value ? value_word(value, round_metric_names) : 0;
    (void)e;
    if (metric < 0)
        return -EINVAL;
    s->plan.steady.wanted = true;
    s->plan.steady.has_metric = value != NULL;
    s->plan.steady.metric = (enum round_metric)metric;
    return 0;
}

static const char *const data_words[] = {
    [DATA_RANDOM] = "random", [DATA_ZERO] = "zero", [DATA_COMPRESS] = "compress=", NULL};

static int set_data(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    const char *compress = data_words[DATA_COMPRESS];
    struct optional percent = {0};
    static const char accepted[] = "random, zero or compress=PERCENT with 1 to 100";
    int word = value_word(value, data_words);
    if (word >= 0 && word != DATA_COMPRESS) {
        s->plan.contents = (enum data_kind)word;
        return 0;
    }
    if (strncmp(value, compress, strlen(compress)) != 0)
        return err_say(e, "%s", accepted);
    s->plan.contents = DATA_COMPRESS;
    int rc = value_count(&percent, value + strlen(compress), 1, 100, accepted, e);
    s->plan.compress_percent = (unsigned)percent.value;
    return rc;
}

const char *const cache_names[] = {[CACHE_EVICT] = "evict", [CACHE_KEEP] = "keep", NULL};

static int take_operand(void *settings, const char *word, struct err *e)
{
    struct settings *s = settings;
    if (s->operand || *word == '\0')
        return err_say(e, "unexpected argument '%.100s'; --help lists the options", word);
    s->operand = word;
    return 0;
}

static const struct option_entry entries[] = {
    {OPTION_DIRECTORY(plan.directory)},
    {SETTER("size", "SIZE[:CHUNK[:SEEKS[:SEEKERS]]]", set_size), .letter = 's', .foreign = "bs",
     .help = "data in MiB, divided among the workers; 0 skips these tests (default: 2 x RAM)"},
    {SETTER("files", "NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]", set_files), .letter = 'n',
     .help = "files in units of 1024; MAX -1 hard links, -2 symbolic links; 0 skips (default: 16)"},
    {SETTER("concurrency", "N", set_workers), .letter = 'c', .alias = "threads",
     .foreign = "numjobs", .words = workers_words,
     .help = "workers in every test; auto: one per CPU (default: 1)"},
    {FLAG("direct", plan.direct), .letter = 'D', .foreign = "o_direct",
     .help = "use O_DIRECT in every block test, in seeks and in iops"},
    {SETTER("tests", "LIST", set_tests), .words = test_names, .offer = OFFER_LIST,
     .help = "run only these tests, by name, separated by commas"},
    {VALUE("preset", "NAME", OPTION_TEXT, preset), .words = preset_names,
     .help = "tests, defaults and reports of %s: diskmark has the four rows of KDiskMark, quick is "
             "the short look (default: bonnie++)"},
    {OPTION_USER(user)},
    {OPTION_QUIET(plan.quiet)},
    {.name = "json", .set = set_json, .help = OPTION_JSON_HELP},
    {FLAG("write", writes), .group = "A device without a filesystem (bonnie /dev/X)",
     .help = "measure writing, too: DESTROYS what is on the device; needs --yes"},
    {FLAG("yes", plan.is_confirmed), .help = "confirm that what is on the device may be destroyed"},
    {VALUE("offset", "MIB", OPTION_SIZE, offset_bytes), .max = MAX_DATA_BYTES, .unit = MIB,
     .help = "where the data begins on the device; -s is its size (default: all of it)"},
    {OPTIONAL("fast", "MIB", set_fast), .letter = 'f', .quirks = OPTION_TAKES_NUMBERS,
     .group = "Block tests",
     .help = "skip the per-character tests; with MIB, use that much data for them (default: 20)"},
    {FLAG("sync", plan.sync), .letter = 'b',
     .help = "no write buffering: every write and every directory change is made durable"},
    {VALUE("engine", "NAME", OPTION_TEXT, engine), .words = engine_words, .list = engine_print_all,
     .foreign = "ioengine", .help = "how block tests move data: %s (default: sync)"},
    {COUNT("iodepth", "N", iodepth, 1, 4096),
     .help = "operations in flight per worker or seeker (default: 1 with sync, otherwise 32)"},
    {SETTER("uring", "LIST", set_uring), .words = uring_words, .offer = OFFER_LIST,
     .quirks = OPTION_UNLISTED,
     .help = "for io_uring: sqpoll (a kernel thread submits), iopoll (completions are polled for)"},
    {SETTER("null", "LIST", set_null), .words = null_words, .offer = OFFER_LIST,
     .quirks = OPTION_UNLISTED,
     .help = "for null: delay=MICROSECONDS; fail=N, short=N, corrupt=N: what happens to the Nth "
             "transfer"},
    {DURATION("time", time_ns, 0), .foreign = "runtime",
     .help = "measure for this long in total, shared by the tests; 0: once through the files "
             "(default: 0)"},
    {SETTER("data", "KIND", set_data), .words = data_words,
     .help = "contents of the files: random (incompressible), zero, or compress=PERCENT "
             "(compressible to that) (default: random)"},
    {VALUE("verify", "MODE", OPTION_WORD, plan.verify), .words = verify_names,
     .help = "verify what is read: stamp (of every block), full (every byte), off (default: "
             "stamp)"},
    {VALUE("cache", "MODE", OPTION_WORD, plan.cache), .words = cache_names,
     .help = "before tests that read: %s what is cached (default: evict)"},
    {DURATION("iops-duration", iops_duration_ns, 1), .group = "Random operations (the test iops)",
     .help = "duration of iops (default: 15)"},
    {VALUE("iops-block", "BYTES", OPTION_SIZE, iops_block_bytes), .min = 512, .max = 64 * MIB,
     .unit = 1, .multiple = 512, .accepted = "bytes, a multiple of 512 up to 64m",
     .help = "size of each operation of iops (default: 4k)"},
    {COUNT("iops-writes", "PERCENT", iops_writes, 0, 100),
     .help = "share of these operations that are writes (default: 10)"},
    {CUSTOM("iops-pattern", "PATTERN", set_iops_pattern, plan.iops.theta),
     .words = iops_pattern_words,
     .help = "where these operations go: uniform, or zipf:THETA (default: uniform)"},
    {OPTIONAL("steady-state", "METRIC", set_steady), .words = round_metric_names,
     .group = "Until it is steady",
     .help = "repeat block tests in rounds until %s is steady (default: the test's rate)"},
    {DURATION("round-time", round_ns, 1), .help = "duration of a round (default: 60)"},
    {COUNT("precondition", "N", precondition, 0, 1000),
     .help = "before the first round, write the data N times without measuring (default: 0; 2 on a "
             "device with --write)"},
    {COUNT("max-rounds", "N", most_rounds, STEADY_WINDOW, 10000),
     .help = "give up after N rounds (default: 25)"},
    {FLAG("require-steady", require_steady),
     .help = "exit with status 3 if a test did not become steady"},
    {COUNT("runs", "N", runs, 1, 1000000), .letter = 'x', .group = "Several runs and processes",
     .help = "run N times and print only CSV, with a header if N is above 1"},
    {DURATION("seconds", seconds_ns, 0),
     .help = "start complete runs until this time has passed; with -x, both must be satisfied"},
    {DURATION("min-time", min_time_ns, 0),
     .help = "repeat seeks and the file tests until each has run for this long (default: 0.5)"},
    {OPTIONAL(NULL, "s|p", set_synchronise), .letter = 'y', .quirks = OPTION_DETACHED,
     .words = synchronise_words,
     .help = "begin every test together with other processes: s (default) by semaphores, p at a "
             "prompt"},
    {CUSTOM(NULL, "N", set_processes, semaphore_processes), .letter = 'p',
     .help = "create semaphores for N processes started with -y, and exit; -1 removes them"},
    {COUNT("shift", "N", plan.shift, 0, 1000000),
     .help = "under MPI: read, stat and delete what rank+N wrote (default: one host further if "
             "the directory is shared, otherwise 0)"},
    {OPTION_LABEL(plan.label), .group = "Reports"},
    {SETTER("format", "LIST", set_format), .words = format_words, .offer = OFFER_LIST,
     .help = "reports to print, separated by commas: %s, which is Bonnie's row, as with -html "
             "(default: "
             "text,csv)"},
    {VALUE("csv", "GENERATION", OPTION_WORD, plan.csv), .words = csv_names,
     .help = "print the CSV line of this generation of Bonnie++: %s (2.00a has 1.98, the default)"},
    {OPTION_OUTPUT(plan.output)},
    {OPTION_HTML_AS(page, "the path of a page; Bonnie's row is -html or --format=html")},
    {.name = "html", .quirks = OPTION_SINGLE_DASH, .set = set_format}, /* Bonnie's */
    {FLAG("percentiles", plan.percentiles),
     .help = "print percentiles of the latency of every test below the table"},
    {FLAG("explain-tail", plan.explains_tail),
     .help = "as root, say what the slowest operations of put_block, rewrite, get_block and iops "
             "waited for"},
    {FLAG("si", plan.si), .help = "print throughput in MB/s beside MiB/s below the table"},
    {.letter = 'v',
     .name = "verbose",
     .kind = OPTION_OCCURRENCES,
     .field = FIELD(plan.verbose),
     .help = OPTION_VERBOSE_HELP},
    {VALUE("ram", "MIB", OPTION_SIZE, ram_bytes), .letter = 'r', .max = MAX_DATA_BYTES, .unit = MIB,
     .group = "Other", .help = "RAM to check the size against; 0: no check (default: detected)"},
    {SETTER("seed", "N", set_seed), .letter = 'z', .help = OPTION_SEED_HELP},
    {SETTER("random-file", "FILE", set_random_file), .letter = 'Z', .offer = OFFER_FILES,
     .help = "derive the seed from the contents of FILE"},
    {OPTION_GROUP(group)},
    {OPTION_TRUST(plan.trusts_directory)},
    {OPTION_CLEANUP(cleans_up)},
    OPTIONS_ABOUT,
    {.letter = 'l', .value = VALUE_REQUIRED, .value_name = "FILE", .kind = OPTION_IGNORED},
};

static const struct option_table option_table = {
    .entries = entries,
    .count = COUNT_OF(entries),
    .operand = take_operand,
    .operand_offer = OFFER_DIRECTORIES,
    .neighbour = "bonload: bonload -help",
    .neighbour_options = "good-for,rps,wps,rt,wt,rpw,max-latency,sweep,requests-engine,url",
    .usage = "Usage: bonnie DIR|DEVICE\n"
             "       bonnie [OPTION]...\n"
             "Measure the speed of storage through a filesystem, or of a device.\n\nMost used\n",
    .brief = "Usage: bonnie DIR|DEVICE\n"
             "       bonnie [OPTION]...\n"
             "Measure the speed of storage through a filesystem, or of a device.\n\n"
             "A first look, in 20 to 75 seconds:\n"
             "    bonnie /data\n"
             "A more reliable figure, with twice as much data as there is RAM:\n"
             "    bonnie -d /data\n"
             "The rows of KDiskMark:\n"
             "    bonnie -d /data --preset=diskmark\n"
             "Random reads and writes, many at a time, until the figure is steady:\n"
             "    bonnie -d /data -D --engine=libaio --tests=iops --steady-state\n"
             "Remove the leftovers of killed runs:\n"
             "    bonnie -d /data --cleanup\n\n"
             "Is it good enough for a database?    bonload -good-for=list\n"
             "Did a change help?                   bon_ab --help\n"
             "Does it keep what fsync promised?    boncut audit /data\n\n"
             "bonnie --help lists all options; the manual is bonnie(1).\n",
    .closing = "\nSizes take a suffix k, m, g or t (powers of 1024). The manual is bonnie(1).\n",
};

/* The program whose options have one dash, and the preset that imitates it. */
#define NAME "gobonniego"

static int set_verbose_flag(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    bool is_wanted = false;
    int rc = value_boolean(&is_wanted, value ? value : "true", e);
    s->plan.verbose = is_wanted;
    return rc;
}

/* Options in the form that GoBonnieGo has. With a letter, "-v=true" would be read as -v "=true". */
static const struct option_entry go_entries[] = {
    {OPTION_DIRECTORY(plan.directory), .alias = "dir"},
    {OPTIONAL("json", "true|false", set_json), .help = OPTION_JSON_HELP},
    {OPTIONAL("verbose", "true|false", set_verbose_flag), .alias = "v",
     .help = OPTION_VERBOSE_HELP},
};

static const char go_help[] =
    "Usage: " NAME " [FLAG]...\n"
    "Measure writing, reading and IOPS of a filesystem.\n\n"
    "  -dir DIR            where; made if it is missing, and stays (default: .)\n"
    "  -size GIB           size of the data (default: twice the RAM); or with a\n"
    "                      suffix: 500m\n"
    "  -threads N          readers, and writers (default: the number of CPUs)\n"
    "  -runs N             number of runs (default: 1)\n"
    "  -seconds N          begin further runs until this has passed (default: 0)\n"
    "  -iops-duration N    seconds of the IOPS test (default: 15)\n"
    "  -json               print one JSON object\n"
    "  -v                  print more details on stderr\n"
    "  -version            print the version and exit\n"
    "  -h, -help           print this help and exit\n\n"
    "A flag may have two dashes. Options of bonnie work as well: see bonnie --help.\n";

/* The options that do not say what is measured, or how, but who measures and what is printed. */
#define OTHERS                                                                                     \
    "directory,label,ram,user,group,quiet,seed,random-file,preset,data,verify,cache,iops-duration" \
    ",time,format,csv,json,html,si,percentiles,explain-tail,output,verbose,min-time,"              \
    "trust-directory,write,yes,offset"

int options_parse(int argc, char *argv[], struct settings *s, FILE *out, struct err *e)
{
    bool given[MAX_OPTIONS];
    struct option_entry changed[MAX_OPTIONS];
    struct option_table table = option_table;
    bool is_go = cli_is_called(argc, argv, NAME);
    *s = (struct settings){
        .preset = is_go ? NAME : NULL,
        .plan = {.directory = ".",
                 .csv = CSV_NOT_GIVEN,
                 .has_go_flags = is_go,
                 .is_bonniexx = cli_is_called(argc, argv, "bonnie++")},
    };
    for (int i = 1; i < argc; i++)
        s->plan.has_go_flags |=
            strcmp(argv[i], "--preset=" NAME) == 0 ||
            (strcmp(argv[i], "--preset") == 0 && i + 1 < argc && strcmp(argv[i + 1], NAME) == 0);
    if (s->plan.has_go_flags)
        table = (struct option_table){.entries = changed,
                                      .count = option_table.count,
                                      .brief = go_help,
                                      .version = NAME " version",
                                      .style = STYLE_ONE_DASH};
    for (size_t i = 0; i < table.count; i++) {
        changed[i] = entries[i];
        for (size_t k = 0; entries[i].name && k < COUNT_OF(go_entries); k++)
            if (strcmp(entries[i].name, go_entries[k].name) == 0)
                changed[i] = go_entries[k];
    }
    if (s->plan.is_bonniexx)
        table.operand = NULL;
    int rc = cli_parse(&table, argc, argv, s, given, out, e);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < table.count; i++) {
        const char *name = entries[i].name;
        if (name && strcmp(name, "size") == 0)
            s->gives_size = given[i];
        else
            s->shapes_run |= given[i] && !(name && word_list_has(OTHERS, name, strlen(name)));
    }
    if (s->plan.is_bonniexx && s->plan.verbose > 0)
        return err_say(e, "-v is no option of bonnie++ (bonnie has it: more details on stderr)");
    if (s->operand && given[0])
        return err_say(e, "unexpected argument '%.100s'; --help lists the options", s->operand);
    if (s->operand)
        s->plan.directory = s->operand;
    return 0;
}
