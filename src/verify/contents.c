// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify/contents.h"

#include <sys/mman.h>

#include "util/portable.h"

/* Numbers of changes are known modulo this. */
#define GENERATIONS_CHANGES 32768

static inline _Atomic uint16_t *generations_counter(const struct generations *g, uint64_t block)
{
    return &g->counters[g->is_exact ? block : block % g->count];
}

#define MAX_COUNTERS (UINT64_C(1) << 25)
int generations_open(struct generations *g, uint64_t blocks, struct err *e)
{
    g->is_exact = blocks <= MAX_COUNTERS;
    g->count = g->is_exact ? blocks : MAX_COUNTERS;
    /* Pages that nothing touches take no memory. */
    void *memory = mmap(NULL, g->count * sizeof *g->counters, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "allocate memory to count the changes of blocks");
    g->counters = memory;
    return 0;
}

void generations_close(struct generations *g)
{
    if (g->counters)
        munmap((void *)g->counters, g->count * sizeof *g->counters);
    *g = (struct generations){0};
}

const char *const verify_names[VERIFY_MODES + 1] = {
    [VERIFY_STAMP] = "stamp", [VERIFY_FULL] = "full", [VERIFY_OFF] = "off"};

/* A generation holds the number of changes in its lowest bits, and that of rewritings above. */
#define CHANGE_BITS 16

/* Divides by a size, which nearly always is a power of two, without a division then. */
static inline uint64_t divide(uint64_t bytes, uint64_t size)
{
    return (size & (size - 1)) == 0 ? bytes >> __builtin_ctzll(size) : bytes / size;
}

static uint64_t block_of(const struct contents *c, unsigned file, uint64_t offset)
{
    return divide(c->files[file].start + offset, c->block_bytes);
}

static uint64_t generation_of(uint64_t rewritten, uint64_t changed)
{
    return rewritten << CHANGE_BITS | changed;
}

/* How often the file was rewritten at this offset: the part before `rewritten` is one ahead. */
static uint64_t rewritings(const struct contents *c, unsigned file, uint64_t offset)
{
    const struct contents_file *f = &c->files[file];
    return f->generation + (offset < f->rewritten ? 1 : 0);
}

/* The counter of the block at this offset, which is odd while the block is being changed. */
static unsigned counted(const struct contents *c, unsigned file, uint64_t offset)
{
    const struct generations *g = &c->changes;
    return g->counters ? atomic_load(generations_counter(g, block_of(c, file, offset))) : 0;
}

/* Length of the part of a range that lies in its first block and was rewritten equally often. */
static size_t within_block(const struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    uint64_t rewritten = c->files[file].rewritten;
    if (offset < rewritten && rewritten - offset < length)
        length = (size_t)(rewritten - offset);
    if (!c->changes.counters)
        return length; /* blocks are never changed one by one */
    uint64_t next = (block_of(c, file, offset) + 1) * c->block_bytes;
    uint64_t rest = next - (c->files[file].start + offset);
    return rest < length ? (size_t)rest : length;
}

void contents_fill(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                   size_t length, unsigned further)
{
    char *to = buffer;
    while (length > 0) {
        size_t part = within_block(c, file, offset, length);
        /* after the change that is in progress */
        uint64_t changed = (counted(c, file, offset) + 1U) / 2 % GENERATIONS_CHANGES;
        pattern_fill(c->pattern, to, part, c->first_number + file, offset,
                     generation_of(rewritings(c, file, offset) + further, changed));
        to += part;
        offset += part;
        length -= part;
    }
}

void contents_end_rewriting(struct contents *c, unsigned file)
{
    struct contents_file *f = &c->files[file];
    f->generation += f->rewritten > 0;
    f->rewritten = 0;
}

