// SPDX-License-Identifier: GPL-2.0-or-later
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>

#include "measure/clock.h"
#include "sync/coordinator.h"
#include "sys/stop.h"
#include "util/units.h"

/* Coordinates the ranks of one MPI job. All messages go between rank 0 and one other rank. No call
 * is collective, so no rank hangs when another one fails, signals are noticed at once, and rank 0
 * knows which ranks are missing. A waiting rank sleeps. Only the main thread calls MPI. */

struct introduction {
    uint64_t ram_bytes;
    uint32_t ranks_per_cpu;
    char first_host[RANK_HOST_SIZE];
};

struct mpi {
    MPI_Comm comm;
    bool has_ended;   /* in rank 0: all others have said that they leave */
    bool has_stopped; /* the run has failed, and this rank knows it */
    /* this is the last meeting, so an arrival at an earlier one that was broken off is ignored */
    bool is_last;
    struct err failure;
    uint64_t signal_ns; /* when a signal was first noticed, by clock_ns(); 0: there was none */
    uint64_t begin_ns;  /* start of the current meeting */
    struct introduction introduction;
    void *buffer; /* the last message received */
    size_t room;
    uint64_t longest_sleep_ns; /* longest sleep of a rank that waits */
    bool has_come[];           /* for each rank, whether it has come to the current meeting */
};

/* The state of a rank that waits: it polls again and again, with longer and longer sleeps. */
struct mpi_wait {
    uint64_t start_ns;
    uint64_t spin_until_ns;
    uint64_t sleep_ns;
    uint64_t longest_sleep_ns;
    uint64_t seen_ns;     /* when the clock was last read */
    uint64_t absent_ns;   /* time for which this rank itself was stopped meanwhile */
    uint64_t named_at_ns; /* in rank 0: when those that have not come are named, or rank 1 hears */
    bool is_named;        /* they have been named */
};

enum tag {
    TAG_ARRIVAL = 1, /* to rank 0: this rank has come, and brings these bytes */
    TAG_ANSWER,      /* from rank 0: its answer, when all have come */
    TAG_FAILURE,     /* to rank 0: this rank has failed */
    TAG_STOP,        /* from rank 0: a rank has failed, and all must stop */
    TAG_LEAVING,     /* to rank 0: this rank will send nothing more */
    TAG_PATIENCE,    /* from rank 0 to rank 1: rank 0 is alive, and waits for others */
    TAG_PING,
    TAG_PONG,
    TAG_HERE,   /* from rank 0 to rank 1: rank 0 has come to the last meeting */
    TAG_PARCEL, /* from any rank to any other */
    TAG_LAST_ARRIVAL
};

#define ROUND_TRIPS 16

/* A rank polls when it begins to wait, because what it waits for usually comes soon. It does not
 * call sched_yield(2), which would cost whole time slices beside other programs. Then it sleeps
 * between two polls, for longer if several ranks share a CPU. After a long wait it need not poll
 * often: a sleep of a hundredth of the wait adds little time, and takes hardly any CPU. */
#define SPIN_NS           20000
#define SHORTEST_SLEEP_NS 10000
#define MAX_SLEEP_NS      100000
#define MAX_CROWD         5 /* sleeps become longer by this factor at most */
#define PART_OF_WAIT      100
#define MAX_OF_ALL_NS     2000000

/* How late the kernel may end a sleep, in ns. The default, 50 us, exceeds most of these sleeps. */
#define TIMER_SLACK_NS 1000

/* A rank that has not polled for this long was itself stopped, and cannot say who is missing. */
#define LONG_ABSENCE_NS 1000000000

/* After this time, ranks that have not come to a meeting are named, up to MAX_NAMED of them. */
#define NAMED_AFTER_NS UINT64_C(30000000000)
#define MAX_NAMED      8

/* Time for which a rank polls for the next question about its clock. */
#define PINGS_SPIN_NS 500000

static struct mpi_wait mpi_wait_begin(const struct mpi *s)
{
    uint64_t now = clock_ns();
    return (struct mpi_wait){.start_ns = now,
                             .seen_ns = now,
                             .spin_until_ns = now + SPIN_NS,
                             .sleep_ns = SHORTEST_SLEEP_NS,
                             .longest_sleep_ns = s->longest_sleep_ns,
                             .named_at_ns = now + NAMED_AFTER_NS};
}

