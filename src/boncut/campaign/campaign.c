// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/campaign/campaign.h"

#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "boncut/log.h"
#include "boncut/options.h"
#include "measure/clock.h"
#include "report/document.h"
#include "report/json_object.h"
#include "report/page.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/rng.h"

/* The cuts of a campaign, made from a machine that stays on. The directory of logs has for each cut
 * "0007.promises", "0007.said", what all commands printed, and once it was checked "0007.json". */
struct campaign {
    const struct settings *settings;
    struct path_directory logs; /* the directory of logs */
    struct rng rng;
    char uuid[HEADER_TEXT]; /* of the filesystem that is cut; empty: not known yet */
    struct campaign_sum sum;
    struct html_page page;
    uint64_t begun_ns;
    json_t *cuts; /* a short report of each cut */
    FILE *told;   /* the same as text, in memory, for the report, which begins with the answer */
    bool is_live; /* standard error is a terminal, where progress is one line */
    /* of the cut that is being made */
    unsigned number;
    int said_fd;
    pid_t writer;         /* 0: it is not running */
    struct header header; /* of the log */
    char line[8192];      /* the command for the victim */
};

/* Finds the p of a trial with which at most `number` of `trials` succeed with that probability. */
static double solve_for_p(uint64_t number, uint64_t trials, double probability)
{
    double low = 0;
    double high = 1;
    double n = (double)trials;
    for (int halvings = 0; halvings < 60; halvings++) { /* more than a double has bits */
        double p = (low + high) / 2;
        double sum = 0;
        for (uint64_t successes = 0; successes <= number; successes++) {
            double k = (double)successes;
            sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
                       (n - k) * log1p(-p));
        }
        if (sum > probability)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

double bound_upper(uint64_t seen, uint64_t trials, double probability)
{
    return seen >= trials ? 1 : solve_for_p(seen, trials, probability);
}

double bound_lower(uint64_t seen, uint64_t trials, double probability)
{
    return seen == 0 ? 0 : solve_for_p(seen - 1, trials, 1 - probability);
}

/* Probabilities of error of a one-sided bound, and of each bound of a two-sided interval. */
#define ONE_SIDED 0.05
#define TWO_SIDED 0.025

void campaign_sum_add(struct campaign_sum *sum, enum verdict verdict, enum layer layer,
                      uint64_t promises, uint64_t lost_units)
{
    sum->cuts++;
    sum->unreadable += verdict == VERDICT_UNREADABLE;
    if (verdict == VERDICT_NOT_KNOWN || verdict == VERDICT_UNREADABLE)
        return;
    sum->conclusive++;
    sum->lost += verdict == VERDICT_LOST;
    sum->promises += promises;
    sum->lost_units += lost_units;
    sum->reached_drive += layer == LAYER_DRIVE;
}

void campaign_sum_end(struct campaign_sum *sum)
{
    struct label_text *reason = &sum->reason;
    sum->verdict = sum->lost > 0         ? VERDICT_LOST
                   : sum->unreadable > 0 ? VERDICT_UNREADABLE
                   : sum->conclusive > 0 ? VERDICT_KEPT
                                         : VERDICT_NOT_KNOWN;
    if (sum->verdict == VERDICT_UNREADABLE)
        label_add(reason,
                  "in %" PRIu64 " of %" PRIu64
                  " cuts, promised units cannot be read; nothing is known to be lost.",
                  sum->unreadable, sum->cuts);
    if (sum->verdict == VERDICT_NOT_KNOWN)
        label_add(reason, "none of %" PRIu64 " cuts was shown to have cut anything.", sum->cuts);
    if (sum->verdict == VERDICT_KEPT)
        label_add(reason,
                  "0 of %" PRIu64 " promises lost in %" PRIu64 " cuts, so fewer than %s %% of cuts "
                  "lose anything (95 %% confidence, one-sided)%s",
                  sum->promises, sum->conclusive,
                  units_beside(100 * bound_upper(0, sum->conclusive, ONE_SIDED), 1, 0).text,
                  sum->conclusive < 60 ? "; 60 cuts would make it 4.9 %" : "");
    if (sum->verdict == VERDICT_LOST)
        label_add(reason, "lost in %" PRIu64 " of %" PRIu64 " cuts (95 %% interval: %s to %s %%)",
                  sum->lost, sum->conclusive,
                  units_beside(100 * bound_lower(sum->lost, sum->conclusive, TWO_SIDED), 1, 0).text,
                  units_beside(100 * bound_upper(sum->lost, sum->conclusive, TWO_SIDED),
                               sum->lost < sum->conclusive, 100)
                      .text);
    if (sum->verdict != VERDICT_KEPT && sum->verdict != VERDICT_LOST)
        return;
    if (sum->reached_drive == 0)
        label_add(reason, "; no cut reached the drive's cache, about which nothing is shown");
    else if (sum->reached_drive == sum->conclusive)
        label_add(reason, "; all of these cuts reached the drive's cache");
    else
        label_add(reason, "; %" PRIu64 " of these cuts reached the drive's cache",
                  sum->reached_drive);
    if (sum->cuts > sum->conclusive) /* on which the verdict does not rest */
        label_add(reason, "; not known%s: %" PRIu64 " of all %" PRIu64 " cuts",
                  sum->unreadable > 0 ? " or unreadable" : "", sum->cuts - sum->conclusive,
                  sum->cuts);
    label_add(reason, ".");
}

/* Runs commands with `sh -c`, each in a process group of its own, so that shell_end() also ends
 * everything that the command has started. */

/* The status of a child that cannot run the shell, as of shells. */
#define CANNOT_RUN 126

/* The kernel sends this signal to the leader of a process group when boncut is killed. */
#define PARENT_DIED SIGUSR1

/* Interval at which to look whether a process has ended. */
#define MOMENT_NS 10000000

/* Time that a process has between SIGTERM and SIGKILL. */
#define GRACE_NS BILLION

/* Waits until the process has ended. Returns its exit status (128 + the number of the signal that
 * ended it); -ETIMEDOUT: the time is over; -EINTR: a signal asks boncut to stop. */
static int shell_await(pid_t process, uint64_t limit_ns, bool heeds_signals)
{
    uint64_t until_ns = clock_ns() + limit_ns;
    int status;
    while (waitpid(process, &status, WNOHANG) != process) {
        if (heeds_signals && stop_requested())
            return -EINTR;
        if (clock_ns() >= until_ns)
            return -ETIMEDOUT;
        clock_sleep(MOMENT_NS);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Ends the process group, if any, with SIGTERM, and SIGKILL within a second. *process becomes 0. */
static void shell_end(pid_t *process)
{
    const pid_t group = -*process;
    if (group < 0) {
        kill(group, SIGTERM);
        int rc = shell_await(*process, GRACE_NS, false);
        kill(group, SIGKILL); /* kills everything that the process has started, too */
        if (rc < 0)
            waitpid(*process, NULL, 0);
        for (uint64_t until_ns = clock_ns() + GRACE_NS;
             kill(group, 0) == 0 && clock_ns() < until_ns;)
            clock_sleep(MOMENT_NS);
    }
    *process = 0;
}

#define PAUSE_NS (BILLION / 20)

/* The result of a step after which nothing is known about the promises: the command could not be
 * run, or did not find the directory of the log. Its line is in e. */
#define NOT_JUDGED 1

/* The name of a cut's file, "0007.json": .text of what is returned. */
struct cut_name {
    char text[32];
};

static struct cut_name cut_name(unsigned number, const char *ending)
{
    struct cut_name name;
    snprintf(name.text, sizeof name.text, "%04u.%s", number, ending);
    return name;
}

/* ---- commands -------------------------------------------------------------------------------- */

static int open_log(struct campaign *c, const char *ending, int flags, struct err *e)
{
    struct cut_name name = cut_name(c->number, ending);
    int fd = path_open_file(&c->logs, name.text, flags, 0666, 0);
    if (fd >= 0)
        return fd;
    return err_say(e, "open %s/%s: %s", c->settings->logs, name.text, path_reason(-fd));
}

static int say_failure(struct campaign *c, const char *what, int status, struct err *e)
{
    char how[40] = "did not end in time";
    struct cut_name said = cut_name(c->number, "said");
    if (status == -EINTR)
        return err_system(e, EINTR, "%s", what);
    if (status != -ETIMEDOUT)
        snprintf(how, sizeof how, "ended with status %d", status);
    return err_say(e, "cut %u: %s %s; the output is in %s/%s", c->number, what, how,
                   c->settings->logs, said.text);
}

/* Starts a command with `in` as standard input (-1: none) and `out` as standard output (-1: the
 * .said file). Returns the process id, or a negative errno with a line in e. The process waits for
 * the shell as the leader of the command's process group. When boncut is killed, it kills the whole
 * group; the kernel alone would signal only one process, and not what the shell has started. */
static pid_t start_command(struct campaign *c, const char *command, int in, int out, struct err *e)
{
    pid_t parent = getpid();
    pid_t process = fork();
    if (process < 0)
        return err_system(e, errno, "run /bin/sh");
    if (process > 0) {
        setpgid(process, process); /* parent and child both call it: one of them comes first */
        return process;
    }
    sigset_t awaited, none;
    int status, received;
    sigemptyset(&none);
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, PARENT_DIED);
    sigprocmask(SIG_SETMASK, &awaited, NULL);
    signal(SIGCHLD, SIG_DFL);
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, PARENT_DIED) != 0 || getppid() != parent)
        _exit(CANNOT_RUN);
    pid_t shell = fork();
    if (shell == 0) {
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (dup2(in >= 0 ? in : kernel_file_open("/dev/null", O_RDONLY), STDIN_FILENO) >= 0 &&
            dup2(out >= 0 ? out : c->said_fd, STDOUT_FILENO) >= 0 &&
            dup2(c->said_fd, STDERR_FILENO) >= 0)
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    if (shell <= 0)
        _exit(CANNOT_RUN);
    while (waitpid(shell, &status, WNOHANG) != shell)
        if (sigwait(&awaited, &received) == 0 && received == PARENT_DIED)
            kill(0, SIGKILL);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Does the same, and waits for the end. Returns the command's exit status (128 + the number of the
 * signal that ended it), or another negative errno with a line in e. Otherwise it ends the command,
 * and returns -ETIMEDOUT when the time is over, or -EINTR when a signal asks boncut to stop. */
static int run_command(struct campaign *c, const char *command, int in, int out, uint64_t limit_ns,
                       struct err *e)
{
    pid_t process = start_command(c, command, in, out, e);
    int status = process < 0 ? (int)process : shell_await(process, limit_ns, true);
    if (status < 0)
        shell_end(&process);
    return status;
}

/* The user's --victim, followed by a command for the victim. With options it is a command of boncut
 * there. clean_up() has made sure that there is room for each of them. */
static const char *on_victim(struct campaign *c, const char *command, const char *options)
{
    const char *victim = c->settings->victim;
    if (options)
        snprintf(c->line, sizeof c->line, "%s boncut %s%s%s %s", victim, command,
                 *options ? " " : "", options, c->settings->directory);
    else
        snprintf(c->line, sizeof c->line, "%s %s", victim, command);
    return c->line;
}

/* ---- the steps ------------------------------------------------------------------------------- */

static int clean_up(struct campaign *c, struct err *e)
{
    const struct settings *s = c->settings;
    if (strlen(s->victim) + strlen(s->directory) + strlen(s->write_options) > sizeof c->line - 64)
        return err_say(e, "--victim, --write-options: the command is too long");
    int status = run_command(c, on_victim(c, "--cleanup", ""), -1, -1, s->patience_ns.value, e);
    return status == 0 ? 0 : say_failure(c, "boncut --cleanup", status, e);
}

static bool has_promises(int log_fd)
{
    char text[MAX_HEADER_LINE];
    ssize_t length = pread(log_fd, text, sizeof text, 0);
    const char *end = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
    return end && memchr(end + 1, '\n', (size_t)(text + length - end - 1));
}

/* Waits for some time, or with for_promises for the first promise. Fails if the writer ends. */
static int await_writer(struct campaign *c, int log_fd, bool for_promises, uint64_t limit_ns,
                        struct err *e)
{
    uint64_t until_ns = clock_ns() + limit_ns;
    int status;
    do {
        uint64_t now_ns = clock_ns();
        uint64_t left_ns = now_ns < until_ns ? until_ns - now_ns : 0;
        status = shell_await(c->writer, MIN(left_ns, PAUSE_NS), true);
        if (status == -ETIMEDOUT && for_promises && has_promises(log_fd))
            return 0;
    } while (status == -ETIMEDOUT && clock_ns() < until_ns);
    if (status >= 0)
        c->writer = 0;
    if (status == -ETIMEDOUT && !for_promises)
        return 0;
    return say_failure(c,
                       status == -ETIMEDOUT
                           ? "boncut write made no promise: the wait for the first one"
                           : "boncut write",
                       status, e);
}

/* Reads the header of the cut's log. The first one says which filesystem is cut. */
static int read_header(struct campaign *c, struct err *e)
{
    char text[4 * MAX_HEADER_LINE]; /* a terminal may show other lines before it */
    int fd = open_log(c, "promises", O_RDONLY, e);
    if (fd < 0)
        return fd;
    ssize_t length = pread(fd, text, sizeof text, 0);
    const char *end = text + (length > 0 ? length : 0);
    const char *newline;
    int rc = header_parse(&c->header, text, 0, e);
    for (const char *line = text; rc != 0 && (newline = memchr(line, '\n', (size_t)(end - line)));
         line = newline + 1)
        rc = header_parse(&c->header, line, (size_t)(newline - line), e);
    close(fd);
    if (rc == 0 && !*c->uuid)
        memcpy(c->uuid, c->header.uuid, HEADER_TEXT);
    return rc;
}

/* Lets the writer make promises for some time, and cuts the power. The filesystem must be that of
 * the cuts before: where it is no longer mounted, the directory belongs to another one. The cut may
 * end its command's own connection, so that may fail; the victim shows whether the cut worked. */
static int write_and_cut(struct campaign *c, struct err *e)
{
    const struct settings *s = c->settings;
    uint64_t least_ns = s->after_least_ns.value;
    uint64_t delay_ns = least_ns + rng_below(&c->rng, s->after_most_ns.value - least_ns + 1);
    int log_fd = open_log(c, "promises", O_RDWR | O_CREAT | O_TRUNC, e);
    if (log_fd < 0)
        return log_fd;
    c->writer = start_command(c, on_victim(c, "write", s->write_options), -1, log_fd, e);
    int rc = c->writer > 0 ? await_writer(c, log_fd, true, s->patience_ns.value, e) : c->writer;
    if (rc == 0)
        rc = read_header(c, e);
    if (rc == 0 && strcmp(c->uuid, c->header.uuid) != 0) {
        rc = err_say(e,
                     "cut %u: %s is on the filesystem with the UUID %s, but before it was on %s: "
                     "is that one mounted?",
                     c->number, s->directory, *c->header.uuid ? c->header.uuid : "not known",
                     c->uuid);
        shell_end(&c->writer);
        clean_up(c, e); /* which cannot change the line in e any more */
    }
    if (rc == 0)
        rc = await_writer(c, log_fd, false, delay_ns, e);
    if (rc == 0) {
        int status = run_command(c, s->cut, -1, -1, s->patience_ns.value, e);
        rc = status == -EINTR ? say_failure(c, "the cut", status, e) : 0;
    }
    shell_end(&c->writer);
    close(log_fd);
    return rc;
}

/* Whether the victim answers, with another boot id than before the cut. */
static int is_up(struct campaign *c, struct err *e)
{
    char id[HEADER_TEXT] = "";
    bool asks = !c->settings->same_boot;
    const char *command = asks ? "cat /proc/sys/kernel/random/boot_id" : "true";
    int fd = open_log(c, "boot", O_RDWR | O_CREAT | O_TRUNC, e);
    if (fd < 0)
        return fd;
    int status = run_command(c, on_victim(c, command, NULL), -1, fd, 10 * BILLION, e);
    ssize_t length = pread(fd, id, sizeof id - 1, 0);
    close(fd);
    if (status == -EINTR)
        return say_failure(c, "the wait for the victim", status, e);
    id[strcspn(id, "\n")] = '\0';
    return status == 0 && (!asks || (length > 1 && strcmp(id, c->header.boot_id) != 0));
}

/* Runs --before-check, which may mount the filesystem, and makes the victim run `boncut check`. The
 * report gets its final name only when it is complete. */
static int check_victim(struct campaign *c, struct err *e)
{
    struct cut_name aside = cut_name(c->number, "new");
    struct cut_name name = cut_name(c->number, "json");
    const char *before = c->settings->before_check;
    int before_status =
        before ? run_command(c, before, -1, -1, c->settings->patience_ns.value, e) : 0;
    if (before_status < 0 || before_status >= 126) { /* it did not run, or was killed */
        say_failure(c, "--before-check", before_status, e);
        return before_status < 0 ? -e->code : NOT_JUDGED;
    }
    int in = open_log(c, "promises", O_RDONLY, e);
    int out = in >= 0 ? open_log(c, "new", O_WRONLY | O_CREAT | O_TRUNC, e) : in;
    const char *options = before_status == 0 ? "--json" : "--json --unmounted";
    int rc = MIN(out, 0);
    if (rc == 0) {
        int status = run_command(c, on_victim(c, "check", options), in, out,
                                 c->settings->timeout_ns.value, e);
        bool is_verdict = status == 0 || status == STATUS_NO || status == STATUS_NOT_KNOWN;
        rc = is_verdict ? 0 : say_failure(c, "boncut check", status, e);
        if (rc != 0 && status > 0)
            rc = NOT_JUDGED;
    }
    descriptor_close(&in);
    descriptor_close(&out);
    int renamed = rc == 0 ? path_rename(&c->logs, aside.text, &c->logs, name.text) : 0;
    if (renamed != 0)
        return err_say(e, "replace %s/%s: %s", c->settings->logs, name.text, path_reason(-renamed));
    return rc;
}

/* Makes the cut and checks it, and does so once more if nothing could be judged. The .json file
 * exists only when it is complete. Fails also if nothing could be judged the second time, or if DIR
 * is on another filesystem than in earlier cuts. */
static int make_cut(struct campaign *c, struct err *e)
{
    struct err reason;
    int rc = NOT_JUDGED;
    c->said_fd = open_log(c, "said", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, e);
    if (c->said_fd < 0)
        return c->said_fd;
    for (int attempt = 0; rc == NOT_JUDGED && attempt < 2; attempt++) {
        err_init(&reason);
        rc = clean_up(c, &reason);
        if (rc == 0)
            rc = write_and_cut(c, &reason);
        if (rc == 0) {
            uint64_t until_ns = clock_ns() + c->settings->timeout_ns.value;
            int up;
            while ((up = is_up(c, &reason)) == 0 && clock_ns() < until_ns)
                clock_sleep(c->settings->same_boot ? PAUSE_NS : BILLION);
            path_remove(&c->logs, cut_name(c->number, "boot").text, false);
            rc = MIN(up, 0);
            if (up == 0)
                rc = err_say(&reason,
                             "cut %u: the victim did not come up again, with a new boot id, "
                             "within --timeout; repeat the command to go on from here",
                             c->number);
        }
        if (rc == 0)
            rc = check_victim(c, &reason);
    }
    descriptor_close(&c->said_fd);
    if (rc == NOT_JUDGED)
        return err_say(e, "%s; nothing could be judged, in two attempts", reason.text);
    err_append(e, &reason);
    return rc;
}

/* Most bytes of a check's report. It has some KiB, because it lists only the first losses. */
#define MAX_REPORT (16 << 20)

/* Reads the report of a cut, and adds it to the sum. It must be this user's or root's: other users
 * who may write to the directory of logs could leave another one. */
static int take_cut(struct campaign *c, struct err *e)
{
    struct err reason = {0};
    struct label_text line = {""};
    struct cut_name name = cut_name(c->number, "json");
    int fd = path_open_file(&c->logs, name.text, O_RDONLY, 0, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    struct stat st;
    json_t *report = NULL;
    const char *verdict, *layer, *text;
    json_int_t promises, units, kept = 0, not_known = 0, unreadable = 0;
    int judged, reached;
    int rc = 0;
    if (!file || fstat(fd, &st) != 0)
        err_say(&reason, "%s", path_reason(fd < 0 ? -fd : errno));
    else if (st.st_uid != geteuid() && st.st_uid != 0)
        err_say(&reason, "it belongs to uid %u, so another user may have made it up", st.st_uid);
    else if (st.st_size > MAX_REPORT)
        err_say(&reason, "it is larger than %d MiB", MAX_REPORT >> 20);
    else
        report = json_loadf(file, 0, NULL);
    if (file)
        fclose(file);
    else
        descriptor_close(&fd);
    if (stop_check(e) != 0) {
        json_decref(report);
        return -e->code;
    }
    if (json_unpack(report, "{s:s, s:s, s:s, s:{s:I, s:I, s?I, s?I, s?I}}", "verdict", &verdict,
                    "layer_cut", &layer, "reason", &text, "sum", "promises", &promises, "units",
                    &units, "kept", &kept, "not_known", &not_known, "unreadable",
                    &unreadable) != 0 ||
        (judged = value_word(verdict, verdict_names)) < 0 ||
        (reached = value_word(layer, layer_names)) < 0 || promises < 0 || units < 0) {
        err_say(&reason, "it is not a report of boncut check --json");
        rc = err_say(e, "%s/%s: %s; remove this file to have the cut made again", c->settings->logs,
                     name.text, reason.text);
    } else {
        json_int_t others = kept + not_known + unreadable;
        uint64_t lost = units > others ? (uint64_t)(units - others) : 0;
        json_t *object = json_object();
        put_count(&object, "number", c->number);
        put_text(&object, "verdict", verdict);
        put_text(&object, "reason", text);
        put_text(&object, "layer_cut", layer);
        PUT_COUNTS(&object, {"promises", (uint64_t)promises}, {"units", (uint64_t)units},
                   {"lost_units", lost});
        append_value(&c->cuts, object);
        campaign_sum_add(&c->sum, (enum verdict)judged, (enum layer)reached, (uint64_t)promises,
                         lost);
        const char *heading = verdict_heading((enum verdict)judged, (enum layer)reached);
        fprintf(stderr, "%scut %u of %u: %s%s", c->is_live ? "\r\33[K" : "", c->number,
                (unsigned)c->settings->cuts.value, heading, c->is_live ? "" : "\n");
        label_add(&line, "cut %u: %s: %s", c->number, heading, text);
        print_wrapped(c->told, 0, line.text);
    }
    json_decref(report);
    return rc;
}

static double seconds_of(const struct optional *ns)
{
    return (double)ns->value / BILLION;
}

static int report_campaign(struct campaign *c, struct err *e)
{
    const struct settings *s = c->settings;
    const struct campaign_sum *sum = &c->sum;
    double probability = sum->lost > 0 ? TWO_SIDED : ONE_SIDED;
    json_t *settings = json_object();
    json_t *after = json_array();
    json_t *counts = json_object();
    append_real(&after, seconds_of(&s->after_least_ns));
    append_real(&after, seconds_of(&s->after_most_ns));
    put_text(&settings, "directory", s->directory);
    put_text(&settings, "victim", s->victim);
    put_text(&settings, "cut", s->cut);
    put_count(&settings, "cuts", s->cuts.value);
    put_value(&settings, "after_seconds", after);
    put_fact(&settings, "before_check", s->before_check);
    put_known(&settings, "write_options", s->write_options);
    put_text(&settings, "logs", s->logs);
    PUT_REALS(&settings, {"timeout_seconds", seconds_of(&s->timeout_ns)},
              {"patience_seconds", seconds_of(&s->patience_ns)});
    put_flag(&settings, "same_boot", s->same_boot);
    PUT_COUNTS(&counts, {"cuts", sum->cuts}, {"conclusive", sum->conclusive}, {"lost", sum->lost},
               {"unreadable", sum->unreadable}, {"reached_drive", sum->reached_drive},
               {"promises", sum->promises}, {"lost_units", sum->lost_units});
    PUT_REALS(&counts,
              {"lower_percent", 100 * bound_lower(sum->lost, sum->conclusive, probability)},
              {"upper_percent", 100 * bound_upper(sum->lost, sum->conclusive, probability)});
    json_t *object = document_begin(&(struct document){
        .format = "boncut-campaign",
        .elapsed_seconds = (double)(clock_ns() - c->begun_ns) / BILLION,
        .storage = json_null(),
        .settings = settings,
        .verdict = verdict_names[sum->verdict],
        .reason = sum->reason.text,
    });
    put_value(&object, "sum", counts);
    put_value(&object, "cuts", json_incref(c->cuts));
    char *text = document_end(object, JSON_COMPACT);
    if (!text)
        return err_system(e, ENOMEM, "allocate memory for the JSON report");
    struct label_text answer = {""};
    label_add(&answer, "%s: %s", verdict_heading(sum->verdict, LAYER_NONE), sum->reason.text);
    if (s->json)
        puts(text);
    else
        print_wrapped(stdout, 0, answer.text);
    int rc = s->page ? html_page_write(&c->page, text, e) : 0;
    free(text);
    return rc;
}

int boncut_campaign(const struct settings *s, struct err *e)
{
    struct campaign c = {.settings = s,
                         .logs = {.fd = -1},
                         .said_fd = -1,
                         .begun_ns = clock_ns(),
                         .is_live = isatty(STDERR_FILENO)};
    char *told = NULL;
    size_t told_size = 0;
    uint64_t seed = 0;
    int rc = s->page ? html_page_open(&c.page, "--html", s->page, e) : 0;
    if (rc == 0)
        rc = path_open(&c.logs, NULL, s->logs, PATH_MAKES, e);
    if (rc == 0 && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        rc = err_system(e, errno, "draw a random number");
    rng_init(&c.rng, seed, 0);
    c.cuts = json_array();
    if (rc == 0 && !(c.told = open_memstream(&told, &told_size)))
        rc = err_system(e, ENOMEM, "allocate memory for the report");
    /* a failure or a signal does not lose the earlier cuts: the next campaign continues there */
    for (c.number = 1; rc == 0 && c.number <= s->cuts.value; c.number++) {
        struct stat st;
        struct err ignored = {0};
        if (fstatat(c.logs.fd, cut_name(c.number, "json").text, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            st.st_size == 0)
            rc = make_cut(&c, e);
        else if (!*c.uuid)
            read_header(&c, &ignored);
        if (rc == 0)
            rc = take_cut(&c, e);
    }
    fputs(c.is_live ? "\r\33[K" : "", stderr);
    if (rc == 0) {
        campaign_sum_end(&c.sum);
        rc = report_campaign(&c, e);
    }
    if (c.told && fclose(c.told) == 0 && told_size > 0 && !s->json)
        printf("%s%s", rc == 0 ? "\n" : "", told); /* after a failure there is no answer */
    free(told);
    if (rc == 0 && (rc = verdict_status(c.sum.verdict)) != 0 && !answer_is_shown(!s->json))
        err_say(e, "%s: %s", verdict_heading(c.sum.verdict, LAYER_NONE), c.sum.reason.text);
    json_decref(c.cuts);
    path_close(&c.logs);
    html_page_close(&c.page);
    return rc;
}
