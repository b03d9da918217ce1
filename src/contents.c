#include "contents.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const verify_names[VERIFY_MODES] = {
    [VERIFY_STAMP] = "stamp", [VERIFY_FULL] = "full", [VERIFY_OFF] = "off"};

/* The number of changes is in the lower bits of a generation, that of rewritings above. */
#define CHANGE_BITS 16

static uint64_t block_of(const struct contents *c, unsigned file, uint64_t offset)
{
    return (c->files[file].start + offset) / c->block_bytes;
}

/* How many blocks a place touches. */
static uint64_t blocks_in(const struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    return block_of(c, file, offset + length - 1) - block_of(c, file, offset) + 1;
}

static uint64_t generation_of(uint64_t rewritten, uint64_t changed)
{
    return rewritten << CHANGE_BITS | changed;
}

/* The generation of what a place is to hold next; what it holds is that of the last change made. */
static uint64_t generation_next(const struct contents *c, unsigned file, uint64_t offset,
                                uint64_t rewritten)
{
    return generation_of(rewritten, generations_next(&c->changes, block_of(c, file, offset)));
}

static uint64_t generation_stored(const struct contents *c, unsigned file, uint64_t offset)
{
    return generation_of(c->files[file].generation,
                         generations_stored(&c->changes, block_of(c, file, offset)));
}

/* How much of a place lies within one block. */
static size_t within_block(const struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    if (!c->changes.counters)
        return length; /* all blocks are alike */
    uint64_t rest = c->block_bytes - (c->files[file].start + offset) % c->block_bytes;
    return rest < length ? (size_t)rest : length;
}

static void fill(const struct contents *c, unsigned file, uint64_t offset, char *to, size_t length,
                 uint64_t rewritten)
{
    while (length > 0) {
        size_t part = within_block(c, file, offset, length);
        pattern_fill(c->pattern, to, part, file, offset,
                     generation_next(c, file, offset, rewritten));
        to += part;
        offset += part;
        length -= part;
    }
}

void contents_fill(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                   size_t length)
{
    fill(c, file, offset, buffer, length, c->files[file].generation);
}

void contents_fill_next(const struct contents *c, unsigned file, uint64_t offset, void *buffer,
                        size_t length)
{
    fill(c, file, offset, buffer, length, c->files[file].generation + 1);
}

bool contents_claim(struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    return generations_claim(&c->changes, block_of(c, file, offset),
                             blocks_in(c, file, offset, length));
}

void contents_release(struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    generations_release(&c->changes, block_of(c, file, offset), blocks_in(c, file, offset, length));
}

uint64_t contents_mark(const struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    if (!c->changes.counters)
        return 0;
    return generations_mark(&c->changes, block_of(c, file, offset),
                            blocks_in(c, file, offset, length));
}

static void keep(struct findings *f, const struct finding *finding)
{
    if (f->damaged < FINDINGS_KEPT)
        f->kept[f->damaged] = *finding;
    f->damaged++;
}

/* Whether it is known how often each single block was changed. */
static bool changes_are_known(const struct contents *c)
{
    return !c->changes.counters || c->changes.is_exact;
}

/* A unit that lies within one block. */
static enum damage check_unit(const struct contents *c, const void *unit, struct finding *f)
{
    struct pattern_place expected = f->expected;
    if (!changes_are_known(c))
        expected.generation = PATTERN_ANY;
    return pattern_check(c->pattern, unit, &expected, c->verify == VERIFY_FULL, &f->found);
}

/* Part of a unit: every byte has to be what it should be. */
static enum damage check_part(const struct contents *c, const void *part, size_t length,
                              struct finding *f)
{
    unsigned char right[PATTERN_UNIT_MAX];
    f->found = f->expected;
    pattern_fill(c->pattern, right, length, f->file, f->offset, f->expected.generation);
    return memcmp(part, right, length) == 0 ? DAMAGE_NONE : DAMAGE_FLIPPED;
}

