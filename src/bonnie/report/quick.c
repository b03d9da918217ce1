// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bonnie/preset.h"
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "storage/block_device.h"
#include "util/printable.h"
#include "util/units.h"

/*
 * The table of the short look: a line for each test of each row, what the page cache had to do with
 * it, what it does not show, and the command that shows it.
 */

#define NAME_COLUMNS 9
#define WHAT_COLUMNS 27

static void print_row(FILE *out, const struct result *r)
{
    const struct preset_row *row = r->plan->row;
    if (r->left_out[0]) {
        fprintf(out, "%-*s%s: ", NAME_COLUMNS, row->name, row->part);
        print_wrapped(out, NAME_COLUMNS + strlen(row->part) + 2, r->left_out);
        return;
    }
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        const bool has_latency = test == TEST_IOPS;
        char what[64];
        if (!t->measured)
            continue;
        if (test == TEST_SEQ_CREATE || test == TEST_SEQ_DEL)
            snprintf(what, sizeof what, test == TEST_SEQ_CREATE ? "created" : "removed");
        else if (test == TEST_IOPS)
            snprintf(what, sizeof what, "%s", row->part);
        else
            snprintf(what, sizeof what, "%s, %u in flight", row->part, t->iodepth);
        fprintf(out, "%-*s%-*s", NAME_COLUMNS, row->name, WHAT_COLUMNS, what);
        if (!test_result_is_long_enough(t)) {
            fprintf(out, "%11s\n", "+++++");
            continue;
        }
        bool counts = test_counts_operations(test);
        double rate = test_result_rate(t, test) * (counts ? 1 : 1024);
        fprintf(
            out, "%11s%10s%10s   %s\n", units_scaled(rate, counts ? UNITS_COUNT : UNITS_BYTES).text,
            has_latency ? units_time(t->latency_ns.p50).text : "",
            has_latency ? units_time(t->latency_ns.p99).text : "", limit_name(t->verdict.least.by));
    }
}

/* "/data: ext4 on vda (Virtio disk), 80.0 GiB of 252 GiB free; 2 CPUs, 23.5 GiB RAM" */
static void print_heading(FILE *out, const struct result *r)
{
    const struct host *h = r->plan->host;
    const struct storage *s = r->storage;
    char text[PRINTABLE_TEXT];
    char of_free[UNITS_TEXT];
    char of_all[UNITS_TEXT];
    char room[2 * UNITS_TEXT + 16] = "";
    char ram[UNITS_TEXT];
    bool has_model = s->models[0];
    units_format_readable(of_free, h->free_bytes);
    units_format_readable(of_all, h->filesystem_bytes);
    units_format_readable(ram, h->ram_bytes);
    if (h->filesystem_bytes > 0)
        snprintf(room, sizeof room, ", %s of %s free", of_free, of_all);
    if (s->device) {
        units_format_readable(of_all, s->device->bytes);
        snprintf(text, sizeof text, "%.300s: %s%s%s; %s%.200s; %u CPU%s, %s RAM", s->device->name,
                 s->models, has_model ? ", " : "", of_all,
                 *s->device->mounted ? "mounted on " : "not mounted", s->device->mounted, h->cpus,
                 h->cpus == 1 ? "" : "s", ram);
    } else
        snprintf(text, sizeof text, "%.300s: %s%s%s%s%s%s%s; %u CPU%s, %s RAM", r->plan->directory,
                 s->sources.mount.filesystem[0] ? s->sources.mount.filesystem
                                                : "an unknown filesystem",
                 s->sources.devices.name[0] ? " on " : "", s->sources.devices.name,
                 has_model ? " (" : "", s->models, has_model ? ")" : "", room, h->cpus,
                 h->cpus == 1 ? "" : "s", ram);
    print_wrapped(out, 0, text);
    for (unsigned i = 0; i < s->facts.count && i < FACT_PRINTED; i++)
        print_wrapped(out, 0, printable(s->facts.list[i].text).text);
    fprintf(out, "\n%*s%11s%10s%10s   %s\n", NAME_COLUMNS + WHAT_COLUMNS, "", "per second",
            "median", "p99", "limited by");
}

static bool is_memory(const struct result *r)
{
    return filesystem_is_memory(r->storage->sources.filesystem);
}

