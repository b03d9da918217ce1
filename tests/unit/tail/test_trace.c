// SPDX-License-Identifier: GPL-2.0-or-later
/* From the kernel's pages to the events of one operation. The pages are made by hand. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/clock.h"
#include "tail/history.h"
#include "tail/trace.h"
#include "util/units.h"

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

#define COMMON                                                                                     \
    "format:\n"                                                                                    \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* The text has 8 characters in Linux 6.1, as many as a large number, and 10 in Linux 6.18. */
#define ISSUE_FORMAT(length)                                                                       \
    "name: block_rq_issue\nID: 2104\n" COMMON                                                      \
    "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"                                          \
    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"                                   \
    "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"                            \
    "\tfield:char rwbs[" length "];\toffset:34;\tsize:" length ";\tsigned:0;\n"                    \
    "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n"

static const char issue_format[] = ISSUE_FORMAT("10");
static const char older_issue_format[] = ISSUE_FORMAT("8");

static const char switch_format[] = "name: sched_switch\nID: 372\n" COMMON
                                    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                                    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";

static const char lock_format[] = "name: contention_begin\nID: 200\n" COMMON
                                  "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
                                  "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n";

/* A page under construction. */
struct made {
    unsigned char bytes[4096];
    size_t used;
};

static void put_word(struct made *m, uint32_t word)
{
    memcpy(m->bytes + 16 + m->used, &word, sizeof word);
    m->used += sizeof word;
}

static uint32_t head(unsigned kind, uint32_t delta)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
    return kind | delta << 5;
#else
    return kind << 27 | delta;
#endif
}

static void put_record(struct made *m, uint32_t delta, const void *record, size_t words)
{
    put_word(m, head((unsigned)words, delta));
    memcpy(m->bytes + 16 + m->used, record, words * 4);
    m->used += words * 4;
}

static void end_page(struct made *m, uint64_t ns, uint64_t flags)
{
    uint64_t commit = m->used | flags;
    memcpy(m->bytes, &ns, sizeof ns);
    memcpy(m->bytes + 8, &commit, sizeof commit);
}

static void a_page_is_walked(void **state)
{
    (void)state;
    struct made m = {.used = 0};
    struct tail_page_layout layout;
    struct tail_page page;
    const unsigned char *record;
    size_t bytes;
    put_record(&m, 10, "aaaabbbb", 2);
    put_word(&m, head(30, 5)); /* a long time: 3 << 27, and 5 */
    put_word(&m, 3);
    put_word(&m, head(29, 1)); /* a discarded record, of eight bytes in all */
    put_word(&m, 4);
    put_word(&m, head(0, 7)); /* the length has a field of its own: four bytes and 12 */
    put_word(&m, 16);
    memcpy(m.bytes + 16 + m.used, "ccccddddeeee", 12);
    m.used += 12;
    put_word(&m, head(31, 0)); /* an absolute time, without its highest bits */
    put_word(&m, 8);
    put_record(&m, 1, "ffff", 1);
    end_page(&m, 1000, 0);
    assert_true(tail_page_layout(&layout, header_page));
    assert_true(tail_page_begin(&page, &layout, m.bytes, sizeof m.bytes));
    assert_false(page.follows_loss);
    record = tail_page_next(&page, &bytes);
    assert_memory_equal(record, "aaaabbbb", 8);
    assert_int_equal(bytes, 8);
    assert_int_equal(page.ns, 1010);
    record = tail_page_next(&page, &bytes);
    assert_memory_equal(record, "ccccddddeeee", 12);
    assert_int_equal(bytes, 12);
    assert_int_equal(page.ns, 1010 + 5 + (UINT64_C(3) << 27) + 7);
    record = tail_page_next(&page, &bytes);
    assert_memory_equal(record, "ffff", 4);
    assert_int_equal(page.ns, (UINT64_C(8) << 27) + 1);
    assert_null(tail_page_next(&page, &bytes));
}

