// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

#include "bonload/plan/plan.h"
#include "bonload/targets/s3/s3_sign.h"
#include "bonload/targets/web/web.h"

/* Where the target s3 sends its requests, and how it signs them. */

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

/* Where an object store is, and who sends the requests. */
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
 * Finds the place from options, environment and AWS_PROFILE. The bucket is part of the path; with
 * -s3-virtual, and at Amazon's own endpoints, it is part of the host. The texts belong to the
 * settings and the environment.
 */
int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e);
