// SPDX-License-Identifier: GPL-2.0-or-later
/* Little's law on the queue. Reads a file at random places with O_DIRECT for some seconds, with one
 * engine. Prints rate x mean latency, and beside it the mean number of operations in flight, which
 * the queue integrates over time. Both are the same when latencies are true.
 *
 *     in_flight FILE ENGINE BLOCK DEPTH SECONDS
 *
 * The size of FILE is a multiple of BLOCK. An ENGINE that stores nothing needs no FILE, and takes
 * 100 us for each block. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/io_queue.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/err.h"
#include "util/rng.h"

const char *program_name = "in_flight";

struct reads {
    struct rng rng;
    uint64_t blocks;
    size_t block_bytes;
    uint64_t end_ns;
};

static enum source_answer next(void *context, struct io *io, uint64_t now_ns)
{
    struct reads *r = context;
    if (now_ns >= r->end_ns)
        return SOURCE_ENDED;
    io->kind = IO_READ;
    io->file = 0;
    io->offset = rng_below(&r->rng, r->blocks) * r->block_bytes;
    io->length = r->block_bytes;
    return SOURCE_READY;
}

static enum transfer_answer transferred(void *context, struct io *io)
{
    (void)context, (void)io;
    return OPERATION_ENDED;
}

static int measure(const struct io_queue_setup *setup, struct reads *r, double seconds,
                   struct err *e)
{
    static struct op_stats stats;
    const struct io_source source = {.next = next, .transferred = transferred, .context = r};
    struct io_queue queue;
    int rc = io_queue_open(&queue, setup, e);
    if (rc != 0)
        return rc;
    uint64_t start_ns = clock_ns();
    r->end_ns = start_ns + (uint64_t)(seconds * 1e9);
    rc = io_queue_run(&queue, &source, &stats, e);
    double elapsed_ns = (double)(clock_ns() - start_ns);
    io_queue_close(&queue);
    double rate = (double)stats.latencies.count / elapsed_ns;
    printf("%.4f %.4f\n", rate * histogram_mean(&stats.latencies),
           (double)stats.in_flight_ns / elapsed_ns);
    return rc;
}

static int open_file(const struct engine_ops *engine, struct io_file *file, uint64_t *bytes)
{
    struct stat st;
    *bytes = UINT64_C(1) << 30;
    if (!(engine->capabilities & ENGINE_STORES))
        return 0;
    file->fd = open(file->name, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (file->fd < 0 || fstat(file->fd, &st) != 0)
        return -1;
    *bytes = (uint64_t)st.st_size;
    return 0;
}

int main(int argc, char *argv[])
{
    static const struct engine_options options = {.null = {.delay_ns = 100000}};
    struct err e;
    err_init(&e);
    const struct engine_ops *engine = argc == 6 ? engine_by_name(argv[2]) : NULL;
    if (!engine || stop_init(&e) != 0)
        return 1;
    struct io_file file = {.fd = -1, .name = argv[1]};
    struct reads reads = {.block_bytes = strtoul(argv[3], NULL, 10)};
    uint64_t bytes;
    if (open_file(engine, &file, &bytes) != 0) {
        message("%s cannot be read", file.name);
        return 1;
    }
    reads.blocks = bytes / reads.block_bytes;
    rng_init(&reads.rng, 1, 0);
    const struct io_queue_setup setup = {
        .engine = engine,
        .options = &options,
        .depth = (unsigned)strtoul(argv[4], NULL, 10),
        .buffer_bytes = reads.block_bytes,
        .files = &file,
        .file_count = 1,
    };
    if (measure(&setup, &reads, strtod(argv[5], NULL), &e) == 0)
        return 0;
    message("%s", e.text);
    return 1;
}
