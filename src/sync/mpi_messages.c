#include "sync/mpi_messages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "measure/clock.h"
#include "sys/stop.h"

/* The kinds of messages. */
enum tag {
    TAG_ARRIVAL = 1,
    TAG_ANSWER,
    TAG_FAILURE,
    TAG_STOP,
    TAG_LEAVING,
    TAG_PATIENCE,
    TAG_PING,
    TAG_PONG,
    TAG_PARCEL,
    TAG_LAST_ARRIVAL
};

#define ROUND_TRIPS 16

/*
 * A rank polls when it begins to wait, because what it waits for usually comes soon. It does not
 * call sched_yield(2), which would cost whole time slices beside other programs. Then it sleeps
 * between two polls, for longer if several ranks share a CPU. After a long wait it need not poll
 * often: a sleep of a hundredth of the wait adds little time, and takes hardly any CPU.
 */
#define SPIN_NS           20000
#define SHORTEST_SLEEP_NS 10000
#define LONGEST_SLEEP_NS  100000
#define LONGEST_CROWDED   5 /* sleeps become longer by this factor at most */
#define PART_OF_WAIT      100
#define LONGEST_OF_ALL_NS 2000000

/*
 * How late the kernel may end a sleep, in ns. The default of 50 us is longer than most of these
 * sleeps.
 */
#define TIMER_SLACK_NS 1000

/*
 * A rank that has not polled for this long was stopped itself, so it cannot say that others did not
 * come.
 */
#define LONG_ABSENCE_NS 1000000000

/* Time for which a rank polls for the next question about its clock. */
#define PINGS_SPIN_NS 500000

struct mpi_wait mpi_wait_begin(const struct mpi *s)
{
    uint64_t now = clock_ns();
    return (struct mpi_wait){.start_ns = now,
                             .seen_ns = now,
                             .spin_until_ns = now + SPIN_NS,
                             .sleep_ns = SHORTEST_SLEEP_NS,
                             .longest_sleep_ns = s->longest_sleep_ns};
}

uint64_t mpi_wait_now(struct mpi_wait *w)
{
    uint64_t now = clock_ns();
    if (now - w->seen_ns > LONG_ABSENCE_NS)
        w->absent_ns += now - w->seen_ns;
    w->seen_ns = now;
    return now - w->absent_ns;
}

void mpi_wait_again(struct mpi_wait *w)
{
    w->start_ns = mpi_wait_now(w);
    w->spin_until_ns = clock_ns() + SPIN_NS;
    w->sleep_ns = SHORTEST_SLEEP_NS;
}

/* The longest sleep of a rank that has waited for waited_ns. */
static uint64_t longest_sleep_ns(const struct mpi_wait *w, uint64_t waited_ns)
{
    uint64_t part_ns = waited_ns / PART_OF_WAIT;
    if (part_ns > LONGEST_OF_ALL_NS)
        part_ns = LONGEST_OF_ALL_NS;
    return part_ns > w->longest_sleep_ns ? part_ns : w->longest_sleep_ns;
}

void mpi_wait_sleep(struct mpi_wait *w)
{
    uint64_t now = clock_ns();
    if (now < w->spin_until_ns)
        return;
    uint64_t longest_ns = longest_sleep_ns(w, now - w->start_ns);
    const struct timespec pause = {.tv_nsec = (long)w->sleep_ns};
    nanosleep(&pause, NULL);
    w->sleep_ns = 2 * w->sleep_ns < longest_ns ? 2 * w->sleep_ns : longest_ns;
}

void mpi_share_cpus(struct mpi *s, unsigned ranks_per_cpu)
{
    unsigned times = ranks_per_cpu < LONGEST_CROWDED ? ranks_per_cpu : LONGEST_CROWDED;
    s->longest_sleep_ns = LONGEST_SLEEP_NS * (times > 0 ? times : UINT64_C(1));
}

uint64_t mpi_waited_ns(struct mpi_wait *w)
{
    return mpi_wait_now(w) - w->start_ns;
}

/* ---- what all messages share ----------------------------------------------------------------- */

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

/*
 * Sends a message, and looks for signals meanwhile: a long message leaves only when the other side
 * receives it, and the other side may have died.
 */
static int send_message(struct mpi *s, int rank, enum tag tag, const void *bytes, size_t count,
                        struct err *e)
{
    struct mpi_wait wait = mpi_wait_begin(s);
    MPI_Request request;
    int has_left = 0;
    int code = MPI_Isend(bytes, (int)count, MPI_BYTE, rank, (int)tag, s->comm, &request);
    while (code == MPI_SUCCESS && !has_left) {
        code = MPI_Test(&request, &has_left, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || has_left)
            break;
        if (stop_signal())
            return err_system(e, EINTR, "%s", sending);
        mpi_wait_sleep(&wait);
    }
    return mpi_failed(code, sending, e);
}

