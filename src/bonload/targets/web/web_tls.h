#ifndef BONLOAD_TARGETS_WEB_WEB_TLS_H
#define BONLOAD_TARGETS_WEB_WEB_TLS_H

#include <curl/curl.h>

#include "bonload/plan/settings.h"
#include "util/err.h"

/*
 * The files for TLS that the user has named. libcurl opens them again for every connection, so they
 * are found once (sys/named_file.h) and kept open, and libcurl gets the names that the kernel has
 * for the descriptors.
 */
enum web_tls_file { TLS_CERTIFICATE, TLS_KEY, TLS_AUTHORITIES, TLS_FILES };

struct web_tls {
    int fds[TLS_FILES]; /* -1: the user has not named the file */
};

/*
 * Finds the files, which must be plain files. Returns 0, or a negative errno with a line in e; the
 * caller must call web_tls_close() in either case.
 */
int web_tls_open(struct web_tls *t, const struct settings *s, struct err *e);

/* Makes a handle use the files. */
void web_tls_set(const struct web_tls *t, CURL *c);

void web_tls_close(struct web_tls *t);

#endif
