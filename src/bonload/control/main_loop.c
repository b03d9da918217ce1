// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/control/main_loop.h"

#include <signal.h>

#include "measure/clock.h"
#include "sys/stop.h"

#define TICK_NS       UINT64_C(10000000)
#define PAUSE_TICK_NS UINT64_C(1000000)
#define MAX_INTERVALS 1200
#define TIMELINE_NS   (BILLION / 10)
#define MAX_TIMELINE  240
#define GRACE_NS      (BILLION / 10) /* in which requests may begin that were due before the end */

/* A run ends after so many failures without a success; with a server, not before HOPELESS_NS. */
#define HOPELESS_ERRORS 100
#define HOPELESS_NS     (10 * BILLION)

_Static_assert((int)LOAD_KINDS <= (int)EXAMINER_KINDS, "reads and writes are judged apart");

void explainer_close(struct explainer *x)
{
    examiner_free(x->examiner);
    examiner_free_boxes(x->boxes, x->box_count);
    tail_trace_close(&x->trace);
    *x = (struct explainer){0};
}

/* Runs in the examiner. */
static void latencies_of_kind(const void *counts, struct histogram *sum)
{
    const struct counted_kind *c = counts;
    recorders_sum_times(&c->run->recorders, c->kind, c->run->rules.has_service, sum);
}

int main_loop_open(struct main_loop *m, struct run *run, struct coordinator *c, struct err *e)
{
    *m = (struct main_loop){.run = run, .coordinator = c};
    backing_open(&m->backing, run);
    cpu_quotas_find(&m->quotas, "");
    m->steps = calloc(1, sizeof *m->steps);
    bool has_memory = m->steps && series_open(&m->series[INTERVALS], BILLION, MAX_INTERVALS) &&
                      series_open(&m->series[TIMELINE], TIMELINE_NS, MAX_TIMELINE);
    int rc = has_memory ? 0 : err_system(e, ENOMEM, "allocate memory for the steps of the run");
    if (rc == 0)
        rc = progress_open(&m->view,
                           run->plan->settings->show_progress && run->plan->stripe.index == 0, e);
    if (rc == 0)
        rc = live_file_open(&m->live, run->plan, e);
    if (rc == 0) {
        c->break_line = progress_clear;
        c->line = &m->view;
    } else {
        main_loop_close(m);
    }
    return rc;
}

void main_loop_close(struct main_loop *m)
{
    m->coordinator->break_line = NULL;
    free(m->steps);
    for (struct series *s = m->series; s < m->series + SERIES; s++)
        series_close(s);
    free(m->view.counted);
    free(m->live.counted);
    if (m->live.csv)
        fclose(m->live.csv);
}

/* Whether the warm-up is over. */
static bool main_loop_counts(const struct main_loop *m)
{
    return m->stage >= STAGE_STEP;
}

/* A request may change something on storage when it ends. */
static void take_reading(const struct main_loop *m, struct reading *now)
{
    reading_take(now, m->backing.is_watched ? &m->backing.sources : NULL, &m->quotas);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        now->changes += load_threads_progress(m->run, kind).ended;
}

static void begin_span(struct main_loop *m, enum span span)
{
    load_threads_begin_span(m->run, span);
    take_reading(m, &m->before[span]);
}

struct reading main_loop_spent(const struct main_loop *m, enum span span)
{
    struct reading now;
    double waited_ns = load_threads_longest_wait(m->run, span);
    take_reading(m, &now);
    struct reading spent = reading_since(&now, &m->before[span]);
    spent.is_direct =
        m->backing.is_direct && m->backing.direct.ways[WAY_WRITTEN].seen == DIRECT_YES;
    spent.busiest.waited_unknown = waited_ns < 0;
    spent.busiest.waited_ns = waited_ns < 0 ? 0 : (uint64_t)waited_ns;
    return spent;
}

/* When the load or the warm-up ends, by clock_ns(); 0: unknown. */
static uint64_t goal_ns(const struct main_loop *m)
{
    const struct plan *p = m->run->plan;
    uint64_t all = p->duration_ns * (p->mode == MODE_SWEEP ? p->settings->sweep_count : 1);
    uint64_t warmup_ns = main_loop_counts(m) ? 0 : p->settings->warmup_ns.value;
    return all > 0 ? m->start_ns + warmup_ns + all : 0;
}

