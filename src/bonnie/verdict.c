// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/verdict.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

/* Operations below this size cost as much CPU time for the system call as for moving the data. */
#define SMALL_FOR_CPU (64 * KIB)

/* If smaller operations come one at a time, a device spends much of its time on other things. */
#define SMALL_FOR_DEVICE MIB

/* Most devices need no more operations in flight than this. */
#define MANY_IN_FLIGHT 32

/* The size of a direct transfer is a multiple of at least this. */
#define SECTOR_BYTES 512

/* ---- sets of tests ---- */

#define TEST(name)  (1U << TEST_##name)
#define CHARACTERS  (TEST(PUTC) | TEST(GETC))
#define BLOCKS      (TEST(PUT_BLOCK) | TEST(REWRITE) | TEST(GET_BLOCK))
#define BLOCK_READS (TEST(REWRITE) | TEST(GET_BLOCK))
#define RANDOM      (TEST(SEEKS) | TEST(IOPS))
#define CREATING    (TEST(SEQ_CREATE) | TEST(RAN_CREATE))
#define LOOKING     (TEST(SEQ_STAT) | TEST(RAN_STAT))
#define FILES       (CREATING | LOOKING | TEST(SEQ_DEL) | TEST(RAN_DEL))
#define ALL_TESTS   (CHARACTERS | BLOCKS | RANDOM | FILES)

/* ---- sets of conditions ---- */

#define IS_DIRECT        (1U << 0)
#define IS_DURABLE       (1U << 1)
#define QUEUES           (1U << 2)
#define QUEUES_IF_DIRECT (1U << 3)
#define EVICTS           (1U << 4)
#define IS_COMPRESSIBLE  (1U << 5)
#define LACKS_JOURNAL    (1U << 6)
#define HAS_FREE_CPUS    (1U << 7)  /* fewer workers than CPUs */
#define ONE_IN_FLIGHT    (1U << 8)  /* one operation at a time */
#define FEW_IN_FLIGHT    (1U << 9)  /* fewer than MANY_IN_FLIGHT */
#define BELOW_64K        (1U << 10) /* fewer bytes per operation than SMALL_FOR_CPU */
#define BELOW_1M         (1U << 11)
#define UNALIGNED        (1U << 12) /* not aligned as O_DIRECT requires */

static unsigned conditions_of(const struct advice_facts *f)
{
    const struct {
        bool holds;
        unsigned condition;
    } all[] = {
        {f->is_direct, IS_DIRECT},
        {f->is_durable, IS_DURABLE},
        {f->engine_queues, QUEUES},
        {f->engine_needs_direct, QUEUES_IF_DIRECT},
        {f->evicts, EVICTS},
        {f->is_compressible, IS_COMPRESSIBLE},
        {f->lacks_journal, LACKS_JOURNAL},
        {f->workers < f->cpus, HAS_FREE_CPUS},
        {f->workers * f->iodepth == 1, ONE_IN_FLIGHT},
        {f->workers * f->iodepth < MANY_IN_FLIGHT, FEW_IN_FLIGHT},
        {f->operation_bytes < SMALL_FOR_CPU, BELOW_64K},
        {f->operation_bytes < SMALL_FOR_DEVICE, BELOW_1M},
        {f->operation_bytes % SECTOR_BYTES != 0, UNALIGNED},
    };
    unsigned conditions = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        conditions |= all[i].holds ? all[i].condition : 0;
    return conditions;
}

/* ---- the table ---- */

/* Without a journal, ext4 does not reuse an inode for minutes after it has been freed. */
#define A_JOURNAL "a journal (this ext4 has none)"

#define LARGER_CHUNK "larger chunks (-s SIZE:1m)"
#define DIRECT       "-D"
#define MORE_WORKERS "more workers (-c)"
#define MORE_SEEKERS "more seekers (-s)"
#define ASYNCHRONOUS "--engine=io_uring --iodepth=32"

/*
 * Something to try. All remedies that fit are joined by "or", and followed by the text that
 * `endings` has for the reason.
 */
