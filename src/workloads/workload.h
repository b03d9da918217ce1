#ifndef BONNIE_WORKLOADS_WORKLOAD_H
#define BONNIE_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "board.h"
#include "contents.h"
#include "job.h"
#include "plan.h"
#include "queue.h"
#include "scratch.h"
#include "workloads/datafile.h"
#include "workloads/fileset.h"

/*
 * What a test does, apart from when it does it. A workload's steps are given a struct work, the
 * worker's own, and touch nothing that another worker has.
 */

/*
 * So many characters are one operation of the per-character tests: glibc's buffer is st_blksize
 * bytes, which is this on the common filesystems.
 */
#define PERCHAR_STRETCH 4096

/* All that one worker works with. */
struct work {
    const struct plan *plan;
    const struct scratch *scratch;
    struct contents *contents;
    unsigned number;       /* of the worker */
    unsigned char *buffer; /* for preparing, and for the files of the metadata tests */
    size_t buffer_bytes;
    unsigned round;           /* of the present phase, from 0 on */
    struct tally *tally;      /* what it counts and finds in the present phase */
    struct queue queue;       /* for its block transfers in the present phase */
    struct datafile data;     /* its share of the data set */
    struct io_file *all_data; /* the data files of all workers, as they are open at present */
    struct fileset files;     /* its share of the metadata files */
};

/* What one operation of a test works on; data files come before metadata files. */
enum work_unit {
    UNIT_STRETCH, /* PERCHAR_STRETCH characters, of those that there are for the per-character tests
                   */
    UNIT_CHUNK,   /* of the whole data set, each once */
    UNIT_SEEK,    /* a chunk, as many as there are seeks */
    UNIT_BLOCK,   /* of iops, for its time */
    UNIT_FILE,    /* a metadata file, with its data if it has any */
    UNIT_NAME,    /* the name of one only */
};

struct workload {
    const char *title; /* for the progress line */
    enum work_unit unit;
    unsigned read_percent;    /* of the bytes that it counts, so many are read, */
    unsigned written_percent; /* and so many written; UNIT_BLOCK: as the plan says */
    bool reads;       /* what it reads is to come from the device: caches are emptied before */
    bool forked;      /* its work is done by forked seekers, not by the workers */
    bool uses_engine; /* the plan's engine moves its data */
    bool repeats;     /* it can be done in further rounds, each prepared anew */
    struct job job;   /* the context is a struct work */
};

/* Whether it works on data files, and not on metadata files. */
bool workload_has_data(const struct workload *w);

/* The bytes of one operation; 0: it has none. */
uint64_t workload_operation_bytes(const struct workload *w, const struct plan *p);

/* So much was read and written of the bytes that it counted. */
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
