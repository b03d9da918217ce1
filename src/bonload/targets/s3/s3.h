// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/plan/settings.h"
#include "bonload/targets/s3/s3_sign.h"
#include "bonload/targets/web/web.h"

/* What the files of the target s3 share: its place, addressing and signing a transfer. */

/* Room for a host with the bucket before it. */
#define S3_HOST_SIZE 256

/* One of the servers of a store. */
struct s3_site {
    char origin[512]; /* scheme, host and port: "https://store:9000" */
    char host[320];   /* the whole header Host: without the scheme's default port */
    char root[512];   /* path before a key, percent-encoded: "/bucket/" or "/" */
    char bucket[512]; /* "/bucket" if that is part of the host, and not of the root; or "" */
    bool is_there;    /* the endpoint's host is "BUCKET." and more */
};

#define S3_SITES_MOST 32

/* What a profile in Amazon's files says; "": nothing. */
enum s3_profile_value {
    PROFILE_ACCESS,
    PROFILE_SECRET,
    PROFILE_TOKEN,
    PROFILE_REGION,
    PROFILE_ENDPOINT,
    PROFILE_VALUES
};

struct s3_profile {
    char values[PROFILE_VALUES][4096];
};

/* Where an object store is, and as whom requests come. */
struct s3_place {
    struct s3_site sites[S3_SITES_MOST];
    unsigned site_count;
    const char *bucket;
    struct sign_keys keys;
    const char *token; /* session token; NULL: none */
    unsigned version;  /* version of signatures, 2 or 4; 0: requests are not signed */
    struct s3_profile profile;
};

/*
 * Finds the place from options, environment and AWS_PROFILE. The bucket is part of the path, but
 * with -s3-virtual and at Amazon's own endpoints part of the host. The texts belong to the settings
 * and the environment. Returns 0, or a negative errno with a line in e.
 */
int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e);

/* Room for an Authorization header, which names all headers. */
#define S3_AUTHORIZATION (2048 + SETTINGS_HEADERS)

/* The data that all threads share. */
struct s3_shared {
    struct s3_place place;
    _Atomic unsigned turn; /* number of requests that have chosen a site */
    size_t url_bytes;      /* room for a URL */
    char within[264];      /* "BUCKET/", which no host of a bucket should have in its path */
    enum sign_checksum checksum;
    uint64_t part_bytes; /* 0: objects are uploaded as a whole */
    uint64_t parts_most;
};

/* The state of an upload in parts. */
enum upload_step { UPLOAD_NONE, UPLOAD_BEGIN, UPLOAD_PART, UPLOAD_END, UPLOAD_ABORT };

struct upload {
    enum upload_step step;
    uint64_t part; /* number of the current part, counted from 1 */
    char id[256];
    struct text list; /* the uploaded parts, as XML, in memory for free(3) */
    uint32_t failure; /* why the upload is being aborted */
};

/* The headers that differ between transfers. All but the first one are signed. */
enum s3_line { LINE_AUTHORIZATION, LINE_HOST, LINE_DATE, LINE_HASH, LINE_CHECKSUM, S3_LINES };

/* The data of a channel. */
struct s3_exchange {
    const struct s3_site *site; /* where the request goes */
    char date[64];
    char hash[32 + SHA256_HEX];
    char checksum[32 + SHA256_HEX]; /* libcurl does not send "NAME:" without a value */
    char authorization[S3_AUTHORIZATION];
    struct curl_slist lines[S3_LINES]; /* those that the version needs precede the shared headers */
    struct upload upload;
};

/* The data of a thread. */
struct s3_thread {
    struct signer signer;
    char *url;                      /* of the transfer that is being prepared */
    int64_t second;                 /* the second, since 1970, that `time` is about */
    char time[40];                  /* that second in the form that signatures need */
    struct s3_exchange exchanges[]; /* one for each channel */
};

/*
 * Addresses and signs a transfer of x->request, whose body has been set. `key` is not yet
 * percent-encoded; NULL stands for the bucket itself. `query` is as sign_request.query, and
 * `subresource` as sign_request.subresource. Returns 0 or a failure.
 */
uint32_t s3_set(struct web_exchange *x, enum web_method method, const char *key, const char *query,
                const char *subresource);

/*
 * Uploads in parts: s3_upload_open() allocates the list of one, and returns false
 * without memory; s3_upload_begin() starts it, and s3_upload_follow() continues after a transfer.
 */
bool s3_upload_open(struct upload *u, uint64_t parts_most);
uint32_t s3_upload_begin(struct web_exchange *x);
bool s3_upload_follow(struct web_exchange *x);
