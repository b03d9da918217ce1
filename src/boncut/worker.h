#ifndef BONCUT_WORKER_H
#define BONCUT_WORKER_H

#include <stdatomic.h>
#include <stdint.h>

#include "boncut/header.h"
#include "boncut/ledger.h"
#include "boncut/methods/method.h"
#include "boncut/promise_log.h"
#include "sys/task.h"
#include "util/rng.h"

/* What all workers of a run share. */
struct write_run {
    struct header header;
    struct pattern pattern;
    struct promise_log log;
    const char *path; /* path of the private directory, for messages */
    int directory_fd;
    int (*first_sync)(int fd); /* syncs each of the run's first files; NULL: one syncfs does it */
    _Atomic unsigned left_out; /* methods that do not work here, a bit for each method */
    _Atomic unsigned active;   /* number of threads that make promises or write control groups */
    uint64_t end_ns;           /* the end of the run by clock_ns(); UINT64_MAX: none */
    uint64_t gap_ns;           /* time between two promises of a worker, from --rate; 0: no limit */
};

/* What a thread of the run does. */
enum worker_kind { WORKER_PROMISES, WORKER_CONTROL, WORKER_LOG };

struct worker {
    struct write_run *run;
    enum worker_kind kind;
    unsigned number;  /* index among the workers that make promises */
    unsigned methods; /* methods of this worker, a bit for each method */
    struct work work[METHODS_MOST];
    uint64_t *versions[METHODS_MOST]; /* for each unit, the last version begun */
    uint64_t due_ns[METHODS_MOST];    /* earliest time of each method's next step */
    void *buffer;
    struct rng rng;
};

/*
 * The task of all workers in a thread pool: the first step makes the files, the second one changes
 * them.
 */
extern const struct task worker_task;

/*
 * Finds out whether the overwrites of the control group `drive` reach the device, each in its
 * place, and notes it in the run's header. The worker is that of the group; its files are durable,
 * and no other worker writes yet.
 */
void worker_probe_drive(struct worker *w);

/* Closes the files and frees the memory of a worker, but not the worker itself. */
void worker_close(struct worker *w);

#endif
