// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/stop.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "measure/clock.h"
#include "util/coverage.h"
#include "util/kernel_file.h"
#include "util/shared_memory.h"

/* Signals that do not stop the run (signal(7)): two that cannot be caught; those that the kernel
 * sends for a fault in the program, which must end at once; and those that end no process. */
static const int left_alone[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,
                                 SIGABRT, SIGSYS,  SIGTRAP, SIGCHLD, SIGCONT, SIGTSTP,
                                 SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};

/* Descriptors whose reader may have stopped reading; the last is that of stop_cuts_off(). */
enum { READER_OUTPUT, READER_ERROR, READER_NAMED, READERS };

/* The interval at which SIGALRM interrupts a waiting write, so that it can be given up; and how
 * long a slow reader of a report is waited for after a signal. */
#define GIVE_UP_US         50000
#define READER_PATIENCE_NS UINT64_C(1000000000)

/* Longer than a launcher waits between its first signal and KILL. */
#define LAUNCHER_ECHO_NS UINT64_C(10000000000)

static struct stop_state {
    atomic_bool requested;
    atomic_int signal;
    _Atomic uint64_t asked_ns;   /* when the first request came, by clock_ns(); 0: none has */
    uint64_t echo_ns;            /* requests within this time count as one */
    pid_t owner;                 /* the process that the request is for */
    int null;                    /* descriptor of /dev/null */
    int copies[READER_NAMED];    /* of the original standard output and standard error */
    atomic_int readers[READERS]; /* -1: none, or a file, on which a write never waits */
    atomic_int inquiries;        /* socket that gets a byte for each inquiry; -1: none */
    atomic_char inquiry;         /* the byte for an inquiry */
    atomic_bool is_asked;        /* an inquiry has not been answered yet */
} * shared;

static void stop_signals(sigset_t *set)
{
    sigfillset(set);
    sigdelset(set, STOP_WAKE_SIGNAL);
    for (size_t i = 0; i < COUNT_OF(left_alone); i++)
        sigdelset(set, left_alone[i]);
}

