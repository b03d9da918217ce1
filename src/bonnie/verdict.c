#include "bonnie/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

/* Less waiting than this is not worth a word; beside what says that no device was measured, this.
 */
#define WORTH_TELLING_PERCENT 1
#define WORTH_ADDING_PERCENT  25

/* Adds to a sentence that a CPU was waited for, if it was for long. */
static void add_waiting(struct verdict *v, const struct judgement *j)
{
    size_t used = strlen(v->sentence) - strlen(".");
    if (j->waited_percent >= WORTH_ADDING_PERCENT)
        snprintf(v->sentence + used, VERDICT_TEXT - used,
                 "; waiting for a CPU %.0f %% of the time.", j->waited_percent);
}

/* "Device busy 76 %; worker computing 39 % and waiting for a CPU 3 % of the time", or less; the
 * worker is the busiest.
 */
static void tell_times(struct verdict *v, const struct judgement *j, const char *more)
{
    char device[48] = "Worker";
    char waiting[48] = "";
    if (j->device_known)
        snprintf(device, sizeof device, "Device busy %.0f %%; worker", j->device_percent);
    if (j->waited_percent >= WORTH_TELLING_PERCENT)
        snprintf(waiting, sizeof waiting, " and waiting for a CPU %.0f %%", j->waited_percent);
    snprintf(v->sentence, VERDICT_TEXT, "%s computing %.0f %%%s of the time%s.", device,
             j->computed_percent, waiting, more);
}

static void tell_cpus(struct verdict *v, const struct judgement *j, unsigned cpus)
{
    snprintf(v->sentence, VERDICT_TEXT, "The test used %.0f %% of the time of %u CPU%s.",
             j->cpus_percent, cpus, cpus == 1 ? "" : "s");
}

static void tell_limit(struct verdict *v, const struct judgement *j)
{
    bool reads = j->held_by == IO_LIMIT_READ_BYTES || j->held_by == IO_LIMIT_READ_OPS;
    bool bytes = j->held_by == IO_LIMIT_READ_BYTES || j->held_by == IO_LIMIT_WRITTEN_BYTES;
    char limit[48];
    if (bytes)
        snprintf(limit, sizeof limit, "%.1f MiB/s", (double)j->held_to / (double)MIB);
    else
        snprintf(limit, sizeof limit, "%" PRIu64 " times a second", j->held_to);
    snprintf(v->sentence, VERDICT_TEXT, "Its control group may %s %s: %.0f %% of that was used.",
             reads ? "read" : "write", limit, j->held_percent);
}

/* Rounded down: the rule says "less than 90 %", and no other percentage is to stand here. */
static void tell_moved(struct verdict *v, const struct judgement *j, const char *what)
{
    double percent = floor(j->moved_percent);
    if (percent < 1)
        snprintf(v->sentence, VERDICT_TEXT, "%s of what was %s the device.",
                 j->moved_percent > 0 ? "Less than 1 %" : "None", what);
    else
        snprintf(v->sentence, VERDICT_TEXT, "%.0f %% of what was %s the device.", percent, what);
    add_waiting(v, j);
}

static void tell_no_device(struct verdict *v, const struct judgement *j, const char *filesystem)
{
    snprintf(v->sentence, VERDICT_TEXT,
             j->reason == REASON_IN_MEMORY
                 ? "Below %s there is no device: this is the speed of memory."
                 : "Below %s there is no block device to watch.",
             filesystem ? filesystem : "this filesystem");
    add_waiting(v, j);
}

static void tell_sentence(struct verdict *v, const struct judgement *j, unsigned cpus,
                          const char *filesystem)
{
    switch (j->reason) {
    case REASON_NOTHING_EXPLAINS:
        tell_times(v, j, ": none of that explains the figure");
        break;
    case REASON_NO_DEVICE:
    case REASON_IN_MEMORY:
        tell_no_device(v, j, filesystem);
        break;
    case REASON_DEVICE_HELD:
        tell_limit(v, j);
        break;
    case REASON_READ_FROM_CACHE:
        tell_moved(v, j, "read came from");
        break;
    case REASON_NOT_WRITTEN:
        tell_moved(v, j, "written reached");
        break;
    case REASON_NOTHING_MOVED:
        snprintf(v->sentence, VERDICT_TEXT,
                 "Nothing was moved: this is the cost of the program itself.");
        break;
    case REASON_CPUS_FULL:
        tell_cpus(v, j, cpus);
        break;
    case REASON_OTHERS_COMPUTED:
        snprintf(v->sentence, VERDICT_TEXT,
                 "Waiting for a CPU %.0f %% of the time: other programs had it.",
                 j->waited_percent);
        break;
    case REASON_DEVICE_BUSY:
    case REASON_COMPUTED:
    case REASON_COUNT:
        tell_times(v, j, "");
        break;
    }
}

void verdict_tell(struct verdict *v, const struct judgement *j, const struct advice_facts *facts,
                  const char *filesystem)
{
    struct advice_facts f = *facts;
    f.reason = j->reason;
    *v = (struct verdict){.by = j->by};
    tell_sentence(v, j, f.cpus, filesystem);
    advice_for(v->advice, &f);
}
