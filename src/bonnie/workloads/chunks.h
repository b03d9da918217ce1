#ifndef BONNIE_WORKLOADS_CHUNKS_H
#define BONNIE_WORKLOADS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bonnie/workloads/workload.h"

/*
 * Goes through a worker's data file in chunks, from the first to the last: a lap. If a lap was cut
 * off because its time was over, the next one continues where it ended.
 */
struct chunks {
    struct work *work;
    uint64_t next;    /* offset of the next chunk */
    uint64_t written; /* bytes of the chunks that have been written, from the start of the file */
    int rc;           /* the failure of writing back; the line is in e */
    struct err *e;
};

/* Prepares the data, and opens file and queue for that access. */
int chunks_open(struct work *w, int access, struct err *e);

/*
 * Fills the place of the next chunk into io; returns false at the end of the file, or after a
 * failure.
 */
bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind);

/* Steps of a source that reads chunks and checks what was read: this one is its `next`. */
enum source_answer chunks_next_read(void *context, struct io *io, uint64_t now_ns);
void chunks_check(const struct chunks *c, const struct io *io);

/*
 * Called when a chunk was written. Writes the file back in pieces (io/file.h): otherwise the system
 * would let the storage idle until memory holds much of the file, or until the final fsync, and the
 * figure would first describe memory and then the storage. The time counts for this chunk.
 */
enum transfer_answer chunks_wrote(struct chunks *c, const struct io *io);

/*
 * Moves all chunks from work->lap_start on, or those of the lap's time, with the two steps of a
 * source whose context is a struct chunks. Afterwards lap_start is where they ended.
 */
int chunks_run(struct work *w, const struct io_source *steps, enum work_direction direction,
               struct err *e);

#endif