struct remedy {
    enum limit_reason reason;
    unsigned tests;
    unsigned needs;    /* all these conditions must hold */
    unsigned excludes; /* none of these conditions may hold */
    const char *words;
};

static const struct remedy remedies[] = {
    {REASON_COMPUTED, BLOCKS, BELOW_64K, 0, LARGER_CHUNK},
    {REASON_COMPUTED, BLOCKS | RANDOM, 0, IS_DIRECT | UNALIGNED, DIRECT},
    {REASON_COMPUTED, CHARACTERS | BLOCKS | TEST(IOPS), HAS_FREE_CPUS, 0, MORE_WORKERS},
    {REASON_COMPUTED, TEST(SEEKS), HAS_FREE_CPUS, 0, MORE_SEEKERS},
    {REASON_COMPUTED, FILES & ~CREATING, HAS_FREE_CPUS, 0, MORE_WORKERS},
    {REASON_COMPUTED, CREATING, HAS_FREE_CPUS, LACKS_JOURNAL, MORE_WORKERS},
    {REASON_COMPUTED, CREATING, LACKS_JOURNAL, 0, A_JOURNAL},

    {REASON_CPUS_FULL, BLOCKS, BELOW_64K, 0, LARGER_CHUNK},
    {REASON_CPUS_FULL, BLOCKS | RANDOM, 0, IS_DIRECT | UNALIGNED, DIRECT},
    {REASON_CPUS_FULL, CREATING, LACKS_JOURNAL, 0, A_JOURNAL},

    {REASON_DEVICE_BUSY, BLOCKS, ONE_IN_FLIGHT | BELOW_1M | IS_DIRECT, 0, LARGER_CHUNK},
    {REASON_DEVICE_BUSY, TEST(PUT_BLOCK) | TEST(REWRITE), ONE_IN_FLIGHT | BELOW_1M | IS_DURABLE,
     IS_DIRECT, LARGER_CHUNK},
    {REASON_DEVICE_BUSY, BLOCKS | RANDOM, FEW_IN_FLIGHT | IS_DIRECT, QUEUES, ASYNCHRONOUS},
    {REASON_DEVICE_BUSY, BLOCKS | RANDOM, FEW_IN_FLIGHT | IS_DIRECT | QUEUES, 0,
     "a greater --iodepth"},
    {REASON_DEVICE_BUSY, BLOCK_READS | RANDOM, FEW_IN_FLIGHT, IS_DIRECT | QUEUES | UNALIGNED,
     "-D " ASYNCHRONOUS},
    {REASON_DEVICE_BUSY, BLOCK_READS | RANDOM, QUEUES_IF_DIRECT, IS_DIRECT | UNALIGNED, DIRECT},
    {REASON_DEVICE_BUSY, BLOCKS, ONE_IN_FLIGHT | IS_DIRECT, 0, MORE_WORKERS},
    {REASON_DEVICE_BUSY, BLOCK_READS, ONE_IN_FLIGHT, IS_DIRECT, MORE_WORKERS},
    {REASON_DEVICE_BUSY, TEST(IOPS), FEW_IN_FLIGHT, 0, MORE_WORKERS},
    {REASON_DEVICE_BUSY, TEST(SEEKS), FEW_IN_FLIGHT, 0, MORE_SEEKERS},
    {REASON_DEVICE_BUSY, FILES, ONE_IN_FLIGHT, 0, MORE_WORKERS},

    {REASON_READ_FROM_CACHE, ALL_TESTS & ~FILES, 0, EVICTS | IS_DIRECT, "--cache=evict"},
    {REASON_READ_FROM_CACHE, LOOKING, 0, EVICTS, "--cache=evict"},
    {REASON_READ_FROM_CACHE, BLOCKS | RANDOM, 0, IS_DIRECT | UNALIGNED, DIRECT},
    {REASON_READ_FROM_CACHE, ALL_TESTS & ~FILES, 0, IS_DIRECT, "a larger -s"},
    {REASON_READ_FROM_CACHE, ALL_TESTS & ~FILES, IS_COMPRESSIBLE, 0, "--data=random"},
    {REASON_READ_FROM_CACHE, LOOKING, 0, 0, "more files (-n)"},

    {REASON_NOT_WRITTEN, ALL_TESTS & ~FILES, IS_COMPRESSIBLE, 0, "--data=random"},
    {REASON_NOT_WRITTEN, RANDOM, 0, IS_DIRECT | UNALIGNED, DIRECT},
    {REASON_NOT_WRITTEN, CREATING, 0, IS_DURABLE, "--sync"},

    {REASON_DEVICE_HELD, ALL_TESTS, 0, 0, "running outside of that control group"},
    {REASON_QUOTA, ALL_TESTS, 0, 0, "running outside of that control group"},
    {REASON_IN_MEMORY, ALL_TESTS, 0, 0, "a directory on a device (-d)"},
    {REASON_OTHERS_COMPUTED, ALL_TESTS, 0, 0, "measuring again on an idle machine"},
};

