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

static struct name_text name_of(struct watch *w, int process)
{
    struct name_text name;
    char clean[PERSON_NAME] = "";
    const struct person *one = watch_person(w, process);
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

/* Why the slowest calls of a kind were slow, and because of whom. */
static int print_answer(FILE *out, struct watch *w, unsigned kind, const char *target,
                        uint64_t elapsed_ns, struct err *e)
{
    const struct call_stats *stats = &w->stats[kind];
    struct tail_summary summary = {.note = ""};
    struct tail_spans sum = {0}; /* by cause, and by process of others */
    uint64_t all_ns = 0;
    uint64_t least_ns = UINT64_MAX;
    char line[1024] = "Of that time";
    const char *between = ": ";
    int rc = tail_summary_make(&summary, &stats->slowest, &stats->latencies, w->start_ns);
    if (rc != 0)
        return err_system(e, -rc, "allocate memory for slow calls");
    for (size_t n = 0; n < summary.examined; n++) {
        const struct tail_record *r = &summary.records[n];
        all_ns += r->latency_ns;
        least_ns = r->latency_ns < least_ns ? r->latency_ns : least_ns;
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
            sum.ns[cause] += r->spans.ns[cause];
        for (unsigned i = 0; i < TAIL_BLAMED && r->spans.blamed[i].thread != 0; i++) {
            const struct person *by = watch_person(w, r->spans.blamed[i].thread);
            if (by && !by->is_kernel && !by->is_followed)
                tail_blame(&sum, by->process, r->spans.blamed[i].ns);
        }
    }
    fprintf(out, "%s, %s: the slowest %zu of %" PRIu64 " %s took %s or more.\n",
            printable(target).text, units_time(elapsed_ns).text, summary.examined, summary.ops,
            call_kinds[kind].name, units_time(least_ns).text);
    tail_summary_release(&summary);
    for (;;) {
        enum tail_cause cause = tail_largest(&sum);
        double share = percent(sum.ns[cause], all_ns);
        if (share < LEAST_CAUSE_PERCENT)
            break;
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%.0f %% %s%s", between, share,
                 cause == CAUSE_UNKNOWN ? "not known" : "they ",
                 cause == CAUSE_UNKNOWN ? "" : tail_causes[cause].words);
        sum.ns[cause] = 0; /* told */
        between = "; ";
    }
    strcat(line, ".");
    print_wrapped(out, 0, line);
    line[0] = '\0';
    for (;;) {
        struct tail_blame *most = &sum.blamed[0];
        for (unsigned i = 1; i < TAIL_BLAMED; i++)
            if (sum.blamed[i].ns > most->ns)
                most = &sum.blamed[i];
        double share = percent(most->ns, all_ns);
        if (share < LEAST_PERCENT)
            break;
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%.0f %% because of %s", used > 0 ? "; " : "",
                 share, name_of(w, most->thread).text);
        most->ns = 0; /* told */
    }
    strcat(line, *line ? "." : "Nobody else was seen to be the reason.");
    print_wrapped(out, 0, line);
    return 0;
}

static int longest_first(const void *a, const void *b)
{
    const struct file *first = a;
    const struct file *second = b;
    return (first->waited_ns < second->waited_ns) - (first->waited_ns > second->waited_ns);
}

/* Most writers that are printed of a device. */
#define WRITERS_PRINTED 3

static void print_storage(FILE *out, struct watch *w, struct storage *s)
{
    char line[1024];
    char bytes[UNITS_TEXT];
    struct device_counters now;
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
        struct storage_user *most = &s->users[0];
        for (unsigned i = 1; i < STORAGE_USERS; i++)
            if (s->users[i].written > most->written)
                most = &s->users[i];
        if (most->written == 0)
            break;
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s %s %.0f %%",
                 n > 0 ? "," : ":", name_of(w, most->process).text,
                 percent(most->written, s->written));
        most->written = 0; /* told */
    }
    print_wrapped(out, 0, line);
}

/* Fewest calls of which one in a hundred can be shown. */
#define FOR_P99 100

/* Most files that are printed. */
#define FILES_PRINTED 10

int report_print(FILE *out, struct watch *w, const char *target, uint64_t elapsed_ns, bool by_file,
                 struct err *e)
{
    char bytes[UNITS_TEXT];
    unsigned slowest = 0; /* the kind whose calls took most time */
    for (unsigned i = 1; i < call_kind_count; i++)
        if (w->stats[i].latencies.sum > w->stats[slowest].latencies.sum)
            slowest = i;
    if (w->stats[slowest].latencies.count == 0)
        return 0;
    int rc = print_answer(out, w, slowest, target, elapsed_ns, e);
    if (rc != 0)
        return rc;
    fprintf(out, "\n%-15s %9s %10s %9s %9s %9s %9s\n", "", "calls", "bytes", "p50", "p99", "max",
            "in all");
    for (unsigned i = 0; i < call_kind_count; i++) {
        const struct call_stats *s = &w->stats[i];
        const struct histogram *h = &s->latencies;
        if (h->count == 0)
            continue;
        units_format_readable(bytes, s->bytes);
        if (call_kinds[i].type != CALL_TRANSFER)
            strcpy(bytes, "-");
        fprintf(out, "%-15s %9" PRIu64 " %10s %9s %9s %9s %9s\n", call_kinds[i].name, h->count,
                bytes, units_time(histogram_percentile(h, 50)).text,
                h->count >= FOR_P99 ? units_time(histogram_percentile(h, 99)).text : "-",
                units_time(h->maximum).text, units_time(h->sum).text);
    }
    if (by_file) {
        qsort(w->files, w->file_count, sizeof *w->files, longest_first);
        fprintf(out, "\n%9s %9s  file\n", "calls", "in all");
    }
    for (unsigned i = 0; by_file && i < w->file_count && i < FILES_PRINTED && w->files[i].calls > 0;
         i++)
        fprintf(out, "%9" PRIu64 " %9s  %s\n", w->files[i].calls,
                units_time(w->files[i].waited_ns).text, printable(w->files[i].path).text);
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
