// SPDX-License-Identifier: GPL-2.0-or-later
/* Data from storage: the first byte selects the contents, the next ones the place, and the others
 * overwrite what should be there. Corruption must be found exactly when there is some. */
#include <stdbool.h>

#include "fuzz.h"
#include "verify/pattern.h"

enum { HEAD = 4 };

static void check(const struct pattern *p, uint64_t *unit, const uint8_t *data, size_t size)
{
    const struct pattern_place place = {.file = data[1], .unit = data[2], .generation = 2};
    struct pattern_place any = place;
    struct pattern_origin found;
    uint64_t right[PATTERN_MAX_WORDS];
    pattern_fill(p, right, p->unit_bytes, place.file, place.unit * p->unit_bytes, place.generation);
    memcpy(unit, right, p->unit_bytes);
    size_t at = data[3] * 16u % p->unit_bytes;
    size_t length = size - HEAD < p->unit_bytes - at ? size - HEAD : p->unit_bytes - at;
    memcpy((char *)unit + at, data + HEAD, length);

    bool same = memcmp(unit, right, p->unit_bytes) == 0;
    enum corruption_kind kind = pattern_check(p, unit, &place, true, &found);
    MUST((kind == CORRUPTION_NONE) == same);
    MUST(corruption_kind_names[kind][0] != '\0');
    MUST(!same || pattern_check(p, unit, &place, false, &found) == CORRUPTION_NONE);
    any.generation = PATTERN_ANY;
    MUST(!same || pattern_check(p, unit, &any, true, &found) == CORRUPTION_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pattern p;
    if (size < HEAD)
        return 0;
    enum data_kind kind = (enum data_kind)(data[0] % 3);
    size_t unit_bytes = (size_t)PATTERN_UNIT_MIN << (data[0] >> 2) % 4;
    pattern_init(&p, kind, 1 + data[0] % 100, unit_bytes, 7, 1);
    uint64_t *unit = malloc(unit_bytes);
    MUST(unit);
    check(&p, unit, data, size);
    free(unit);
    return 0;
}
