#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/clock.h"
#include "sync/coordinator.h"
#include "sync/launcher.h"
#include "sync/mpi_messages.h"
#include "sys/host.h"
#include "sys/stop.h"
#include "util/message.h"

/*
 * Coordinates the ranks of one MPI job. All messages go between rank 0 and one other rank. No call
 * is collective, so no rank hangs when another one fails, signals are noticed at once, and rank 0
 * knows which ranks are missing. A waiting rank sleeps. Only the main thread calls MPI.
 */

/* After this time, ranks that have not come to a meeting are named, up to MOST_NAMED of them. */
#define NAMED_AFTER_NS UINT64_C(30000000000)
#define MOST_NAMED     8

/* Rank 1 gives rank 0 this much more time, because rank 0 itself may be waiting for others. */
#define GRACE_NS UINT64_C(2000000000)

/* Less than the second between the TERM and the KILL of launchers. */
#define LINGER_NS 600000000

/* Much less than that second: after a failed delivery, a rank must still report it and clean up. */
#define LAST_NS UINT64_C(400000000)

/* Number of the first meetings, at which it is still unknown whether all ranks do the same. */
#define FIRST_MEETINGS 3

/* Reports, as rank 0, a rank's first failure, unless it is wrong usage or has been reported. */
static void name_failure(struct coordinator *c, unsigned rank, const struct err *e)
{
    struct mpi *s = c->state;
    if (s->failure.code != 0)
        return;
    bool is_of_all = rank == 0 && (c->phases < FIRST_MEETINGS || !*e->text);
    if (c->ranks.count == 1 || is_of_all)
        s->failure = *e;
    else if (c->ranks.cards)
        err_say(&s->failure, "rank %u on %s: %s", rank, c->ranks.cards[rank].host, e->text);
    else
        err_say(&s->failure, "rank %u: %s", rank, e->text);
}

/* Receives, as rank 0, the failures of other ranks, and tells all ranks to stop. */
static void take_failures(struct coordinator *c)
{
    struct mpi *s = c->state;
    unsigned rank;
    struct err failure;
    while (mpi_take_failure(s, &rank, &failure))
        name_failure(c, rank, &failure);
    if (s->failure.code != 0 && !s->has_stopped) {
        s->has_stopped = true;
        mpi_send_stop(s, c->ranks.count);
    }
}

/*
 * Whether a signal ends the waiting: at once, but at the last meeting a little later. A rank that
 * was allowed to come to that meeting waits as long again for the others.
 */
static bool is_interrupted(struct mpi *s)
{
    uint64_t now = clock_ns();
    if (!stop_signal())
        return false;
    if (s->signal_ns == 0)
        s->signal_ns = now;
    bool was_before = s->signal_ns < s->begin_ns;
    uint64_t waits_from_ns = was_before ? s->begin_ns : s->signal_ns;
    uint64_t took_ns = was_before ? s->begin_ns - s->signal_ns : 0;
    return !s->is_last || now - waits_from_ns > LAST_NS + took_ns;
}

/* Looks for messages from other ranks. If one of them has failed, this rank fails, too. */
static int check_others(struct coordinator *c, struct err *e)
{
    struct mpi *s = c->state;
    if (is_interrupted(s))
        return err_system(e, EINTR, "wait for the other ranks");
    if (c->ranks.number == 0)
        take_failures(c);
    else if (mpi_take_stop(s))
        s->has_stopped = true;
    if (!s->has_stopped)
        return 0;
    if (e->code == 0)
        *e = s->failure.code != 0 ? s->failure : (struct err){.code = ECANCELED};
    return -ECANCELED;
}

static void mpi_look(void *coordinator)
{
    struct err ignored;
    err_init(&ignored);
    if (check_others(coordinator, &ignored) != 0)
        stop_request();
}

static const char waiting[] = " after 30 seconds; the others wait";

