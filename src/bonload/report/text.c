// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>

#include "bonload/report/report.h"

/* The report of a load: the answer, the figures that decide it, then what explains them, a line
 * with a label for each. Those of a search or a sweep, of many loads, are told for each step. */

static bool has_ended_requests(const struct result *r, enum load_kind kind)
{
    return tally_ended(&r->figures->kinds[kind].tally) > 0;
}

static uint64_t result_span_ns(const struct result *r)
{
    const struct figures *f = r->figures;
    return f->end_ns > f->start_ns ? f->end_ns - f->start_ns : 0;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* " of 16 KiB": exactly if all were alike. bonload's 4k is 4000 bytes, and told as such. */
static void add_size(struct label_text *l, const struct result *r)
{
    const struct plan *p = r->plan;
    bool writes = plan_has(p, LOAD_WRITE);
    uint64_t bytes = 0;
    uint64_t made = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        bytes += r->figures->kinds[kind].tally.bytes;
        made += r->figures->kinds[kind].tally.response.count;
    }
    if (bytes == 0 || made == 0)
        return;
    uint64_t each = writes && bytes / made > 0 ? p->most_body : bytes / made;
    if (writes ? p->least_body != p->most_body : bytes % made != 0)
        label_add(l, " of %s on average",
                  units_scaled((double)bytes / (double)made, UNITS_BYTES).text);
    else if (each % KIB == 0)
        label_add(l, " of %" PRIu64 " %s", each / (each % MIB == 0 ? MIB : KIB),
                  each % MIB == 0 ? "MiB" : "KiB");
    else
        label_add(l, " of %" PRIu64 " bytes", each);
}

/* What was made, for how long, and on what: "ext4 on loop0", "http://host:80", "null". */
static void print_load(const struct result *r, FILE *out)
{
    const struct figures *f = r->figures;
    const struct backing *watched = r->backing.backing;
    const char *url =
        *r->plan->settings->s3_endpoint ? r->plan->settings->s3_endpoint : r->plan->url;
    const char *host = url ? strstr(url, "://") : NULL;
    const char *place = r->plan->url ? r->plan->url : r->plan->url_source;
    uint64_t span_ns = result_span_ns(r);
    struct label_text l = {""};
    for (enum load_kind kind = LOAD_KINDS; kind-- > 0;) {
        /* "200 reads/s", "187 reads/s (200 asked)", "5.21 k reads/s (4 threads)" */
        const struct kind_result *k = &f->kinds[kind];
        unsigned threads = r->plan->kinds[kind].threads;
        struct units_text asked = units_scaled(k->offered, UNITS_COUNT);
        const struct units_text made = units_scaled(result_good_rate(k), UNITS_COUNT);
        bool is_short = result_good_rate(k) < k->offered && strcmp(made.text, asked.text) != 0;
        if (!has_ended_requests(r, kind))
            continue;
        if (k->offered < 999.5) /* as it was asked: 50, and not 50.0 */
            snprintf(asked.text, sizeof asked.text, "%.3g", k->offered);
        label_add(&l, "%s%s %s/s", *l.text ? " and " : "",
                  is_short || k->offered <= 0 ? made.text : asked.text, load_plurals[kind]);
        if (is_short)
            label_add(&l, " (%s asked)", asked.text);
        if (r->plan->kinds[kind].pace == PACE_CLOSED && r->plan->mode == MODE_THREADS)
            label_add(&l, " (%u thread%s)", threads, threads == 1 ? "" : "s");
    }
    if (!*l.text)
        label_add(&l, "No request has ended");
    add_size(&l, r);
    if (r->is_of_last_load && r->step_count > 0)
        span_ns = r->steps[r->step_count - 1].elapsed_ns;
    label_add(&l, " for %s", units_time(span_ns).text);
    if (r->is_warmup)
        label_add(&l, " (of the warm-up, which does not count)");
    if (r->is_interim)
        label_add(&l, " (the run goes on)");
    else if (f->was_stopped)
        label_add(&l, " (stopped by a signal)");
    else if (r->is_hopeless)
        label_add(&l, " (ended early: nothing had succeeded)");
    else if (f->is_bad_rate)
        label_add(&l, " (ended early: two seconds' worth of requests were overdue)");
    else if (result_error_share(f) > MOST_FAILED)
        label_add(&l, " (%.3g %% of the requests failed)", result_error_share(f));
    if (watched && *watched->sources.filesystem)
        label_add(&l, ": %s%s%s", watched->sources.filesystem,
                  *watched->sources.devices.name ? " on " : "", watched->sources.devices.name);
    else if (host)
        label_add(&l, ": %.*s", (int)(host + 3 - url + (ptrdiff_t)strcspn(host + 3, "/,")), url);
    else
        label_add(&l, ": %s",
                  place && (r->plan->target->traits & TARGET_NAMES) ? printable(place).text
                                                                    : r->plan->target->name);
    print_wrapped(out, 0, l.text);
    if (watched)
        facts_print(out, "", &watched->facts);
}