static void lost_events_are_told(void **state)
{
    (void)state;
    struct made m = {.used = 0};
    struct tail_page_layout layout;
    struct tail_page page;
    uint64_t lost = 123;
    put_record(&m, 10, "aaaabbbb", 2);
    memcpy(m.bytes + 16 + m.used, &lost, sizeof lost);
    end_page(&m, 1000, UINT64_C(3) << 30);
    tail_page_layout(&layout, header_page);
    assert_true(tail_page_begin(&page, &layout, m.bytes, sizeof m.bytes));
    assert_true(page.follows_loss);
    assert_int_equal(page.lost, 123);
}

static void a_loss_without_a_count_is_one_event_at_least(void **state)
{
    (void)state;
    struct made m = {.used = 0};
    struct tail_page_layout layout;
    struct tail_page page;
    put_record(&m, 10, "aaaabbbb", 2);
    end_page(&m, 1000, UINT64_C(1) << 31);
    tail_page_layout(&layout, header_page);
    assert_true(tail_page_begin(&page, &layout, m.bytes, sizeof m.bytes));
    assert_true(page.follows_loss);
    assert_int_equal(page.lost, 1);
}

static void a_broken_page_ends(void **state)
{
    (void)state;
    struct tail_page_layout layout;
    struct tail_page page;
    size_t bytes;
    tail_page_layout(&layout, header_page);
    for (unsigned kind = 0; kind < 32; kind++) {
        struct made m = {.used = 0};
        put_word(&m, head(kind, 1));
        put_word(&m, UINT32_MAX);
        end_page(&m, 1000, 0);
        assert_true(tail_page_begin(&page, &layout, m.bytes, sizeof m.bytes));
        const unsigned char *record = tail_page_next(&page, &bytes);
        assert_true(!record || bytes <= 4);
        assert_null(tail_page_next(&page, &bytes));
    }
    struct made m = {.used = 4096}; /* longer than what was read */
    end_page(&m, 1000, 0);
    assert_false(tail_page_begin(&page, &layout, m.bytes, sizeof m.bytes));
    assert_false(tail_page_begin(&page, &layout, m.bytes, 8));
}

static unsigned index_of(const char *path)
{
    unsigned i = 0;
    while (i < TAIL_EVENTS && strcmp(tail_event_path(i), path) != 0)
        i++;
    assert_true(i < TAIL_EVENTS);
    return i;
}

static void learn(struct tail_decoder *d)
{
    memset(d, 0, sizeof *d);
    assert_true(tail_decoder_learn(d, index_of("block/block_rq_issue"), issue_format));
    assert_true(tail_decoder_learn(d, index_of("sched/sched_switch"), switch_format));
}

static void put_number(unsigned char *record, size_t at, uint64_t value, size_t size)
{
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    const void *from = size == 2 ? (void *)&two : size == 4 ? (void *)&four : (void *)&value;
    memcpy(record + at, from, size);
}

static void requests_and_flushes_of(const struct tail_decoder *d)
{
    struct tail_event events[2];
    unsigned char record[64] = {0};
    put_number(record, 0, 2104, 2);
    put_number(record, 4, 77, 4);
    put_number(record, 8, tail_device(7, 1), 4);
    put_number(record, 16, 4096, 8);
    put_number(record, 24, 8, 4);
    memcpy(record + 34, "WSM", 3);
    assert_int_equal(tail_decode(d, record, sizeof record, 5, events), 1);
    assert_int_equal(events[0].kind, TAIL_ISSUE);
    assert_int_equal(events[0].ns, 5);
    assert_int_equal(events[0].thread, 77);
    assert_int_equal(events[0].device, 7 << 20 | 1);
    assert_int_equal(events[0].sector, 4096);
    assert_int_equal(events[0].sectors, 8);
    assert_true(events[0].is_meta);
    put_number(record, 24, 0, 4);
    assert_int_equal(tail_decode(d, record, sizeof record, 5, events), 0); /* moves no data */
    memcpy(record + 34, "FWS", 3);
    assert_int_equal(tail_decode(d, record, sizeof record, 5, events), 0); /* its flush is over */
    memcpy(record + 34, "FF\0", 3);
    assert_int_equal(tail_decode(d, record, sizeof record, 5, events), 1);
    assert_int_equal(events[0].kind, TAIL_FLUSH_BEGIN);
    put_number(record, 0, 9999, 2); /* an event that the program did not ask for */
    assert_int_equal(tail_decode(d, record, sizeof record, 5, events), 0);
}

