// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boncut/commands.h"
#include "boncut/log.h"
#include "measure/clock.h"
#include "report/document.h"
#include "report/json_object.h"
#include "report/page.h"
#include "sys/output.h"
#include "sys/path.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/err.h"
#include "util/kernel_file.h"
#include "util/printable.h"
#include "util/rng.h"
#include "util/units.h"

/*
 * The cuts of a campaign, made from a machine that stays on. The directory of logs has the files of
 * each: "0007.promises", "0007.json" once the cut has been checked, and "0007.said", the output of
 * all commands.
 */
struct campaign {
    const struct settings *settings;
    struct path_directory logs; /* the directory of logs */
    struct rng rng;
    char uuid[HEADER_TEXT]; /* of the filesystem that is cut; empty: not known yet */
    struct campaign_sum sum;
    struct html_page page;
    uint64_t begun_ns;
    json_t *cuts; /* a short report of each cut */
};

/* Number of times that the interval from 0 to 1 is halved: more than a double has bits. */
#define HALVINGS 60

/* Probability that at most `number` of `trials` trials succeed, each with probability p. */
static double at_most(uint64_t number, uint64_t trials, double p)
{
    double sum = 0;
    double n = (double)trials;
    if (p <= 0 || number >= trials)
        return 1;
    for (uint64_t i = 0; i <= number; i++) {
        double k = (double)i;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
                   (n - k) * log1p(-p));
    }
    return sum;
}

/* Finds the p for which at_most() returns `probability`. */
static double solve_for_p(uint64_t number, uint64_t trials, double probability)
{
    double low = 0;
    double high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (at_most(number, trials, middle) > probability)
            low = middle;
        else
            high = middle;
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

static uint64_t count_of(const json_t *object, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(object, key));
    return count > 0 ? (uint64_t)count : 0;
}

/* Reads a report, to which the string of `cut` belongs. Fails when it is invalid. */
static int campaign_cut_read(struct campaign_cut *cut, const json_t *report, struct err *e)
{
    const json_t *sum = json_object_get(report, "sum");
    const char *verdict_word = json_string_value(json_object_get(report, "verdict"));
    const char *layer_word = json_string_value(json_object_get(report, "layer_cut"));
    const char *reason = json_string_value(json_object_get(report, "reason"));
    int verdict = verdict_word ? value_word(verdict_word, verdict_names) : -1;
    int layer = layer_word ? value_word(layer_word, layer_names) : -1;
    if (verdict < 0 || layer < 0 || !reason)
        return err_say(e, "it is not a report of boncut check --json");
    *cut = (struct campaign_cut){
        .verdict = (enum verdict)verdict,
        .layer = (enum layer)layer,
        .promises = count_of(sum, "promises"),
        .units = count_of(sum, "units"),
        .reason = reason,
    };
    uint64_t others =
        count_of(sum, "kept") + count_of(sum, "not_known") + count_of(sum, "unreadable");
    cut->lost_units = cut->units > others ? cut->units - others : 0;
    return 0;
}

void campaign_sum_add(struct campaign_sum *sum, const struct campaign_cut *cut)
{
    sum->cuts++;
    sum->unreadable += cut->verdict == VERDICT_UNREADABLE;
    if (cut->verdict == VERDICT_NOT_KNOWN || cut->verdict == VERDICT_UNREADABLE)
        return;
    sum->conclusive++;
    sum->lost += cut->verdict == VERDICT_LOST;
    sum->promises += cut->promises;
    sum->lost_units += cut->lost_units;
    sum->reached_drive += cut->layer == LAYER_DRIVE;
}

