// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify/pattern.h"

#include <endian.h>

#include "util/rng.h"

/* An odd 64-bit number. No two files have the same product with it. */
#define FILE_STEP UINT64_C(0xd6e8feb86659fd93)

#define SECTOR_WORDS (PATTERN_UNIT_MIN / sizeof(uint64_t))
#define STAMP_WORDS  (sizeof(struct pattern_stamp) / sizeof(uint64_t))

/* All runs use the same random words, so a part of any run's unit can be told from garbage. */
#define POOL_SEED UINT64_C(0x626f6e6e6965)

static uint64_t key_of(uint64_t seed, uint64_t run)
{
    return rng_mix(rng_mix(seed) ^ run);
}

void pattern_init(struct pattern *p, enum data_kind kind, unsigned percent, size_t unit_bytes,
                  uint64_t seed, uint64_t run)
{
    struct rng rng;
    rng_init(&rng, POOL_SEED, 0);
    size_t words = unit_bytes / sizeof(uint64_t);
    *p = (struct pattern){.kind = kind, .seed = seed, .unit_bytes = unit_bytes};
    p->random_words = kind == DATA_COMPRESS ? words * percent / 100 : words;
    for (size_t i = 0; i < PATTERN_MAX_WORDS; i++)
        p->pool[i] = htole64(rng_next(&rng));
    pattern_begin_run(p, run);
}

void pattern_begin_run(struct pattern *p, uint64_t run)
{
    p->run = run;
    p->key = key_of(p->seed, run);
}

size_t pattern_unit_for(uint64_t bytes)
{
    size_t unit = PATTERN_UNIT_MAX;
    while (unit > PATTERN_UNIT_MIN && bytes % unit != 0)
        unit /= 2;
    return unit;
}

/* The check word of a unit, from the key of the unit's run. Mixes in only two rounds, because every
 * unit that is made or checked needs it. */
static uint64_t check_of(uint64_t key, const struct pattern_place *place)
{
    uint64_t where = key ^ place->file * FILE_STEP ^ place->unit;
    return rng_mix(rng_mix(where) ^ place->generation);
}

static bool all_zero(const uint64_t *words, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= words[i];
    return any == 0;
}

/* Whether a unit has the stamp and the check word of a place. */
static inline bool has_stamp(const struct pattern *p, const uint64_t *words, size_t last,
                             const struct pattern_place *place)
{
    const struct pattern_stamp *got = (const void *)words;
    const struct pattern_origin *o = &got->origin;
    if (p->kind == DATA_ZERO)
        return (o->seed | o->run | o->place.file | o->place.unit | o->place.generation |
                got->check | words[last]) == 0;
    uint64_t check = htole64(check_of(p->key, place));
    return ((o->seed ^ htole64(p->seed)) | (o->run ^ htole64(p->run)) |
            (o->place.file ^ htole64(place->file)) | (o->place.unit ^ htole64(place->unit)) |
            (o->place.generation ^ htole64(place->generation)) | (got->check ^ check) |
            (words[last] ^ check)) == 0;
}

size_t pattern_sound_bytes(const struct pattern *p, const void *units, size_t length,
                           const struct pattern_place *first)
{
    const uint64_t *words = units;
    const size_t count = p->unit_bytes / sizeof *words;
    struct pattern_place place = *first;
    size_t sound = 0;
    while (length - sound >= p->unit_bytes && has_stamp(p, words, count - 1, &place)) {
        sound += p->unit_bytes;
        words += count;
        place.unit++;
    }
    return sound;
}

struct pattern_stamp pattern_stamp_read(const void *unit)
{
    uint64_t words[STAMP_WORDS];
    struct pattern_stamp stamp;
    memcpy(words, unit, sizeof words);
    for (size_t i = 0; i < STAMP_WORDS; i++)
        words[i] = le64toh(words[i]);
    memcpy(&stamp, words, sizeof stamp);
    return stamp;
}

/* Fills one sector. Its fixed length lets the compiler use vector instructions. */
static void fill_sector(uint64_t *restrict to, const uint64_t *restrict pool, uint64_t key)
{
#pragma GCC unroll 8 /* without it, the speed of the loop depends on where the linker puts it */
    for (size_t i = 0; i < SECTOR_WORDS; i++)
        to[i] = pool[i] ^ key;
}

/* Fills a whole unit. `words` must be aligned for uint64_t. */
static void fill_unit(const struct pattern *p, uint64_t *words, const struct pattern_place *place)
{
    const struct pattern_stamp made = {
        .origin = {.seed = p->seed, .run = p->run, .place = *place},
        .check = check_of(p->key, place),
    };
    const struct pattern_stamp stamp = pattern_stamp_read(&made); /* swaps bytes both ways */
    size_t count = p->unit_bytes / sizeof *words;
    size_t i = 0;
    for (; i + SECTOR_WORDS <= p->random_words; i += SECTOR_WORDS)
        fill_sector(words + i, p->pool + i, stamp.check);
    for (; i < p->random_words; i++)
        words[i] = p->pool[i] ^ stamp.check;
    memset(words + i, 0, (count - i) * sizeof *words);
    memcpy(words, &stamp, sizeof stamp);
    /* distinguishes the check word from a changed one */
    words[count - 2] = p->pool[count - 2] ^ stamp.check;
    words[count - 1] = stamp.check;
}

