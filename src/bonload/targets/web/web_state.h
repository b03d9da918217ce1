#ifndef BONLOAD_TARGETS_WEB_WEB_STATE_H
#define BONLOAD_TARGETS_WEB_WEB_STATE_H

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/bodies.h"
#include "bonload/targets/expected.h"
#include "bonload/targets/target.h"
#include "bonload/targets/web/web_loop.h"
#include "bonload/targets/web/web_reasons.h"
#include "bonload/targets/web/web_tls.h"
#include "util/rng.h"
#include "verify/pattern.h"

/*
 * The data of such a target, its threads and their channels; the functions are in web.h,
 * web_exchange.h and web_outcome.h.
 */

enum web_method {
    METHOD_NONE,
    METHOD_GET,
    METHOD_PUT,
    METHOD_HEAD,
    METHOD_DELETE,
    METHOD_POST,
    METHOD_PATCH
};
extern const char *const web_method_names[];

/* How much is kept of an unsuccessful answer, or of one that the target reads. */
#define ANSWER_BYTES 4096

struct web_shared;
struct web_thread;
struct web_sizes;

/* One channel: its handle, which is reused, and the data of its request. */
struct web_exchange {
    struct web_thread *thread;
    CURL *easy;
    char *name; /* of the object, from the template; with room for three times its length */
    void *own;  /* data of the dialect */
    struct request *request;
    struct expected expected;
    uint64_t begun;   /* of a write: the result of versions_begin() */
    uint32_t failure; /* of the last transfer */
    bool is_limited;  /* its timeout is the rest of -timeout */
    bool continues;   /* the transfer is a further one of its request */

    /* The part of the object that the request reads. */
    uint64_t range_from;
    uint64_t range_bytes;    /* 0: the whole object */
    bool asks_size;          /* the size of the object is being asked for */
    bool has_range;          /* the handle has that header */
    const char *credentials; /* of a name, that the handle has; NULL: none */

    /* The data that a transfer sends: a part of the expected body, or a text. */
    enum web_method method;
    const char *text; /* NULL: the body */
    uint64_t send_from;
    uint64_t send_bytes;
    uint64_t sent;

    /* The data that it has received. */
    long status; /* 0: not known yet */
    uint64_t received;
    size_t header_bytes;
    bool has_headers;    /* the headers are complete */
    unsigned char *unit; /* PATTERN_UNIT_MAX bytes that have not been checked */
    size_t unit_used;
    bool keeps_answer; /* also of a successful one */
    size_t answer_used;
    char answer[ANSWER_BYTES];
    char tag[96];                /* the header ETag; "": there was none */
    char error[CURL_ERROR_SIZE]; /* libcurl's message */
};

struct web_dialect {
    const enum web_method *methods; /* of each operation, in the order of target_ops.ops */

    /* Opens the data that all threads share: shared->own, and the headers of every request. */
    int (*open)(struct web_shared *s, struct err *e);
    void (*close)(struct web_shared *s); /* may be NULL */

    /* Opens the data of one thread: thread->own, and that of each exchange. NULL: there is none. */
    int (*join)(struct web_thread *t, struct err *e);
    void (*leave)(struct web_thread *t);

    /* Prepares the first transfer of x->request: method, URL, headers. Returns 0 or a failure. */
    uint32_t (*address)(struct web_exchange *x);

    /*
     * Called when a transfer has ended with x->failure: returns true if another transfer of the
     * same request, which it has prepared, follows. NULL: none ever does.
     */
    bool (*follow)(struct web_exchange *x);

    /*
     * Finds the store's own code and message in an unsuccessful answer; returns false when there
     * are none.
     */
    bool (*explain)(const struct web_exchange *x, char code[static WEB_REASON_KEY],
                    char message[static WEB_REASON_TOLD]);
};

struct web_shared {
    const struct web_dialect *dialect;
    struct target_setup setup;
    struct pattern pattern;
    struct web_reasons reasons;
    struct bodies bodies;       /* setup.bodies, if there are any */
    struct curl_slist *headers; /* those of every request */
    struct web_tls tls;
    unsigned servers;         /* to each of which connections are kept; 0: one */
    void *own;                /* data of the dialect */
    struct web_sizes *sizes;  /* NULL: there are no ranges */
    _Atomic uint64_t threads; /* that have joined */
    struct web_thread *aside; /* for requests outside the load; NULL until needed */
    _Atomic uint64_t checked_bytes;
    _Atomic uint64_t damaged;
};

struct web_thread {
    struct web_shared *shared;
    struct web_loop loop;
    unsigned channels;
    struct web_exchange *exchanges;
    unsigned char *units; /* one for each exchange */
    struct rng rng;       /* for choosing ranges */
    char *other_name;
    void *own; /* data of the dialect */
};

#endif
