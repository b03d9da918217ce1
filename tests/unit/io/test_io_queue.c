// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/io_queue.h"
#include "measure/clock.h"
#include "sys/stop.h"

#define CHUNK 8192

static struct op_stats stats;
static struct engine_options options;

/* A source of `count` chunks. Each of them is read and, if `rewrites`, written back. */
struct chunks {
    unsigned count;
    bool rewrites;
    unsigned later; /* number of times that the source has no operation to give */
    unsigned next;
    unsigned reads;
    unsigned writes;
    unsigned most_at_once;
};

/* The source's memory for an operation, which holds the operation's offset. */
static uint64_t *remembered(const struct io *io)
{
    return io->user;
}

static enum source_answer next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct chunks *c = context;
    if (c->next == c->count)
        return SOURCE_ENDED;
    if (c->later > 0 && c->later-- > 0)
        return SOURCE_LATER;
    io->kind = IO_READ;
    io->offset = (uint64_t)c->next++ * CHUNK;
    io->length = CHUNK;
    *remembered(io) = io->offset;
    unsigned at_once = c->next - (c->rewrites ? c->writes : c->reads);
    if (at_once > c->most_at_once)
        c->most_at_once = at_once;
    return SOURCE_READY;
}

static enum transfer_answer transferred(void *context, struct io *io)
{
    struct chunks *c = context;
    assert_int_equal(io->length, CHUNK); /* also after a short transfer */
    assert_int_equal(io->offset, *remembered(io));
    if (io->kind == IO_WRITE) {
        c->writes++;
        return OPERATION_ENDED;
    }
    c->reads++;
    io->kind = IO_WRITE;
    return c->rewrites ? OPERATION_CONTINUES : OPERATION_ENDED;
}

static int run(const struct engine_ops *engine, unsigned depth, struct chunks *c, struct err *e)
{
    const struct io_file file = {.fd = -1, .name = "FILE"};
    const struct io_queue_setup setup = {.engine = engine,
                                         .options = &options,
                                         .depth = depth,
                                         .buffer_bytes = CHUNK,
                                         .user_bytes = sizeof(uint64_t),
                                         .files = &file,
                                         .file_count = 1};
    const struct io_source source = {.next = next, .transferred = transferred, .context = c};
    struct io_queue q;
    err_init(e);
    memset(&stats, 0, sizeof stats);
    int rc = io_queue_open(&q, &setup, e);
    if (rc == 0)
        rc = io_queue_run(&q, &source, &stats, e);
    io_queue_close(&q);
    return rc;
}

static int run_null(unsigned depth, struct chunks *c, struct err *e)
{
    return run(engine_by_name("null"), depth, c, e);
}

static void every_operation_is_counted_once(void **state)
{
    (void)state;
    struct err e;
    for (unsigned depth = 1; depth <= 64; depth *= 2) {
        for (unsigned count = 0; count < 200; count += 33) {
            struct chunks c = {.count = count};
            assert_int_equal(run_null(depth, &c, &e), 0);
            assert_int_equal(c.reads, count);
            assert_int_equal(stats.latencies.count, count);
            assert_int_equal(stats.bytes, (uint64_t)count * CHUNK);
            unsigned burst = count < 32 ? count : 32; /* 256 KiB are submitted together */
            assert_in_range(c.most_at_once, depth < burst ? depth : burst, depth);
        }
    }
}

static void an_operation_may_be_of_two_transfers(void **state)
{
    (void)state;
    struct err e;
    for (unsigned depth = 1; depth <= 64; depth *= 4) {
        struct chunks c = {.count = 100, .rewrites = true};
        assert_int_equal(run_null(depth, &c, &e), 0);
        assert_int_equal(c.reads, 100);
        assert_int_equal(c.writes, 100);
        assert_int_equal(stats.latencies.count,
                         100); /* a chunk that is read and written back counts once */
        assert_int_equal(stats.bytes, 100 * CHUNK);
    }
}

static void short_transfers_are_continued(void **state)
{
    (void)state;
    struct err e;
    for (uint64_t at = 1; at < 20; at++) {
        struct chunks c = {.count = 9, .rewrites = true};
        options.null.short_at = at;
        assert_int_equal(run_null(4, &c, &e), 0);
        assert_int_equal(c.reads, 9);
        assert_int_equal(c.writes, 9);
        assert_int_equal(stats.bytes, 9 * CHUNK);
    }
    options.null.short_at = 0;
}