/* Sets the new loads. Reads come first, because the first successful write lets them begin. */
static void set_loads(struct main_loop *m, const uint64_t loads[LOAD_KINDS], uint64_t now_ns)
{
    for (enum load_kind kind = LOAD_KINDS; kind-- > 0;)
        run_set_load(m->run, kind, loads[kind], now_ns);
}

/* Starts all sums at zero, and sets the first load. */
static void begin_sums(struct main_loop *m, uint64_t now_ns)
{
    uint64_t loads[LOAD_KINDS];
    m->start_time_ns = clock_wall_ns();
    m->cpu_ns = cpu_used_ns();
    m->start_ns = m->run->start_ns = now_ns;
    m->backlog = (struct backlog){.looked_ns = now_ns};
    begin_span(m, SPAN_RUN);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (atomic_load(&m->run->loads[kind].is_open))
            atomic_store(&m->run->loads[kind].opened_ns, now_ns);
    controller_begin(&m->controller, m->run->plan, now_ns, loads);
    set_loads(m, loads, now_ns);
}

/* Begins the next step. Whatever is counted from now on belongs to it. */
static void begin_step(struct main_loop *m, uint64_t now_ns)
{
    struct run *run = m->run;
    struct steps *s = m->steps;
    s->current = (struct step_figures){.begin_ns = now_ns};
    failures_copy(&s->failures, &run->failures);
    failures_copy(&s->misses, &run->misses);
    for (unsigned op = 0; run->target->ops && run->target->ops[op]; op++)
        recorders_sum(&run->recorders, LOAD_KINDS + op, &s->before[LOAD_KINDS + op]);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &run->loads[kind];
        recorders_sum(&run->recorders, kind, &s->before[kind]);
        s->due[kind] = load_has_schedule(load)
                           ? arrivals_due(load_schedule(load), &s->cursors[kind], now_ns)
                           : 0;
    }
    begin_span(m, SPAN_STEP);
}

/* Sets the end of the step, whose requests may still be in flight. Further calls do nothing. */
static void stop_step(struct main_loop *m, uint64_t now_ns)
{
    struct steps *s = m->steps;
    struct step_figures *f = &s->current;
    if (f->end_ns != 0)
        return;
    const struct reading spent = main_loop_spent(m, SPAN_STEP);
    f->machine = others_of(&spent, host_cpus(), 0);
    f->end_ns = now_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct arrivals *a = load_schedule(&m->run->loads[kind]);
        if (!load_has_schedule(&m->run->loads[kind]))
            continue;
        double due = (double)(arrivals_due(a, &s->cursors[kind], now_ns) - s->due[kind]);
        f->offered[kind] = a->how == ARRIVAL_CONSTANT
                               ? (double)a->rate / (double)BILLION
                               : due * (double)BILLION / (double)(now_ns - f->begin_ns);
    }
}

/* What the ranks' meeting at the end of a step works on. */
struct step_meeting {
    struct main_loop *loop;
    struct rank_span span;
    struct others machine;
    double offered[LOAD_KINDS];
};

/* Adds a rank's figures. Its clock was compared with rank 0's at the end of the previous step. */
static bool take_step(void *context, unsigned rank, struct bundle_reader *in)
{
    struct step_meeting *m = context;
    const struct ranks *r = &m->loop->coordinator->ranks;
    struct steps *s = m->loop->steps;
    struct step_figures f = s->current;
    if (rank > 0 && !bundle_take(in, &f, sizeof f))
        return false;
    rank_span_add(&m->span, rank_clock_end(r, rank, f.begin_ns), rank_clock_end(r, rank, f.end_ns));
    others_among(&f.machine, ranks_beside(r, rank));
    others_keep_busier(&m->machine, &f.machine);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        m->offered[kind] += f.offered[kind];
        if (rank > 0 && !bundle_take(in, &s->other, sizeof s->other))
            return false;
        if (rank > 0)
            tally_merge(&s->measured[kind], &s->other);
    }
    return true;
}

void tally_add_left(struct tally *t, uint64_t count)
{
    bool has_service = t->service.count > 0;
    for (uint64_t i = 0; i < count; i++) {
        histogram_record(&t->response, MAX_PAUSE_NS);
        if (has_service)
            histogram_record(&t->service, MAX_PAUSE_NS);
    }
}

