#ifndef BONLOAD_TARGETS_WEB_EXCHANGE_H
#define BONLOAD_TARGETS_WEB_EXCHANGE_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/expected.h"
#include "bonload/targets/target.h"
#include "verify/pattern.h"

struct web_thread;
struct web_shared;

enum web_method { METHOD_NONE, METHOD_GET, METHOD_PUT, METHOD_HEAD, METHOD_DELETE, METHOD_POST };
extern const char *const web_method_names[];

/* Of an answer that is no success, or that the target wants to read, this much is kept. */
#define ANSWER_BYTES 4096

/* A server that sends more than this in front of a body does not come to it. */
#define MOST_HEADER_BYTES (256 * 1024)

/* One channel: its handle, which is used again and again, and what its request is about. */
struct web_exchange {
    struct web_thread *thread;
    CURL *easy;
    char *name; /* of the object, from the template */
    void *own;  /* the dialect's */
    struct request *request;
    struct expected expected;
    uint64_t begun;   /* of a write: what versions_begin() returned */
    uint32_t failure; /* of the last transfer */

    /* What a transfer sends: a part of the expected body, or a text. */
    enum web_method method;
    const char *text; /* NULL: the body */
    uint64_t send_from;
    uint64_t send_bytes;
    uint64_t sent;

    /* What it has brought. */
    long status; /* 0: not known yet */
    uint64_t received;
    size_t header_bytes;
    bool has_headers;    /* to their end */
    unsigned char *unit; /* PATTERN_UNIT_MAX bytes that have not been looked at */
    size_t unit_used;
    bool keeps_answer; /* of a success, too */
    size_t answer_used;
    char answer[ANSWER_BYTES];
    char tag[96];                /* the header ETag; "": there was none */
    char error[CURL_ERROR_SIZE]; /* what libcurl has to say */
};

/* Opens an exchange of a thread, whose name and unit are there. Returns 0 or -ENOMEM. */
int web_exchange_open(struct web_exchange *x, struct web_thread *t);
void web_exchange_close(struct web_exchange *x);

/* Gets a transfer ready that sends nothing, a text, or part of the body. */
void web_exchange_set(struct web_exchange *x, enum web_method method, const char *url);
void web_exchange_send_text(struct web_exchange *x, const char *text);
void web_exchange_send_body(struct web_exchange *x, uint64_t from, uint64_t bytes);

/* Looks at what came last of a body that was read. */
void web_exchange_look(struct web_exchange *x);

static inline bool web_is_success(long status)
{
    return status == 200 || status == 201 || status == 204 || status == 206;
}

#endif
