#include "pattern.h"

#include <string.h>

#include "util/rng.h"

/* An odd number of 64 bits: no unit of another file has the same place in the hash. */
#define FILE_STEP UINT64_C(0xd6e8feb86659fd93)

#define SECTOR_WORDS (PATTERN_UNIT_MIN / sizeof(uint64_t))
#define STAMP_WORDS  (sizeof(struct pattern_stamp) / sizeof(uint64_t))

void pattern_init(struct pattern *p, enum data_kind kind, unsigned percent, size_t unit_bytes,
                  uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed, 0);
    size_t words = unit_bytes / sizeof(uint64_t);
    *p = (struct pattern){
        .kind = kind, .seed = seed, .seed_key = rng_mix(seed), .unit_bytes = unit_bytes};
    p->random_words = kind == DATA_COMPRESS ? words * percent / 100 : words;
    for (size_t i = 0; i < PATTERN_MAX_WORDS; i++)
        p->pool[i] = rng_next(&rng);
}

size_t pattern_unit_for(uint64_t bytes)
{
    size_t unit = PATTERN_UNIT_MAX;
    while (unit > PATTERN_UNIT_MIN && bytes % unit != 0)
        unit /= 2;
    return unit;
}

/* Two rounds of mixing: this is done for every unit that is made or checked. */
static uint64_t check_of(const struct pattern *p, const struct pattern_place *place)
{
    uint64_t where = p->seed_key ^ place->file * FILE_STEP ^ place->unit;
    return rng_mix(rng_mix(where) ^ place->generation);
}

static struct pattern_stamp make_stamp(const struct pattern *p, const struct pattern_place *place)
{
    return (struct pattern_stamp){.seed = p->seed, .place = *place, .check = check_of(p, place)};
}

/* One sector; its fixed length lets the compiler use vectors. */
static void fill_sector(uint64_t *restrict to, const uint64_t *restrict pool, uint64_t key)
{
#pragma GCC unroll 8 /* without it, how fast the loop is depends on where the linker puts it */
    for (size_t i = 0; i < SECTOR_WORDS; i++)
        to[i] = pool[i] ^ key;
}

/* words must be aligned for uint64_t. */
static void fill_unit(const struct pattern *p, uint64_t *words, const struct pattern_place *place)
{
    struct pattern_stamp stamp = make_stamp(p, place);
    size_t count = p->unit_bytes / sizeof *words;
    size_t i = 0;
    for (; i + SECTOR_WORDS <= p->random_words; i += SECTOR_WORDS)
        fill_sector(words + i, p->pool + i, stamp.check);
    for (; i < p->random_words; i++)
        words[i] = p->pool[i] ^ stamp.check;
    memset(words + i, 0, (count - i) * sizeof *words);
    memcpy(words, &stamp, sizeof stamp);
    words[count - 2] =
        p->pool[count - 2] ^ stamp.check; /* tells the check word from a changed one */
    words[count - 1] = stamp.check;
}

/* Part of one unit: made whole on the side, then copied. */
static void fill_part(const struct pattern *p, void *buffer, size_t length, size_t skip,
                      const struct pattern_place *place)
{
    uint64_t whole[PATTERN_MAX_WORDS];
    fill_unit(p, whole, place);
    memcpy(buffer, (char *)whole + skip, length);
}

void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation)
{
    if (p->kind == DATA_ZERO) {
        memset(buffer, 0, length);
        return;
    }
    char *to = buffer;
    struct pattern_place place = {
        .file = file, .unit = offset / p->unit_bytes, .generation = generation};
    size_t skip = (size_t)(offset % p->unit_bytes);
    for (; length > 0; place.unit++) {
        size_t part = p->unit_bytes - skip;
        if (part > length)
            part = length;
        if (part == p->unit_bytes && (uintptr_t)to % _Alignof(uint64_t) == 0)
            fill_unit(p, (uint64_t *)(void *)to, &place);
        else
            fill_part(p, to, part, skip, &place);
        to += part;
        length -= part;
        skip = 0;
    }
}

static bool all_zero(const uint64_t *words, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= words[i];
    return any == 0;
}

/* Whether a unit begins with a stamp of this run, whatever its place, and its hash is right. */
static bool stamp_is_sound(const struct pattern *p, const struct pattern_stamp *stamp)
{
    return stamp->seed == p->seed && stamp->check == check_of(p, &stamp->place);
}

