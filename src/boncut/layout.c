// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "boncut/methods/method.h"

void layout_worker_name(char name[LAYOUT_NAME], unsigned method, unsigned worker)
{
    snprintf(name, LAYOUT_NAME, "%s.%u", methods[method].name, worker);
}

void layout_tail_name(char name[LAYOUT_NAME], unsigned method, unsigned worker, uint64_t number)
{
    snprintf(name, LAYOUT_NAME, "%s.%u+%" PRIu64, methods[method].name, worker, number);
}

void layout_side_name(char name[LAYOUT_NAME], unsigned method, unsigned worker, unsigned side)
{
    snprintf(name, LAYOUT_NAME, "%s.%u%c", methods[method].name, worker, 'a' + (int)side);
}

void layout_unit_name(char name[LAYOUT_NAME], uint32_t unit)
{
    snprintf(name, LAYOUT_NAME, "%" PRIu32, unit);
}

void layout_version_name(char name[LAYOUT_NAME], uint32_t unit, uint64_t version)
{
    snprintf(name, LAYOUT_NAME, "%" PRIu32 ".%" PRIu64, unit, version);
}

/* Reads a number of at most 18 digits, and moves *text past it. */
static bool take_digits(const char **text, uint64_t *number)
{
    uint64_t value = 0;
    size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > 18)
        return false;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (uint64_t)((*text)[i] - '0');
    *text += digits;
    *number = value;
    return true;
}

bool layout_parse_version(const char *name, uint32_t *unit, uint64_t *version)
{
    uint64_t number;
    if (!take_digits(&name, &number) || number > UINT32_MAX || *name++ != '.' ||
        !take_digits(&name, version) || *name != '\0')
        return false;
    *unit = (uint32_t)number;
    return true;
}

bool layout_parse_tail(const char *name, unsigned method, unsigned worker, uint64_t *number)
{
    char mine[LAYOUT_NAME];
    layout_worker_name(mine, method, worker);
    size_t length = strlen(mine);
    if (strncmp(name, mine, length) != 0 || name[length] != '+')
        return false;
    name += length + 1;
    return take_digits(&name, number) && *name == '\0';
}

uint64_t layout_stamp(unsigned method, unsigned worker, uint64_t number)
{
    return (uint64_t)(method + 1) << 56 | (uint64_t)worker << 40 | number;
}