/* When the load threads have started, but make no requests that count yet. */
static int begin_first_step(struct main_loop *m, struct err *e)
{
    struct explainer *x = m->explainer;
    if (x && x->trace.set != 0) {
        struct examiner_setup setup = {
            .trace = &x->trace,
            .kind_count = LOAD_KINDS,
            .boxes = x->boxes,
            .devices = &m->backing.sources.devices,
            .filesystem = m->backing.sources.mount.filesystem,
            .limit = &m->backing.limit,
            .is_buffered = !m->run->plan->settings->direct,
        };
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            x->counted[kind] = (struct counted_kind){.run = m->run, .kind = kind};
            setup.kinds[kind] = (struct examiner_kind){.workers = m->run->loads[kind].shares,
                                                       .latencies = latencies_of_kind,
                                                       .counts = &x->counted[kind]};
        }
        int rc = examiner_start(&x->examiner, &setup, e);
        if (rc != 0)
            return rc;
    }
    uint64_t now_ns = clock_ns();
    m->stage = STAGE_STEP;
    begin_sums(m, now_ns);
    if (m->run->plan->mode == MODE_RATE && goal_ns(m) != 0)
        atomic_store(&m->run->until_ns, goal_ns(m));
    begin_step(m, now_ns);
    return 0;
}

static void pause_load(struct main_loop *m, enum stage stage, uint64_t now_ns)
{
    run_pause(m->run);
    m->stage = stage;
    m->pause_ns = now_ns;
}

/* In a warm-up: ends it, and begins the first step together with all other ranks. */
static int check_warmup(struct main_loop *m, uint64_t now_ns, struct err *e)
{
    struct meeting meeting = {.name = "Ending the warm-up", .compares_clocks = true};
    if (m->end_ns != 0)
        return 0;
    if (m->stage == STAGE_WARMING) {
        if (now_ns - m->start_ns >= m->run->plan->settings->warmup_ns.value)
            pause_load(m, STAGE_COOLING, now_ns);
        return 0;
    }
    if (load_threads_busy(m->run) > 0 && now_ns - m->pause_ns < MAX_PAUSE_NS)
        return 0;
    int rc = coordinator_meet(m->coordinator, &meeting, e);
    if (rc != 0)
        return rc;
    load_threads_forget(m->run);
    if (m->view.counted)
        memset(m->view.counted, 0, sizeof *m->view.counted);
    m->view.next_ns = m->view.told_failures = 0;
    rc = begin_first_step(m, e);
    if (rc == 0)
        run_resume(m->run);
    return rc;
}

static void end_load(struct main_loop *m, uint64_t now_ns)
{
    if (m->end_ns == 0)
        m->end_ns = now_ns;
    run_end(m->run);
}

/* Ends a step, for which all ranks meet. Requests that are still in flight count as part of it. */
static int end_step(struct main_loop *m, bool is_last, struct err *e)
{
    struct step_meeting ends = {.loop = m, .machine = others_unknown};
    const struct run *run = m->run;
    struct steps *s = m->steps;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct progress p = load_threads_progress(m->run, kind);
        uint64_t left = is_last ? p.begun - p.ended : load_threads_leave(m->run, kind);
        m->left[kind] += is_last ? 0 : left;
        recorders_sum(&run->recorders, kind, &s->measured[kind]);
        tally_subtract(&s->measured[kind], &s->measured[kind], &s->before[kind]);
        tally_add_left(&s->measured[kind], left);
    }
    struct meeting all = {
        .name = "Ending a step", .take = take_step, .context = &ends, .compares_clocks = true};
    if (m->coordinator->ranks.number > 0) {
        bundle_put(&all.mine, &s->current, sizeof s->current);
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
            bundle_put(&all.mine, &s->measured[kind], sizeof s->measured[kind]);
    }
    int rc = coordinator_meet(m->coordinator, &all, e);
    if (rc != 0 || m->coordinator->ranks.number > 0)
        return rc;
    uint64_t begin_ns = ends.span.first_start;
    double elapsed_ns = (double)(ends.span.last_end - begin_ns + 1);
    s->count -= s->count == MAX_STEPS; /* a full list keeps its last place for the last step */
    struct step *step = &s->list[s->count];
    *step = (struct step){
        .start_ns = begin_ns > run->start_ns ? begin_ns - run->start_ns : 0,
        .elapsed_ns = ends.span.last_end - begin_ns,
        .machine = ends.machine,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct tally *t = &s->measured[kind];
        double ended = (double)tally_ended(t) * (double)BILLION / elapsed_ns;
        step->kinds[kind] = (struct step_kind){
            .is_there = run->loads[kind].pace != PACE_NONE,
            .requests = tally_ended(t),
            .errors = t->failed.count,
            .offered = ends.offered[kind] > 0 ? ends.offered[kind] : ended,
            .achieved = (double)t->response.count * (double)BILLION / elapsed_ns,
            .latencies = latencies_of(&t->response),
            .limited_ns = latency_limit_figure(&run->plan->settings->limit, &t->response),
        };
    }
    controller_note(&m->controller, s->count++, step);
    return 0;
}

