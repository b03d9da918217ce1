#include "boncut/campaign/shell.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

/* A child exits with this status, as shells do, when it cannot run the shell. */
#define CANNOT_RUN 126

/* The kernel sends this signal to the leader of a process group when boncut is killed. */
#define PARENT_DIED SIGUSR1

/* Interval at which shell_wait() and shell_end() look whether a process has ended. */
#define PAUSE_NS 10000000

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

pid_t shell_start(const char *command, int in, int out, int error, struct err *e)
{
    pid_t parent = getpid();
    pid_t process = fork();
    if (process < 0)
        return err_system(e, errno, "run /bin/sh");
    if (process == 0)
        lead_group(command, in, out, error, parent);
    setpgid(process, process); /* parent and child both call it: one of them comes first */
    return process;
}

int shell_has_ended(pid_t process, int *status)
{
    int ended;
    if (waitpid(process, &ended, WNOHANG) != process)
        return 0;
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return 1;
}

static void pause_a_moment(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    nanosleep(&pause, NULL);
}

/* Waits for the process until the moment until_ns. Returns whether the process has ended. */
static int ends_until(pid_t process, uint64_t until_ns)
{
    int status;
    int has_ended;
    while (!(has_ended = shell_has_ended(process, &status)) && clock_ns() < until_ns)
        pause_a_moment();
    return has_ended;
}

void shell_end(pid_t process)
{
    kill(-process, SIGTERM);
    bool has_ended = ends_until(process, clock_ns() + GRACE_NS);
    kill(-process, SIGKILL); /* kills everything that the process has started, too */
    if (!has_ended)
        waitpid(process, NULL, 0);
    const uint64_t until_ns = clock_ns() + GRACE_NS;
    while (kill(-process, 0) == 0 && clock_ns() < until_ns)
        pause_a_moment();
}

int shell_wait(pid_t process, uint64_t until_ns)
{
    int status;
    while (!shell_has_ended(process, &status)) {
        bool is_late = clock_ns() >= until_ns;
        if (is_late || stop_requested()) {
            shell_end(process);
            return is_late ? -ETIMEDOUT : -EINTR;
        }
        pause_a_moment();
    }
    return status;
}
