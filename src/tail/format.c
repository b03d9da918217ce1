#include "tail/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the declaration from `from` to `end` ("char rwbs[10]") declares `name`. */
static bool declares(const char *from, const char *end, const char *name)
{
    const char *bracket = memchr(from, '[', (size_t)(end - from));
    const char *type = "__data_loc ";
    if (bracket && strncmp(from, type, strlen(type)) != 0)
        end = bracket;
    size_t length = strlen(name);
    if ((size_t)(end - from) <= length || strncmp(end - length, name, length) != 0)
        return false;
    return end[-(ptrdiff_t)length - 1] == ' ';
}

bool tail_format_field(const char *text, const char *name, struct tail_field *field)
{
    *field = (struct tail_field){0};
    for (const char *at = strstr(text, "field:"); at; at = strstr(at, "field:")) {
        at += strlen("field:");
        at += strspn(at, " ");
        const char *end = strchr(at, ';');
        if (!end)
            return false;
        if (!declares(at, end, name))
            continue;
        field->is_text = memchr(at, '[', (size_t)(end - at)) != NULL;
        return sscanf(end, ";\toffset:%u;\tsize:%u;", &field->offset, &field->size) == 2;
    }
    return false;
}

bool tail_format_id(const char *text, unsigned *id)
{
    const char *at = strstr(text, "\nID:");
    return at && sscanf(at, "\nID: %u", id) == 1;
}

uint64_t tail_field_value(const struct tail_field *field, const unsigned char *record, size_t bytes)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    if (field->offset > bytes || field->size > bytes - field->offset)
        return 0;
    switch (field->size) {
    case 1:
        memcpy(&one, record + field->offset, sizeof one);
        return one;
    case 2:
        memcpy(&two, record + field->offset, sizeof two);
        return two;
    case 4:
        memcpy(&four, record + field->offset, sizeof four);
        return four;
    case 8:
        memcpy(&eight, record + field->offset, sizeof eight);
        return eight;
    default:
        return 0;
    }
}