void campaign_sum_end(struct campaign_sum *sum)
{
    if (sum->unreadable > 0 && sum->lost == 0) {
        sum->verdict = VERDICT_UNREADABLE;
        snprintf(sum->reason, sizeof sum->reason,
                 "in %" PRIu64 " of %" PRIu64
                 " cuts, promised units cannot be read; nothing is known to be lost",
                 sum->unreadable, sum->cuts);
        return;
    }
    if (sum->conclusive == 0) {
        sum->verdict = VERDICT_NOT_KNOWN;
        snprintf(sum->reason, sizeof sum->reason,
                 "none of %" PRIu64 " cuts was shown to have cut anything", sum->cuts);
        return;
    }
    sum->verdict = sum->lost > 0 ? VERDICT_LOST : VERDICT_KEPT;
    if (sum->lost == 0)
        snprintf(sum->reason, sizeof sum->reason,
                 "0 of %" PRIu64 " promises lost in %" PRIu64
                 " cuts: in less than %s %% of cuts anything is lost (95 %%, one-sided)%s",
                 sum->promises, sum->conclusive,
                 units_beside(100 * bound_upper(0, sum->conclusive, ONE_SIDED), 1, 0).text,
                 sum->conclusive < 60 ? "; 60 cuts would make it 4.9 %" : "");
    else
        snprintf(
            sum->reason, sizeof sum->reason,
            "lost in %" PRIu64 " of %" PRIu64 " cuts: %s to %s %% (95 %%)", sum->lost,
            sum->conclusive,
            units_beside(100 * bound_lower(sum->lost, sum->conclusive, TWO_SIDED), 1, 0).text,
            units_beside(100 * bound_upper(sum->lost, sum->conclusive, TWO_SIDED), 1, 100).text);
    size_t length = strlen(sum->reason);
    if (sum->reached_drive == 0)
        snprintf(sum->reason + length, sizeof sum->reason - length,
                 "; no cut reached the drive's cache, about which nothing is shown");
    else if (sum->reached_drive < sum->conclusive)
        snprintf(sum->reason + length, sizeof sum->reason - length,
                 "; %" PRIu64 " of these cuts reached the drive's cache", sum->reached_drive);
    else
        snprintf(sum->reason + length, sizeof sum->reason - length,
                 "; all of these cuts reached the drive's cache");
    length = strlen(sum->reason);
    if (sum->cuts > sum->conclusive) /* on which the verdict does not rest */
        snprintf(sum->reason + length, sizeof sum->reason - length,
                 "; not known%s: %" PRIu64 " of all %" PRIu64 " cuts",
                 sum->unreadable > 0 ? " or unreadable" : "", sum->cuts - sum->conclusive,
                 sum->cuts);
}

/*
 * Runs commands with `sh -c`, each in a process group of its own, so that shell_end() also ends
 * everything that the command has started.
 */

/* A child exits with this status, as shells do, when it cannot run the shell. */
#define CANNOT_RUN 126

/* The kernel sends this signal to the leader of a process group when boncut is killed. */
#define PARENT_DIED SIGUSR1

/* Interval at which run_command() and shell_end() look whether a process has ended. */
#define MOMENT_NS 10000000

/* Time that a process has between SIGTERM and SIGKILL. */
#define GRACE_NS BILLION

/* Replaces this process with the shell, and restores the default actions of signals. */
static _Noreturn void become_shell(const char *command, int in, int out, int error)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(error, STDERR_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(CANNOT_RUN);
}

/*
 * Waits for the shell as the leader of the command's process group. When boncut is killed, the
 * leader kills the whole group; the kernel alone would signal only one process, and not what the
 * shell has started.
 */
