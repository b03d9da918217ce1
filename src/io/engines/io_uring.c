// SPDX-License-Identifier: GPL-2.0-or-later
#include <liburing.h>

#include "io/engine.h"
#include "measure/clock.h"
#include "util/units.h"

/* io_uring: rings that the program shares with the kernel. One system call submits everything that
 * is queued, and waits for completions. If the user's limits allow it, files and buffers are
 * registered with the kernel, which otherwise must look them up for every transfer. */

#define SQPOLL_IDLE_MS 1000 /* the kernel's thread polls for so long before it sleeps */
#define MAX_REGISTERED 1024 /* with more files, the kernel looks each up for every transfer */

struct state {
    struct engine_setup setup;
    struct io_uring ring;
    bool must_ask; /* completions appear only after a system call */
    bool has_files, has_buffers;
};

static const char *reason_of(int code, bool polls)
{
    return code == ENOSYS   ? "the kernel has no io_uring"
           : code == ENOMEM ? "the limit on locked memory is too low (ulimit -l)"
           : code != EPERM  ? "the kernel refuses io_uring_setup"
           : polls          ? "sqpoll is not allowed here (it needs root before Linux 5.13)"
                   : "io_uring is not allowed here (the sysctl kernel.io_uring_disabled or "
                     "a seccomp filter)";
}

/* Makes a ring, and tries for some time. The kernel returns the memory of a closed ring to its
 * user's account only after a while; until then the account may be full. */
static int init_in_time(unsigned depth, struct io_uring *ring, struct io_uring_params *parameters)
{
    int rc = io_uring_queue_init_params(depth, ring, parameters);
    for (int i = 0; rc == -ENOMEM && i < 200; i++) {
        clock_sleep(10 * MILLION);
        rc = io_uring_queue_init_params(depth, ring, parameters);
    }
    return rc;
}

static int uring_available(struct err *e)
{
    struct io_uring ring;
    struct io_uring_params plain = {0};
    int rc = init_in_time(1, &ring, &plain);
    if (rc < 0)
        return err_system(e, -rc, "%s", reason_of(-rc, false));
    io_uring_queue_exit(&ring);
    return 0;
}

static int uring_open(void *state, struct err *e)
{
    /* the best features that this kernel has: tries newer ones first */
    static const unsigned ways[] = {
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, /* Linux 6.1 */
        IORING_SETUP_COOP_TASKRUN,                               /* Linux 5.19 */
        0,
    };
    struct state *s = state;
    const struct engine_options *options = s->setup.options;
    bool polls = options->uring.sqpoll;
    int rc = -EINVAL;
    for (size_t i = 0; rc == -EINVAL && i < (polls ? 1 : COUNT_OF(ways)); i++) {
        struct io_uring_params parameters = {.sq_thread_idle = SQPOLL_IDLE_MS};
        parameters.flags = (polls ? IORING_SETUP_SQPOLL : ways[i]) |
                           (options->uring.iopoll ? IORING_SETUP_IOPOLL : 0);
        rc = init_in_time(s->setup.depth, &s->ring, &parameters);
    }
    if (rc < 0)
        return err_system(e, -rc, "io_uring: %s", reason_of(-rc, polls));
    s->must_ask = s->ring.flags &
                  (IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_IOPOLL);
    if (s->setup.file_count <= MAX_REGISTERED) {
        int fds[MAX_REGISTERED];
        for (unsigned i = 0; i < s->setup.file_count; i++)
            fds[i] = s->setup.files[i].fd;
        s->has_files = io_uring_register_files(&s->ring, fds, s->setup.file_count) == 0;
    }
    struct iovec all = {.iov_base = s->setup.buffers, .iov_len = s->setup.buffers_bytes};
    s->has_buffers = io_uring_register_buffers(&s->ring, &all, 1) == 0;
    return 0;
}

static bool has_buffers(const void *state)
{
    return ((const struct state *)state)->has_buffers;
}

static enum engine_answer uring_submit(void *state, struct io *io)
{
    struct state *s = state;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);
    if (!sqe)
        return ENGINE_BUSY;
    int file = s->has_files ? (int)io->file : s->setup.files[io->file].fd;
    unsigned length = (unsigned)io->length;
    uint64_t place = s->setup.files[io->file].base + io->offset;
    if (io->kind == IO_READ && s->has_buffers)
        io_uring_prep_read_fixed(sqe, file, io->buffer, length, place, 0);
    else if (io->kind == IO_READ)
        io_uring_prep_read(sqe, file, io->buffer, length, place);
    else if (s->has_buffers)
        io_uring_prep_write_fixed(sqe, file, io->buffer, length, place, 0);
    else
        io_uring_prep_write(sqe, file, io->buffer, length, place);
    if (s->has_files)
        sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data(sqe, io);
    return ENGINE_QUEUED;
}

static int uring_wait(void *state, unsigned least, struct io *done[], unsigned most)
{
    struct state *s = state;
    int rc = 0;
    /* A ring that defers its work shows completions only after a system call; other rings need one
     * only to submit or to wait. */
    if (io_uring_cq_ready(&s->ring) < least)
        rc = io_uring_submit_and_wait(&s->ring, least);
    else if (s->must_ask)
        rc = io_uring_submit_and_get_events(&s->ring);
    else if (io_uring_sq_ready(&s->ring) > 0)
        rc = io_uring_submit(&s->ring);
    bool is_full = rc == -EAGAIN || rc == -EBUSY; /* the kernel accepts more when some are reaped */
    if (rc < 0 && !(is_full && io_uring_cq_ready(&s->ring) > 0))
        return is_full ? -EINTR : rc;
    unsigned count = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&s->ring, head, cqe)
    {
        if (count == most)
            break;
        struct io *io = io_uring_cqe_get_data(cqe);
        io->result = cqe->res;
        done[count++] = io;
    }
    io_uring_cq_advance(&s->ring, count);
    return (int)count;
}

static void uring_close(void *state)
{
    struct state *s = state;
    if (s->has_buffers)
        io_uring_unregister_buffers(&s->ring); /* closing alone would free them too late */
    io_uring_queue_exit(&s->ring);
}

const struct engine_ops engine_io_uring = {
    .name = "io_uring",
    .summary = "rings shared with the kernel; see --uring",
    .capabilities = ENGINE_QUEUES | ENGINE_STORES,
    .available = uring_available,
    .state_bytes = sizeof(struct state),
    .open = uring_open,
    .submit = uring_submit,
    .wait = uring_wait,
    .has_buffers = has_buffers,
    .close = uring_close,
};
