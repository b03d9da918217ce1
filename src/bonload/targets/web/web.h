// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <curl/curl.h>
#include <openssl/evp.h>
#include <pthread.h>

#include "bonload/targets/target.h"

/* What the targets http and s3 share: requests through libcurl, with one event loop for each
 * thread, and for each channel a handle that lasts the whole run. The targets differ in their
 * dialect. prepare() computes name, size and signature, submit() sends, poll() has libcurl act on
 * what happened. Bodies are checked as they come; neither this nor connecting counts as service. */

/* Reasons of failures, in words that may come from a server. All failures of one kind have the same
 * key; the text is that of the first one. Kinds for which there is no room count as one. Safe in
 * threads; only a new kind takes a lock. Secrets are words that are replaced by stars in every
 * text: s3, which shows a server's text, has two for each of 59 headers, and three for its keys. */
#define MAX_WEB_REASONS 96
#define WEB_REASON_KEY  96
#define WEB_REASON_TEXT 192
#define WEB_REASON_TOLD 1024 /* room for a server's text, before its secrets are removed */
#define MAX_SECRETS     128

struct web_reason {
    char key[WEB_REASON_KEY];
    char text[WEB_REASON_TEXT];
};

struct web_reasons {
    pthread_mutex_t lock; /* held while a thread adds a kind */
    atomic_uint count;
    struct web_reason list[MAX_WEB_REASONS];
    const char *secrets[MAX_SECRETS]; /* complete before the first failure */
    unsigned secret_count;
};

/* Adds a secret, which must outlive the reasons. Ignores NULL and "". */
void web_reasons_hide(struct web_reasons *r, const char *secret);

/* Returns the code of that key's failure. Stores the text as a line of UTF-8 without any secret. */
uint32_t web_reasons_failure(struct web_reasons *r, const char *key, const char *text);
void web_reasons_describe(const struct web_reasons *r, uint32_t failure, char *text, size_t size);

/* A new handle has the first one. The first four are also the first operations of both targets. */
enum web_method { METHOD_GET, METHOD_PUT, METHOD_HEAD, METHOD_DELETE, METHOD_POST, METHOD_PATCH };

extern const char *const web_method_names[];

/* Whether a method sends a body, and whether it may change what was put. */
static inline bool method_sends(enum web_method method)
{
    return method == METHOD_PUT || method == METHOD_POST || method == METHOD_PATCH;
}

static inline bool method_changes(enum web_method method)
{
    return method == METHOD_POST || method == METHOD_PATCH;
}

#define ANSWER_BYTES 4096 /* kept of an unsuccessful answer, or of one that the target reads */
#define TLS_FILES    3    /* that the user may name */

/* One channel: its libcurl handle, which is used again and again, and the data of its request. */
struct web_exchange {
    struct web_thread *thread;
    CURL *easy;
    char *name; /* name of the object, with room for three times its length */
    void *own;  /* the dialect's data */
    struct request *request;
    struct expected_body expected;
    uint64_t begun;          /* for a write: the result of versions_begin() */
    uint32_t failure;        /* failure of the last transfer */
    bool is_limited;         /* the timeout is only the rest of -timeout */
    const char *credentials; /* credentials of the name that the handle has now; NULL: none */

    uint64_t limit_ns;    /* longest duration of a transfer */
    uint64_t overdue_ns;  /* when the current transfer has been forgotten, by clock_ns(); 0: none */
    bool outlives_signal; /* a signal to stop does not end it, even if no server is reached */
    uint64_t moved;       /* bytes sent and received at the last look */
    uint64_t stuck_ns;    /* when a signal ends it, unless there are more bytes by then */

    /* What a transfer sends. */
    enum web_method method;
    const char *text; /* NULL: the expected body */
    uint64_t send_from;
    uint64_t send_bytes;
    uint64_t sent;
    unsigned repeats; /* how often it began again, because no server had begun it */

    /* What a transfer has received. */
    long status; /* HTTP status; 0: unknown so far */
    uint64_t received;
    size_t header_bytes;
    bool has_headers;  /* the headers are complete */
    bool keeps_answer; /* keeps a successful answer, too */
    size_t unit_used;
    _Alignas(uint64_t) unsigned char unit[PATTERN_UNIT_MAX]; /* bytes that are not yet checked */
    size_t answer_used;
    char answer[ANSWER_BYTES];
    char tag[96];                /* value of the header ETag; "": there was none */
    char error[CURL_ERROR_SIZE]; /* libcurl's message */
};

