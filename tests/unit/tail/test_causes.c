// SPDX-License-Identifier: GPL-2.0-or-later
/* What an operation waited for, by events made by hand. The operation lasts from 1000 to 2000
 * ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tail/causes.h"

#define DISK 42
#define SELF 7

#define OP .start_ns = 1000, .end_ns = 2000, .thread = SELF

static const struct tail_op plain = {OP, .sees_all = true};
static const struct tail_op queued = {OP, .sees_all = true, .is_queued = true, .is_sent = true};
static const struct tail_op limited = {OP, .sees_all = true, .is_limited = true};
static const struct tail_op half_blind = {OP, .is_limited = true};

static struct tail_event thread(uint64_t ns, enum tail_kind kind)
{
    return (struct tail_event){.ns = ns, .kind = (uint8_t)kind, .thread = SELF};
}

/* An event about eight sectors. */
static struct tail_event request(uint64_t ns, enum tail_kind kind, uint64_t sector)
{
    return (struct tail_event){.ns = ns,
                               .kind = (uint8_t)kind,
                               .thread = SELF,
                               .device = DISK,
                               .sector = sector,
                               .sectors = 8};
}

struct list {
    const struct tail_event *next;
    const struct tail_event *end;
};

static const struct tail_event *next_of(void *context)
{
    struct list *l = context;
    return l->next < l->end ? l->next++ : NULL;
}

#define CUT(op, ...)                                                                               \
    const struct tail_event events[] = {__VA_ARGS__};                                              \
    struct tail_spans s;                                                                           \
    tail_cut(&s, &(op), next_of, &(struct list){events, events + sizeof events / sizeof *events}); \
    assert_int_equal(sum_of(&s), 1000)

static uint64_t sum_of(const struct tail_spans *s)
{
    uint64_t sum = 0;
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
        sum += s->ns[cause];
    return sum;
}

static void a_read_is_cut_into_its_spans(void **state)
{
    (void)state;
    CUT(plain, request(1100, TAIL_INSERT, 80), thread(1110, TAIL_SLEEP),
        request(1200, TAIL_ISSUE, 80), request(1700, TAIL_COMPLETE, 80), thread(1710, TAIL_WAKE),
        thread(1900, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_PROGRAM], 110 + 100);
    assert_int_equal(s.ns[CAUSE_QUEUE], 90);
    assert_int_equal(s.ns[CAUSE_DEVICE], 500);
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 10); /* complete, but the thread has not been woken yet */
    assert_int_equal(s.ns[CAUSE_CPU], 190);
    assert_int_equal(tail_largest(&s), CAUSE_DEVICE);
}

/* Without some of the events, only what is seen to happen to the operation itself is named. */
static void an_event_that_is_missing_names_nothing(void **state)
{
    (void)state;
    CUT(half_blind, thread(900, TAIL_COMMIT_BEGIN), thread(1100, TAIL_SLEEP),
        thread(1200, TAIL_COMMIT_END), thread(1300, TAIL_FLUSH_BEGIN),
        request(1400, TAIL_ISSUE, 80), thread(1450, TAIL_FLUSH_END),
        request(1500, TAIL_COMPLETE, 80), thread(1600, TAIL_WAKE), thread(1800, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_FLUSH], 50); /* its own request was behind it */
    assert_int_equal(s.ns[CAUSE_DEVICE], 50);
    assert_int_equal(s.ns[CAUSE_CPU], 200);
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 700);
}

static void a_flush_is_an_overlap(void **state)
{
    (void)state;
    const struct tail_event begun = {.ns = 500, .kind = TAIL_FLUSH_BEGIN, .device = DISK};
    const struct tail_event ended = {.ns = 1800, .kind = TAIL_FLUSH_END, .device = DISK};
    CUT(plain, begun, request(1000, TAIL_ISSUE, 80), thread(1000, TAIL_SLEEP), ended,
        request(1900, TAIL_COMPLETE, 80), thread(1900, TAIL_WAKE), thread(1900, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_FLUSH], 800);
    assert_int_equal(s.ns[CAUSE_DEVICE], 100);
    assert_int_equal(s.ns[CAUSE_PROGRAM], 100);
}

static void a_flush_that_ended_before_counts_for_nothing(void **state)
{
    (void)state;
    const struct tail_event begun = {.ns = 500, .kind = TAIL_FLUSH_BEGIN};
    const struct tail_event ended = {.ns = 900, .kind = TAIL_FLUSH_END};
    const struct tail_event again = {
        .ns = 950, .kind = TAIL_FLUSH_END}; /* a flush whose beginning was not seen */
    CUT(plain, begun, ended, again, request(1000, TAIL_ISSUE, 80), thread(1000, TAIL_SLEEP));
    assert_int_equal(s.ns[CAUSE_DEVICE], 1000);
}

