// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/report/report.h"

#include "bonload/control/main_loop.h"
#include "measure/clock.h"
#include "sys/stop.h"

bool result_open(struct result *result)
{
    const char *const *ops = result->plan->target->ops;
    while (ops && ops[result->op_count])
        result->op_count++;
    result->figures = calloc(1, sizeof *result->figures);
    if (result->figures)
        result->figures->machine = others_unknown;
    return result->figures;
}

void result_release(struct result *result)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        tail_summary_release(&result->tails[kind]);
    free(result->figures);
    free(result->first_failure);
    free(result->together.hosts);
    *result = (struct result){0};
}

double result_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)tally_ended(&k->tally) / k->elapsed : 0;
}

double result_good_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)k->tally.response.count / k->elapsed : 0;
}

struct units_text search_load(const struct plan *p, double load)
{
    struct units_text text;
    if (p->settings->search == SEARCH_THREADS)
        snprintf(text.text, sizeof text.text, "%.0f thread%s", load, load > 1 ? "s" : "");
    else
        snprintf(text.text, sizeof text.text, "%.20s/s", units_scaled(load, UNITS_COUNT).text);
    return text;
}

static double share_of(uint64_t errors, uint64_t all)
{
    return all > 0 ? 100 * (double)errors / (double)all : 0;
}

double result_error_share(const struct figures *f)
{
    uint64_t all = 0;
    uint64_t errors = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        all += tally_ended(&f->kinds[kind].tally);
        errors += f->kinds[kind].tally.failed.count;
    }
    return share_of(errors, all);
}

int result_check(const struct result *result, struct err *e)
{
    bool is_local = result->plan->target->traits & TARGET_LOCAL;
    if (result->figures->damaged == 0)
        return 0;
    return err_say(e,
                   "the storage returned something other than what was written: %" PRIu64
                   " damaged reads%s",
                   result->figures->damaged,
                   is_local ? "" : "; -verify=off is for a server that does not keep what is put");
}

void reasons_add(struct reasons_found *r, enum load_kind kind, const char *text, uint64_t count)
{
    struct reason new = {.kind = kind};
    snprintf(new.text, sizeof new.text, "%s", text);
    size_t i = 0;
    while (i < r->count && (r->list[i].kind != kind || strcmp(r->list[i].text, new.text) != 0))
        i++;
    if (i == MAX_FAILURES) {
        r->others[kind] += count;
        return;
    }
    if (i == r->count)
        r->list[r->count++] = new;
    r->list[i].count += count;
}

/* Keeps a request if it is one of the slowest. */
static void add_slow(struct slow_results *all, const struct slow_result *slow)
{
    struct slow_result *list = all->list;
    unsigned at = 0;
    while (at < all->count && list[at].response_ns >= slow->response_ns)
        at++;
    if (at == SLOWEST_KEPT)
        return;
    all->count += all->count < SLOWEST_KEPT;
    memmove(&list[at + 1], &list[at], (all->count - 1 - at) * sizeof *list);
    list[at] = *slow;
}

const struct host_result *together_slowest(const struct joint_run *t)
{
    const struct host_result *slowest = t->hosts;
    double longest = -1;
    for (unsigned i = 0; i < t->ranks; i++) {
        double sum = 0; /* of latencies, reads and writes together */
        double count = 0;
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            sum += (double)t->hosts[i].kinds[kind].good_ns;
            count += (double)t->hosts[i].kinds[kind].good;
        }
        double mean = count > 0 ? sum / count : 0;
        if (mean > longest) {
            longest = mean;
            slowest = &t->hosts[i];
        }
    }
    return slowest;
}

double seconds_between(uint64_t begin_ns, uint64_t end_ns)
{
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)BILLION : 0;
}

