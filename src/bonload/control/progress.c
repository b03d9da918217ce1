// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/control/progress.h"

#include "util/kernel_file.h"

#define REDRAW_NS       UINT64_C(250000000)
#define LINE_NS         (5 * BILLION)
#define LINE_TEXT       400
#define MAX_LINE        80 /* width of most terminals, with the newline */
#define MEMORY_EVERY_NS (10 * BILLION)

int progress_open(struct progress_view *v, bool is_wanted, struct err *e)
{
    const char *kind = getenv("TERM");
    *v = (struct progress_view){0};
    v->is_terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    if (!is_wanted)
        return 0;
    v->counted = calloc(1, sizeof *v->counted);
    return v->counted ? 0 : err_system(e, ENOMEM, "allocate memory for the live display");
}

void progress_clear(void *view)
{
    struct progress_view *v = view;
    progress_bar_erase(&v->bar);
}

/* Prints a rate in a few columns: "998", "99.8k". */
static void print_rate(FILE *line, const char *before, double rate)
{
    char text[UNITS_TEXT];
    if (rate < 999.5)
        snprintf(text, sizeof text, "%.3g", rate);
    else
        units_format_short_count(text, rate);
    fprintf(line, "%s%s", before, text);
}

static void show_progress(struct progress_view *v, const struct run *run, uint64_t now_ns,
                          uint64_t goal_ns)
{
    static const unsigned percents[] = {50, 99};
    const struct tally *now = v->counted->now;
    bool is_alone = !plan_has(run->plan, LOAD_READ) || !plan_has(run->plan, LOAD_WRITE);
    uint64_t most = atomic_load(&run->most);
    uint64_t begun = atomic_load(&run->budget);
    char left[48] = "";
    char text[LINE_TEXT] = "";
    uint64_t elapsed_ns = now_ns - v->last_ns + 1;
    FILE *line = v->next_ns == 0 ? NULL : fmemopen(text, sizeof text, "w"); /* not at first */
    v->next_ns = now_ns + (v->is_terminal ? REDRAW_NS : LINE_NS);
    v->last_ns = now_ns;
    if (!line)
        return;
    if (v->title)
        fprintf(line, "%s: ", printable(v->title).text);
    if (plan_ranks(run->plan) > 1)
        fprintf(line, "rank %u of %u: ", run->plan->stripe.index, plan_ranks(run->plan));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &run->loads[kind];
        const struct histogram *h = &v->counted->since[kind].response;
        unsigned active = atomic_load(&load->active);
        if (load->pace == PACE_NONE)
            continue;
        recent_update(v->counted, &run->recorders, kind);
        print_rate(line, kind == LOAD_READ ? "reads " : "writes ",
                   (double)h->count * (double)BILLION / (double)elapsed_ns);
        fputs("/s", line);
        if (load->pace == PACE_RATE)
            print_rate(line, " of ", arrivals_rate(load_schedule(load), v->last_ns));
        else if (load->pace == PACE_CLOSED)
            fprintf(line, " by %u%s", active,
                    !is_alone     ? ""
                    : active == 1 ? " thread"
                                  : " threads");
        for (unsigned i = is_alone ? 0 : 1; i < 2; i++) /* with two kinds no p50, to fit */
            fprintf(line, " p%u %s", percents[i],
                    units_known_time(histogram_known_percentile(h, percents[i])).text);
        fputs(", ", line);
    }
    uint64_t errors = now[LOAD_READ].failed.count + now[LOAD_WRITE].failed.count;
    if (errors > 0)
        fprintf(line, "%" PRIu64 " error%s, ", errors, errors == 1 ? "" : "s");
    if (goal_ns > v->last_ns)
        snprintf(left, sizeof left, "%" PRIu64 " s left", (goal_ns - v->last_ns) / BILLION + 1);
    else if (most < UINT64_MAX / 2 && begun < most)
        snprintf(left, sizeof left, "%" PRIu64 " requests left", most - begun);
    else if (run->plan->mode == MODE_SEARCH)
        snprintf(left, sizeof left, "%" PRIu64 " s; time left not known",
                 (v->last_ns - run->start_ns) / BILLION);
    if (ftell(line) + (long)strlen(left) < MAX_LINE)
        fputs(left, line);
    fclose(line);
    for (size_t used = strlen(text); used > 0 && strchr(" ,", text[used - 1]); used--)
        text[used - 1] = '\0';
    if (v->is_terminal)
        progress_bar_draw_text(&v->bar, text);
    else
        fprintf(stderr, "%s\n", text);
}

void progress_report_failures(struct progress_view *v, const struct run *run)
{
    char rank[32] = "";
    if (plan_ranks(run->plan) > 1)
        snprintf(rank, sizeof rank, "rank %u: ", run->plan->stripe.index);
    for (unsigned i = 0; run->plan->settings->verbose && i < MAX_FAILURES; i++) {
        const struct failure *f = &run->failures.list[i];
        if (v->told_failures >> i & 1 || atomic_load(&f->count) == 0)
            continue;
        v->told_failures |= UINT64_C(1) << i;
        progress_clear(v);
        char *text = run_describe_failure(run, f);
        message("%s%s", rank, text ? text : "a request failed");
        free(text);
    }
}

