#ifndef TAIL_RUN_DELAY_H
#define TAIL_RUN_DELAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * How long workers wait for a CPU, by /proc/PID/task/TID/schedstat: what can be known of slow
 * operations where the kernel's events cannot be seen.
 */

#define RUN_DELAY_SAMPLES 512

/* The run delay of a thread, read at some time from before_ns to after_ns (clock_ns()). */
struct run_delay_sample {
    uint64_t before_ns;
    uint64_t after_ns;
    uint64_t waited_ns;
};

/* The latest samples of one worker. */
struct run_delay {
    int thread; /* the worker's thread ID; 0: not known yet */
    int fd;     /* its file, or -1 */
    uint64_t count;
    struct run_delay_sample samples[RUN_DELAY_SAMPLES]; /* a ring */
};

/*
 * The shortest time that a thread can have waited for a CPU between start_ns, when it was running,
 * and end_ns; 0 if the samples prove nothing. The kernel adds a wait when it ends, so what was
 * added since a sample taken after start_ns began after start_ns, too.
 */
uint64_t run_delay_least(const struct run_delay *d, uint64_t start_ns, uint64_t end_ns);

/* Those of all workers of a program, used by one process. */
struct run_delays {
    struct run_delay *list;
    unsigned count;
};

/* Makes room for this number of workers. Returns 0 or a negative errno. */
int run_delays_open(struct run_delays *all, unsigned count);
void run_delays_close(struct run_delays *all);

/*
 * Reads the run delay of each worker whose thread is known. Uses neither malloc nor stdio streams.
 */
void run_delays_sample(struct run_delays *all);

/* Says which thread of the parent process a worker is; from then on it is sampled. */
void run_delays_watch(struct run_delays *all, unsigned worker, int thread);

#endif
