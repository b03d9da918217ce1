// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/busy.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/control_group.h"
#include "measure/cpu.h"
#include "util/kernel_file.h"
#include "util/units.h"

/* From these percentages on, the machine counts as busy. The header has the reasons. */
#define BUSY_CPUS      25
#define BUSY_WAITED    25
#define BUSY_THROTTLED 1
#define BUSY_FOREIGN   10

/* With more of the CPUs than this, the threads of the process wait for each other. */
#define OWN_PERCENT 67

/*
 * A filesystem writes more than what its users ask for: everything may be in the journal as well,
 * and a request may change a few blocks of metadata. This much of it counts as our own.
 */
#define COPIES         2
#define METADATA_BYTES (64 * KIB)

#define MOST_CPUS 8192 /* of any kernel */
#define LONG_BITS (8 * sizeof(long))

/* ---- reading --------------------------------------------------------------------------------- */

bool busy_parse_cpu(const char *line, unsigned *cpu, uint64_t *used_ns, uint64_t *stolen_ns)
{
    uint64_t user, nice, system, interrupts, softly, stolen = 0;
    bool is_one = strncmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3]);
    if (!is_one ||
        sscanf(line,
               "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
               cpu, &user, &nice, &system, &interrupts, &softly, &stolen) < 6)
        return false;
    uint64_t tick_ns = BILLION / (uint64_t)sysconf(_SC_CLK_TCK);
    *used_ns = (user + nice + system + interrupts + softly) * tick_ns;
    *stolen_ns = stolen * tick_ns;
    return true;
}

/* Adds up the times of the CPUs that this process may use. */
static void read_cpus(struct busy_reading *r, const char *root)
{
    unsigned long usable[MOST_CPUS / LONG_BITS] = {0};
    char path[PATH_MAX];
    char line[256];
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *in = kernel_file_read(path);
    if (!in)
        return;
    if (sched_getaffinity(0, sizeof usable, (cpu_set_t *)usable) != 0)
        memset(usable, 0xff, sizeof usable);
    while (fgets(line, sizeof line, in)) {
        unsigned cpu;
        uint64_t used_ns;
        uint64_t stolen_ns;
        if (!busy_parse_cpu(line, &cpu, &used_ns, &stolen_ns) || cpu >= MOST_CPUS ||
            !(usable[cpu / LONG_BITS] >> cpu % LONG_BITS & 1))
            continue;
        r->cpus++;
        r->used_ns += used_ns;
        r->stolen_ns += stolen_ns;
    }
    fclose(in);
}

/* Adds the number that follows a word of a file. Returns whether the word is there. */
static bool add_number(const char *directory, const char *name, const char *word, uint64_t unit,
                       uint64_t *sum)
{
    char path[PATH_MAX];
    char text[1024];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path ||
        !kernel_file_text(path, text, sizeof text))
        return false;
    const char *found = strstr(text, word);
    if (found)
        *sum += unit * strtoull(found + strlen(word), NULL, 10);
    return found;
}

static void read_group(void *context, const struct control_group *g)
{
    struct busy_reading *r = context;
    uint64_t period_ns = 0;
    if (r->group_count == BUSY_GROUPS)
        return;
    struct busy_group *group = &r->groups[r->group_count++];
    add_number(g->directory, "cpu.stat", g->is_v2 ? "throttled_usec " : "throttled_time ",
               g->is_v2 ? 1000 : 1, &group->throttled_ns);
    add_number(g->directory, g->is_v2 ? "cpu.max" : "cpu.cfs_period_us", g->is_v2 ? " " : "", 1000,
               &period_ns);
    add_number(g->directory, "cpu.stat", "nr_throttled ", period_ns, &group->periods_ns);
}

