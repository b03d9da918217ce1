// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "storage/block_device.h"

/* The short look: a line for each test of each row as soon as it has ended; then what it cost and
 * what the page cache had to do with it, what it does not show, and the command that shows more. */

#define NAME_COLUMNS 9
#define WHAT_COLUMNS 23

/* What was measured in two columns: "Write", "1 MiB, 8 in flight". Returns the columns it took. */
static size_t print_title(FILE *out, const char *title, int columns, bool is_one_by_one)
{
    char what[64];
    const char *rest = strchr(title, ' ') + 1;
    size_t length = is_one_by_one ? strcspn(rest, ",") : strlen(rest);
    snprintf(what, sizeof what, "%.*s%s", (int)length, rest, is_one_by_one ? ", one by one" : "");
    return (size_t)fprintf(out, "%-*.*s%-*s", NAME_COLUMNS, (int)(rest - title), title, columns,
                           what);
}

static int quick_test(FILE *out, const struct result *r, enum test_id test)
{
    const struct preset_row *row = r->plan->row;
    const struct test_result *t = &r->tests[test];
    bool counts = test_counts_operations(test);
    double rate = test_result_rate(t, test) * (counts ? 1 : 1024);
    print_title(out, row->tests[test].title, WHAT_COLUMNS, row->iodepth > 1 && t->iodepth == 1);
    if (!test_result_is_long_enough(t))
        fprintf(out, "%11s\n", "too quick");
    else
        fprintf(out, "%11s%10s%10s   %s\n",
                units_scaled(rate, counts ? UNITS_COUNT : UNITS_BYTES).text,
                test == TEST_IOPS ? units_known_time(t->latency_ns.p50).text : "",
                test == TEST_IOPS ? units_known_time(t->latency_ns.p99).text : "",
                limit_text(t->verdict.least.by));
    return report_end(out);
}

/* What could not be measured says why in its place. */
static int quick_run(FILE *out, const struct result *r)
{
    enum test_id test = 0;
    if (!r->left_out[0])
        return 0;
    while (!r->plan->row->tests[test].title || r->tests[test].measured)
        test++;
    size_t used = print_title(out, r->plan->row->tests[test].title, 0, false);
    fputs(": ", out);
    print_wrapped(out, used + 2, r->left_out);
    return report_end(out);
}

/* "/data: ext4 on vda (Virtio disk), 80.0 GiB of 252 GiB free; 2 CPUs, 23.5 GiB RAM" */
static int quick_header(FILE *out, const struct result *r)
{
    const struct host *h = r->plan->host;
    const struct storage *s = r->storage;
    const char *link = s->facts.link;
    struct label_text t = {""};
    if (s->device) {
        label_add(&t, "%.300s: %s%s%s%s%s; %s%.200s", s->device->name, s->models,
                  s->models[0] ? ", " : "", units_bytes(s->device->bytes).text, *link ? ", " : "",
                  link, *s->device->mounted ? "mounted on " : "not mounted", s->device->mounted);
    } else {
        const char *filesystem = s->sources.mount.filesystem;
        label_add(&t, "%.300s: %s%s%s", r->plan->directory,
                  *filesystem ? filesystem : "a filesystem that is not known",
                  s->sources.devices.name[0] ? " on " : "", s->sources.devices.name);
        if (s->models[0] || *link)
            label_add(&t, " (%s%s%s)", s->models, s->models[0] && *link ? ", " : "", link);
        if (h->filesystem_bytes > 0)
            label_add(&t, ", %s of %s free", units_bytes(h->free_bytes).text,
                      units_bytes(h->filesystem_bytes).text);
    }
    label_add(&t, "; %u CPU%s, %s RAM", h->cpus, h->cpus == 1 ? "" : "s",
              units_bytes(h->ram_bytes).text);
    label_print(out, "", &t);
    fprintf(out, "\n%*s%11s%10s%10s   %s\n", NAME_COLUMNS + WHAT_COLUMNS, "", "per second", "p50",
            "p99", "limited by");
    return report_end(out);
}

static bool is_memory(const struct result *r)
{
    return filesystem_is_memory(r->storage->sources.filesystem);
}

/* How long it took, how much was written, and what the page cache had to do with the figures:
 * "24 s, 1.80 GiB written, past the page cache (seen)." */
static void print_cost(FILE *out, const struct result runs[], size_t count, uint64_t written)
{
    const struct test_result *reading = NULL;
    struct label_text direct = {""};
    struct label_text t = {""};
    for (size_t i = 0; i < count; i++)
        if (runs[i].tests[TEST_GET_BLOCK].measured)
            reading = &runs[i].tests[TEST_GET_BLOCK];
    bool is_direct = !reading || reading->direct.asked;
    bool was_seen = is_direct && direct_words(&direct, runs, count) == DIRECT_YES && *direct.text;
    bool only_reads = runs[0].plan->reads_only && !is_memory(&runs[0]);
    label_add(&t, "%.0f s", (double)(runs[count - 1].ended_ns - runs[0].begun_ns) / 1e9);
    if (runs[count - 1].ended_by)
        label_add(&t, ", ended by a signal");
    if (!only_reads)
        label_add(&t, ", %s written%s. ", units_scaled((double)written, UNITS_BYTES).text,
                  was_seen ? ", past the page cache (seen)" : "");
    if (is_memory(&runs[0]))
        label_add(&t, "%s is memory: these are figures of no device.",
                  runs[0].storage->sources.filesystem);
    else if (only_reads)
        label_add(&t, ". Nothing was written, so what was read could not be checked.");
    else if (is_direct && !was_seen)
        label_add(&t, "%s", direct.text);
    else if (!is_direct) {
        char verdict[LIMIT_SENTENCE];
        limit_sentence(verdict, &reading->verdict.least, &reading->verdict.most);
        label_add(&t, "O_DIRECT does not work here: pages were evicted");
        if (reading->cache.known)
            label_add(&t, ", and %.0f %% of the data was cached when reading began",
                      reading->cache.resident_percent_before);
        label_add(&t, ". %s Writes at random places went to memory first.", verdict);
    }
    label_print(out, "", &t);
}

