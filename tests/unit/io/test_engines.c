// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/io_queue.h"
#include "measure/clock.h"
#include "sys/stop.h"

/* What every engine that works here must do, besides moving the right bytes. */

#define CHUNK      8192
#define FILE_BYTES ((off_t)8 << 20)

static struct op_stats stats;
static struct engine_options options;

/* A file of this length without a name. */
static int data_file(off_t bytes)
{
    char name[] = "/tmp/bonnie-test-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    assert_int_equal(ftruncate(fd, bytes), 0);
    return fd;
}

/* An engine on its own, with a transfer of one chunk. */
struct bench {
    const struct engine_ops *engine;
    void *state;
    struct io_file file;
    unsigned char *buffer;
    struct io io;
    struct io *done[4];
};

static void open_bench(struct bench *b, const struct engine_ops *engine, int fd)
{
    struct err e;
    *b = (struct bench){.engine = engine, .file = {.fd = fd, .name = "FILE"}};
    b->buffer = aligned_alloc(QUEUE_ALIGNMENT, CHUNK);
    b->state = calloc(1, engine->state_bytes + 4 * engine->transfer_bytes);
    assert_true(b->buffer && b->state);
    b->io = (struct io){.kind = IO_READ, .length = CHUNK, .buffer = b->buffer};
    *(struct engine_setup *)b->state = (struct engine_setup){.depth = 4,
                                                             .files = &b->file,
                                                             .file_count = 1,
                                                             .buffers = b->buffer,
                                                             .buffers_bytes = CHUNK,
                                                             .options = &options};
    err_init(&e);
    if (engine->open)
        assert_int_equal(engine->open(b->state, &e), 0);
}

static void close_bench(struct bench *b)
{
    if (b->engine->close)
        b->engine->close(b->state);
    free(b->state);
    free(b->buffer);
}

/* Polls until the transfer is complete. Returns 0 when that does not happen within 60000 polls. */
static int look_for_completion(struct bench *b)
{
    int count = 0;
    for (int tries = 0; count == 0 && tries < 60000; tries++) {
        usleep(1000);
        count = b->engine->wait(b->state, 0, b->done, 4);
    }
    return count;
}

static void completions_are_seen_without_waiting(void **state)
{
    (void)state;
    int fd = data_file(CHUNK);
    for (const struct engine_ops *const *engine = engine_table; *engine; engine++) {
        struct err e;
        err_init(&e);
        if (!((*engine)->capabilities & ENGINE_QUEUES) || engine_check(*engine, &e) != 0)
            continue;
        struct bench b;
        open_bench(&b, *engine, fd);
        assert_int_equal(b.engine->submit(b.state, &b.io), ENGINE_QUEUED);
        assert_int_equal(look_for_completion(&b), 1);
        assert_ptr_equal(b.done[0], &b.io);
        assert_int_equal(b.io.result, CHUNK);
        close_bench(&b);
    }
    close(fd);
}

/* The same for a transfer that is not complete at once, because its data comes later. */
static void later_completions_are_seen_without_waiting(void **state)
{
    (void)state;
    struct err e;
    struct bench b;
    int ends[2];
    const struct engine_ops *engine = engine_by_name("io_uring"); /* libaio cannot read a pipe */
    err_init(&e);
    if (engine->available(&e) != 0)
        skip();
    assert_int_equal(pipe(ends), 0);
    open_bench(&b, engine, ends[0]);
    assert_int_equal(b.engine->submit(b.state, &b.io), ENGINE_QUEUED);
    assert_int_equal(b.engine->wait(b.state, 0, b.done, 4), 0);
    assert_int_equal(write(ends[1], "byte", 4), 4);
    assert_int_equal(look_for_completion(&b), 1);
    assert_int_equal(b.io.result, 4);
    close_bench(&b);
    close(ends[0]);
    close(ends[1]);
}

/* Reads of the same length, again and again from the same file. */
struct reads {
    unsigned count;
    unsigned next;
    size_t length;
    uint64_t file_bytes;
};

static enum source_answer next_read(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct reads *r = context;
    io->kind = IO_READ;
    io->offset = r->next * r->length % r->file_bytes;
    io->length = r->length;
    return r->next++ < r->count ? SOURCE_READY : SOURCE_ENDED;
}

static enum transfer_answer read_ended(void *context, struct io *io)
{
    (void)context, (void)io;
    return OPERATION_ENDED;
}

static void assert_littles_law(const struct engine_ops *engine, int fd, size_t length,
                               unsigned depth)
{
    struct err e;
    struct io_queue q;
    const struct io_file file = {.fd = fd, .name = "FILE"};
    struct reads r = {.count = 6 * depth, .length = length, .file_bytes = FILE_BYTES};
    const struct io_source source = {.next = next_read, .transferred = read_ended, .context = &r};
    const struct io_queue_setup setup = {.engine = engine,
                                         .options = &options,
                                         .depth = depth,
                                         .buffer_bytes = length,
                                         .files = &file,
                                         .file_count = 1};
    err_init(&e);
    memset(&stats, 0, sizeof stats);
    assert_int_equal(io_queue_open(&q, &setup, &e), 0);
    assert_int_equal(io_queue_run(&q, &source, &stats, &e), 0);
    io_queue_close(&q);
    assert_int_equal(stats.latencies.count, r.count);
    assert_in_range(stats.in_flight_ns, (uint64_t)((double)stats.latencies.sum * 0.98),
                    (uint64_t)((double)stats.latencies.sum * 1.02));
}

/* Rate x mean latency is the mean number in flight. Both sides are compared as sums, multiplied by
 * the elapsed time. */
static void littles_law_holds_for_every_engine(void **state)
{
    (void)state;
    int fd = data_file(FILE_BYTES);
    options.null.delay_ns = 100000;
    for (const struct engine_ops *const *engine = engine_table; *engine; engine++) {
        struct err e;
        err_init(&e);
        if (engine_check(*engine, &e) != 0)
            continue;
        bool queues = (*engine)->capabilities & ENGINE_QUEUES;
        assert_littles_law(*engine, fd, 4096, queues ? 32 : 1);
        assert_littles_law(*engine, fd, 65536, queues ? 64 : 1);
        assert_littles_law(*engine, fd, 65536, queues ? 256 : 1);
        assert_littles_law(*engine, fd, 1 << 20, queues ? 32 : 1);
    }
    options.null.delay_ns = 0;
    close(fd);
}

int main(void)
{
    struct err e;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_are_seen_without_waiting),
        cmocka_unit_test(later_completions_are_seen_without_waiting),
        cmocka_unit_test(littles_law_holds_for_every_engine),
    };
    err_init(&e);
    if (stop_init(&e) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