bool contents_claim(struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    const uint64_t first = block_of(c, file, offset);
    const uint64_t last = block_of(c, file, offset + length - 1);
    for (uint64_t block = first; block <= last; block++) {
        _Atomic uint16_t *counter = generations_counter(&c->changes, block);
        uint16_t seen = atomic_load(counter);
        if (seen % 2 == 0 && atomic_compare_exchange_strong(counter, &seen, (uint16_t)(seen + 1)))
            continue;
        while (block-- > first) /* gives back the claimed blocks, none of which has been changed */
            atomic_fetch_sub(generations_counter(&c->changes, block), 1);
        return false;
    }
    return true;
}

void contents_release(struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    const uint64_t last = block_of(c, file, offset + length - 1);
    for (uint64_t block = block_of(c, file, offset); block <= last; block++)
        atomic_fetch_add(generations_counter(&c->changes, block), 1);
}

uint64_t contents_version(const struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    if (!c->changes.counters)
        return 0;
    uint64_t last = block_of(c, file, offset + length - 1);
    uint64_t sum = 0; /* even counters only grow, so the sum is equal only if each of them is */
    for (uint64_t i = block_of(c, file, offset); i <= last; i++) {
        uint16_t seen = atomic_load(generations_counter(&c->changes, i));
        if (seen % 2 != 0)
            return GENERATIONS_CHANGING;
        sum += seen;
    }
    return sum;
}

static bool part_is(const struct contents *c, const void *part, size_t length,
                    const struct corrupted_place *place, uint64_t generation)
{
    unsigned char right[PATTERN_UNIT_MAX];
    pattern_fill(c->pattern, right, length, place->file, place->offset, generation);
    return memcmp(part, right, length) == 0;
}

static inline bool is_aligned(const void *part)
{
    return (uintptr_t)part % _Alignof(uint64_t) == 0;
}

/* Says in *place what is wrong with a part; not inlined, for few parts need it. */
__attribute__((noinline)) static bool is_corrupted(const struct contents *c, const void *part,
                                                   size_t length, uint64_t offset,
                                                   const struct pattern_place *right,
                                                   struct corrupted_place *place)
{
    const struct pattern *p = c->pattern;
    const bool is_known = !c->changes.counters || c->changes.is_exact; /* the generation */
    *place = (struct corrupted_place){.file = right->file, .offset = offset, .expected = *right};
    if (length == p->unit_bytes && is_aligned(part)) {
        struct pattern_place expected = *right;
        if (!is_known)
            expected.generation = PATTERN_ANY;
        place->kind = pattern_check(p, part, &expected, c->verify == VERIFY_FULL, &place->found);
        return place->kind != CORRUPTION_NONE;
    }
    /* A part may have no stamp that tells its generation, so all its bytes must be right. If the
     * generation is unknown, it tries all of them, the most likely ones first. */
    bool is_right = part_is(c, part, length, place, right->generation);
    uint64_t rewritten = right->generation >> CHANGE_BITS;
    for (uint64_t i = 0; !is_right && !is_known && i < GENERATIONS_CHANGES; i++)
        is_right = part_is(c, part, length, place, generation_of(rewritten, i));
    place->found = (struct pattern_origin){.seed = p->seed, .run = p->run, .place = *right};
    place->kind = is_right ? CORRUPTION_NONE : CORRUPTION_FLIPPED;
    return !is_right;
}

/* Whether no other writer has changed the range since it had this version. */
static bool is_undisturbed(const struct contents *c, unsigned file, uint64_t offset, size_t length,
                           uint64_t version)
{
    return version == CONTENTS_CLAIMED || (version != GENERATIONS_CHANGING &&
                                           version == contents_version(c, file, offset, length));
}

void corruption_note(struct corruption *found, const struct corrupted_place *place)
{
    if (found->corrupted < CORRUPTION_KEPT)
        found->kept[found->corrupted] = *place;
    found->corrupted++;
    found->unreadable += place->kind == CORRUPTION_UNREADABLE;
}

