#include "bonload/targets/s3/xml_text.h"

#include <string.h>

struct entity {
    const char *name;
    char byte;
};

static const struct entity entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'},
};

static bool begins_with(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* The start of the element's text; NULL: there is no such element. */
static const char *find_element(const char *at, const char *end, const char *element)
{
    size_t length = strlen(element);
    for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
        const char *behind = at + 1 + length;
        if (!begins_with(at + 1, end, element) || behind >= end)
            continue;
        if (*behind == '>')
            return behind + 1;
    }
    return NULL;
}

/* Returns the byte at *at, and moves *at past it. */
static char take_byte(const char **at, const char *end)
{
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        if (!begins_with(*at, end, entities[i].name))
            continue;
        *at += strlen(entities[i].name);
        return entities[i].byte;
    }
    return *(*at)++;
}

bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size)
{
    const char *end = xml + length;
    const char *at = length > 0 ? find_element(xml, end, element) : NULL;
    size_t used = 0;
    text[0] = '\0';
    const char *stop = at ? memchr(at, '<', (size_t)(end - at)) : NULL;
    if (!stop)
        return false;
    while (at < stop && used + 1 < size)
        text[used++] = take_byte(&at, stop);
    text[used] = '\0';
    return true;
}
