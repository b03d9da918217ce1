#include "bonload/targets/web/web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sys/input.h"
#include "util/descriptor.h"

static int open_plain(int *fd, const char *path, struct err *e)
{
    struct stat facts;
    *fd = input_open("open", path, e);
    if (*fd < 0)
        return *fd;
    if (fstat(*fd, &facts) != 0)
        return err_system(e, errno, "open %s", path);
    return S_ISREG(facts.st_mode) ? 0 : err_say(e, "open %s: it is not a plain file", path);
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
