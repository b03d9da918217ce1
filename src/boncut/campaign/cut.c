#include "boncut/campaign/cut.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "boncut/campaign/shell.h"
#include "boncut/header.h"
#include "boncut/verdict.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/units.h"

#define COMMAND_MOST 8192
#define PAUSE_NS     (BILLION / 20)
#define RETRY_NS     BILLION

/* How long the victim may take to answer. */
#define ANSWER_NS (10 * BILLION)

#define DEFAULT_PATIENCE_NS (60 * BILLION)
#define DEFAULT_TIMEOUT_NS  (600 * BILLION)
#define DEFAULT_LEAST_NS    (5 * BILLION)
#define DEFAULT_MOST_NS     (30 * BILLION)

/* A cut in progress. */
struct cut {
    struct campaign *campaign;
    unsigned number;
    int said_fd;
    pid_t writer;         /* 0: it is not running */
    struct header header; /* of the log */
};

/*
 * The result of a step after which nothing is known of the promises: the command could not be run,
 * or did not find what the log is of. Its line is in e.
 */
#define NOT_JUDGED 1

void cut_name(char name[CUT_NAME], unsigned number, const char *ending)
{
    snprintf(name, CUT_NAME, "%04u.%s", number, ending);
}

static uint64_t patience_of(const struct cut *c)
{
    return given_or(c->campaign->settings->patience_ns, DEFAULT_PATIENCE_NS);
}

/* ---- commands -------------------------------------------------------------------------------- */

static int open_log(const struct cut *c, const char *ending, int flags, struct err *e)
{
    char name[CUT_NAME];
    cut_name(name, c->number, ending);
    int fd = path_open_file(&c->campaign->logs, name, flags, 0666, 0);
    return fd >= 0
               ? fd
               : err_say(e, "open %s/%s: %s", c->campaign->settings->logs, name, path_reason(-fd));
}

static int say_failure(const struct cut *c, const char *what, int status, struct err *e)
{
    char name[CUT_NAME];
    cut_name(name, c->number, "said");
    if (status == -EINTR)
        return err_system(e, EINTR, "%s", what);
    if (status == -ETIMEDOUT)
        return err_say(e, "cut %u: %s did not end in time; the output is in %s/%s", c->number, what,
                       c->campaign->settings->logs, name);
    return err_say(e, "cut %u: %s ended with status %d; the output is in %s/%s", c->number, what,
                   status, c->campaign->settings->logs, name);
}

/*
 * Runs a command with `in` as standard input (-1: none) and `out` as standard output (-1: the .said
 * file). Returns the command's exit status, -ETIMEDOUT or -EINTR, or another negative errno with a
 * line in e.
 */
static int run_command(const struct cut *c, const char *command, int in, int out, uint64_t limit_ns,
                       struct err *e)
{
    int nothing = kernel_file_open("/dev/null", O_RDONLY);
    pid_t process =
        shell_start(command, in >= 0 ? in : nothing, out >= 0 ? out : c->said_fd, c->said_fd, e);
    descriptor_close(&nothing);
    return process < 0 ? (int)process : shell_wait(process, clock_ns() + limit_ns);
}

/* Stores in `line` the user's --victim, followed by a command for the victim. */
static int on_victim(const struct cut *c, char line[COMMAND_MOST], const char *command,
                     struct err *e)
{
    const struct settings *s = c->campaign->settings;
    int length = snprintf(line, COMMAND_MOST, "%s %s", s->victim, command);
    return length < COMMAND_MOST ? 0 : err_say(e, "--victim: the command is too long");
}

