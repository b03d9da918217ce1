#ifndef BONNIE_WORKLOADS_CHUNKS_H
#define BONNIE_WORKLOADS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/workload.h"

/* The way through a worker's data file in chunks, from the first to the last. */
struct chunks {
    struct work *work;
    uint64_t next;    /* offset of the next chunk */
    uint64_t written; /* bytes of the chunks that have been written */
};

/* Has the data ready, and opens file and queue for that access. */
int chunks_open(struct work *w, int access, struct err *e);

/* Puts the place of the next chunk into io; false at the end of the file. */
bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind);

/* The next chunk is to be read, and what was read is to be checked: io_source.next does the one. */
enum source_answer chunks_next_read(void *context, struct io *io, uint64_t now_ns);
void chunks_check(const struct chunks *c, const struct io *io);

/*
 * A chunk was written. Every few MiB the system is told to begin writing back, but not waited for:
 * left alone it would let storage idle until memory holds much of the file, or the final fsync, and
 * the figure would be of memory first and of storage then.
 */
void chunks_wrote(struct chunks *c, const struct io *io);

#endif
