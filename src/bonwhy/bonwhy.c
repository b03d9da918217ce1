// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/bonwhy.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonwhy/report.h"
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

#define DEFAULT_NS (60 * BILLION)

/* Status of a failure of its own, where the status is that of a command. */
#define STATUS_OWN_FAILURE 125

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
    uint64_t most_ns = optional_or(s->time, s->command ? UINT64_MAX : DEFAULT_NS);
    struct watch *w = malloc(sizeof *w); /* too large for the stack */
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
        rc = report_print(o->stream, w, name, elapsed_ns, s->by == BY_FILE, e);
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
    return rc < 0 && s.command ? STATUS_OWN_FAILURE : rc;
}