/* The time on a clock that stands still while this rank is stopped. Call it at every poll. */
static uint64_t mpi_wait_now(struct mpi_wait *w)
{
    uint64_t now = clock_ns();
    if (now - w->seen_ns > LONG_ABSENCE_NS)
        w->absent_ns += now - w->seen_ns;
    w->seen_ns = now;
    return now - w->absent_ns;
}

static void mpi_wait_again(struct mpi_wait *w)
{
    w->start_ns = mpi_wait_now(w);
    w->spin_until_ns = clock_ns() + SPIN_NS;
    w->sleep_ns = SHORTEST_SLEEP_NS;
}

static void mpi_wait_sleep(struct mpi_wait *w)
{
    uint64_t now = clock_ns();
    if (now < w->spin_until_ns)
        return;
    uint64_t longest_ns = MIN((now - w->start_ns) / PART_OF_WAIT, MAX_OF_ALL_NS);
    longest_ns = MAX(longest_ns, w->longest_sleep_ns);
    clock_sleep(w->sleep_ns);
    w->sleep_ns = MIN(2 * w->sleep_ns, longest_ns);
}

/* ---- messages ----
 * No function waits for a message that has not arrived. Those that send wait until the message has
 * left, which short ones do at once, and give up at a signal. */

static int mpi_failed(int code, const char *what, struct err *e)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, text, &length);
    return err_say(e, "%s: %s", what, text);
}

static const char sending[] = "send a message to another rank";

/* Begins to send a message. A long one leaves only when the other side receives it, and the other
 * side may have died: the bytes stay in place until it has_left(), which makes the request null, or
 * until it is given up. */
static int start_sending(struct mpi *s, unsigned to, enum tag tag, const void *bytes, size_t count,
                         MPI_Request *request, struct err *e)
{
    int code = MPI_Isend(bytes, (int)count, MPI_BYTE, (int)to, (int)tag, s->comm, request);
    return mpi_failed(code, sending, e);
}

/* Whether the message has left, or has failed with a line in e. */
static bool has_left(MPI_Request *request, int *rc, struct err *e)
{
    int is_complete = 0;
    int code = MPI_Test(request, &is_complete, MPI_STATUS_IGNORE);
    if (*rc == 0)
        *rc = mpi_failed(code, sending, e);
    return is_complete || code != MPI_SUCCESS;
}

static void give_up(MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(request);
    MPI_Request_free(request);
}

static int send_message(struct mpi *s, unsigned to, enum tag tag, const void *bytes, size_t count,
                        struct err *e)
{
    struct mpi_wait wait = mpi_wait_begin(s);
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = start_sending(s, to, tag, bytes, count, &request, e);
    while (rc == 0 && !has_left(&request, &rc, e)) {
        if (stop_signal())
            return err_system(e, EINTR, "%s", sending);
        mpi_wait_sleep(&wait);
    }
    return rc;
}

static void send_bare(struct mpi *s, unsigned to, enum tag tag)
{
    send_message(s, to, tag, NULL, 0, NULL);
}

/* Whether a message with that tag has arrived. *status says from which rank. */
static bool has_message(const struct mpi *s, enum tag tag, MPI_Status *status)
{
    int is_there = 0;
    return MPI_Iprobe(MPI_ANY_SOURCE, (int)tag, s->comm, &is_there, status) == MPI_SUCCESS &&
           is_there;
}

static int receive_message(struct mpi *s, const MPI_Status *from, void *bytes, size_t count,
                           struct err *e)
{
    int code = MPI_Recv(bytes, (int)count, MPI_BYTE, from->MPI_SOURCE, from->MPI_TAG, s->comm,
                        MPI_STATUS_IGNORE);
    return mpi_failed(code, "receive a message from another rank", e);
}

/* Receives a message with that tag and without contents. Returns whether there was one. */
static bool take_bare(struct mpi *s, enum tag tag)
{
    MPI_Status status;
    return has_message(s, tag, &status) && receive_message(s, &status, NULL, 0, NULL) == 0;
}