static int boncut_on_victim(const struct cut *c, char line[COMMAND_MOST], const char *command,
                            struct err *e)
{
    char whole[COMMAND_MOST];
    const struct settings *s = c->campaign->settings;
    if (snprintf(whole, sizeof whole, "boncut %s %s", command, s->directory) >= (int)sizeof whole)
        return err_say(e, "--write-options: the command is too long");
    return on_victim(c, line, whole, e);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static int clean_up(struct cut *c, struct err *e)
{
    char line[COMMAND_MOST];
    int rc = boncut_on_victim(c, line, "--cleanup", e);
    if (rc != 0)
        return rc;
    int status = run_command(c, line, -1, -1, patience_of(c), e);
    return status == 0 ? 0 : say_failure(c, "boncut --cleanup", status, e);
}

/* Whether the log has a promise after its header. */
static bool has_promises(int log_fd)
{
    char text[HEADER_LINE_MOST];
    ssize_t length = pread(log_fd, text, sizeof text, 0);
    const char *end = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
    return end && memchr(end + 1, '\n', (size_t)(text + length - end - 1));
}

static void pause_ns(uint64_t nanoseconds)
{
    const struct timespec pause = clock_timespec(nanoseconds);
    nanosleep(&pause, NULL);
}

/*
 * Waits while the writer runs, until the moment until_ns, or with for_promises until the first
 * promise.
 */
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
        pause_ns(PAUSE_NS);
    }
    return !for_promises || has_promises(log_fd)
               ? 0
               : say_failure(c, "boncut write made no promise: the wait for the first one",
                             -ETIMEDOUT, e);
}

/* Draws a random time from the range of --after. */
static uint64_t draw_delay(struct campaign *c)
{
    uint64_t least = given_or(c->settings->after_least_ns, DEFAULT_LEAST_NS);
    uint64_t most = given_or(c->settings->after_most_ns, DEFAULT_MOST_NS);
    return least + rng_below(&c->rng, most - least + 1);
}

static int start_writer(struct cut *c, int log_fd, struct err *e)
{
    char line[COMMAND_MOST];
    char command[COMMAND_MOST];
    const char *options = c->campaign->settings->write_options;
    if (snprintf(command, sizeof command, "write %s", options ? options : "") >=
        (int)sizeof command)
        return err_say(e, "--write-options: the command is too long");
    int nothing = kernel_file_open("/dev/null", O_RDONLY);
    int rc = boncut_on_victim(c, line, command, e);
    pid_t process = rc == 0 ? shell_start(line, nothing, log_fd, c->said_fd, e) : rc;
    descriptor_close(&nothing);
    if (process < 0)
        return (int)process;
    c->writer = process;
    return 0;
}

static void end_writer(struct cut *c)
{
    if (c->writer > 0)
        shell_end(c->writer);
    c->writer = 0;
}

static int read_header(const struct cut *c, struct header *h, struct err *e)
{
    char text[HEADER_LINE_MOST];
    int fd = open_log(c, "promises", O_RDONLY, e);
    if (fd < 0)
        return fd;
    ssize_t length = pread(fd, text, sizeof text, 0);
    const char *end = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
    int rc = header_parse(h, text, end ? (size_t)(end - text) : 0, e);
    close(fd);
    return rc;
}

bool cut_is_done(struct campaign *c, unsigned number)
{
    char name[CUT_NAME];
    struct stat st;
    struct err ignored;
    struct cut cut = {.campaign = c, .number = number};
    cut_name(name, number, "json");
    if (fstatat(c->logs.fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_size == 0)
        return false;
    err_init(&ignored);
    if (!*c->uuid && read_header(&cut, &cut.header, &ignored) == 0)
        memcpy(c->uuid, cut.header.uuid, HEADER_TEXT);
    return true;
}

/*
 * Reads the header of the cut's log. The filesystem must be that of the cuts before: a directory
 * where it is not mounted any more belongs to another one.
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
    int log_fd = open_log(c, "promises", O_RDWR | O_CREAT | O_TRUNC, e);
    int rc = log_fd < 0 ? log_fd : start_writer(c, log_fd, e);
    if (rc == 0)
        rc = await_writer(c, log_fd, true, clock_ns() + patience_of(c), e);
    if (rc == 0)
        rc = check_header(c, e);
    if (rc == 0)
        rc = await_writer(c, log_fd, false, clock_ns() + draw_delay(c->campaign), e);
    if (rc == 0) {
        int status = run_command(c, c->campaign->settings->cut, -1, -1, patience_of(c), e);
        rc = status == -EINTR ? say_failure(c, "the cut", status, e) : 0;
    }
    end_writer(c);
    descriptor_close(&log_fd);
    return rc;
}

/* Whether the victim answers, with a boot id other than before the cut. */
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
    char name[CUT_NAME];
    uint64_t limit_ns = given_or(c->campaign->settings->timeout_ns, DEFAULT_TIMEOUT_NS);
    uint64_t until_ns = clock_ns() + limit_ns;
    int up;
    while ((up = is_up(c, e)) == 0 && clock_ns() < until_ns)
        pause_ns(c->campaign->settings->same_boot ? PAUSE_NS : RETRY_NS);
    cut_name(name, c->number, "boot");
    path_remove(&c->campaign->logs, name);
    if (up < 0)
        return up;
    return up ? 0
              : err_say(e,
                        "cut %u: the victim did not come up again, with a new boot id, within "
                        "--timeout; repeat the command to go on from here",
                        c->number);
}

