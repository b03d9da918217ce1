#ifndef BONLOAD_TARGETS_S3_PLACE_H
#define BONLOAD_TARGETS_S3_PLACE_H

#include <stdbool.h>

#include "bonload/settings.h"
#include "bonload/targets/s3_sign.h"
#include "util/err.h"

/* Where an object store is, and as whom it is asked. */
struct s3_place {
    char origin[512];   /* scheme, host and port: "https://store:9000" */
    char host[300];     /* as the header Host has it: without the port that the scheme implies */
    char root[512];     /* path in front of a key, percent-encoded: "/bucket/" or "/" */
    char resource[600]; /* the same for signatures of version 2, which always has the bucket */
    const char *endpoint;
    const char *bucket;
    struct sign_keys keys;
    const char *token; /* of a session; NULL: none */
    unsigned version;  /* of signatures: 2 or 4 */
};

/*
 * Finds the place by options and environment. The bucket is part of the path, or, where the name of
 * the host begins with it, not. Texts belong to the settings and the environment. Returns 0 or a
 * negative errno.
 */
int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e);

#endif