static enum tag arrival(const struct mpi *s)
{
    return s->is_last ? TAG_LAST_ARRIVAL : TAG_ARRIVAL;
}

/* Receives an arrival, if there is one, into s->buffer. Returns 1; 0: there is none. */
static int receive_arrival(struct mpi *s, unsigned *rank, size_t *bytes, struct err *e)
{
    MPI_Status status;
    int count = 0;
    if (!has_message(s, arrival(s), &status))
        return 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *rank = (unsigned)status.MPI_SOURCE;
    *bytes = (size_t)count;
    if (*bytes > s->room) {
        free(s->buffer);
        s->buffer = malloc(*bytes);
        s->room = s->buffer ? *bytes : 0;
    }
    if (*bytes > s->room)
        return err_system(e, ENOMEM, "allocate memory for what another rank has sent");
    int rc = receive_message(s, &status, s->buffer, *bytes, e);
    return rc == 0 ? 1 : rc;
}

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
    struct err failure;
    MPI_Status status;
    while (has_message(s, TAG_FAILURE, &status) &&
           receive_message(s, &status, &failure, sizeof failure, NULL) == 0)
        name_failure(c, (unsigned)status.MPI_SOURCE, &failure);
    if (s->failure.code != 0 && !s->has_stopped) {
        s->has_stopped = true;
        for (unsigned i = 1; i < c->ranks.count; i++)
            send_bare(s, i, TAG_STOP);
    }
}

/* Looks for messages from other ranks. If one of them has failed, this rank fails, too. A signal
 * ends the waiting: at once, but at the last meeting a little later. A rank that was allowed to
 * come to that meeting waits as long again for the others. */
static int check_others(struct coordinator *c, struct err *e)
{
    struct mpi *s = c->state;
    if (stop_signal()) {
        uint64_t now = clock_ns();
        if (s->signal_ns == 0)
            s->signal_ns = now;
        bool was_before = s->signal_ns < s->begin_ns;
        uint64_t waits_from_ns = was_before ? s->begin_ns : s->signal_ns;
        uint64_t took_ns = was_before ? s->begin_ns - s->signal_ns : 0;
        if (!s->is_last || now - waits_from_ns > LAST_NS + took_ns)
            return err_system(e, EINTR, "wait for the other ranks");
    }
    if (c->ranks.number == 0)
        take_failures(c);
    else if (take_bare(s, TAG_STOP))
        s->has_stopped = true;
    if (!s->has_stopped)
        return 0;
    if (e && e->code == 0)
        *e = s->failure.code != 0 ? s->failure : (struct err){.code = ECANCELED};
    return -ECANCELED;
}

/* ---- meeting, as rank 0 ---------------------------------------------------------------------- */

static const char waiting[] = " after 30 seconds; the others wait";

/* Names the ranks that have not come: in rank 0, all of those; in another one, rank 0. */
static void name_missing(const struct coordinator *c, const char *what, const char *how)
{
    const struct mpi *s = c->state;
    unsigned missing = 0;
    if (c->break_line)
        c->break_line(c->line);
    if (c->ranks.number != 0)
        message("%s: rank 0 on %s has not arrived%s", what, s->introduction.first_host, how);
    for (unsigned i = 1; c->ranks.number == 0 && i < c->ranks.count; i++)
        if (!s->has_come[i] && missing++ < MAX_NAMED)
            message("%s: rank %u on %s has not arrived%s", what, i,
                    c->ranks.cards ? c->ranks.cards[i].host : "a host not known yet", how);
    if (missing > MAX_NAMED)
        message("%s: %u ranks in all have not arrived", what, missing);
}

/* Sleeps a little. If the wait has been too long, names those that have not come. */
static void wait_more(const struct coordinator *c, const char *what, struct mpi_wait *w)
{
    if (mpi_wait_now(w) > w->named_at_ns) {
        if (!w->is_named)
            name_missing(c, what, waiting);
        w->is_named = true;
        send_bare(c->state, 1, TAG_PATIENCE); /* otherwise rank 1 would report this rank */
        w->named_at_ns += NAMED_AFTER_NS;
    }
    mpi_wait_sleep(w);
}