/* Whether a write to the descriptor may wait for a reader. */
static bool has_reader(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

/* Redirects the descriptors themselves to /dev/null. A check of the flag before a write would not
 * do: a signal between the two would leave it waiting. One that already waits is interrupted. */
static void cut_off_readers(void)
{
    for (int i = 0; i < READERS; i++) {
        int fd = atomic_load(&shared->readers[i]);
        if (fd >= 0)
            dup2(shared->null, fd);
    }
}

/* Ends the process by that signal. The kernel does not do so to process 1 of a container, whose
 * status then is what shells make of such an end. */
static void end_by(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    coverage_dump();
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

static void on_signal(int number)
{
    int none = 0;
    int code = errno;
    if (getpid() != shared->owner)
        return; /* this child was just forked, and the parent has got the signal, too */
    atomic_store_explicit(&shared->requested, true, memory_order_relaxed);
    atomic_compare_exchange_strong(&shared->signal, &none, number);
    cut_off_readers();
    /* These ask for the end. All others report an event, and may report it again. */
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
        uint64_t first = 0;
        uint64_t now = clock_ns();
        bool is_first = atomic_compare_exchange_strong(&shared->asked_ns, &first, now);
        if (!is_first && now - first >= shared->echo_ns)
            end_by(number);
    }
    errno = code;
}

static void pass_on(void)
{
    int socket = atomic_load(&shared->inquiries);
    char byte = atomic_load(&shared->inquiry);
    if (socket >= 0)
        send(socket, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void on_inquiry(int number)
{
    int code = errno;
    (void)number;
    if (getpid() == shared->owner && !atomic_exchange(&shared->is_asked, true))
        pass_on();
    errno = code;
}

/* A signal whose coming is enough, since it interrupts a call that waits; or an inquiry that is
 * ignored: unlike SIG_IGN, this shows that SIGUSR1 was not ignored at the start. */
static void on_nothing(int number)
{
    (void)number;
}

/* Installs a handler. Without SA_RESTART a blocking call returns: its caller checks the flag. */
static void install_handler(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

int stop_init(struct err *e)
{
    int rc = shared_memory_map((void **)&shared, sizeof *shared, e);
    if (rc != 0)
        return rc;
    shared->owner = getpid();
    shared->echo_ns = STOP_ECHO_NS;
    shared->null = kernel_file_open("/dev/null", O_WRONLY);
    if (shared->null < 0 && errno == ENOENT)
        shared->null = memfd_create("null", MFD_CLOEXEC); /* an empty chroot */
    if (shared->null < 0)
        return err_system(e, errno, "open /dev/null");
    for (int i = 0; i < READER_NAMED; i++) {
        int fd = STDOUT_FILENO + i;
        shared->copies[i] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (shared->copies[i] < 0)
            return err_system(e, errno, "duplicate descriptor %d", fd);
        shared->readers[i] = has_reader(fd) ? fd : -1;
    }
    shared->readers[READER_NAMED] = -1;
    shared->inquiries = -1;
    signal(SIGCHLD, SIG_DFL); /* if it were ignored, nobody could wait for children */
    sigset_t set;
    stop_signals(&set);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction before;
        if (sigismember(&set, number) != 1 || sigaction(number, NULL, &before) != 0)
            continue;
        /* otherwise SIGUSR1 is ignored, or a profiler uses it */
        if (number == SIGPIPE || before.sa_handler == SIG_DFL)
            install_handler(number, on_signal, 0);
    }
    install_handler(STOP_WAKE_SIGNAL, on_nothing, 0);
    return 0;
}

void stop_takes_inquiries(bool can_answer)
{
    struct sigaction before;
    void (*const expected)(int) = can_answer ? on_nothing : SIG_DFL;
    if (sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == expected)
        install_handler(SIGUSR1, can_answer ? on_inquiry : on_nothing, SA_RESTART);
}

void stop_inquiries_to(int socket, char byte)
{
    if (!shared)
        return;
    atomic_store(&shared->inquiry, byte);
    atomic_store(&shared->inquiries, socket);
    if (atomic_load(&shared->is_asked))
        pass_on();
}

void stop_inquiry_ends(void)
{
    atomic_store(&shared->is_asked, false);
}

void stop_keeps_readers(void)
{
    for (int i = 0; i < READERS; i++)
        atomic_store(&shared->readers[i], -1);
}

void stop_takes_repeats(void)
{
    shared->echo_ns = LAUNCHER_ECHO_NS;
}

bool stop_requested(void)
{
    return atomic_load_explicit(&shared->requested, memory_order_relaxed);
}

int stop_check(struct err *e)
{
    return shared && stop_requested() ? err_system(e, EINTR, "the run was stopped") : 0;
}

void stop_request(void)
{
    atomic_store_explicit(&shared->requested, true, memory_order_relaxed);
}

int stop_signal(void)
{
    return shared ? atomic_load(&shared->signal) : 0;
}

void stop_cuts_off(int fd)
{
    atomic_store(&shared->readers[READER_NAMED], fd >= 0 && has_reader(fd) ? fd : -1);
    if (stop_signal())
        cut_off_readers();
}

/* Interrupts a write that waits for a reader, or no longer does. */
static void interrupt_writes(bool does)
{
    const suseconds_t every = does ? GIVE_UP_US : 0;
    const struct itimerval timer = {.it_interval.tv_usec = every, .it_value.tv_usec = every};
    if (does)
        install_handler(SIGALRM, on_nothing, 0);
    setitimer(ITIMER_REAL, &timer, NULL);
}

void stop_print(const char *text, size_t length)
{
    int fd = shared->copies[READER_OUTPUT];
    uint64_t last_ns = clock_ns();
    interrupt_writes(true);
    while (length > 0 && clock_ns() - last_ns < READER_PATIENCE_NS) {
        struct pollfd reader = {.fd = fd, .events = POLLOUT};
        bool takes = poll(&reader, 1, GIVE_UP_US / 1000) == 1 && reader.revents & POLLOUT;
        ssize_t written = takes ? write(fd, text, length) : 0;
        if (written < 0 && errno != EINTR)
            break;
        if (written <= 0)
            continue;
        text += written;
        length -= (size_t)written;
        last_ns = clock_ns();
    }
    interrupt_writes(false);
}

void stop_message(const char *text)
{
    bool is_cut_off = stop_signal() && atomic_load(&shared->readers[READER_ERROR]) >= 0;
    if (is_cut_off) {
        struct pollfd reader = {.fd = shared->copies[READER_ERROR], .events = POLLOUT};
        if (poll(&reader, 1, 0) != 1 || !(reader.revents & POLLOUT))
            return;
        /* connects standard error to its reader again */
        interrupt_writes(true);
        dup2(shared->copies[READER_ERROR], STDERR_FILENO);
        fputc('\n', stderr); /* the last output may have been cut off within a line */
    }
    message("%s", text);
    if (is_cut_off) {
        dup2(shared->null, STDERR_FILENO);
        interrupt_writes(false);
    }
}

void stop_block_signals(void)
{
    sigset_t set;
    stop_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void stop_init_child(void)
{
    /* The terminal signals the whole process group, but only the parent acts on that. */
    sigset_t set;
    stop_signals(&set);
    sigaddset(&set, STOP_WAKE_SIGNAL);
    for (int number = 1; number <= SIGRTMAX; number++)
        if (sigismember(&set, number) == 1)
            signal(number, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void stop_forget(void)
{
    atomic_store(&shared->signal, 0);
}

void stop_end_by_signal(void)
{
    if (stop_signal())
        end_by(stop_signal());
}
