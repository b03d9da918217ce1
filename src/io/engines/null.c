// SPDX-License-Identifier: GPL-2.0-or-later

#include "io/engine.h"
#include "measure/clock.h"

/* null: moves nothing. It measures the cost of the program itself, and serves tests of everything
 * above an engine: it can be slow, fail, move too few bytes, and corrupt what it "reads". */

struct state {
    struct engine_setup setup;
    uint64_t count; /* number of transfers so far */
    unsigned first; /* index of the oldest transfer in the ring of slots */
    unsigned in_flight;
    struct slot {
        struct io *io;
        uint64_t ready_ns; /* when the transfer is complete, by clock_ns(); 0: no delays */
    } slots[];
};

static enum engine_answer null_engine_submit(void *state, struct io *io)
{
    struct state *s = state;
    const struct engine_options *o = s->setup.options;
    if (s->in_flight == s->setup.depth)
        return ENGINE_BUSY;
    unsigned last = s->first + s->in_flight++;
    if (last >= s->setup.depth)
        last -= s->setup.depth;
    io->result = (ssize_t)io->length;
    s->count++;
    if (s->count == o->null.fail_at)
        io->result = -EIO;
    else if (s->count == o->null.short_at)
        io->result /= 2;
    else if (s->count == o->null.corrupt_at && io->kind == IO_READ)
        io->buffer[0] ^= 1;
    s->slots[last].io = io;
    if (o->null.delay_ns > 0)
        s->slots[last].ready_ns = clock_ns() + o->null.delay_ns;
    return ENGINE_QUEUED;
}

static int null_wait(void *state, unsigned least, struct io *done[], unsigned most)
{
    struct state *s = state;
    bool is_slow = s->setup.options->null.delay_ns > 0;
    unsigned count = 0;
    while (count < most && s->in_flight > 0) {
        const struct slot *oldest = &s->slots[s->first];
        if (is_slow && clock_ns() < oldest->ready_ns) {
            if (count >= least)
                break;
            const struct timespec until = clock_timespec(oldest->ready_ns);
            int code = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
            if (code != 0)
                return count > 0 ? (int)count : -code;
            continue;
        }
        done[count++] = oldest->io;
        if (++s->first == s->setup.depth)
            s->first = 0;
        s->in_flight--;
    }
    return (int)count;
}

static int null_durable(void *state, unsigned file)
{
    (void)state, (void)file;
    return 0;
}

const struct engine_ops engine_null = {
    .name = "null",
    .summary = "moves nothing, to show what the program itself costs; see --null",
    .capabilities = ENGINE_QUEUES,
    .state_bytes = sizeof(struct state),
    .transfer_bytes = sizeof(struct slot),
    .submit = null_engine_submit,
    .wait = null_wait,
    .durable = null_durable,
};
