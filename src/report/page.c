// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/page.h"

#include <linux/keyctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "measure/clock.h"
#include "sys/helper.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/units.h"

#define DRAWER        "bon_csv2html"
#define DRAWER_SET_BY "BON_CSV2HTML"

extern char **environ;
/* A longer page is not believed, and longer messages are cut. */
#define MAX_PAGE     (off_t)(256 * MIB)
#define MAX_MESSAGES 4096
/* Interval at which to look whether the drawer has ended. */
#define LOOK_NS 2000000
/* A drawer that takes longer is killed: after -u, others of the user may hold it up. */
#define MAX_NS (300 * BILLION)

struct drawing {
    const char *program;
    char argument[16]; /* empty: it has none */
    int files[3];      /* the drawer's descriptors 0 to 2, which are files in memory */
};

/* Becomes the drawer, or sends the errno. After -u, others of the user can trace it, because
 * execve(2) allows that again. So nothing in it is worth taking: it has a session and a keyring of
 * its own, three files in memory, and what it needs of the environment. */
static void become_drawer(void *context, int socket)
{
    static const char *const needed[] = {"PATH=", "LANG=", "LC_", "TZ=", "TMPDIR="};
    struct drawing *d = context;
    char name[] = DRAWER;
    char *environment[32] = {NULL};
    size_t count = 0;
    for (char **v = environ; *v; v++)
        for (size_t i = 0; i < COUNT_OF(needed); i++)
            if (strncmp(*v, needed[i], strlen(needed[i])) == 0 && strncmp(*v, "TZ=/", 4) != 0 &&
                strncmp(*v, "TZ=:", 4) != 0 && /* a file, and no zone */
                count < COUNT_OF(environment) - 1)
                environment[count++] = *v;
    setsid();
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL); /* where the kernel has keyrings */
    int answer = STDERR_FILENO + 1;
    bool is_apart = chdir("/") == 0;
    for (int fd = 0; is_apart && fd < answer; fd++)
        is_apart = dup2(d->files[fd], fd) == fd;
    if (is_apart && dup2(socket, answer) == answer && fcntl(answer, F_SETFD, FD_CLOEXEC) == 0 &&
        portable_close_range((unsigned)answer + 1, ~0U))
        execve(d->program, (char *[]){name, *d->argument ? d->argument : NULL, NULL}, environment);
    byte_write(answer, (char)errno);
    _exit(EXIT_FAILURE);
}

/* Runs the program, which reads `input`, and passes on what it says, line by line. Returns its exit
 * status or a negative errno. *out becomes the file in memory that it wrote, for the caller to
 * close. A request to stop kills it, for it cleans nothing up. If somebody stops it, it goes on. */