/* Describes the slowest requests of a kind. Returns false when memory runs out. */
static bool fill_slowest(const struct main_loop *m, enum load_kind kind, struct result *result)
{
    const struct run *run = m->run;
    struct slowest slowest = {0};
    struct slow_results *to = &result->figures->slowest[kind];
    uint64_t since_ns = 0;
    char *name = malloc(run->names.longest + 1);
    if (!name)
        return false;
    if (result->is_of_last_load)
        since_ns = m->steps->current.begin_ns; /* when the last load had settled */
    else
        slowest_merge(&slowest, &m->earlier[kind]);
    for (unsigned i = 0; i < m->run->thread_count; i++)
        if (m->run->threads[i].load->kind == kind)
            slowest_merge(&slowest, &m->run->threads[i].slowest);
    for (const struct slow_request *s = slowest.list; s < slowest.list + slowest.count; s++) {
        if (s->due_ns < since_ns)
            continue;
        struct slow_result *slow = &to->list[to->count++];
        *slow = (struct slow_result){
            .response_ns = s->response_ns,
            .at_seconds = seconds_between(run->start_ns, s->due_ns),
            .op = s->op,
            .outcome = "ok",
        };
        names_show(&run->names, s->number, name);
        snprintf(slow->name, sizeof slow->name, "%s", name);
        if (s->failure != 0)
            run->target->describe(run->shared, s->failure, slow->outcome, sizeof slow->outcome);
    }
    free(name);
    return true;
}

/* Describes all failures, except those in `before`. Returns the first, or NULL. */
static const struct failure *fill_reasons(const struct run *run, const struct failures *f,
                                          const struct failures *before, struct reasons_found *r)
{
    const struct failure *first = NULL;
    char text[REASON_TEXT];
    for (unsigned i = 0; i < MAX_FAILURES; i++) {
        uint64_t count = atomic_load(&f->list[i].count) - atomic_load(&before->list[i].count);
        if (count == 0)
            continue;
        first = first ? first : &f->list[i];
        run->target->describe(run->shared, failure_code(&f->list[i]), text, sizeof text);
        reasons_add(r, failure_kind(&f->list[i]), text, count);
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        r->others[kind] += atomic_load(&f->others[kind]) - atomic_load(&before->others[kind]);
    return first;
}

/* Sets the figures of this rank. Returns false when memory runs out. */
static bool fill_result(struct main_loop *m, struct result *result)
{
    static const struct failures none;
    const struct run *run = m->run;
    struct steps *steps = m->steps;
    uint64_t now_ns = clock_ns();
    uint64_t cpu_ns = cpu_used_ns(); /* before adding up takes its share */
    bool is_last = run->plan->mode == MODE_SEARCH && m->has_all_steps;
    *result = (struct result){
        .plan = run->plan,
        .steps = steps->list,
        .step_count = steps->count,
        .series = m->series,
        .levels = m->levels,
        .start_time_ns = m->start_time_ns,
        .is_of_last_load = is_last,
        .is_exhausted = atomic_load(&run->exhausted_ns) != 0,
        .is_hopeless = m->is_hopeless,
        .is_interim = m->stage != STAGE_OVER,
        .is_warmup = m->stage < STAGE_STEP,
    };
    if (!result_open(result))
        return false;
    struct figures *f = result->figures;
    const struct tally *tallies[LOAD_KINDS];
    f->cpu_seconds = (double)(cpu_ns - m->cpu_ns) / (double)BILLION;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &run->loads[kind];
        struct kind_result *k = &f->kinds[kind];
        uint64_t opened_ns = atomic_load(&load->opened_ns);
        k->begin_ns = opened_ns > 0 && opened_ns < m->start_ns ? m->start_ns : opened_ns;
        k->end_ns = result->is_interim ? now_ns : 0; /* 0: none has ended */
        for (unsigned i = 0; !result->is_interim && i < run->thread_count; i++) {
            const struct load_thread *t = &run->threads[i];
            if (t->load->kind == kind && atomic_load(&t->last_end_ns) > k->end_ns)
                k->end_ns = atomic_load(&t->last_end_ns);
        }
        f->end_ns = k->end_ns > f->end_ns ? k->end_ns : f->end_ns;
        tallies[kind] = &k->tally;
        recorders_sum(&run->recorders, kind, &k->tally);
        k->made = tally_ended(&k->tally) + m->left[kind];
        k->begun = load_threads_progress(m->run, kind).begun;
        if (is_last) {
            tally_subtract(&k->tally, &k->tally, &steps->before[kind]);
            k->begin_ns = steps->current.begin_ns;
            k->end_ns = steps->current.end_ns;
        } else {
            tally_add_left(&k->tally, m->left[kind]);
        }
        k->elapsed = seconds_between(k->begin_ns, k->end_ns);
        k->staggered_ns = m->backlog.staggered_ns[kind];
        if (run->plan->mode != MODE_RATE || load->pace != PACE_RATE || k->begin_ns == 0 ||
            atomic_load(&load->rate) == 0)
            continue;
        /* what became due took a gap for each request or, without constant gaps, until the end */
        const struct arrivals *a = load_schedule(load);
        uint64_t end_ns = m->end_ns ? m->end_ns : now_ns;
        k->due = arrivals_due(a, m->backlog.cursors[kind], end_ns);
        if (end_ns == atomic_load(&run->exhausted_ns) && k->due > k->begun)
            k->due--; /* the budget did not allow the last one */
        bool is_constant = a->how == ARRIVAL_CONSTANT && !a->curve;
        double elapsed = is_constant ? (double)k->due / ((double)a->rate / (double)BILLION)
                                     : seconds_between(k->begin_ns, end_ns);
        k->offered = elapsed > 0 ? (double)k->due / elapsed : 0;
        k->elapsed = elapsed > k->elapsed ? elapsed : k->elapsed;
    }
    const struct failure *first =
        fill_reasons(run, &run->failures, is_last ? &steps->failures : &none, &f->failures);
    fill_reasons(run, &run->misses, is_last ? &steps->misses : &none, &f->misses);
    if (first)
        result->first_failure = run_describe_failure(run, first);
    f->checked_bytes = atomic_load(&run->verified.bytes);
    f->damaged = atomic_load(&run->verified.damaged);
    if (f->end_ns == 0)
        f->end_ns = now_ns;
    f->start_ns = m->start_ns;
    f->was_stopped = m->was_stopped;
    f->is_bad_rate = m->is_bad_rate;
    f->could_read = !run->reads_written || atomic_load(&run->written.last_ok) > 0;
    const struct reading spent = main_loop_spent(m, SPAN_RUN);
    f->machine = others_of(&spent, host_cpus(), 0);
    const struct reading of_step = is_last ? main_loop_spent(m, SPAN_STEP) : spent;
    if (m->backing.is_watched) {
        struct io_limit limit = m->backing.limit;
        m->backing.limit = io_limit_kept(&limit, &m->backing.sources.devices);
        facts_look(&m->backing.facts, &m->backing.sources.mount, &m->backing.sources.devices,
                   others_move_data(&f->machine));
    }
    backing_use(&m->backing, &of_step, tallies, &result->backing);
    for (unsigned i = 0; i < result->op_count; i++) {
        recorders_sum(&run->recorders, LOAD_KINDS + i, &f->ops[i]);
        if (is_last)
            tally_subtract(&f->ops[i], &f->ops[i], &steps->before[LOAD_KINDS + i]);
    }
    return result->is_interim ||
           (fill_slowest(m, LOAD_WRITE, result) && fill_slowest(m, LOAD_READ, result));
}