static void requests_and_flushes(void **state)
{
    (void)state;
    struct tail_decoder d;
    learn(&d);
    requests_and_flushes_of(&d);
    assert_true(tail_decoder_learn(&d, index_of("block/block_rq_issue"), older_issue_format));
    requests_and_flushes_of(&d);
}

static void a_switch_is_two_events(void **state)
{
    (void)state;
    struct tail_decoder d;
    struct tail_event events[2];
    unsigned char record[64] = {0};
    learn(&d);
    put_number(record, 0, 372, 2);
    put_number(record, 24, 11, 4);
    put_number(record, 32, 2, 8); /* the thread sleeps and cannot be interrupted */
    put_number(record, 56, 12, 4);
    assert_int_equal(tail_decode(&d, record, sizeof record, 5, events), 2);
    assert_int_equal(events[0].kind, TAIL_SLEEP);
    assert_int_equal(events[0].thread, 11);
    assert_int_equal(events[1].kind, TAIL_RUN);
    assert_int_equal(events[1].thread, 12);
    put_number(record, 32, 0x100, 8); /* the kernel took the CPU away */
    tail_decode(&d, record, sizeof record, 5, events);
    assert_int_equal(events[0].kind, TAIL_PREEMPT);
}

/* Flags: 1 for a lock that spins, 2 for reading, 32 for a mutex. */
static void spinning_is_no_wait_for_a_lock(void **state)
{
    (void)state;
    struct tail_decoder d = {0};
    struct tail_event events[2];
    unsigned char record[24] = {0};
    assert_true(tail_decoder_learn(&d, index_of("lock/contention_begin"), lock_format));
    put_number(record, 0, 200, 2);
    put_number(record, 8, 4711, 8);
    put_number(record, 16, 1, 4);
    assert_int_equal(tail_decode(&d, record, sizeof record, 5, events), 0);
    const uint64_t sleeping[] = {0, 2, 33};
    for (size_t i = 0; i < sizeof sleeping / sizeof *sleeping; i++) {
        put_number(record, 16, sleeping[i], 4);
        assert_int_equal(tail_decode(&d, record, sizeof record, 5, events), 1);
        assert_int_equal(events[0].kind, TAIL_LOCK_BEGIN);
        assert_int_equal(events[0].sector, 4711);
    }
}

static void events_of_one_purpose_are_missing_together(void **state)
{
    (void)state;
    struct tail_decoder d;
    unsigned issue = index_of("block/block_rq_issue");
    unsigned commit = index_of("jbd2/jbd2_end_commit");
    unsigned log = index_of("xfs/xfs_log_force");
    learn(&d);
    tail_decoder_finish(&d);
    assert_false(d.formats[issue].is_known); /* there is no block_rq_complete */
    assert_true(tail_decoder_misses(&d, issue, ""));
    assert_true(tail_decoder_misses(&d, commit, "ext4"));
    assert_false(tail_decoder_misses(&d, commit, "xfs")); /* which has no such commits */
    assert_true(tail_decoder_misses(&d, log, "xfs"));
    assert_false(tail_decoder_misses(&d, log, "btrfs"));
    for (unsigned i = 0; i < TAIL_EVENTS; i++)
        d.formats[i].is_known = true;
    tail_decoder_finish(&d);
    assert_true(d.formats[issue].is_known);
    assert_false(tail_decoder_misses(&d, commit, "ext4"));
}

static void an_event_without_a_field_is_missing(void **state)
{
    (void)state;
    struct tail_decoder d;
    memset(&d, 0, sizeof d);
    assert_false(tail_decoder_learn(&d, index_of("block/block_rq_issue"), switch_format));
    assert_false(tail_decoder_learn(&d, index_of("block/block_rq_issue"), ""));
}

