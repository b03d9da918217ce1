// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/monitor.h"

#include <poll.h>
#include <sys/socket.h>

#include "measure/clock.h"
#include "sys/helper.h"
#include "sys/stop.h"
#include "util/shared_memory.h"

#define INTERVAL_NS UINT64_C(1000000000)
#define REDRAW_NS   UINT64_C(200000000)
/* The mapping has room for this number of intervals. Pages without intervals take no memory. */
#define MAX_INTERVALS 1000000
/* Room for the figures of all tests. */
#define FIGURES_TEXT 4096

/* What the main thread and the monitor tell each other. */
enum message { MESSAGE_GO = 'g', MESSAGE_PAUSE = 'p', MESSAGE_END = 'e', MESSAGE_ASK = 'a' };

/* What the monitor and the main thread share. */
struct notes {
    uint64_t elapsed_ns; /* what the phase's clock showed when it last stopped */
    /* by clock_ns(), when the clock would have started had it never stopped; 0: it is stopped */
    _Atomic uint64_t start_ns;
    _Atomic unsigned rounds; /* number of times that the clock has stopped */
    struct track track;
    struct device_counters idle; /* what the devices did while the phase's clock did not run */
    uint64_t count;
    struct op_stats before; /* counts at the end of the last interval */
    struct op_stats now, difference;
    struct interval intervals[MAX_INTERVALS];
    struct op_stats earlier; /* counts at the start of the last interval with operations */
};

struct monitor {
    struct monitor_setup setup;
    struct notes *notes;
    struct progress_bar bar;
    struct helper process;
    int socket; /* connected to the other process */
};

int shared_stats_open(struct shared_stats *s, unsigned room, struct err *e)
{
    *s = (struct shared_stats){.room = room};
    return shared_memory_map((void **)&s->workers, room * sizeof *s->workers, e);
}

void shared_stats_close(struct shared_stats *s)
{
    shared_memory_unmap(s->workers, s->room * sizeof *s->workers);
    *s = (struct shared_stats){0};
}

void shared_stats_begin(struct shared_stats *s, unsigned used)
{
    s->used = used;
    memset(s->workers, 0, used * sizeof *s->workers);
}

void shared_stats_sum(const struct shared_stats *s, struct op_stats *sum)
{
    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < s->used; i++)
        op_stats_merge(sum, &s->workers[i].ops);
}

void shared_stats_latencies(const void *shared_stats, struct histogram *sum)
{
    const struct shared_stats *s = shared_stats;
    histogram_clear(sum);
    for (unsigned i = 0; i < s->used; i++)
        histogram_merge(sum, &s->workers[i].ops.latencies);
}

/* Sends a message. Returns false when the other process no longer reads. */
static bool send_message(const struct monitor *m, enum message message)
{
    char byte = (char)message;
    ssize_t sent;
    do {
        sent = send(m->socket, &byte, 1, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == 1;
}

static void set_devices(struct track_point *p, const struct device_counters *spent)
{
    p->read_bytes = spent->read_bytes;
    p->written_bytes = spent->written_bytes;
    p->read_ops = spent->read_ops;
    p->write_ops = spent->write_ops;
    p->busy_ns = spent->lowest_busy_ns;
}

static uint64_t bytes_so_far(const struct shared_stats *s)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < s->used; i++)
        bytes += s->workers[i].ops.bytes;
    return bytes;
}

static void note_interval(struct monitor *m, uint64_t elapsed_ns)
{
    struct notes *n = m->notes;
    shared_stats_sum(m->setup.stats, &n->now);
    op_stats_subtract(&n->difference, &n->now, &n->before);
    const struct histogram *h = &n->difference.latencies;
    n->intervals[n->count++] = (struct interval){
        .end_ns = elapsed_ns,
        .ops = h->count,
        .bytes = n->difference.bytes,
        .p50_ns = histogram_known_percentile(h, 50),
        .p99_ns = histogram_known_percentile(h, 99),
        .max_ns = h->maximum,
    };
    if (h->count > 0)
        n->earlier = n->before;
    n->before = n->now;
}

/* What the phase's clock shows at now_ns. */
static uint64_t elapsed_at(const struct notes *n, uint64_t now_ns)
{
    uint64_t start = n->start_ns; /* read once: the other process may change it */
    if (start == 0)
        return n->elapsed_ns;
    return now_ns > start ? now_ns - start : 0;
}