/* Why the slowest requests were slow, for which -explain-tail asks. */
static void print_tail(const struct result *r, FILE *out)
{
    const char *note = "";
    struct label_text l = {""};
    for (enum load_kind kind = LOAD_KINDS; kind-- > 0;) {
        tail_summary_words(&l, &r->tails[kind], kind == LOAD_READ ? " reads" : " writes");
        *l.text = (char)toupper((unsigned char)*l.text);
        label_print(out, "", &l);
        note = r->tails[kind].is_wanted ? r->tails[kind].note : note; /* the same of both */
    }
    if (*note)
        label_add(&l, "Not everything can be seen: %s.", note);
    label_print(out, "", &l);
    fputs(r->plan->explains_tail ? "\n" : "", out);
}

struct label_text found_words(const struct result *r, enum load_kind kind)
{
    const struct plan *p = r->plan;
    const struct search_answer *answer = &r->figures->kinds[kind].answer;
    const char *reason = found_reasons[answer->why];
    struct label_text l = {""};
    bool is_one = p->settings->search == SEARCH_THREADS && answer->load <= 1;
    enum pace pace = p->kinds[kind].pace;
    if (p->mode != MODE_SEARCH || pace == PACE_NONE || pace == PACE_FOLLOWS)
        return l;
    if (answer->found == FOUND_NONE)
        label_add(&l, "No load keeps");
    else if (answer->load <= 0 || r->step_count == 0)
        label_add(&l, "Not known: no load was seen to keep");
    else
        label_add(&l, "%s%s%s keep%s", answer->found == FOUND_LOAD ? "" : "At least ",
                  search_load(p, answer->load).text,
                  answer->found == FOUND_MOST ? ", which is all that -max-channels allows," : "",
                  is_one || p->settings->search == SEARCH_RATE ? "s" : "");
    label_add(&l, " the %s of %s below %s", latency_limit_name(&p->settings->limit).text,
              load_plurals[kind], units_time(p->settings->limit.nanoseconds).text);
    if (answer->found == FOUND_UNSURE && !*reason)
        label_add(&l, " (not finished: %s)", units_time(result_span_ns(r)).text);
    label_add(&l, "%s%s.", *reason ? ": " : "", reason);
    return l;
}

/* p99 counts as the same up to this multiple of that at the first rate of a sweep. */
#define KNEE 2

static void add_p99(struct label_text *l, const struct step_kind *k)
{
    label_add(l, "%s", k->latencies.p99 > 0 ? units_time(k->latencies.p99).text : "not known: ");
    if (k->latencies.p99 == 0)
        label_add_seen(l, k->requests - k->errors, "", percentile_needs(99));
}

/* A rate of a step, which is its load unless chance made another come due (-arrival=poisson). */
static struct units_text rate_text(const struct step_kind *k, double rate)
{
    struct units_text asked;
    snprintf(asked.text, sizeof asked.text, "%.6g", k->load);
    return fabs(k->offered - k->load) < k->load / 1000 ? asked : units_scaled(rate, UNITS_COUNT);
}

