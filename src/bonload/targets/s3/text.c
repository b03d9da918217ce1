#include "bonload/targets/s3/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void text_begin(struct text *t, char *memory, size_t size)
{
    *t = (struct text){.memory = memory, .size = size};
    memory[0] = '\0';
}

static void put_bytes(struct text *t, const char *more, size_t length)
{
    if (text_is_whole(t)) {
        size_t room = t->size - t->used - 1;
        size_t part = length < room ? length : room;
        memcpy(t->memory + t->used, more, part);
        t->memory[t->used + part] = '\0';
    }
    t->used += length;
}

void text_put(struct text *t, const char *more)
{
    put_bytes(t, more, strlen(more));
}

void text_put_list(struct text *t, const char *const *list)
{
    for (; *list; list++)
        text_put(t, *list);
}

void text_put_byte(struct text *t, char byte)
{
    put_bytes(t, &byte, 1);
}

void text_put_encoded(struct text *t, const char *more, const char *kept)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *more; more++) {
        unsigned char c = (unsigned char)*more;
        const char code[] = {'%', digits[c >> 4], digits[c & 15]};
        if (isalnum(c) || strchr("-._~", c) || strchr(kept, c))
            text_put_byte(t, *more);
        else
            put_bytes(t, code, sizeof code);
    }
}

static const struct entity {
    const char *name;
    char byte;
} entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'},
};

/* Returns the byte at *at, which is before `stop`, and moves *at past it. */
static char take_byte(const char **at, const char *stop)
{
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t length = strlen(entities[i].name);
        if (length > (size_t)(stop - *at) || memcmp(*at, entities[i].name, length) != 0)
            continue;
        *at += length;
        return entities[i].byte;
    }
    return *(*at)++;
}

bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size)
{
    char tag[32];
    int tag_length = snprintf(tag, sizeof tag, "<%s>", element);
    const char *end = xml + length;
    const char *at = memmem(xml, length, tag, (size_t)tag_length);
    const char *stop = NULL;
    size_t used = 0;
    if (at) {
        at += tag_length;
        stop = memchr(at, '<', (size_t)(end - at));
    }
    while (stop && at < stop && used + 1 < size)
        text[used++] = take_byte(&at, stop);
    text[used] = '\0';
    return stop;
}
