// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel has recorded. Any bytes are read to their end, and whatever they mean, the spans
 * of an operation fit together. The bytes begin with a text, which ends with a NUL, for the layout
 * of pages and for the format of an event. If that text is not valid, the layout of Linux 6.18 is
 * used, and a format with all fields. */
#include "fuzz.h"
#include "tail/causes.h"
#include "tail/history.h"
#include "tail/trace.h"

static const struct tail_page_layout usual = {.commit = {.offset = 8, .size = 8},
                                              .data = {.offset = 16, .size = 4080}};

/* In each event, the number is that of its row plus one, and the fields are those of all events. */
static void learn_all(struct tail_decoder *d, const char *text)
{
    static const char fields[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
                                 "\tfield:int common_pid;\toffset:4;\tsize:4;\n"
                                 "\tfield:dev_t dev;\toffset:8;\tsize:4;\n"
                                 "\tfield:sector_t sector;\toffset:16;\tsize:8;\n"
                                 "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\n"
                                 "\tfield:char rwbs[10];\toffset:28;\tsize:10;\n"
                                 "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\n"
                                 "\tfield:long prev_state;\toffset:16;\tsize:8;\n"
                                 "\tfield:pid_t next_pid;\toffset:24;\tsize:4;\n"
                                 "\tfield:pid_t pid;\toffset:8;\tsize:4;\n"
                                 "\tfield:long pause;\toffset:16;\tsize:8;\n"
                                 "\tfield:void * lock_addr;\toffset:8;\tsize:8;\n"
                                 "\tfield:unsigned int flags;\toffset:16;\tsize:4;\n"
                                 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\n"
                                 "\tfield:long id;\toffset:8;\tsize:8;\n"
                                 "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\n"
                                 "\tfield:long ret;\toffset:16;\tsize:8;\n"
                                 "\tfield:void * req;\toffset:8;\tsize:8;\n"
                                 "\tfield:u8 opcode;\toffset:20;\tsize:1;\n"
                                 "\tfield:int fd;\toffset:24;\tsize:4;\n"
                                 "\tfield:int res;\toffset:24;\tsize:4;\n";
    char all[2048];
    memset(d, 0, sizeof *d);
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        snprintf(all, sizeof all, "name: x\nID: %u\n%s", i + 1, fields);
        MUST(tail_decoder_learn(d, i, all));
    }
    if (!tail_decoder_learn(d, 0, text))
        tail_decoder_finish(d);
}

static void read_page(struct tail_history *h, const struct tail_decoder *d,
                      const struct tail_page_layout *layout, const uint8_t *memory, size_t size)
{
    struct tail_page page;
    struct tail_event events[2];
    size_t bytes;
    if (!tail_page_begin(&page, layout, memory, size))
        return;
    if (page.follows_loss)
        tail_history_lost(h, 0, page.ns);
    for (const uint8_t *at = tail_page_next(&page, &bytes); at;
         at = tail_page_next(&page, &bytes)) {
        MUST(at >= memory && bytes <= size && at + bytes <= memory + size);
        unsigned count = tail_decode(d, at, bytes, page.ns, events);
        MUST(count <= 2);
        for (unsigned i = 0; i < count; i++)
            tail_history_add(h, &events[i]);
    }
}

static void explain(const struct tail_history *h, bool is_queued, bool sees_all)
{
    struct tail_record r = {.latency_ns = 7000};
    uint64_t sum = 0;
    const struct tail_op op = {.start_ns = 2000,
                               .end_ns = 9000,
                               .before_ns = 1000,
                               .thread = 7,
                               .is_queued = is_queued,
                               .is_limited = is_queued,
                               .sees_all = sees_all,
                               .device = 1,
                               .sector = 80,
                               .sectors = 8};
    for (uint64_t i = 1; i < h->all.count && i < h->all.room; i++)
        MUST(h->all.events[i - 1].ns <= h->all.events[i].ns);
    tail_history_explain(h, &op, &r);
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
        sum += r.spans.ns[cause];
    MUST(sum == r.latency_ns);
    MUST(r.spans.ns[r.cause] >= sum / CAUSE_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t used = end ? (size_t)(end - data) : size;
    size_t rest = end ? size - used - 1 : 0;
    char *text = fuzz_text(data, used);
    uint8_t *memory =
        malloc(rest > 0 ? rest : 1); /* exact memory, so that reading past its end is noticed */
    struct tail_page_layout layout;
    struct tail_decoder decoder;
    struct tail_history history;
    MUST(memory);
    if (rest > 0)
        memcpy(memory, end + 1, rest);
    if (!tail_page_layout(&layout, text))
        layout = usual;
    learn_all(&decoder, text);
    MUST(tail_history_open(&history, NULL, 0) == 0);
    read_page(&history, &decoder, &layout, memory, rest);
    explain(&history, false, true);
    explain(&history, true, true);
    explain(&history, false, false);
    tail_history_close(&history);
    free(memory);
    free(text);
    return 0;
}
