#include "bonnie/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

/*
 * A shorter wait for a CPU is not mentioned. WORTH_ADDING_PERCENT applies beside the note that no
 * device was measured.
 */
#define WORTH_TELLING_PERCENT 1
#define WORTH_ADDING_PERCENT  25

/* "100-100 %" */
#define SPAN_TEXT 16

/* Formats "41 %", or "41-74 %" for several tests. */
static const char *span_of_percent(char text[static SPAN_TEXT], double least, double most)
{
    char first[8] = "";
    double low = nearbyint(least);
    if (low < nearbyint(most))
        snprintf(first, sizeof first, "%.0f-", low < 0 ? 0 : low);
    snprintf(text, SPAN_TEXT, "%s%.0f %%", first, most);
    return text;
}

/* Replaces the full stop at the end by the words and the figure. */
static void append_words(char text[static VERDICT_TEXT], const char *words, const char *figure)
{
    size_t used = strlen(text) - strlen(".");
    snprintf(text + used, VERDICT_TEXT - used, "; %s %s.", words, figure);
}

/* Adds that no CPU was free, if that was the case for at least `worth` percent of the time. */
static void add_waiting(char text[static VERDICT_TEXT], const struct verdict *v, double worth)
{
    char figure[SPAN_TEXT];
    if (v->most.waited_percent >= worth)
        append_words(text, "no CPU free",
                     span_of_percent(figure, v->least.waited_percent, v->most.waited_percent));
}

/* Describes how busy the device and the busiest worker were. */
static void tell_times(char text[static VERDICT_TEXT], const struct verdict *v)
{
    char computed[SPAN_TEXT];
    char busy[SPAN_TEXT];
    span_of_percent(computed, v->least.computed_percent, v->most.computed_percent);
    span_of_percent(busy, v->least.device_percent, v->most.device_percent);
    if (v->least.device_known)
        snprintf(text, VERDICT_TEXT, "Device busy %s; computing %s.", busy, computed);
    else
        snprintf(text, VERDICT_TEXT, "Computing %s.", computed);
    add_waiting(text, v, WORTH_TELLING_PERCENT);
}

static void tell_cpus(char text[static VERDICT_TEXT], const struct verdict *v)
{
    char used[SPAN_TEXT];
    snprintf(text, VERDICT_TEXT, "The test used %s of the time of %u CPU%s.",
             span_of_percent(used, v->least.cpus_percent, v->most.cpus_percent), v->cpus,
             v->cpus == 1 ? "" : "s");
}

static void tell_limit(char text[static VERDICT_TEXT], const struct verdict *v)
{
    static const struct {
        const char *verb;
        bool counts_bytes;
    } kinds[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = {"reads", true},
        [IO_LIMIT_WRITTEN_BYTES] = {"writes", true},
        [IO_LIMIT_READ_OPS] = {"reads", false},
        [IO_LIMIT_WRITE_OPS] = {"writes", false},
    };
    const struct judgement *j = &v->least;
    char used[SPAN_TEXT];
    char limit[48];
    if (kinds[j->held_by].counts_bytes)
        snprintf(limit, sizeof limit, "%s of %.1f MiB/s", kinds[j->held_by].verb,
                 (double)j->held_to / (double)MIB);
    else
        snprintf(limit, sizeof limit, "%" PRIu64 " %s/s", j->held_to, kinds[j->held_by].verb);
    snprintf(text, VERDICT_TEXT, "Control group: %s; %s used.", limit,
             span_of_percent(used, j->held_percent, v->most.held_percent));
}

/* Describes how much the device moved. Rounds down, because the rule is "less than 90 %". */
static void tell_moved(char text[static VERDICT_TEXT], const struct verdict *v, const char *verb)
{
    double least = floor(v->least.moved_percent);
    double most = floor(v->most.moved_percent);
    char figure[SPAN_TEXT];
    if (v->most.moved_percent <= 0)
        snprintf(figure, sizeof figure, "none");
    else if (most < 1)
        snprintf(figure, sizeof figure, "<1 %%");
    else
        span_of_percent(figure, least, most);
    snprintf(text, VERDICT_TEXT, "The device %s %s of the data.", verb, figure);
    add_waiting(text, v, WORTH_ADDING_PERCENT);
}

