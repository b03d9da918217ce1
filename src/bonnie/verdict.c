// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/verdict.h"

#include <ctype.h>
#include <math.h>

#include "util/units.h"

/* Operations below this size cost as much CPU time for the system call as for moving the data. */
#define SMALL_FOR_CPU (64 * KIB)
/* If smaller operations come one at a time, a device spends much of its time on other things. */
#define SMALL_FOR_DEVICE MIB
/* Most devices need no more operations in flight than this. */
#define MANY_IN_FLIGHT 32
/* The size of a direct transfer is a multiple of at least this. */
#define SECTOR_BYTES 512

/* Sets of tests. */
#define TEST(name)  (1U << TEST_##name)
#define CHARACTERS  (TEST(PUTC) | TEST(GETC))
#define BLOCKS      (TEST(PUT_BLOCK) | TEST(REWRITE) | TEST(GET_BLOCK))
#define BLOCK_READS (TEST(REWRITE) | TEST(GET_BLOCK))
#define RANDOM      (TEST(SEEKS) | TEST(IOPS))
#define CREATING    (TEST(SEQ_CREATE) | TEST(RAN_CREATE))
#define LOOKING     (TEST(SEQ_STAT) | TEST(RAN_STAT))
#define FILES       (CREATING | LOOKING | TEST(SEQ_DEL) | TEST(RAN_DEL))
#define ALL_TESTS   (CHARACTERS | BLOCKS | RANDOM | FILES)

/* Sets of conditions. */
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

/* Without a journal, ext4 does not reuse an inode for minutes after it has been freed. */
#define A_JOURNAL "a journal (this ext4 has none)"

#define LARGER_CHUNK "larger chunks (-s SIZE:1m)"
#define DIRECT       "-D"
#define MORE_WORKERS "more workers (-c)"
#define MORE_SEEKERS "more seekers (-s)"
#define ASYNCHRONOUS "--engine=io_uring --iodepth=32"

/* Something to try. All that fit are joined by "or", and end as `endings` says for the reason. */
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
    {REASON_OTHERS_MOVED, ALL_TESTS, 0, 0, "measuring again without the others"},
    {REASON_HOST_TOOK, ALL_TESTS, 0, 0, "measuring again on an idle host"},
};

static const char *const endings[REASON_COUNT] = {
    [REASON_READ_FROM_CACHE] = " would measure the storage.",
    [REASON_NOT_WRITTEN] = " would measure the storage.",
    [REASON_DEVICE_HELD] = " would measure the device.",
    [REASON_IN_MEMORY] = " would measure that device.",
    [REASON_QUOTA] = " would tell more.",
    [REASON_OTHERS_COMPUTED] = " would tell more.",
    [REASON_OTHERS_MOVED] = " would tell more.",
    [REASON_HOST_TOOK] = " would tell more.",
};

_Static_assert(COUNT_OF(remedies) <= 64, "a set of remedies has a bit for each");

uint64_t advice_for(const struct advice_facts *f)
{
    const unsigned in_flight = f->workers * f->iodepth;
    const unsigned conditions =
        (f->is_direct ? IS_DIRECT : 0) | (f->is_durable ? IS_DURABLE : 0) |
        (f->engine_queues ? QUEUES : 0) | (f->engine_needs_direct ? QUEUES_IF_DIRECT : 0) |
        (f->evicts ? EVICTS : 0) | (f->is_compressible ? IS_COMPRESSIBLE : 0) |
        (f->lacks_journal ? LACKS_JOURNAL : 0) | (f->workers < f->cpus ? HAS_FREE_CPUS : 0) |
        (in_flight == 1 ? ONE_IN_FLIGHT : 0) | (in_flight < MANY_IN_FLIGHT ? FEW_IN_FLIGHT : 0) |
        (f->operation_bytes < SMALL_FOR_CPU ? BELOW_64K : 0) |
        (f->operation_bytes < SMALL_FOR_DEVICE ? BELOW_1M : 0) |
        (f->operation_bytes % SECTOR_BYTES != 0 ? UNALIGNED : 0);
    uint64_t set = 0;
    for (size_t i = 0; i < COUNT_OF(remedies); i++) {
        const struct remedy *r = &remedies[i];
        bool fits = r->reason == f->reason && (r->tests & (1U << f->test)) != 0 &&
                    (conditions & r->needs) == r->needs && (conditions & r->excludes) == 0;
        set |= (uint64_t)fits << i;
    }
    return set;
}

void advice_text(char text[static ADVICE_TEXT], uint64_t set)
{
    const char *ending = "";
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(remedies); i++) {
        bool is_told = !(set & UINT64_C(1) << i);
        for (size_t k = 0; k < i; k++) /* remedies for different tests may have the same text */
            is_told |=
                (set & UINT64_C(1) << k) && strcmp(remedies[k].words, remedies[i].words) == 0;
        if (is_told)
            continue;
        used += (size_t)snprintf(text + used, ADVICE_TEXT - used, "%s%s", used > 0 ? " or " : "",
                                 remedies[i].words);
        ending = endings[remedies[i].reason] ? endings[remedies[i].reason] : " may help.";
    }
    snprintf(text + used, ADVICE_TEXT - used, "%s", ending);
    text[0] = (char)toupper((unsigned char)text[0]);
}

bool verdict_join(struct verdict *to, const struct verdict *other)
{
    const struct judgement *a = &to->least;
    const struct judgement *b = &other->least;
    bool is_about_bytes = a->reason == REASON_READ_FROM_CACHE || a->reason == REASON_NOT_WRITTEN ||
                          a->reason == REASON_SERVER_MOVED || a->reason == REASON_STORAGE_MOVED;
    /* whether one sentence describes both, but for their percentages */
    bool is_alike = a->reason == b->reason && a->device_known == b->device_known &&
                    a->held_by == b->held_by && a->held_to == b->held_to &&
                    (!is_about_bytes || (a->source == b->source && a->way == b->way));
    if (!to->is_known || !other->is_known || !is_alike)
        return false;
    limit_pick(&to->least, &other->least, fmin);
    limit_pick(&to->most, &other->most, fmax);
    to->advice |= other->advice;
    return true;
}
