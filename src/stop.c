#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "util/coverage.h"

static const int stop_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                   SIGPIPE, SIGXCPU, SIGXFSZ, SIGALRM};
#define STOP_SIGNAL_COUNT (sizeof stop_signals / sizeof *stop_signals)

static struct shared {
    atomic_bool requested;
    atomic_int signal;
    pid_t owner; /* the process that was asked to stop */
} * shared;

/*
 * Signals that come again by themselves, with the next line on a closed pipe or the next second of
 * CPU time: they do not mean that somebody is impatient.
 */
static bool repeats(int number)
{
    return number == SIGPIPE || number == SIGXCPU;
}

static void on_signal(int number)
{
    int none = 0;
    if (getpid() != shared->owner)
        return; /* a child that was forked a moment ago: the parent got the signal too */
    atomic_store_explicit(&shared->requested, true, memory_order_relaxed);
    if (atomic_compare_exchange_strong(&shared->signal, &none, number) || repeats(number))
        return;
    coverage_dump();
    signal(number, SIG_DFL);
    raise(number); /* delivered when this handler returns: the second one ends the program */
}

static void on_wake(int number)
{
    (void)number;
}

int stop_init(struct err *e)
{
    void *memory =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "shared memory");
    shared = memory;
    shared->owner = getpid();
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, children cannot be waited for */

    /* No SA_RESTART: a blocking call is to come back and look at the flag. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++) {
        struct sigaction before;
        sigaction(stop_signals[i], NULL, &before);
        if (stop_signals[i] != SIGPIPE && before.sa_handler == SIG_IGN)
            continue;
        sigaction(stop_signals[i], &action, NULL);
    }
    action.sa_handler = on_wake;
    sigaction(stop_wake_signal(), &action, NULL);
    return 0;
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

void stop_block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++)
        sigaddset(&set, stop_signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int stop_wake_signal(void)
{
    return SIGUSR1;
}

void stop_init_child(void)
{
    /* The terminal sends its signals to the whole group; the parent alone decides what follows. */
    for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++)
        signal(stop_signals[i], SIG_IGN);
    signal(stop_wake_signal(), SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void stop_end_by_signal(void)
{
    int number = stop_signal();
    if (number == 0)
        return;
    signal(number, SIG_DFL);
    raise(number);
}
