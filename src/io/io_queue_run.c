#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "io/io_queue.h"
#include "io/operation.h"
#include "measure/clock.h"
#include "sys/stop.h"

/*
 * Operations are submitted together, with one look at the clock and, where the engine queues, with
 * one system call; but at most this number of bytes at once: while a source fills the next buffer,
 * the device is to have something to do. The same holds for what is completed: while a source
 * checks what was read, the next completions are not seen, and seem to take longer.
 */
#define BURST_BYTES 262144

/* The batch, while the device is the bottleneck: this share of the depth, but one at least. */
#define BATCHES_IN_DEPTH 16

/* A batch grows when completions have piled up for this number of depths. */
#define PILED_UP_DEPTHS 64

/* A source that waits for something elsewhere is asked again after a sleep between these. */
#define SHORTEST_NAP_NS 1000
#define LONGEST_NAP_NS  1000000

/* A signal to stop that comes just before a sleep is seen after this time. */
#define LONGEST_SLEEP_NS 100000000

/* The system's default, 50 us, would count as response time of an operation that is due. */
#define TIMER_SLACK_NS 1000

/* One pass over all operations of a source. */
struct pass {
    struct io_queue *q;
    const struct io_source *source;
    struct op_stats *stats;
    struct err *e;
    uint64_t now_ns; /* the last look at the clock */
    uint64_t end_ns; /* the source's time is over then */
    uint64_t ask_ns; /* the source has nothing before this time */
    uint64_t nap_ns; /* next sleep while the source waits for an unknown time */
    unsigned batch;  /* most operations that are completed before others are submitted */
    unsigned least_batch;
    unsigned piled_up; /* operations since completions last were fewer than a batch */
    bool is_waiting;   /* the source said SOURCE_LATER when it was asked last */
    bool is_timed;     /* the source has named a time */
    bool has_ended;    /* the source */
};

static const char *file_name(const struct io_queue *q, unsigned file)
{
    return q->setup.file_count > 0 ? q->setup.files[file].name : q->setup.engine->name;
}

static void stage(struct io_queue *q, struct operation *o)
{
    q->staged[q->staged_count++] = o;
}

/* Looks at the clock, and adds to the integral of the number in flight, which is about to change.
 */
static void look_at_clock(struct pass *p)
{
    uint64_t now_ns = clock_ns();
    p->stats->in_flight_ns += p->q->in_flight * (now_ns - p->now_ns);
    p->now_ns = now_ns;
}

static struct op_times times_of(const struct operation *o)
{
    return (struct op_times){
        .end_ns = o->end_ns,
        .response_ns = o->end_ns - o->io.start_ns,
        .service_ns = o->end_ns - o->submitted_ns,
    };
}

static void reuse(struct io_queue *q, struct operation *o)
{
    o->submitted_ns = 0;
    q->unused[q->unused_count++] = o;
}

/*
 * What follows for few operations or sources is not inlined: it would lengthen the path of all
 * others, which with the engine null is half of what an operation costs.
 */
#define OFF_THE_PATH __attribute__((noinline))

/* Has the source count an operation. */
OFF_THE_PATH static void tell_ended(const struct pass *p, const struct operation *o)
{
    const struct op_times times = times_of(o);
    p->source->ended(p->source->context, &o->io, &times);
}

static void end_operation(struct pass *p, struct operation *o)
{
    if (p->source->ended)
        tell_ended(p, o);
    else
        op_stats_add(p->stats, o->end_ns - o->io.start_ns, o->io.length);
    reuse(p->q, o);
}

/* What the source has done since the transfer came back counts as well. */
OFF_THE_PATH static void end_later(struct operation *o)
{
    o->end_ns = clock_ns();
}

/* The source decides whether the run ends with a failure. */
OFF_THE_PATH static int fail_operation(struct pass *p, struct operation *o)
{
    const struct op_times times = times_of(o);
    struct io whole = o->io;
    transfer_rewind(&whole);
    if (!p->source->failed ||
        !p->source->failed(p->source->context, &whole, &times, transfer_error(&o->io)))
        return transfer_describe_failure(&o->io, file_name(p->q, o->io.file), p->e);
    transfer_rewind(&o->io);
    p->stats->errors++;
    reuse(p->q, o);
    return 0;
}

/* A transfer that is not simply whole: it is gone on with, or has failed. */
OFF_THE_PATH static enum transfer_outcome look_closer(const struct pass *p, struct io *io)
{
    if (p->q->setup.engine->capabilities & ENGINE_REQUESTS && io->result >= 0)
        io->length = (size_t)io->result;
    return transfer_outcome(io);
}

/*
 * A transfer has come back: the operation has ended, or is staged again for what is left of it or
 * for its next transfer.
 */
