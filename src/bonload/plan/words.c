#include "bonload/plan/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/go_units.h"
#include "util/units.h"

const char *const load_titles[LOAD_KINDS] = {[LOAD_WRITE] = "Writes", [LOAD_READ] = "Reads"};
const char *const mode_names[] = {[MODE_RATE] = "rate",
                                  [MODE_THREADS] = "threads",
                                  [MODE_SEARCH] = "search",
                                  [MODE_SWEEP] = "sweep"};
const char *const arrival_names[] = {
    [ARRIVAL_CONSTANT] = "constant", [ARRIVAL_POISSON] = "poisson", NULL};
const char *const search_names[] = {[SEARCH_THREADS] = "threads", [SEARCH_RATE] = "rate", NULL};
const char *const output_names[] = {[OUTPUT_HUMAN] = "human", [OUTPUT_JSON] = "json", NULL};

/* Parses "p99.9", the first `length` characters of a word, as a percentile. */
static int parse_percentile(const char *word, size_t length, double *percent)
{
    char number[LIMIT_TEXT];
    uint64_t billionths;
    if (length < 2 || length >= sizeof number || *word != 'p')
        return -EINVAL;
    memcpy(number, word + 1, length - 1);
    number[length - 1] = '\0';
    if (units_parse_decimal(number, &billionths) != 0 || billionths == 0 ||
        billionths >= 100 * BILLION)
        return -EINVAL;
    *percent = (double)billionths / (double)BILLION;
    return 0;
}

int latency_limit_parse(const char *text, struct latency_limit *limit)
{
    struct latency_limit l = {.of = LIMIT_MEAN};
    const char *colon = strchr(text, ':');
    if (colon) {
        size_t length = (size_t)(colon - text);
        bool is_max = length == 3 && memcmp(text, "max", 3) == 0;
        l.of = is_max ? LIMIT_MAX : LIMIT_PERCENTILE;
        if (!is_max && parse_percentile(text, length, &l.percent) != 0)
            return -EINVAL;
        text = colon + 1;
    }
    if (go_parse_duration(text, &l.nanoseconds) != 0 || l.nanoseconds == 0)
        return -EINVAL;
    *limit = l;
    return 0;
}

uint64_t latency_limit_figure(const struct latency_limit *limit, const struct histogram *h)
{
    if (limit->of == LIMIT_PERCENTILE)
        return histogram_percentile(h, limit->percent);
    return limit->of == LIMIT_MAX ? h->maximum : (uint64_t)histogram_mean(h);
}

void latency_limit_name(const struct latency_limit *limit, char text[static LIMIT_TEXT])
{
    if (limit->of == LIMIT_PERCENTILE)
        snprintf(text, LIMIT_TEXT, "p%.10g", limit->percent);
    else
        snprintf(text, LIMIT_TEXT, "%s", limit->of == LIMIT_MAX ? "max" : "mean");
}
