#include "bonload/ledger/credentials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *credentials_end(char *url)
{
    if (!name_is_url(url))
        return NULL;
    char *from = strstr(url, "//") + 2;
    return memrchr(from, '@', strcspn(from, "/?#"));
}

/*
 * Rearranges "SCHEME USER:PASSWORD @ REST" to "USER:PASSWORD NUL SCHEME REST", which has the same
 * length. Returns the new start of the name.
 */
static char *part_line(char *line, char *end)
{
    char scheme[sizeof "https://"];
    size_t before = (size_t)(strstr(line, "//") + 2 - line);
    size_t length = (size_t)(end - line) - before;
    memcpy(scheme, line, before);
    memmove(line, line + before, length);
    line[length] = '\0';
    memcpy(line + length + 1, scheme, before);
    return line + length + 1;
}

int credentials_take(struct names *n, struct err *e)
{
    for (uint64_t i = 0; i < n->line_count; i++) {
        char *end = credentials_end(n->lines[i]);
        if (!end)
            continue;
        if (!n->credentials)
            n->credentials = calloc(n->line_count, sizeof *n->credentials);
        if (!n->credentials)
            return err_system(e, ENOMEM, "memory for the names");
        n->credentials[i] = n->lines[i];
        n->lines[i] = part_line(n->lines[i], end);
    }
    return 0;
}

const char *credentials_of(const struct names *n, uint64_t number)
{
    return n->credentials ? n->credentials[(names_number(n, number) - 1) % n->line_count] : NULL;
}