static struct tail_event event(uint64_t ns, enum tail_kind kind, int thread, uint64_t sector)
{
    return (struct tail_event){.ns = ns,
                               .kind = (uint8_t)kind,
                               .thread = thread,
                               .device = 1,
                               .sector = sector,
                               .sectors = 8};
}

static void add(struct tail_history *h, struct tail_event e)
{
    tail_history_add(h, &e);
}

static struct tail_record explain(const struct tail_history *h, const struct tail_op *op)
{
    struct tail_record r = {.latency_ns = op->end_ns - op->start_ns};
    tail_history_explain(h, op, &r);
    return r;
}

static void the_events_of_an_operation_are_found(void **state)
{
    (void)state;
    struct tail_history h;
    struct tail_op s = {.start_ns = 100, .end_ns = 200, .thread = 7, .sees_all = true};
    assert_int_equal(tail_history_open(&h, NULL, 0), 0);
    add(&h, event(50, TAIL_FLUSH_BEGIN, 9, 0));
    add(&h, event(80, TAIL_FLUSH_END, 9, 0));
    add(&h, event(90, TAIL_ISSUE, 7, 800));  /* before the operation */
    add(&h, event(110, TAIL_ISSUE, 7, 80));  /* the operation's own request */
    add(&h, event(115, TAIL_ISSUE, 9, 160)); /* a request of another operation */
    add(&h, event(120, TAIL_SLEEP, 7, 0));
    add(&h, event(121, TAIL_SLEEP, 9, 0)); /* an event of another thread */
    add(&h, event(130, TAIL_FLUSH_BEGIN, 9, 0));
    add(&h, event(140, TAIL_FLUSH_END, 9, 0));
    add(&h, event(150, TAIL_COMPLETE, 0, 160));
    add(&h, event(160, TAIL_COMPLETE, 0, 80));
    add(&h, event(190, TAIL_COMPLETE, 0, 800));
    add(&h, event(250, TAIL_RUN, 7, 0)); /* after the operation */
    struct tail_record r = explain(&h, &s);
    assert_false(r.is_lost);
    assert_int_equal(r.spans.ns[CAUSE_PROGRAM], 20);
    assert_int_equal(r.spans.ns[CAUSE_FLUSH], 10);
    assert_int_equal(r.spans.ns[CAUSE_DEVICE], 30);
    assert_int_equal(r.spans.ns[CAUSE_UNKNOWN], 40);
    s.before_ns = 50; /* what the thread began before the operation counts, too */
    r = explain(&h, &s);
    assert_int_equal(r.spans.ns[CAUSE_DEVICE], 60);
    s = (struct tail_op){.start_ns = 100,
                         .end_ns = 200,
                         .is_queued = true,
                         .device = 1,
                         .sector = 164,
                         .sectors = 1};
    r = explain(&h, &s); /* by place: another thread made it */
    assert_int_equal(r.spans.ns[CAUSE_FLUSH], 10);
    assert_int_equal(r.spans.ns[CAUSE_DEVICE], 25);
    tail_history_close(&h);
}

/* Of many requests, each in a place of its own, long and short ones, the ends of the thread's own
 * are found. What others do lies between them. */
static void many_requests_are_told_apart(void **state)
{
    (void)state;
    struct tail_history h;
    const struct tail_op s = {.start_ns = 1, .end_ns = 100000, .thread = 7, .sees_all = true};
    assert_int_equal(tail_history_open(&h, NULL, 0), 0);
    add(&h, event(1, TAIL_SLEEP, 7, 0));
    for (unsigned kind = TAIL_ISSUE; kind <= TAIL_COMPLETE; kind++)
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t slot =
                i * 1237 % 2000; /* each one once; the first of thread 7 is the second */
            struct tail_event e = event(kind == TAIL_ISSUE ? 10 + i : 5000 + i, kind,
                                        kind == TAIL_COMPLETE ? 0
                                        : slot % 2            ? 7
                                                              : 9,
                                        1000 * slot);
            e.sectors = slot % 3 ? 8 : 1000;
            add(&h, e);
        }
    struct tail_record r = explain(&h, &s);
    assert_int_equal(r.spans.ns[CAUSE_DEVICE], 5000 + 1999 - 11); /* the last one is its own, too */
    assert_int_equal(r.spans.ns[CAUSE_UNKNOWN], 99999 - r.spans.ns[CAUSE_DEVICE]);
    tail_history_close(&h);
}

