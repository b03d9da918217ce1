#include "bonload/targets/web/web_headers.h"

#include <errno.h>
#include <string.h>

static int append_header(struct web_shared *s, const char *line)
{
    struct curl_slist *more = curl_slist_append(s->headers, line);
    if (!more)
        return -ENOMEM;
    s->headers = more;
    return 0;
}

/* The line that was added last, which is libcurl's copy. */
static char *last_line(const struct web_shared *s)
{
    struct curl_slist *last = s->headers;
    while (last->next)
        last = last->next;
    return last->data;
}

/* The start of a header's value. A header without a value ends in a semicolon for libcurl. */
static const char *take_value(char *line)
{
    char *colon = strchr(line, ':');
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    if (*value == '\0')
        strcpy(colon, ";");
    return value;
}

/* Hides a value, and also the second word of "Basic c2VjcmV0" alone. */
static void hide_value(struct web_reasons *r, const char *value)
{
    const char *word = strrchr(value, ' ');
    web_reasons_hide(r, value);
    if (word)
        web_reasons_hide(r, word + 1);
}

static int add_line(struct web_shared *s, const char *line, size_t length)
{
    char copy[SETTINGS_HEADERS];
    memcpy(copy, line, length);
    copy[length] = '\0';
    int rc = append_header(s, copy);
    if (rc == 0)
        hide_value(&s->reasons, take_value(last_line(s)));
    return rc;
}

int web_headers_add(struct web_shared *s, const char *given, struct err *e)
{
    int rc = append_header(s, "Expect:");
    while (rc == 0 && *given) {
        size_t length = strcspn(given, "\n");
        rc = add_line(s, given, length);
        given += length + (given[length] == '\n');
    }
    return rc == 0 ? 0 : err_system(e, -rc, "memory for the headers");
}
