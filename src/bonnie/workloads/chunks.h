#ifndef BONNIE_WORKLOADS_CHUNKS_H
#define BONNIE_WORKLOADS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bonnie/workloads/workload.h"

/*
 * Goes through a worker's data file in chunks, from the first to the last. That is a lap. If the
 * end of its time cuts a lap off, the next lap continues there.
 */
struct chunks {
    struct work *work;
    uint64_t next;    /* offset of the next chunk */
    uint64_t written; /* number of bytes written, from the start of the file */
    int rc;           /* first failure to write back, whose line is in e */
    struct err *e;
};

/*
 * Prepares the data, and opens file and queue with that access. Returns 0, or a negative errno with
 * a line in e.
 */
int chunks_open(struct work *w, int access, struct err *e);

/*
 * Puts the place of the next chunk into *io. Returns false at the end of the file, or after a
 * failure.
 */
bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind);

/* Steps of a source that reads chunks and checks them. chunks_next_read() is its `next`. */
enum source_answer chunks_next_read(void *context, struct io *io, uint64_t now_ns);
void chunks_check(const struct chunks *c, const struct io *io);

/*
 * Counts a chunk that has been written, and writes the file back in pieces (io/file.h). Otherwise
 * the system would let the storage idle until much of the file is in memory, or until the final
 * fsync: the figure would first describe memory, and then the storage. The time counts for this
 * chunk.
 */
enum transfer_answer chunks_wrote(struct chunks *c, const struct io *io);

/*
 * Moves all chunks from work->lap_start on, or as many as the lap's time allows, with the two steps
 * of a source; their context is a struct chunks. Afterwards lap_start is the place where the lap
 * ended. Returns 0, or a negative errno with a line in e.
 */
int chunks_run(struct work *w, const struct io_source *steps, enum work_direction direction,
               struct err *e);

#endif
