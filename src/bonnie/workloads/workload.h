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
 * What a test does, apart from when it does it. The steps of a workload get a struct work, the
 * worker's own, and touch nothing of another worker.
 */

/*
 * The characters of one operation of the per-character tests: glibc's buffer has st_blksize bytes,
 * which is this on common filesystems.
 */
#define PERCHAR_BLOCK_BYTES 4096

/* Everything that one worker works with. */
struct work {
    const struct plan *plan;
    const struct scratch *scratch;
    struct contents *contents;
    uint64_t seed;         /* seed of the current run and this rank: decides all offsets */
    unsigned number;       /* number of the worker */
    unsigned char *buffer; /* for preparing, and for the files of the metadata tests */
    size_t buffer_bytes;
    uint64_t prepare_until_ns;  /* time by which a further lap has to be prepared; 0: no limit */
    unsigned lap;               /* number of the lap in the current phase, from 0 */
    uint64_t lap_ns;            /* the lap is cut off after this time; 0: no limit */
    uint64_t lap_start;         /* where the last lap through the file was cut off; 0: start anew */
    struct worker_stats *stats; /* what it counts in the current phase */
    struct corruption *corruption; /* what it finds corrupted in the current phase */
    struct io_queue queue;         /* for its block transfers in the current phase */
    struct data_file data;         /* its part of the data set */
    uint64_t perchar_bytes;        /* the part of it that the per-character tests work on */
    struct io_file *all_data; /* the data files of all workers, as they are open at the moment */
    struct file_set files;    /* its share of the metadata files */
};

/* The object of one operation of a test; data files come before metadata files. */
enum work_unit {
    UNIT_PERCHAR_BLOCK, /* PERCHAR_BLOCK_BYTES characters of the part for the per-character tests */
    UNIT_CHUNK,         /* a chunk of the whole data set, each once or for a time */
    UNIT_SEEK,          /* a chunk, as many as the plan has seeks */
    UNIT_BLOCK,         /* a block of iops, for its time */
    UNIT_FILE,          /* a metadata file, with its data if it has any */
    UNIT_NAME,          /* a name only */
};

struct workload {
    const char *title; /* for the progress line */
    enum work_unit unit;
    unsigned read_percent;    /* share of the counted bytes that are read */
    unsigned written_percent; /* share that is written; UNIT_BLOCK: the plan says both */
    bool reads;               /* its data has to come from the device: caches are emptied before */
    bool forked;              /* forked seekers do its work, not the workers */
    bool uses_engine;         /* the plan's engine moves its data */
    bool shifts;              /* with several ranks, each can work on what another has written */
    bool repeats;     /* it can be repeated in further laps, each prepared again, for --min-time */
    struct task task; /* the context is a struct work */
};

/* Whether it works on data files, and not on metadata files. */
bool workload_has_data(const struct workload *w);

/* The bytes of one operation; 0: it moves none. */
uint64_t workload_operation_bytes(const struct workload *w, const struct plan *p);

/*
 * How long the plan lets the test last, unless it has to become steady; 0: it ends with its work.
 * If workload_is_cut(), its last lap is cut off then; otherwise that lap is completed.
 */
uint64_t workload_duration_ns(const struct workload *w, const struct plan *p);
bool workload_is_cut(const struct workload *w);

/* How many of the bytes that a test counted were read, and how many were written. */
struct bytes_asked {
    uint64_t read;
    uint64_t written;
};
struct bytes_asked workload_asked(const struct workload *w, const struct plan *p, uint64_t bytes);

/*
 * For tests that read: makes sure that the first `bytes` of the worker's data file are valid, and
 * that none of it is cached, unless the plan keeps the cache.
 */
int work_have_data(struct work *w, uint64_t bytes, struct err *e);

/*
 * Does the same for all of the data, and opens the file for block transfers. If the file will only
 * be written, its data is not needed; what a lap wrote before it was cut off is kept. Does nothing
 * when the engine stores nothing.
 */
int work_open_data(struct work *w, int access, struct err *e);

/* What a block test remembers about each operation in a queue of work_queue_setup(). */
struct op_state {
    uint64_t version; /* contents_version() before a read */
    bool changes;     /* the operation changes the contents */
};

static inline struct op_state *op_state(const struct io *io)
{
    return io->user;
}

/* Opens a queue, and counts it if its buffers are not registered with the kernel. */
int work_open_any_queue(struct io_queue *q, const struct io_queue_setup *setup,
                        struct worker_stats *stats, struct err *e);

/*
 * The setup of a queue for the plan's engine, on file_count files, for operations of up to
 * operation_bytes.
 */
struct io_queue_setup work_queue_setup(const struct plan *p, const struct io_file *files,
                                       unsigned file_count, size_t operation_bytes);

/* Opens the worker's queue on its own data file, for operations of a chunk. */
int work_open_queue(struct work *w, struct err *e);

/*
 * Runs all operations of the source; if they wrote, makes that durable. Closes the file, but not
 * the queue: closing an engine must not count as time of the storage.
 */
enum work_direction { WORK_READS, WORK_WRITES };
int work_run_queue(struct work *w, const struct io_source *source, enum work_direction direction,
                   struct err *e);

/* After a phase: closes its queue, and the file if it is still open. */
void work_release(struct work *w);

/* The workload of a test. */
const struct workload *workload_of(enum test_id test);

/* One for each test, in the file of that name. */
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
