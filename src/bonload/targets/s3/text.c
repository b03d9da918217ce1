#include "bonload/targets/s3/text.h"

#include <string.h>

void text_begin(struct text *t, char *memory, size_t size)
{
    *t = (struct text){.memory = memory, .size = size};
    memory[0] = '\0';
}

void text_put_bytes(struct text *t, const char *more, size_t length)
{
    size_t room = text_is_whole(t) ? t->size - t->used - 1 : 0;
    size_t part = length < room ? length : room;
    memcpy(t->memory + (text_is_whole(t) ? t->used : 0), more, part);
    if (text_is_whole(t))
        t->memory[t->used + part] = '\0';
    t->used += length;
}

void text_put(struct text *t, const char *more)
{
    text_put_bytes(t, more, strlen(more));
}

void text_put_byte(struct text *t, char byte)
{
    text_put_bytes(t, &byte, 1);
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void text_put_encoded(struct text *t, const char *more, const char *kept)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *more; more++) {
        unsigned char c = (unsigned char)*more;
        const char code[] = {'%', digits[c >> 4], digits[c & 15]};
        if (is_unreserved(*more) || strchr(kept, *more))
            text_put_byte(t, *more);
        else
            text_put_bytes(t, code, sizeof code);
    }
}
