#include "bonload/control/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/units.h"

#define REDRAW_NS UINT64_C(250000000)
#define LINE_NS   (5 * BILLION)
#define LINE_TEXT 400
#define LINE_MOST 80 /* width of most terminals, with the newline */

int progress_open(struct progress_view *v, bool is_wanted, struct err *e)
{
    const char *kind = getenv("TERM");
    *v = (struct progress_view){.is_on = is_wanted};
    v->is_terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    progress_bar_init(&v->bar, "", STDERR_FILENO);
    if (!is_wanted)
        return 0;
    v->now = calloc(1, sizeof *v->now);
    v->before = calloc(LOAD_KINDS, sizeof *v->before);
    v->difference = calloc(1, sizeof *v->difference);
    if (v->now && v->before && v->difference)
        return 0;
    progress_close(v);
    return err_system(e, ENOMEM, "memory for the live display");
}

void progress_close(struct progress_view *v)
{
    free(v->now);
    free(v->before);
    free(v->difference);
    *v = (struct progress_view){0};
}

void progress_restart(struct progress_view *v)
{
    if (v->is_on)
        memset(v->before, 0, LOAD_KINDS * sizeof *v->before);
    v->next_ns = 0;
}

void progress_clear(void *view)
{
    struct progress_view *v = view;
    progress_bar_erase(&v->bar);
}

/* Formats a rate in a few columns: "998", "99.8k". */
static void format_rate(char text[static UNITS_TEXT], double rate)
{
    if (rate < 9999.5)
        snprintf(text, UNITS_TEXT, "%.4g", rate);
    else
        units_format_short_count(text, rate);
}

/*
 * Formats the load of one kind: " of 1000", " by 20 threads" or nothing. The text is shorter beside
 * another kind.
 */
static void format_load(const struct load *load, bool is_alone, uint64_t now_ns,
                        char text[static 48])
{
    char rate[UNITS_TEXT];
    unsigned active = atomic_load(&load->active);
    text[0] = '\0';
    if (load->pace == PACE_RATE) {
        format_rate(rate, arrivals_rate(&load->schedules[atomic_load(&load->schedule) % SCHEDULES],
                                        now_ns));
        snprintf(text, 48, " of %s", rate);
    } else if (load->pace == PACE_CLOSED) {
        snprintf(text, 48, " by %u%s", active,
                 !is_alone     ? ""
                 : active == 1 ? " thread"
                               : " threads");
    }
}

/* Formats a percentile of the latency, or a dash if no request has succeeded. */
static void format_latency(char text[static UNITS_TEXT], const struct histogram *h, double percent)
{
    if (h->count > 0)
        units_format_time(text, histogram_percentile(h, percent));
    else
        strcpy(text, "-");
}

/*
 * Formats one kind since the last look: "reads 998/s of 1000 p50 95 us p99 210 us, ". With two
 * kinds it omits the median, to fit into 80 columns.
 */
static size_t format_kind(struct progress_view *v, const struct run *run, enum load_kind kind,
                          uint64_t elapsed_ns, char *text, size_t size)
{
    static const char *const names[] = {[LOAD_WRITE] = "writes", [LOAD_READ] = "reads"};
    bool is_alone = !plan_has(run->plan, kind == LOAD_READ ? LOAD_WRITE : LOAD_READ);
    char asked[48];
    char rate[UNITS_TEXT];
    char p50[UNITS_TEXT];
    char p99[UNITS_TEXT];
    recorders_sum(&run->recorders, kind, v->now);
    tally_subtract(v->difference, v->now, &v->before[kind]);
    v->before[kind] = *v->now;
    format_rate(rate, (double)tally_ended(v->difference) * (double)BILLION / (double)elapsed_ns);
    format_latency(p50, &v->difference->response, 50);
    format_latency(p99, &v->difference->response, 99);
    format_load(&run->loads[kind], is_alone, v->last_ns, asked);
    int length = snprintf(text, size, "%s %s/s%s%s%s p99 %s, ", names[kind], rate, asked,
                          is_alone ? " p50 " : "", is_alone ? p50 : "", p99);
    return length > 0 && (size_t)length < size ? (size_t)length : size - 1;
}

/* Formats the errors of both kinds, "3 errors, ", or nothing if there are none. */
static size_t format_errors(const struct progress_view *v, char *text, size_t size)
{
    uint64_t errors = v->before[LOAD_READ].errors + v->before[LOAD_WRITE].errors;
    int length = 0;
    if (errors > 0)
        length = snprintf(text, size, "%" PRIu64 " error%s, ", errors, errors == 1 ? "" : "s");
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

/* Formats what is left, "12 s left" or "4000 requests left", if it fits. */
static size_t format_left(const struct run *run, uint64_t now_ns, uint64_t goal_ns, char *text,
                          size_t size)
{
    uint64_t most = atomic_load(&run->most);
    uint64_t begun = atomic_load(&run->budget);
    int length = 0;
    if (goal_ns > now_ns)
        length = snprintf(text, size, "%" PRIu64 " s left", (goal_ns - now_ns) / BILLION + 1);
    else if (most < UINT64_MAX / 2 && begun < most)
        length = snprintf(text, size, "%" PRIu64 " requests left", most - begun);
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

void progress_look(struct progress_view *v, struct run *run, uint64_t now_ns, uint64_t goal_ns)
{
    char text[LINE_TEXT];
    size_t used = 0;
    if (!v->is_on || now_ns < v->next_ns)
        return;
    uint64_t every_ns = v->is_terminal ? REDRAW_NS : LINE_NS;
    bool is_first = v->next_ns == 0;
    v->next_ns = now_ns + every_ns;
    uint64_t elapsed_ns = now_ns - (is_first ? run->start_ns : v->last_ns) + 1;
    v->last_ns = now_ns;
    if (is_first)
        return;
    if (plan_ranks(run->plan) > 1)
        used = (size_t)snprintf(text, sizeof text, "rank %u of %u: ", run->plan->stripe.index,
                                plan_ranks(run->plan));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (run->loads[kind].pace != PACE_NONE)
            used += format_kind(v, run, kind, elapsed_ns, text + used, sizeof text - used);
    used += format_errors(v, text + used, sizeof text - used);
    if (used < LINE_MOST)
        used += format_left(run, now_ns, goal_ns, text + used, LINE_MOST - used);
    while (used > 0 && strchr(" ,", text[used - 1]))
        used--;
    text[used] = '\0';
    if (v->is_terminal)
        progress_bar_draw_text(&v->bar, text);
    else
        fprintf(stderr, "%s\n", text);
}
