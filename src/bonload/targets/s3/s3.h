#ifndef BONLOAD_TARGETS_S3_S3_H
#define BONLOAD_TARGETS_S3_S3_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/targets/s3/s3_place.h"
#include "bonload/targets/s3/s3_sign.h"
#include "bonload/targets/web/web.h"

/* Shared by the files of the target s3: addressing and signing a transfer. */

#define S3_OWN_HEADERS 5 /* Host, date, hash, token, Authorization */

/* The data that all threads share. */
struct s3_shared {
    struct s3_place place;
    _Atomic unsigned turn;                   /* of the next request, among the sites */
    size_t url_bytes;                        /* room for a URL */
    struct sign_pair given[SIGN_PAIRS_MOST]; /* headers from the user */
    size_t given_count;
    char *given_text;    /* their texts */
    uint64_t part_bytes; /* 0: an object is uploaded as a whole */
    uint64_t parts_most;
};

/* An upload in parts that is in progress. */
enum upload_step { UPLOAD_NONE, UPLOAD_BEGIN, UPLOAD_PART, UPLOAD_END, UPLOAD_ABORT };
struct upload {
    enum upload_step step;
    uint64_t part; /* number of the current part, from 1 */
    char id[512];  /* percent-encoded */
    char plain_id[256];
    struct text list; /* the parts uploaded so far, as XML */
    uint32_t failure; /* why it was aborted */
};

/* The data of a thread. */
struct s3_thread {
    struct signer signer;
    int64_t second; /* the second for which the texts are valid */
    char time[40];  /* in the signature's form */
    struct s3_exchange *exchanges;
};

/* The data of a channel: the texts of headers that differ between transfers. */
struct s3_exchange {
    char *url;
    const struct s3_site *site; /* to which the request goes */
    char date[64];
    char hash[32 + SHA256_HEX];
    char *token;
    char *authorization;
    struct curl_slist lines[S3_OWN_HEADERS];
    struct upload upload;
};

struct s3_shared *s3_shared_of(const struct web_exchange *x);
struct s3_exchange *s3_exchange_of(const struct web_exchange *x);

/* A transfer of x->request, set up after web_exchange_set(). */
struct s3_transfer {
    enum web_method method;
    const char *key; /* to be percent-encoded into the path; NULL: the bucket itself */
    const struct sign_pair *query; /* encoded already */
    size_t query_count;
    const char *text; /* the data to send: a text, */
    uint64_t from;    /* or part of the body, */
    uint64_t bytes;   /* if this is not 0 or the method is PUT */
};

/* Addresses and signs the transfer. Returns 0 or a failure. */
uint32_t s3_set(struct web_exchange *x, const struct s3_transfer *transfer);

/* Uploads in parts (s3_upload.c): allocating one, beginning it, and continuing after a transfer. */
int s3_upload_open(struct upload *u, uint64_t parts_most);
void s3_upload_close(struct upload *u);
uint32_t s3_upload_begin(struct web_exchange *x);
bool s3_upload_follow(struct web_exchange *x);

#endif