/* What lies within one unit and one block. */
static struct finding check_at(const struct contents *c, unsigned file, uint64_t offset,
                               const void *from, size_t length)
{
    struct finding f = {.file = file, .offset = offset};
    f.expected = (struct pattern_place){
        .file = file,
        .unit = offset / c->pattern->unit_bytes,
        .generation = generation_stored(c, file, offset),
    };
    bool is_unit = length == c->pattern->unit_bytes && (uintptr_t)from % _Alignof(uint64_t) == 0;
    f.damage = is_unit ? check_unit(c, from, &f) : check_part(c, from, length, &f);
    return f;
}

/* How much of a place is to be checked at once: within one unit, and within one block. */
static size_t within_unit(const struct contents *c, unsigned file, uint64_t offset, size_t length)
{
    size_t unit = c->pattern->unit_bytes;
    size_t rest = unit - (size_t)(offset % unit);
    return within_block(c, file, offset, rest < length ? rest : length);
}

/* Whether nobody else has changed a place since the mark was taken. */
static bool is_undisturbed(const struct contents *c, unsigned file, uint64_t offset, size_t length,
                           uint64_t mark)
{
    return mark == CONTENTS_CLAIMED ||
           (mark != GENERATIONS_CHANGING && mark == contents_mark(c, file, offset, length));
}

void contents_check(const struct contents *c, unsigned file, uint64_t offset, const void *buffer,
                    size_t length, uint64_t mark, struct findings *f)
{
    const unsigned char *bytes = buffer;
    if (c->verify == VERIFY_OFF || !is_undisturbed(c, file, offset, length, mark))
        return;
    size_t part;
    for (size_t done = 0; done < length; done += part) {
        part = within_unit(c, file, offset + done, length - done);
        if (part < c->pattern->unit_bytes && !changes_are_known(c))
            continue; /* without a stamp there is no telling which generation it should be */
        struct finding finding = check_at(c, file, offset + done, bytes + done, part);
        if (finding.damage != DAMAGE_NONE) {
            if (!is_undisturbed(c, file, offset, length, mark))
                return; /* the generation that was expected is that of a later change */
            keep(f, &finding);
        }
        f->checked_bytes += part;
    }
}

void findings_merge(struct findings *whole, const struct findings *part)
{
    for (uint64_t i = 0; i < part->damaged && i < FINDINGS_KEPT; i++) {
        if (whole->damaged + i >= FINDINGS_KEPT)
            break;
        whole->kept[whole->damaged + i] = part->kept[i];
    }
    whole->damaged += part->damaged;
    whole->checked_bytes += part->checked_bytes;
}

#define GENERATION_TEXT 48

/* "2.5": rewritten as a whole twice, and changed five times. */
static const char *generation_text(char text[static GENERATION_TEXT], uint64_t generation)
{
    snprintf(text, GENERATION_TEXT, "%" PRIu64 ".%" PRIu64, generation >> CHANGE_BITS,
             generation % (UINT64_C(1) << CHANGE_BITS));
    return text;
}

void finding_describe(char text[static FINDING_TEXT], const struct finding *f,
                      const struct pattern *p)
{
    static const char *const found[] = {
        [DAMAGE_NONE] = "the same",          [DAMAGE_FLIPPED] = "changed bytes",
        [DAMAGE_STALE] = "generation",       [DAMAGE_TORN] = "parts of another write",
        [DAMAGE_MISPLACED] = "what belongs", [DAMAGE_ZEROED] = "zeros",
    };
    char expected[GENERATION_TEXT];
    char other[GENERATION_TEXT] = "";
    char more[GENERATION_TEXT * 2] = "";
    if (f->damage == DAMAGE_STALE)
        snprintf(more, sizeof more, " %s", generation_text(other, f->found.generation));
    if (f->damage == DAMAGE_MISPLACED)
        snprintf(more, sizeof more, " into data file %" PRIu64 " at %" PRIu64, f->found.file,
                 f->found.unit * p->unit_bytes);
    snprintf(text, FINDING_TEXT, "%s: generation %s expected, %s%s found", damage_name(f->damage),
             generation_text(expected, f->expected.generation), found[f->damage], more);
}
