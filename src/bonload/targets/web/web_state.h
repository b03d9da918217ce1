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
 * The data of the targets http and s3, of their threads and of their channels. Their functions are
 * in web.h, web_exchange.h and web_outcome.h.
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

/* Number of bytes that are kept of an unsuccessful answer, or of one that the target reads. */
#define ANSWER_BYTES 4096

struct web_shared;
struct web_thread;
struct web_sizes;

/* One channel: its libcurl handle, which is used again and again, and the data of its request. */
struct web_exchange {
    struct web_thread *thread;
    CURL *easy;
    char *name; /* name of the object, with room for three times its length */
    void *own;  /* the dialect's data */
    struct request *request;
    struct expected expected;
    uint64_t begun;   /* for a write: the result of versions_begin() */
    uint32_t failure; /* failure of the last transfer */
    bool is_limited;  /* the timeout is only the rest of -timeout */
    bool continues;   /* this is not the first transfer of the request */

    /* The part of the object that the request reads. */
    uint64_t range_from;
    uint64_t range_bytes;    /* 0: the whole object */
    bool asks_size;          /* the current transfer asks for the object's size */
    bool has_range;          /* the handle has the header Range */
    const char *credentials; /* credentials of the name that the handle has now; NULL: none */

    /* What a transfer sends: a part of the expected body, or a text. */
    enum web_method method;
    const char *text; /* NULL: a part of the body */
    uint64_t send_from;
    uint64_t send_bytes;
    uint64_t sent;

    /* What a transfer has received. */
    long status; /* HTTP status; 0: unknown so far */
    uint64_t received;
    size_t header_bytes;
    bool has_headers;    /* the headers are complete */
    unsigned char *unit; /* up to PATTERN_UNIT_MAX bytes that have not been checked */
    size_t unit_used;
    bool keeps_answer; /* keeps a successful answer, too */
    size_t answer_used;
    char answer[ANSWER_BYTES];
    char tag[96];                /* value of the header ETag; "": there was none */
    char error[CURL_ERROR_SIZE]; /* libcurl's message */
};

struct web_dialect {
    const enum web_method *methods; /* method of each operation, in the order of target_ops.ops */

    /*
     * Opens the data that all threads share: shared->own, and the headers of every request. Returns
     * 0, or a negative errno with a line in e.
     */
    int (*open)(struct web_shared *s, struct err *e);
    void (*close)(struct web_shared *s); /* may be NULL */

    /*
     * Opens the data of one thread: thread->own, and that of each exchange. Returns 0, or a
     * negative errno with a line in e. NULL: there is none.
     */
    int (*join)(struct web_thread *t, struct err *e);
    void (*leave)(struct web_thread *t);

    /*
     * Prepares the first transfer of x->request: its method, URL and headers. Returns 0 or a
     * failure.
     */
    uint32_t (*address)(struct web_exchange *x);

    /*
     * To be called when a transfer has ended with x->failure. Returns true if it has prepared
     * another transfer of the same request. NULL: a request has only one transfer.
     */
    bool (*follow)(struct web_exchange *x);

    /*
     * Finds the store's own code and message in an unsuccessful answer. Returns false when it has
     * none.
     */
    bool (*explain)(const struct web_exchange *x, char code[static WEB_REASON_KEY],
                    char message[static WEB_REASON_TOLD]);
};

struct web_shared {
    const struct web_dialect *dialect;
    struct target_setup setup;
    struct pattern pattern;
    struct web_reasons reasons;
    struct bodies bodies;       /* bodies that the user gives; setup.bodies points to them */
    struct curl_slist *headers; /* headers of every request */
    struct web_tls tls;
    unsigned servers;         /* number of servers, to each of which connections are kept; 0: one */
    void *own;                /* the dialect's data */
    struct web_sizes *sizes;  /* NULL: no operation reads ranges */
    _Atomic uint64_t threads; /* number of threads that have joined */
    struct web_thread *aside; /* makes requests outside the load; NULL: not needed so far */
    _Atomic uint64_t checked_bytes;
    _Atomic uint64_t damaged;
};

struct web_thread {
    struct web_shared *shared;
    struct web_loop loop;
    unsigned channels;
    struct web_exchange *exchanges;
    unsigned char *units; /* one for each exchange */
    struct rng rng;       /* chooses ranges */
    char *other_name;
    void *own; /* the dialect's data */
};

#endif