static int complete(struct pass *p, struct operation *o)
{
    struct io *io = &o->io;
    if (io->result != (ssize_t)io->length || io->moved > 0) {
        enum transfer_outcome outcome = look_closer(p, io);
        if (outcome == TRANSFER_FAILED)
            return fail_operation(p, o);
        if (outcome == TRANSFER_PART) {
            stage(p->q, o);
            return 0;
        }
    }
    enum transfer_answer answer = p->source->transferred(p->source->context, io);
    if (answer == OPERATION_ENDED_NOW)
        end_later(o);
    if (answer == OPERATION_CONTINUES)
        stage(p->q, o);
    else
        end_operation(p, o);
    return 0;
}

/* The number of transfers that are completed together: a batch, or about the bytes of a burst. */
static unsigned batch_of(const struct pass *p)
{
    const struct io_queue *q = p->q;
    unsigned waiting = q->done_end - q->done_first;
    unsigned batch = waiting < p->batch ? waiting : p->batch;
    if (batch == 0)
        return 0;
    size_t burst = BURST_BYTES / (q->done[q->done_first]->length + 1) + 1;
    return batch < burst ? batch : (unsigned)burst;
}

static int complete_batch(struct pass *p)
{
    struct io_queue *q = p->q;
    unsigned next = q->done_first;
    unsigned end = next + batch_of(p);
    int rc = 0;
    while (rc == 0 && next < end)
        rc = complete(p, (struct operation *)(void *)q->done[next++]);
    q->done_first = next;
    if (q->done_first == q->done_end)
        q->done_first = q->done_end = 0;
    return rc;
}

/* The source has ended, or is to be asked again: at ask_ns, or, when that is 0, whenever something
 * has ended. */
static void leave_source(struct pass *p, enum source_answer answer, uint64_t ask_ns)
{
    p->has_ended = answer == SOURCE_ENDED;
    p->is_waiting = answer == SOURCE_LATER;
    p->ask_ns = ask_ns;
    if (p->is_timed || ask_ns == 0)
        return;
    p->is_timed = true;
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
}

/* Stages the next operations of the source, as many as make up a burst. */
static void fill(struct pass *p)
{
    struct io_queue *q = p->q;
    unsigned unused = q->unused_count;
    size_t bytes = 0;
    p->has_ended = p->has_ended || p->now_ns >= p->end_ns;
    p->is_waiting = !p->has_ended && p->ask_ns > p->now_ns;
    if (p->has_ended || p->is_waiting)
        return;
    while (unused > 0 && bytes < BURST_BYTES) {
        struct operation *o = q->unused[unused - 1];
        o->io.start_ns = 0;
        enum source_answer answer = p->source->next(p->source->context, &o->io, p->now_ns);
        if (answer != SOURCE_READY) {
            leave_source(p, answer, o->io.start_ns);
            break;
        }
        unused--;
        bytes += o->io.length;
        stage(q, o);
    }
    q->unused_count = unused;
}

/* Takes the times of an operation's beginning. */
static void begin_operation(struct operation *o, uint64_t now_ns)
{
    if (o->submitted_ns != 0)
        return; /* this is not its first transfer */
    o->submitted_ns = now_ns;
    if (o->io.start_ns == 0 || o->io.start_ns > now_ns)
        o->io.start_ns = now_ns;
}

static int complete_at_once(struct pass *p, struct operation *o)
{
    p->q->in_flight++;
    look_at_clock(p);
    p->q->in_flight--;
    o->end_ns = p->now_ns;
    return complete(p, o);
}

/* Submits what is staged, as far as the engine takes it. A synchronous engine has one operation,
 * which is taken through its transfer here. */
static int submit_staged(struct pass *p)
{
    struct io_queue *q = p->q;
    const struct engine_ops *engine = q->setup.engine;
    unsigned count = q->staged_count;
    unsigned taken = 0;
    unsigned queued = 0;
    int rc = 0;
    look_at_clock(p);
    p->nap_ns = SHORTEST_NAP_NS;
    q->staged_count = 0; /* what is completed below is staged from the start again */
    while (rc == 0 && taken < count) {
        struct operation *o = q->staged[taken];
        begin_operation(o, p->now_ns);
        enum engine_answer answer = engine->submit(q->state, &o->io);
        if (answer == ENGINE_BUSY)
            break;
        taken++;
        if (answer == ENGINE_QUEUED)
            queued++;
        else
            rc = complete_at_once(p, o);
    }
    q->in_flight += queued;
    for (; taken < count; taken++)
        stage(q, q->staged[taken]);
    return rc;
}

static unsigned smallest_batch(const struct io_queue *q)
{
    unsigned share = q->setup.depth / BATCHES_IN_DEPTH;
    return share > 0 ? share : 1;
}

