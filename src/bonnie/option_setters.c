#include "bonnie/option_setters.h"

#include <string.h>

#include "bonnie/option_limits.h"
#include "bonnie/preset.h"
#include "bonnie/settings.h"
#include "bonnie/size_spec.h"
#include "cli/option.h"
#include "io/engine.h"
#include "util/units.h"

int set_size(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    return size_spec_data(s, value, e);
}

int set_files(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    return size_spec_files(s, value, e);
}

const char *const workers_words[] = {"auto", NULL};

int set_workers(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->workers_auto = strcmp(value, "auto") == 0;
    if (s->workers_auto)
        return 0;
    return value_count(&s->workers, value, 1, LIMIT_WORKERS, "1 to 1024, or auto", e);
}

int set_label(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    (void)e;
    s->label = value;
    return 0;
}

int set_fast(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->fast = value == NULL;
    if (s->fast)
        return 0;
    return value_size(&s->perchar_bytes, value, MIB, LIMIT_DATA_BYTES,
                      "MiB, or a size with a suffix k, m, g, t, up to 1024t", e);
}

int set_seed(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->random_file = NULL;
    return value_count(&s->seed, value, 0, UINT64_MAX, "a whole number from 0 to 2^64-1", e);
}

int set_random_file(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->seed.given = false;
    return value_text(&s->random_file, value, "the path of a file", e);
}

int set_processes(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    int64_t number;
    if (units_parse_signed(value, &number) != 0 || number < -1 || number == 0 ||
        number > LIMIT_PROCESSES)
        return err_say(e, "1 to 1000 processes, or -1 to remove the semaphores");
    s->action = ACTION_SEMAPHORES;
    s->semaphore_processes = (int)number;
    return 0;
}

const char *const synchronise_words[] = {"s", "p", NULL};

int set_synchronise(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    int word = value ? value_word(value, synchronise_words) : 0;
    if (word < 0)
        return err_say(e, "s for semaphores or p for a prompt");
    s->coordination = word == 0 ? &coordinator_semaphores : &coordinator_prompt;
    return 0;
}

static bool take_test(void *settings, char *word)
{
    struct settings *s = settings;
    enum test_id test = test_by_name(word);
    if (test == TEST_COUNT)
        return false;
    s->tests[test] = true;
    return true;
}

int set_tests(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    memset(s->tests, 0, sizeof s->tests);
    s->tests_given = true;
    return value_list(settings, value, take_test,
                      "a comma-separated list of putc, put_block, rewrite, getc, get_block, seeks, "
                      "iops, seq_create, seq_stat, seq_del, ran_create, ran_stat, ran_del",
                      e);
}

int set_preset(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->preset = preset_by_name(value);
    return s->preset ? 0 : err_say(e, "bonnie, bonnie++, gobonniego or diskmark");
}

const char *const format_words[] = {"text", "csv", "json", "html", NULL};

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
    return true;
}

int set_format(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->format_count = 0;
    return value_list(settings, value, take_format,
                      "a comma-separated list of text, csv, json, html, each once", e);
}

int set_json(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    (void)value;
    return set_format(s, "json", e);
}

int set_html(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    (void)value;
    return set_format(s, "html", e);
}

int set_engine(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    if (strcmp(value, "help") == 0) {
        s->action = ACTION_ENGINES;
        return 0;
    }
    if (!engine_by_name(value))
        return err_say(e, "sync, libaio, io_uring or null; help lists what each can do here");
    s->engine = value;
    return 0;
}

const char *const uring_words[] = {"sqpoll", "iopoll", NULL};

static bool take_uring(void *settings, char *word)
{
    struct settings *s = settings;
    bool *const fields[] = {&s->engine_options.uring.sqpoll, &s->engine_options.uring.iopoll};
    int field = value_word(word, uring_words);
    if (field >= 0)
        *fields[field] = true;
    return field >= 0;
}

int set_uring(void *settings, const char *value, struct err *e)
{
    return value_list(settings, value, take_uring, "a comma-separated list of sqpoll, iopoll", e);
}

const char *const null_words[] = {"delay=", "fail=", "short=", "corrupt=", NULL};

/*
 * Parses a word of --null: "delay=500" is a delay in microseconds; other values are numbers of
 * transfers. Returns false when the word is wrong.
 */
static bool take_null(void *settings, char *word)
{
    struct settings *s = settings;
    uint64_t *const fields[] = {&s->engine_options.null.delay_ns, &s->engine_options.null.fail_at,
                                &s->engine_options.null.short_at,
                                &s->engine_options.null.corrupt_at};
    size_t field = 0;
    while (null_words[field] && strncmp(word, null_words[field], strlen(null_words[field])) != 0)
        field++;
    if (!null_words[field])
        return false;
    const char *number = word + strlen(null_words[field]);
    if (units_parse_count(number, fields[field]) != 0 || *fields[field] > LIMIT_SEEKS)
        return false;
    if (field == 0)
        *fields[field] *= 1000;
    return true;
}

int set_null(void *settings, const char *value, struct err *e)
{
    return value_list(settings, value, take_null,
                      "a comma-separated list of delay=MICROSECONDS, fail=N, short=N, corrupt=N",
                      e);
}

int set_iops_block(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    static const char accepted[] = "bytes, a multiple of 512 up to 64m";
    int rc = value_size(&s->iops_block_bytes, value, 1, LIMIT_IOPS_BLOCK, accepted, e);
    uint64_t bytes = s->iops_block_bytes.value;
    return rc == 0 && (bytes == 0 || bytes % 512 != 0) ? err_say(e, "%s", accepted) : rc;
}

const char *const iops_pattern_words[] = {"uniform", "zipf:", NULL};

int set_iops_pattern(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    const char *zipf = iops_pattern_words[1];
    uint64_t theta = 0;
    bool is_zipf = strncmp(value, zipf, strlen(zipf)) == 0;
    if (is_zipf ? units_parse_decimal(value + strlen(zipf), &theta) != 0 || theta == 0 ||
                      theta > LIMIT_THETA * BILLION
                : strcmp(value, "uniform") != 0)
        return err_say(e, "uniform, or zipf:THETA with a number above 0, up to 10");
    s->iops_theta = (double)theta / (double)BILLION;
    return 0;
}

int set_steady(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    int metric = value ? value_word(value, round_metric_names) : 0;
    if (metric < 0)
        return err_say(e, "iops, bandwidth, latency or p99");
    s->steady = true;
    s->steady_metric_given = value != NULL;
    s->steady_metric = (enum round_metric)metric;
    return 0;
}

const char *const data_words[] = {
    [DATA_RANDOM] = "random", [DATA_ZERO] = "zero", [DATA_COMPRESS] = "compress=", NULL};

int set_data(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    const char *compress = data_words[DATA_COMPRESS];
    static const char accepted[] = "random, zero or compress=PERCENT with 1 to 100";
    int word = value_word(value, data_words);
    if (word >= 0 && word != DATA_COMPRESS) {
        s->data = (enum data_kind)word;
        return 0;
    }
    if (strncmp(value, compress, strlen(compress)) != 0)
        return err_say(e, "%s", accepted);
    s->data = DATA_COMPRESS;
    return value_count(&s->compress_percent, value + strlen(compress), 1, 100, accepted, e);
}
