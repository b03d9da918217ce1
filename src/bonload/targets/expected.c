// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/target.h"

#include "sys/path.h"

/* The lowest SIZE_BITS bits are the size of the body, those above the number of the write. */
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

static void expect_write(struct expected_body *x, const struct target_setup *setup, uint64_t number)
{
    x->body.given = setup->given_body;
    x->size = x->body.given ? x->body.given->size : sizes_of(setup->sizes, number);
    /* the number among all ranks: the contents are those that a single process would write */
    x->body.generation = body_generation(stripe_number(&setup->plan->stripe, number), x->size);
    x->is_judged = true;
}

void expected_of_write(struct expected_body *x, const struct target_setup *setup, const char *name,
                       uint64_t number)
{
    x->body.object = names_hash(name, strlen(name));
    expect_write(x, setup, number);
}

void expected_of_read(struct expected_body *x, const struct target_setup *setup, const char *name,
                      uint64_t number, char *other)
{
    *x = (struct expected_body){
        .body = {.object = names_hash(name, strlen(name)), .generation = PATTERN_ANY},
        .size = UINT64_MAX,
        .checked_bytes = x->checked_bytes,
    };
    if (setup->written->names)
        x->version = versions_read(setup->written, x->body.object);
    if (!plan_reads_written(setup->plan)) {
        if (setup->given_body)
            expect_write(x, setup, number);
        x->is_judged = setup->plan->verify != VERIFY_OFF;
    } else if (!setup->written->names ||
               names_are_unique(setup->names, atomic_load(&setup->written->issued))) {
        expect_write(x, setup, number);
    } else {
        uint64_t last = x->version.last;
        if (!x->version.is_quiet || last == 0)
            return;
        if (last != number)
            names_format(setup->names, last, other);
        if (last == number || strcmp(name, other) == 0)
            expect_write(x, setup, last);
    }
}

bool expected_is_overlapped(const struct expected_body *x, const struct target_setup *setup)
{
    return setup->written->names && versions_changed(setup->written, x->body.object, &x->version);
}

void expected_check(struct expected_body *x, const struct target_setup *setup, uint64_t offset,
                    const void *part, size_t length)
{
    const struct pattern *pattern = setup->pattern;
    enum verify_mode verify = setup->plan->verify;
    struct body *body = &x->body;
    const size_t unit = pattern->unit_bytes;
    unsigned char right[PATTERN_UNIT_MAX];
    struct pattern_origin found;
    if (!x->is_judged || x->is_damaged || verify == VERIFY_OFF)
        return;
    if (body->given) {
        size_t size = body->given->size;
        bool is_inside = length <= size && offset <= size - length;
        x->checked_bytes += length;
        x->is_damaged = !is_inside || memcmp(part, body->given->bytes + offset, length) != 0;
        return;
    }
    if (offset == 0 && body->generation == PATTERN_ANY && length >= sizeof(struct pattern_stamp)) {
        uint64_t generation = pattern_stamp_read(part).origin.place.generation;
        pattern_fill(pattern, right, sizeof(struct pattern_stamp), body->object, 0, generation);
        if (memcmp(part, right, sizeof(struct pattern_stamp)) == 0)
            body->generation = generation;
        x->is_damaged = body->generation == PATTERN_ANY; /* or of another seed */
    }
    if (body->generation == PATTERN_ANY)
        return;
    for (const unsigned char *at = part; length > 0 && !x->is_damaged;) {
        size_t piece = MIN(length, unit - (size_t)(offset % unit));
        if (piece == unit && (uintptr_t)at % _Alignof(uint64_t) == 0) {
            const struct pattern_place expected = {
                .file = body->object, .unit = offset / unit, .generation = body->generation};
            x->is_damaged = pattern_check(pattern, at, &expected, verify == VERIFY_FULL, &found) !=
                            CORRUPTION_NONE;
        } else {
            pattern_fill(pattern, right, piece, body->object, offset, body->generation);
            x->is_damaged = memcmp(at, right, piece) != 0;
        }
        x->checked_bytes += x->is_damaged ? 0 : piece;
        at += piece;
        offset += piece;
        length -= piece;
    }
}

uint32_t expected_verdict(const struct expected_body *x, const struct target_setup *setup,
                          uint64_t bytes)
{
    if (!x->is_judged || expected_is_overlapped(x, setup))
        return 0;
    uint64_t size = x->size;
    if (size == UINT64_MAX)
        size = x->body.generation != PATTERN_ANY ? body_size(x->body.generation) : bytes;
    if (bytes == size && !x->is_damaged)
        return 0;
    atomic_fetch_add(&setup->verified->damaged, setup->plan->verify != VERIFY_OFF);
    return failure_of(bytes < size ? CALL_SHORT : CALL_DAMAGED, 0);
}

void failure_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    (void)shared;
    static const char *const calls[] = {
        [CALL_OPEN] = "open: ",
        [CALL_READ] = "read: ",
        [CALL_WRITE] = "write: ",
        [CALL_SYNC] = "fsync: ",
        [CALL_CLOSE] = "close: ",
        [CALL_RENAME] = "rename: ",
        [CALL_UNLINK] = "unlink: ",
        [CALL_SHORT] = "shorter than what was written",
        [CALL_DAMAGED] = "damaged: not what was written",
    };
    uint32_t call = failure >> 16;
    int code = (int)(failure & 0xffff);
    bool is_told = call < COUNT_OF(calls) && calls[call];
    snprintf(text, size, "%s%s", is_told ? calls[call] : "", code ? path_reason(code) : "");
}
