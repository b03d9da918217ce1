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
    const char *path; /* the private directory, for messages */
    int directory_fd;
    int (*first_sync)(int fd); /* makes the run's first files durable; NULL: not needed */
    _Atomic unsigned left_out; /* methods that do not work here, a bit for each */
    _Atomic unsigned active;   /* number of threads that make promises or write control groups */
    uint64_t end_ns;           /* when the time is over; UINT64_MAX: never */
    uint64_t gap_ns;           /* time between two promises of a worker, with --rate; 0: none */
};

/* The work of a thread of the run. */
enum worker_kind { WORKER_PROMISES, WORKER_CONTROL, WORKER_LOG };

struct worker {
    struct write_run *run;
    enum worker_kind kind;
    unsigned number;  /* index among those that make promises */
    unsigned methods; /* a bit for each of its methods */
    struct work work[METHODS_MOST];
    uint64_t *versions[METHODS_MOST]; /* for each unit, the last version that was begun */
    uint64_t due_ns[METHODS_MOST];    /* no step of the method before this */
    void *buffer;
    struct rng rng;
};

/* Their task in a pool: the first step makes the files, and the second changes them. */
extern const struct task worker_task;

/* Releases what a worker has. */
void worker_close(struct worker *w);

#endif
