#ifndef BONNIE_WORKLOADS_CHUNKS_H
#define BONNIE_WORKLOADS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bonnie/workloads/workload.h"

/*
 * The way through a worker's data file in chunks, from the first to the last: a lap. A lap that was
 * cut off, since its time was over, is gone on with by the next one.
 */
struct chunks {
    struct work *work;
    uint64_t next;    /* offset of the next chunk */
    uint64_t written; /* bytes of the chunks that have been written, from the file's start on */
    int rc;           /* what went wrong with writing back; the line is in e */
    struct err *e;
};

/* Has the data ready, and opens file and queue for that access. */
int chunks_open(struct work *w, int access, struct err *e);

/* Puts the place of the next chunk into io; false at the end of the file, or after a failure. */
bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind);

/* The next chunk is to be read, and what was read is to be checked: io_source.next does the one. */
enum source_answer chunks_next_read(void *context, struct io *io, uint64_t now_ns);
void chunks_check(const struct chunks *c, const struct io *io);

/*
 * A chunk was written. Piece by piece what was written is written back (io.h): left alone the
 * system would let storage idle until memory holds much of the file, or the final fsync, and the
 * figure would be of memory first and of storage then. What that takes counts for this chunk.
 */
enum transfer_answer chunks_wrote(struct chunks *c, const struct io *io);

/*
 * All chunks from work->lap_start on, or those of the lap's time, by the two steps of a source,
 * whose context is a struct chunks. Then lap_start is how far they came.
 */
int chunks_run(struct work *w, const struct io_source *steps, enum work_direction direction,
               struct err *e);

#endif