static int run_drawer(const struct html_page *p, const char *argument, const char *input, int *out)
{
    struct helper drawer = {.socket = -1};
    struct err ignored = {0};
    struct drawing d = {.program = p->program};
    bool was_stopped = stop_requested();
    char failed = 0;
    int status = 0;
    int rc = 0;
    for (int fd = 0; fd < 3; fd++) /* a pipe would have to be filled while the program reads */
        if ((d.files[fd] = memfd_create(DRAWER, MFD_CLOEXEC)) < 0)
            rc = -errno;
    *out = d.files[STDOUT_FILENO];
    snprintf(d.argument, sizeof d.argument, "%s", argument);
    if (rc == 0 && (dprintf(d.files[0], "%s", input) < 0 || lseek(d.files[0], 0, SEEK_SET) != 0))
        rc = -errno;
    if (rc == 0)
        rc = helper_start(&drawer, "drawer", become_drawer, &d, &ignored);
    uint64_t begin_ns = clock_ns();
    pid_t changed = -1;
    while (drawer.pid > 0 && ((changed = waitpid(drawer.pid, &status, WNOHANG | WUNTRACED)) == 0 ||
                              (changed > 0 && WIFSTOPPED(status)))) {
        bool is_over = clock_ns() - begin_ns > MAX_NS || (!was_stopped && stop_requested());
        if (is_over || changed > 0)
            kill(drawer.pid, is_over ? SIGKILL : SIGCONT);
        clock_sleep(LOOK_NS);
    }
    if (rc == 0 && recv(drawer.socket, &failed, 1, MSG_DONTWAIT) == 1)
        rc = -failed;
    char text[MAX_MESSAGES + 1];
    ssize_t got = pread(d.files[STDERR_FILENO], text, MAX_MESSAGES, 0);
    text[got > 0 ? got : 0] = '\0';
    for (char *rest = text; rest && *rest;)
        fprintf(stderr, "%s\n", printable(strsep(&rest, "\n")).text);
    descriptor_close(&drawer.socket);
    descriptor_close(&d.files[STDIN_FILENO]);
    descriptor_close(&d.files[STDERR_FILENO]);
    return rc != 0 ? rc : WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* Checks that the program runs and is not Bonnie++'s of this name, which draws an empty page. */
static int try_drawer(const struct html_page *p, struct err *e)
{
    static const char ours[] = DRAWER " ";
    char said[sizeof ours] = "";
    int out;
    int status = run_drawer(p, "--version", "", &out);
    bool is_ours = status == 0 && pread(out, said, sizeof said - 1, 0) > 0 && !strcmp(said, ours);
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

/* Takes the program at `below` a directory if it works, and no other user can change it. */
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

static int find_drawer(struct html_page *p, struct err *e)
{
    static const char *const below[] = {"", "scripts/", "../../scripts/"};
    struct err why = {0};
    char self[PATH_MAX];
    const char *set = getenv(DRAWER_SET_BY);
    if (set && *set) {
        char *here =
            *set == '/' ? strdup("") : get_current_dir_name(); /* the drawer is elsewhere */
        int length =
            asprintf(&p->program, "%s%s%s", here ? here : ".", *set == '/' ? "" : "/", set);
        free(here);
        return length < 0 ? err_system(e, ENOMEM, "%s", p->option) : try_drawer(p, e);
    }
    /* beside this program and, before installation, among the sources above */
    bool is_found = false;
    bool is_known = kernel_file_link("/proc/self/exe", self, sizeof self);
    for (size_t i = 0; is_known && !is_found && i < COUNT_OF(below); i++)
        is_found = take_at(p, self, (size_t)(strrchr(self, '/') - self), below[i], &why);
    const char *list = getenv("PATH");
    while (list && *list && !is_found) {
        size_t length = strcspn(list, ":");
        is_found = *list == '/' && take_at(p, list, length, "", &why);
        list += length + (list[length] == ':');
    }
    if (is_found)
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
        rc = output_open(&p->output, path, false, e);
    p->is_open = rc == 0;
    return rc;
}

int html_page_write(struct html_page *p, const char *json, struct err *e)
{
    bool was_stopped = stop_requested();
    int out;
    int status = run_drawer(p, "", json, &out);
    off_t length = status == 0 ? lseek(out, 0, SEEK_END) : 0;
    int rc = 0;
    if (!was_stopped && stop_check(e) != 0)
        rc = -EINTR;
    else if (status < 0)
        rc = err_system(e, -status, "%s: run %s", p->option, p->program);
    else if (status > 0 || length > MAX_PAGE)
        rc = err_say(e, "%s: %s did not draw the page", p->option, p->program);
    /* somebody else may hold on to the drawer: the page is copied as long as it is now */
    char part[8192];
    ssize_t got = 0;
    for (off_t at = 0; rc == 0 && at < length && (got = pread(out, part, sizeof part, at)) > 0;
         at += got)
        if (fwrite(part, 1, (size_t)got, p->output.stream) != (size_t)got)
            break; /* output_finish() will say why */
    descriptor_close(&out);
    return rc == 0 ? output_finish(&p->output, e) : rc;
}

void html_page_close(struct html_page *p)
{
    if (p->is_open)
        output_discard(&p->output);
    free(p->program);
    *p = (struct html_page){0};
}
