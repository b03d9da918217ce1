#ifndef BONLOAD_TARGETS_WEB_WEB_HEADERS_H
#define BONLOAD_TARGETS_WEB_WEB_HEADERS_H

#include "bonload/targets/web/web_state.h"

/*
 * Adds to the target's headers those that every request has: the user's, one per line, and those
 * that keep libcurl from adding its own. All their values are hidden in messages from then on.
 * Returns 0, or a negative errno with a line in e.
 */
int web_headers_add(struct web_shared *s, const char *given, struct err *e);

#endif
