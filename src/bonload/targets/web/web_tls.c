#include "bonload/targets/web/web.h"

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

int web_tls_open(struct web_shared *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    /* Go programs take the authorities from the same variable */
    const char *authorities =
        settings->authorities ? settings->authorities : getenv("SSL_CERT_FILE");
    const char *const paths[TLS_FILES] = {settings->certificate, settings->key, authorities};
    int rc = 0;
    for (unsigned i = 0; i < TLS_FILES; i++) {
        s->tls_files[i] = -1;
        if (rc == 0 && paths[i] && *paths[i])
            rc = open_plain(&s->tls_files[i], paths[i], e);
    }
    return rc;
}

void web_tls_set(const struct web_shared *s, CURL *c)
{
    static const CURLoption options[TLS_FILES] = {CURLOPT_SSLCERT, CURLOPT_SSLKEY, CURLOPT_CAINFO};
    bool is_verified = !s->setup.plan->settings->insecure_https;
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, is_verified ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, is_verified ? 2L : 0L);
    for (unsigned i = 0; i < TLS_FILES; i++) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", s->tls_files[i]);
        if (s->tls_files[i] >= 0)
            curl_easy_setopt(c, options[i], path);
    }
}

void web_tls_close(struct web_shared *s)
{
    for (unsigned i = 0; i < TLS_FILES; i++)
        descriptor_close(&s->tls_files[i]);
}