static _Noreturn void lead_group(const char *command, int in, int out, int error, pid_t parent)
{
    sigset_t awaited;
    int status;
    int received;
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
    if (shell < 0)
        _exit(CANNOT_RUN);
    if (shell == 0)
        become_shell(command, in, out, error);
    while (waitpid(shell, &status, WNOHANG) != shell)
        if (sigwait(&awaited, &received) == 0 && received == PARENT_DIED)
            kill(0, SIGKILL);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Whether the process has ended; does not wait. If so, *status becomes the exit status. */
static bool shell_has_ended(pid_t process, int *status)
{
    int ended;
    if (waitpid(process, &ended, WNOHANG) != process)
        return false;
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return true;
}

/* Ends the process group, with SIGTERM and after at most a second SIGKILL, and waits for it. */
static void shell_end(pid_t process)
{
    int status;
    bool has_ended;
    uint64_t until_ns = clock_ns() + GRACE_NS;
    kill(-process, SIGTERM);
    while (!(has_ended = shell_has_ended(process, &status)) && clock_ns() < until_ns)
        clock_sleep(MOMENT_NS);
    kill(-process, SIGKILL); /* kills everything that the process has started, too */
    if (!has_ended)
        waitpid(process, NULL, 0);
    until_ns = clock_ns() + GRACE_NS;
    while (kill(-process, 0) == 0 && clock_ns() < until_ns)
        clock_sleep(MOMENT_NS);
}

#define COMMAND_MOST 8192
#define PAUSE_NS     (BILLION / 20)
#define RETRY_NS     BILLION

/* How long the victim may take to answer. */
#define ANSWER_NS (10 * BILLION)

struct cut {
    struct campaign *campaign;
    unsigned number;
    int said_fd;
    pid_t writer;         /* 0: it is not running */
    struct header header; /* of the log */
};

/*
 * The result of a step after which nothing is known about the promises: the command could not be
 * run, or did not find the directory of the log. Its line is in e.
 */
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

static int open_log(const struct cut *c, const char *ending, int flags, struct err *e)
{
    struct cut_name name = cut_name(c->number, ending);
    int fd = path_open_file(&c->campaign->logs, name.text, flags, 0666, 0);
    if (fd >= 0)
        return fd;
    return err_say(e, "open %s/%s: %s", c->campaign->settings->logs, name.text, path_reason(-fd));
}

static int say_failure(const struct cut *c, const char *what, int status, struct err *e)
{
    const char *logs = c->campaign->settings->logs;
    struct cut_name said = cut_name(c->number, "said");
    if (status == -EINTR)
        return err_system(e, EINTR, "%s", what);
    if (status == -ETIMEDOUT)
        return err_say(e, "cut %u: %s did not end in time; the output is in %s/%s", c->number, what,
                       logs, said.text);
    return err_say(e, "cut %u: %s ended with status %d; the output is in %s/%s", c->number, what,
                   status, logs, said.text);
}

/*
 * Starts a command with `in` as standard input (-1: none) and `out` as standard output (-1: the
 * .said file). Returns the process id, or a negative errno with a line in e.
 */
static pid_t start_command(const struct cut *c, const char *command, int in, int out, struct err *e)
{
    int nothing = kernel_file_open("/dev/null", O_RDONLY);
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0)
        lead_group(command, in >= 0 ? in : nothing, out >= 0 ? out : c->said_fd, c->said_fd,
                   parent);
    if (process < 0)
        process = err_system(e, errno, "run /bin/sh");
    else
        setpgid(process, process); /* parent and child both call it: one of them comes first */
    descriptor_close(&nothing);
    return process;
}

/*
 * Does the same, and waits for the end. Returns the command's exit status (128 + the number of the
 * signal that ended it), or another negative errno with a line in e. Otherwise it ends the command,
 * and returns -ETIMEDOUT when the time is over, or -EINTR when a signal asks boncut to stop.
 */
static int run_command(const struct cut *c, const char *command, int in, int out, uint64_t limit_ns,
                       struct err *e)
{
    uint64_t until_ns = clock_ns() + limit_ns;
    int status;
    pid_t process = start_command(c, command, in, out, e);
    if (process < 0)
        return (int)process;
    while (!shell_has_ended(process, &status)) {
        bool is_late = clock_ns() >= until_ns;
        if (is_late || stop_requested()) {
            shell_end(process);
            return is_late ? -ETIMEDOUT : -EINTR;
        }
        clock_sleep(MOMENT_NS);
    }
    return status;
}

/* Stores in `line` the user's --victim, followed by a command for the victim. */
static int on_victim(const struct cut *c, char line[COMMAND_MOST], const char *command,
                     struct err *e)
{
    int length = snprintf(line, COMMAND_MOST, "%s %s", c->campaign->settings->victim, command);
    return length < COMMAND_MOST ? 0 : err_say(e, "--victim: the command is too long");
}

