#ifndef BONNIE_WORKLOADS_WORKLOAD_H
#define BONNIE_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "bonnie/plan.h"
#include "io/io_queue.h"
#include "live/shared_stats.h"
#include "storage/data_file.h"
#include "storage/file_set.h"
#include "storage/scratch.h"
#include "sys/task.h"
#include "verify/contents.h"
#include "verify/corruption_log.h"

/*
 * What a test does, apart from when it does it. A workload's steps are given a struct work, the
 * worker's own, and touch nothing that another worker has.
 */

/*
 * So many characters are one operation of the per-character tests: glibc's buffer is st_blksize
 * bytes, which is this on the common filesystems.
 */
#define PERCHAR_BLOCK_BYTES 4096

/* All that one worker works with. */
struct work {
    const struct plan *plan;
    const struct scratch *scratch;
    struct contents *contents;
    uint64_t seed;         /* of the present run and this rank: decides all places */
    unsigned number;       /* of the worker */
    unsigned char *buffer; /* for preparing, and for the files of the metadata tests */
    size_t buffer_bytes;
    uint64_t prepare_until_ns;     /* a further lap is to be prepared by then; 0: no limit */
    unsigned lap;                  /* of the present phase, from 0 on */
    uint64_t lap_ns;               /* the lap is cut off after this time; 0: it is not */
    uint64_t lap_start;            /* where the last lap through the file was cut off; 0: anew */
    struct worker_stats *stats;    /* what it counts in the present phase */
    struct corruption *corruption; /* what it finds damaged in the present phase */
    struct io_queue queue;         /* for its block transfers in the present phase */
    struct data_file data;         /* its part of the data set */
    uint64_t perchar_bytes;        /* and how much of that the per-character tests work on */
    struct io_file *all_data;      /* the data files of all workers, as they are open at present */
    struct file_set files;         /* its share of the metadata files */
};

/* What one operation of a test works on; data files come before metadata files. */
enum work_unit {
    UNIT_PERCHAR_BLOCK, /* PERCHAR_BLOCK_BYTES characters, of those that there are for the
                         * per-character tests
                         */
    UNIT_CHUNK,         /* of the whole data set, each once or for a time */
    UNIT_SEEK,          /* a chunk, as many as there are seeks */
    UNIT_BLOCK,         /* of iops, for its time */
    UNIT_FILE,          /* a metadata file, with its data if it has any */
    UNIT_NAME,          /* the name of one only */
};

struct workload {
    const char *title; /* for the progress line */
    enum work_unit unit;
    unsigned read_percent;    /* share of the bytes that it counts that are read */
    unsigned written_percent; /* and written; UNIT_BLOCK: the plan has them */
    bool reads;       /* what it reads is to come from the device: caches are emptied before */
    bool forked;      /* its work is done by forked seekers, not by the workers */
    bool uses_engine; /* the plan's engine moves its data */
    bool shifts;      /* of several ranks, each can do it on what another has written */
    bool repeats;     /* it can be done in further laps, each prepared again, for --min-time */
    struct task task; /* the context is a struct work */
};

/* Whether it works on data files, and not on metadata files. */
bool workload_has_data(const struct workload *w);

/* The bytes of one operation; 0: it has none. */
uint64_t workload_operation_bytes(const struct workload *w, const struct plan *p);

/*
 * How long the test goes on by the plan, if it is not to become steady; 0: its work ends it.
 * workload_is_cut(): its last lap ends then; else that goes on to its end.
 */
uint64_t workload_duration_ns(const struct workload *w, const struct plan *p);
bool workload_is_cut(const struct workload *w);

/* How much of the bytes that a test counted was read, and how much was written. */
struct bytes_asked {
    uint64_t read;
    uint64_t written;
};
struct bytes_asked workload_asked(const struct workload *w, const struct plan *p, uint64_t bytes);

/*
 * For tests that read: sees to it that the first `bytes` of the worker's data file hold what they
 * should, and that none of it is cached, unless the plan is to keep that.
 */
int work_have_data(struct work *w, uint64_t bytes, struct err *e);

/*
 * The same for all of the data (or none of it, when it is only to be written; and if a lap was cut
 * off there, what that wrote is left), and opens the file for block transfers. Does nothing when
 * the engine stores nothing.
 */
int work_open_data(struct work *w, int access, struct err *e);

/* What a block test remembers of each operation in a queue of work_queue_setup(). */
struct op_state {
    uint64_t version; /* contents_version() before a read */
    bool changes;     /* the operation changes what is there */
};

static inline struct op_state *op_state(const struct io *io)
{
    return io->user;
}

/* Opens a queue, and counts it if the system does not know its buffers. */
int work_open_any_queue(struct io_queue *q, const struct io_queue_setup *setup,
                        struct worker_stats *stats, struct err *e);

/* How a queue for the plan's engine is opened: on file_count files, for operations of up to
 * operation_bytes. */
struct io_queue_setup work_queue_setup(const struct plan *p, const struct io_file *files,
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