/* The transfers of one thread: libcurl's multi interface on epoll(7). The socket of a connection
 * that is kept alive stays registered with epoll between transfers, which saves system calls. */
struct web_thread {
    struct web_state *shared;
    CURLM *multi;
    int epoll;
    uint64_t timer_ns;          /* when libcurl must be called, by clock_ns(); UINT64_MAX: never */
    uint64_t now_ns;            /* when the last wait ended, by clock_ns() */
    struct web_socket *sockets; /* indexed by descriptor */
    unsigned room;              /* for sockets */
    unsigned channels;
    struct web_exchange *exchanges;
    uint64_t next_search_ns; /* when to look for forgotten transfers again, by clock_ns() */
    char *names;             /* one without a channel, and those of the exchanges */
    void *own;               /* the dialect's data */
};

struct web_state {
    const struct web_dialect *dialect;
    struct target_setup setup;
    struct web_reasons reasons;
    struct given_body given_body; /* of -body-file; setup.given_body points to it */
    char *given;                  /* lines of the user's headers, each with a NUL */
    struct curl_slist *headers;   /* headers of every request */
    int tls_files[TLS_FILES];     /* descriptors; -1: the user has not named the file */
    unsigned servers;             /* number of servers, to each of which connections are kept */
    void *own;                    /* the dialect's data, which web_close() frees */
    atomic_bool has_markers;      /* a DELETE has only added a delete marker */
    struct web_thread aside;      /* makes requests outside the load; zeros: not needed so far */
};

/* What differs between targets. Functions with an e return 0, or a negative errno. */
struct web_dialect {
    const enum web_method *methods; /* method of each operation, in the order of target_ops.ops */

    /* Check further settings (NULL: there are none), and a name, which it may change. */
    int (*check)(const struct plan *p, const struct settings *s, struct err *e);
    int (*check_name)(char *name, struct err *e);

    /* Open what all threads share: shared->own, and headers after the user's; and the data of one
     * thread: thread->own, and that of each exchange. May be NULL. */
    int (*open)(struct web_state *s, struct err *e);
    int (*join)(struct web_thread *t, struct err *e);
    void (*leave)(struct web_thread *t);

    /* Prepares the first transfer of x->request. Returns 0 or a failure. */
    uint32_t (*address)(struct web_exchange *x);

    /* To be called when a transfer has ended with x->failure. Returns true if it has prepared
     * another transfer of the same request. NULL: a request has only one transfer. */
    bool (*follow)(struct web_exchange *x);

    /* Finds the store's code and message in an unsuccessful answer; false: there is none. */
    bool (*explain)(const struct web_exchange *x, char code[static WEB_REASON_KEY],
                    char message[static WEB_REASON_TOLD]);
};

/* The method of the next transfer of a request, unless that is part of an upload in parts. */
static inline enum web_method web_method_of(const struct web_exchange *x)
{
    ASSUME(x->thread);
    return x->thread->shared->dialect->methods[x->request->op];
}

/* Prepare a transfer: first what it sends, a part of the body or of a text that stays in place (no
 * bytes if the method sends nothing), then all else. */
void web_exchange_send(struct web_exchange *x, const char *text, uint64_t from, uint64_t bytes);
void web_exchange_set(struct web_exchange *x, enum web_method method, const char *url);

/* Writes `length` bytes of what the transfer sends, from `at` on, to `to`. */
void web_exchange_fill(const struct web_exchange *x, uint64_t at, void *to, size_t length);

/* The failure that the text describes. */
uint32_t web_failure(const struct web_exchange *x, const char *text);

/* Adds a header to every request. */
int web_add_header(struct web_state *s, const char *line, struct err *e);

/* Makes one request outside the load, and waits for its end, for at most timeout_ns or -timeout.
 * Returns the HTTP status, or 0 without an answer; r->failure says whether it failed. */
long web_once(struct web_state *s, struct request *r, uint64_t timeout_ns);

/* ---- s3 -------------------------------------------------------------------------------------- */

/* A text that grows in memory of a fixed size, and always ends in a NUL. The rest is left out. */
struct text {
    char *memory;
    size_t size; /* size of the memory in bytes, above 0 */
    size_t used; /* length without the NUL, also counting what did not fit */
};

