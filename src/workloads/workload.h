#ifndef BONNIE_WORKLOADS_WORKLOAD_H
#define BONNIE_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "contents.h"
#include "job.h"
#include "measure/samples.h"
#include "plan.h"
#include "queue.h"
#include "scratch.h"
#include "workloads/datafile.h"
#include "workloads/fileset.h"

/*
 * What a test does, apart from when it does it. A workload's steps are given a struct work, the
 * worker's own, and touch nothing that another worker has.
 */

/* All that one worker works with. */
struct work {
    const struct plan *plan;
    const struct scratch *scratch;
    struct contents *contents;
    unsigned number;       /* of the worker */
    unsigned char *buffer; /* for preparing, and for the files of the metadata tests */
    size_t buffer_bytes;
    struct samples samples;   /* of the present phase */
    struct findings findings; /* likewise */
    struct queue queue;       /* likewise, for its block transfers */
    struct datafile data;     /* its share of the data set */
    struct io_file *all_data; /* the data files of all workers, as they are open at present */
    struct fileset files;     /* its share of the metadata files */
};

struct workload {
    const char *title; /* for the progress line */
    bool reads;        /* what it reads is to come from the device: caches are emptied before */
    bool forked;       /* its work is done by forked seekers, not by the workers */
    struct job job;    /* the context is a struct work */
};

/*
 * For tests that read: sees to it that the first `bytes` of the worker's data file hold what they
 * should, and that none of it is cached, unless the plan is to keep that.
 */
int work_have_data(struct work *w, uint64_t bytes, struct err *e);

/*
 * The same for all of the data (or none of it, when it is only to be written), and opens the file
 * for block transfers. Does nothing when the engine stores nothing.
 */
int work_open_data(struct work *w, int access, struct err *e);

/* How a queue for the plan's engine is opened: on so many files, for operations of so many bytes.
 */
struct queue_setup work_queue_setup(const struct plan *p, const struct io_file *files,
                                    unsigned file_count, size_t operation_bytes);

/* Opens the worker's queue on its own data file, for operations of a chunk. */
int work_open_queue(struct work *w, struct err *e);

/*
 * Does all operations of the source; if they wrote, makes that durable. Closes the file, but not
 * the queue: taking an engine down is not the storage's time.
 */
enum work_direction { WORK_READS, WORK_WRITES };
int work_run_queue(struct work *w, const struct io_source *source, enum work_direction direction,
                   struct err *e);

/* After a phase: closes its queue, and the file if it is still open. */
void work_release(struct work *w);

/* What the test of that number does. */
const struct workload *workload_of(enum test_id test);

/* One for each test; the file of that name holds it. */
extern const struct workload workload_putc;
extern const struct workload workload_getc;
extern const struct workload workload_put_block;
extern const struct workload workload_get_block;
extern const struct workload workload_rewrite;
extern const struct workload workload_seeks;
extern const struct workload workload_iops;
extern const struct workload workload_seq_create;
extern const struct workload workload_seq_stat;
extern const struct workload workload_seq_del;
extern const struct workload workload_ran_create;
extern const struct workload workload_ran_stat;
extern const struct workload workload_ran_del;

#endif