/* The slow part of contents_check(), not inlined: so the check costs little when it is off. */
__attribute__((noinline)) static void check_parts(const struct contents *c, unsigned file,
                                                  uint64_t offset, const unsigned char *bytes,
                                                  size_t length, uint64_t version,
                                                  struct corruption *found)
{
    const struct pattern *p = c->pattern;
    if (!is_undisturbed(c, file, offset, length, version))
        return;
    size_t part; /* lies in one block; whole units that are sound, or in one unit */
    for (size_t done = 0; done < length; done += part) {
        const unsigned char *from = bytes + done;
        uint64_t at = offset + done;
        size_t skipped = (size_t)(at & (p->unit_bytes - 1));
        bool is_stamped = c->verify == VERIFY_STAMP && skipped == 0 && is_aligned(from);
        const struct pattern_place expected = {
            .file = c->first_number + file,
            .unit = divide(at, p->unit_bytes),
            /* after the last completed change */
            .generation = generation_of(rewritings(c, file, at), counted(c, file, at) / 2),
        };
        struct corrupted_place place;
        size_t rest = within_block(c, file, at, length - done);
        part = is_stamped ? pattern_sound_bytes(p, from, rest, &expected) : 0;
        if (part == 0) {
            part = MIN(p->unit_bytes - skipped, rest);
            if (is_corrupted(c, from, part, at, &expected, &place)) {
                if (!is_undisturbed(c, file, offset, length, version))
                    return; /* the expected generation already includes a later change */
                corruption_note(found, &place);
            }
        }
        found->checked_bytes += part;
    }
}

void contents_check(const struct contents *c, unsigned file, uint64_t offset, const void *buffer,
                    size_t length, uint64_t version, struct corruption *found)
{
    if (c->verify != VERIFY_OFF)
        check_parts(c, file, offset, buffer, length, version, found);
}

void corruption_merge(struct corruption *whole, const struct corruption *part)
{
    for (uint64_t i = 0; i < part->corrupted && whole->corrupted + i < CORRUPTION_KEPT; i++)
        whole->kept[whole->corrupted + i] = part->kept[i];
    whole->corrupted += part->corrupted;
    whole->unreadable += part->unreadable;
    whole->checked_bytes += part->checked_bytes;
}

#define GENERATION_TEXT 48

/* "2.5": the file was rewritten twice, and then the block was changed five times. */
static const char *generation_text(char text[static GENERATION_TEXT], uint64_t generation)
{
    snprintf(text, GENERATION_TEXT, "%" PRIu64 ".%" PRIu64, generation >> CHANGE_BITS,
             generation % (UINT64_C(1) << CHANGE_BITS));
    return text;
}

void corrupted_place_describe(char text[static CORRUPTED_PLACE_TEXT],
                              const struct corrupted_place *place, const struct pattern *p)
{
    static const char *const others[] = {
        [CORRUPTION_NONE] = "the same",
        [CORRUPTION_FLIPPED] = "changed bytes",
        [CORRUPTION_TORN] = "parts of another write",
        [CORRUPTION_ZEROED] = "zeros",
    };
    const struct pattern_origin *o = &place->found;
    const char *kind = corruption_kind_names[place->kind];
    char expected[GENERATION_TEXT];
    char found[100];
    if (place->kind == CORRUPTION_UNREADABLE) {
        snprintf(text, CORRUPTED_PLACE_TEXT, "%s: %s", kind, portable_reason(place->code));
        return;
    }
    if (place->kind == CORRUPTION_STALE && !pattern_is_of_run(p, o))
        snprintf(found, sizeof found, "data of an earlier run (seed %" PRIu64 ")", o->seed);
    else if (place->kind == CORRUPTION_STALE)
        snprintf(found, sizeof found, "generation %s",
                 generation_text(expected, o->place.generation));
    else if (place->kind == CORRUPTION_MISDIRECTED)
        snprintf(found, sizeof found, "what belongs to data file %" PRIu64 " at %" PRIu64,
                 o->place.file, o->place.unit * p->unit_bytes);
    else
        snprintf(found, sizeof found, "%s", others[place->kind]);
    snprintf(text, CORRUPTED_PLACE_TEXT, "%s: generation %s expected, %s found", kind,
             generation_text(expected, place->expected.generation), found);
}
