#include "bonload/targets/web/web_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "sys/named_file.h"
#include "util/descriptor.h"

static int open_plain(int *fd, const char *path, struct err *e)
{
    struct named_file named;
    int rc = named_file_find(&named, "open", path, e);
    if (rc != 0)
        return rc;
    if (named.fd < 0)
        rc = err_system(e, ENOENT, "open %s", path);
    else if (!S_ISREG(named.facts.st_mode))
        rc = err_say(e, "open %s: it is not a plain file", path);
    else
        rc = *fd = named_file_open(&named, O_RDONLY, e);
    named_file_release(&named);
    return rc < 0 ? rc : 0;
}

/* The file or directory of authorities. Go programs take it from the same variable. */
static const char *authorities_of(const struct settings *s)
{
    return s->authorities ? s->authorities : getenv("SSL_CERT_FILE");
}

int web_tls_open(struct web_tls *t, const struct settings *s, struct err *e)
{
    const char *const paths[TLS_FILES] = {
        [TLS_CERTIFICATE] = s->certificate,
        [TLS_KEY] = s->key,
        [TLS_AUTHORITIES] = authorities_of(s),
    };
    int rc = 0;
    for (unsigned i = 0; i < TLS_FILES; i++) {
        t->fds[i] = -1;
        if (rc == 0 && paths[i] && *paths[i])
            rc = open_plain(&t->fds[i], paths[i], e);
    }
    return rc;
}

void web_tls_set(const struct web_tls *t, CURL *c)
{
    static const CURLoption options[TLS_FILES] = {
        [TLS_CERTIFICATE] = CURLOPT_SSLCERT,
        [TLS_KEY] = CURLOPT_SSLKEY,
        [TLS_AUTHORITIES] = CURLOPT_CAINFO,
    };
    for (unsigned i = 0; i < TLS_FILES; i++) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", t->fds[i]);
        if (t->fds[i] >= 0)
            curl_easy_setopt(c, options[i], path);
    }
}

void web_tls_close(struct web_tls *t)
{
    for (unsigned i = 0; i < TLS_FILES; i++)
        descriptor_close(&t->fds[i]);
}
