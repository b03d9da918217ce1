// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/bonwhy.h"

#include <signal.h>

#include "bonwhy/watch.h"
#include "cli/parser.h"
#include "cli/rows.h"
#include "live/progress.h"
#include "measure/clock.h"
#include "report/document.h"
#include "report/json_object.h"
#include "report/page.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/descriptor.h"

struct settings {
    const char *target; /* NULL: the command */
    char **command;     /* NULL: the target */
    struct optional time;
    enum { BY_CALL, BY_FILE } by;
    const char *user;
    const char *group;
    const char *output;
    const char *profile;
    const char *page;
    const char *label;
    struct optional slowest;
    bool json, quiet, cleanup, trusts_directory;
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
    {COUNT("slowest", "N", slowest, 1, MAX_TAIL),
     .help = "explain the N slowest calls (default: one in a thousand, at least 10)"},
    {OPTION_JSON(json)},
    {OPTION_HTML(page)},
    {OPTION_LABEL(label)},
    {OPTION_OUTPUT(output)},
    {OUTPUT_FILE("profile", "FILE", profile), .accepted = "the path of a file",
     .help = "write what the target does as a profile for bonload -good-for=FILE"},
    {OPTION_QUIET(quiet)},
    {OPTION_TRUST(trusts_directory)},
    {OPTION_CLEANUP(cleanup)},
    OPTIONS_ABOUT,
};

#define USAGE                                                                                      \
    "Usage: bonwhy [OPTION]... PID | UNIT | CONTROL-GROUP\n"                                       \
    "       bonwhy [OPTION]... -- COMMAND [ARGUMENT]...\n"                                         \
    "Say why a program waits for its storage, and who makes it wait. Requires root.\n\n"

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

#define LEAST_PERCENT       5.0 /* share of the slow calls' time from which on one is named for it */
#define LEAST_CAUSE_PERCENT 0.5 /* causes below this share are left out */
#define WRITERS_PRINTED     3   /* most writers of a device */
#define FILES_PRINTED       10
#define RATE_COSTS          50000 /* calls a second: from here on, watching them can be noticed */

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* A process with its number: "rsyslogd (pid 640)"; a thread of the kernel: "kworker/0:1". */
static struct label_text name_of(struct watch *w, int process)
{
    struct label_text name = {""};
    char clean[PERSON_NAME] = "";
    const struct person *one = watch_person(w, process);
    if (one)
        sanitize_clean(clean, sizeof clean, one->name);
    if (!one || clean[0] == '\0')
        label_add(&name, "pid %d, which has ended", process);
    else if (one->is_kernel)
        label_add(&name, "%s", clean);
    else
        label_add(&name, "%s (pid %d)", clean, process);
    return name;
}

/* Appends a process and its share of a time, in percent, or of bytes. */
static void append_share(json_t **array, struct watch *w, int process, const char *key,
                         json_t *share)
{
    const struct person *one = watch_person(w, process);
    json_t *object = json_object();
    put_known(&object, "name", one ? one->name : "");
    put_count(&object, "pid", (uint64_t)process);
    put_value(&object, key, share);
    append_value(array, object);
}

/* Why the slowest calls of the kind that took most time were slow, and because of whom. */
struct answer {
    const char *target;
    uint64_t elapsed_ns;
    const struct call_kind *kind;
    struct tail_summary slow; /* the caller releases it */
    uint64_t least_ns;        /* the fastest of them */
    uint64_t all_ns;          /* the time of all of them */
    struct tail_spans by;     /* of that: each cause, and processes instead of threads */
};

static int make_answer(struct answer *a, struct watch *w, struct err *e)
{
    unsigned kind = 0;
    for (unsigned i = 1; call_kinds[i].name; i++)
        if (w->stats[i].latencies.sum > w->stats[kind].latencies.sum)
            kind = i;
    a->kind = &call_kinds[kind];
    a->slow = (struct tail_summary){.note = "", .slowest = w->slowest};
    a->least_ns = UINT64_MAX;
    int rc = tail_summary_make(&a->slow, &w->stats[kind].slowest, &w->stats[kind].latencies,
                               w->start_ns);
    if (rc != 0)
        return err_system(e, -rc, "allocate memory for slow calls");
    for (size_t n = 0; n < a->slow.examined; n++) {
        const struct tail_record *r = &a->slow.records[n];
        a->all_ns += r->latency_ns;
        a->least_ns = r->latency_ns < a->least_ns ? r->latency_ns : a->least_ns;
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
            a->by.ns[cause] += r->spans.ns[cause];
        for (unsigned i = 0; i < TAIL_BLAMED && r->spans.blamed[i].thread != 0; i++) {
            const struct person *by = watch_person(w, r->spans.blamed[i].thread);
            if (by && !by->is_kernel && !by->is_followed)
                tail_share_add(a->by.blamed, TAIL_BLAMED, by->process, r->spans.blamed[i].amount);
        }
    }
    return 0;
}