static const char *const endings[REASON_COUNT] = {
    [REASON_COMPUTED] = " may help.",
    [REASON_CPUS_FULL] = " may help.",
    [REASON_DEVICE_BUSY] = " may help.",
    [REASON_READ_FROM_CACHE] = " would measure the storage.",
    [REASON_NOT_WRITTEN] = " would measure the storage.",
    [REASON_DEVICE_HELD] = " would measure the device.",
    [REASON_IN_MEMORY] = " would measure that device.",
    [REASON_QUOTA] = " would tell more.",
    [REASON_OTHERS_COMPUTED] = " would tell more.",
};

_Static_assert(sizeof remedies / sizeof remedies[0] <= 64, "a set of remedies has a bit for each");

uint64_t advice_for(const struct advice_facts *f)
{
    unsigned conditions = conditions_of(f);
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++) {
        const struct remedy *r = &remedies[i];
        bool fits = r->reason == f->reason && (r->tests & (1U << f->test)) != 0 &&
                    (conditions & r->needs) == r->needs && (conditions & r->excludes) == 0;
        set |= (uint64_t)fits << i;
    }
    return set;
}

/* Whether an earlier remedy of the set has the same text: remedies for different tests may. */
static bool is_repeated(uint64_t set, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if ((set & UINT64_C(1) << i) && strcmp(remedies[i].words, remedies[at].words) == 0)
            return true;
    return false;
}

void advice_text(char text[static ADVICE_TEXT], uint64_t set)
{
    const char *ending = "";
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++) {
        if (!(set & UINT64_C(1) << i) || is_repeated(set, i))
            continue;
        used += (size_t)snprintf(text + used, ADVICE_TEXT - used, "%s%s", used > 0 ? " or " : "",
                                 remedies[i].words);
        ending = endings[remedies[i].reason];
    }
    snprintf(text + used, ADVICE_TEXT - used, "%s", ending);
    text[0] = (char)toupper((unsigned char)text[0]);
}

/*
 * A shorter wait for a CPU is not mentioned. WORTH_ADDING_PERCENT applies beside the note that no
 * device was measured.
 */
#define WORTH_TELLING_PERCENT 1

#define WORTH_ADDING_PERCENT 25

/* "100-100 %" */
#define RANGE_TEXT 16

/* Formats "41 %", or "41-74 %" for several tests. */
static const char *percent_range(char text[static RANGE_TEXT], double least, double most)
{
    char first[8] = "";
    double low = nearbyint(least);
    if (low < nearbyint(most))
        snprintf(first, sizeof first, "%.0f-", low < 0 ? 0 : low);
    snprintf(text, RANGE_TEXT, "%s%.0f %%", first, most);
    return text;
}

/* Replaces the full stop at the end by the words and the figure. */
static void append_words(char text[static VERDICT_TEXT], const char *words, const char *figure)
{
    size_t used = strlen(text) - strlen(".");
    snprintf(text + used, VERDICT_TEXT - used, "; %s %s.", words, figure);
}