/* Whether rank 0 decides what all ranks do, so that they exchange their states until the end. */
static bool is_controlled(const struct main_loop *m)
{
    const struct plan *p = m->run->plan;
    bool ends_together = p->mode == MODE_RATE && p->settings->stop_on_bad_rate;
    return plan_has_steps(p) || (ends_together && plan_ranks(p) > 1);
}

/* What a meeting of all ranks about the load works on. */
struct load_meeting {
    struct controller *controller;
    uint64_t now_ns;
    struct standing all;
    struct order order; /* rank 0's, for all ranks */
};

static bool take_standing(void *context, unsigned rank, struct bundle_reader *in)
{
    struct standing *all = &((struct load_meeting *)context)->all;
    struct standing one;
    if (rank == 0) /* comes first */
        return bundle_take(in, all, sizeof *all);
    if (!bundle_take(in, &one, sizeof one))
        return false;
    all->busy += one.busy;
    all->ended += one.ended;
    all->behind += one.behind;
    return true;
}

static void decide_order(void *context)
{
    struct load_meeting *m = context;
    controller_decide(m->controller, &m->all, m->now_ns, &m->order);
}

/* Meets the controller in rank 0, and does what it orders. */
static int obey_controller(struct main_loop *m, uint64_t now_ns, struct err *e)
{
    struct load_meeting look = {.controller = &m->controller, .now_ns = now_ns};
    struct meeting meeting = {.name = "Looking at the load",
                              .take = take_standing,
                              .decide = decide_order,
                              .context = &look,
                              .answer = &look.order,
                              .answer_bytes = sizeof look.order};
    struct standing mine = {
        .busy = load_threads_busy(m->run),
        .ended = m->end_ns != 0,
        .behind = m->is_bad_rate,
        .disturbed = m->steps->current.end_ns != 0 && others_are_busy(&m->steps->current.machine),
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        mine.counts[kind] = recorders_counts(&m->run->recorders, kind);
        mine.progress[kind] = load_threads_progress(m->run, kind);
    }
    bundle_put(&meeting.mine, &mine, sizeof mine);
    int rc = coordinator_meet(m->coordinator, &meeting, e);
    if (rc != 0)
        return rc;
    switch ((enum move)look.order.move) {
    case MOVE_NONE:
        break;
    case MOVE_WINDOW:
        begin_step(m, now_ns);
        atomic_store(&m->run->counts_from_ns, now_ns);
        break;
    case MOVE_PAUSE:
        pause_load(m, STAGE_PAUSE, now_ns);
        stop_step(m, clock_ns()); /* requests began until now */
        break;
    case MOVE_STEP:
        rc = end_step(m, false, e);
        if (rc != 0)
            break;
        now_ns = clock_ns();
        for (unsigned i = 0; m->run->plan->mode == MODE_SEARCH && i < m->run->thread_count; i++) {
            struct load_thread *t = &m->run->threads[i];
            slowest_merge(&m->earlier[t->load->kind], &t->slowest);
            t->slowest.count = 0;
        }
        set_loads(m, look.order.loads, now_ns);
        begin_step(m, now_ns);
        run_resume(m->run);
        m->stage = STAGE_STEP;
        break;
    case MOVE_LAST_STEP:
        rc = end_step(m, true, e);
        m->has_all_steps = true;
        /* fall through */
    case MOVE_END:
        m->all_are_over = true;
        if (m->end_ns == 0)
            end_load(m, now_ns);
    }
    return rc;
}