static struct label_text answer_words(struct watch *w, const struct answer *a)
{
    struct label_text words = {""};
    struct tail_spans left = a->by;
    enum tail_cause told = CAUSE_UNKNOWN;
    const char *between = " In";
    const char *they = " of that time they";
    label_add(&words, "%.200s, %s: the slowest %zu of %" PRIu64 " %s calls took %s or more.",
              printable(a->target).text, units_time(a->elapsed_ns).text, a->slow.examined,
              a->slow.ops, a->kind->name, units_time(a->least_ns).text);
    for (;; between = ", in") {
        enum tail_cause cause = tail_largest(&left);
        double share = percent(left.ns[cause], a->all_ns);
        if (share < LEAST_CAUSE_PERCENT)
            break;
        if (cause == CAUSE_UNKNOWN && *they)
            they = " of that time they waited"; /* nobody knows for what */
        label_add(&words, "%s %.0f %%%s %s", between, share, they, tail_cause_words(cause, told));
        told = cause == CAUSE_UNKNOWN ? told : cause;
        they = "";
        left.ns[cause] = 0; /* told */
    }
    between = ". ";
    for (unsigned i = 0; i < TAIL_BLAMED; i++) {
        double share = percent(a->by.blamed[i].amount, a->all_ns);
        if (share < LEAST_PERCENT)
            continue;
        label_add(&words, "%s%.0f %%%s because of %s", between, share,
                  *between == '.' ? " of it was" : "",
                  a->by.blamed[i].thread == getpid() ? "bonwhy, which watches them"
                                                     : name_of(w, a->by.blamed[i].thread).text);
        between = "; ";
    }
    label_add(&words, "%s", *between == ';' ? "." : ". Nobody else was seen to be the reason.");
    return words;
}

static int longest_first(const void *a, const void *b)
{
    const struct file *first = a;
    const struct file *second = b;
    return (first->waited_ns < second->waited_ns) - (first->waited_ns > second->waited_ns);
}

/* How busy a storage's device was since it was first seen, in percent; -1: not known. */
static double busy_percent(const struct storage *s)
{
    struct device_counters now;
    device_read(&s->devices, &now);
    now = device_since(&now, &s->before);
    return now.known ? device_busy_percent(&now, clock_ns() - s->since_ns) : -1;
}

static void print_report(FILE *out, struct watch *w, const struct answer *a, bool by_file)
{
    print_wrapped(out, 0, answer_words(w, a).text);
    if ((double)w->counted * 1e9 > (double)RATE_COSTS * (double)a->elapsed_ns)
        fprintf(out, "More than %d k calls a second: the target was slower than without bonwhy.\n",
                RATE_COSTS / 1000);
    if (w->history.lost_events > 0)
        fprintf(out, "Not seen: %.3g %% of the events were lost.\n",
                percent(w->history.lost_events, w->history.seen_events + w->history.lost_events));
    facts_print(out, "", &w->facts);
    fprintf(out, "\n%-15s %9s %10s %9s %9s %9s %9s\n", "", "calls", "bytes", "p50", "p99", "max",
            "in all");
    for (unsigned i = 0; call_kinds[i].name; i++) {
        const struct call_stats *s = &w->stats[i];
        const struct histogram *h = &s->latencies;
        if (h->count == 0)
            continue;
        fprintf(out, "%-15s %9" PRIu64 " %10s %9s %9s %9s %9s\n", call_kinds[i].name, h->count,
                call_kinds[i].type == CALL_TRANSFER ? units_bytes(s->bytes).text : "-",
                units_known_time(histogram_known_percentile(h, 50)).text,
                units_known_time(histogram_known_percentile(h, 99)).text,
                units_time(h->maximum).text, units_time(h->sum).text);
    }
    if (by_file)
        fprintf(out, "\n%9s %9s  file\n", "calls", "in all");
    for (unsigned i = 0; by_file && i < w->file_count && i < FILES_PRINTED && w->files[i].calls > 0;
         i++)
        fprintf(out, "%9" PRIu64 " %9s  %s\n", w->files[i].calls,
                units_time(w->files[i].waited_ns).text, printable(w->files[i].path).text);
    fputc('\n', out);
    for (const struct storage *s = w->storages; s < w->storages + w->storage_count; s++) {
        struct label_text line = {""};
        if (s->devices.count == 0)
            continue;
        const double busy = busy_percent(s);
        label_add(&line, "%.200s: ", printable(s->devices.name).text);
        if (busy >= 0)
            label_add(&line, "busy %.3g %%; ", busy);
        label_add(&line, "%" PRIu64 " flush%s; %s written", s->flushes, s->flushes == 1 ? "" : "es",
                  units_bytes(s->written).text);
        for (unsigned n = 0; n < WRITERS_PRINTED && s->writers[n].thread != 0 &&
                             percent(s->writers[n].amount, s->written) >= 1;
             n++)
            label_add(&line, "%s %s %.0f %%", n > 0 ? "," : ":",
                      name_of(w, s->writers[n].thread).text,
                      percent(s->writers[n].amount, s->written));
        print_wrapped(out, 0, line.text);
    }
    if (w->unknown > 0)
        fprintf(out, "Not counted: %" PRIu64 " reads and writes of what was closed at once.\n",
                w->unknown);
}