/* Compares another rank's clock with this one's, as rank 0: asks for it 16 times, and uses the
 * shortest round trip. The other rank answers as long as rank 0 asks. The uncertainty is half of
 * that round trip, because the question or the answer may have taken all of it. If a signal comes
 * before the first answer, the card's offset stays as it was. An equal boot id does not show that
 * two ranks share a clock: virtual machines that were restored from one snapshot have the same.
 *
 * Fails if the clock moved against this one, since the comparison before, by more than two running
 * clocks can: a kernel slews its clock by a tenth at most (the tick of adjtimex(2)), so two clocks
 * move apart by at most a fifth of the time. */
#define DRIFT_PART 5
static int compare_clock(struct coordinator *c, const char *what, unsigned rank, struct err *e)
{
    struct clock_offset best = {.uncertainty_ns = UINT64_MAX};
    struct rank_card *card = &c->ranks.cards[rank];
    struct mpi *s = c->state;
    int rc = 0;
    bool answers = true; /* false: a signal came first */
    card->before = card->after;
    s->has_come[rank] = false;
    for (int i = 0; rc == 0 && answers && i < ROUND_TRIPS; i++) {
        struct mpi_wait wait = mpi_wait_begin(s);
        MPI_Status status;
        uint64_t theirs;
        uint64_t asked = clock_ns();
        wait.spin_until_ns = asked + PINGS_SPIN_NS;
        send_bare(s, rank, TAG_PING);
        while (rc == 0 && answers && !has_message(s, TAG_PONG, &status)) {
            answers = !stop_signal();
            rc = answers ? check_others(c, e) : 0;
            if (answers)
                wait_more(c, what, &wait);
        }
        if (rc != 0 || !answers)
            break;
        rc = receive_message(s, &status, &theirs, sizeof theirs, e);
        uint64_t half = (clock_ns() - asked) / 2;
        if (rc == 0 && half < best.uncertainty_ns)
            best = (struct clock_offset){
                .ns = (int64_t)(asked + half - theirs), .uncertainty_ns = half, .at_ns = asked};
    }
    s->has_come[rank] = true;
    if (best.uncertainty_ns < UINT64_MAX)
        card->after = best;
    uint64_t passed_ns = card->after.at_ns - card->before.at_ns;
    uint64_t moved_ns = card->after.ns > card->before.ns
                            ? (uint64_t)card->after.ns - (uint64_t)card->before.ns
                            : (uint64_t)card->before.ns - (uint64_t)card->after.ns;
    uint64_t most_ns =
        passed_ns / DRIFT_PART + card->before.uncertainty_ns + card->after.uncertainty_ns;
    if (rc != 0 || card->before.at_ns == 0 || moved_ns <= most_ns)
        return rc;
    return err_say(e,
                   "the clock of rank %u on %s moved by %.3g s against that of rank 0 within %.3g "
                   "s, so the times of the ranks cannot be compared",
                   rank, card->host, (double)moved_ns / (double)BILLION,
                   (double)passed_ns / (double)BILLION);
}

static int meet_as_first(struct coordinator *c, struct meeting *m, struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    int rc = 0;
    meeting_take(m, 0, m->mine.words, bundle_bytes(&m->mine));
    if (m->is_last) /* otherwise rank 1 says that this rank has not come */
        send_bare(s, 1, TAG_HERE);
    memset(s->has_come, 0, c->ranks.count);
    for (unsigned count = 1; rc == 0 && count < c->ranks.count;) {
        unsigned rank;
        size_t bytes;
        rc = check_others(c, e);
        int received = rc == 0 ? receive_arrival(s, &rank, &bytes, e) : 0;
        if (received > 0) {
            s->has_come[rank] = true;
            meeting_take(m, rank, s->buffer, bytes);
            mpi_wait_again(&wait);
            count++;
        } else {
            rc = rc ? rc : received;
            wait_more(c, m->name, &wait);
        }
    }
    if (rc == -EINTR && m->is_last)
        name_missing(c, m->name, m->left ? m->left : "");
    for (unsigned i = 1; rc == 0 && m->compares_clocks && i < c->ranks.count; i++)
        rc = compare_clock(c, m->name, i, e);
    if (rc == 0)
        meeting_decide(m);
    for (unsigned i = 1; rc == 0 && !m->is_last && i < c->ranks.count; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        wait = mpi_wait_begin(s);
        s->has_come[i] = false; /* a rank that is stopped does not take a long answer */
        rc = start_sending(s, i, TAG_ANSWER, m->answer, m->answer_bytes, &request, e);
        while (rc == 0 && !has_left(&request, &rc, e)) {
            rc = check_others(c, e);
            wait_more(c, m->name, &wait);
        }
        give_up(&request);
        s->has_come[i] = true;
    }
    return rc;
}

