#ifndef BONLOAD_TARGETS_S3_S3_PLACE_H
#define BONLOAD_TARGETS_S3_S3_PLACE_H

#include <stdbool.h>

#include "bonload/plan/settings.h"
#include "bonload/targets/s3/s3_sign.h"
#include "util/err.h"

/* One of the servers of a store. */
struct s3_site {
    char origin[512];      /* scheme, host and port: "https://store:9000" */
    char host[300];        /* value of the header Host: without the scheme's default port */
    char host_header[320]; /* the whole header Host */
    char root[512];        /* path before a key, percent-encoded: "/bucket/" or "/" */
    char resource[600];    /* the path that signatures of version 2 use, always with the bucket */
};

#define S3_SITES_MOST 32

/* Where an object store is, and as whom requests come. */
struct s3_place {
    struct s3_site sites[S3_SITES_MOST];
    unsigned site_count;
    const char *bucket;
    struct sign_keys keys;
    const char *token; /* session token; NULL: none */
    unsigned version;  /* version of signatures, 2 or 4; 0: requests are not signed */
};

/*
 * Finds the place from options and environment. The bucket is part of the path, unless a site's
 * host name begins with it. The texts belong to the settings and the environment. Returns 0, or a
 * negative errno with a line in e.
 */
int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e);

#endif