static void what_is_lost_is_told(void **state)
{
    (void)state;
    struct tail_history h;
    struct tail_op s = {.start_ns = 100, .end_ns = 200, .thread = 7, .sees_all = true};
    assert_int_equal(tail_history_open(&h, NULL, 0), 0);
    add(&h, event(20, TAIL_FLUSH_BEGIN, 9, 0));
    add(&h, event(50, TAIL_SLEEP, 7, 0));
    tail_history_lost(&h, 50, 90);
    add(&h, event(100, TAIL_SLEEP, 7, 0));
    struct tail_record r = explain(&h, &s);
    assert_false(r.is_lost);                          /* all of it is before the operation */
    assert_int_equal(r.spans.ns[CAUSE_UNKNOWN], 100); /* a flush whose end may be lost is none */
    tail_history_close(&h);
    assert_int_equal(tail_history_open(&h, NULL, 0), 0);
    s.before_ns = 50;
    tail_history_lost(&h, 50, 90);
    add(&h, event(80, TAIL_FLUSH_BEGIN, 9, 0)); /* from another CPU */
    add(&h, event(85, TAIL_ISSUE, 7, 80));
    add(&h, event(100, TAIL_SLEEP, 7, 0));
    r = explain(&h, &s);
    assert_int_equal(r.spans.ns[CAUSE_UNKNOWN], 100); /* nor is a request whose end may be lost */
    add(&h, event(110, TAIL_SLEEP, 7, 0));
    assert_false(explain(&h, &s).is_lost);
    tail_history_lost(&h, 110, 150);
    r = explain(&h, &s);
    assert_true(r.is_lost);
    assert_int_equal(r.cause, CAUSE_UNKNOWN);
    assert_int_equal(r.spans.ns[CAUSE_UNKNOWN], 100);
    tail_history_close(&h);
}

static void what_was_overwritten_is_lost(void **state)
{
    (void)state;
    struct tail_history h;
    const struct tail_op s = {.start_ns = 1000, .end_ns = 2000, .thread = 7};
    assert_int_equal(tail_history_open(&h, NULL, 0), 0);
    for (uint64_t i = 0; i < h.all.room; i++)
        add(&h, event(1 + i, TAIL_SLEEP, 9, 0));
    assert_false(explain(&h, &s).is_lost);
    for (uint64_t i = 0; i < 1000; i++)
        add(&h, event(h.all.room + i, TAIL_SLEEP, 9, 0));
    assert_true(explain(&h, &s).is_lost);
    tail_history_close(&h);
}

/* One that the kernel tells of late stands where it was told. */
static void a_late_event_keeps_the_order(void **state)
{
    (void)state;
    struct tail_history h;
    const struct tail_op s = {.start_ns = 100, .end_ns = 200, .thread = 7, .sees_all = true};
    assert_int_equal(tail_history_open(&h, NULL, 0), 0);
    add(&h, event(150, TAIL_RUN, 9, 0));
    add(&h, event(120, TAIL_SLEEP, 7, 0));
    assert_int_equal(explain(&h, &s).spans.ns[CAUSE_PROGRAM], 50);
    tail_history_close(&h);
}

/* A CPU's pages, each with locks that a thread waits for at these times. A lock has its time as its
 * address. */
static void record_page(int fd, const uint64_t times[], size_t count, uint64_t flags)
{
    struct made m = {.used = 0};
    for (size_t i = 0; i < count; i++) {
        unsigned char record[24] = {0};
        put_number(record, 0, 200, 2);
        put_number(record, 8, times[i], 8);
        put_record(&m, i > 0 ? (uint32_t)(times[i] - times[i - 1]) : 0, record, sizeof record / 4);
    }
    end_page(&m, times[0], flags);
    assert_int_equal(write(fd, m.bytes, sizeof m.bytes), sizeof m.bytes);
    lseek(fd, -(off_t)sizeof m.bytes, SEEK_CUR);
}

