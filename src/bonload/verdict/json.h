#ifndef BONLOAD_VERDICT_JSON_H
#define BONLOAD_VERDICT_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "bonload/verdict/answer.h"
#include "util/err.h"

/*
 * Puts the answers about a directory into a report of bonload, as the key good_for of the key
 * `bonload`. Returns 0, or a negative errno with a line in e.
 */
int answers_put(json_t *report, const struct answer *list, size_t count, const char *directory,
                struct err *e);

#endif