/* ---- meeting, as another rank ---------------------------------------------------------------- */

static int meet_as_other(struct coordinator *c, struct meeting *m, struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    bool is_heard = c->ranks.number != 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    size_t bytes = bundle_bytes(&m->mine);
    wait.is_named = is_heard; /* rank 1 speaks for all */
    int rc = start_sending(s, 0, arrival(s), m->mine.words, bytes, &request, e);
    while (rc == 0) {
        if (has_left(&request, &rc, e) &&
            (rc != 0 || (m->is_last ? is_heard : has_message(s, TAG_ANSWER, &status))))
            break;
        rc = check_others(c, e);
        is_heard = is_heard || (m->is_last && take_bare(s, TAG_HERE));
        if (rc == -EINTR && m->is_last && !is_heard)
            name_missing(c, m->name, m->left ? m->left : "");
        if (rc != 0)
            break;
        bool is_asked = take_bare(s, TAG_PATIENCE);
        if (take_bare(s, TAG_PING)) {
            uint64_t now = clock_ns();
            send_message(s, 0, TAG_PONG, &now, sizeof now, NULL);
            is_asked = true;
        }
        if (is_asked) {
            mpi_wait_again(&wait);
            continue;
        }
        if (mpi_wait_now(&wait) - wait.start_ns > NAMED_AFTER_NS + GRACE_NS && !wait.is_named) {
            name_missing(c, m->name, waiting);
            wait.is_named = true;
        }
        mpi_wait_sleep(&wait);
    }
    give_up(&request);
    return rc != 0 || m->is_last ? rc : receive_message(s, &status, m->answer, m->answer_bytes, e);
}

static int mpi_meet(struct coordinator *c, struct meeting *m, struct err *e)
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
    struct meeting m = {.name = phase};
    return mpi_meet(c, &m, e);
}

static int mpi_exchange(struct coordinator *c, const struct parcel *p, struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    MPI_Request request = MPI_REQUEST_NULL;
    bool has_come = false;
    int rc = start_sending(s, p->to, TAG_PARCEL, p->sent, p->bytes, &request, e);
    while (rc == 0 && !(has_left(&request, &rc, e) && has_come)) {
        MPI_Status status;
        int is_there = 0;
        if (!has_come)
            MPI_Iprobe((int)p->from, TAG_PARCEL, s->comm, &is_there, &status);
        has_come =
            has_come || (is_there && receive_message(s, &status, p->got, p->bytes, NULL) == 0);
        if (!has_come || request != MPI_REQUEST_NULL)
            mpi_wait_sleep(&wait);
        rc = rc == 0 ? check_others(c, e) : rc;
    }
    give_up(&request);
    return rc;
}

/* ---- joining and leaving --------------------------------------------------------------------- */

static bool take_card(void *context, unsigned rank, struct bundle_reader *brought)
{
    const struct coordinator *c = context;
    struct rank_card *card = &c->ranks.cards[rank];
    if (!bundle_take(brought, card, sizeof *card))
        *card = (struct rank_card){0}; /* which is refused as of another build */
    return true;
}

/* Finds the first rank of each host, shortens the names of hosts as far as they stay different, and
 * adds up the hosts' memory, when all cards are complete. */