static void send_bare(struct mpi *s, int rank, enum tag tag)
{
    struct err ignored;
    err_init(&ignored);
    send_message(s, rank, tag, NULL, 0, &ignored);
}

/* Whether a message with that tag has arrived. *status says from which rank. */
static bool has_message(const struct mpi *s, enum tag tag, MPI_Status *status)
{
    int is_there = 0;
    return MPI_Iprobe(MPI_ANY_SOURCE, (int)tag, s->comm, &is_there, status) == MPI_SUCCESS &&
           is_there;
}

/* Receives a message that has arrived. */
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
    struct err ignored;
    MPI_Status status;
    err_init(&ignored);
    return has_message(s, tag, &status) && receive_message(s, &status, NULL, 0, &ignored) == 0;
}

/* ---- the messages ---------------------------------------------------------------------------- */

static int start_sending(struct mpi *s, unsigned to, enum tag tag, const void *bytes, size_t count,
                         MPI_Request *request, struct err *e)
{
    int code = MPI_Isend(bytes, (int)count, MPI_BYTE, (int)to, (int)tag, s->comm, request);
    return mpi_failed(code, sending, e);
}

bool mpi_has_left(MPI_Request *request)
{
    int has_left = 0;
    return MPI_Test(request, &has_left, MPI_STATUS_IGNORE) == MPI_SUCCESS && has_left;
}

void mpi_give_up(MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(request);
    MPI_Request_free(request);
}

static enum tag arrival(const struct mpi *s)
{
    return s->is_last ? TAG_LAST_ARRIVAL : TAG_ARRIVAL;
}

int mpi_start_arrival(struct mpi *s, const void *bytes, size_t count, MPI_Request *request,
                      struct err *e)
{
    return start_sending(s, 0, arrival(s), bytes, count, request, e);
}

bool mpi_has_arrival(struct mpi *s)
{
    MPI_Status status;
    return has_message(s, arrival(s), &status);
}

static int make_buffer_room(struct mpi *s, size_t bytes, struct err *e)
{
    if (bytes <= s->room)
        return 0;
    free(s->buffer);
    s->buffer = malloc(bytes);
    s->room = s->buffer ? bytes : 0;
    return s->buffer ? 0 : err_system(e, ENOMEM, "memory for what another rank has sent");
}

int mpi_receive_arrival(struct mpi *s, unsigned *rank, size_t *bytes, struct err *e)
{
    MPI_Status status;
    int count = 0;
    if (!has_message(s, arrival(s), &status))
        return err_say(e, "a message of another rank has disappeared");
    MPI_Get_count(&status, MPI_BYTE, &count);
    *rank = (unsigned)status.MPI_SOURCE;
    *bytes = (size_t)count;
    int rc = make_buffer_room(s, *bytes, e);
    return rc == 0 ? receive_message(s, &status, s->buffer, *bytes, e) : rc;
}

bool mpi_drop_arrival(struct mpi *s)
{
    struct err ignored;
    unsigned rank;
    size_t bytes;
    err_init(&ignored);
    return mpi_has_arrival(s) && mpi_receive_arrival(s, &rank, &bytes, &ignored) == 0;
}

int mpi_send_answer(struct mpi *s, unsigned rank, const void *bytes, size_t count, struct err *e)
{
    return send_message(s, (int)rank, TAG_ANSWER, bytes, count, e);
}

bool mpi_has_answer(struct mpi *s)
{
    MPI_Status status;
    return has_message(s, TAG_ANSWER, &status);
}

int mpi_receive_answer(struct mpi *s, void *bytes, size_t count, struct err *e)
{
    MPI_Status status;
    return has_message(s, TAG_ANSWER, &status) ? receive_message(s, &status, bytes, count, e)
                                               : err_say(e, "rank 0's answer has disappeared");
}

void mpi_send_failure(struct mpi *s, const struct err *e)
{
    struct err ignored;
    err_init(&ignored);
    send_message(s, 0, TAG_FAILURE, e, sizeof *e, &ignored);
}

bool mpi_take_failure(struct mpi *s, unsigned *rank, struct err *e)
{
    struct err ignored;
    MPI_Status status;
    err_init(&ignored);
    if (!has_message(s, TAG_FAILURE, &status))
        return false;
    *rank = (unsigned)status.MPI_SOURCE;
    return receive_message(s, &status, e, sizeof *e, &ignored) == 0;
}

