#include "cli/set_bulk.h"

#include <string.h>

#include "cli/limits.h"
#include "cli/values.h"
#include "engines/engine.h"
#include "util/units.h"

int set_engine(struct settings *s, const char *value, struct err *e)
{
    if (strcmp(value, "help") == 0) {
        s->action = ACTION_ENGINES;
        return 0;
    }
    if (!engine_by_name(value))
        return err_say(e, "sync, libaio, io_uring or null; help tells what each can do here");
    s->engine = value;
    return 0;
}

int set_iodepth(struct settings *s, const char *value, struct err *e)
{
    return value_count(&s->iodepth, value, 1, LIMIT_IODEPTH, "1 to 4096", e);
}

static bool take_uring(struct settings *s, char *word)
{
    bool *wanted = strcmp(word, "sqpoll") == 0   ? &s->engine_options.uring.sqpoll
                   : strcmp(word, "iopoll") == 0 ? &s->engine_options.uring.iopoll
                                                 : NULL;
    if (wanted)
        *wanted = true;
    return wanted != NULL;
}

int set_uring(struct settings *s, const char *value, struct err *e)
{
    return value_list(s, value, take_uring, "a comma-separated list of sqpoll, iopoll", e);
}

/* "delay=500": delay in microseconds, the others numbers of transfers. */
static bool take_null(struct settings *s, char *word)
{
    static const char *const words[] = {"delay", "fail", "short", "corrupt"};
    uint64_t *const fields[] = {&s->engine_options.null.delay_ns, &s->engine_options.null.fail_at,
                                &s->engine_options.null.short_at,
                                &s->engine_options.null.corrupt_at};
    char *number = strchr(word, '=');
    if (!number)
        return false;
    *number++ = '\0';
    int field = value_word(word, words, 4);
    if (field < 0 || units_parse_count(number, fields[field]) != 0 || *fields[field] > LIMIT_SEEKS)
        return false;
    if (field == 0)
        *fields[field] *= 1000;
    return true;
}

int set_null(struct settings *s, const char *value, struct err *e)
{
    return value_list(s, value, take_null,
                      "a comma-separated list of delay=MICROSECONDS, fail=N, short=N, corrupt=N",
                      e);
}

int set_iops_duration(struct settings *s, const char *value, struct err *e)
{
    return value_seconds(&s->iops_duration_ns, value, 1, e);
}

int set_iops_block(struct settings *s, const char *value, struct err *e)
{
    static const char accepted[] = "bytes, a multiple of 512 up to 64m";
    int rc = value_size(&s->iops_block_bytes, value, 1, LIMIT_IOPS_BLOCK, accepted, e);
    uint64_t bytes = s->iops_block_bytes.value;
    return rc == 0 && (bytes == 0 || bytes % 512 != 0) ? err_say(e, "%s", accepted) : rc;
}

int set_iops_writes(struct settings *s, const char *value, struct err *e)
{
    return value_count(&s->iops_writes, value, 0, 100, "0 to 100 percent", e);
}

int set_iops_pattern(struct settings *s, const char *value, struct err *e)
{
    static const char zipf[] = "zipf:";
    uint64_t theta = 0;
    bool is_zipf = strncmp(value, zipf, strlen(zipf)) == 0;
    if (is_zipf ? units_parse_decimal(value + strlen(zipf), &theta) != 0 || theta == 0 ||
                      theta > LIMIT_THETA * BILLION
                : strcmp(value, "uniform") != 0)
        return err_say(e, "uniform, or zipf:THETA with a number above 0, up to 10");
    s->iops_theta = (double)theta / (double)BILLION;
    return 0;
}

int set_data(struct settings *s, const char *value, struct err *e)
{
    static const char *const words[] = {[DATA_RANDOM] = "random", [DATA_ZERO] = "zero"};
    static const char compress[] = "compress=";
    static const char accepted[] = "random, zero or compress=PERCENT with 1 to 100";
    int word = value_word(value, words, 2);
    if (word >= 0) {
        s->data = (enum data_kind)word;
        return 0;
    }
    if (strncmp(value, compress, strlen(compress)) != 0)
        return err_say(e, "%s", accepted);
    s->data = DATA_COMPRESS;
    return value_count(&s->compress_percent, value + strlen(compress), 1, 100, accepted, e);
}

int set_verify(struct settings *s, const char *value, struct err *e)
{
    int word = value_word(value, verify_names, VERIFY_MODES);
    if (word < 0)
        return err_say(e, "off, stamp or full");
    s->verify = (enum verify_mode)word;
    return 0;
}
