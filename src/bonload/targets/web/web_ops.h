#ifndef BONLOAD_TARGETS_WEB_WEB_OPS_H
#define BONLOAD_TARGETS_WEB_WEB_OPS_H

#include "bonload/targets/web/web_state.h"

/*
 * Operations of -ops. Those that both targets have come first, with the same numbers; a dialect
 * adds its own. An operation's method decides what it does.
 */
enum web_op { WEB_GET, WEB_PUT, WEB_HEAD, WEB_DELETE, WEB_COMMON };

#define WEB_COMMON_NAMES                                                                           \
    [WEB_GET] = "get", [WEB_PUT] = "put", [WEB_HEAD] = "head", [WEB_DELETE] = "delete"
#define WEB_COMMON_METHODS                                                                         \
    [WEB_GET] = METHOD_GET, [WEB_PUT] = METHOD_PUT, [WEB_HEAD] = METHOD_HEAD,                      \
    [WEB_DELETE] = METHOD_DELETE

/* Whether a method sends a body, and whether it may change what was put. */
static inline bool method_sends(enum web_method method)
{
    return method == METHOD_PUT || method == METHOD_POST || method == METHOD_PATCH;
}
static inline bool method_changes(enum web_method method)
{
    return method == METHOD_POST || method == METHOD_PATCH;
}

/* The method of the next transfer of a request, unless that is part of an upload in parts. */
static inline enum web_method web_method_of(const struct web_exchange *x)
{
    return x->asks_size ? METHOD_HEAD : x->thread->shared->dialect->methods[x->request->op];
}

/*
 * Parses -ops, whose words are `names`, and checks the settings against it. Returns 0, or a
 * negative errno with a line in e.
 */
int web_ops_check(struct plan *p, const struct settings *s, const char *const names[],
                  const enum web_method methods[], struct err *e);

/* target_ops.choose for both targets. */
void web_choose(void *shared, struct request *r, uint64_t random);

#endif
