#include "util/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/printable.h"

/* Room for a message. The text of any failure is shorter. */
#define MESSAGE_TEXT 1024

void message(const char *format, ...)
{
    char text[MESSAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_printable(text);
    fprintf(stderr, "%s: %s\n", program_name, text);
}
