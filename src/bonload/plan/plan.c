// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/plan/plan.h"

#include <math.h>

#include "sys/input.h"

const char *const load_names[LOAD_KINDS] = {[LOAD_WRITE] = "write", [LOAD_READ] = "read"};
const char *const load_plurals[LOAD_KINDS] = {[LOAD_WRITE] = "writes", [LOAD_READ] = "reads"};
const char *const load_titles[LOAD_KINDS] = {[LOAD_WRITE] = "Writes", [LOAD_READ] = "Reads"};

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
    char word[UNITS_TEXT];
    const char *colon = strchr(text, ':');
    if (colon) {
        int length = snprintf(word, sizeof word, "%.*s", (int)(colon - text), text);
        if (length >= UNITS_TEXT || !limit_figure_parse(word, &l))
            return -EINVAL;
        text = colon + 1;
    }
    if (units_parse_duration(text, 0, &l.nanoseconds) != 0 || l.nanoseconds == 0)
        return -EINVAL;
    *limit = l;
    return 0;
}

uint64_t latency_limit_figure(const struct latency_limit *limit, const struct histogram *h)
{
    if (limit->of == LIMIT_PERCENTILE)
        return histogram_known_percentile(h, limit->percent);
    return limit->of == LIMIT_MAX ? h->maximum : (uint64_t)histogram_mean(h);
}

struct units_text latency_limit_name(const struct latency_limit *limit)
{
    struct units_text name = {"mean"};
    if (limit->of == LIMIT_PERCENTILE)
        snprintf(name.text, sizeof name.text, "p%.10g", limit->percent);
    if (limit->of == LIMIT_MAX)
        strcpy(name.text, "max");
    return name;
}

#define MAX_BYTES    (16 * MIB) /* of a file of loads, because another user may have made it */
#define NEVER        (UINT64_MAX / 4)
#define RAMP_BYTES   200
#define MAX_NS       (UINT64_C(1000000) * BILLION)
#define LARGEST_RATE 1e9

static double seconds_of(uint64_t ns)
{
    return (double)ns / (double)BILLION;
}

bool rate_curve_add(struct rate_curve *c, uint64_t at_ns, double rate)
{
    const struct rate_curve_point start = {.rate = rate};
    const struct rate_curve_point *last = c->count > 0 ? &c->points[c->count - 1] : &start;
    if (c->count == MAX_RATE_CURVE || at_ns > MAX_NS || rate > LARGEST_RATE || at_ns < last->at_ns)
        return false;
    c->points[c->count++] = (struct rate_curve_point){
        .at_ns = at_ns,
        .rate = rate,
        .before = last->before + (last->rate + rate) / 2 * seconds_of(at_ns - last->at_ns),
    };
    c->peak = fmax(c->peak, rate);
    c->end_ns = at_ns;
    return true;
}

static int parse_rate(const char *text, double *rate)
{
    uint64_t billionths;
    int rc = units_parse_decimal(text, &billionths);
    *rate = (double)billionths / (double)BILLION;
    return rc;
}

int rate_curve_parse_ramp(struct rate_curve *c, const char *text)
{
    char word[RAMP_BYTES];
    uint64_t time_ns = 0;
    double from;
    double to;
    snprintf(word, sizeof word, "%s", text);
    char *dots = strstr(word, "..");
    char *slash = strchr(word, '/');
    if (!dots || !slash || slash < dots)
        return -EINVAL;
    *dots = *slash = '\0';
    *c = (struct rate_curve){.count = 0};
    bool is_right = parse_rate(word, &from) == 0 && parse_rate(dots + 2, &to) == 0 &&
                    units_parse_duration(slash + 1, BILLION, &time_ns) == 0 && time_ns > 0 &&
                    from + to > 0;
    return is_right && rate_curve_add(c, 0, from) && rate_curve_add(c, time_ns, to) ? 0 : -EINVAL;
}

