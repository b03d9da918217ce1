#ifndef BONLOAD_TARGETS_WEB_WEB_H
#define BONLOAD_TARGETS_WEB_WEB_H

#include "bonload/targets/web/web_exchange.h"
#include "bonload/targets/web/web_ops.h"

/*
 * What the targets http and s3 share: requests through libcurl, with one event loop for each
 * thread. The targets differ in their dialect: how they address and sign requests.
 */

/*
 * Makes one request outside the load, and waits for its end, for at most timeout_ns or -timeout.
 * Returns 0 or the request's failure. *status becomes the HTTP status, or 0 without an answer.
 */
uint32_t web_once(struct web_shared *s, struct request *r, uint64_t timeout_ns, long *status);

/* The operations of a target, for target_ops. */
int web_open(void **shared, const struct target_setup *setup, const struct web_dialect *dialect,
             struct err *e);
int web_join(void **thread, void *shared, unsigned channels, struct err *e);
void web_prepare(void *thread, struct request *r);
enum target_answer web_submit(void *thread, struct request *r);
void web_inspect(void *thread, struct request *r);
unsigned web_poll(void *thread, uint64_t until_ns, struct request *done[], unsigned most);
void web_leave(void *thread);
void web_describe(const void *shared, uint32_t failure, char *text, size_t size);
int web_remove(void *shared, uint64_t number);
void web_verified(void *shared, uint64_t *checked_bytes, uint64_t *damaged);
void web_close(void *shared);

/* The operations that are the same for both targets. */
#define WEB_OPERATIONS                                                                             \
    .join = web_join, .choose = web_choose, .prepare = web_prepare, .submit = web_submit,          \
    .inspect = web_inspect, .poll = web_poll, .leave = web_leave, .describe = web_describe,        \
    .remove = web_remove, .verified = web_verified, .close = web_close

#endif
