// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/progress.h"

#include <poll.h>
#include <sys/ioctl.h>

#include "sys/stop.h"

/* Escape sequences of a terminal (ECMA-48): colours, and to clear from the line's start on. */
#define COLOUR_BAR  "\033[36m" /* cyan */
#define COLOUR_NONE "\033[0m"
#define CLEAR_LINE  "\r\033[J"

#define DEFAULT_COLUMNS 80
#define KEPT_COLUMNS    3
#define COLOUR_ROOM     16
#define WIDEST_BAR      40
#define NARROWEST_BAR   8
/* The time left is shown only after this time, and when this part of the work is done. */
#define GUESS_AFTER_NS   BILLION
#define GUESS_AFTER_PART .01
/* A rate over a shorter time would depend on the clock and the scheduler. */
#define LEAST_MEASURED_NS (10 * MILLION)

double progress_bar_fraction(const struct progress_reading *r)
{
    const uint64_t goals[][2] = {
        {r->ops, r->goal_ops}, {r->bytes, r->goal_bytes}, {r->elapsed_ns, r->goal_ns}};
    double least = -1;
    for (size_t i = 0; i < COUNT_OF(goals); i++) {
        uint64_t done = goals[i][0];
        uint64_t goal = goals[i][1];
        double part = done >= goal ? 1 : (double)done / (double)goal;
        if (goal > 0 && (least < 0 || part < least))
            least = part;
    }
    return least;
}

void progress_time(char text[static UNITS_TEXT], uint64_t nanoseconds)
{
    unsigned long long seconds = (nanoseconds + BILLION / 2) / BILLION;
    if (seconds < 60)
        snprintf(text, UNITS_TEXT, "%llu s", seconds);
    else if (seconds < 3600)
        snprintf(text, UNITS_TEXT, "%llu min %02llu s", seconds / 60, seconds % 60);
    else
        snprintf(text, UNITS_TEXT, "%llu h %02llu min", seconds / 3600, seconds / 60 % 60);
}

/* Formats the throughput if the phase moves whole chunks, and otherwise operations per second. */
static void format_rate(char text[static UNITS_TEXT], const struct progress_reading *r)
{
    bool is_of_bytes = r->goal_bytes > 0;
    double moved = (double)(is_of_bytes ? r->bytes : r->ops) * (double)BILLION;
    enum units_of what = is_of_bytes ? UNITS_BYTES : UNITS_COUNT;
    snprintf(text, UNITS_TEXT, "%.20s/s", units_scaled(moved / (double)r->elapsed_ns, what).text);
}

void progress_figures(char text[static PROGRESS_FIGURES], const struct progress_reading *r)
{
    char rate[UNITS_TEXT] = "";
    struct units_text spent = units_time(r->elapsed_ns);
    if (r->elapsed_ns >= LEAST_MEASURED_NS)
        format_rate(rate, r);
    if (r->elapsed_ns >= 60 * BILLION)
        progress_time(spent.text, r->elapsed_ns);
    snprintf(text, PROGRESS_FIGURES, "%s%s%s", rate, *rate ? "  " : "", spent.text);
}

/* What is to the right of the bar, from least to most. */
enum detail { DETAIL_PLACE, DETAIL_TIME, DETAIL_RATE };

/* "3 of 9, 20 s left, 1.2 GiB/s", or of a single phase how much is done: "25 %, 6 s left". */
static void format_figures(char text[static PROGRESS_BAR_TEXT], const struct progress_reading *r,
                           enum detail detail)
{
    char place[2 * UNITS_TEXT] = "";
    char left[UNITS_TEXT];
    char rate[UNITS_TEXT];
    double done = progress_bar_fraction(r);
    double seen_ns = (double)r->elapsed_ns;
    double left_ns = seen_ns * (1 - done) / done + (double)r->later_ns;
    bool is_guess = r->elapsed_ns < GUESS_AFTER_NS || done < GUESS_AFTER_PART || r->is_unforeseen;
    if (r->later_bytes > 0 && r->bytes > 0)
        left_ns += seen_ns * (double)r->later_bytes / (double)r->bytes;
    if (r->phases > 1)
        snprintf(place, sizeof place, "%" PRIu64 " of %" PRIu64, r->phase, r->phases);
    else if (done >= 0)
        snprintf(place, sizeof place, "%3.0f %%", done * 100);
    progress_time(left, left_ns > (double)BILLION ? (uint64_t)left_ns : BILLION);
    format_rate(rate, r);
    bool is_last = done >= 1 && r->phase == r->phases;
    bool has_time = detail >= DETAIL_TIME && (is_last || !is_guess);
    bool has_rate = detail >= DETAIL_RATE || *place == '\0';
    snprintf(text, PROGRESS_BAR_TEXT, " %s%s%s%s%s%s", place, has_time ? ", " : "",
             !has_time ? ""
             : is_last ? "finishing"
                       : left,
             has_time && !is_last ? " left" : "", has_rate && *place ? ", " : "",
             has_rate ? rate : "");
}

/* Columns that the line may use. The last one may start a new row, and "^C" may come before it. */
static unsigned room_on(unsigned columns)
{
    unsigned room = columns > KEPT_COLUMNS ? columns - KEPT_COLUMNS : 1;
    return room < PROGRESS_BAR_TEXT - 1 ? room : PROGRESS_BAR_TEXT - 1;
}

