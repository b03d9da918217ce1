#include "util/printable.h"

#include <stdbool.h>

/* First of the two bytes of a control character from 0x80 to 0x9f in UTF-8. */
#define C1_LEAD 0xc2

static bool is_c1(const unsigned char *text)
{
    return text[0] == C1_LEAD && text[1] >= 0x80 && text[1] <= 0x9f;
}

void make_printable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (is_c1(at))
            *at++ = '?';
        else if (*at >= ' ' && *at != 0x7f)
            continue;
        *at = '?';
    }
}