/* Whether a command with this exit status did not run, or was ended: 255 is ssh's own. */
static bool is_no_answer(int status)
{
    return status >= 126;
}

/* Makes the victim run `boncut check`. The report gets its final name only when it is complete. */
static int check_victim(struct cut *c, int before_status, struct err *e)
{
    char line[COMMAND_MOST];
    char aside[CUT_NAME];
    char name[CUT_NAME];
    cut_name(aside, c->number, "new");
    cut_name(name, c->number, "json");
    int in = open_log(c, "promises", O_RDONLY, e);
    int out = in >= 0 ? open_log(c, "new", O_WRONLY | O_CREAT | O_TRUNC, e) : in;
    const char *command = before_status == 0 ? "check --json" : "check --json --unmounted";
    int rc = out < 0 ? out : boncut_on_victim(c, line, command, e);
    if (rc == 0) {
        int status = run_command(
            c, line, in, out, given_or(c->campaign->settings->timeout_ns, DEFAULT_TIMEOUT_NS), e);
        bool is_verdict =
            status == STATUS_KEPT || status == STATUS_LOST || status == STATUS_INCONCLUSIVE;
        rc = is_verdict ? 0 : say_failure(c, "boncut check", status, e);
        if (rc != 0 && status > 0)
            rc = NOT_JUDGED;
    }
    descriptor_close(&in);
    descriptor_close(&out);
    int logs = c->campaign->logs.fd;
    int replaced = rc == 0 ? path_check_replaced(&c->campaign->logs, name) : -ENOENT;
    if (replaced != 0 && replaced != -ENOENT)
        return err_say(e, "replace %s/%s: %s", c->campaign->settings->logs, name,
                       path_reason(-replaced));
    if (rc == 0 && renameat(logs, aside, logs, name) != 0)
        rc = err_system(e, errno, "rename %s/%s", c->campaign->settings->logs, aside);
    return rc;
}

/*
 * Runs the user's command before the check, for example to mount the filesystem. *status becomes
 * the command's exit status.
 */
static int prepare_check(struct cut *c, int *status, struct err *e)
{
    *status = 0;
    if (!c->campaign->settings->before_check)
        return 0;
    *status = run_command(c, c->campaign->settings->before_check, -1, -1, patience_of(c), e);
    if (*status >= 0 && !is_no_answer(*status))
        return 0;
    int rc = say_failure(c, "--before-check", *status, e);
    return *status < 0 ? rc : NOT_JUDGED;
}

static int make_once(struct cut *c, struct err *e)
{
    int before_status = 0;
    int rc = clean_up(c, e);
    if (rc == 0)
        rc = write_and_cut(c, e);
    if (rc == 0)
        rc = await_victim(c, e);
    if (rc == 0)
        rc = prepare_check(c, &before_status, e);
    if (rc == 0)
        rc = check_victim(c, before_status, e);
    return rc;
}

int cut_make(struct campaign *campaign, unsigned number, struct err *e)
{
    struct cut c = {.campaign = campaign, .number = number, .said_fd = -1};
    struct err reason;
    int rc = NOT_JUDGED;
    c.said_fd = open_log(&c, "said", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, e);
    if (c.said_fd < 0)
        return c.said_fd;
    for (int attempt = 0; rc == NOT_JUDGED && attempt < 2; attempt++) {
        err_init(&reason);
        rc = make_once(&c, &reason);
    }
    descriptor_close(&c.said_fd);
    if (rc == NOT_JUDGED)
        return err_say(e, "%s; nothing could be judged, in two attempts", reason.text);
    err_append(e, &reason);
    return rc;
}
