#include "monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gauge.h"
#include "io.h"
#include "measure/clock.h"
#include "stop.h"
#include "util/coverage.h"

#define INTERVAL_NS UINT64_C(1000000000)
#define REDRAW_NS   UINT64_C(200000000)

/* Pages that no interval is written to take no memory. */
#define MOST_INTERVALS 1000000

/* It has this long to end before it is killed (a terminal may be stopped). */
#define END_MS 2000

/* What the main thread says. */
enum word { WORD_GO = 'g', WORD_PAUSE = 'p', WORD_END = 'e' };

/* In memory that both share. */
struct notes {
    uint64_t elapsed_ns; /* on the phase's clock when it last stood still */
    _Atomic uint64_t
        start_ns; /* where it would have begun if it had never done so; 0: it stands still */
    uint64_t count;
    struct samples before; /* what had been counted at the end of the last interval */
    struct samples now;
    struct samples difference;
    struct interval intervals[MOST_INTERVALS];
};

struct monitor {
    struct monitor_setup setup;
    struct notes *notes;
    struct gauge gauge;
    pid_t pid;
    int socket; /* to the other one */
};

/* False when the other one will not hear it. */
static bool say(const struct monitor *m, enum word word)
{
    char byte = (char)word;
    ssize_t sent;
    do {
        sent = send(m->socket, &byte, 1, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/* Notes the interval from the last one to `elapsed_ns`. */
static void note_interval(struct monitor *m, uint64_t elapsed_ns)
{
    struct notes *n = m->notes;
    board_sum_samples(m->setup.board, &n->now);
    samples_subtract(&n->difference, &n->now, &n->before);
    const struct histogram *h = &n->difference.latencies;
    n->intervals[n->count++] = (struct interval){
        .end_ns = elapsed_ns,
        .ops = h->count,
        .bytes = n->difference.bytes,
        .p50_ns = histogram_percentile(h, 50),
        .p99_ns = histogram_percentile(h, 99),
        .max_ns = h->maximum,
    };
    n->before = n->now;
}

/*
 * Whether an interval may end there: the last place holds all that is left, and none ends before
 * another. When a round ends is known only after it, so the next one may begin a little earlier
 * than the clock was at the last look.
 */
static bool has_place(const struct notes *n, uint64_t elapsed_ns)
{
    return n->count < MOST_INTERVALS - 1 &&
           (n->count == 0 || n->intervals[n->count - 1].end_ns < elapsed_ns);
}

/* What the phase's clock shows. */
static uint64_t elapsed_at(const struct notes *n, uint64_t now_ns)
{
    uint64_t start = n->start_ns; /* which may be changed meanwhile */
    if (start == 0)
        return n->elapsed_ns;
    return now_ns > start ? now_ns - start : 0;
}

static void draw(struct monitor *m, uint64_t now_ns)
{
    struct gauge_reading reading = {.goal_ops = m->setup.goal.ops,
                                    .goal_bytes = m->setup.goal.bytes,
                                    .goal_ns = m->setup.goal.nanoseconds};
    reading.elapsed_ns = elapsed_at(m->notes, now_ns);
    if (reading.elapsed_ns > 0) {
        const struct board *b = m->setup.board;
        for (unsigned i = 0; i < b->used; i++) {
            reading.ops += b->tallies[i].samples.latencies.count;
            reading.bytes += b->tallies[i].samples.bytes;
        }
    }
    gauge_draw(&m->gauge, &reading, now_ns);
}

/* Waits for a word until then; 0 when none came. */
static char listen_until(const struct monitor *m, uint64_t until_ns)
{
    uint64_t now = clock_ns();
    uint64_t left = until_ns > now ? until_ns - now : 0;
    const struct timespec wait = clock_timespec(left);
    struct pollfd from = {.fd = m->socket, .events = POLLIN};
    char word = 0;
    if (ppoll(&from, 1, &wait, NULL) > 0 && read(m->socket, &word, 1) != 1)
        _exit(1); /* the other one has gone */
    return word;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The life of the monitor. After the fork: no malloc, no stdio, no return. */
__attribute__((noreturn)) static void monitor_main(struct monitor *m)
{
    const uint64_t never = UINT64_MAX;
    const struct monitor_setup *s = &m->setup;
    uint64_t next_draw = s->draws ? clock_ns() : never;
    uint64_t next_interval = never;
    uint64_t next_drop = never;
    struct err ignored;
    stop_init_child();
    for (char word = 0; word != WORD_END;) {
        word = listen_until(m, earlier(next_draw, earlier(next_interval, next_drop)));
        uint64_t now = clock_ns();
        uint64_t elapsed = elapsed_at(m->notes, now);
        if (word == WORD_GO) {
            next_interval = now + INTERVAL_NS - elapsed % INTERVAL_NS;
            next_drop = s->drop_interval_ns > 0 ? now + s->drop_interval_ns : never;
        } else if (word == WORD_PAUSE) {
            next_interval = next_drop = never;
            if (s->drop_interval_ns > 0 && !say(m, WORD_PAUSE)) /* no drop is under way any more */
                _exit(1);                                       /* which the other one hears, too */
        }
        if (now >= next_interval) {
            if (has_place(m->notes, elapsed))
                note_interval(m, elapsed);
            next_interval = now + INTERVAL_NS - elapsed % INTERVAL_NS;
        }
        if (now >= next_drop) {
            err_init(&ignored);
            dropper_drop(s->dropper, &ignored);
            next_drop = clock_ns() + s->drop_interval_ns;
        }
        if (now >= next_draw) {
            draw(m, now);
            next_draw = now + REDRAW_NS;
        }
    }
    gauge_erase(&m->gauge);
    coverage_dump();
    _exit(0);
}

int monitor_start(struct monitor **out, const struct monitor_setup *setup, struct err *e)
{
    int sockets[2];
    struct monitor *m = calloc(1, sizeof *m);
    void *notes = mmap(NULL, sizeof *m->notes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!m || notes == MAP_FAILED ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        int rc = err_system(e, errno, "memory and a socket for the monitor");
        if (notes != MAP_FAILED)
            munmap(notes, sizeof *m->notes);
        free(m);
        return rc;
    }
    *m = (struct monitor){.setup = *setup, .notes = notes, .socket = sockets[0]};
    gauge_init(&m->gauge, setup->title, STDERR_FILENO);
    m->pid = fork();
    if (m->pid == 0) {
        m->socket = sockets[1];
        close(sockets[0]);
        monitor_main(m);
    }
    int code = errno;
    close(sockets[1]);
    *out = m;
    if (m->pid > 0)
        return 0;
    monitor_end(m, 0, NULL, NULL, e);
    *out = NULL;
    return err_system(e, code, "fork the monitor");
}

void monitor_go(struct monitor *m)
{
    if (!m)
        return;
    m->notes->start_ns = clock_ns() - m->notes->elapsed_ns;
    say(m, WORD_GO);
}

void monitor_pause(struct monitor *m, uint64_t elapsed_ns)
{
    char word;
    if (!m)
        return;
    m->notes->elapsed_ns = elapsed_ns;
    m->notes->start_ns = 0;
    bool heard = say(m, WORD_PAUSE);
    if (heard &&
        m->setup.drop_interval_ns > 0) /* the dropper's next answer is to be the caller's */
        io_read_byte(m->socket, &word);
}

/* Waits until the monitor has ended, but not for ever. */
static void await_end(const struct monitor *m)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int look = 0; look < END_MS; look++) {
        if (waitpid(m->pid, NULL, WNOHANG) != 0)
            return;
        nanosleep(&pause, NULL);
    }
    kill(m->pid, SIGKILL);
    while (waitpid(m->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* What has come since the last interval; the monitor may have looked after the workers' end. */
static void note_rest(struct monitor *m, uint64_t elapsed_ns)
{
    struct notes *n = m->notes;
    struct interval *last = n->count > 0 ? &n->intervals[n->count - 1] : NULL;
    board_sum_samples(m->setup.board, &n->now);
    bool has_rest = n->now.latencies.count > n->before.latencies.count;
    if (last && last->end_ns >= elapsed_ns)
        last->end_ns = elapsed_ns;
    if (!last || has_rest || last->end_ns < elapsed_ns)
        note_interval(m, elapsed_ns);
}

/* Copies the intervals out of the memory that goes; 0 or a negative errno. */
static int hand_over(const struct notes *n, struct interval **intervals, size_t *count,
                     struct err *e)
{
    *intervals = malloc((n->count + 1) * sizeof **intervals);
    if (!*intervals)
        return err_system(e, ENOMEM, "memory for %" PRIu64 " intervals", n->count);
    *count = n->count;
    memcpy(*intervals, n->intervals, n->count * sizeof **intervals);
    return 0;
}

int monitor_end(struct monitor *m, uint64_t elapsed_ns, struct interval **intervals, size_t *count,
                struct err *e)
{
    int rc = 0;
    if (intervals) {
        *intervals = NULL;
        *count = 0;
    }
    if (!m)
        return 0;
    if (m->pid > 0) {
        if (!say(m, WORD_END))
            kill(m->pid, SIGKILL);
        await_end(m);
    }
    close(m->socket);
    if (intervals) {
        note_rest(m, elapsed_ns);
        rc = hand_over(m->notes, intervals, count, e);
    }
    munmap(m->notes, sizeof *m->notes);
    free(m);
    return rc;
}
