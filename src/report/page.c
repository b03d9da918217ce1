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

#include "sys/stop.h"
#include "sys/walk.h"
#include "util/kernel_file.h"

#define DRAWER        "bon_csv2html"
#define DRAWER_SET_BY "BON_CSV2HTML"

extern char **environ;

/*
 * The path of the program in a directory, or at `below` from there; NULL: another user can change
 * the program or the way to it.
 */
static char *found_at(const char *directory, size_t length, const char *below)
{
    char *path = NULL;
    if (asprintf(&path, "%.*s/%s%s", (int)length, directory, below, DRAWER) < 0)
        return NULL;
    if (walk_trusts_program(path))
        return path;
    free(path);
    return NULL;
}

/*
 * Looks for the program beside this one, in bin beside sbin, and, before installation, among the
 * sources above.
 */
static char *find_beside(void)
{
    static const char *const below[] = {"", "../bin/", "scripts/", "../../scripts/"};
    char self[PATH_MAX];
    if (!kernel_file_link("/proc/self/exe", self, sizeof self))
        return NULL;
    char *slash = strrchr(self, '/');
    char *path = NULL;
    for (size_t i = 0; !path && i < sizeof below / sizeof *below; i++)
        path = found_at(self, (size_t)(slash - self), below[i]);
    return path;
}

static char *find_in_path(void)
{
    const char *list = getenv("PATH");
    char *path = NULL;
    while (list && *list && !path) {
        size_t length = strcspn(list, ":");
        if (*list == '/')
            path = found_at(list, length, "");
        list += length + (list[length] == ':');
    }
    return path;
}

static char *find_drawer(void)
{
    const char *set = getenv(DRAWER_SET_BY);
    if (set && *set)
        return strdup(set);
    char *path = find_beside();
    if (!path)
        path = found_at(PROGRAMS, strlen(PROGRAMS), "");
    return path ? path : find_in_path();
}

static int start_drawer(const struct page *p, char *const argv[], int in, int out, pid_t *pid)
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
static int run_drawer(const struct page *p, char *const argv[], int in, int out)
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

/* Checks whether the program can run. */
static int try_drawer(const struct page *p, struct err *e)
{
    char name[] = DRAWER;
    char help[] = "--help";
    char *const argv[] = {name, help, NULL};
    int null = kernel_file_open("/dev/null", O_RDWR);
    if (null < 0)
        return err_system(e, errno, "open /dev/null");
    int status = run_drawer(p, argv, null, null);
    close(null);
    if (status < 0)
        return err_system(e, -status, "%s: run %s", p->option, p->program);
    if (status > 0)
        return err_say(e, "%s: %s does not work here", p->option, p->program);
    return 0;
}

int page_open(struct page *p, const char *option, const char *path, struct err *e)
{
    *p = (struct page){.option = option, .program = find_drawer()};
    if (!p->program)
        return err_say(e,
                       "%s: no %s, which draws the page, was found in a place that nobody else can "
                       "change; " DRAWER_SET_BY " can name one",
                       option, DRAWER);
    int rc = try_drawer(p, e);
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

int page_write(struct page *p, const char *json, const char *title, struct err *e)
{
    char name[] = DRAWER;
    char option[] = "--title";
    char *words = title ? strdup(title) : NULL;
    bool was_stopped = stop_requested();
    char *const argv[] = {name, words ? option : NULL, words, NULL};
    int in = keep_report(json);
    int status = in < 0 ? in : run_drawer(p, argv, in, fileno(p->output.stream));
    if (in >= 0)
        close(in);
    free(words);
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

void page_close(struct page *p)
{
    if (p->is_open)
        output_discard(&p->output);
    free(p->program);
    *p = (struct page){0};
}
