// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "util/printable.h"
#include "util/units.h"

/* Who is named: who caused at least this share of the slow calls' time. */
#define LEAST_PERCENT 5.0

/* Causes below this share are left out. */
#define LEAST_CAUSE_PERCENT 0.5

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* A process with its number: "rsyslogd (pid 640)"; a thread of the kernel: "kworker/0:1". */
struct name_text {
    char text[64];
};

static struct name_text name_of(const struct watch *w, int process)
{
    struct name_text name;
    char clean[PERSON_NAME] = "";
    struct people people = w->people; /* which has it already */
    const struct person *one = people_find(&people, process);
    if (one)
        sanitize_clean(clean, sizeof clean, one->name);
    if (!one || clean[0] == '\0')
        snprintf(name.text, sizeof name.text, "pid %d, which has ended", process);
    else if (one->is_kernel)
        snprintf(name.text, sizeof name.text, "%s", clean);
    else
        snprintf(name.text, sizeof name.text, "%s (pid %d)", clean, process);
    return name;
}

/* Adds up, by process, for how long others made the slowest calls wait. */
static void add_others(struct tail_spans *sum, const struct watch *w, const struct tail_record *r)
{
    struct people people = w->people;
    for (unsigned i = 0; i < TAIL_BLAMED && r->spans.blamed[i].thread != 0; i++) {
        const struct person *by = people_find(&people, r->spans.blamed[i].thread);
        if (by && !by->is_kernel && !by->is_followed)
            tail_blame(sum, by->process, r->spans.blamed[i].ns);
    }
}

/* The largest part; those that were told are 0. */
static struct tail_blame *largest_blame(struct tail_spans *sum)
{
    struct tail_blame *largest = &sum->blamed[0];
    for (unsigned i = 1; i < TAIL_BLAMED; i++)
        if (sum->blamed[i].ns > largest->ns)
            largest = &sum->blamed[i];
    return largest;
}

static void print_causes(FILE *out, struct tail_spans *sum, uint64_t all_ns)
{
    char line[1024] = "Of that time";
    const char *between = ": ";
    for (;;) {
        enum tail_cause cause = tail_largest(sum);
        double share = percent(sum->ns[cause], all_ns);
        if (share < LEAST_CAUSE_PERCENT)
            break;
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%.0f %% %s%s", between, share,
                 cause == CAUSE_UNKNOWN ? "not known" : "they ",
                 cause == CAUSE_UNKNOWN ? "" : tail_causes[cause].words);
        sum->ns[cause] = 0;
        between = "; ";
    }
    strcat(line, ".");
    print_wrapped(out, 0, line);
}

static void print_others(FILE *out, const struct watch *w, struct tail_spans *sum, uint64_t all_ns)
{
    char line[1024] = "";
    for (;;) {
        struct tail_blame *most = largest_blame(sum);
        double share = percent(most->ns, all_ns);
        if (share < LEAST_PERCENT)
            break;
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%.0f %% because of %s", used > 0 ? "; " : "",
                 share, name_of(w, most->thread).text);
        most->ns = 0;
    }
    if (line[0] == '\0')
        strcpy(line, "Nobody else was seen to be the reason");
    strcat(line, ".");
    print_wrapped(out, 0, line);
}

static int print_answer(FILE *out, const struct watch *w, int kind, const char *target,
                        uint64_t elapsed_ns, struct err *e)
{
    const struct call_stats *stats = &w->stats[kind];
    struct tail_summary summary = {.note = ""};
    struct tail_spans sum = {0};
    uint64_t all_ns = 0;
    int rc = tail_summary_make(&summary, &stats->slowest, &stats->latencies, w->start_ns);
    if (rc != 0)
        return err_system(e, -rc, "allocate memory for slow calls");
    uint64_t least_ns = UINT64_MAX;
    for (size_t i = 0; i < summary.examined; i++) {
        const struct tail_record *r = &summary.records[i];
        all_ns += r->latency_ns;
        least_ns = r->latency_ns < least_ns ? r->latency_ns : least_ns;
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
            sum.ns[cause] += r->spans.ns[cause];
        add_others(&sum, w, r);
    }
    fprintf(out, "%s, %s: the slowest %zu of %" PRIu64 " %s took %s or more.\n",
            printable(target).text, units_time(elapsed_ns).text, summary.examined, summary.ops,
            call_kind((unsigned)kind)->name, units_time(least_ns).text);
    tail_summary_release(&summary);
    print_causes(out, &sum, all_ns);
    print_others(out, w, &sum, all_ns);
    return 0;
}