/* Limits of control groups: on bytes and operations, each read and written, and on CPU time. */
#define QUOTAS_PRINTED (IO_LIMIT_KINDS + 1)

/* Explains the limits that are not the machine's own, if a row has them. */
static void print_limits(FILE *out, const struct result runs[], size_t count)
{
    bool has[LIMITED_COUNT] = {false}, is_pretended = false;
    struct verdict limits[QUOTAS_PRINTED] = {{0}};
    for (size_t i = 0; i < count * TEST_COUNT; i++) {
        const struct test_result *t = &runs[i / TEST_COUNT].tests[i % TEST_COUNT];
        if (!test_result_is_long_enough(t))
            continue;
        has[t->verdict.least.by] = true;
        is_pretended |= t->verdict.least.reason == REASON_NOT_SYNCED;
        for (size_t k = 0; t->verdict.least.by == LIMITED_LIMIT && k < QUOTAS_PRINTED; k++) {
            if (!limits[k].is_known)
                limits[k] = t->verdict;
            else if (!verdict_join(&limits[k], &t->verdict))
                continue;
            break;
        }
    }
    for (size_t k = 0; k < QUOTAS_PRINTED && limits[k].is_known; k++) {
        char sentence[LIMIT_SENTENCE], text[LIMIT_SENTENCE + 8];
        limit_sentence(sentence, &limits[k].least, &limits[k].most);
        snprintf(text, sizeof text, "limit: %s", sentence);
        print_wrapped(out, 0, text);
    }
    if (is_pretended)
        print_wrapped(out, 0, "Durable: syncs reached no drive: nothing is durable.");
    if (has[LIMITED_OTHERS])
        print_wrapped(out, 0,
                      "others: other programs had the CPUs or the device meanwhile. On an idle "
                      "machine these rows would be faster.");
    if (has[LIMITED_UNKNOWN])
        print_wrapped(out, 0, "not known: nothing that was watched explains the figure.");
}

/* The command for a figure to rely on, of a size that suits this machine, below what it is for. */
static void print_command(FILE *out, const struct plan *p)
{
    const struct host *h = p->host;
    const char *directory = p->directory;
    uint64_t size = round_up(2 * h->ram_bytes, GIB);
    bool fits = size > 0 && size <= h->free_bytes / 10 * 9;
    char amount[UNITS_TEXT];
    if (strchr(directory, '\'') || !is_printable(directory))
        directory = p->is_device ? "DEVICE" : "DIR";
    const char *quote = strpbrk(directory, " \"$&;()<>|*?[{!#~`\\") ? "'" : "";
    units_format_chunk(amount, fits ? size : units_round_down(h->free_bytes / 2));
    if (!p->is_device)
        fprintf(out, "The same rows, longer:  bonnie --time=10m -s %s", amount);
    else if (p->reads_only)
        fputs("Writing, too, which destroys what is there:  bonnie --write --yes", out);
    else
        fputs("A figure to rely on:  bonnie --write --yes --tests=iops --steady-state", out);
    fprintf(out, " %s%s%s\n", quote, printable(directory).text, quote);
}

static int quick_all(FILE *out, const struct result runs[], size_t count)
{
    const struct plan *p = runs[0].plan;
    uint64_t written = 0;
    char text[160];
    for (size_t i = 0; i < count; i++) {
        written += runs[i].tests[TEST_PUT_BLOCK].bytes;
        if (runs[i].plan->iops.write_percent > 0)
            written += runs[i].tests[TEST_IOPS].bytes;
    }
    fputc('\n', out);
    print_cost(out, runs, count, written);
    facts_print(out, "", &runs[0].storage->facts);
    print_limits(out, runs, count);
    snprintf(text, sizeof text, "Not shown: the speed after %s, or after a day of writing.",
             units_scaled((double)written, UNITS_BYTES).text);
    if (is_memory(&runs[0]))
        print_wrapped(out, 0, "For figures of a drive, name a directory on one.");
    else if (!p->reads_only)
        print_wrapped(out, 0, text);
    if (!is_memory(&runs[0]) && (p->is_device || !p->is_longer))
        print_command(out, p);
    return extra_tables(out, runs, count);
}

const struct report_ops report_quick = {
    .name = "quick",
    .header = quick_header,
    .test = quick_test,
    .run = quick_run,
    .all = quick_all,
};
