#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/printable.h"

void err_init(struct err *e)
{
    e->code = 0;
    e->text[0] = '\0';
}

/* However long a path is, the reason behind it stays. */
#define REASON_ROOM 80

/* Takes the text; false when e is set already. */
static bool take(struct err *e, int code, const char *format, va_list arguments)
{
    if (e->code != 0)
        return false;
    e->code = code;
    vsnprintf(e->text, sizeof e->text - REASON_ROOM, format, arguments);
    return true;
}

int err_system(struct err *e, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool taken = take(e, code, format, arguments);
    va_end(arguments);
    if (!taken)
        return -code;

    /* strerror is not safe in threads, and the forked seekers may not use malloc: use the
     * description that glibc and POSIX 2024 keep in constant memory. */
    const char *reason = strerrordesc_np(code);
    size_t used = strlen(e->text);
    snprintf(e->text + used, sizeof e->text - used, ": %s", reason ? reason : "unknown error");
    make_printable(e->text);
    return -code;
}

int err_say(struct err *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool taken = take(e, EINVAL, format, arguments);
    va_end(arguments);
    if (taken)
        make_printable(e->text);
    return -EINVAL;
}
