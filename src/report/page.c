// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/path.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"

#define DRAWER        "bon_csv2html"
#define DRAWER_SET_BY "BON_CSV2HTML"

extern char **environ;

static int start_drawer(const struct html_page *p, char *const argv[], int in, int out, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t mask;
    sigset_t pipe;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1); /* the drawing program does not answer inquiries */
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int code = posix_spawn(pid, p->program, &files, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return -code;
}

/*
 * Runs the program with these descriptors as standard input and output. Returns its exit status or
 * a negative errno.
 */
static int run_drawer(const struct html_page *p, char *const argv[], int in, int out)
{
    pid_t pid;
    int status = -1;
    bool was_stopped = stop_requested();
    int rc = start_drawer(p, argv, in, out, &pid);
    if (rc != 0)
        return rc;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -errno;
        if (!was_stopped && stop_requested())
            kill(pid, SIGTERM);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/*
 * Checks that the program runs and is ours: Bonnie++ has another program of this name, which would
 * draw an empty page.
 */
static int try_drawer(const struct html_page *p, struct err *e)
{
    static const char ours[] = DRAWER " ";
    char said[sizeof ours] = "";
    char name[] = DRAWER;
    char version[] = "--version";
    char *const argv[] = {name, version, NULL};
    int in = kernel_file_open("/dev/null", O_RDONLY);
    int out = memfd_create("version", MFD_CLOEXEC);
    int status = in < 0 || out < 0 ? -errno : run_drawer(p, argv, in, out);
    bool is_ours = status == 0 && pread(out, said, sizeof said - 1, 0) > 0 && !strcmp(said, ours);
    descriptor_close(&in);
    descriptor_close(&out);
    if (status == -ENOENT)
        return err_say(e, "%s: %s, or Perl, which it needs, was not found", p->option, p->program);
    if (status < 0)
        return err_system(e, -status, "%s: run %s", p->option, p->program);
    if (status > 0)
        return err_say(e, "%s: %s does not work here", p->option, p->program);
    if (!is_ours)
        return err_say(e, "%s: %s is another program of this name", p->option, p->program);
    return 0;
}

/*
 * Takes the program in a directory, or at `below` from there, if it works, and if no other user can
 * change it or the way to it.
 */
static bool take_at(struct html_page *p, const char *directory, size_t length, const char *below,
                    struct err *e)
{
    char *path;
    if (asprintf(&path, "%.*s/%s%s", (int)length, directory, below, DRAWER) < 0)
        return false;
    p->program = path;
    if (path_is_safe_program(path) && try_drawer(p, e) == 0)
        return true;
    free(path);
    p->program = NULL;
    return false;
}

/* Looks for the program beside this one, and, before installation, among the sources above. */
static bool find_beside(struct html_page *p, struct err *e)
{
    static const char *const below[] = {"", "scripts/", "../../scripts/"};
    char self[PATH_MAX];
    if (!kernel_file_link("/proc/self/exe", self, sizeof self))
        return false;
    size_t length = (size_t)(strrchr(self, '/') - self);
    bool is_found = false;
    for (size_t i = 0; !is_found && i < sizeof below / sizeof *below; i++)
        is_found = take_at(p, self, length, below[i], e);
    return is_found;
}

static bool find_in_path(struct html_page *p, struct err *e)
{
    const char *list = getenv("PATH");
    bool is_found = false;
    while (list && *list && !is_found) {
        size_t length = strcspn(list, ":");
        is_found = *list == '/' && take_at(p, list, length, "", e);
        list += length + (list[length] == ':');
    }
    return is_found;
}

static int find_drawer(struct html_page *p, struct err *e)
{
    struct err why = {0};
    const char *set = getenv(DRAWER_SET_BY);
    if (set && *set) {
        p->program = strdup(set);
        return try_drawer(p, e);
    }
    if (find_beside(p, &why) || find_in_path(p, &why))
        return 0;
    if (why.code != 0)
        return err_say(e, "%s", why.text);
    return err_say(e,
                   "%s: no %s, which draws the page, was found in a place that nobody else can "
                   "change; " DRAWER_SET_BY " can name one",
                   p->option, DRAWER);
}

int html_page_open(struct html_page *p, const char *option, const char *path, struct err *e)
{
    *p = (struct html_page){.option = option};
    int rc = find_drawer(p, e);
    if (rc == 0)
        rc = output_open(&p->output, path, e);
    p->is_open = rc == 0;
    return rc;
}

/*
 * Stores the report in a memory file, because a pipe would have to be filled while the program
 * reads. Returns the descriptor or a negative errno.
 */
static int keep_report(const char *json)
{
    int fd = memfd_create("report.json", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t length = strlen(json);
    for (size_t done = 0; done < length;) {
        ssize_t written = write(fd, json + done, length - done);
        if (written < 0 && errno != EINTR) {
            int code = errno;
            close(fd);
            return -code;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

int html_page_write(struct html_page *p, const char *json, struct err *e)
{
    char name[] = DRAWER;
    bool was_stopped = stop_requested();
    char *const argv[] = {name, NULL};
    int in = keep_report(json);
    int status = in < 0 ? in : run_drawer(p, argv, in, fileno(p->output.stream));
    if (in >= 0)
        close(in);
    if (!was_stopped && stop_check(e) != 0)
        return -EINTR;
    if (in < 0)
        return err_system(e, -in, "%s: a file in memory for the report (memfd_create)", p->option);
    if (status < 0)
        return err_system(e, -status, "%s: run %s", p->option, p->program);
    if (status > 0)
        return err_say(e, "%s: %s did not draw the page", p->option, p->program);
    return output_finish(&p->output, e);
}

void html_page_close(struct html_page *p)
{
    if (p->is_open)
        output_discard(&p->output);
    free(p->program);
    *p = (struct html_page){0};
}