/* What word i of a unit with that key is, but for the stamp and the check word. */
static uint64_t word_of(const struct pattern *p, size_t i, uint64_t key)
{
    bool is_random = i < p->random_words || i == p->unit_bytes / sizeof key - 2;
    return is_random ? p->pool[i] ^ key : 0;
}

/*
 * Whether the sector from word `first` on is what some write of this program put there: nothing but
 * zeros, as in a place never written, or made with one key throughout.
 */
static bool sector_is_whole(const struct pattern *p, const uint64_t *unit, size_t first)
{
    size_t last = p->unit_bytes / sizeof *unit - 1;
    size_t i = first;
    size_t end = first + SECTOR_WORDS;
    uint64_t key = unit[first] ^ p->pool[first];
    if (all_zero(unit + first, SECTOR_WORDS))
        return true;
    if (first == 0) {
        struct pattern_stamp stamp;
        memcpy(&stamp, unit, sizeof stamp);
        if (!stamp_is_sound(p, &stamp))
            return false;
        key = stamp.check;
        i = STAMP_WORDS;
    }
    if (end > last) {
        key = unit[last];
        end = last;
    }
    while (i < end && unit[i] == word_of(p, i, key))
        i++;
    return i == end;
}

/* Whether a unit is what its own stamp says, which is put into *place if the stamp is sound. */
static bool is_another_unit(const struct pattern *p, const uint64_t *got,
                            struct pattern_place *place)
{
    uint64_t whole[PATTERN_MAX_WORDS];
    struct pattern_stamp stamp;
    memcpy(&stamp, got, sizeof stamp);
    if (!stamp_is_sound(p, &stamp))
        return false;
    *place = stamp.place;
    fill_unit(p, whole, place);
    return memcmp(got, whole, p->unit_bytes) == 0;
}

/* What is wrong with a unit that is not what it should be: the slow part, for damaged ones only. */
static enum damage classify(const struct pattern *p, const uint64_t *got, const uint64_t *right,
                            struct pattern_place *place)
{
    const struct pattern_place expected = *place;
    size_t count = p->unit_bytes / sizeof *got;
    if (all_zero(got, count))
        return DAMAGE_ZEROED;
    if (is_another_unit(p, got, place))
        return place->file == expected.file && place->unit == expected.unit ? DAMAGE_STALE
                                                                            : DAMAGE_MISPLACED;
    if (count == SECTOR_WORDS) /* a device writes a sector as a whole */
        return DAMAGE_FLIPPED;
    for (size_t i = 0; i < count; i += SECTOR_WORDS)
        if (memcmp(got + i, right + i, PATTERN_UNIT_MIN) != 0 && !sector_is_whole(p, got, i))
            return DAMAGE_FLIPPED;
    return DAMAGE_TORN;
}

static enum damage check_zeros(const struct pattern *p, const uint64_t *words, bool full)
{
    size_t count = p->unit_bytes / sizeof *words;
    bool right = all_zero(words, full ? count : STAMP_WORDS) && words[count - 1] == 0;
    return right ? DAMAGE_NONE : DAMAGE_FLIPPED;
}

enum damage pattern_check(const struct pattern *p, const void *unit,
                          const struct pattern_place *expected, bool full,
                          struct pattern_place *found)
{
    const uint64_t *words = unit;
    *found = *expected;
    if (p->kind == DATA_ZERO)
        return check_zeros(p, words, full);
    struct pattern_stamp got;
    struct pattern_stamp right = make_stamp(p, expected);
    memcpy(&got, unit, sizeof got);
    if (expected->generation == PATTERN_ANY && stamp_is_sound(p, &got)) {
        right.place.generation = got.place.generation;
        right.check = check_of(p, &right.place);
    }
    bool same = memcmp(&got, &right, sizeof got) == 0 &&
                words[p->unit_bytes / sizeof *words - 1] == right.check;
    if (same && !full)
        return DAMAGE_NONE;
    uint64_t whole[PATTERN_MAX_WORDS];
    fill_unit(p, whole, &right.place);
    if (same && memcmp(unit, whole, p->unit_bytes) == 0)
        return DAMAGE_NONE;
    *found = right.place;
    return classify(p, words, whole, found);
}

const char *damage_name(enum damage damage)
{
    static const char *const names[] = {
        [DAMAGE_NONE] = "sound", [DAMAGE_FLIPPED] = "flipped",     [DAMAGE_STALE] = "stale",
        [DAMAGE_TORN] = "torn",  [DAMAGE_MISPLACED] = "misplaced", [DAMAGE_ZEROED] = "zeroed",
    };
    return names[damage];
}
