#ifndef BONLOAD_TARGETS_WEB_WEB_OPS_H
#define BONLOAD_TARGETS_WEB_WEB_OPS_H

#include "bonload/targets/web/web_state.h"

/*
 * The operations of -ops. Those of both targets come first, with the same numbers; a dialect adds
 * its own. What an operation is, its method decides.
 */
enum web_op { WEB_GET, WEB_PUT, WEB_HEAD, WEB_DELETE, WEB_COMMON };

#define WEB_COMMON_NAMES                                                                           \
    [WEB_GET] = "get", [WEB_PUT] = "put", [WEB_HEAD] = "head", [WEB_DELETE] = "delete"
#define WEB_COMMON_METHODS                                                                         \
    [WEB_GET] = METHOD_GET, [WEB_PUT] = METHOD_PUT, [WEB_HEAD] = METHOD_HEAD,                      \
    [WEB_DELETE] = METHOD_DELETE

/* True for a method that sends a body, and for one that may change what has been put. */
static inline bool method_sends(enum web_method method)
{
    return method == METHOD_PUT || method == METHOD_POST || method == METHOD_PATCH;
}
static inline bool method_changes(enum web_method method)
{
    return method == METHOD_POST || method == METHOD_PATCH;
}

/* The method of the next transfer of a request, but for parts of uploads. */
static inline enum web_method web_method_of(const struct web_exchange *x)
{
    return x->asks_size ? METHOD_HEAD : x->thread->shared->dialect->methods[x->request->op];
}

/* Reads -ops, whose words are `names`, and checks the settings against it. */
int web_ops_check(struct plan *p, const struct settings *s, const char *const names[],
                  const enum web_method methods[], struct err *e);

/* For target_ops. */
void web_choose(void *shared, struct request *r, uint64_t random);

#endif