/* ---- meeting, as rank 0 ---------------------------------------------------------------------- */

static void break_line(const struct coordinator *c)
{
    if (c->break_line)
        c->break_line(c->line);
}

/* Names, only once, the ranks that have not come. */
static void name_missing(const struct coordinator *c, const char *what, const char *how)
{
    struct mpi *s = c->state;
    unsigned missing = 0;
    break_line(c);
    for (unsigned i = 1; i < c->ranks.count; i++) {
        if (!s->has_come[i] && missing++ < MOST_NAMED)
            message("%s: rank %u on %s has not arrived%s", what, i,
                    c->ranks.cards ? c->ranks.cards[i].host : "a host not known yet", how);
    }
    if (missing > MOST_NAMED)
        message("%s: %u ranks in all have not arrived", what, missing);
}

static int take_one(struct coordinator *c, const struct meeting *m, unsigned *rank, struct err *e)
{
    struct mpi *s = c->state;
    size_t bytes;
    int rc = mpi_receive_arrival(s, rank, &bytes, e);
    if (rc == 0)
        s->has_come[*rank] = true;
    if (rc == 0 && m->take)
        m->take(m->context, *rank, s->buffer, bytes);
    return rc;
}

/* Waits until all other ranks have come. */
static int gather_arrivals(struct coordinator *c, const struct meeting *m, struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    uint64_t named_at_ns = wait.start_ns + NAMED_AFTER_NS;
    bool is_named = false;
    int rc = 0;
    memset(s->has_come, 0, c->ranks.count);
    for (unsigned count = 1; rc == 0 && count < c->ranks.count;) {
        unsigned rank;
        rc = check_others(c, e);
        if (rc == 0 && mpi_has_arrival(s)) {
            rc = take_one(c, m, &rank, e);
            mpi_wait_again(&wait);
            count++;
            continue;
        }
        if (mpi_wait_now(&wait) > named_at_ns) {
            if (!is_named)
                name_missing(c, m->name, waiting);
            is_named = true;
            mpi_send_patience(s); /* otherwise rank 1 would report this rank */
            named_at_ns += NAMED_AFTER_NS;
        }
        mpi_wait_sleep(&wait);
    }
    if (rc == -EINTR && m->is_last)
        name_missing(c, m->name, "");
    return rc;
}

/*
 * Compares each clock except rank 0's once, with the first rank that reads it. The other ranks with
 * that clock use the same result.
 */
static void compare_clocks(struct coordinator *c)
{
    struct rank_card *cards = c->ranks.cards;
    for (unsigned i = 1; i < c->ranks.count; i++) {
        unsigned same = 0;
        while (cards[same].clock != cards[i].clock)
            same++;
        cards[i].before = cards[i].after;
        if (same < i)
            cards[i].after = cards[same].after;
        else
            mpi_compare_clock(c->state, i, &cards[i].after);
    }
}

static int meet_as_first(struct coordinator *c, const struct meeting *m, struct err *e)
{
    struct mpi *s = c->state;
    if (m->take)
        m->take(m->context, 0, m->mine, m->bytes);
    int rc = gather_arrivals(c, m, e);
    if (rc != 0)
        return rc;
    if (m->compares_clocks && c->ranks.cards)
        compare_clocks(c);
    if (m->decide)
        m->decide(m->context);
    for (unsigned i = 1; rc == 0 && !m->is_last && i < c->ranks.count; i++)
        rc = mpi_send_answer(s, i, m->answer, m->answer_bytes, e);
    return rc;
}

/* ---- meeting, as another rank ---------------------------------------------------------------- */

/* Handles messages from rank 0 other than its answer. Returns whether there was one. */
static bool serve_rank_0(struct mpi *s, struct mpi_wait *wait)
{
    bool is_patient = mpi_take_patience(s);
    bool has_pinged = mpi_answer_ping(s);
    if (is_patient || has_pinged)
        mpi_wait_again(wait);
    return is_patient || has_pinged;
}

