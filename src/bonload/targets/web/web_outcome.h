#ifndef BONLOAD_TARGETS_WEB_WEB_OUTCOME_H
#define BONLOAD_TARGETS_WEB_WEB_OUTCOME_H

#include <curl/curl.h>
#include <stdint.h>

#include "bonload/targets/web/web_state.h"

/*
 * Judges a transfer that ended with `code`. Returns 0, or a failure whose kind is the HTTP status
 * with the store's own code, or what happened to the connection.
 */
uint32_t web_outcome(struct web_exchange *x, CURLcode code);

#endif