static void answer_cards(void *context)
{
    struct coordinator *c = context;
    struct ranks *r = &c->ranks;
    struct rank_card *cards = r->cards;
    struct introduction *answer = &((struct mpi *)c->state)->introduction;
    for (uint32_t i = 0; i < r->count; i++) {
        /* usually the rank before is on the same host; the boot id identifies it */
        bool is_next = i > 0 && strcmp(cards[i - 1].boot_id, cards[i].boot_id) == 0;
        uint32_t first = is_next ? cards[i - 1].host_first : 0;
        while (strcmp(cards[first].boot_id, cards[i].boot_id) != 0)
            first++;
        cards[i].host_first = first;
        answer->ram_bytes += first == i ? cards[i].ram_bytes : 0;
    }
    answer->ranks_per_cpu = 1;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t cpus = cards[i].cpus > 0 ? cards[i].cpus : 1;
        uint32_t share = ranks_is_first(r, i) ? (ranks_beside(r, i) + cpus - 1) / cpus : 0;
        answer->ranks_per_cpu = MAX(share, answer->ranks_per_cpu);
        size_t length = host_short_length(cards[i].host);
        bool has_namesake = false;
        for (uint32_t k = 0; k < r->count; k++)
            has_namesake |= ranks_is_first(r, k) && k != cards[i].host_first &&
                            host_short_length(cards[k].host) == length &&
                            strncmp(cards[k].host, cards[i].host, length) == 0;
        if (!has_namesake)
            cards[i].host[length] = '\0';
    }
    memcpy(answer->first_host, cards[0].host, RANK_HOST_SIZE);
}

/* All its bytes differ, so it shows the order of a rank's bytes. */
#define ORDER UINT64_C(0x0102030405060708)

static int introduce_ranks(struct coordinator *c, struct err *e)
{
    struct mpi *s = c->state;
    struct ranks *r = &c->ranks;
    struct host host;
    ASSUME(s);
    host_detect(&host);
    struct rank_card card = {.order = ORDER, .ram_bytes = host.ram_bytes, .cpus = host.cpus};
    snprintf(card.host, sizeof card.host, "%.*s", RANK_HOST_SIZE - 1, host.full_name);
    snprintf(card.boot_id, sizeof card.boot_id, "%.*s", RANK_HOST_SIZE - 1,
             *host.boot_id ? host.boot_id : host.full_name);
    if (r->number == 0) {
        r->cards = calloc(r->count, sizeof *r->cards);
        if (!r->cards)
            return err_system(e, ENOMEM, "allocate memory for %u ranks", r->count);
    }
    struct meeting m = {.name = "Starting",
                        .take = take_card,
                        .decide = answer_cards,
                        .context = c,
                        .answer = &s->introduction,
                        .answer_bytes = sizeof s->introduction,
                        .compares_clocks = true};
    bundle_put(&m.mine, &card, sizeof card);
    int rc = coordinator_meet(c, &m, e);
    for (unsigned i = 1; rc == 0 && r->cards && i < r->count; i++)
        if (r->cards[i].order != ORDER) /* ranks send numbers as they have them in memory */
            rc = err_say(e,
                         "rank %u has another architecture or build than rank 0 on %s; all ranks "
                         "of a run need the same",
                         i, r->cards[0].host);
    r->ram_bytes = s->introduction.ram_bytes;
    /* each rank polls less often if several of them share a CPU; 0: not known after a failure */
    s->longest_sleep_ns *= MAX(1, MIN(s->introduction.ranks_per_cpu, MAX_CROWD));
    return rc;
}

static int mpi_begin(struct coordinator *c, struct err *e)
{
    int level, count, number;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* an Open MPI whose launcher is gone waits for it here */
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    prctl(PR_SET_PDEATHSIG, 0);
    if (code != MPI_SUCCESS)
        return mpi_failed(code, "MPI", e);
    if (level < MPI_THREAD_FUNNELED)
        return err_say(e, "MPI: this library does not support programs with threads "
                          "(MPI_THREAD_FUNNELED)");
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    c->ranks.count = (unsigned)count;
    c->ranks.number = (unsigned)number;
    struct mpi *s = calloc(1, sizeof *s + c->ranks.count * sizeof *s->has_come);
    if (!s)
        return err_system(e, ENOMEM, "allocate memory for %u ranks", c->ranks.count);
    c->state = s;
    s->longest_sleep_ns = MAX_SLEEP_NS;
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    code = MPI_Comm_dup(MPI_COMM_WORLD, &s->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    return mpi_failed(code, "MPI", e);
}

/* Environment variables that a launcher sets in the processes that it starts. */
static const struct launcher {
    const char *rank;
    const char *ranks;
    bool has_mpi; /* tells an MPI library about the other processes */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true}, /* Open MPI's mpirun */
    {"PMI_RANK", "PMI_SIZE", true},                         /* MPICH's mpiexec, srun --mpi=pmi2 */
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", true}, /* srun --mpi=pmix, and others with PMIx */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false},
};