static size_t figures_bytes(const struct result *r)
{
    return offsetof(struct figures, ops) + r->op_count * sizeof *r->figures->ops;
}

/* Reads what gathering_end() appends. Returns false when it is no result. */
static bool take_result(struct bundle_reader *in, struct result *r)
{
    struct figures *f = r->figures;
    ASSUME(f);
    struct reasons_found *reasons[] = {&f->failures, &f->misses};
    if (!bundle_take(in, f, figures_bytes(r)))
        return false;
    for (unsigned n = 0; n < 2; n++) {
        if (reasons[n]->count > MAX_FAILURES)
            return false;
        for (struct reason *one = reasons[n]->list; one < reasons[n]->list + reasons[n]->count;
             one++) {
            if (one->kind >= LOAD_KINDS)
                return false;
            one->text[REASON_TEXT - 1] = '\0';
        }
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        if (f->slowest[kind].count > SLOWEST_KEPT)
            return false;
        for (unsigned i = 0; i < f->slowest[kind].count; i++) {
            struct slow_result *slow = &f->slowest[kind].list[i];
            if (slow->op > 0 && slow->op >= r->op_count)
                return false;
            slow->outcome[sizeof slow->outcome - 1] = slow->name[sizeof slow->name - 1] = '\0';
        }
    }
    for (struct series *s = r->series; s < r->series + SERIES; s++) {
        if (!bundle_take(in, &s->slice_ns, sizeof s->slice_ns) ||
            !bundle_take(in, &s->count, sizeof s->count) || s->slice_ns == 0 ||
            s->count > s->room || !bundle_take(in, s->slices, s->count * sizeof *s->slices))
            return false;
    }
    return true;
}

/* What rank 0 needs while it receives the results of the others. */
struct gathering {
    const struct ranks *ranks;
    struct result *result;
    struct rank_span span;
    struct rank_span kinds[LOAD_KINDS];
};