void progress_update(struct progress_view *v, const struct run *run, uint64_t now_ns,
                     uint64_t goal_ns)
{
    progress_report_failures(v, run);
    if (run->plan->settings->memory_debug && now_ns >= v->told_memory_ns + MEMORY_EVERY_NS) {
        unsigned long resident;
        FILE *in = kernel_file_read("/proc/self/statm");
        v->told_memory_ns = now_ns;
        if (in && fscanf(in, "%*u %lu", &resident) == 1)
            message("memory used: %lu KiB", resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024);
        if (in)
            fclose(in);
    }
    if (v->counted && now_ns >= v->next_ns)
        show_progress(v, run, now_ns, goal_ns);
}

/* Replaces the file: sums of the whole run, and quantiles and rates of a part of it. */
static int write_metrics(struct live_file *l, const struct tally part[], uint64_t part_ns,
                         struct err *e)
{
    static const double percents[] = {50, 90, 99, 99.9};
    int rc = output_open(&l->metrics, l->path, true, e);
    if (rc != 0)
        return rc;
    FILE *out = l->metrics.stream;
    fputs("# HELP bonload_latency_seconds Latency of requests that did not fail; quantiles of the "
          "last second, and in the end of the whole run.\n"
          "# TYPE bonload_latency_seconds summary\n",
          out);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
            uint64_t ns = histogram_known_percentile(&part[kind].response, percents[i]);
            fprintf(out, "bonload_latency_seconds{kind=\"%s\",quantile=\"%g\"} ", load_names[kind],
                    percents[i] / 100);
            if (ns == 0)
                fputs("NaN\n", out);
            else
                fprintf(out, "%.9f\n", (double)ns / (double)BILLION);
        }
        fprintf(out, "bonload_latency_seconds_sum{kind=\"%s\"} %.9f\n", load_names[kind],
                (double)l->counted->now[kind].response.sum / (double)BILLION);
        fprintf(out, "bonload_latency_seconds_count{kind=\"%s\"} %" PRIu64 "\n", load_names[kind],
                l->counted->now[kind].response.count);
    }
    fputs("# HELP bonload_failed_seconds Time of requests that failed.\n"
          "# TYPE bonload_failed_seconds summary\n",
          out);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        fprintf(out,
                "bonload_failed_seconds_sum{kind=\"%s\"} %.9f\n"
                "bonload_failed_seconds_count{kind=\"%s\"} %" PRIu64 "\n",
                load_names[kind], (double)l->counted->now[kind].failed.sum / (double)BILLION,
                load_names[kind], l->counted->now[kind].failed.count);
    fputs("# HELP bonload_bytes_per_second Bytes moved, in the last second, and in the end in the "
          "whole run.\n"
          "# TYPE bonload_bytes_per_second gauge\n",
          out);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        fprintf(out, "bonload_bytes_per_second{kind=\"%s\"} %.3f\n", load_names[kind],
                (double)part[kind].bytes / ((double)(part_ns + 1) / (double)BILLION));
    fputs("# EOF\n", out);
    rc = output_finish(&l->metrics, e);
    output_discard(&l->metrics);
    return rc;
}

int live_file_open(struct live_file *l, const struct plan *p, struct err *e)
{
    *l = (struct live_file){.path = p->stripe.index == 0 ? p->settings->live_file : NULL};
    if (!l->path)
        return 0;
    const char *suffix = strrchr(l->path, '.');
    l->counted = calloc(1, sizeof *l->counted);
    if (!l->counted)
        return err_system(e, ENOMEM, "allocate memory for %s", l->path);
    if (suffix && strcmp(suffix, ".prom") == 0)
        return write_metrics(l, l->counted->since, 0, e);
    int fd = output_open_live(l->path, false, e);
    if (fd < 0)
        return fd;
    l->csv = fdopen(fd, "w");
    if (!l->csv) {
        close(fd);
        return err_system(e, ENOMEM, "allocate memory for %s", l->path);
    }
    fputs("seconds,writes,write_errors,write_bytes,write_p50_ns,write_p99_ns,write_max_ns,"
          "reads,read_errors,read_bytes,read_p50_ns,read_p99_ns,read_max_ns\n",
          l->csv);
    return 0;
}

int live_file_update(struct live_file *l, const struct run *run, uint64_t elapsed_ns, bool is_last,
                     struct err *e)
{
    uint64_t passed_ns = elapsed_ns > l->last_ns ? elapsed_ns - l->last_ns : 0;
    if (!l->path || (passed_ns < BILLION && !is_last))
        return 0;
    if (l->csv)
        fprintf(l->csv, "%.3f", (double)elapsed_ns / (double)BILLION);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct tally *t = &l->counted->since[kind];
        const struct histogram *h = &t->response;
        recent_update(l->counted, &run->recorders, kind);
        if (!l->csv)
            continue;
        fprintf(l->csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, tally_ended(t), t->failed.count,
                t->bytes);
        /* what is not known, or if nothing succeeded, has no latency */
        const uint64_t latencies[] = {histogram_known_percentile(h, 50),
                                      histogram_known_percentile(h, 99), h->maximum};
        for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
            fprintf(l->csv, latencies[i] > 0 ? ",%" PRIu64 : ",", latencies[i]);
    }
    l->last_ns = is_last ? elapsed_ns : elapsed_ns - elapsed_ns % BILLION;
    if (!l->csv)
        return write_metrics(l, is_last ? l->counted->now : l->counted->since,
                             is_last ? elapsed_ns : passed_ns, e);
    fputc('\n', l->csv);
    return fflush(l->csv) == 0 ? 0 : err_system(e, errno, "write %s", l->path);
}
