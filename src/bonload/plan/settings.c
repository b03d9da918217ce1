// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/plan/settings.h"

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

bool limit_figure_parse(const char *word, struct latency_limit *limit)
{
    uint64_t billionths = 0;
    limit->of = LIMIT_MAX;
    if (strcmp(word, "max") == 0)
        return true;
    limit->of = LIMIT_PERCENTILE;
    bool is_number = *word == 'p' && units_parse_decimal(word + 1, &billionths) == 0;
    limit->percent = (double)billionths / (double)BILLION;
    return is_number && billionths > 0 && billionths < 100 * BILLION;
}

int latency_limit_parse(const char *text, struct latency_limit *limit)
{
    struct latency_limit l = {.of = LIMIT_MEAN};
    char word[LIMIT_TEXT];
    const char *colon = strchr(text, ':');
    if (colon) {
        int length = snprintf(word, sizeof word, "%.*s", (int)(colon - text), text);
        if (length >= LIMIT_TEXT || !limit_figure_parse(word, &l))
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
