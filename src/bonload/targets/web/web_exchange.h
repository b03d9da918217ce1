#ifndef BONLOAD_TARGETS_WEB_WEB_EXCHANGE_H
#define BONLOAD_TARGETS_WEB_WEB_EXCHANGE_H

#include "bonload/targets/web/web_state.h"

/* Opens an exchange of a thread. The caller has set its name and unit. Returns 0 or -ENOMEM. */
int web_exchange_open(struct web_exchange *x, struct web_thread *t);
void web_exchange_close(struct web_exchange *x);

/* Sets USER:PASSWORD, percent-encoded, of the next transfers; NULL: none. */
void web_exchange_identify(struct web_exchange *x, const char *credentials);

/* Limits the duration of each of the next transfers. */
void web_exchange_limit(struct web_exchange *x, uint64_t timeout_ns);

/*
 * web_exchange_set() prepares a transfer that sends nothing; the others make it send a text, or a
 * part of the body.
 */
void web_exchange_set(struct web_exchange *x, enum web_method method, const char *url);
void web_exchange_send_text(struct web_exchange *x, const char *text);
void web_exchange_send_body(struct web_exchange *x, uint64_t from, uint64_t bytes);

/* Checks the last unit of a body that was read. */
void web_exchange_look(struct web_exchange *x);

/* Whether the answer's status means success. Many servers answer 202 to a POST. */
static inline bool web_is_success(const struct web_exchange *x)
{
    bool may_accept = x->method == METHOD_POST || x->method == METHOD_PATCH;
    return x->status == 200 || x->status == 201 || x->status == 204 || x->status == 206 ||
           (may_accept && x->status == 202);
}

#endif