static struct progress_reading read_stats(const struct monitor *m, uint64_t now_ns)
{
    struct progress_reading reading = m->setup.goal;
    reading.elapsed_ns = elapsed_at(m->notes, now_ns);
    if (m->notes->start_ns == 0 && m->notes->rounds > 0)
        reading.preparing_round = m->notes->rounds + 1;
    const struct shared_stats *s = m->setup.stats;
    for (unsigned i = 0; reading.elapsed_ns > 0 && i < s->used; i++) {
        reading.ops += s->workers[i].ops.latencies.count;
        reading.bytes += s->workers[i].ops.bytes;
    }
    return reading;
}

/* Answers SIGUSR1: prints the figures of the finished phases, and those of this phase so far. */
static void print_figures(struct monitor *m, uint64_t now_ns)
{
    char text[FIGURES_TEXT];
    char present[PROGRESS_FIGURES] = "preparing";
    const struct monitor_setup *s = &m->setup;
    const struct progress_reading reading = read_stats(m, now_ns);
    if (reading.elapsed_ns > 0)
        progress_figures(present, &reading);
    int length = snprintf(text, sizeof text, "%s%s: figures so far\n%s  %-10s  %s so far\n%s%s",
                          s->line_is_open ? "\n" : "", program_name, s->figures, s->name, present,
                          s->line_is_open ? s->title : "", s->line_is_open ? "..." : "");
    if (s->draws && m->bar.drawn == 0)
        m->bar.drawn = 1; /* the bar then replaces "TITLE...", which is already on the terminal */
    progress_bar_erase(&m->bar);
    ssize_t ignored = write(STDERR_FILENO, text, (size_t)length);
    (void)ignored; /* the user who asked may have stopped reading */
}

/* The main loop of the monitor, a forked process: no malloc, no stdio. */
static void monitor_main(void *context, int socket)
{
    const uint64_t never = UINT64_MAX;
    struct monitor *m = context;
    const struct monitor_setup *s = &m->setup;
    struct notes *n = m->notes;
    m->socket = socket;
    if (s->unshared_fd)
        close(*s->unshared_fd);
    uint64_t next_draw = s->draws ? clock_ns() : never;
    uint64_t next_interval = never;
    uint64_t next_tick = never;
    uint64_t next_look = never;
    for (char message = 0; message != MESSAGE_END;) {
        uint64_t now = clock_ns();
        uint64_t next = MIN(MIN(next_draw, next_look), MIN(next_interval, next_tick));
        const struct timespec wait = clock_timespec(next > now ? next - now : 0);
        struct pollfd from = {.fd = socket, .events = POLLIN};
        message = 0; /* none has come */
        if (ppoll(&from, 1, &wait, NULL) > 0 && read(socket, &message, 1) != 1)
            _exit(1); /* the other process has ended */
        now = clock_ns();
        uint64_t elapsed = elapsed_at(n, now);
        if (message == MESSAGE_GO) {
            next_interval = s->notes_intervals ? now + INTERVAL_NS - elapsed % INTERVAL_NS : never;
            next_tick = s->tick_interval_ns > 0 ? now + s->tick_interval_ns : never;
            next_look = s->records_series ? now + track_pause_ns(elapsed) : never;
        } else if (message == MESSAGE_ASK) {
            stop_inquiry_ends();
            print_figures(m, now);
        } else if (message == MESSAGE_PAUSE) {
            next_interval = next_tick = next_look = never;
            /* the answer means that no tick is in progress */
            if (s->tick_interval_ns > 0 && !send_message(m, MESSAGE_PAUSE))
                _exit(1); /* the main thread would wait for this answer */
        }
        if (now >= next_interval) {
            /* The last place is for the remainder. The end of a lap becomes known only afterwards,
             * so the next one may begin a little before the clock's last reading. */
            if (n->count < MAX_INTERVALS - 1 &&
                (n->count == 0 || n->intervals[n->count - 1].end_ns < elapsed))
                note_interval(m, elapsed);
            next_interval = now + INTERVAL_NS - elapsed % INTERVAL_NS;
        }
        if (now >= next_look) {
            struct track_point *p = track_add(&n->track, elapsed, bytes_so_far(s->stats));
            struct device_counters counters = {0};
            if (p && s->devices)
                device_read(s->devices, &counters);
            counters = device_since(&counters, &n->idle);
            if (p)
                set_devices(p, &counters);
            next_look = now + track_pause_ns(elapsed);
        }
        if (now >= next_tick) {
            s->tick(s->tick_context);
            next_tick = clock_ns() + s->tick_interval_ns;
        }
        if (now >= next_draw) {
            const struct progress_reading reading = read_stats(m, now);
            if (!stop_signal())
                progress_bar_draw(&m->bar, &reading, now);
            next_draw = now + REDRAW_NS;
        }
    }
    progress_bar_erase(&m->bar);
}

