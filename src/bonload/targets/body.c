#include "bonload/targets/body.h"

#include <string.h>

/*
 * The lowest SIZE_BITS bits of a generation are the body's size, up to 1 TiB. The bits above are
 * the number of the write.
 */
#define SIZE_BITS 41

uint64_t body_generation(uint64_t number, uint64_t size)
{
    return number << SIZE_BITS | (size & ((UINT64_C(1) << SIZE_BITS) - 1));
}

uint64_t body_size(uint64_t generation)
{
    return generation & ((UINT64_C(1) << SIZE_BITS) - 1);
}

void body_fill(const struct pattern *p, const struct body *body, uint64_t offset, void *to,
               size_t length)
{
    if (body->given)
        memcpy(to, body->given->bytes + offset, length);
    else
        pattern_fill(p, to, length, body->object, offset, body->generation);
}

/*
 * The generation in the stamp at the start of a body; PATTERN_ANY if the stamp is damaged, or was
 * not made with this seed.
 */
static uint64_t stamped_generation(const struct pattern *p, const struct body *body,
                                   const void *part, size_t length)
{
    unsigned char right[sizeof(struct pattern_stamp)];
    if (length < sizeof right)
        return PATTERN_ANY;
    uint64_t generation = pattern_stamp_read(part).origin.place.generation;
    pattern_fill(p, right, sizeof right, body->object, 0, generation);
    return memcmp(part, right, sizeof right) == 0 ? generation : PATTERN_ANY;
}

/* Checks a piece of a body that lies within one unit. */
static enum corruption_kind check_piece(const struct pattern *p, bool full, const struct body *body,
                                        uint64_t offset, const unsigned char *piece, size_t length)
{
    unsigned char right[PATTERN_UNIT_MAX];
    struct pattern_origin found;
    const struct pattern_place expected = {
        .file = body->object, .unit = offset / p->unit_bytes, .generation = body->generation};
    if (length == p->unit_bytes && (uintptr_t)piece % _Alignof(uint64_t) == 0)
        return pattern_check(p, piece, &expected, full, &found);
    pattern_fill(p, right, length, body->object, offset, body->generation);
    return memcmp(piece, right, length) == 0 ? CORRUPTION_NONE : CORRUPTION_FLIPPED;
}

enum corruption_kind body_check(const struct pattern *p, enum verify_mode verify, struct body *body,
                                uint64_t offset, const void *part, size_t length,
                                uint64_t *checked_bytes)
{
    const unsigned char *at = part;
    if (body->given) {
        const struct given_body *given = body->given;
        bool is_inside = length <= given->size && offset <= given->size - length;
        *checked_bytes += length;
        return is_inside && memcmp(part, given->bytes + offset, length) == 0 ? CORRUPTION_NONE
                                                                             : CORRUPTION_FLIPPED;
    }
    if (offset == 0 && body->generation == PATTERN_ANY) {
        body->generation = stamped_generation(p, body, part, length);
        if (body->generation == PATTERN_ANY)
            return length < sizeof(struct pattern_stamp) ? CORRUPTION_NONE : CORRUPTION_FLIPPED;
    }
    if (body->generation == PATTERN_ANY)
        return CORRUPTION_NONE;
    while (length > 0) {
        size_t piece = p->unit_bytes - (size_t)(offset % p->unit_bytes);
        if (piece > length)
            piece = length;
        enum corruption_kind damage =
            check_piece(p, verify == VERIFY_FULL, body, offset, at, piece);
        if (damage != CORRUPTION_NONE)
            return damage;
        *checked_bytes += piece;
        at += piece;
        offset += piece;
        length -= piece;
    }
    return CORRUPTION_NONE;
}
