#ifndef BONLOAD_TARGETS_WEB_H
#define BONLOAD_TARGETS_WEB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/reasons.h"
#include "bonload/targets/target.h"
#include "bonload/targets/web_exchange.h"
#include "bonload/targets/web_loop.h"
#include "verify/pattern.h"

/*
 * What the targets http and s3 share: requests over libcurl, one loop for each thread. They differ
 * in how a request is addressed and signed: their dialect.
 */

/* Operations, in the order of web_op_names. */
enum web_op { WEB_GET, WEB_PUT, WEB_HEAD, WEB_DELETE, WEB_LIST, WEB_OPS, WEB_LOOK = WEB_OPS };
extern const char *const web_op_names[];    /* http */
extern const char *const web_s3_op_names[]; /* s3: list, too */
extern const enum web_method web_methods[]; /* how each of them is sent */

struct web_thread;

struct web_dialect {
    /* Opens what all threads share: shared->own, and the headers of every request. */
    int (*open)(struct web_shared *s, struct err *e);
    void (*close)(struct web_shared *s); /* may be NULL */

    /* Opens one thread's part: thread->own, and that of each exchange. NULL: there is none. */
    int (*join)(struct web_thread *t, struct err *e);
    void (*leave)(struct web_thread *t);

    /* Gets the first transfer of x->request ready: method, URL, headers. Returns 0 or a failure. */
    uint32_t (*address)(struct web_exchange *x);

    /*
     * A transfer has ended with x->failure: true if a further one of the same request, which it got
     * ready, is to follow. NULL: none ever does.
     */
    bool (*follow)(struct web_exchange *x);

    /* The store's own code and message of an answer that is no success; false: there are none. */
    bool (*explain)(const struct web_exchange *x, char code[static REASON_KEY],
                    char message[static REASON_TOLD]);
};

struct web_shared {
    const struct web_dialect *dialect;
    struct target_setup setup;
    struct pattern pattern;
    struct reasons reasons;
    struct curl_slist *headers; /* of every request */
    void *own;                  /* the dialect's */
    struct web_thread *aside;   /* for requests outside the load; NULL until there is one */
    _Atomic uint64_t checked_bytes;
    _Atomic uint64_t damaged;
};

struct web_thread {
    struct web_shared *shared;
    struct web_loop loop;
    unsigned channels;
    struct web_exchange *exchanges;
    unsigned char *units; /* one for each exchange */
    char *other_name;
    void *own; /* the dialect's */
};

/* Makes one request outside the load, and waits for its end; within that time if it is less than
 * -timeout. Returns 0 or its failure; *status is what the server answered, 0 without an answer. */
uint32_t web_once(struct web_shared *s, struct request *r, uint64_t timeout_ns, long *status);

/* The operations of a target, as target_ops has them. */
int web_available(struct err *e);
int web_check(struct plan *p, const struct settings *s, const char *const names[], struct err *e);
int web_open(void **shared, const struct target_setup *setup, const struct web_dialect *dialect,
             struct err *e);
int web_join(void **thread, void *shared, unsigned channels, struct err *e);
void web_choose(void *shared, struct request *r, uint64_t random);
void web_prepare(void *thread, struct request *r);
enum target_answer web_submit(void *thread, struct request *r);
void web_inspect(void *thread, struct request *r);
unsigned web_poll(void *thread, uint64_t until_ns, struct request *done[], unsigned most);
void web_leave(void *thread);
void web_describe(const void *shared, uint32_t failure, char *text, size_t size);
int web_remove(void *shared, uint64_t number);
void web_verified(void *shared, uint64_t *checked_bytes, uint64_t *damaged);
void web_close(void *shared);

/* Those of them that are the same for both targets. */
#define WEB_OPERATIONS                                                                             \
    .available = web_available, .join = web_join, .choose = web_choose, .prepare = web_prepare,    \
    .submit = web_submit, .inspect = web_inspect, .poll = web_poll, .leave = web_leave,            \
    .describe = web_describe, .remove = web_remove, .verified = web_verified, .close = web_close

#endif
