// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/plan.h"
#include "io/io_queue.h"
#include "live/monitor.h"
#include "storage/data_file.h"
#include "sys/thread_pool.h"

struct run_context;

/* What a test does, but not when (phase.h). A step gets the struct work of one worker, and touches
 * nothing of another one, but for the data files in seeks and iops. */

/* Characters in an operation of the per-character tests: glibc's buffer on common filesystems. */
#define PERCHAR_CHUNK_BYTES 4096

/* Everything that one worker works with. */
struct work {
    const struct plan *plan;
    const struct workload *workload; /* of the current phase */
    const struct scratch *scratch;
    struct contents *contents;
    uint64_t seed;         /* seed of the current run and rank, which decides all offsets */
    unsigned number;       /* number of the worker */
    unsigned char *buffer; /* used for preparing, and for the files of the metadata tests */
    size_t buffer_bytes;
    uint64_t prepare_until_ns;     /* time at which preparing a further lap must end; 0: no limit */
    unsigned lap;                  /* number of the lap in the current phase, counted from 0 */
    uint64_t lap_ns;               /* time after which the lap is cut off; 0: no limit */
    uint64_t lap_start;            /* where the last lap was cut off; 0: start anew */
    bool is_one_by_one;            /* chunks do not overlap, although the plan's depth is greater */
    struct worker_stats *stats;    /* counts of the worker in the current phase */
    struct slow_box *slow;         /* where the queue reports slow operations; NULL: nowhere */
    struct corruption *corruption; /* corruption that the worker finds in the current phase */
    struct io_queue queue;         /* queue for block transfers in the current phase */
    struct data_file data;         /* the worker's part of the data set */
    uint64_t perchar_bytes;        /* size of the part of it that the per-character tests work on */
    struct io_file *all_data;      /* data files of all workers, with their current descriptors */
    struct file_set files;         /* the worker's share of the metadata files */
};

/* What an operation works on. Items of data files come before those of metadata files. */
enum work_item {
    ITEM_PERCHAR_CHUNK, /* PERCHAR_CHUNK_BYTES characters */
    ITEM_CHUNK, /* a chunk of the data set; the test goes through all of them, or for a time */
    ITEM_SEEK,  /* a chunk; there are as many operations as the plan has seeks */
    ITEM_BLOCK, /* a block of iops; the test goes on for its time */
    ITEM_FILE,  /* a metadata file, with its data if it has any */
    ITEM_NAME,  /* only a name */
};

struct workload {
    const char *title;     /* title for the progress line */
    const char *old_title; /* that of Bonnie++ 2.00a; NULL: it has no such test */
    enum work_item item;
    enum name_order order;    /* of metadata files */
    unsigned read_percent;    /* share of the counted bytes that are read, in percent */
    unsigned written_percent; /* share that is written; for ITEM_BLOCK, the plan decides */
    bool reads;               /* data must come from the device, so caches are emptied before */
    bool forked;              /* forked seekers do the work, not the workers */
    bool uses_engine;         /* the plan's engine moves its data */
    bool shifts;      /* with several ranks, each rank can work on what another has written */
    bool repeats;     /* can be repeated in further laps, each prepared again, for --min-time */
    struct task task; /* its context is a struct work */
};

/* Whether a test works on data files, and not on metadata files. */
static inline bool workload_has_data(const struct workload *w)
{
    return w->item < ITEM_FILE;
}

/* Makes sure that the first `bytes` of the worker's data file are valid and, unless the plan keeps
 * the cache, not cached. For tests that read. */
int work_have_data(struct work *w, uint64_t bytes, struct err *e);

/* A step `prepare`: does the same for the whole data file, unless it will only be written, and
 * opens it for block transfers, if the engine stores any. Data stays that a lap wrote before its
 * end. */
int work_open_data(void *context, struct err *e);

/* What a block test remembers about each operation, in a queue made by work_queue_setup(). */
struct op_state {
    uint64_t version; /* contents_version() before a read */
    bool changes;     /* the operation changes the contents */
};

static inline struct op_state *op_state(const struct io *io)
{
    return io->user;
}

/* What the context of a block test's source begins with: what its operations move, and check. */
struct operations {
    const struct plan *plan;
    struct contents *contents;
    struct corruption *corruption; /* that they find */
    unsigned file;                 /* number of the first file of the queue */
};

/* Checks what was read, if it still had the state's version. */
static inline void operation_check(const struct operations *o, const struct io *io)
{
    contents_check(o->contents, o->file + io->file, io->offset, io->buffer, io->length,
                   op_state(io)->version, o->corruption);
}

/* A step `transferred`: releases what was written; checks what was read, and may write it back. */
enum transfer_answer operation_transferred(void *operations, struct io *io);

/* A step `failed`, for a read of a device: the place is noted, and the rest of the device goes on.
 * Returns false where something other than the medium may be at fault. */
bool operation_failed(void *operations, const struct io *io, int code);

/* A queue for the plan's engine, for these files and operations of up to operation_bytes. */
struct io_queue_setup work_queue_setup(const struct plan *p, const struct io_file *files,
                                       unsigned file_count, size_t operation_bytes);

/* Opens the worker's queue, and counts it if the kernel did not register its buffers. */
int work_open_queue(struct work *w, const struct io_file *files, unsigned file_count,
                    size_t operation_bytes, struct err *e);

/* Seekers are forked processes that share the seeks of one phase: they draw tickets from one
 * counter. The ticket and the seed decide where to seek. Every tenth one rewrites its chunk. */
struct seekers;

/* Forks the plan's seekers, and returns when all of them wait at their start. They seek in the open
 * files of all workers of r, with the tickets from *ticket on: as many as the plan has seeks or, if
 * the workers' lap_ns is not 0, as many as they can use in that time. The pool must be parked.
 * After success the caller must call seekers_release(*out). */
int seekers_start(struct seekers **out, struct run_context *r, uint64_t *ticket, struct err *e);

/* Lets the seekers start, and waits for all. *ticket becomes the first unused one. */
int seekers_work(struct seekers *s, struct task_times *times, struct err *e);

/* Ends all seekers that still run, and frees s, which may be NULL. */
void seekers_release(struct seekers *s);

extern const struct workload *const workloads[TEST_COUNT];

/* One object for each test, in the file with its name; the metadata tests are in their order. */
extern const struct workload workload_putc, workload_getc, workload_put_block, workload_get_block,
    workload_rewrite, workload_seeks, workload_iops, metadata_workloads[];
