#ifndef BONLOAD_TARGETS_WEB_WEB_HEADERS_H
#define BONLOAD_TARGETS_WEB_WEB_HEADERS_H

#include "bonload/targets/web/web_state.h"

/*
 * Adds the headers that every request has to those of a target: the user's, one per line, and those
 * that keep libcurl from adding its own. Their values are secrets from then on. Returns 0 or a
 * negative errno.
 */
int web_headers_add(struct web_shared *s, const char *given, struct err *e);

#endif