void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation)
{
    if (p->kind == DATA_ZERO) {
        memset(buffer, 0, length);
        return;
    }
    char *to = buffer;
    uint64_t whole[PATTERN_MAX_WORDS];
    struct pattern_place place = {
        .file = file, .unit = offset / p->unit_bytes, .generation = generation};
    size_t skip = (size_t)(offset % p->unit_bytes);
    for (; length > 0; place.unit++) {
        size_t part = p->unit_bytes - skip;
        part = MIN(part, length);
        bool is_whole = part == p->unit_bytes && (uintptr_t)to % _Alignof(uint64_t) == 0;
        // cppcheck-suppress legacyUninitvar // fill_unit() fills it
        fill_unit(p, is_whole ? (uint64_t *)(void *)to : whole, &place);
        if (!is_whole)
            memcpy(to, (char *)whole + skip, part);
        to += part;
        length -= part;
        skip = 0;
    }
}

bool pattern_is_of_run(const struct pattern *p, const struct pattern_origin *origin)
{
    return origin->seed == p->seed && origin->run == p->run;
}

/* Whether the first words of a unit are the stamp of any run and place, with a right hash. */
static bool stamp_is_sound(const struct pattern_stamp *stamp)
{
    const struct pattern_origin *o = &stamp->origin;
    return stamp->check == check_of(key_of(o->seed, o->run), &o->place);
}

/* Whether the sector that begins at word `first` is as a write of this program left it: all zeros,
 * as in a place that was never written, or made with a single key. */
static bool sector_is_whole(const struct pattern *p, const uint64_t *unit, size_t first)
{
    size_t last = p->unit_bytes / sizeof *unit - 1;
    size_t i = first;
    size_t end = first + SECTOR_WORDS;
    uint64_t key = unit[first] ^ p->pool[first];
    if (all_zero(unit + first, SECTOR_WORDS))
        return true;
    if (first == 0) {
        struct pattern_stamp stamp = pattern_stamp_read(unit);
        if (!stamp_is_sound(&stamp))
            return false;
        key = htole64(stamp.check);
        i = STAMP_WORDS;
    }
    if (end > last) {
        key = unit[last];
        end = last;
    }
    for (; i < end; i++) {
        bool is_random = i < p->random_words || i == last - 1; /* not one of the zeros at the end */
        if (unit[i] != (is_random ? p->pool[i] ^ key : 0))
            return false;
    }
    return true;
}

/* Finds out what is wrong with a corrupted unit. Slow, but called only for such units. *origin
 * becomes what the stamp of a whole unit says that was made for another place or by another run. */
static enum corruption_kind classify_corruption(const struct pattern *p, const uint64_t *got,
                                                const uint64_t *right,
                                                struct pattern_origin *origin)
{
    const struct pattern_place expected = origin->place;
    const struct pattern_stamp stamp = pattern_stamp_read(got);
    const struct pattern_place *place = &stamp.origin.place;
    uint64_t whole[PATTERN_MAX_WORDS];
    size_t count = p->unit_bytes / sizeof *got;
    bool is_torn = true; /* no sector is damaged in itself */
    bool has_right = false;
    if (all_zero(got, count))
        return CORRUPTION_ZEROED;
    for (size_t i = 0; i < count; i += SECTOR_WORDS) {
        bool is_right = memcmp(got + i, right + i, PATTERN_UNIT_MIN) == 0;
        has_right |= is_right && !all_zero(right + i, SECTOR_WORDS); /* zero in all runs */
        is_torn &= is_right || sector_is_whole(p, got, i);
    }
    if (stamp_is_sound(&stamp)) {
        *origin = stamp.origin;
        /* the other run may have used units of another size or kind */
        if (!pattern_is_of_run(p, origin) && !has_right)
            return CORRUPTION_STALE;
        fill_unit(p, whole, place);
        if (pattern_is_of_run(p, origin) && memcmp(got, whole, p->unit_bytes) == 0)
            return place->file == expected.file && place->unit == expected.unit
                       ? CORRUPTION_STALE
                       : CORRUPTION_MISDIRECTED;
    }
    /* a device writes a sector as a whole */
    return is_torn && count > SECTOR_WORDS ? CORRUPTION_TORN : CORRUPTION_FLIPPED;
}

enum corruption_kind pattern_check(const struct pattern *p, const void *unit,
                                   const struct pattern_place *expected, bool full,
                                   struct pattern_origin *found)
{
    const uint64_t *words = unit;
    size_t count = p->unit_bytes / sizeof *words;
    *found = (struct pattern_origin){.seed = p->seed, .run = p->run, .place = *expected};
    if (p->kind == DATA_ZERO)
        return (full ? all_zero(words, count) : has_stamp(p, words, count - 1, expected))
                   ? CORRUPTION_NONE
                   : CORRUPTION_FLIPPED;
    const struct pattern_stamp got = pattern_stamp_read(unit);
    if (expected->generation == PATTERN_ANY && stamp_is_sound(&got))
        found->place.generation = got.origin.place.generation;
    bool same = has_stamp(p, words, count - 1, &found->place);
    if (same && !full)
        return CORRUPTION_NONE;
    uint64_t whole[PATTERN_MAX_WORDS];
    fill_unit(p, whole, &found->place);
    if (same && memcmp(unit, whole, p->unit_bytes) == 0)
        return CORRUPTION_NONE;
    return classify_corruption(p, words, whole, found);
}

const char *const corruption_kind_names[] = {
    [CORRUPTION_NONE] = "sound",
    [CORRUPTION_FLIPPED] = "flipped",
    [CORRUPTION_STALE] = "stale",
    [CORRUPTION_TORN] = "torn",
    [CORRUPTION_MISDIRECTED] = "misdirected",
    [CORRUPTION_ZEROED] = "zeroed",
    [CORRUPTION_UNREADABLE] = "unreadable",
};