/* The report in JSON; `a` is NULL if there was no call. */
static json_t *report_json(struct watch *w, const struct settings *s, const struct answer *a,
                           uint64_t elapsed_ns)
{
    json_t *settings = json_object();
    json_t *calls = json_array();
    json_t *files = json_array();
    json_t *devices = json_array();
    put_text(&settings, "target", s->command ? s->command[0] : s->target);
    put_known_real(&settings, "time_seconds", s->time.given ? (double)s->time.value / 1e9 : -1);
    put_known_count(&settings, "slowest", s->slowest.value);
    json_t *object = document_begin(&(struct document){
        .format = "bonwhy",
        .label = s->label,
        .elapsed_seconds = (double)elapsed_ns / 1e9,
        .storage = storage_json(&(struct mount_info){.root = ""}, &w->devices, &w->facts),
        .settings = settings});
    json_t *answer = a ? json_object() : json_null();
    if (a) {
        json_t *causes = json_object();
        json_t *others = json_array();
        json_t *operations = json_array();
        put_text(&answer, "reason", answer_words(w, a).text);
        put_text(&answer, "call", a->kind->name);
        PUT_COUNTS(&answer, {"examined", a->slow.examined}, {"above_ns", a->least_ns},
                   {"in_all_ns", a->all_ns});
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
            put_real(&causes, tail_causes[cause].name, percent(a->by.ns[cause], a->all_ns));
        put_value(&answer, "percent", causes);
        for (unsigned i = 0; i < TAIL_BLAMED; i++) {
            double share = percent(a->by.blamed[i].amount, a->all_ns);
            if (share >= LEAST_PERCENT)
                append_share(&others, w, a->by.blamed[i].thread, "percent", json_real(share));
        }
        put_value(&answer, "others", others);
        for (size_t i = 0; i < a->slow.examined; i++) {
            const struct tail_record *r = &a->slow.records[i];
            json_t *one = json_object();
            put_real(&one, "seconds", (double)r->start_ns / 1e9);
            put_count(&one, "latency_ns", r->latency_ns);
            put_text(&one, "cause", tail_causes[r->cause].name);
            append_value(&operations, one);
        }
        put_value(&answer, "operations", operations);
    }
    put_value(&object, "answer", answer);
    for (unsigned i = 0; call_kinds[i].name; i++) {
        const struct histogram *h = &w->stats[i].latencies;
        const struct latencies latencies = latencies_of(h);
        if (h->count == 0)
            continue;
        json_t *one = json_object();
        json_t *latency = json_object();
        put_text(&one, "call", call_kinds[i].name);
        PUT_COUNTS(&one, {"calls", h->count}, {"bytes", w->stats[i].bytes}, {"in_all_ns", h->sum});
        put_latencies(&latency, &latencies);
        put_value(&one, "latency_ns", latency);
        append_value(&calls, one);
    }
    for (unsigned i = 0; i < w->file_count && i < FILES_PRINTED && w->files[i].calls > 0; i++) {
        json_t *one = json_object();
        put_text(&one, "path", w->files[i].path);
        PUT_COUNTS(&one, {"calls", w->files[i].calls}, {"in_all_ns", w->files[i].waited_ns});
        append_value(&files, one);
    }
    for (const struct storage *on = w->storages; on < w->storages + w->storage_count; on++) {
        if (on->devices.count == 0)
            continue;
        json_t *one = json_object();
        json_t *writers = json_array();
        put_text(&one, "name", on->devices.name);
        put_known_real(&one, "busy_percent", busy_percent(on));
        PUT_COUNTS(&one, {"flushes", on->flushes}, {"written_bytes", on->written});
        for (unsigned i = 0; i < WRITERS && on->writers[i].thread != 0; i++)
            append_share(&writers, w, on->writers[i].thread, "written_bytes",
                         json_integer((json_int_t)on->writers[i].amount));
        put_value(&one, "writers", writers);
        append_value(&devices, one);
    }
    put_value(&object, "calls", calls);
    put_value(&object, "files", files);
    put_value(&object, "devices", devices);
    PUT_COUNTS(&object, {"seen_events", w->history.seen_events},
               {"lost_events", w->history.lost_events}, {"not_counted", w->unknown});
    return object;
}