void mpi_send_stop(struct mpi *s, unsigned ranks)
{
    for (unsigned i = 1; i < ranks; i++)
        send_bare(s, (int)i, TAG_STOP);
}

bool mpi_take_stop(struct mpi *s)
{
    return take_bare(s, TAG_STOP);
}

void mpi_send_leaving(struct mpi *s)
{
    send_bare(s, 0, TAG_LEAVING);
}

bool mpi_take_leaving(struct mpi *s)
{
    return take_bare(s, TAG_LEAVING);
}

void mpi_send_patience(struct mpi *s)
{
    send_bare(s, 1, TAG_PATIENCE);
}

bool mpi_take_patience(struct mpi *s)
{
    return take_bare(s, TAG_PATIENCE);
}

int mpi_start_parcel(struct mpi *s, unsigned to, const void *bytes, size_t count,
                     MPI_Request *request, struct err *e)
{
    return start_sending(s, to, TAG_PARCEL, bytes, count, request, e);
}

bool mpi_take_parcel(struct mpi *s, unsigned from, void *bytes, size_t count)
{
    struct err ignored;
    MPI_Status status;
    int is_there = 0;
    err_init(&ignored);
    MPI_Iprobe((int)from, TAG_PARCEL, s->comm, &is_there, &status);
    return is_there && receive_message(s, &status, bytes, count, &ignored) == 0;
}

/* Waits for the other rank's clock. Returns false when it does not come, or a signal does. */
static bool await_pong(struct mpi *s, uint64_t *theirs)
{
    struct err ignored;
    struct mpi_wait wait = mpi_wait_begin(s);
    MPI_Status status;
    err_init(&ignored);
    wait.spin_until_ns = wait.start_ns + PINGS_SPIN_NS;
    while (!has_message(s, TAG_PONG, &status)) {
        if (stop_signal())
            return false;
        mpi_wait_sleep(&wait);
    }
    return receive_message(s, &status, theirs, sizeof *theirs, &ignored) == 0;
}

void mpi_compare_clock(struct mpi *s, unsigned rank, struct clock_offset *offset)
{
    struct clock_offset best = {.uncertainty_ns = UINT64_MAX};
    for (int i = 0; i < ROUND_TRIPS; i++) {
        uint64_t theirs;
        uint64_t asked = clock_ns();
        send_bare(s, (int)rank, TAG_PING);
        if (!await_pong(s, &theirs))
            break;
        uint64_t half = (clock_ns() - asked) / 2;
        if (half < best.uncertainty_ns)
            best = (struct clock_offset){.ns = (int64_t)(asked + half - theirs),
                                         .uncertainty_ns = half};
    }
    if (best.uncertainty_ns < UINT64_MAX)
        *offset = best;
}

bool mpi_answer_ping(struct mpi *s)
{
    struct err ignored;
    err_init(&ignored);
    if (!take_bare(s, TAG_PING))
        return false;
    uint64_t now = clock_ns();
    send_message(s, 0, TAG_PONG, &now, sizeof now, &ignored);
    return true;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static int make_state(struct mpi **out, unsigned ranks, struct err *e)
{
    struct mpi *s = calloc(1, sizeof *s);
    bool *has_come = calloc(ranks, sizeof *has_come);
    if (!s || !has_come) {
        free(s);
        free(has_come);
        return err_system(e, ENOMEM, "memory for %u ranks", ranks);
    }
    s->has_come = has_come;
    mpi_share_cpus(s, 1);
    err_init(&s->failure);
    *out = s;
    return 0;
}

int mpi_begin(struct mpi **out, unsigned *rank, unsigned *ranks, struct err *e)
{
    int level;
    int count;
    int number;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    if (code != MPI_SUCCESS)
        return mpi_failed(code, "MPI", e);
    if (level < MPI_THREAD_FUNNELED)
        return err_say(e, "MPI: this library does not support programs with threads "
                          "(MPI_THREAD_FUNNELED)");
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    *ranks = (unsigned)count;
    *rank = (unsigned)number;
    int rc = make_state(out, *ranks, e);
    if (rc != 0)
        return rc;
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    code = MPI_Comm_dup(MPI_COMM_WORLD, &(*out)->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler((*out)->comm, MPI_ERRORS_RETURN);
    return mpi_failed(code, "MPI", e);
}

void mpi_end(struct mpi *s)
{
    MPI_Comm_free(&s->comm);
    MPI_Finalize();
    free(s->has_come);
    free(s->buffer);
    free(s);
}