static int meet_as_other(struct coordinator *c, const struct meeting *m, struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    bool is_named = c->ranks.number != 1;
    bool has_left = false;
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = mpi_start_arrival(s, m->mine, m->bytes, &request, e);
    while (rc == 0) {
        has_left = has_left || mpi_has_left(&request);
        if (has_left && (m->is_last || mpi_has_answer(s)))
            break;
        rc = check_others(c, e);
        if (rc != 0 || serve_rank_0(s, &wait))
            continue;
        if (!is_named && mpi_waited_ns(&wait) > NAMED_AFTER_NS + GRACE_NS) {
            break_line(c);
            message("%s: rank 0 on %s has not arrived%s", m->name, s->first_host, waiting);
            is_named = true;
        }
        mpi_wait_sleep(&wait);
    }
    if (!has_left)
        mpi_give_up(&request);
    if (rc != 0 || m->is_last)
        return rc;
    return mpi_receive_answer(s, m->answer, m->answer_bytes, e);
}

static int mpi_meet(struct coordinator *c, const struct meeting *m, struct err *e)
{
    struct mpi *s = c->state;
    s->is_last = m->is_last;
    s->begin_ns = clock_ns();
    int rc = c->ranks.number == 0 ? meet_as_first(c, m, e) : meet_as_other(c, m, e);
    c->phases++;
    return rc;
}

static int mpi_barrier(struct coordinator *c, const char *phase, struct err *e)
{
    const struct meeting m = {.name = phase};
    return mpi_meet(c, &m, e);
}

static int mpi_exchange(struct coordinator *c, const struct parcel *p, struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    MPI_Request request = MPI_REQUEST_NULL;
    bool has_left = false;
    bool has_come = false;
    int rc = mpi_start_parcel(s, p->to, p->sent, p->bytes, &request, e);
    while (rc == 0 && !(has_left && has_come)) {
        has_come = has_come || mpi_take_parcel(s, p->from, p->got, p->bytes);
        has_left = has_left || mpi_has_left(&request);
        if (!has_left || !has_come)
            mpi_wait_sleep(&wait);
        rc = check_others(c, e);
    }
    if (!has_left)
        mpi_give_up(&request);
    return rc;
}

/* ---- joining and leaving --------------------------------------------------------------------- */

/* Rank 0's answer to the cards of all ranks. */
struct introduction {
    uint64_t ram_bytes;
    uint32_t ranks_per_cpu;
    char first_host[RANK_HOST_SIZE];
};

struct introducing {
    struct ranks *ranks;
    struct introduction answer;
};

static void take_card(void *context, unsigned rank, const void *brought, size_t bytes)
{
    const struct introducing *i = context;
    if (bytes == sizeof *i->ranks->cards)
        memcpy(&i->ranks->cards[rank], brought, bytes);
}

static void answer_cards(void *context)
{
    struct introducing *i = context;
    ranks_find_hosts(i->ranks);
    i->answer.ram_bytes = i->ranks->ram_bytes;
    i->answer.ranks_per_cpu = ranks_per_cpu(i->ranks);
    memcpy(i->answer.first_host, i->ranks->cards[0].host, RANK_HOST_SIZE);
}

/* Sends the cards of all ranks to rank 0. */
static int introduce_ranks(struct coordinator *c, struct err *e)
{
    struct mpi *s = c->state;
    struct host host;
    struct rank_card card;
    struct introducing introducing = {.ranks = &c->ranks};
    host_detect(&host);
    rank_card_fill(&card, &host);
    if (c->ranks.number == 0) {
        c->ranks.cards = calloc(c->ranks.count, sizeof *c->ranks.cards);
        if (!c->ranks.cards)
            return err_system(e, ENOMEM, "memory for %u ranks", c->ranks.count);
    }
    const struct meeting m = {.name = "Starting",
                              .mine = &card,
                              .bytes = sizeof card,
                              .take = take_card,
                              .decide = answer_cards,
                              .context = &introducing,
                              .answer = &introducing.answer,
                              .answer_bytes = sizeof introducing.answer,
                              .compares_clocks = true};
    int rc = mpi_meet(c, &m, e);
    rc = rc == 0 ? ranks_check_order(&c->ranks, e) : rc;
    c->ranks.ram_bytes = introducing.answer.ram_bytes;
    mpi_share_cpus(s, introducing.answer.ranks_per_cpu);
    memcpy(s->first_host, introducing.answer.first_host, RANK_HOST_SIZE);
    return rc;
}