static int mpi_join(struct coordinator *c, struct err *e)
{
    const struct launcher *l = NULL;
    for (size_t i = 0; !l && i < COUNT_OF(launchers); i++)
        if (getenv(launchers[i].rank))
            l = &launchers[i];
    int rc = l && l->has_mpi ? mpi_begin(c, e) : 0;
    if (!c->state)
        c->ops = &coordinator_alone;
    if (rc != 0 || c->ranks.count > 1)
        return rc == 0 ? introduce_ranks(c, e) : rc;
    /* If a launcher has started several processes, each would make a run of its own, in the same
     * directory at the same time. The first process reports that; in the others e is empty. */
    const char *started = l ? getenv(l->ranks) : NULL;
    const char *rank = l ? getenv(l->rank) : NULL;
    if (!started || !rank || atoi(started) < 2)
        return 0;
    err_say(e,
            "%s processes were started, but they do not find one another: the launcher belongs to "
            "another MPI, or srun needs --mpi=pmix or --mpi=pmi2",
            started);
    if (strcmp(rank, "0") != 0)
        e->text[0] = '\0';
    return -e->code;
}

/* Waits, in rank 0, until all others have said that they leave. If it has failed, tells them. */
static void await_leaving(struct coordinator *c, int rc, const struct err *e)
{
    struct mpi *s = c->state;
    struct mpi_wait wait = mpi_wait_begin(s);
    if (c->ranks.number != 0)
        return;
    if (rc != 0)
        name_failure(c, 0, e);
    for (unsigned left = s->has_ended ? c->ranks.count : 1;
         left < c->ranks.count && !stop_signal();) {
        unsigned rank;
        size_t bytes;
        take_failures(c);
        if (take_bare(s, TAG_LEAVING))
            left++;
        else if (receive_arrival(s, &rank, &bytes, NULL) <= 0) /* which comes too late */
            mpi_wait_sleep(&wait);
    }
    s->has_ended = true;
}

static int mpi_leave(struct coordinator *c, int rc, struct err *e)
{
    struct mpi *s = c->state;
    await_leaving(c, rc, e);
    if (c->ranks.number != 0) {
        struct mpi_wait wait = mpi_wait_begin(s);
        if (rc != 0 && !s->has_stopped) {
            send_message(s, 0, TAG_FAILURE, e, sizeof *e, NULL);
            while (check_others(c, NULL) == 0)
                mpi_wait_sleep(&wait);
        }
        if (!stop_signal())
            send_bare(s, 0, TAG_LEAVING);
    }
    if (s->failure.code != 0 && rc == 0)
        rc = -s->failure.code;
    /* after a signal, there is no time for this once a rank has ended */
    if (*s->failure.text && !stop_signal())
        message("%s", s->failure.text);
    if (rc != 0)
        *e = (struct err){.code = -rc}; /* rank 0 reports it */
    uint64_t until_ns = clock_ns() + LINGER_NS;
    if (!stop_signal()) { /* after a signal, the launcher leaves no time for this */
        MPI_Comm_free(&s->comm);
        MPI_Finalize();
        free(s->buffer);
        free(s);
    } else if (c->ranks.count > 1) {
        /* others clean up: after a signal, mpirun kills all ranks when the first one ends */
        while (clock_ns() < until_ns)
            clock_sleep(LINGER_NS / 20);
    }
    free(c->ranks.cards);
    c->ranks.cards = NULL;
    return rc;
}

static void mpi_poll(void *coordinator)
{
    if (check_others(coordinator, NULL) != 0)
        stop_request();
}

const struct coordinator_ops coordinator_mpi = {
    .laps = true,
    .join = mpi_join,
    .barrier = mpi_barrier,
    .meet = mpi_meet,
    .exchange = mpi_exchange,
    .poll = mpi_poll,
    .await_leaving = await_leaving,
    .leave = mpi_leave,
};