/* Number of bytes that the notes need. Without intervals there is no room for these. */
static size_t notes_bytes(const struct monitor_setup *s)
{
    return s->notes_intervals ? sizeof(struct notes) : offsetof(struct notes, intervals);
}

int monitor_start(struct monitor **out, const struct monitor_setup *setup, struct err *e)
{
    struct monitor *m = calloc(1, sizeof *m);
    void *notes = mmap(NULL, notes_bytes(setup), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int rc = -ENOMEM;
    if (!m || notes == MAP_FAILED) {
        err_system(e, errno, "allocate memory for the monitor");
    } else {
        *m = (struct monitor){.setup = *setup,
                              .notes = notes,
                              .bar = {.title = setup->title, .has_colour = setup->has_colour}};
        rc = helper_start(&m->process, "monitor", monitor_main, m, e);
    }
    if (rc != 0) {
        if (notes != MAP_FAILED)
            munmap(notes, notes_bytes(setup));
        free(m);
        return rc;
    }
    m->socket = m->process.socket;
    stop_inquiries_to(m->socket, MESSAGE_ASK);
    *out = m;
    return 0;
}

void monitor_go(struct monitor *m, const struct device_counters *idle)
{
    if (!m)
        return;
    if (idle)
        m->notes->idle = *idle;
    m->notes->start_ns = clock_ns() - m->notes->elapsed_ns;
    send_message(m, MESSAGE_GO);
}

void monitor_pause(struct monitor *m, uint64_t elapsed_ns)
{
    if (!m)
        return;
    m->notes->elapsed_ns = elapsed_ns;
    m->notes->start_ns = 0;
    m->notes->rounds++;
    if (!send_message(m, MESSAGE_PAUSE) || m->setup.tick_interval_ns == 0)
        return;
    /* After the answer, which a stopped terminal may delay, what `tick` uses is the caller's. */
    struct pollfd from = {.fd = m->socket, .events = POLLIN};
    char message;
    int ready = 0;
    while (ready <= 0 && !stop_requested())
        ready = poll(&from, 1, HELPER_STOPPED_MS);
    if (ready > 0)
        byte_read(m->socket, &message);
}

int monitor_end(struct monitor *m, const struct reading *spent, struct interval **intervals,
                size_t *count, struct levels *levels, struct err *e)
{
    int rc = 0;
    if (intervals) {
        *intervals = NULL;
        *count = 0;
    }
    if (!m)
        return 0;
    send_message(m, MESSAGE_END);
    stop_inquiries_to(-1, 0);
    helper_end(&m->process, stop_signal() ? HELPER_STOPPED_MS : HELPER_END_MS);
    if (intervals && m->setup.notes_intervals) {
        struct notes *n = m->notes; /* will be unmapped */
        bool is_empty = true;
        /* Records the rest. The monitor may have read the statistics after the workers' end, and
         * gone on noting empty intervals until it heard of it: the last one takes these in. */
        while (is_empty && n->count > 0 && n->intervals[n->count - 1].end_ns >= spent->ns) {
            is_empty = n->intervals[--n->count].ops == 0;
            if (!is_empty)
                n->before = n->earlier;
        }
        note_interval(m, spent->ns);
        *intervals = malloc((n->count + 1) * sizeof **intervals);
        *count = *intervals ? n->count : 0;
        if (*intervals)
            memcpy(*intervals, n->intervals, n->count * sizeof **intervals);
        else
            rc = err_system(e, ENOMEM, "allocate memory for %" PRIu64 " intervals", n->count);
    }
    if (rc == 0 && levels && m->setup.records_series) {
        struct track *track = &m->notes->track;
        struct track_point *end = track_end(track, spent->ns, bytes_so_far(m->setup.stats));
        set_devices(end, &spent->device);
        rc = levels_find(levels, track, e);
    }
    munmap(m->notes, notes_bytes(&m->setup));
    free(m);
    return rc;
}
