#ifndef BONLOAD_TARGETS_S3_S3_H
#define BONLOAD_TARGETS_S3_S3_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/targets/s3/s3_place.h"
#include "bonload/targets/s3/s3_sign.h"
#include "bonload/targets/web/web.h"

/* What the files of the target s3 share: addressing and signing a transfer. */

#define S3_OWN_HEADERS 5 /* Host, date, hash, token, Authorization */

/* The data that all threads share. */
struct s3_shared {
    struct s3_place place;
    _Atomic unsigned turn;                   /* number of requests that have chosen a site */
    size_t url_bytes;                        /* room for a URL */
    struct sign_pair given[SIGN_PAIRS_MOST]; /* headers that the user gave */
    size_t given_count;
    char *given_text;    /* texts of these headers */
    uint64_t part_bytes; /* 0: objects are uploaded as a whole */
    uint64_t parts_most;
};

/* The state of an upload in parts. */
enum upload_step { UPLOAD_NONE, UPLOAD_BEGIN, UPLOAD_PART, UPLOAD_END, UPLOAD_ABORT };
struct upload {
    enum upload_step step;
    uint64_t part; /* number of the current part, counted from 1 */
    char id[512];  /* percent-encoded */
    char plain_id[256];
    struct text list; /* the uploaded parts, as XML */
    uint32_t failure; /* why the upload is being aborted */
};

/* The data of a thread. */
struct s3_thread {
    struct signer signer;
    int64_t second; /* the second, since 1970, that `time` is about */
    char time[40];  /* that second in the form that signatures need */
    struct s3_exchange *exchanges;
};

/* The data of a channel: texts of the headers that differ between transfers. */
struct s3_exchange {
    char *url;
    const struct s3_site *site; /* where the request goes */
    char date[64];
    char hash[32 + SHA256_HEX];
    char *token;
    char *authorization;
    struct curl_slist lines[S3_OWN_HEADERS];
    struct upload upload;
};

struct s3_shared *s3_shared_of(const struct web_exchange *x);
struct s3_exchange *s3_exchange_of(const struct web_exchange *x);

/* A transfer of x->request. s3_set() sets it up after web_exchange_set(). */
struct s3_transfer {
    enum web_method method;
    const char *key;               /* not yet percent-encoded; NULL: the bucket itself */
    const struct sign_pair *query; /* percent-encoded */
    size_t query_count;
    const char *text; /* the text to send; NULL: a part of the body */
    uint64_t from;    /* start of that part */
    uint64_t bytes;   /* length of that part; if 0 and the method is not PUT, nothing is sent */
};

/* Addresses and signs the transfer. Returns 0 or a failure. */
uint32_t s3_set(struct web_exchange *x, const struct s3_transfer *transfer);

/*
 * Uploads in parts (s3_upload.c): s3_upload_open() allocates one, s3_upload_begin() starts it, and
 * s3_upload_follow() continues after a transfer.
 */
int s3_upload_open(struct upload *u, uint64_t parts_most);
void s3_upload_close(struct upload *u);
uint32_t s3_upload_begin(struct web_exchange *x);
bool s3_upload_follow(struct web_exchange *x);

#endif
