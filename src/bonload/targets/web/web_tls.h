#ifndef BONLOAD_TARGETS_WEB_WEB_TLS_H
#define BONLOAD_TARGETS_WEB_WEB_TLS_H

#include <curl/curl.h>

#include "bonload/plan/settings.h"
#include "util/err.h"

/*
 * The files for TLS that the user has named: libcurl opens each of them for every connection. They
 * are found once (sys/named_file.h) and kept open; libcurl gets the names that the kernel has for
 * the descriptors.
 */
enum web_tls_file { TLS_CERTIFICATE, TLS_KEY, TLS_AUTHORITIES, TLS_FILES };

struct web_tls {
    int fds[TLS_FILES]; /* -1: the user has not named it */
};

/*
 * Finds the files, which must be plain ones. Returns 0 or a negative errno with a line in e; in
 * either case web_tls_close() follows.
 */
int web_tls_open(struct web_tls *t, const struct settings *s, struct err *e);

/* Makes a handle use them. */
void web_tls_set(const struct web_tls *t, CURL *c);

void web_tls_close(struct web_tls *t);

#endif