static inline bool text_is_whole(const struct text *t)
{
    return t->used < t->size;
}

/* Begins an empty text in the caller's memory. Appends texts: text_put(&t, first, second). */
void text_begin(struct text *t, char *memory, size_t size);
#define text_put(t, ...) text_put_list((t), (const char *const[]){__VA_ARGS__, NULL})
void text_put_list(struct text *t, const char *const *list);

/* Appends bytes, percent-encoded (RFC 3986) except letters, digits, - . _ ~ and those in `kept`. */
void text_put_encoded(struct text *t, const char *more, const char *kept);

/* Copies the text of the first element with that name, as in <Code>NoSuchKey</Code>, up to the next
 * tag; cuts one that is too long. The answer may be cut off anywhere; an element without an end
 * does not count. Returns false, with an empty text, when there is no such element. */
bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size);

/* Signs requests to an object store as the documentation of S3 defines it: with version 4
 * (AWS4-HMAC-SHA256) or 2 (HMAC-SHA1), and the path as it is sent, encoded once, not normalised. */
#define MAX_SIGN_HEADERS 64
#define SHA256_BYTES     32
#define SHA256_HEX       (2 * SHA256_BYTES + 1)

struct sign_request {
    const char *method;
    const char *path;  /* percent-encoded, beginning with a slash */
    const char *query; /* version 4: percent-encoded; ordered by name, each with an "=" */
    const struct curl_slist *headers; /* as libcurl sends them; at most MAX_SIGN_HEADERS */
    const char *body_hash;            /* version 4: SHA-256 of the body, in hexadecimal digits */
    const char *time;   /* version 4: "20150830T123600Z"; version 2: the value of the header Date */
    const char *bucket; /* version 2: "/bucket" if the path does not have it, or "" */
    const char *subresource; /* version 2: the part of the query that is signed, not encoded */
};

struct sign_keys {
    const char *access;
    const char *secret;
    const char *region;
    const char *service;
};

/* What a thread needs for signing. */
struct signer {
    EVP_MD_CTX *context; /* for one hash after another, so that none needs an allocation */
    EVP_MD *sha256;
    EVP_MD *sha1;
    struct sign_keys keys;
    char day[9];                     /* the day that `key` is valid for; "": there is no key yet */
    unsigned char key[SHA256_BYTES]; /* computed once a day */
    struct text canonical;           /* the canonical request of the last signature */
    char to_sign[256];               /* version 4: the string to sign of the last signature */
};

/* Opens a signer for canonical requests of up to `room` bytes. signer_close() must follow. */
int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e);
void signer_close(struct signer *s);

/* Append the value of the header Authorization. Return 0, or -ENOBUFS when there is no room. */
int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization);
int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization);

#define S3_HOST_SIZE 256 /* room for a host with the bucket before it */
#define MAX_S3_SITES 32

/* One of the servers of a store. */
struct s3_site {
    char origin[512]; /* scheme, host and port: "https://store:9000" */
    char host[320];   /* the whole header Host: without the scheme's default port */
    char root[512];   /* path before a key, percent-encoded: "/bucket/" or "/" */
    char bucket[512]; /* "/bucket" if that is part of the host, and not of the root; or "" */
    bool is_there;    /* the endpoint's host is "BUCKET." and more */
};

#define PROFILE_VALUE 4096 /* room for what a profile in Amazon's files says */
enum {
    PROFILE_ACCESS,
    PROFILE_SECRET,
    PROFILE_TOKEN,
    PROFILE_REGION,
    PROFILE_ENDPOINT,
    PROFILE_VALUES
};

/* Where an object store is, and who sends the requests. */
struct s3_place {
    struct s3_site sites[MAX_S3_SITES];
    unsigned site_count;
    const char *bucket;
    struct sign_keys keys;
    const char *token; /* session token; NULL: none */
    unsigned version;  /* version of signatures, 2 or 4; 0: requests are not signed */
    char profile[PROFILE_VALUES][PROFILE_VALUE]; /* "": it says nothing */
};

/* Finds the place from options, environment and AWS_PROFILE. The bucket is part of the path; with
 * -s3-virtual, and at Amazon's endpoints, of the host. Texts are the settings' or environment's. */
int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e);

extern const char *const s3_op_names[];
extern const struct web_dialect s3_dialect;