/*
 * Adds that no CPU was free, if that was the case for at least `worth` percent of the time, or how
 * much of a quota was used.
 */
static void add_waiting(char text[static VERDICT_TEXT], const struct verdict *v, double worth)
{
    char figure[RANGE_TEXT];
    if (v->least.quota_percent > 0)
        append_words(text, "CPU quota used",
                     percent_range(figure, v->least.quota_percent, v->most.quota_percent));
    else if (v->most.waited_percent >= worth)
        append_words(text, "no CPU free",
                     percent_range(figure, v->least.waited_percent, v->most.waited_percent));
}

/* Describes how busy the device and the busiest worker were. */
static void describe_times(char text[static VERDICT_TEXT], const struct verdict *v)
{
    char computed[RANGE_TEXT];
    char busy[RANGE_TEXT];
    percent_range(computed, v->least.computed_percent, v->most.computed_percent);
    percent_range(busy, v->least.device_percent, v->most.device_percent);
    if (v->least.device_known)
        snprintf(text, VERDICT_TEXT, "Device busy %s; computing %s.", busy, computed);
    else
        snprintf(text, VERDICT_TEXT, "Computing %s.", computed);
    add_waiting(text, v, WORTH_TELLING_PERCENT);
}

static void describe_limit(char text[static VERDICT_TEXT], const struct verdict *v)
{
    static const struct {
        const char *verb;
        bool counts_bytes;
    } kinds[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = {"reads", true},
        [IO_LIMIT_WRITTEN_BYTES] = {"writes", true},
        [IO_LIMIT_READ_OPS] = {"reads", false},
        [IO_LIMIT_WRITE_OPS] = {"writes", false},
    };
    const struct judgement *j = &v->least;
    char used[RANGE_TEXT];
    char limit[48];
    if (kinds[j->held_by].counts_bytes)
        snprintf(limit, sizeof limit, "%s of %.1f MiB/s", kinds[j->held_by].verb,
                 (double)j->held_to / (double)MIB);
    else
        snprintf(limit, sizeof limit, "%" PRIu64 " %s/s", j->held_to, kinds[j->held_by].verb);
    snprintf(text, VERDICT_TEXT, "Control group: %s; %s used.", limit,
             percent_range(used, j->held_percent, v->most.held_percent));
}

/*
 * Describes how much storage moved, or how much the page cache had. Rounds down, because the rule
 * is "less than 90 %".
 */
static void describe_bytes(char text[static VERDICT_TEXT], const struct verdict *v)
{
    bool is_rest = v->least.source == SOURCE_RESIDENT;
    double least = is_rest ? 100 - v->most.moved_percent : v->least.moved_percent;
    double most = is_rest ? 100 - v->least.moved_percent : v->most.moved_percent;
    char figure[RANGE_TEXT];
    if (most <= 0)
        snprintf(figure, sizeof figure, "none");
    else if (most < 1)
        snprintf(figure, sizeof figure, "<1 %%");
    else if (least >= 100)
        snprintf(figure, sizeof figure, "all");
    else
        percent_range(figure, floor(least), floor(most));
    source_sentence(text, v->least.source, v->least.way, figure);
    add_waiting(text, v, WORTH_ADDING_PERCENT);
}

static void describe_no_device(char text[static VERDICT_TEXT], const struct verdict *v)
{
    snprintf(text, VERDICT_TEXT,
             v->least.reason == REASON_IN_MEMORY ? "%s is memory and has no device."
                                                 : "%s has no block device to watch.",
             *v->filesystem ? v->filesystem : "This filesystem");
    add_waiting(text, v, WORTH_ADDING_PERCENT);
}

/* Whether the verdict is about the bytes that a source of evidence has counted. */
static bool is_about_bytes(const struct judgement *j)
{
    return j->reason == REASON_READ_FROM_CACHE || j->reason == REASON_NOT_WRITTEN ||
           j->reason == REASON_SERVER_MOVED || j->reason == REASON_STORAGE_MOVED;
}

