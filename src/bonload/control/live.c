// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/control/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/output.h"
#include "util/units.h"

static const char *const kind_names[LOAD_KINDS] = {[LOAD_WRITE] = "write", [LOAD_READ] = "read"};

static int open_csv(struct live_file *l, struct err *e)
{
    int fd = output_open_live(l->path, e);
    if (fd < 0)
        return fd;
    l->csv = fdopen(fd, "w");
    if (!l->csv) {
        close(fd);
        return err_system(e, ENOMEM, "memory for %s", l->path);
    }
    fputs("seconds,writes,write_errors,write_bytes,write_p50_ns,write_p99_ns,write_max_ns,"
          "reads,read_errors,read_bytes,read_p50_ns,read_p99_ns,read_max_ns\n",
          l->csv);
    return 0;
}

static int write_csv(struct live_file *l, uint64_t elapsed_ns, struct err *e)
{
    fprintf(l->csv, "%.3f", (double)elapsed_ns / (double)BILLION);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct tally *t = &l->counted->since[kind];
        fprintf(l->csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, tally_ended(t), t->failed.count,
                t->bytes);
        if (t->response.count == 0)
            fputs(",,,", l->csv); /* nothing succeeded, so there is no latency */
        else
            fprintf(l->csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                    histogram_percentile(&t->response, 50), histogram_percentile(&t->response, 99),
                    t->response.maximum);
    }
    fputc('\n', l->csv);
    return fflush(l->csv) == 0 ? 0 : err_system(e, errno, "write %s", l->path);
}

/* Prints quantiles of the last second, and sums of the whole run. */
static void print_metrics(const struct live_file *l, double seconds, FILE *out)
{
    static const double percents[] = {50, 90, 99, 99.9};
    fputs("# HELP bonload_latency_seconds Latency of requests that did not fail.\n"
          "# TYPE bonload_latency_seconds summary\n",
          out);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct histogram *h = &l->counted->since[kind].response;
        for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
            fprintf(out, "bonload_latency_seconds{kind=\"%s\",quantile=\"%g\"} ", kind_names[kind],
                    percents[i] / 100);
            if (h->count == 0)
                fputs("NaN\n", out);
            else
                fprintf(out, "%.9f\n",
                        (double)histogram_percentile(h, percents[i]) / (double)BILLION);
        }
        fprintf(out, "bonload_latency_seconds_sum{kind=\"%s\"} %.9f\n", kind_names[kind],
                (double)l->counted->now[kind].response.sum / (double)BILLION);
        fprintf(out, "bonload_latency_seconds_count{kind=\"%s\"} %" PRIu64 "\n", kind_names[kind],
                l->counted->now[kind].response.count);
    }
    fputs("# HELP bonload_failed_seconds Time of requests that failed.\n"
          "# TYPE bonload_failed_seconds summary\n",
          out);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        fprintf(out,
                "bonload_failed_seconds_sum{kind=\"%s\"} %.9f\n"
                "bonload_failed_seconds_count{kind=\"%s\"} %" PRIu64 "\n",
                kind_names[kind], (double)l->counted->now[kind].failed.sum / (double)BILLION,
                kind_names[kind], l->counted->now[kind].failed.count);
    fputs("# HELP bonload_bytes_per_second Bytes moved in the last second.\n"
          "# TYPE bonload_bytes_per_second gauge\n",
          out);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        fprintf(out, "bonload_bytes_per_second{kind=\"%s\"} %.3f\n", kind_names[kind],
                (double)l->counted->since[kind].bytes / seconds);
    fputs("# EOF\n", out);
}

static int write_metrics(struct live_file *l, uint64_t passed_ns, struct err *e)
{
    struct output output;
    int rc = output_open_plain(&output, l->path, e);
    if (rc != 0)
        return rc;
    print_metrics(l, (double)(passed_ns + 1) / (double)BILLION, output.stream);
    rc = output_finish(&output, e);
    output_discard(&output);
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
        return err_system(e, ENOMEM, "memory for %s", l->path);
    return suffix && strcmp(suffix, ".prom") == 0 ? write_metrics(l, 0, e) : open_csv(l, e);
}

void live_file_close(struct live_file *l)
{
    if (l->csv)
        fclose(l->csv);
    free(l->counted);
    *l = (struct live_file){0};
}

int live_file_look(struct live_file *l, const struct run *run, uint64_t elapsed_ns, bool is_last,
                   struct err *e)
{
    uint64_t passed_ns = elapsed_ns > l->last_ns ? elapsed_ns - l->last_ns : 0;
    if (!l->path || (passed_ns < BILLION && !is_last))
        return 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        recent_look(l->counted, &run->recorders, kind);
        if (is_last && !l->csv) /* again, because the metrics stay, and no second comes after */
            recent_look(l->counted, &run->recorders, kind);
    }
    l->last_ns = is_last ? elapsed_ns : elapsed_ns - elapsed_ns % BILLION;
    return l->csv ? write_csv(l, elapsed_ns, e) : write_metrics(l, passed_ns, e);
}
