#include "bonload/targets/profile/beside.h"

#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "sys/stop.h"

/* Work that begins late catches up, but by no more than this many periods. */
#define LATE_PERIODS 10

static void *work_on(void *context)
{
    struct beside *b = context;
    uint64_t due_ns = clock_ns();
    stop_block_signals();
    while (!atomic_load(&b->is_ending)) {
        uint64_t begin_ns = clock_ns();
        int code = actor_do(&b->actor, b->work->steps);
        uint64_t end_ns = clock_ns();
        if (code != 0) {
            atomic_store(&b->failure, failure_of((enum target_step)b->actor.step, code));
            stop_request();
            break;
        }
        gauge_add(&b->gauge, end_ns - begin_ns, end_ns);
        due_ns += b->work->period_ns;
        if (due_ns + LATE_PERIODS * b->work->period_ns < end_ns)
            due_ns = end_ns;
        while (!atomic_load(&b->is_ending) && clock_ns() < due_ns)
            event_wait(&b->ends, event_look(&b->ends), due_ns);
    }
    return NULL;
}

int beside_begin(struct beside *b, const struct profile_work *work, struct acts *acts,
                 uint64_t limit_ns, uint64_t stream, struct err *e)
{
    b->work = work;
    int rc = gauge_open(&b->gauge, limit_ns, e);
    if (rc == 0)
        rc = actor_open(&b->actor, acts, stream, e);
    if (rc != 0)
        return rc;
    int code = pthread_create(&b->thread, NULL, work_on, b);
    b->has_thread = code == 0;
    return code ? err_system(e, code, "start a thread") : 0;
}

void beside_end(struct beside *b)
{
    if (!b->has_thread)
        return;
    atomic_store(&b->is_ending, true);
    event_happens(&b->ends, EVENT_WAKES_ALL);
    pthread_join(b->thread, NULL);
    b->has_thread = false;
}

void beside_close(struct beside *b)
{
    beside_end(b);
    actor_close(&b->actor);
    gauge_close(&b->gauge);
}