void busy_read(struct busy_reading *r, const struct device_set *d, const char *root)
{
    char self[PATH_MAX];
    *r = (struct busy_reading){.at_ns = clock_ns(), .own_ns = cpu_used_ns()};
    snprintf(self, sizeof self, "%s/proc/self", root);
    read_cpus(r, root);
    control_groups_visit(root, "cpu", read_group, r);
    if (!d)
        return;
    device_read(d, &r->device);
    r->knows_bytes = r->device.known &&
                     add_number(self, "io", "\nread_bytes: ", 1, &r->read_bytes) &&
                     add_number(self, "io", "\nwrite_bytes: ", 1, &r->written_bytes);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static double percent_of(double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static double rest_of(double whole, double part)
{
    return whole > part ? whole - part : 0;
}

/* A sum may decrease: a virtual machine may move to another host, a process to another group. */
static double increase(uint64_t before, uint64_t after)
{
    return after > before ? (double)(after - before) : 0;
}

/*
 * The time for which quotas held the process back, at most. The kernel adds up the times of all
 * CPUs, but counts a period once; and groups above each other hold it back at the same time.
 */
static double throttled_ns(const struct busy_reading *before, const struct busy_reading *after)
{
    double longest = 0;
    for (unsigned i = 0; i < after->group_count && after->group_count == before->group_count; i++) {
        const struct busy_group *was = &before->groups[i];
        const struct busy_group *is = &after->groups[i];
        longest = fmax(longest, fmin(increase(was->throttled_ns, is->throttled_ns),
                                     increase(was->periods_ns, is->periods_ns)));
    }
    return longest;
}

static double foreign_percent(const struct busy_reading *before, const struct busy_reading *after,
                              const struct busy_work *work)
{
    struct device_use use;
    if (!before->knows_bytes || !after->knows_bytes ||
        !device_difference(&before->device, &after->device, after->at_ns - before->at_ns, &use))
        return -1;
    double read = (double)(after->read_bytes - before->read_bytes);
    double written = COPIES * (double)(after->written_bytes - before->written_bytes) +
                     (double)METADATA_BYTES * (double)work->requests;
    double foreign =
        rest_of((double)use.read_bytes, read) + rest_of((double)use.written_bytes, written);
    return percent_of(foreign, (double)(use.read_bytes + use.written_bytes));
}

struct busy_evidence busy_between(const struct busy_reading *before,
                                  const struct busy_reading *after, const struct busy_work *work)
{
    double elapsed = (double)(after->at_ns - before->at_ns);
    double all = elapsed * after->cpus;
    double own = (double)(after->own_ns - before->own_ns);
    struct busy_evidence e = {
        .cpus = after->cpus,
        .own_percent = percent_of(own, all),
        .others_percent = -1,
        .stolen_percent = -1,
        .waited_percent = work->waited_ns < 0 ? -1 : percent_of(work->waited_ns, elapsed),
        .throttled_percent = percent_of(throttled_ns(before, after), elapsed),
        .foreign_percent = foreign_percent(before, after, work),
    };
    if (after->cpus > 0 && before->cpus == after->cpus) {
        e.others_percent = percent_of(rest_of(increase(before->used_ns, after->used_ns), own), all);
        e.stolen_percent = percent_of(increase(before->stolen_ns, after->stolen_ns), all);
    }
    return e;
}

/* ---- judging --------------------------------------------------------------------------------- */

static bool lacks_cpus(const struct busy_evidence *e)
{
    return e->others_percent + e->stolen_percent >= BUSY_CPUS;
}

static bool waited_for_others(const struct busy_evidence *e)
{
    return e->waited_percent >= BUSY_WAITED && e->own_percent < OWN_PERCENT;
}

bool busy_is(const struct busy_evidence *e)
{
    return lacks_cpus(e) || waited_for_others(e) || e->throttled_percent >= BUSY_THROTTLED ||
           e->foreign_percent >= BUSY_FOREIGN;
}

const struct busy_evidence busy_unknown = {.own_percent = -1,
                                           .others_percent = -1,
                                           .stolen_percent = -1,
                                           .waited_percent = -1,
                                           .throttled_percent = -1,
                                           .foreign_percent = -1};

void busy_among(struct busy_evidence *e, unsigned processes)
{
    double beside = (processes - 1) * e->own_percent;
    if (e->others_percent < 0)
        return;
    e->own_percent = fmin(100, e->own_percent + beside);
    e->others_percent = rest_of(e->others_percent, beside);
}

void busy_keep_busier(struct busy_evidence *most, const struct busy_evidence *other)
{
    bool is_alike = busy_is(other) == busy_is(most);
    if (is_alike ? other->others_percent > most->others_percent : busy_is(other))
        *most = *other;
}

static void print_mark(FILE *out, bool is_busy, int from)
{
    if (is_busy)
        fprintf(out, " (busy from %d %%)", from);
}

void busy_words(char text[static BUSY_TEXT], const struct busy_evidence *e)
{
    const struct {
        double percent;
        bool is_busy;
        int from;
        const char *what, *of;
    } figures[] = {
        {e->waited_percent, waited_for_others(e), BUSY_WAITED, "a thread waited for a CPU",
         "of the time"},
        {e->throttled_percent, e->throttled_percent >= BUSY_THROTTLED, BUSY_THROTTLED,
         "a quota held the program back", "of the time"},
        {e->foreign_percent, e->foreign_percent >= BUSY_FOREIGN, BUSY_FOREIGN, "others moved",
         "of the device's bytes"},
    };
    text[0] = '\0';
    FILE *out = fmemopen(text, BUSY_TEXT, "w");
    if (!out)
        return;
    fprintf(out, "%s: others used ", busy_is(e) ? "busy" : "not busy");
    if (e->others_percent < 0)
        fputs("an unknown share of the CPUs", out);
    else
        fprintf(out, "%.0f %%", floor(e->others_percent));
    if (e->stolen_percent >= 1)
        fprintf(out, " and the host took %.0f %%", floor(e->stolen_percent));
    if (e->others_percent >= 0)
        fprintf(out, " of %u CPU%s", e->cpus, e->cpus == 1 ? "" : "s");
    print_mark(out, lacks_cpus(e), BUSY_CPUS);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (figures[i].percent < 1)
            continue;
        fprintf(out, "; %s %.0f %% %s", figures[i].what, floor(figures[i].percent), figures[i].of);
        print_mark(out, figures[i].is_busy, figures[i].from);
    }
    fclose(out);
}