static void a_failure_names_the_file_and_ends_the_run(void **state)
{
    (void)state;
    struct err e;
    for (uint64_t at = 1; at <= 20; at++) {
        struct chunks c = {.count = 10, .rewrites = true};
        options.null.fail_at = at;
        assert_int_equal(run_null(4, &c, &e), -EIO);
        assert_non_null(strstr(e.text, " FILE at "));
        assert_non_null(strstr(e.text, "Input/output error"));
        assert_in_range(c.reads + c.writes, 0, at - 1);
    }
    options.null.fail_at = 0;
}

static void a_source_may_have_nothing_for_now(void **state)
{
    (void)state;
    struct err e;
    struct chunks c = {.count = 50, .later = 20};
    assert_int_equal(run_null(8, &c, &e), 0);
    assert_int_equal(c.reads, 50);
}

static void latency_is_what_the_engine_took(void **state)
{
    (void)state;
    struct err e;
    struct chunks c = {.count = 5};
    options.null.delay_ns = 3000000;
    assert_int_equal(run_null(5, &c, &e), 0);
    assert_true(histogram_minimum(&stats.latencies) >= 3000000);
    options.null.delay_ns = 0;
}

static void stopping_ends_it(void **state)
{
    (void)state;
    struct err e;
    struct chunks c = {.count = 1000000};
    stop_request();
    assert_int_equal(run_null(8, &c, &e), -EINTR);
    assert_in_range(c.reads, 0, 16);
    assert_int_equal(stop_init(&e), 0); /* a new flag */
}

/* An engine that accepts two transfers and is then busy. Every third wait is interrupted. */
static struct {
    struct io *taken[2];
    unsigned count;
    unsigned waits;
    unsigned refusals;
} moody;

static int moody_open(void *state, struct err *e)
{
    (void)state, (void)e;
    memset(&moody, 0, sizeof moody);
    return 0;
}

static enum engine_answer moody_submit(void *state, struct io *io)
{
    (void)state;
    if (moody.count == 2) {
        moody.refusals++;
        return ENGINE_BUSY;
    }
    moody.taken[moody.count++] = io;
    return ENGINE_QUEUED;
}

static int moody_wait(void *state, unsigned least, struct io *done[], unsigned most)
{
    (void)state, (void)least, (void)most;
    if (++moody.waits % 3 == 0)
        return -EINTR;
    if (moody.count == 0)
        return 0;
    done[0] = moody.taken[--moody.count];
    done[0]->result = moody.waits % 5 == 0 ? -EINTR : (ssize_t)done[0]->length;
    return 1;
}

static void busy_and_interrupted_engines_are_tried_again(void **state)
{
    (void)state;
    static const struct engine_ops engine = {.name = "moody",
                                             .state_bytes = sizeof(struct engine_setup),
                                             .open = moody_open,
                                             .submit = moody_submit,
                                             .wait = moody_wait};
    struct err e;
    struct chunks c = {.count = 100, .rewrites = true};
    assert_int_equal(run(&engine, 16, &c, &e), 0);
    assert_int_equal(c.writes, 100);
    assert_int_equal(stats.latencies.count, 100);
    assert_true(moody.refusals > 0);
}

/* An engine that completes all its transfers only when it is waited for, or at every poll. */
static struct {
    bool is_fast;
    struct io *taken[64];
    unsigned count;
    unsigned together; /* number of transfers since the last poll */
    unsigned looks;
    unsigned most_together; /* counted after the first 64 polls */
} bursts;

static int bursts_open(void *state, struct err *e)
{
    (void)state, (void)e;
    bool is_fast = bursts.is_fast;
    memset(&bursts, 0, sizeof bursts);
    bursts.is_fast = is_fast;
    return 0;
}

static enum engine_answer bursts_submit(void *state, struct io *io)
{
    (void)state;
    bursts.taken[bursts.count++] = io;
    bursts.together++;
    return ENGINE_QUEUED;
}

static int bursts_wait(void *state, unsigned least, struct io *done[], unsigned most)
{
    (void)state;
    if (++bursts.looks > 64 && bursts.together > bursts.most_together)
        bursts.most_together = bursts.together;
    bursts.together = 0;
    if (least == 0 && !bursts.is_fast)
        return 0;
    unsigned count = bursts.count;
    assert_true(count <= most);
    for (unsigned i = 0; i < count; i++) {
        done[i] = bursts.taken[i];
        done[i]->result = (ssize_t)done[i]->length;
    }
    bursts.count = 0;
    return (int)count;
}

static unsigned most_together(bool is_fast, unsigned depth)
{
    static const struct engine_ops engine = {.name = "bursts",
                                             .state_bytes = sizeof(struct engine_setup),
                                             .open = bursts_open,
                                             .submit = bursts_submit,
                                             .wait = bursts_wait};
    struct err e;
    struct chunks c = {.count = 50000};
    bursts.is_fast = is_fast;
    assert_int_equal(run(&engine, depth, &c, &e), 0);
    assert_int_equal(stats.latencies.count, 50000);
    return bursts.most_together;
}