/* Says what the page cache can have had to do with the figures. */
static void print_cache(FILE *out, const struct result runs[], size_t count)
{
    const struct test_result *reading = NULL;
    char text[400];
    char verdict[LIMIT_SENTENCE];
    char cached[64] = "";
    for (size_t i = 0; i < count; i++)
        if (runs[i].tests[TEST_GET_BLOCK].measured)
            reading = &runs[i].tests[TEST_GET_BLOCK];
    if (is_memory(&runs[0])) {
        snprintf(text, sizeof text, "%s is memory: these are figures of no device.",
                 runs[0].storage->sources.filesystem);
    } else if (!reading || reading->direct.asked) {
        direct_text(text, runs, count);
    } else {
        limit_sentence(verdict, &reading->verdict.least, &reading->verdict.most);
        if (reading->cache.known)
            snprintf(cached, sizeof cached,
                     ", and %.0f %% of the data was cached when reading began",
                     reading->cache.resident_percent_before);
        snprintf(text, sizeof text,
                 "O_DIRECT does not work here: pages were evicted%s. %s Writes at random places "
                 "went to memory first.",
                 cached, verdict);
    }
    if (*text)
        print_wrapped(out, 0, text);
}

/* Explains the limits that are not the machine's own, if a row has them. */
static void print_limits(FILE *out, const struct result runs[], size_t count)
{
    bool has[LIMITED_COUNT] = {false};
    bool is_pretended = false;
    for (size_t i = 0; i < count * TEST_COUNT; i++) {
        const struct test_result *t = &runs[i / TEST_COUNT].tests[i % TEST_COUNT];
        has[t->verdict.least.by] |= t->measured;
        is_pretended |= t->measured && t->verdict.least.reason == REASON_NOT_SYNCED;
    }
    if (is_pretended)
        print_wrapped(out, 0, "Durable: syncs reached no drive: nothing is durable.");
    if (has[LIMITED_OTHERS])
        print_wrapped(out, 0,
                      "others: other programs had the CPUs or the device meanwhile. On an idle "
                      "machine these rows would be faster.");
    if (has[LIMITED_UNKNOWN])
        print_wrapped(out, 0, "unknown: nothing that was watched explains the figure.");
}

/* Ends with the command for a figure to rely on, of a size that suits this machine. */
static void print_summary(FILE *out, const struct result runs[], size_t count)
{
    const struct plan *p = runs[0].plan;
    const struct host *h = p->host;
    const char *directory = p->directory;
    uint64_t written = 0;
    char text[320];
    char amount[UNITS_TEXT];
    for (size_t i = 0; i < count; i++) {
        written += runs[i].tests[TEST_PUT_BLOCK].bytes;
        if (runs[i].plan->iops.write_percent > 0)
            written += runs[i].tests[TEST_IOPS].bytes;
    }
    units_format_readable(amount, written);
    double seconds = (double)(runs[count - 1].ended_ns - runs[0].begun_ns) / 1e9;
    if (is_memory(&runs[0]))
        snprintf(text, sizeof text,
                 "%.0f s, %s written. For figures of a drive, name a directory on one.", seconds,
                 amount);
    else if (p->reads_only)
        snprintf(text, sizeof text,
                 "%.0f s. Nothing was written, so what was read could not be checked. Writing, "
                 "which destroys what is there, is measured by",
                 seconds);
    else
        snprintf(
            text, sizeof text,
            "%.0f s, %s written. A short look: it does not show how fast the drive is after more "
            "than %s (its own cache may be full by then), nor after a day of writing. For a "
            "figure to rely on:",
            seconds, amount, amount);
    print_wrapped(out, 0, text);
    if (is_memory(&runs[0]))
        return;
    uint64_t size = round_up(2 * h->ram_bytes, GIB);
    bool fits = size > 0 && size <= h->free_bytes / 10 * 9;
    uint64_t most_k = h->free_files / 2 / 1024; /* -n counts thousands of files, of 1024 */
    units_format_chunk(text, fits ? size : units_round_down(h->free_bytes / 2));
    if (strchr(directory, '\'') || !is_printable(directory))
        directory = p->is_device ? "DEVICE" : "DIR";
    const char *quote = strpbrk(directory, " \"$&;()<>|*?[{!#~`\\") ? "'" : "";
    if (p->is_device)
        fprintf(out, "    bonnie --write --yes%s %s%s%s\n",
                p->reads_only ? "" : " --tests=iops --steady-state", quote,
                printable(directory).text, quote);
    else
        fprintf(out, "    bonnie -d %s%s%s%s -s %s -n %u\n", quote, printable(directory).text,
                quote, fits || !p->direct ? "" : " -D", text, most_k < 16 ? (unsigned)most_k : 16);
}

static int quick_all(FILE *out, const struct result runs[], size_t count)
{
    print_heading(out, &runs[0]);
    for (size_t i = 0; i < count; i++)
        print_row(out, &runs[i]);
    fputc('\n', out);
    print_cache(out, runs, count);
    print_limits(out, runs, count);
    print_summary(out, runs, count);
    extra_tables(out, runs, count);
    return report_end(out);
}

const struct report_ops report_quick = {
    .name = "quick",
    .all = quick_all,
};