/* Ends the load after a signal, at the end of its time or its budget, when its rate cannot be kept,
 * or, unless it is controlled, when nothing succeeds: for a server, which may appear, later. */
static void check_end(struct main_loop *m, uint64_t now_ns)
{
    const struct run *run = m->run;
    const struct plan *p = run->plan;
    uint64_t goal = p->mode == MODE_SWEEP || !main_loop_counts(m) ? 0 : goal_ns(m);
    if (stop_signal() && !m->was_stopped) {
        m->was_stopped = true;
        m->all_are_over = true; /* each rank gets the signal, so none has to tell the others */
        end_load(m, now_ns);
    }
    if (goal != 0 && now_ns >= goal && m->end_ns == 0)
        m->end_ns = goal - 1;
    if (goal != 0 && now_ns >= goal + (p->mode == MODE_RATE ? GRACE_NS : 0))
        end_load(m, goal - 1);
    uint64_t exhausted_ns = atomic_load(&run->exhausted_ns);
    if (exhausted_ns != 0 && m->end_ns == 0) { /* threads that sleep have not noticed */
        m->end_ns = exhausted_ns;
        run_wake(m->run);
    }
    if (m->end_ns != 0 || !main_loop_counts(m))
        return;
    if (p->mode == MODE_RATE) {
        backlog_measure(&m->backlog, m->run, now_ns);
        m->is_bad_rate = m->backlog.is_bad && p->settings->stop_on_bad_rate;
    }
    uint64_t patience_ns = run->target->traits & TARGET_FILES ? 0 : HOPELESS_NS;
    if (!is_controlled(m) && !m->has_succeeded && p->max_errors < 100 &&
        now_ns - m->start_ns >= patience_ns) {
        uint64_t errors = 0;
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            const struct counts counts = recorders_counts(&run->recorders, kind);
            m->has_succeeded |= counts.good > 0;
            errors += counts.errors;
        }
        m->is_hopeless = !m->is_bad_rate && !m->has_succeeded && errors >= HOPELESS_ERRORS;
    }
    if (m->is_bad_rate || m->is_hopeless)
        end_load(m, now_ns);
}

/* Only one load on files, in one process, can have levels, and not writes to the page cache. */
static int record_series(struct main_loop *m, uint64_t now_ns, bool is_last, struct err *e)
{
    const struct plan *p = m->run->plan;
    bool is_one_load = (p->target->traits & TARGET_FILES) && !plan_has_steps(p) &&
                       p->curve.count == 0 && m->coordinator->ranks.count == 1;
    if (!main_loop_counts(m))
        return 0;
    uint64_t elapsed_ns = now_ns > m->start_ns ? now_ns - m->start_ns : 0;
    struct counts counts[LOAD_KINDS];
    uint64_t ended = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        counts[kind] = recorders_counts(&m->run->recorders, kind);
        ended += counts[kind].good + counts[kind].errors;
    }
    /* a stop: few requests have ended since the last look, and that soon after it */
    uint64_t passed_ns = elapsed_ns > m->looked_ns ? elapsed_ns - m->looked_ns : 0;
    bool was_stopped = passed_ns >= STOPPED_NS &&
                       ((double)ended - (double)m->looked_ended) * (double)m->looked_ns * 4 <
                           (double)m->looked_ended * (double)passed_ns;
    for (struct series *s = m->series; s < m->series + SERIES; s++) {
        if (was_stopped)
            series_update(s, &m->run->recorders, m->looked_ns, true);
        series_update(s, &m->run->recorders, elapsed_ns, is_last || was_stopped);
    }
    m->looked_ns = elapsed_ns;
    m->looked_ended = ended;
    atomic_store_explicit(&m->run->looked_ns, now_ns, memory_order_relaxed);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        uint64_t bytes = counts[kind].bytes;
        if (!is_last) {
            track_add(&m->tracks[kind], elapsed_ns, bytes);
            continue;
        }
        track_end(&m->tracks[kind], elapsed_ns, bytes);
        bool has_levels = is_one_load && plan_has(p, kind) &&
                          (kind == LOAD_READ || p->settings->direct || p->settings->fsync);
        if (has_levels && levels_find(&m->levels[kind], &m->tracks[kind], e) != 0)
            return -ENOMEM;
    }
    return live_file_update(&m->live, m->run, elapsed_ns, is_last, e);
}

