// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/bonwhy.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonwhy/target.h"
#include "bonwhy/watch.h"
#include "cli/parser.h"
#include "cli/rows.h"
#include "live/progress.h"
#include "measure/clock.h"
#include "sys/output.h"
#include "sys/path.h"
#include "sys/privilege.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/printable.h"
#include "util/units.h"

struct settings {
    const char *target; /* NULL: the command */
    char **command;     /* NULL: the target */
    struct optional time;
    enum { BY_CALL, BY_FILE } by;
    const char *user;
    const char *group;
    const char *output;
    bool quiet;
    bool cleanup;
    bool trusts_directory;
};

#define FIELD(name) offsetof(struct settings, name)

static int take_target(void *settings, const char *word, struct err *e)
{
    struct settings *s = settings;
    if (s->target)
        return err_say(e, "unexpected argument '%.100s'; only one TARGET is taken", word);
    s->target = word;
    return 0;
}

static const char *const groupings[] = {"call", "file", NULL};

static const struct option_entry entries[] = {
    {DURATION("time", time, 1),
     .help = "how long to watch (default: 60s, or until the command ends)"},
    {VALUE("by", "WHAT", OPTION_WORD, by), .words = groupings,
     .help = "print the waits of each %s, too (default: call)"},
    {OPTION_USER(user)},
    {OPTION_GROUP(group)},
    {OPTION_OUTPUT(output)},
    {OPTION_QUIET(quiet)},
    {OPTION_TRUST(trusts_directory)},
    {OPTION_CLEANUP(cleanup)},
    OPTIONS_ABOUT,
};

#define USAGE                                                                                      \
    "Usage: bonwhy [OPTION]... PID | UNIT | CONTROL-GROUP\n"                                       \
    "       bonwhy [OPTION]... -- COMMAND [ARGUMENT]...\n"                                         \
    "Say why a program waits for its storage, and because of whom. Needs root.\n\n"

static const struct option_table option_table = {
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .usage = USAGE,
    .brief = USAGE "Why is the database slow?   bonwhy postgresql@15-main.service\n"
                   "And this program?           bonwhy -- tar xf linux.tar\n\n"
                   "bonwhy --help lists all options; the manual is bonwhy(8).\n",
    .closing = "\nThe manual is bonwhy(8).\n",
    .operand = take_target,
};

/* ---- the report ------------------------------------------------------------------------------ */

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

/* Most files that are printed. */
#define FILES_PRINTED 10