/* Fewest calls of which one in a hundred can be shown. */
#define FOR_P99 100

static void print_calls(FILE *out, const struct watch *w)
{
    char bytes[UNITS_TEXT];
    fprintf(out, "\n%-15s %9s %10s %9s %9s %9s %9s\n", "", "calls", "bytes", "p50", "p99", "max",
            "in all");
    for (unsigned i = 0; i < call_kinds; i++) {
        const struct call_stats *s = &w->stats[i];
        const struct histogram *h = &s->latencies;
        if (h->count == 0)
            continue;
        units_format_readable(bytes, s->bytes);
        if (call_kind(i)->type != CALL_TRANSFER)
            strcpy(bytes, "-");
        fprintf(out, "%-15s %9" PRIu64 " %10s %9s %9s %9s %9s\n", call_kind(i)->name, h->count,
                bytes, units_time(histogram_percentile(h, 50)).text,
                h->count >= FOR_P99 ? units_time(histogram_percentile(h, 99)).text : "-",
                units_time(h->maximum).text, units_time(h->sum).text);
    }
}

/* Most files that are printed. */
#define FILES_PRINTED 10

static int longest_first(const void *a, const void *b)
{
    const struct file *const *first = a;
    const struct file *const *second = b;
    return ((*first)->waited_ns < (*second)->waited_ns) -
           ((*first)->waited_ns > (*second)->waited_ns);
}

static int print_files(FILE *out, const struct watch *w, struct err *e)
{
    const struct file **files = calloc(FILES_MOST, sizeof *files);
    if (!files)
        return err_system(e, ENOMEM, "allocate memory for files");
    for (unsigned i = 0; i < w->file_count; i++)
        files[i] = &w->files[i];
    qsort(files, w->file_count, sizeof *files, longest_first);
    fprintf(out, "\n%9s %9s  file\n", "calls", "in all");
    for (unsigned i = 0; i < w->file_count && i < FILES_PRINTED && files[i]->calls > 0; i++)
        fprintf(out, "%9" PRIu64 " %9s  %s\n", files[i]->calls,
                units_time(files[i]->waited_ns).text, printable(files[i]->path).text);
    free(files);
    return 0;
}

/* Most writers that are printed of a device. */
#define WRITERS_PRINTED 3

static void print_storage(FILE *out, const struct watch *w, const struct storage *s)
{
    char line[1024];
    char bytes[UNITS_TEXT];
    struct device_counters now;
    struct storage_user users[STORAGE_USERS];
    memcpy(users, s->users, sizeof users);
    device_read(&s->devices, &now);
    now = device_since(&now, &s->before);
    snprintf(line, sizeof line, "%.200s: ", printable(s->devices.name).text);
    if (now.known)
        snprintf(line + strlen(line), sizeof line - strlen(line), "busy %.3g %%; ",
                 device_busy_percent(&now, clock_ns() - s->since_ns));
    units_format_readable(bytes, s->written);
    snprintf(line + strlen(line), sizeof line - strlen(line), "%" PRIu64 " flushes; %s written",
             s->flushes, bytes);
    for (unsigned n = 0; n < WRITERS_PRINTED; n++) {
        struct storage_user *most = &users[0];
        for (unsigned i = 1; i < STORAGE_USERS; i++)
            if (users[i].written > most->written)
                most = &users[i];
        if (most->written == 0)
            break;
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s %s %.0f %%",
                 n > 0 ? "," : ":", name_of(w, most->process).text,
                 percent(most->written, s->written));
        most->written = 0;
    }
    print_wrapped(out, 0, line);
}

int report_print(FILE *out, const struct watch *w, const char *target, uint64_t elapsed_ns,
                 bool by_file, struct err *e)
{
    int kind = watch_slowest_kind(w);
    if (kind < 0)
        return 0;
    int rc = print_answer(out, w, kind, target, elapsed_ns, e);
    if (rc == 0)
        print_calls(out, w);
    if (rc == 0 && by_file)
        rc = print_files(out, w, e);
    if (rc != 0)
        return rc;
    fputc('\n', out);
    for (unsigned i = 0; i < w->storage_count; i++)
        if (w->storages[i].devices.count > 0)
            print_storage(out, w, &w->storages[i]);
    if (w->lost_events > 0)
        fprintf(out, "Not seen: %.2g %% of the events were lost.\n",
                percent(w->lost_events, w->seen_events + w->lost_events));
    if (w->unknown > 0)
        fprintf(out, "Not counted: %" PRIu64 " reads and writes of what was closed at once.\n",
                w->unknown);
    return 0;
}
