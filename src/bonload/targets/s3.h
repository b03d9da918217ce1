#ifndef BONLOAD_TARGETS_S3_H
#define BONLOAD_TARGETS_S3_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/targets/s3_place.h"
#include "bonload/targets/s3_sign.h"
#include "bonload/targets/web.h"

/* What the files of the target s3 share: addressing and signing one transfer. */

#define S3_OWN_HEADERS 5 /* Host, date, hash, token, Authorization */

/* All threads'. */
struct s3_shared {
    struct s3_place place;
    size_t url_bytes;                        /* room for a URL */
    struct sign_pair given[SIGN_PAIRS_MOST]; /* headers that the user gave */
    size_t given_count;
    char *given_text;    /* their texts */
    uint64_t part_bytes; /* 0: an object is one upload */
    uint64_t parts_most;
};

/* An upload in parts that is under way. */
enum upload_step { UPLOAD_NONE, UPLOAD_BEGIN, UPLOAD_PART, UPLOAD_END, UPLOAD_ABORT };
struct upload {
    enum upload_step step;
    uint64_t part; /* number of the present one, from 1 on */
    char id[512];  /* percent-encoded */
    char plain_id[256];
    struct text list; /* of the parts that are there, as XML */
    uint32_t failure; /* why it is given up */
};

/* One thread's. */
struct s3_thread {
    struct signer signer;
    int64_t second; /* that the texts are for */
    char time[40];  /* as the signature wants it */
    struct s3_exchange *exchanges;
};

/* One channel's: texts of the headers that each transfer has of its own. */
struct s3_exchange {
    char *url;
    char host[320];
    char date[64];
    char hash[32 + SHA256_HEX];
    char *token;
    char *authorization;
    struct curl_slist lines[S3_OWN_HEADERS];
    struct upload upload;
};

struct s3_shared *s3_shared_of(const struct web_exchange *x);
struct s3_exchange *s3_exchange_of(const struct web_exchange *x);

/* A transfer of x->request: what is sent has been set after web_exchange_set(). */
struct s3_transfer {
    enum web_method method;
    const char *key;               /* percent-encoded into the path; NULL: the bucket itself */
    const struct sign_pair *query; /* encoded */
    size_t query_count;
    const char *text; /* what is sent: a text, */
    uint64_t from;    /* or part of the body, */
    uint64_t bytes;   /* if this is not 0 or the method is PUT */
};

/* Addresses and signs it. Returns 0 or a failure. */
uint32_t s3_set(struct web_exchange *x, const struct s3_transfer *transfer);

/* Uploads in parts (s3_upload.c): memory for one, its beginning, and what follows a transfer. */
int s3_upload_open(struct upload *u, uint64_t parts_most);
void s3_upload_close(struct upload *u);
uint32_t s3_upload_begin(struct web_exchange *x);
bool s3_upload_follow(struct web_exchange *x);

#endif