/* Adds a rank's figures to its host's, on rank 0's clock, and finds the worst share of failures. */
static void add_rank(struct gathering *g, unsigned rank, const struct figures *f)
{
    struct joint_run *t = &g->result->together;
    const struct rank_card *card = &g->ranks->cards[rank];
    struct host_result *host = &t->hosts[card->host_first];
    uint64_t start = f->start_ns;
    uint64_t end = f->end_ns;
    double share = result_error_share(f);
    rank_clock_span(g->ranks, rank, &start, &end);
    rank_span_add(&g->span, start, end);
    host->ranks++;
    host->cpu_seconds += f->cpu_seconds;
    memcpy(host->name, card->host, sizeof host->name);
    t->clock_uncertainty_ns = MAX(t->clock_uncertainty_ns, card->after.uncertainty_ns);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_result *k = &f->kinds[kind];
        uint64_t first = k->begin_ns;
        uint64_t last = k->end_ns;
        counts_add(&host->kinds[kind], &k->tally);
        host->max_ns[kind] = MAX(host->max_ns[kind], k->tally.response.maximum);
        if (k->begin_ns == 0 || k->end_ns == 0)
            continue;
        rank_clock_span(g->ranks, rank, &first, &last);
        rank_span_add(&g->kinds[kind], first, last);
        rank_span_add(&host->span, first, last);
    }
    if (share > t->worst_share) {
        t->worst_share = share;
        t->worst = rank;
    }
}

static void add_reasons(struct reasons_found *whole, const struct reasons_found *part)
{
    for (size_t i = 0; i < part->count; i++)
        reasons_add(whole, part->list[i].kind, part->list[i].text, part->list[i].count);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        whole->others[kind] += part->others[kind];
}

/* Adds another rank's result. Returns false when memory runs out, or it is no result. */
static bool take_rank(void *context, unsigned rank, struct bundle_reader *brought)
{
    struct gathering *g = context;
    struct result *whole = g->result;
    struct figures *all = whole->figures;
    struct series series[SERIES] = {{0}};
    struct result part = {.plan = whole->plan, .series = series};
    if (rank == 0)
        return true;
    bool is_taken = result_open(&part);
    for (unsigned i = 0; is_taken && i < SERIES; i++)
        is_taken = series_open(&series[i], whole->series[i].slice_ns, whole->series[i].room);
    is_taken = is_taken && take_result(brought, &part);
    struct figures *f = part.figures;
    if (is_taken) {
        uint64_t start = rank_clock_start(g->ranks, rank, f->start_ns);
        /* how much later than rank 0 that rank began, in seconds */
        double ahead = ((double)start - (double)all->start_ns) / (double)BILLION;
        add_rank(g, rank, f);
        others_among(&f->machine, ranks_beside(g->ranks, rank));
        others_keep_busier(&all->machine, &f->machine);
        all->cpu_seconds += f->cpu_seconds;
        all->checked_bytes += f->checked_bytes;
        all->damaged += f->damaged;
        all->was_stopped |= f->was_stopped;
        all->is_bad_rate |= f->is_bad_rate;
        all->could_read |= f->could_read;
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            struct kind_result *k = &all->kinds[kind];
            const struct kind_result *one = &f->kinds[kind];
            struct slow_results *slowest = &f->slowest[kind];
            k->made += one->made;
            k->begun += one->begun;
            k->due += one->due;
            k->offered += one->offered;
            k->staggered_ns = MAX(k->staggered_ns, one->staggered_ns);
            tally_merge(&k->tally, &one->tally);
            for (unsigned i = 0; i < slowest->count; i++) {
                struct slow_result *slow = &slowest->list[i];
                slow->at_seconds = slow->at_seconds + ahead > 0 ? slow->at_seconds + ahead : 0;
                add_slow(&all->slowest[kind], slow);
            }
        }
        for (size_t i = 0; i < whole->op_count; i++)
            tally_merge(&all->ops[i], &f->ops[i]);
        add_reasons(&all->failures, &f->failures);
        add_reasons(&all->misses, &f->misses);
    }
    for (unsigned i = 0; i < SERIES; i++) {
        is_taken = is_taken && series_merge(&whole->series[i], &series[i]);
        series_close(&series[i]);
    }
    result_release(&part);
    return is_taken;
}

