// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/target.h"

#include <glob.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "measure/clock.h"
#include "sys/helper.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/units.h"

#define GROUPS     "/sys/fs/cgroup"
#define MAX_LEVELS 16 /* of control groups that are searched for a unit */

/* Finds the control group of a unit, in whichever tree and slice it is. */
static bool find_unit(struct target *t, const char *unit)
{
    static const char *const trees[] = {GROUPS, GROUPS "/unified", GROUPS "/systemd"};
    static const char above[] = "/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*"; /* MAX_LEVELS */
    char pattern[PATH_MAX];
    glob_t found = {0};
    for (int i = 0; i < 3 * MAX_LEVELS && found.gl_pathc == 0; i++) {
        snprintf(pattern, sizeof pattern, "%s%.*s/%s", trees[i / MAX_LEVELS], 2 * (i % MAX_LEVELS),
                 above, unit);
        globfree(&found);
        if (glob(pattern, GLOB_NOESCAPE, NULL, &found) == 0)
            snprintf(t->group, sizeof t->group, "%s", found.gl_pathv[0]);
    }
    globfree(&found);
    return *t->group;
}

int target_find(struct target *t, const char *word, struct err *e)
{
    uint64_t number;
    char path[64], procs[PATH_MAX + 16];
    *t = (struct target){.gate = -1, .status = -1};
    if (units_parse_count(word, &number) == 0) {
        snprintf(path, sizeof path, "/proc/%.20s", word);
        if (number == 0 || number > INT_MAX || !kernel_file_exists(path))
            return err_say(e, "there is no process %.100s", word);
        t->process = (int)number;
        return 0;
    }
    bool is_below = strncmp(word, GROUPS "/", strlen(GROUPS "/")) == 0;
    if (strchr(word, '/'))
        snprintf(t->group, sizeof t->group, "%s%s", is_below ? "" : GROUPS "/", word);
    else if (!find_unit(t, word))
        return err_say(e, "%.100s is no pid, and no unit or control group with that name runs",
                       word);
    snprintf(procs, sizeof procs, "%s/cgroup.procs", t->group);
    if (!kernel_file_exists(procs))
        return err_say(e, "there is no control group %.200s", t->group);
    return 0;
}

int target_start(struct target *t, char *const command[], const struct identity *id, struct err *e)
{
    int ends[2];
    *t = (struct target){.gate = -1, .status = -1, .is_command = true};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_system(e, errno, "make a pipe");
    t->process = fork();
    if (t->process == 0) { /* waits for the gate, and becomes the command */
        struct err failure = {0};
        char byte;
        close(ends[1]);
        int rc = privilege_become(id, true, &failure);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of user, which clears it */
        if (rc == 0 && byte_read(ends[0], &byte) == 0 && !stop_requested()) {
            execvp(command[0], command);
            err_system(&failure, errno, "%.200s", command[0]);
        }
        if (*failure.text)
            message("%s", failure.text);
        _exit(failure.code == ENOENT ? 127 : failure.code == EACCES ? 126 : 125);
    }
    int code = errno;
    close(ends[0]);
    t->gate = ends[1];
    if (t->process > 0)
        return 0;
    descriptor_close(&t->gate);
    return err_system(e, code, "fork");
}

static void visit_process(int process, unsigned level, target_follow *follow, void *context)
{
    char path[96];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = level == 4 * MAX_LEVELS ? NULL : kernel_file_list(path);
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
        int thread = atoi(entry->d_name);
        if (thread <= 0)
            continue;
        follow(context, thread);
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
        FILE *children = kernel_file_read(path);
        while (children && fscanf(children, "%d", &child) == 1)
            visit_process(child, level + 1, follow, context);
        if (children)
            fclose(children);
    }
    if (tasks)
        closedir(tasks);
}

static void visit_group(const char *group, unsigned level, target_follow *follow, void *context)
{
    char path[PATH_MAX];
    int process;
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    FILE *processes = kernel_file_read(path);
    while (processes && fscanf(processes, "%d", &process) == 1)
        visit_process(process, 0, follow, context);
    if (processes)
        fclose(processes);
    DIR *below = level == MAX_LEVELS ? NULL : kernel_file_list(group);
    for (const struct dirent *entry; below && (entry = readdir(below));)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", group, entry->d_name) < (int)sizeof path)
            visit_group(path, level + 1, follow, context);
    if (below)
        closedir(below);
}

void target_visit(const struct target *t, target_follow *follow, void *context)
{
    if (t->process > 0)
        visit_process(t->process, 0, follow, context);
    else
        visit_group(t->group, 0, follow, context);
}

static bool reap(struct target *t)
{
    int status;
    if (t->status < 0 && waitpid(t->process, &status, WNOHANG) == t->process)
        t->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return t->status >= 0;
}

bool target_has_ended(struct target *t)
{
    if (t->is_command)
        return reap(t);
    return t->process > 0 && kill(t->process, 0) != 0 && errno == ESRCH;
}

int target_wait(struct target *t)
{
    const uint64_t grace_ns = 5 * BILLION; /* which it has after a TERM */
    uint64_t asked_ns = 0;
    descriptor_close(&t->gate);
    for (; !reap(t); clock_sleep(10 * MILLION)) {
        if (stop_requested() && asked_ns == 0) {
            kill(t->process, SIGTERM);
            asked_ns = clock_ns();
        } else if (asked_ns != 0 && clock_ns() - asked_ns > grace_ns) {
            kill(t->process, SIGKILL);
        }
    }
    return t->status;
}