static void tell_no_device(char text[static VERDICT_TEXT], const struct verdict *v)
{
    snprintf(text, VERDICT_TEXT,
             v->least.reason == REASON_IN_MEMORY ? "%s is memory and has no device."
                                                 : "%s has no block device to watch.",
             *v->filesystem ? v->filesystem : "This filesystem");
    add_waiting(text, v, WORTH_ADDING_PERCENT);
}

static void tell_others(char text[static VERDICT_TEXT], const struct verdict *v)
{
    char waited[SPAN_TEXT];
    snprintf(text, VERDICT_TEXT, "Waiting for a CPU %s of the time: others used it.",
             span_of_percent(waited, v->least.waited_percent, v->most.waited_percent));
}

void verdict_sentence(char text[static VERDICT_TEXT], const struct verdict *v)
{
    text[0] = '\0';
    if (!v->is_known)
        return;
    switch (v->least.reason) {
    case REASON_NO_DEVICE:
    case REASON_IN_MEMORY:
        tell_no_device(text, v);
        break;
    case REASON_DEVICE_HELD:
        tell_limit(text, v);
        break;
    case REASON_READ_FROM_CACHE:
        tell_moved(text, v, "read");
        break;
    case REASON_NOT_WRITTEN:
        tell_moved(text, v, "wrote");
        break;
    case REASON_NOTHING_MOVED:
        snprintf(text, VERDICT_TEXT, "No data was moved: this is the program alone.");
        break;
    case REASON_CPUS_FULL:
        tell_cpus(text, v);
        break;
    case REASON_OTHERS_COMPUTED:
        tell_others(text, v);
        break;
    case REASON_NOTHING_EXPLAINS:
    case REASON_DEVICE_BUSY:
    case REASON_COMPUTED:
    case REASON_COUNT:
        tell_times(text, v);
        break;
    }
}

void verdict_of_test(struct verdict *v, const struct judgement *j, const struct advice_facts *facts,
                     const char *filesystem)
{
    struct advice_facts f = *facts;
    f.reason = j->reason;
    *v = (struct verdict){.is_known = true, .least = *j, .most = *j, .cpus = f.cpus};
    snprintf(v->filesystem, sizeof v->filesystem, "%s", filesystem ? filesystem : "");
    v->advice = advice_for(&f);
}

static bool verdict_is_alike(const struct verdict *a, const struct verdict *b)
{
    const struct judgement *x = &a->least;
    const struct judgement *y = &b->least;
    return a->is_known && b->is_known && x->by == y->by && x->reason == y->reason &&
           x->device_known == y->device_known && x->held_by == y->held_by &&
           x->held_to == y->held_to;
}

/* Replaces each percentage by the smaller (pick is fmin) or the larger (fmax) of both. */
static void pick_percentages(struct judgement *j, const struct judgement *other,
                             double (*pick)(double, double))
{
    j->device_percent = pick(j->device_percent, other->device_percent);
    j->computed_percent = pick(j->computed_percent, other->computed_percent);
    j->waited_percent = pick(j->waited_percent, other->waited_percent);
    j->cpus_percent = pick(j->cpus_percent, other->cpus_percent);
    j->moved_percent = pick(j->moved_percent, other->moved_percent);
    j->held_percent = pick(j->held_percent, other->held_percent);
}

bool verdict_join(struct verdict *to, const struct verdict *other)
{
    if (!verdict_is_alike(to, other))
        return false;
    pick_percentages(&to->least, &other->least, fmin);
    pick_percentages(&to->most, &other->most, fmax);
    to->advice |= other->advice;
    return true;
}
