#include "sys/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "measure/clock.h"
#include "util/coverage.h"
#include "util/message.h"

/*
 * The signals that do not mean that the run is to end (signal(7)): two that nobody can catch, those
 * that the kernel sends for a fault in the program, which is to end where it happened, and those
 * that end no process.
 */
static const int left_alone[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,
                                 SIGABRT, SIGSYS,  SIGTRAP, SIGCHLD, SIGCONT, SIGTSTP,
                                 SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};

/* Those with which somebody asks for the end; the others tell of an event, and may do so again. */
static const int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The descriptors with a reader who may not read: standard output and error, and stop_cuts_off().
 */
enum { READER_OUTPUT, READER_ERROR, READER_NAMED, READERS };

/* How often a line that cannot be written is given another chance to be given up. */
#define GIVE_UP_US 50000

/* Longer than a launcher takes from its first signal to KILL. */
#define LAUNCHER_ECHO_NS UINT64_C(10000000000)

static struct shared {
    atomic_bool requested;
    atomic_int signal;
    _Atomic uint64_t asked_ns;   /* when a request came first; 0: none did */
    uint64_t echo_ns;            /* requests that come within this time are one */
    pid_t owner;                 /* the process that was asked to stop */
    int null;                    /* /dev/null */
    int error;                   /* standard error, as it was at the start */
    atomic_int readers[READERS]; /* -1: nobody reads there, or it is a file, which takes all */
    atomic_int inquiries;        /* the socket that they go to, or -1 */
    atomic_char inquiry;         /* as what */
    atomic_bool is_asked;        /* and one of them has no answer yet */
} * shared;

static bool is_one_of(int number, const int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* All signals that end the run. */
static void stop_signals(sigset_t *set)
{
    sigfillset(set);
    sigdelset(set, stop_wake_signal());
    for (size_t i = 0; i < sizeof left_alone / sizeof *left_alone; i++)
        sigdelset(set, left_alone[i]);
}

/* True when a write to the descriptor may wait until somebody reads. */
static bool has_reader(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

/*
 * No look at the flag before a write can make sure that the signal does not come between the two,
 * and the write waits for ever. So the descriptors themselves lead nowhere from now on; a write
 * that is waiting is interrupted.
 */
static void cut_off_readers(void)
{
    for (int i = 0; i < READERS; i++) {
        int fd = atomic_load(&shared->readers[i]);
        if (fd >= 0)
            dup2(shared->null, fd);
    }
}

/* True for the first request, and for what comes so soon after it that it is the same. */
static bool is_patient(void)
{
    uint64_t first = 0;
    uint64_t now = clock_ns();
    return atomic_compare_exchange_strong(&shared->asked_ns, &first, now) ||
           now - first < shared->echo_ns;
}

static void on_signal(int number)
{
    int none = 0;
    int code = errno;
    if (getpid() != shared->owner)
        return; /* a child that was forked a moment ago: the parent got the signal too */
    atomic_store_explicit(&shared->requested, true, memory_order_relaxed);
    atomic_compare_exchange_strong(&shared->signal, &none, number);
    cut_off_readers();
    if (is_one_of(number, requests, sizeof requests / sizeof *requests) && !is_patient()) {
        coverage_dump();
        signal(number, SIG_DFL);
        raise(number); /* delivered when this handler returns */
    }
    errno = code;
}

/* Sends the inquiry on, unless there is nobody to tell. */
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

static void on_wake(int number)
{
    (void)number;
}

/* Has the handler called; a blocking call is to come back and look at the flag: no SA_RESTART. */
static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void take_signals_over(void)
{
    sigset_t set;
    stop_signals(&set);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction before;
        if (sigismember(&set, number) != 1 || sigaction(number, NULL, &before) != 0)
            continue;
        if (number == SIGPIPE || before.sa_handler == SIG_DFL) /* else ignored, or a profiler's */
            handle(number, on_signal);
    }
    handle(stop_wake_signal(), on_wake);
}

int stop_init(struct err *e)
{
    void *memory =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "shared memory");
    shared = memory;
    shared->owner = getpid();
    shared->echo_ns = STOP_ECHO_NS;
    shared->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (shared->null < 0)
        return err_system(e, errno, "open /dev/null");
    shared->error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (shared->error < 0)
        return err_system(e, errno, "a second descriptor of standard error");
    shared->readers[READER_OUTPUT] = has_reader(STDOUT_FILENO) ? STDOUT_FILENO : -1;
    shared->readers[READER_ERROR] = has_reader(STDERR_FILENO) ? STDERR_FILENO : -1;
    shared->readers[READER_NAMED] = -1;
    shared->inquiries = -1;
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, children cannot be waited for */
    take_signals_over();
    return 0;
}

void stop_takes_inquiries(void)
{
    struct sigaction action = {.sa_handler = on_inquiry, .sa_flags = SA_RESTART};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == on_signal)
        sigaction(SIGUSR1, &action, NULL);
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
    return stop_requested() ? err_system(e, EINTR, "the run was stopped") : 0;
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

/* Gives standard error its reader back, but for a moment at a time. */
static void lend_reader(void)
{
    const struct itimerval often = {.it_interval.tv_usec = GIVE_UP_US,
                                    .it_value.tv_usec = GIVE_UP_US};
    handle(SIGALRM, on_wake); /* ends a write that waits */
    setitimer(ITIMER_REAL, &often, NULL);
    dup2(shared->error, STDERR_FILENO);
    fputc('\n', stderr); /* what was cut off may have been half a line */
}

static void take_reader_back(void)
{
    const struct itimerval never = {.it_value.tv_usec = 0};
    dup2(shared->null, STDERR_FILENO);
    setitimer(ITIMER_REAL, &never, NULL);
}

void stop_message(const char *text)
{
    bool is_cut_off = stop_signal() && atomic_load(&shared->readers[READER_ERROR]) >= 0;
    if (is_cut_off) {
        struct pollfd reader = {.fd = shared->error, .events = POLLOUT};
        if (poll(&reader, 1, 0) != 1 || !(reader.revents & POLLOUT))
            return;
        lend_reader();
    }
    message("%s", text);
    if (is_cut_off)
        take_reader_back();
}

void stop_block_signals(void)
{
    sigset_t set;
    stop_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int stop_wake_signal(void)
{
    return SIGRTMIN;
}

void stop_init_child(void)
{
    /* The terminal sends its signals to the whole group; the parent alone decides what follows. */
    sigset_t set;
    stop_signals(&set);
    sigaddset(&set, stop_wake_signal());
    for (int number = 1; number <= SIGRTMAX; number++)
        if (sigismember(&set, number) == 1)
            signal(number, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void stop_end_by_signal(void)
{
    int number = stop_signal();
    if (number == 0)
        return;
    coverage_dump();
    signal(number, SIG_DFL);
    raise(number);
}
