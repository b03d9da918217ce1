#include "gauge.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/units.h"

#define SECOND_NS       UINT64_C(1000000000)
#define DEFAULT_COLUMNS 80
#define WIDEST_BAR      40
#define NARROWEST_BAR   8

/* Before so much time has passed or so much is done, what is left is anybody's guess. */
#define GUESS_AFTER_NS   SECOND_NS
#define GUESS_AFTER_PART .01

void gauge_init(struct gauge *g, const char *title, int fd)
{
    *g = (struct gauge){.title = title, .fd = fd};
}

static double part_of(uint64_t done, uint64_t goal)
{
    return goal == 0 || done >= goal ? 1 : (double)done / (double)goal;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

double gauge_fraction(const struct gauge_reading *r)
{
    if (r->goal_ops == 0 && r->goal_bytes == 0 && r->goal_ns == 0)
        return -1;
    return smaller(part_of(r->ops, r->goal_ops),
                   smaller(part_of(r->bytes, r->goal_bytes), part_of(r->elapsed_ns, r->goal_ns)));
}

/* A duration in the two largest of its units: "42 s", "3 min 05 s", "2 h 07 min". */
static void format_time(char text[static UNITS_TEXT], uint64_t nanoseconds)
{
    unsigned long long seconds = (nanoseconds + SECOND_NS / 2) / SECOND_NS;
    if (seconds < 60)
        snprintf(text, UNITS_TEXT, "%llu s", seconds);
    else if (seconds < 3600)
        snprintf(text, UNITS_TEXT, "%llu min %02llu s", seconds / 60, seconds % 60);
    else
        snprintf(text, UNITS_TEXT, "%llu h %02llu min", seconds / 3600, seconds / 60 % 60);
}

/* Throughput if whole chunks are moved, else operations. */
static void format_rate(char text[static UNITS_TEXT], const struct gauge_reading *r)
{
    double seconds = (double)r->elapsed_ns / (double)SECOND_NS;
    if (r->goal_bytes > 0) {
        char speed[UNITS_TEXT];
        units_format_speed(speed, (double)r->bytes / 1024 / seconds);
        snprintf(text, UNITS_TEXT, "%.20s/s", speed);
    } else {
        snprintf(text, UNITS_TEXT, "%.0f/s", (double)r->ops / seconds);
    }
}

/* How much stands to the right of the bar, from least to most. */
enum detail { DETAIL_PERCENT, DETAIL_RATE, DETAIL_TIME };

static void format_figures(char text[static GAUGE_TEXT], const struct gauge_reading *r,
                           enum detail detail)
{
    char rate[UNITS_TEXT];
    char left[UNITS_TEXT];
    double done = gauge_fraction(r);
    bool is_guess = r->elapsed_ns < GUESS_AFTER_NS || done < GUESS_AFTER_PART;
    format_rate(rate, r);
    if (done < 0) {
        snprintf(text, GAUGE_TEXT, " %s", rate);
    } else if (detail == DETAIL_PERCENT) {
        snprintf(text, GAUGE_TEXT, " %3.0f %%", done * 100);
    } else if (detail == DETAIL_RATE || (is_guess && done < 1)) {
        snprintf(text, GAUGE_TEXT, " %3.0f %% %s", done * 100, rate);
    } else if (done >= 1) {
        snprintf(text, GAUGE_TEXT, " 100 %% %s, finishing", rate);
    } else {
        format_time(left, (uint64_t)((double)r->elapsed_ns * (1 - done) / done));
        snprintf(text, GAUGE_TEXT, " %3.0f %% %s, %s left", done * 100, rate, left);
    }
}

/* "[####......]" of so many columns in all. */
static void format_bar(char *text, double done, unsigned columns)
{
    unsigned inner = columns - 2;
    unsigned full = (unsigned)((double)inner * done);
    text[0] = '[';
    memset(text + 1, '#', full);
    memset(text + 1 + full, '.', inner - full);
    text[inner + 1] = ']';
    text[columns] = '\0';
}

size_t gauge_text(char text[static GAUGE_TEXT], const char *title, const struct gauge_reading *r,
                  uint64_t waited_ns, unsigned columns)
{
    char figures[GAUGE_TEXT];
    char bar[WIDEST_BAR + 2] = "";
    unsigned room = columns > 1 ? columns - 1 : 1;
    if (room > GAUGE_TEXT - 1)
        room = GAUGE_TEXT - 1;
    if (r->elapsed_ns == 0) {
        char waited[UNITS_TEXT];
        format_time(waited, waited_ns);
        snprintf(figures, sizeof figures, ": preparing, %s", waited);
    } else {
        enum detail detail = DETAIL_TIME;
        format_figures(figures, r, detail);
        while (strlen(title) + strlen(figures) > room && detail > DETAIL_PERCENT)
            format_figures(figures, r, --detail);
    }
    size_t taken = strlen(title) + strlen(figures) + 1;
    double done = gauge_fraction(r);
    if (r->elapsed_ns > 0 && done >= 0 && taken + NARROWEST_BAR <= room) {
        unsigned wide = room - (unsigned)taken;
        bar[0] = ' ';
        format_bar(bar + 1, done, wide < WIDEST_BAR ? wide : WIDEST_BAR);
    }
    int length = snprintf(text, room + 1, "%s%s%s", title, bar, figures);
    return length < 0 ? 0 : (unsigned)length < room ? (unsigned)length : room;
}

static unsigned terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
}

static void put(const struct gauge *g, const char *text, size_t length)
{
    ssize_t ignored = write(g->fd, text, length);
    (void)ignored; /* a terminal that is gone is not the test's concern */
}

/*
 * Goes to where the line begins, and clears from there. A terminal that has become narrower shows
 * it on several rows.
 */
static size_t format_erase(char text[static GAUGE_TEXT], unsigned drawn, unsigned columns)
{
    unsigned rows = drawn > 0 ? (drawn - 1) / columns : 0;
    if (rows > 0)
        return (size_t)snprintf(text, GAUGE_TEXT, "\r\033[%uA\033[J", rows);
    return (size_t)snprintf(text, GAUGE_TEXT, "\r\033[J");
}

void gauge_draw(struct gauge *g, const struct gauge_reading *r, uint64_t now_ns)
{
    char line[GAUGE_TEXT];
    char text[2 * GAUGE_TEXT];
    if (tcgetpgrp(g->fd) != getpgrp())
        return; /* in the background: the terminal is somebody else's now */
    unsigned columns = terminal_columns(g->fd);
    if (g->since_ns == 0)
        g->since_ns = now_ns;
    size_t used = format_erase(text, g->drawn, columns);
    size_t length = gauge_text(line, g->title, r, now_ns - g->since_ns, columns);
    memcpy(text + used, line, length);
    put(g, text, used + length);
    g->drawn = (unsigned)length;
}

void gauge_erase(struct gauge *g)
{
    char text[GAUGE_TEXT];
    if (g->drawn > 0)
        put(g, text, format_erase(text, g->drawn, terminal_columns(g->fd)));
    g->drawn = 0;
}