struct taken {
    const struct tail_trace *from[16];
    uint64_t ns[16];
    size_t count;
};

static void take(void *context, const struct tail_trace *from, struct tail_event *e)
{
    struct taken *t = context;
    assert_true(t->count < 16);
    assert_int_equal(e->ns, e->sector);
    t->from[t->count] = from;
    t->ns[t->count++] = e->ns;
}

static void events_are_read_in_the_order_of_time(void **state)
{
    (void)state;
    static unsigned char pages[3][4096];
    struct tail_history h;
    struct taken taken = {.count = 0};
    FILE *files[] = {tmpfile(), tmpfile(), tmpfile()};
    int fds[] = {fileno(files[0]), fileno(files[1]), fileno(files[2])};
    struct tail_trace first = {.cpus = 2, .pipes = fds, .pages = pages[0], .page_bytes = 4096};
    struct tail_trace second = {.cpus = 1, .pipes = fds + 2, .pages = pages[2], .page_bytes = 4096};
    assert_true(tail_page_layout(&first.layout, header_page));
    assert_true(tail_decoder_learn(&first.decoder, index_of("lock/contention_begin"), lock_format));
    second.layout = first.layout;
    second.decoder = first.decoder;
    assert_int_equal(tail_history_open(&h, (const struct tail_trace *[]){&first, &second}, 2), 0);
    tail_history_read(&h, take, &taken);
    assert_int_equal(taken.count, 0);
    uint64_t future_ns = clock_ns() + 20 * BILLION;
    record_page(fds[0], (uint64_t[]){100, 110, 300}, 3, 0);
    record_page(fds[1], (uint64_t[]){120, 400}, 2, 0);
    record_page(fds[2], (uint64_t[]){90, 350}, 2, 0);
    tail_history_read(&h, take, &taken);
    record_page(fds[0], (uint64_t[]){500, 510}, 2, UINT64_C(1) << 31);
    record_page(fds[1], (uint64_t[]){505}, 1, 0);
    record_page(fds[2], (uint64_t[]){future_ns}, 1, 0); /* from now on */
    tail_history_read(&h, take, &taken);
    static const uint64_t expected[] = {90, 100, 110, 120, 300, 350, 400, 500, 505, 510};
    assert_int_equal(taken.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < taken.count; i++) {
        assert_int_equal(taken.ns[i], expected[i]);
        assert_ptr_equal(taken.from[i], expected[i] == 90 || expected[i] == 350 ? &second : &first);
    }
    assert_int_equal(h.lost_events, 1);
    assert_int_equal(h.seen_events, 11);
    const struct tail_op before = {.start_ns = 50, .end_ns = 300};
    const struct tail_op during = {.start_ns = 310, .end_ns = 400}; /* 300 was seen, and 500 */
    assert_false(explain(&h, &before).is_lost);
    assert_true(explain(&h, &during).is_lost);
    tail_history_close(&h);
    for (size_t i = 0; i < 3; i++)
        fclose(files[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_walked),
        cmocka_unit_test(lost_events_are_told),
        cmocka_unit_test(a_loss_without_a_count_is_one_event_at_least),
        cmocka_unit_test(a_broken_page_ends),
        cmocka_unit_test(requests_and_flushes),
        cmocka_unit_test(a_switch_is_two_events),
        cmocka_unit_test(spinning_is_no_wait_for_a_lock),
        cmocka_unit_test(events_of_one_purpose_are_missing_together),
        cmocka_unit_test(an_event_without_a_field_is_missing),
        cmocka_unit_test(the_events_of_an_operation_are_found),
        cmocka_unit_test(many_requests_are_told_apart),
        cmocka_unit_test(what_is_lost_is_told),
        cmocka_unit_test(what_was_overwritten_is_lost),
        cmocka_unit_test(a_late_event_keeps_the_order),
        cmocka_unit_test(events_are_read_in_the_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