/* A slow device gets the transfers that it has completed together back in small batches; a fast
 * device gets all of them at once. 32 chunks are the 256 KiB that limit both. */
static void batches_follow_the_load(void **state)
{
    (void)state;
    for (unsigned depth = 1; depth <= 64; depth *= 2) {
        assert_int_equal(most_together(false, depth), depth < 16 ? 1 : depth / 16);
        assert_int_equal(most_together(true, depth), depth < 32 ? depth : 32);
    }
}

/* A file of this number of chunks without a name. */
static int data_file(unsigned chunks)
{
    char name[] = "/tmp/bonnie-test-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    unsigned char chunk[CHUNK];
    for (unsigned i = 0; i < chunks; i++) {
        for (size_t at = 0; at < CHUNK; at++)
            chunk[at] = (unsigned char)(at * 31 + i);
        assert_int_equal(pwrite(fd, chunk, CHUNK, (off_t)i * CHUNK), CHUNK);
    }
    return fd;
}

static void assert_is_data_file(int fd, unsigned chunks)
{
    unsigned char chunk[CHUNK];
    for (unsigned i = 0; i < chunks; i++) {
        assert_int_equal(pread(fd, chunk, CHUNK, (off_t)i * CHUNK), CHUNK);
        for (size_t at = 0; at < CHUNK; at++)
            assert_int_equal(chunk[at], (unsigned char)(at * 31 + i));
    }
}

/* Each engine that works here reads what is in the file, and writes what it should. */
static void engines_move_the_bytes(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    int fd = data_file(COUNT);
    for (const struct engine_ops *const *engine = engine_table; *engine; engine++) {
        struct err e;
        err_init(&e);
        if (!((*engine)->capabilities & ENGINE_STORES) || engine_check(*engine, &e) != 0)
            continue;
        const struct io_file file = {.fd = fd, .name = "FILE"};
        struct chunks c = {.count = COUNT, .rewrites = true};
        const struct io_queue_setup setup = {
            .engine = *engine,
            .options = &options,
            .depth = (*engine)->capabilities & ENGINE_QUEUES ? 7 : 1,
            .buffer_bytes = CHUNK,
            .user_bytes = sizeof(uint64_t),
            .files = &file,
            .file_count = 1,
        };
        const struct io_source source = {.next = next, .transferred = transferred, .context = &c};
        struct io_queue q;
        assert_int_equal(io_queue_open(&q, &setup, &e), 0);
        assert_int_equal(io_queue_run(&q, &source, &stats, &e), 0);
        assert_int_equal(io_queue_sync(&q, 0, &e), 0);
        io_queue_close(&q);
        assert_is_data_file(fd, COUNT);

        struct chunks beyond = {.count =
                                    COUNT + 1}; /* the last chunk is beyond the end of the file */
        const struct io_source from_beyond = {
            .next = next, .transferred = transferred, .context = &beyond};
        assert_int_equal(io_queue_open(&q, &setup, &e), 0);
        assert_int_equal(io_queue_run(&q, &from_beyond, &stats, &e), -EIO);
        assert_non_null(strstr(e.text, "nothing moved"));
        io_queue_close(&q);
    }
    close(fd);
}

/* ---- every engine ------------------------------------------------------------------------- */

/* What every engine that works here must do, besides moving the right bytes. */

#define FILE_BYTES ((off_t)8 << 20)

/* A file of this length without a name. */
static int empty_file(off_t bytes)
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
    int fd = empty_file(CHUNK);
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
    int fd = empty_file(FILE_BYTES);
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
        cmocka_unit_test(every_operation_is_counted_once),
        cmocka_unit_test(an_operation_may_be_of_two_transfers),
        cmocka_unit_test(short_transfers_are_continued),
        cmocka_unit_test(a_failure_names_the_file_and_ends_the_run),
        cmocka_unit_test(a_source_may_have_nothing_for_now),
        cmocka_unit_test(latency_is_what_the_engine_took),
        cmocka_unit_test(stopping_ends_it),
        cmocka_unit_test(busy_and_interrupted_engines_are_tried_again),
        cmocka_unit_test(batches_follow_the_load),
        cmocka_unit_test(engines_move_the_bytes),
        cmocka_unit_test(completions_are_seen_without_waiting),
        cmocka_unit_test(later_completions_are_seen_without_waiting),
        cmocka_unit_test(littles_law_holds_for_every_engine),
    };
    err_init(&e);
    if (stop_init(&e) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