int rate_curve_read(struct rate_curve *c, const char *path, struct err *e)
{
    char *text;
    size_t length;
    unsigned number = 0;
    int rc = input_read("read", path, MAX_BYTES, &text, &length, e);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '\0' ? '?' : text[i];
    if (length == MAX_BYTES)
        rc = err_say(e, "-load-file: %s is longer than 16 MiB", path);
    char *rest = text;
    for (char *line; rc == 0 && (line = strsep(&rest, "\n"));) {
        uint64_t at_ns;
        double rate;
        number++;
        line[strcspn(line, "#\r\n")] = '\0';
        char *after = line;
        char *time = strsep(&after, " \t,");
        char *word = after ? after + strspn(after, " \t,") : time + strlen(time);
        char *end = word + strcspn(word, " \t,");
        bool is_right = end[strspn(end, " \t")] == '\0'; /* otherwise there is a third column */
        *end = '\0';
        if (is_right && *time == '\0' && *word == '\0')
            continue;
        if (!is_right || units_parse_duration(time, BILLION, &at_ns) != 0 ||
            parse_rate(word, &rate) != 0 || !rate_curve_add(c, at_ns, rate))
            rc = err_say(e,
                         "-load-file: line %u of %s is not accepted; expected a time and a rate, "
                         "in the order of time: 1m30s 200",
                         number, path);
    }
    if (rc == 0 && (c->count == 0 || c->peak <= 0 || c->end_ns == 0))
        rc = err_say(e, "-load-file: %s makes no load", path);
    free(text);
    return rc;
}

/* A part of the curve: from one point to the next, before the first or after the last one. */
struct part {
    struct rate_curve_point from;
    double slope; /* growth of the rate per second */
};

/* The part with that number of requests, or with that time if is_time. */
static struct part part_at(const struct rate_curve *c, double number, bool is_time)
{
    size_t low = 0;
    size_t high = c->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct rate_curve_point *p = &c->points[middle];
        if ((is_time ? (double)p->at_ns : p->before) <= number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return (struct part){.from.rate = c->points[0].rate};
    const struct rate_curve_point *p = &c->points[low - 1];
    struct part part = {.from = *p};
    if (low < c->count && p[1].at_ns > p->at_ns)
        part.slope = (p[1].rate - p->rate) / seconds_of(p[1].at_ns - p->at_ns);
    return part;
}

double rate_curve_rate(const struct rate_curve *c, uint64_t at_ns)
{
    struct part part = part_at(c, (double)at_ns, true);
    return part.from.rate + part.slope * seconds_of(at_ns - part.from.at_ns);
}

double rate_curve_due(const struct rate_curve *c, uint64_t at_ns)
{
    struct part part = part_at(c, (double)at_ns, true);
    double passed = seconds_of(at_ns - part.from.at_ns);
    return part.from.before + (part.from.rate + part.slope * passed / 2) * passed;
}

uint64_t rate_curve_time(const struct rate_curve *c, double number)
{
    struct part part = part_at(c, number, false);
    double rate = part.from.rate;
    double left = number - part.from.before;
    double root = sqrt(fmax(rate * rate + 2 * part.slope * left, 0));
    if (left <= 0)
        return part.from.at_ns;
    if (rate + root <= 0)
        return NEVER;
    double passed_ns = 2 * left / (rate + root) * (double)BILLION;
    return passed_ns < (double)NEVER ? part.from.at_ns + (uint64_t)ceil(passed_ns) : NEVER;
}

#define MAX_WEIGHT    1000000000
#define ACCEPTED_TEXT 400 /* room for the names of all operations in a message */

struct mix_parser {
    struct mix *mix;
    const char *const *names;
};

/* Adds "truncate" or "truncate:2" to the mix. */
static bool mix_take_op(void *parsing, char *word)
{
    const struct mix_parser *p = parsing;
    uint64_t weight = 1;
    char *colon = strchr(word, ':');
    if (colon) {
        *colon = '\0';
        if (units_parse_count(colon + 1, &weight) != 0 || weight > MAX_WEIGHT)
            return false;
    }
    int op = value_word(word, p->names);
    if (op < 0)
        return false;
    p->mix->weights[op] += weight;
    p->mix->sum += weight;
    return true;
}

int mix_parse(struct mix *mix, const char *text, const char *const names[], const char *option,
              struct err *e)
{
    struct mix_parser parsing = {mix, names};
    char list[ACCEPTED_TEXT / 2]; /* "write, read and unlink" */
    char accepted[ACCEPTED_TEXT];
    size_t used = 0;
    *mix = (struct mix){0};
    if (*text == '\0') {
        for (; names[mix->sum]; mix->sum++)
            mix->weights[mix->sum] = 1;
        return 0;
    }
    for (size_t i = 0; names[i] && used < sizeof list; i++) {
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " and ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
    }
    snprintf(accepted, sizeof accepted, "%s takes OP[:WEIGHT],... of %s, with weights from 0 to %d",
             option, list, MAX_WEIGHT);
    int rc = value_list(&parsing, text, mix_take_op, accepted, e);
    if (rc == 0 && mix->sum == 0)
        rc = err_say(e, "%s: one of the weights must be above 0", option);
    return rc;
}

unsigned mix_at(const struct mix *mix, uint64_t number)
{
    unsigned op = 0;
    for (; number >= mix->weights[op]; op++)
        number -= mix->weights[op];
    return op;
}