/*
 * The batch follows the load. Where the device is the bottleneck, large batches starve it: it has
 * nothing to do while operations that were complete together wait for each other. So a batch is a
 * sixteenth of the depth: random reads of 4 KiB from a virtual disk were 10 to 20 % slower when
 * everything complete was taken at once, and about 1 % slower with batches of an eighth; smaller
 * ones than these are no faster and take more CPU time. Where the program is the bottleneck, large
 * batches save its time: so the batch doubles when completions have piled up, enough for a batch at
 * every look and none missing in between (ran_dry), for longer than after any pause; it halves when
 * they no longer do.
 */
static void follow_load(struct pass *p, bool ran_dry)
{
    const struct io_queue *q = p->q;
    if (q->done_end - q->done_first < p->batch) {
        p->batch = p->batch / 2 > p->least_batch ? p->batch / 2 : p->least_batch;
        p->piled_up = 0;
        return;
    }
    p->piled_up = ran_dry ? 0 : p->piled_up + p->batch;
    if (p->piled_up < PILED_UP_DEPTHS * q->setup.depth)
        return;
    p->batch = 2 * p->batch < q->setup.depth ? 2 * p->batch : q->setup.depth;
    p->piled_up = 0;
}

/* Moves what has been returned to the front of the list, which has room for all again then. */
static void make_room(struct io_queue *q)
{
    q->done_end -= q->done_first;
    memmove(q->done, q->done + q->done_first, q->done_end * sizeof *q->done);
    q->done_first = 0;
}

/* Reaps what is complete; waits for one, or until the source has more, if there is nothing else to
 * do. */
static int reap(struct pass *p)
{
    struct io_queue *q = p->q;
    bool has_work =
        q->done_end > q->done_first || (q->unused_count > 0 && !p->has_ended && !p->is_waiting);
    uint64_t until_ns = p->is_waiting && p->ask_ns > p->now_ns ? p->ask_ns : ENGINE_NO_DEADLINE;
    if (q->done_first >= q->setup.depth)
        make_room(q);
    struct io **done = q->done + q->done_end;
    int count = q->setup.engine->wait(q->state, has_work ? 0 : 1, until_ns, done, q->setup.depth);
    if (count == -EINTR)
        return 0; /* if the run is to stop, the caller sees that */
    if (count < 0)
        return err_system(p->e, -count, "%s: wait for transfers on %s", q->setup.engine->name,
                          file_name(q, 0));
    look_at_clock(p);
    q->in_flight -= (unsigned)count;
    q->done_end += (unsigned)count;
    for (int i = 0; i < count; i++)
        ((struct operation *)(void *)done[i])->end_ns = p->now_ns;
    follow_load(p, !has_work);
    return 0;
}

/*
 * Nothing is in flight: sleeps until the source is to be asked again. What it waits for may be
 * elsewhere, and have no known time: then the sleeps become longer.
 */
static void rest(struct pass *p)
{
    uint64_t until_ns = p->ask_ns;
    if (until_ns <= p->now_ns) {
        until_ns = p->now_ns + p->nap_ns;
        p->nap_ns = 2 * p->nap_ns < LONGEST_NAP_NS ? 2 * p->nap_ns : LONGEST_NAP_NS;
    } else if (until_ns - p->now_ns > LONGEST_SLEEP_NS) {
        until_ns = p->now_ns + LONGEST_SLEEP_NS;
    }
    const struct timespec until = clock_timespec(until_ns);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL); /* or until a signal */
    p->now_ns = clock_ns();
}

/* One step: completes, fills, submits, and reaps or rests. */
static int step(struct pass *p)
{
    struct io_queue *q = p->q;
    int rc = complete_batch(p);
    if (rc != 0)
        return rc;
    fill(p);
    rc = q->staged_count > 0 ? submit_staged(p) : 0;
    if (rc != 0)
        return rc;
    if (q->in_flight > 0)
        return reap(p);
    if (p->is_waiting && q->staged_count == 0 && q->done_end == 0)
        rest(p);
    return 0;
}

int io_queue_run(struct io_queue *q, const struct io_source *source, struct op_stats *stats,
                 struct err *e)
{
    struct pass p = {
        .q = q,
        .source = source,
        .stats = stats,
        .e = e,
        .now_ns = clock_ns(),
        .nap_ns = SHORTEST_NAP_NS,
        .batch = smallest_batch(q),
        .least_batch = smallest_batch(q),
    };
    p.end_ns = source->duration_ns > 0 ? p.now_ns + source->duration_ns : UINT64_MAX;
    int rc = 0;
    do {
        rc = step(&p);
        if (rc == 0)
            rc = stop_check(e);
    } while (rc == 0 &&
             (!p.has_ended || q->in_flight > 0 || q->staged_count > 0 || q->done_end > 0));
    return rc;
}
