// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "boncut/methods/method.h"
#include "boncut/verdict.h"
#include "util/printable.h"
#include "util/units.h"

static void print_row(FILE *out, const char *name, uint64_t promises, const struct tally *t)
{
    fprintf(out, "%-13s %10" PRIu64 " %7" PRIu64, name, promises, t->units);
    for (unsigned i = 0; i < FOUND_UNKNOWN; i++)
        fprintf(out, " %7" PRIu64, t->found[i]);
    fputc('\n', out);
}

static void print_table(const struct check *c, FILE *out)
{
    const struct ledger *l = &c->ledger;
    struct tally sum;
    fprintf(out, "%-13s %10s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "Method", "Promises", "Units",
            "Kept", "Lost", "Foreign", "Torn", "Missing", "Back", "Size", "Unread");
    for (unsigned method = 0; method < METHODS; method++)
        if (l->units[method] && method_promises(method))
            print_row(out, methods[method].name, l->promises[method], &c->findings.methods[method]);
    findings_sum(&c->findings, &sum);
    print_row(out, "Sum", ledger_promises(l), &sum);
    if (sum.found[FOUND_UNKNOWN] > 0)
        fprintf(out, "%" PRIu64 " units are unknown: a later call failed.\n",
                sum.found[FOUND_UNKNOWN]);
    fputc('\n', out);
    for (unsigned i = 0; i < LAST_SECONDS; i++)
        fprintf(out,
                "Last promised in the last %u s of the log: %" PRIu64 " units, %" PRIu64
                " of them not as promised\n",
                i + 1, sum.last[i].units, sum.last[i].lost);
}

static void print_controls(const struct check *c, FILE *out)
{
    static const char *const what[] = {"never synced", "never flushed"};
    const unsigned controls[] = {METHOD_CACHED, METHOD_DRIVE};
    for (unsigned i = 0; i < 2; i++) {
        const struct control_tally *t = &c->findings.controls[controls[i]];
        if (!c->ledger.units[controls[i]])
            fprintf(out, "Control group %s: not written, it does not work here\n",
                    methods[controls[i]].name);
        else
            fprintf(
                out, "Control group %s (%s): %" PRIu64 " of %" PRIu64 " blocks lost%s\n",
                methods[controls[i]].name, what[i], t->lost, t->blocks,
                control_counts(c, controls[i])
                    ? t->lost > 0 ? ", as expected of a cut" : ""
                    : ", which shows nothing of the drive: writes are not known to be in place");
    }
}

/* A cut can refute that overwrites are atomic, but never prove it. */
static void print_facts(const struct check *c, FILE *out)
{
    const struct overwrites *o = &c->findings.overwrites;
    const struct ledger *l = &c->ledger;
    char block[UNITS_TEXT];
    units_format_readable(block, l->header.block_bytes);
    if (o->torn > 0)
        fprintf(out,
                "Overwrites of %s are not atomic here: %" PRIu64 " of %" PRIu64
                " that were under way are torn, at %u bytes\n",
                block, o->torn, o->under_way, o->torn_at);
    else
        fprintf(out, "No tear in %" PRIu64 " overwrites that were under way\n", o->under_way);
    if (c->findings.new_names > 0)
        fprintf(out,
                "Of %" PRIu64 " new files that were synced without their directory, %" PRIu64
                " have a name; POSIX promises none\n",
                c->findings.new_names, c->findings.new_names_present);
    if (l->damaged > 0 || l->repeated > 0 || l->unfinished > 0)
        fprintf(out,
                "The log: %" PRIu64 " lines damaged and %" PRIu64
                " repeated, which were ignored%s\n",
                l->damaged, l->repeated, l->unfinished ? "; it ends within a line" : "");
}

static void print_losses(const struct check *c, FILE *out)
{
    const struct findings *f = &c->findings;
    if (f->loss_count > 0)
        fprintf(out, "\nThe first %u that are not known to be as promised:\n", f->loss_count);
    for (unsigned i = 0; i < f->loss_count; i++) {
        const struct loss *l = &f->losses[i];
        fprintf(out, "  %s %s at %" PRIu64 ": %s", methods[l->method].name, l->file,
                l->sight.offset, finding_names[l->sight.finding]);
        if (l->sight.detail)
            fprintf(out, " (%s)", l->sight.detail);
        fprintf(out, ", version %" PRIu64 " promised", l->promised);
        if (l->sight.has_version)
            fprintf(out, ", %" PRIu64 " found", l->sight.found);
        fprintf(out, ", %.3f s before the end of the log\n", (double)l->before_end_us / MILLION);
    }
}

void check_report_text(const struct check *c, FILE *out)
{
    const struct header *h = &c->ledger.header;
    fprintf(out, "%s on %s", h->directory,
            *h->device ? printable(h->device).text : "no block device");
    fprintf(out, ", %s", *h->filesystem ? printable(h->filesystem).text : "unknown filesystem");
    fprintf(out, "%s%s%s; %u workers, blocks of %u bytes\n\n", *h->options ? " (" : "",
            printable(h->options).text, *h->options ? ")" : "", h->workers, h->block_bytes);
    if (!c->is_gone) {
        print_table(c, out);
        print_controls(c, out);
        print_facts(c, out);
        print_losses(c, out);
        fputc('\n', out);
    }
    fprintf(out, "%s: %s\n", verdict_headings[c->verdict], printable(c->reason).text);
}