static int mpi_join(struct coordinator *c, struct err *e)
{
    const struct launcher *launcher = launcher_find();
    struct mpi *s = NULL;
    int rc = 0;
    if (launcher_has_mpi(launcher))
        rc = mpi_begin(&s, &c->ranks.number, &c->ranks.count, e);
    if (!s) {
        c->ops = &coordinator_alone;
        return rc == 0 ? launcher_check(launcher, 1, e) : rc;
    }
    c->state = s;
    if (rc == 0)
        rc = launcher_check(launcher, c->ranks.count, e);
    return rc == 0 && c->ranks.count > 1 ? introduce_ranks(c, e) : rc;
}

/* Waits until all other ranks have said that they leave. If rank 0 has failed, tells them first. */
static void leave_as_first(struct coordinator *c, int rc, const struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    if (rc != 0)
        name_failure(c, 0, e);
    for (unsigned left = s->has_ended ? c->ranks.count : 1;
         left < c->ranks.count && !stop_signal();) {
        take_failures(c);
        if (mpi_take_leaving(s))
            left++;
        else if (!mpi_drop_arrival(s))
            mpi_wait_sleep(&wait);
    }
    s->has_ended = true;
}

static void await_leaving(struct coordinator *c, int rc, const struct err *e)
{
    if (c->ranks.number == 0)
        leave_as_first(c, rc, e);
}

static void leave_as_other(struct coordinator *c, int rc, const struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    struct err ignored;
    err_init(&ignored);
    if (rc != 0 && !s->has_stopped) {
        mpi_send_failure(s, e);
        while (check_others(c, &ignored) == 0)
            mpi_wait_sleep(&wait);
    }
    if (!stop_signal())
        mpi_send_leaving(s);
}

/* Waits while others clean up: after a signal, mpirun kills all ranks when the first one ends. */
static void linger_after_signal(void)
{
    uint64_t until_ns = clock_ns() + LINGER_NS;
    const struct timespec pause = {.tv_nsec = LINGER_NS / 20};
    while (clock_ns() < until_ns)
        nanosleep(&pause, NULL);
}

static int mpi_leave(struct coordinator *c, int rc, struct err *e)
{
    struct mpi *s = c->state;
    if (c->ranks.number == 0)
        leave_as_first(c, rc, e);
    else
        leave_as_other(c, rc, e);
    if (s->failure.code != 0 && rc == 0)
        rc = -s->failure.code;
    /* after a signal, there is no time for this once a rank has ended */
    if (*s->failure.text && !stop_signal())
        message("%s", s->failure.text);
    if (rc != 0)
        *e = (struct err){.code = -rc}; /* rank 0 reports it */
    if (!stop_signal())                 /* after a signal, the launcher leaves no time for this */
        mpi_end(s);
    else if (c->ranks.count > 1)
        linger_after_signal();
    free(c->ranks.cards);
    c->ranks.cards = NULL;
    return rc;
}

const struct coordinator_ops coordinator_mpi = {
    .rounds = true,
    .join = mpi_join,
    .barrier = mpi_barrier,
    .meet = mpi_meet,
    .exchange = mpi_exchange,
    .look = mpi_look,
    .await_leaving = await_leaving,
    .leave = mpi_leave,
};