/* Waits until the next tick, and looks at the run. On SIGUSR1, prints the figures so far. */
static int tick(struct main_loop *m, struct err *e)
{
    bool is_pause = m->stage == STAGE_COOLING || m->stage == STAGE_PAUSE;
    const struct timespec length = {.tv_nsec = is_pause ? PAUSE_TICK_NS : TICK_NS};
    sigset_t asked;
    int rc = 0;
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    if (sigtimedwait(&asked, NULL, &length) == SIGUSR1 && m->asked &&
        m->run->plan->stripe.index == 0) {
        progress_clear(&m->view);
        m->asked(m);
    }
    uint64_t now_ns = clock_ns();
    check_end(m, now_ns);
    if (!main_loop_counts(m))
        rc = check_warmup(m, now_ns, e);
    else if (is_controlled(m) && !m->all_are_over)
        rc = obey_controller(m, now_ns, e);
    coordinator_poll(m->coordinator); /* a failure of another rank ends this one, too */
    if (stop_signal()) {
        err_init(e);
        rc = 0;
    } else if (rc == 0) {
        rc = stop_check(e);
    }
    if (rc == 0)
        rc = record_series(m, now_ns, false, e);
    progress_update(&m->view, m->run, now_ns, goal_ns(m));
    return rc;
}

int main_loop_run(struct main_loop *m, struct err *e)
{
    struct run *run = m->run;
    struct explainer *x = m->explainer && m->explainer->trace.set != 0 ? m->explainer : NULL;
    int rc = 0;
    if (x)
        rc = examiner_make_boxes(&x->boxes, x->box_count = run->thread_count, e);
    for (unsigned i = 0; x && rc == 0 && i < run->thread_count; i++)
        run->threads[i].slow = &x->boxes[i]; /* those of one kind follow one another */
    if (rc == 0)
        rc = load_threads_start(run, e);
    if (rc != 0)
        return rc;
    struct meeting start = {.name = "Starting the load", .compares_clocks = true};
    rc = coordinator_meet(m->coordinator, &start, e);
    m->view.told_memory_ns = clock_ns();
    if (rc == 0 && run->plan->settings->warmup_ns.value > 0) {
        atomic_store(&run->most, UINT64_MAX);
        begin_sums(m, clock_ns());
    } else if (rc == 0) {
        bool has_steps = plan_has_steps(run->plan);
        if (has_steps) /* a pause keeps requests from ending before the sums of a step begin */
            run_pause(run);
        rc = begin_first_step(m, e);
        if (has_steps)
            run_resume(run);
    }
    bool is_joint = m->coordinator->ranks.count > 1 && is_controlled(m);
    while (rc == 0 && (atomic_load(&run->loads[LOAD_READ].threads_left) > 0 ||
                       atomic_load(&run->loads[LOAD_WRITE].threads_left) > 0 ||
                       (is_joint && !m->all_are_over)))
        rc = tick(m, e);
    if (rc != 0)
        run_end(run);
    load_threads_join(run);
    if (rc != 0)
        return rc;
    uint64_t now_ns = clock_ns();
    uint64_t exhausted_ns = atomic_load(&run->exhausted_ns);
    uint64_t until_ns = atomic_load(&run->until_ns);
    if (m->end_ns == 0)
        m->end_ns = exhausted_ns ? exhausted_ns : now_ns < until_ns ? now_ns : until_ns - 1;
    if (run->plan->mode == MODE_SWEEP && !m->has_all_steps && main_loop_counts(m)) {
        bool is_alone = m->coordinator->ranks.count == 1;
        stop_step(m, now_ns);
        rc = m->was_stopped && !is_alone ? -EINTR : end_step(m, true, e);
        if (rc == 0 && m->steps->count > 0) /* in rank 0 */
            m->steps->list[m->steps->count - 1].is_cut = true;
        if (stop_signal() && !is_alone) {
            err_init(e); /* after a signal, ranks do not meet to end a step: this is no failure */
            rc = 0;
        }
    }
    if (!main_loop_counts(m))
        load_threads_forget(run);
    if (rc == 0)
        rc = record_series(m, now_ns, true, e);
    progress_clear(&m->view);
    progress_report_failures(&m->view, run); /* those that the last tick did not see */
    m->stage = STAGE_OVER;
    return rc;
}