/* Until the thread is woken, it waits for the end of its request, and cannot ask for a flush. */
static void a_flush_of_others_does_not_delay_what_is_complete(void **state)
{
    (void)state;
    const struct tail_event begun = {.ns = 1300, .kind = TAIL_FLUSH_BEGIN, .device = DISK};
    CUT(plain, request(1000, TAIL_ISSUE, 80), thread(1000, TAIL_SLEEP),
        request(1300, TAIL_COMPLETE, 80), begun, thread(1600, TAIL_WAKE), thread(1600, TAIL_RUN),
        thread(1700, TAIL_SLEEP));
    assert_int_equal(s.ns[CAUSE_DEVICE], 300);
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 300);
    assert_int_equal(s.ns[CAUSE_PROGRAM], 100);
    assert_int_equal(s.ns[CAUSE_FLUSH], 300); /* it may have asked for this one */
}

static void a_commit_counts_while_no_data_is_on_its_way(void **state)
{
    (void)state;
    CUT(plain, request(1000, TAIL_ISSUE, 80), thread(1000, TAIL_SLEEP),
        thread(1100, TAIL_COMMIT_BEGIN), request(1300, TAIL_COMPLETE, 80),
        thread(1900, TAIL_COMMIT_END));
    assert_int_equal(s.ns[CAUSE_DEVICE], 300);
    assert_int_equal(s.ns[CAUSE_JOURNAL], 600);
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 100);
}

static void what_the_log_writes_is_the_journal(void **state)
{
    (void)state;
    struct tail_event log = request(1200, TAIL_ISSUE, 800);
    log.is_meta = true;
    CUT(plain, thread(1000, TAIL_LOG_WAIT), thread(1000, TAIL_SLEEP), log,
        request(1900, TAIL_COMPLETE, 800));
    assert_int_equal(s.ns[CAUSE_JOURNAL], 1000);
}

static void a_thread_that_wants_a_cpu_waits_for_nothing_else(void **state)
{
    (void)state;
    CUT(plain, request(1000, TAIL_ISSUE, 80), thread(1100, TAIL_PREEMPT), thread(1800, TAIL_RUN),
        thread(1850, TAIL_WAKE));
    assert_int_equal(s.ns[CAUSE_CPU], 700);
    assert_int_equal(s.ns[CAUSE_PROGRAM], 300);
}

static void memory_locks_and_pauses(void **state)
{
    (void)state;
    struct tail_event wants = thread(1300, TAIL_LOCK_BEGIN);
    struct tail_event other = thread(1350, TAIL_LOCK_END);
    struct tail_event has = thread(1600, TAIL_LOCK_END);
    wants.sector = has.sector = 0x1234;
    other.sector = 0x9999;
    CUT(plain, thread(1100, TAIL_RECLAIM_BEGIN), thread(1300, TAIL_RECLAIM_END), wants, other, has,
        thread(1600, TAIL_DIRTY_PAUSE), thread(1610, TAIL_SLEEP), thread(1900, TAIL_WAKE),
        thread(1900, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_RECLAIM], 200);
    assert_int_equal(s.ns[CAUSE_LOCK], 300);
    assert_int_equal(s.ns[CAUSE_WRITEBACK], 290);
    assert_int_equal(s.ns[CAUSE_PROGRAM], 210);
}

static void a_limit_holds_back_what_has_not_reached_the_block_layer(void **state)
{
    (void)state;
    CUT(limited, thread(1000, TAIL_SLEEP), request(1800, TAIL_ISSUE, 80),
        request(1900, TAIL_COMPLETE, 80));
    assert_int_equal(s.ns[CAUSE_GROUP], 800);
    assert_int_equal(s.ns[CAUSE_DEVICE], 100);
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 100);
}

static void a_flush_of_others_does_not_delay_what_a_limit_holds_back(void **state)
{
    (void)state;
    const struct tail_event begun = {.ns = 500, .kind = TAIL_FLUSH_BEGIN, .device = DISK};
    CUT(limited, begun, thread(1000, TAIL_SLEEP), request(1800, TAIL_ISSUE, 80));
    assert_int_equal(s.ns[CAUSE_GROUP], 800);
    assert_int_equal(s.ns[CAUSE_FLUSH], 200);
}

static void an_earlier_request_does_not_hide_a_limit(void **state)
{
    (void)state;
    CUT(limited, request(500, TAIL_INSERT, 40), request(600, TAIL_COMPLETE, 40),
        thread(1000, TAIL_SLEEP), request(1800, TAIL_ISSUE, 80));
    assert_int_equal(s.ns[CAUSE_GROUP], 800);
    assert_int_equal(s.ns[CAUSE_DEVICE], 200);
}

static void of_many_who_are_blamed_the_least_is_forgotten(void **state)
{
    (void)state;
    struct tail_spans s = {0};
    bool has_last = false;
    for (int thread = 1; thread <= TAIL_BLAMED + 1; thread++)
        tail_share_add(s.blamed, TAIL_BLAMED, thread, (uint64_t)thread);
    for (unsigned i = 0; i < TAIL_BLAMED; i++) {
        assert_int_not_equal(s.blamed[i].thread, 1);
        has_last |= s.blamed[i].thread == TAIL_BLAMED + 1;
    }
    assert_true(has_last);
}

static void without_a_limit_that_is_unknown(void **state)
{
    (void)state;
    CUT(plain, thread(1000, TAIL_SLEEP), request(1800, TAIL_ISSUE, 80));
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 800);
    assert_int_equal(s.ns[CAUSE_GROUP], 0);
}

