#include "bonload/goader.h"

#include <stdio.h>
#include <string.h>

#include "bonload/ledger/credentials.h"
#include "util/message.h"

int goader_take_credentials(struct settings *s, struct err *e)
{
    if (!s->url)
        return 0;
    char *at = credentials_end((char *)s->url);
    if (!at)
        return 0;
    char *from = strstr((char *)s->url, "//") + 2;
    size_t length = (size_t)(at - from);
    size_t rest = strlen(at + 1) + 1;
    bool fits = length < sizeof s->credentials;
    snprintf(s->credentials, sizeof s->credentials, "%.*s", (int)length, from);
    memmove(from, at + 1, rest);
    memset(from + rest, 0, length);
    return fits ? 0
                : err_say(e, "-url: a user's name and password of more than %zu characters",
                          sizeof s->credentials - 1);
}

int goader_passes(const struct settings *s, int rc, struct err *e)
{
    if (rc == 0 || !s->as_goader)
        return rc;
    message("%s; it is left out", e->text);
    err_init(e);
    return 0;
}