static int boncut_on_victim(const struct cut *c, char line[COMMAND_MOST], const char *command,
                            const char *options, struct err *e)
{
    char whole[COMMAND_MOST];
    if (snprintf(whole, sizeof whole, "boncut %s%s%s %s", command, *options ? " " : "", options,
                 c->campaign->settings->directory) >= (int)sizeof whole)
        return err_say(e, "--write-options: the command is too long");
    return on_victim(c, line, whole, e);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static int clean_up(struct cut *c, struct err *e)
{
    char line[COMMAND_MOST];
    int status = boncut_on_victim(c, line, "--cleanup", "", e);
    if (status == 0)
        status = run_command(c, line, -1, -1, c->campaign->settings->patience_ns.value, e);
    return status == 0 ? 0 : say_failure(c, "boncut --cleanup", status, e);
}

/* Whether the log has a promise below its header. */
static bool has_promises(int log_fd)
{
    char text[HEADER_LINE_MOST];
    ssize_t length = pread(log_fd, text, sizeof text, 0);
    const char *end = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
    return end && memchr(end + 1, '\n', (size_t)(text + length - end - 1));
}

/* Waits until until_ns, or with for_promises for the first promise. Fails if the writer ends. */
static int await_writer(struct cut *c, int log_fd, bool for_promises, uint64_t until_ns,
                        struct err *e)
{
    int status;
    while (clock_ns() < until_ns && !(for_promises && has_promises(log_fd))) {
        if (stop_requested())
            return err_system(e, EINTR, "campaign");
        if (shell_has_ended(c->writer, &status)) {
            c->writer = 0;
            return say_failure(c, "boncut write", status, e);
        }
        clock_sleep(PAUSE_NS);
    }
    return !for_promises || has_promises(log_fd)
               ? 0
               : say_failure(c, "boncut write made no promise: the wait for the first one",
                             -ETIMEDOUT, e);
}

static void end_writer(struct cut *c)
{
    if (c->writer > 0)
        shell_end(c->writer);
    c->writer = 0;
}

static int read_header(const struct cut *c, struct header *h, struct err *e)
{
    char text[4 * HEADER_LINE_MOST]; /* a terminal may show other lines before it */
    int fd = open_log(c, "promises", O_RDONLY, e);
    if (fd < 0)
        return fd;
    ssize_t length = pread(fd, text, sizeof text, 0);
    const char *end = text + (length > 0 ? length : 0);
    const char *newline;
    int rc = header_parse(h, text, 0, e);
    for (const char *line = text; rc != 0 && (newline = memchr(line, '\n', (size_t)(end - line)));
         line = newline + 1)
        rc = header_parse(h, line, (size_t)(newline - line), e);
    close(fd);
    return rc;
}

/* Whether that cut has been made and checked. If so, notes the filesystem of its log. */
static bool cut_is_done(struct campaign *c, unsigned number)
{
    struct stat st;
    struct err ignored = {0};
    struct cut cut = {.campaign = c, .number = number};
    if (fstatat(c->logs.fd, cut_name(number, "json").text, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        st.st_size == 0)
        return false;
    if (!*c->uuid && read_header(&cut, &cut.header, &ignored) == 0)
        memcpy(c->uuid, cut.header.uuid, HEADER_TEXT);
    return true;
}

/*
 * Reads the header of the cut's log. The filesystem must be that of the cuts before: where it is no
 * longer mounted, the directory belongs to another one.
 */
static int check_header(struct cut *c, struct err *e)
{
    char *uuid = c->campaign->uuid;
    int rc = read_header(c, &c->header, e);
    if (rc != 0)
        return rc;
    if (!*uuid)
        memcpy(uuid, c->header.uuid, HEADER_TEXT);
    if (strcmp(uuid, c->header.uuid) == 0)
        return 0;
    rc = err_say(
        e,
        "cut %u: %s is on the filesystem with the UUID %s, but before it was on %s: is that "
        "one mounted?",
        c->number, c->campaign->settings->directory, *c->header.uuid ? c->header.uuid : "unknown",
        uuid);
    end_writer(c);
    clean_up(c, e); /* which cannot change the line in e any more */
    return rc;
}

/*
 * Lets the writer make promises for some time, and cuts the power. The cut command may fail because
 * the cut may end its own connection; the victim's state shows whether the cut has worked.
 */
static int write_and_cut(struct cut *c, struct err *e)
{
    const struct settings *s = c->campaign->settings;
    uint64_t least_ns = s->after_least_ns.value;
    uint64_t span_ns = s->after_most_ns.value - least_ns;
    uint64_t delay_ns = least_ns + rng_below(&c->campaign->rng, span_ns + 1);
    char line[COMMAND_MOST];
    int log_fd = open_log(c, "promises", O_RDWR | O_CREAT | O_TRUNC, e);
    int rc = log_fd < 0
                 ? log_fd
                 : boncut_on_victim(c, line, "write", s->write_options ? s->write_options : "", e);
    if (rc == 0) {
        pid_t process = start_command(c, line, -1, log_fd, e);
        c->writer = process > 0 ? process : 0;
        rc = process > 0 ? 0 : (int)process;
    }
    if (rc == 0)
        rc = await_writer(c, log_fd, true, clock_ns() + s->patience_ns.value, e);
    if (rc == 0)
        rc = check_header(c, e);
    if (rc == 0)
        rc = await_writer(c, log_fd, false, clock_ns() + delay_ns, e);
    if (rc == 0) {
        int status = run_command(c, s->cut, -1, -1, s->patience_ns.value, e);
        rc = status == -EINTR ? say_failure(c, "the cut", status, e) : 0;
    }
    end_writer(c);
    descriptor_close(&log_fd);
    return rc;
}

/* Whether the victim answers, with another boot id than before the cut. */
static int is_up(const struct cut *c, struct err *e)
{
    char line[COMMAND_MOST];
    char id[HEADER_TEXT] = "";
    bool asks = !c->campaign->settings->same_boot;
    int rc = on_victim(c, line, asks ? "cat /proc/sys/kernel/random/boot_id" : "true", e);
    int fd = rc == 0 ? open_log(c, "boot", O_RDWR | O_CREAT | O_TRUNC, e) : rc;
    if (fd < 0)
        return fd;
    int status = run_command(c, line, -1, fd, ANSWER_NS, e);
    ssize_t length = pread(fd, id, sizeof id - 1, 0);
    close(fd);
    if (status == -EINTR)
        return say_failure(c, "the wait for the victim", status, e);
    id[strcspn(id, "\n")] = '\0';
    return status == 0 && (!asks || (length > 1 && strcmp(id, c->header.boot_id) != 0));
}

static int await_victim(const struct cut *c, struct err *e)
{
    uint64_t until_ns = clock_ns() + c->campaign->settings->timeout_ns.value;
    int up;
    while ((up = is_up(c, e)) == 0 && clock_ns() < until_ns)
        clock_sleep(c->campaign->settings->same_boot ? PAUSE_NS : RETRY_NS);
    path_remove(&c->campaign->logs, cut_name(c->number, "boot").text, false);
    if (up < 0)
        return up;
    return up ? 0
              : err_say(e,
                        "cut %u: the victim did not come up again, with a new boot id, within "
                        "--timeout; repeat the command to go on from here",
                        c->number);
}

/* Makes the victim run `boncut check`. The report gets its final name only when it is complete. */
static int check_victim(struct cut *c, int before_status, struct err *e)
{
    char line[COMMAND_MOST];
    struct cut_name aside = cut_name(c->number, "new");
    struct cut_name name = cut_name(c->number, "json");
    int in = open_log(c, "promises", O_RDONLY, e);
    int out = in >= 0 ? open_log(c, "new", O_WRONLY | O_CREAT | O_TRUNC, e) : in;
    const char *options = before_status == 0 ? "--json" : "--json --unmounted";
    int rc = out < 0 ? out : boncut_on_victim(c, line, "check", options, e);
    if (rc == 0) {
        int status = run_command(c, line, in, out, c->campaign->settings->timeout_ns.value, e);
        bool is_verdict = status == 0 || status == STATUS_NO || status == STATUS_NOT_KNOWN;
        rc = is_verdict ? 0 : say_failure(c, "boncut check", status, e);
        if (rc != 0 && status > 0)
            rc = NOT_JUDGED;
    }
    descriptor_close(&in);
    descriptor_close(&out);
    struct path_directory *logs = &c->campaign->logs;
    int renamed = rc == 0 ? path_rename(logs, aside.text, logs, name.text) : 0;
    if (renamed != 0)
        return err_say(e, "replace %s/%s: %s", c->campaign->settings->logs, name.text,
                       path_reason(-renamed));
    return rc;
}

/* Runs --before-check, which may mount the filesystem. *status becomes its exit status. */
static int prepare_check(struct cut *c, int *status, struct err *e)
{
    *status = 0;
    if (!c->campaign->settings->before_check)
        return 0;
    *status = run_command(c, c->campaign->settings->before_check, -1, -1,
                          c->campaign->settings->patience_ns.value, e);
    if (*status >= 0 && *status < 126) /* 126 and more: the command did not run, or was killed */
        return 0;
    int rc = say_failure(c, "--before-check", *status, e);
    return *status < 0 ? rc : NOT_JUDGED;
}

/*
 * Makes the cut and checks it, and does so once more if nothing could be judged. The .json file
 * exists only when it is complete. Fails also if nothing could be judged the second time, or if DIR
 * is on another filesystem than in earlier cuts.
 */
static int cut_make(struct campaign *campaign, unsigned number, struct err *e)
{
    struct cut c = {.campaign = campaign, .number = number, .said_fd = -1};
    struct err reason;
    int rc = NOT_JUDGED;
    c.said_fd = open_log(&c, "said", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, e);
    if (c.said_fd < 0)
        return c.said_fd;
    for (int attempt = 0; rc == NOT_JUDGED && attempt < 2; attempt++) {
        err_init(&reason);
        int before_status = 0;
        rc = clean_up(&c, &reason);
        if (rc == 0)
            rc = write_and_cut(&c, &reason);
        if (rc == 0)
            rc = await_victim(&c, &reason);
        if (rc == 0)
            rc = prepare_check(&c, &before_status, &reason);
        if (rc == 0)
            rc = check_victim(&c, before_status, &reason);
    }
    descriptor_close(&c.said_fd);
    if (rc == NOT_JUDGED)
        return err_say(e, "%s; nothing could be judged, in two attempts", reason.text);
    err_append(e, &reason);
    return rc;
}

/* Most bytes of a check's report. It has some KiB, because it lists only the first losses. */
#define REPORT_MOST (16 << 20)

/* ---- one cut --------------------------------------------------------------------------------- */

/* A report that is being read. */
struct report_file {
    int fd;
    uint64_t left; /* bytes that it may still have */
};

static size_t read_some(void *buffer, size_t bytes, void *context)
{
    struct report_file *r = context;
    ssize_t got = stop_requested() || bytes > r->left ? -1 : read(r->fd, buffer, bytes);
    r->left -= got > 0 ? (uint64_t)got : 0;
    return (size_t)got; /* -1: fails */
}

/*
 * Reads the report of a check, which must be this user's or root's: other users who may write to
 * the directory of logs could leave another one. Returns NULL with a line in e when it is unusable.
 */
static json_t *read_report(struct campaign *c, const char *name, struct err *e)
{
    struct report_file r = {.fd = path_open_file(&c->logs, name, O_RDONLY, 0, 0),
                            .left = REPORT_MOST};
    json_t *report = NULL;
    struct stat st;
    if (r.fd < 0 || fstat(r.fd, &st) != 0)
        err_say(e, "%s", path_reason(r.fd < 0 ? -r.fd : errno));
    else if (st.st_uid != geteuid() && st.st_uid != 0)
        err_say(e, "it belongs to uid %u, so another user may have made it up", st.st_uid);
    else if (st.st_size > REPORT_MOST)
        err_say(e, "it is larger than %d MiB", REPORT_MOST >> 20);
    else
        report = json_load_callback(read_some, &r, 0, NULL);
    descriptor_close(&r.fd);
    return report;
}

/* Reads the report of cut `number`, and adds it to the sum. */
static int take_cut(struct campaign *c, unsigned number, struct err *e)
{
    struct campaign_cut cut = {0};
    struct err reason = {0};
    struct cut_name name = cut_name(number, "json");
    json_t *report = read_report(c, name.text, &reason);
    int rc = stop_check(e);
    if (rc == 0)
        rc = campaign_cut_read(&cut, report, &reason);
    if (rc == 0) {
        json_t *object = json_object();
        put_count(&object, "number", number);
        put_text(&object, "verdict", verdict_names[cut.verdict]);
        put_text(&object, "reason", cut.reason);
        put_text(&object, "layer_cut", layer_names[cut.layer]);
        put_count(&object, "promises", cut.promises);
        put_count(&object, "units", cut.units);
        put_count(&object, "lost_units", cut.lost_units);
        append_value(&c->cuts, object);
        campaign_sum_add(&c->sum, &cut);
        printf("cut %u: %s: %s\n", number, verdict_headings[cut.verdict],
               printable(cut.reason).text);
        fflush(stdout);
    }
    json_decref(report);
    return rc == 0 ? 0
                   : err_say(e, "%s/%s: %s; remove this file to have the cut made again",
                             c->settings->logs, name.text, reason.text);
}

/* ---- the report ------------------------------------------------------------------------------ */

static json_t *sum_json(const struct campaign_sum *sum)
{
    json_t *object = json_object();
    put_count(&object, "cuts", sum->cuts);
    put_count(&object, "conclusive", sum->conclusive);
    put_count(&object, "lost", sum->lost);
    put_count(&object, "unreadable", sum->unreadable);
    put_count(&object, "reached_drive", sum->reached_drive);
    put_count(&object, "promises", sum->promises);
    put_count(&object, "lost_units", sum->lost_units);
    double probability = sum->lost > 0 ? TWO_SIDED : ONE_SIDED;
    put_real(&object, "lower_percent", 100 * bound_lower(sum->lost, sum->conclusive, probability));
    put_real(&object, "upper_percent", 100 * bound_upper(sum->lost, sum->conclusive, probability));
    return object;
}

static void put_seconds(json_t **object, const char *key, const struct optional *ns)
{
    put_real(object, key, (double)ns->value / BILLION);
}

static json_t *settings_json(const struct settings *s)
{
    json_t *object = json_object();
    json_t *after = json_array();
    append_real(&after, (double)s->after_least_ns.value / BILLION);
    append_real(&after, (double)s->after_most_ns.value / BILLION);
    put_text(&object, "directory", s->directory);
    put_text(&object, "victim", s->victim);
    put_text(&object, "cut", s->cut);
    put_count(&object, "cuts", s->cuts.value);
    put_value(&object, "after_seconds", after);
    put_fact(&object, "before_check", s->before_check);
    put_fact(&object, "write_options", s->write_options);
    put_text(&object, "logs", s->logs);
    put_seconds(&object, "timeout_seconds", &s->timeout_ns);
    put_seconds(&object, "patience_seconds", &s->patience_ns);
    put_flag(&object, "same_boot", s->same_boot);
    return object;
}

static char *report_json(const struct campaign *c)
{
    json_t *object = document_begin(&(struct document){
        .format = "boncut-campaign",
        .elapsed_seconds = (double)(clock_ns() - c->begun_ns) / BILLION,
        .storage = json_null(),
        .settings = settings_json(c->settings),
        .verdict = verdict_names[c->sum.verdict],
        .reason = c->sum.reason,
    });
    put_value(&object, "sum", sum_json(&c->sum));
    put_value(&object, "cuts", json_incref(c->cuts));
    return document_end(object, JSON_COMPACT);
}

static int report_campaign(struct campaign *c, struct err *e)
{
    const struct settings *s = c->settings;
    char *text = report_json(c);
    if (!text)
        return err_system(e, ENOMEM, "allocate memory for the JSON report");
    if (s->json)
        puts(text);
    else
        printf("\n%s: %s\n", verdict_headings[c->sum.verdict], c->sum.reason);
    int rc = s->page ? html_page_write(&c->page, text, e) : 0;
    free(text);
    return rc;
}

int boncut_campaign(const struct settings *s, struct err *e)
{
    struct campaign c = {.settings = s, .logs = {.fd = -1}, .begun_ns = clock_ns()};
    uint64_t seed = 0;
    int rc = s->page ? html_page_open(&c.page, "--html", s->page, e) : 0;
    if (rc == 0)
        rc = path_open(&c.logs, NULL, s->logs, PATH_MAKES, e);
    if (rc == 0 && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        rc = err_system(e, errno, "draw a random number");
    rng_init(&c.rng, seed, 0);
    c.cuts = json_array();
    /* a failure or a signal does not lose the earlier cuts: the next campaign continues there */
    for (unsigned number = 1; rc == 0 && number <= s->cuts.value; number++) {
        if (!cut_is_done(&c, number))
            rc = cut_make(&c, number, e);
        if (rc == 0)
            rc = take_cut(&c, number, e);
    }
    if (rc == 0) {
        campaign_sum_end(&c.sum);
        rc = report_campaign(&c, e);
    }
    if (rc == 0 && (rc = verdict_status(c.sum.verdict)) != 0)
        err_say(e, "%s: %s", verdict_headings[c.sum.verdict], c.sum.reason);
    json_decref(c.cuts);
    path_close(&c.logs);
    html_page_close(&c.page);
    return rc;
}