static void a_request_is_complete_when_all_of_it_is(void **state)
{
    (void)state;
    struct tail_event part = request(1200, TAIL_COMPLETE, 80);
    part.sectors = 4;
    struct tail_event rest = part;
    rest.ns = 1700;
    rest.sector = 84;
    CUT(plain, request(1000, TAIL_INSERT, 80), request(1000, TAIL_ISSUE, 80),
        thread(1000, TAIL_SLEEP), part, rest);
    assert_int_equal(s.ns[CAUSE_DEVICE], 700);
}

static void of_queued_operations_the_requests_count_first(void **state)
{
    (void)state;
    CUT(queued, request(1100, TAIL_ISSUE, 80), thread(1200, TAIL_PREEMPT),
        request(1600, TAIL_COMPLETE, 80), thread(1900, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_PROGRAM], 100 + 100);
    assert_int_equal(s.ns[CAUSE_DEVICE], 500);
    assert_int_equal(s.ns[CAUSE_CPU], 300);
}

static void a_queued_operation_without_requests_is_unknown(void **state)
{
    (void)state;
    CUT(queued, thread(1200, TAIL_PREEMPT), thread(1900, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_UNKNOWN], 1000);
}

/* Not its thread, not its requests, nor devices that it has nothing to do with. */
static void what_others_do_counts_for_nothing(void **state)
{
    (void)state;
    const struct device_set none = {.count = 0};
    struct tail_op op = plain;
    struct tail_event begun = request(1200, TAIL_ISSUE, 80);
    struct tail_event same = request(1300, TAIL_ISSUE, 800);
    struct tail_event slept = thread(1400, TAIL_SLEEP);
    begun.thread = same.thread = slept.thread = SELF + 1;
    op.devices = &none;
    CUT(op, request(1000, TAIL_ISSUE, 800), thread(1000, TAIL_SLEEP), begun, same,
        thread(1350, TAIL_FLUSH_BEGIN), request(1500, TAIL_COMPLETE, 80), slept,
        request(1900, TAIL_COMPLETE, 800), thread(1900, TAIL_WAKE), thread(1900, TAIL_RUN));
    assert_int_equal(s.ns[CAUSE_DEVICE], 900);
    assert_int_equal(s.ns[CAUSE_PROGRAM], 100);
}

/* Whoever made its requests: they are where its data is. */
static void a_place_shows_whose_request_it_is(void **state)
{
    (void)state;
    struct tail_op op = queued;
    struct tail_event earlier = request(900, TAIL_ISSUE, 80);
    struct tail_event begun = request(1200, TAIL_ISSUE, 80);
    earlier.thread = begun.thread = SELF + 1;
    op.is_sent = false;
    op.device = DISK;
    op.sector = 84;
    op.sectors = 1;
    CUT(op, earlier, request(1100, TAIL_COMPLETE, 80), begun, request(1700, TAIL_COMPLETE, 80));
    assert_int_equal(s.ns[CAUSE_DEVICE], 500);
}

static void events_at_and_after_the_end_count_for_nothing(void **state)
{
    (void)state;
    CUT(plain, thread(2000, TAIL_SLEEP), thread(3000, TAIL_WAKE));
    assert_int_equal(s.ns[CAUSE_PROGRAM], 1000);
}

static void every_cause_has_a_name_and_words(void **state)
{
    (void)state;
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++) {
        assert_non_null(tail_causes[cause].name);
        assert_non_null(tail_causes[cause].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_is_cut_into_its_spans),
        cmocka_unit_test(an_event_that_is_missing_names_nothing),
        cmocka_unit_test(a_flush_is_an_overlap),
        cmocka_unit_test(a_flush_that_ended_before_counts_for_nothing),
        cmocka_unit_test(a_flush_of_others_does_not_delay_what_is_complete),
        cmocka_unit_test(a_commit_counts_while_no_data_is_on_its_way),
        cmocka_unit_test(what_the_log_writes_is_the_journal),
        cmocka_unit_test(a_thread_that_wants_a_cpu_waits_for_nothing_else),
        cmocka_unit_test(memory_locks_and_pauses),
        cmocka_unit_test(a_limit_holds_back_what_has_not_reached_the_block_layer),
        cmocka_unit_test(a_flush_of_others_does_not_delay_what_a_limit_holds_back),
        cmocka_unit_test(an_earlier_request_does_not_hide_a_limit),
        cmocka_unit_test(of_many_who_are_blamed_the_least_is_forgotten),
        cmocka_unit_test(without_a_limit_that_is_unknown),
        cmocka_unit_test(a_request_is_complete_when_all_of_it_is),
        cmocka_unit_test(of_queued_operations_the_requests_count_first),
        cmocka_unit_test(a_queued_operation_without_requests_is_unknown),
        cmocka_unit_test(what_others_do_counts_for_nothing),
        cmocka_unit_test(a_place_shows_whose_request_it_is),
        cmocka_unit_test(events_at_and_after_the_end_count_for_nothing),
        cmocka_unit_test(every_cause_has_a_name_and_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