const char *verdict_limit(const struct verdict *v)
{
    if (!v->is_known)
        return limit_name(LIMITED_UNKNOWN);
    return v->least.reason == REASON_OTHERS_COMPUTED ? "others" : limit_name(v->least.by);
}

void verdict_sentence(char text[static VERDICT_TEXT], const struct verdict *v)
{
    char used[RANGE_TEXT];
    text[0] = '\0';
    if (!v->is_known)
        return;
    switch (v->least.reason) {
    case REASON_NO_DEVICE:
    case REASON_IN_MEMORY:
        describe_no_device(text, v);
        break;
    case REASON_DEVICE_HELD:
        describe_limit(text, v);
        break;
    case REASON_READ_FROM_CACHE:
    case REASON_NOT_WRITTEN:
    case REASON_SERVER_MOVED:
    case REASON_STORAGE_MOVED:
        describe_bytes(text, v);
        break;
    case REASON_NOT_DIRECT:
        snprintf(text, VERDICT_TEXT, "O_DIRECT was not direct: %s.", v->least.direct.reason);
        break;
    case REASON_NOTHING_MOVED:
        snprintf(text, VERDICT_TEXT, "No data was moved: this is the program alone.");
        break;
    case REASON_CPUS_FULL:
        snprintf(text, VERDICT_TEXT, "The test used %s of the time of %u CPU%s.",
                 percent_range(used, v->least.cpus_percent, v->most.cpus_percent), v->cpus,
                 v->cpus == 1 ? "" : "s");
        break;
    case REASON_QUOTA:
        snprintf(text, VERDICT_TEXT, "Control group: %.2f CPUs; %s used.", v->least.quota_cpus,
                 percent_range(used, v->least.quota_percent, v->most.quota_percent));
        break;
    case REASON_OTHERS_COMPUTED:
        snprintf(text, VERDICT_TEXT, "Waiting for a CPU %s of the time: others used it.",
                 percent_range(used, v->least.waited_percent, v->most.waited_percent));
        break;
    case REASON_NOTHING_EXPLAINS:
    case REASON_DEVICE_BUSY:
    case REASON_COMPUTED:
    case REASON_COUNT:
        describe_times(text, v);
        break;
    }
}

void verdict_of_test(struct verdict *v, const struct judgement *j, const struct advice_facts *facts,
                     const char *filesystem)
{
    struct advice_facts f = *facts;
    f.reason = j->reason;
    *v = (struct verdict){.is_known = true, .least = *j, .most = *j, .cpus = f.cpus};
    snprintf(v->filesystem, sizeof v->filesystem, "%s", filesystem ? filesystem : "");
    v->advice = advice_for(&f);
}

static bool verdict_is_alike(const struct verdict *a, const struct verdict *b)
{
    const struct judgement *x = &a->least;
    const struct judgement *y = &b->least;
    return a->is_known && b->is_known && x->by == y->by && x->reason == y->reason &&
           x->device_known == y->device_known && x->held_by == y->held_by &&
           x->held_to == y->held_to &&
           (!is_about_bytes(x) || (x->source == y->source && x->way == y->way));
}

/* Replaces each percentage by the smaller (pick is fmin) or the larger (fmax) of both. */
static void pick_percentages(struct judgement *j, const struct judgement *other,
                             double (*pick)(double, double))
{
    j->device_percent = pick(j->device_percent, other->device_percent);
    j->computed_percent = pick(j->computed_percent, other->computed_percent);
    j->waited_percent = pick(j->waited_percent, other->waited_percent);
    j->cpus_percent = pick(j->cpus_percent, other->cpus_percent);
    j->moved_percent = pick(j->moved_percent, other->moved_percent);
    j->held_percent = pick(j->held_percent, other->held_percent);
    j->quota_percent = pick(j->quota_percent, other->quota_percent);
}

bool verdict_join(struct verdict *to, const struct verdict *other)
{
    if (!verdict_is_alike(to, other))
        return false;
    pick_percentages(&to->least, &other->least, fmin);
    pick_percentages(&to->most, &other->most, fmax);
    to->advice |= other->advice;
    return true;
}