/* "p99 of reads stays at 17.0 ms up to 200/s; at 400/s it is 1.20 s." Without a p99 at the first
 * rate, what was made: "400 writes/s were made, the highest tried; p99 is 20.1 ms." */
static void print_knee(const struct result *r, size_t tried, enum load_kind kind, FILE *out)
{
    const struct step_kind *last = NULL;
    const struct step_kind *over = &r->steps[0].kinds[kind];
    const uint64_t first = over->latencies.p99;
    uint64_t most = 0;
    bool is_made = false;
    struct label_text l = {""};
    if (!over->is_there)
        return;
    for (size_t i = 0; over; i++) {
        uint64_t p99 = over->latencies.p99;
        is_made = over->achieved >= MIN(over->load, over->offered) * .99; /* less may be due */
        if (!is_made || (first > 0 && (p99 == 0 || p99 > KNEE * first)))
            break;
        most = p99 > most ? p99 : most;
        last = over;
        over = i + 1 < tried ? &r->steps[i + 1].kinds[kind] : NULL;
    }
    if (last && first > 0)
        label_add(&l, "p99 of %s stays at %s up to %.6g/s", load_plurals[kind],
                  units_time(most).text, last->load);
    else if (last)
        label_add(&l, "%s %s/s were made", rate_text(last, last->achieved).text,
                  load_plurals[kind]);
    if (!over)
        label_add(&l, ", the highest tried%s%s", tried < r->step_count ? " to its end" : "",
                  first == 0 ? "; p99 is " : "");
    else if (is_made)
        label_add(&l, "; at %.6g/s it is ", over->load);
    else
        label_add(&l, "%s%s%s of %s %s/s were made", last ? "; " : "",
                  over->achieved > 0 ? "only " : "none",
                  over->achieved > 0 ? units_scaled(over->achieved, UNITS_COUNT).text : "",
                  rate_text(over, over->offered).text, load_plurals[kind]);
    if (over ? is_made : first == 0)
        add_p99(&l, over ? over : last);
    else if (over && over->errors > 0)
        label_add(&l, ": %" PRIu64 " failed", over->errors);
    label_add(&l, ".");
    if (!last)
        *l.text = (char)toupper((unsigned char)*l.text);
    print_wrapped(out, 0, l.text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct units_text percentile(const struct histogram *h, double percent)
{
    return units_known_time(histogram_known_percentile(h, percent));
}

/* Prints what was made of each kind, and of each operation if there are several. */
static void print_tables(const struct result *r, FILE *out)
{
    fprintf(out, "\n%-6s%10s%10s%7s%7s%10s%10s%10s%10s\n", "", "asked", "made", "errors", "late",
            "p50", "p99", "p99.9", "max");
    for (enum load_kind kind = LOAD_KINDS; kind-- > 0;) {
        const struct kind_result *k = &r->figures->kinds[kind];
        const struct histogram *h = &k->tally.response;
        uint64_t ended = tally_ended(&k->tally);
        char late[UNITS_TEXT] = "-";
        if (ended == 0 && k->begun == 0)
            continue;
        if (k->offered > 0)
            snprintf(late, sizeof late, "%" PRIu64, k->tally.late);
        fprintf(out, "%-6s%10" PRIu64 "%10" PRIu64 "%7" PRIu64 "%7s%10s%10s%10s%10s\n",
                load_plurals[kind], k->due > ended ? k->due : ended, h->count,
                k->tally.failed.count, late, percentile(h, 50).text, percentile(h, 99).text,
                percentile(h, 99.9).text, units_known_time(h->maximum).text);
    }
    if (r->op_count > 0)
        fprintf(out, "\n%-12s%10s%10s%10s%10s%10s\n", "operation", "made", "misses", "errors",
                "p50", "p99");
    for (size_t i = 0; i < r->op_count; i++) {
        const struct tally *t = &r->figures->ops[i];
        if (tally_ended(t) > 0)
            fprintf(out, "%-12s%10" PRIu64 "%10" PRIu64 "%10" PRIu64 "%10s%10s\n",
                    r->plan->target->ops[i], t->response.count - t->misses, t->misses,
                    t->failed.count, percentile(&t->response, 50).text,
                    percentile(&t->response, 99).text);
    }
}

static void print_steps(const struct result *r, FILE *out)
{
    const struct settings *s = r->plan->settings;
    bool is_search = r->plan->mode == MODE_SEARCH;
    const struct units_text figure = latency_limit_name(&s->limit);
    bool has_column = strcmp(figure.text, "p50") == 0 || strcmp(figure.text, "p99") == 0;
    const char *limited = is_search && !has_column ? figure.text : "";
    fprintf(out, "\n%-6s%9s%10s%7s%10s%10s", "",
            is_search && s->search == SEARCH_THREADS ? "threads" : "asked/s", "made/s", "errors",
            "p50", "p99");
    fprintf(out, *limited ? "%10s\n" : "\n", limited);
    for (size_t i = 0; i < r->step_count; i++) {
        for (enum load_kind kind = LOAD_KINDS; kind-- > 0;) {
            const struct step_kind *k = &r->steps[i].kinds[kind];
            if (!k->is_there)
                continue;
            /* A search divides rates: they may have more digits than the column has places. */
            fprintf(out, "%-6s%9.*g%10s%7" PRIu64 "%10s%10s", load_plurals[kind],
                    k->load < 100 ? 3 : 15, k->load < 100 ? k->load : round(k->load),
                    units_scaled(k->achieved, UNITS_COUNT).text, k->errors,
                    units_known_time(k->latencies.p50).text,
                    units_known_time(k->latencies.p99).text);
            if (*limited)
                fprintf(out, "%10s", units_known_time(k->limited_ns).text);
            if (is_search)
                fprintf(out, "  %s%s", verdict_words[k->verdict].name,
                        r->steps[i].is_confirmation ? ", again" : "");
            fputc('\n', out);
        }
    }
}

/* ---- what explains it ------------------------------------------------------------------------ */

/* What limited the kind, and which option would make the figure one of the device. */
static void add_limit(struct label_text *l, const struct result *r, enum load_kind kind)
{
    const struct settings *s = r->plan->settings;
    const struct judgement *j = &r->backing.kinds[kind];
    const char *remedy = kind == LOAD_READ ? (s->direct  ? ""
                                              : s->evict ? "-direct"
                                                         : "-evict or -direct")
                         : s->direct       ? "-fsync"
                         : s->fsync        ? "-direct"
                                           : "-fsync or -direct";
    char sentence[LIMIT_SENTENCE];
    if (!r->backing.is_judged[kind])
        return;
    limit_sentence(sentence, j, j);
    sentence[strlen(sentence) - 1] = '\0'; /* its full stop */
    if (islower((unsigned char)sentence[1]))
        sentence[0] = (char)tolower((unsigned char)sentence[0]);
    label_add(l, "%s: %s", limit_text(j->by), sentence);
    if (*remedy && (j->reason == REASON_READ_FROM_CACHE || j->reason == REASON_NOT_WRITTEN))
        label_add(l, " (%s measures the device)", remedy);
    if (j->direct.asked && j->by != LIMITED_PAGE_CACHE && j->direct.seen == DIRECT_YES)
        label_add(l, "; past the page cache (seen)");
    else if (j->direct.asked && j->direct.seen == DIRECT_NOT_KNOWN)
        label_add(l, "; whether past the page cache is not known: %s", j->direct.reason);
}

/* From so many connections on, if nearly every request needed a new one, although fewer than a
 * tenth as many were in flight at a time, the server does not keep connections alive. */
#define RECONNECTS_LEAST 50

static void add_times(struct label_text *l, const struct histogram *h)
{
    if (h->count > 0)
        label_add(l, "%s on average, p99 %s", units_time((uint64_t)histogram_mean(h)).text,
                  percentile(h, 99).text);
}

/* What is told of each kind, in this order. */
enum explained {
    LIMITED_BY,
    MOVED,
    NOT_BEGUN,
    SERVICE,
    FIRST_BYTE,
    CONNECTIONS,
    LEVELS,
    ERRORS,
    MISSES,
    EXPLAINED
};

static const char *const explained_labels[EXPLAINED] = {
    [LIMITED_BY] = "limited by", [MOVED] = "moved",           [NOT_BEGUN] = "not begun",
    [SERVICE] = "service",       [FIRST_BYTE] = "first byte", [CONNECTIONS] = "connections",
    [LEVELS] = "levels",         [ERRORS] = "errors",         [MISSES] = "misses"};

/* Prints what is told of each kind, and once what is the same of both. */
static void print_explanations(const struct result *r, FILE *out)
{
    struct label_text lines[LOAD_KINDS][EXPLAINED] = {{{""}}};
    bool is_alone = !has_ended_requests(r, LOAD_READ) || !has_ended_requests(r, LOAD_WRITE);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        if (!has_ended_requests(r, kind))
            continue;
        const struct kind_result *k = &r->figures->kinds[kind];
        const struct tally *t = &k->tally;
        double ended = (double)tally_ended(t);
        add_limit(&lines[kind][LIMITED_BY], r, kind);
        if (t->bytes > 0 && k->elapsed > 0)
            label_add(&lines[kind][MOVED], "%s/s, %s in all",
                      units_scaled((double)t->bytes / k->elapsed, UNITS_BYTES).text,
                      units_scaled((double)t->bytes, UNITS_BYTES).text);
        if (k->due > tally_ended(t))
            label_add(&lines[kind][NOT_BEGUN], "%" PRIu64 " of the %" PRIu64 " that came due",
                      k->due - tally_ended(t), k->due);
        if (k->offered > 0) /* otherwise it is the latency */
            add_times(&lines[kind][SERVICE], &t->service);
        add_times(&lines[kind][FIRST_BYTE], &t->first_byte);
        /* by Little's law: the mean number of requests in flight is that which begin during one */
        double in_flight = result_rate(k) * histogram_mean(&t->response) / (double)BILLION;
        if (t->connections > 0) /* whose time does not count as service */
            label_add(&lines[kind][CONNECTIONS], "%" PRIu64 " were made, %s each", t->connections,
                      units_time(t->connect_ns / t->connections).text);
        if (t->connections > 0 && t->tls_ns > 0)
            label_add(&lines[kind][CONNECTIONS], ", of which TLS %s",
                      units_time(t->tls_ns / t->connections).text);
        if (t->connections >= RECONNECTS_LEAST && (double)t->connections * 10 >= ended * 9 &&
            in_flight * 10 < ended)
            label_add(&lines[kind][CONNECTIONS],
                      ": the server closes them after each request, and every request "
                      "paid for a new one");
        levels_words(&lines[kind][LEVELS], &r->levels[kind], 0);
        if (t->failed.count > 0)
            label_add(&lines[kind][ERRORS], "they took %s on average, %s at most",
                      units_time((uint64_t)histogram_mean(&t->failed)).text,
                      units_time(t->failed.maximum).text);
        if (t->misses > 0)
            label_add(&lines[kind][MISSES], "%" PRIu64, t->misses);
    }
    for (enum explained what = 0; what < EXPLAINED; what++) {
        bool is_same = strcmp(lines[LOAD_READ][what].text, lines[LOAD_WRITE][what].text) == 0;
        bool is_one = is_alone || is_same;
        for (enum load_kind kind = LOAD_KINDS; kind-- > 0;) {
            const char *text = lines[kind][what].text;
            struct label_text l = {""};
            if (*text && !(is_same && kind == LOAD_WRITE))
                label_add(&l, "%s%s%s", is_one ? "" : load_plurals[kind], is_one ? "" : ": ", text);
            label_print(out, explained_labels[what], &l);
        }
    }
}

static void print_reasons(const struct reasons_found *r, const char *label, FILE *out)
{
    struct label_text l = {""};
    for (size_t i = 0; i < r->count; i++) {
        label_add(&l, "%" PRIu64 " x %s", r->list[i].count, r->list[i].text);
        label_print(out, label, &l);
    }
    uint64_t others = r->others[LOAD_READ] + r->others[LOAD_WRITE];
    if (others > 0)
        label_add(&l, "%" PRIu64 " x " REASON_OTHERS, others);
    label_print(out, label, &l);
}

static void print_checked(const struct result *r, FILE *out)
{
    const struct figures *f = r->figures;
    struct label_text l = {""};
    if (f->checked_bytes > 0 || f->damaged > 0)
        label_add(&l, "%s read, ", units_scaled((double)f->checked_bytes, UNITS_BYTES).text);
    if (f->damaged > 0)
        label_add(&l, "%" PRIu64 " places damaged", f->damaged);
    else if (*l.text)
        label_add(&l, "none damaged");
    label_print(out, "checked", &l);
}

static void print_rest(const struct result *r, FILE *out)
{
    const struct figures *f = r->figures;
    const struct joint_run *t = &r->together;
    uint64_t all = f->kinds[LOAD_READ].made + f->kinds[LOAD_WRITE].made;
    unsigned hosts = 0;
    struct label_text l = {""};
    if (others_are_busy(&f->machine)) {
        const struct label_text machine = others_words(&f->machine);
        label_add(&l, "%s: the latencies may be theirs",
                  strstr(machine.text, "used")); /* the label says who */
    }
    label_print(out, "others", &l);
    if (f->damaged == 0) /* otherwise it is the first line */
        print_checked(r, out);
    for (unsigned i = 0; t->ranks > 1 && i < t->ranks; i++)
        hosts += t->hosts[i].ranks > 0;
    if (hosts > 0) {
        char starts[STARTS_TEXT];
        starts_text(starts, t->start_spread_ns, t->clock_uncertainty_ns);
        label_add(&l, "%u on %u host%s, which began %s", t->ranks, hosts, hosts == 1 ? "" : "s",
                  starts);
    }
    if (hosts > 1)
        label_add(&l, "; the slowest host was %s", together_slowest(t)->name);
    label_print(out, "ranks", &l);
    if (all > 0 && !plan_has_steps(r->plan)) /* loads of a search or a sweep have no common cost */
        label_add(&l, "%s for each request",
                  units_time((uint64_t)(f->cpu_seconds * (double)BILLION / (double)all)).text);
    label_print(out, "CPU time", &l);
    label_add(&l, "%" PRId64, (int64_t)r->plan->seed);
    label_print(out, "seed", &l);
}

void report_text(const struct result *r, FILE *out)
{
    bool has_steps = plan_has_steps(r->plan);
    bool is_one_load = !has_steps || (r->plan->mode == MODE_SEARCH && r->is_of_last_load);
    size_t tried = r->step_count; /* to their end */
    tried -= tried > 0 && r->steps[tried - 1].is_cut;
    if (r->figures->damaged > 0)
        print_checked(r, out);
    if (has_steps && tried == 0)
        fprintf(out, "Not known: the first load was not tried to its end (%s).\n",
                units_time(result_span_ns(r)).text);
    for (enum load_kind kind = LOAD_KINDS; kind-- > 0 && tried > 0;) {
        struct label_text found = found_words(r, kind);
        label_print(out, "", &found);
        if (r->plan->mode != MODE_SEARCH)
            print_knee(r, tried, kind, out);
    }
    if (r->step_count > 0)
        print_steps(r, out);
    if (is_one_load) {
        fputs(has_steps ? "\n" : "", out);
        print_tail(r, out);
        print_load(r, out);
        print_tables(r, out);
    }
    fputc('\n', out);
    if (is_one_load)
        print_explanations(r, out);
    print_reasons(&r->figures->failures, "error", out);
    print_reasons(&r->figures->misses, "miss", out);
    print_rest(r, out);
}