struct outputs {
    struct output report, profile;
    struct html_page page;
};

static int watch_and_report(const struct settings *s, struct target *t, struct outputs *o,
                            struct err *e)
{
    char *json = NULL;
    char text[96];
    struct progress_lines lines;
    struct progress_bar bar = {.title = "watching"};
    const char *name = s->command ? s->command[0] : s->target;
    uint64_t most_ns = optional_or(s->time, s->command ? UINT64_MAX : 60 * BILLION);
    struct watch *w = calloc(1, sizeof *w); /* too large for the stack */
    if (!w)
        return err_system(e, ENOMEM, "allocate memory for events");
    w->takes_notes = s->profile;
    w->slowest = s->slowest.value;
    int rc = watch_open(w, t, e);
    progress_lines_init(&lines, s->quiet);
    if (rc == 0)
        descriptor_close(&t->gate); /* a command begins now */
    for (unsigned n = 1;
         rc == 0 && !stop_requested() && clock_ns() - w->start_ns < most_ns && !target_has_ended(t);
         n++) {
        clock_sleep(20 * MILLION);
        watch_read(w);
        if (n % 50 != 0) /* once a second */
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
        watch_end(w);
    uint64_t elapsed_ns = clock_ns() - w->start_ns;
    bool has_calls = w->counted > 0;
    const struct person *process = s->command ? NULL : watch_person(w, t->process);
    int refused = 0;
    if (rc == 0 && s->profile && has_calls)
        refused =
            profile_write(o->profile.stream, w, process ? process->name : name, elapsed_ns, e);
    struct answer answer = {.target = name, .elapsed_ns = elapsed_ns};
    if (rc == 0 && has_calls)
        rc = make_answer(&answer, w, e);
    qsort(w->files, w->file_count, sizeof *w->files, longest_first);
    if (rc == 0 && (s->json || s->page)) {
        json =
            document_end(report_json(w, s, has_calls ? &answer : NULL, elapsed_ns), JSON_INDENT(2));
        rc = json ? 0 : err_system(e, ENOMEM, "allocate memory for the JSON report");
    }
    if (rc == 0 && s->json)
        fprintf(o->report.stream, "%s\n", json);
    else if (rc == 0 && has_calls)
        print_report(o->report.stream, w, &answer, s->by == BY_FILE);
    tail_summary_release(&answer.slow);
    if (rc == 0)
        rc = output_finish(&o->report, e);
    if (rc == 0 && s->page && has_calls)
        rc = html_page_write(&o->page, json, e);
    if (rc == 0)
        rc = s->profile && has_calls && refused == 0 ? output_finish(&o->profile, e) : refused;
    if (rc == 0 && !has_calls) {
        message("in %s %s made no call that asks anything of storage", units_time(elapsed_ns).text,
                name);
        rc = STATUS_NOT_KNOWN;
    }
    free(json);
    watch_close(w);
    free(w);
    return rc;
}

int bonwhy(int argc, char *argv[], struct err *e)
{
    struct settings s = {.target = NULL};
    struct outputs o = {.report.stream = NULL};
    struct target t;
    struct identity id;
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
        rc = stop_init(e);
    if (rc == 0)
        stop_keeps_readers();
    if (rc == 0 && !s.command)
        rc = target_find(&t, s.target, e);
    if (rc == 0)
        rc = output_open(&o.report, s.output, false, e);
    if (rc == 0 && s.profile)
        rc = output_open(&o.profile, s.profile, false, e);
    if (rc == 0 && s.page)
        rc = html_page_open(&o.page, "--html", s.page, e);
    if (rc == 0 && s.command)
        rc = privilege_resolve(&id, s.user, s.group, e);
    if (rc == 0 && s.command)
        rc = target_start(&t, s.command, &id, e);
    if (rc == 0) {
        rc = watch_and_report(&s, &t, &o, e);
        if (rc < 0 && s.command)
            stop_request();
        int status = s.command ? target_wait(&t) : rc;
        rc = rc < 0 ? rc : status;
    }
    output_discard(&o.report);
    output_discard(&o.profile);
    html_page_close(&o.page);
    if (stop_signal() == SIGINT && rc >= 0)
        stop_forget();
    return rc < 0 && s.command ? 125 : rc; /* a failure of its own, not the command's */
}
