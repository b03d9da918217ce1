#include "bonload/option_setters.h"

#include <stdio.h>
#include <string.h>

#include "bonload/plan/settings.h"
#include "util/units.h"

static int take_limit(struct latency_limit *limit, bool *has_limit, const char *value,
                      struct err *e)
{
    if (latency_limit_parse(value, limit) != 0)
        return err_say(e, "a duration for the mean (20ms), pN:DURATION or max:DURATION");
    *has_limit = true;
    return 0;
}

int set_latency_limit(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    return take_limit(&s->limit, &s->has_latency_limit, value, e);
}

int set_fail_above(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    return take_limit(&s->fail_above, &s->has_fail_above, value, e);
}

static bool take_rate(void *settings, char *word)
{
    struct settings *s = settings;
    uint64_t rate;
    if (s->sweep_count == SWEEP_MOST || units_parse_decimal(word, &rate) != 0 || rate == 0)
        return false;
    s->sweep[s->sweep_count++] = rate;
    return true;
}

int set_sweep(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->sweep_count = 0;
    return value_list(s, value, take_rate,
                      "up to 64 rates per second above 0, separated by commas: 100,200,400", e);
}

int set_verify(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    int word = value_word(value, verify_names);
    if (word < 0)
        return err_say(e, "off, stamp or full");
    s->verify = (enum verify_mode)word;
    s->has_verify = true;
    return 0;
}

/* Appends the value to those given before, after a separator. */
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

int set_meta_ops(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    return append_given(s->meta_ops, sizeof s->meta_ops, ',', value, "OP[:WEIGHT],...", e);
}

int set_s3_endpoint(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    return append_given(s->s3_endpoint, sizeof s->s3_endpoint, ',', value, "a URL, 8 KiB in all",
                        e);
}

int set_header(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    const char *accepted = "NAME: VALUE, on one line, 8 KiB in all";
    if (!strchr(value, ':') || strpbrk(value, "\r\n"))
        return err_say(e, "%s", accepted);
    return append_given(s->headers, sizeof s->headers, '\n', value, accepted, e);
}

static int copy_secret(char to[static SETTINGS_SECRET], const char *value, struct err *e)
{
    if (*value == '\0' || strlen(value) >= SETTINGS_SECRET)
        return err_say(e, "a key of up to %d characters", SETTINGS_SECRET - 1);
    snprintf(to, SETTINGS_SECRET, "%s", value);
    return 0;
}

int set_s3_api_key(void *settings, const char *value, struct err *e)
{
    return copy_secret(((struct settings *)settings)->s3_api_key, value, e);
}

int set_s3_secret_key(void *settings, const char *value, struct err *e)
{
    return copy_secret(((struct settings *)settings)->s3_secret_key, value, e);
}

/* Accepts a sign, because goader's seed may be negative. */
int set_seed(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    uint64_t number;
    int64_t with_sign;
    s->seed.given = true;
    if (units_parse_count(value, &number) == 0) {
        s->seed.value = number;
        return 0;
    }
    if (units_parse_signed(value, &with_sign) != 0)
        return err_say(e, "a whole number");
    s->seed.value = (uint64_t)with_sign;
    return 0;
}
