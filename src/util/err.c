// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/err.h"

#include <stdarg.h>

#include "util/portable.h"
#include "util/printable.h"

void err_init(struct err *e)
{
    e->code = 0;
    e->text[0] = '\0';
}

/* Room that stays free for the reason, however long the path before it is. */
#define REASON_ROOM 80

static void store_failure(struct err *e, int code, const char *reason, const char *format,
                          va_list arguments)
{
    if (!e || e->code != 0)
        return;
    e->code = code;
    vsnprintf(e->text, sizeof e->text - REASON_ROOM, format, arguments);
    if (reason) {
        size_t used = strlen(e->text);
        snprintf(e->text + used, sizeof e->text - used, ": %s", reason);
    }
    make_printable(e->text);
}

int err_system(struct err *e, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    store_failure(e, code, portable_reason(code), format, arguments);
    va_end(arguments);
    return -code;
}

int err_say(struct err *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    store_failure(e, EINVAL, NULL, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

void err_append(struct err *e, const struct err *further)
{
    if (further->code == 0)
        return;
    if (e->code == 0) {
        *e = *further;
        return;
    }
    size_t used = strlen(e->text);
    snprintf(e->text + used, sizeof e->text - used, "; %s", further->text);
}

/* Room for a message. The text of any failure is shorter. */
#define MESSAGE_TEXT 1024

void message(const char *format, ...)
{
    char text[MESSAGE_TEXT];
    char lines[WRAPPED_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_printable(text);
    bool is_wrapped = isatty(STDERR_FILENO);
    if (is_wrapped)
        wrap_text(lines, strlen(program_name) + 2, text);
    fprintf(stderr, "%s: %s\n", program_name, is_wrapped ? lines : text);
}

bool answer_is_shown(bool is_text)
{
    return is_text && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}