/* Prints the answer, the calls, the files if `by_file`, and the devices; what is told leaves w. */
static int print_report(FILE *out, struct watch *w, const char *target, uint64_t elapsed_ns,
                        bool by_file, struct err *e)
{
    char bytes[UNITS_TEXT];
    unsigned slowest = 0; /* the kind whose calls took most time */
    for (unsigned i = 1; call_kinds[i].name; i++)
        if (w->stats[i].latencies.sum > w->stats[slowest].latencies.sum)
            slowest = i;
    if (w->stats[slowest].latencies.count == 0)
        return 0;
    int rc = print_answer(out, w, slowest, target, elapsed_ns, e);
    if (rc != 0)
        return rc;
    fprintf(out, "\n%-15s %9s %10s %9s %9s %9s %9s\n", "", "calls", "bytes", "p50", "p99", "max",
            "in all");
    for (unsigned i = 0; call_kinds[i].name; i++) {
        const struct call_stats *s = &w->stats[i];
        const struct histogram *h = &s->latencies;
        if (h->count == 0)
            continue;
        units_format_readable(bytes, s->bytes);
        if (call_kinds[i].type != CALL_TRANSFER)
            strcpy(bytes, "-");
        fprintf(out, "%-15s %9" PRIu64 " %10s %9s %9s %9s %9s\n", call_kinds[i].name, h->count,
                bytes, units_known_time(histogram_known_percentile(h, 50)).text,
                units_known_time(histogram_known_percentile(h, 99)).text,
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

/* ---- the run --------------------------------------------------------------------------------- */

/* How often the events are read, and how often the target is looked at, in readings. */
#define READING_NS      20000000
#define READINGS_A_LOOK 50

/* Watches the target to its end, and prints the report. */
static int watch_and_report(const struct settings *s, struct target *t, struct output *o,
                            struct err *e)
{
    char text[96];
    struct progress_lines lines;
    struct progress_bar bar = {.title = "watching"};
    const char *name = s->command ? s->command[0] : s->target;
    uint64_t most_ns = optional_or(s->time, s->command ? UINT64_MAX : 60 * BILLION);
    struct watch *w = calloc(1, sizeof *w); /* too large for the stack */
    if (!w)
        return err_system(e, ENOMEM, "allocate memory for events");
    int rc = watch_open(w, t, e);
    progress_lines_init(&lines, s->quiet);
    if (rc == 0)
        descriptor_close(&t->gate); /* a command begins now */
    for (unsigned n = 1;
         rc == 0 && !stop_requested() && clock_ns() - w->start_ns < most_ns && !target_has_ended(t);
         n++) {
        clock_sleep(READING_NS);
        rc = watch_read(w, e);
        if (n % READINGS_A_LOOK != 0)
            continue;
        watch_follow(w, t);
        snprintf(text, sizeof text, "%s, %" PRIu64 " calls",
                 units_time(clock_ns() - w->start_ns).text, w->counted);
        if (lines.is_live)
            progress_bar_draw_text(&bar, text);
    }
    if (lines.is_live)
        progress_bar_erase(&bar);
    if (rc == 0)
        rc = watch_end(w, e);
    uint64_t elapsed_ns = clock_ns() - w->start_ns;
    if (rc == 0)
        rc = print_report(o->stream, w, name, elapsed_ns, s->by == BY_FILE, e);
    if (rc == 0)
        rc = output_finish(o, e);
    if (rc == 0 && w->counted == 0) {
        err_say(e, "in %s %s made no call that asks anything of storage",
                units_time(elapsed_ns).text, name);
        rc = STATUS_NOT_KNOWN;
    }
    watch_close(w);
    free(w);
    return rc;
}

static int run(const struct settings *s, struct err *e)
{
    struct output output;
    struct target t;
    struct identity id;
    int rc = stop_init(e);
    if (rc != 0)
        return rc;
    stop_keeps_readers();
    if (!s->command)
        rc = target_find(&t, s->target, e);
    if (rc == 0)
        rc = output_open(&output, s->output, e);
    if (rc != 0)
        return rc;
    if (s->command) {
        rc = privilege_resolve(&id, s->user, s->group, e);
        if (rc == 0)
            rc = target_start(&t, s->command, &id, e);
    }
    if (rc == 0) {
        rc = watch_and_report(s, &t, &output, e);
        if (rc < 0 && s->command)
            stop_request();
        int status = s->command ? target_wait(&t) : rc;
        rc = rc < 0 ? rc : status;
    }
    output_discard(&output);
    if (stop_signal() == SIGINT && rc >= 0)
        stop_forget();
    return rc;
}

int bonwhy(int argc, char *argv[], struct err *e)
{
    struct settings s = {.target = NULL};
    for (int i = 1; i + 1 < argc && !s.command; i++) /* the words after `--` are the command */
        if (strcmp(argv[i], "--") == 0) {
            s.command = &argv[i + 1];
            argv[i] = NULL;
            argc = i;
        }
    int rc = cli_parse(&option_table, argc, argv, &s, NULL, stdout, e);
    if (rc == CLI_ANSWERED)
        return 0;
    if (rc == 0 && s.cleanup) {
        tail_trace_cleanup();
        return 0;
    }
    path_trust_movers(s.trusts_directory);
    if (rc == 0 && !s.command && !s.target)
        rc = err_say(e, "TARGET is missing: a pid, a unit, a control group, or -- COMMAND");
    else if (rc == 0 && s.command && s.target)
        rc = err_say(e, "either TARGET '%.100s' or -- COMMAND, not both", s.target);
    else if (rc == 0 && !s.command && (s.user || s.group))
        rc = err_say(e, "%s: only a command that bonwhy starts can have another user",
                     s.user ? "--user" : "--group");
    if (rc == 0)
        rc = run(&s, e);
    return rc < 0 && s.command ? 125 : rc; /* a failure of its own, not the command's */
}