/* Sets the result's times to those of all ranks, when all results have come. */
static void end_with_all(void *context)
{
    struct gathering *g = context;
    struct result *r = g->result;
    r->figures->start_ns = g->span.first_start;
    r->figures->end_ns = g->span.last_end;
    r->together.ranks = g->ranks->count;
    r->together.start_spread_ns = g->span.last_start - g->span.first_start;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_result *k = &r->figures->kinds[kind];
        double due = k->offered > 0 ? (double)k->due / k->offered : 0;
        k->elapsed = seconds_between(g->kinds[kind].first_start, g->kinds[kind].last_end);
        if (due > k->elapsed) /* there is one gap for each request */
            k->elapsed = due;
    }
}

/* Combines the results of all ranks in rank 0 when all loads have ended: adds up amounts, and lets
 * times run from the first start to the last end. Takes place even after a signal. */
static int gathering_end(struct coordinator *c, struct result *result, struct err *e)
{
    struct meeting ending = {.name = "Ending", .compares_clocks = true};
    const struct settings *settings = result->plan->settings;
    struct gathering g = {.ranks = &c->ranks, .result = result};
    struct bundle mine = {0};
    if (c->ranks.count == 1)
        return 0;
    int rc = coordinator_meet(c, &ending, e);
    if (rc != 0 && !stop_signal())
        return rc;
    if (rc != 0)
        err_init(e); /* then the clocks are not compared */
    if (c->ranks.number == 0) {
        result->together.hosts = calloc(c->ranks.count, sizeof *result->together.hosts);
        if (!result->together.hosts)
            return err_system(e, ENOMEM, "allocate figures of %u ranks", c->ranks.count);
        add_rank(&g, 0, result->figures);
        others_among(&result->figures->machine, ranks_beside(&c->ranks, 0));
    } else { /* what take_result() reads */
        bundle_put(&mine, result->figures, figures_bytes(result));
        for (const struct series *s = result->series; s < result->series + SERIES; s++) {
            bundle_put(&mine, &s->slice_ns, sizeof s->slice_ns);
            bundle_put(&mine, &s->count, sizeof s->count);
            bundle_put(&mine, s->slices, s->count * sizeof *s->slices);
        }
    }
    char left[PATH_MAX + 80];
    snprintf(left, sizeof left, "; if it was killed, what it wrote as %s is left",
             settings->url ? settings->url : settings->url_source);
    struct meeting all = {.name = "Handing over the figures",
                          .mine = mine,
                          .take = take_rank,
                          .decide = end_with_all,
                          .context = &g,
                          .is_last = true,
                          .left = settings->removes ? left : NULL};
    return coordinator_meet(c, &all, e);
}

int result_make(struct result *result, struct main_loop *m, struct err *e)
{
    int rc = fill_result(m, result) ? 0 : err_system(e, ENOMEM, "allocate memory for the results");
    if (rc == 0 && m->stage == STAGE_OVER)
        rc = gathering_end(m->coordinator, result, e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++) {
        const struct plan *p = result->plan;
        const struct latency_limit *above = &p->settings->fail_above;
        struct kind_result *k = &result->figures->kinds[kind];
        struct examiner *x = m->explainer ? m->explainer->examiner : NULL;
        if (x && !result->is_interim && plan_has(p, kind)) {
            examiner_stop(x); /* waits until all slow requests have been looked at */
            rc = examiner_sum_up(x, kind, tally_service(&k->tally), &result->tails[kind], e);
        }
        if (above->nanoseconds > 0)
            result->is_above |=
                latency_limit_figure(above, &k->tally.response) > above->nanoseconds;
        if (p->mode == MODE_SEARCH && p->stripe.index == 0) {
            const struct counts whole = recorders_counts(&m->run->recorders, kind);
            k->answer = search_answer(&m->controller, kind, &whole);
            bool is_busy = k->answer.found == FOUND_UNSURE && k->answer.why != FOUND_BY_STEPS;
            const struct step_kind none = {.is_there = false};
            const struct step_kind *last =
                result->step_count > 0 ? &result->steps[result->step_count - 1].kinds[kind] : &none;
            /* at the load that was found, or at the last one if none was */
            if (!is_busy && share_of(last->errors, last->requests) > MOST_FAILED &&
                (k->answer.load <= 0 || last->load <= k->answer.load))
                k->answer.why = FOUND_FAILED;
            if (p->kinds[kind].pace == PACE_FOLLOWS)
                k->answer.load = p->kinds[kind].channels;
        }
    }
    if (rc != 0)
        result_release(result);
    return rc;
}