unsigned progress_bar_text(char text[static PROGRESS_BAR_TEXT], const char *title,
                           const struct progress_reading *r, uint64_t waited_ns, unsigned columns)
{
    char figures[PROGRESS_BAR_TEXT];
    char bar[WIDEST_BAR + 2] = "";
    unsigned room = room_on(columns);
    bool prepares = r->elapsed_ns == 0 || r->preparing_round > 0;
    if (prepares) {
        char waited[UNITS_TEXT];
        char round[UNITS_TEXT] = "";
        progress_time(waited, waited_ns);
        if (r->preparing_round > 0)
            snprintf(round, sizeof round, " round %u", r->preparing_round);
        snprintf(figures, sizeof figures, ": preparing%s, %s", round, waited);
    } else {
        enum detail detail = DETAIL_RATE;
        format_figures(figures, r, detail);
        while (strlen(title) + strlen(figures) > room && detail > DETAIL_PLACE)
            format_figures(figures, r, --detail);
    }
    size_t taken = strlen(title) + strlen(figures) + 1;
    double done = progress_bar_fraction(r);
    if (r->phases > 1 && done >= 0)
        done = ((double)r->phase - 1 + done) / (double)r->phases;
    if (!prepares && done >= 0 && taken + NARROWEST_BAR <= room) {
        unsigned wide = room - (unsigned)taken;
        size_t inner = MIN(wide, WIDEST_BAR) - 2;
        memcpy(bar, " [", 2);
        memset(bar + 2, '.', inner);
        memset(bar + 2, '#', (size_t)((double)inner * done));
        memcpy(bar + 2 + inner, "]", 2);
    }
    int length = snprintf(text, room + 1, "%s%s%s", title, bar, figures);
    return MIN((unsigned)length, room);
}

static unsigned terminal_columns(void)
{
    struct winsize size;
    bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : DEFAULT_COLUMNS;
}

static void put_text(const char *text, size_t length)
{
    ssize_t ignored = write(STDERR_FILENO, text, length);
    (void)ignored; /* a terminal that is gone does not disturb the test */
}

/* Writes the escape sequences that go to the start of the line and clear everything after it. A
 * terminal that has become narrower shows the line on several rows. */
static size_t format_erase(char text[static PROGRESS_BAR_TEXT], unsigned drawn, unsigned columns)
{
    unsigned rows = drawn > 0 ? (drawn - 1) / columns : 0;
    if (rows > 0)
        return (size_t)snprintf(text, PROGRESS_BAR_TEXT, "\r\033[%uA\033[J", rows);
    return (size_t)snprintf(text, PROGRESS_BAR_TEXT, CLEAR_LINE);
}

void progress_bar_draw(struct progress_bar *g, const struct progress_reading *r, uint64_t now_ns)
{
    char line[PROGRESS_BAR_TEXT];
    if (g->since_ns == 0)
        g->since_ns = now_ns;
    progress_bar_text(line, g->title, r, now_ns - g->since_ns, terminal_columns());
    progress_bar_draw_text(g, line);
}

void progress_bar_draw_text(struct progress_bar *g, const char *line)
{
    char text[2 * PROGRESS_BAR_TEXT + COLOUR_ROOM];
    /* a write must not block because somebody has stopped the terminal */
    struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
    bool is_in_background = tcgetpgrp(STDERR_FILENO) != getpgrp(); /* another program uses it */
    if (is_in_background || poll(&terminal, 1, 0) != 1 || terminal.revents != POLLOUT)
        return;
    unsigned columns = terminal_columns();
    size_t used = format_erase(text, g->drawn, columns);
    g->drawn = (unsigned)strnlen(line, room_on(columns));
    /* the full part of a bar is in colour */
    const char *bar = g->has_colour ? strstr(line, "[#") : NULL;
    int before = bar ? (int)(bar + 1 - line) : 0;
    int full = bar ? (int)strspn(bar + 1, "#") : 0;
    used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%s%.*s%s%.*s", before, line,
                             bar ? COLOUR_BAR : "", full, line + before, bar ? COLOUR_NONE : "",
                             (int)g->drawn - before - full, line + before + full);
    put_text(text, used);
}

void progress_bar_erase(struct progress_bar *g)
{
    char text[PROGRESS_BAR_TEXT];
    if (g->drawn > 0)
        put_text(text, format_erase(text, g->drawn, terminal_columns()));
    g->drawn = 0;
}

void progress_lines_init(struct progress_lines *p, bool quiet)
{
    const char *kind = getenv("TERM");
    const char *no_colour = getenv("NO_COLOR"); /* https://no-color.org */
    *p = (struct progress_lines){.quiet = quiet};
    p->is_live = !quiet && isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    p->has_colour = p->is_live && (!no_colour || *no_colour == '\0');
}

void progress_lines_begin(struct progress_lines *p, const char *title)
{
    if (p->quiet || stop_signal())
        return;
    /* a line that is to be cleared must not take several rows */
    int columns = p->is_live ? (int)room_on(terminal_columns()) : INT_MAX;
    fprintf(stderr, "%.*s...", columns > 3 ? columns - 3 : 0, title);
    fflush(stderr);
    p->line_open = true;
}

void progress_lines_end(struct progress_lines *p, const char *word, unsigned times)
{
    for (unsigned i = 0; p->line_open && !p->is_live && !stop_signal() && i < times; i++)
        fputs(word, stderr);
    progress_lines_break(p);
}

void progress_lines_break(void *lines)
{
    struct progress_lines *p = lines;
    if (p->line_open)
        fputs(p->is_live ? CLEAR_LINE : "\n", stderr);
    p->line_open = false;
}
