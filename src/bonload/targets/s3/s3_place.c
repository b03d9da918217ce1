#include "bonload/targets/s3/s3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_REGION  "us-east-1"
#define DEFAULT_VERSION 4

static const char *first_given(const char *option, const char *variable)
{
    const char *from_environment = getenv(variable);
    if (option && *option)
        return option;
    return from_environment && *from_environment ? from_environment : NULL;
}

static int find_keys(struct s3_place *place, const struct settings *s, struct err *e)
{
    const char *access = getenv("AWS_ACCESS_KEY_ID");
    const char *region = first_given(s->s3_region, "AWS_REGION");
    struct sign_keys *keys = &place->keys;
    *keys = (struct sign_keys){
        .access = first_given(s->s3_api_key, "AWS_ACCESS_KEY_ID"),
        .secret = first_given(s->s3_secret_key, "AWS_SECRET_ACCESS_KEY"),
        .region = region ? region : DEFAULT_REGION,
        .service = "s3",
    };
    if (s->as_goader && !keys->access && !keys->secret) {
        place->version = 0;
        return 0;
    }
    if (!keys->access || !keys->secret)
        return err_say(e, "no keys are given: use -s3-api-key and -s3-secret-key, or "
                          "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
    if (strlen(keys->secret) >= SETTINGS_SECRET || strlen(keys->access) >= SETTINGS_SECRET ||
        strlen(keys->region) > 64)
        return err_say(e, "a key has more than %d characters, or the region more than 64",
                       SETTINGS_SECRET - 1);
    if (access && strcmp(access, keys->access) == 0) /* a token belongs to one access key */
        place->token = first_given(NULL, "AWS_SESSION_TOKEN");
    return 0;
}

/*
 * Gets one part of the endpoint's URL, except the default port of its scheme. `text` becomes "" if
 * the part is missing. Returns whether it is there.
 */
static bool get_part(CURLU *url, CURLUPart part, char *text, size_t size)
{
    char *value = NULL;
    text[0] = '\0';
    if (curl_url_get(url, part, &value, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
        snprintf(text, size, "%s", value);
    curl_free(value);
    return text[0] != '\0';
}

/*
 * Finds a site of an endpoint. Before a key come the endpoint's own path and the bucket, unless the
 * host is "BUCKET.host", so that requests are in virtual style. Returns false if the endpoint is
 * not accepted.
 */
static bool take_site(struct s3_site *site, const char *bucket, CURLU *url)
{
    char scheme[16];
    char host[256];
    char port[16];
    char path[sizeof site->root];
    struct text root;
    struct text alone;
    get_part(url, CURLUPART_SCHEME, scheme, sizeof scheme);
    get_part(url, CURLUPART_HOST, host, sizeof host);
    get_part(url, CURLUPART_PATH, path, sizeof path);
    const char *colon = get_part(url, CURLUPART_PORT, port, sizeof port) ? ":" : "";
    snprintf(site->host, sizeof site->host, "Host: %s%s%s", host, colon, port);
    snprintf(site->origin, sizeof site->origin, "%s://%s%s%s", scheme, host, colon, port);
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        path[--length] = '\0';
    text_begin(&root, site->root, sizeof site->root);
    text_begin(&alone, site->bucket, sizeof site->bucket);
    text_put(&root, path);
    length = strlen(bucket);
    bool is_virtual = strncasecmp(host, bucket, length) == 0 && host[length] == '.';
    struct text *with_bucket = is_virtual ? &alone : &root;
    text_put(with_bucket, "/");
    text_put_encoded(with_bucket, bucket, "");
    text_put(&root, "/");
    return text_is_whole(&root) && text_is_whole(&alone) && strncmp(scheme, "http", 4) == 0;
}

static int take_endpoint(struct s3_site *site, const char *endpoint, const char *bucket,
                         bool as_goader, struct err *e)
{
    char text[8];
    CURLU *url = curl_url();
    if (!url)
        return err_system(e, ENOMEM, "memory for a URL");
    unsigned flags = strstr(endpoint, "://") ? 0
                     : as_goader             ? CURLU_GUESS_SCHEME
                                             : CURLU_DEFAULT_SCHEME;
    int rc = 0;
    if (curl_url_set(url, CURLUPART_URL, endpoint, flags) != CURLUE_OK)
        rc = err_say(e, "-s3-endpoint: this value is not accepted; expected a URL: "
                        "http://HOST:PORT or https://HOST");
    else if (get_part(url, CURLUPART_USER, text, sizeof text) ||
             get_part(url, CURLUPART_PASSWORD, text, sizeof text))
        rc = err_say(e, "-s3-endpoint: the URL must not contain a user's name or password");
    else if (!take_site(site, bucket, url))
        rc = err_say(e,
                     "-s3-endpoint: '%.100s' is not accepted; expected a URL: http://HOST:PORT or "
                     "https://HOST",
                     endpoint);
    curl_url_cleanup(url);
    return rc;
}

/* Parses "URL,URL,...". */
static int take_endpoints(struct s3_place *place, const char *endpoints, bool as_goader,
                          struct err *e)
{
    char one[512];
    int rc = 0;
    for (size_t length; rc == 0 && *endpoints; endpoints += length + (endpoints[length] == ',')) {
        length = strcspn(endpoints, ",");
        if (place->site_count == S3_SITES_MOST || length >= sizeof one)
            return err_say(e, "-s3-endpoint: up to %d URLs of up to %zu characters are accepted",
                           S3_SITES_MOST, sizeof one - 1);
        snprintf(one, sizeof one, "%.*s", (int)length, endpoints);
        rc = take_endpoint(&place->sites[place->site_count++], one, place->bucket, as_goader, e);
    }
    return rc;
}

int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e)
{
    const char *endpoints = first_given(s->s3_endpoint, "AWS_ENDPOINT_URL");
    *place = (struct s3_place){
        .bucket = s->s3_bucket,
        .version = (unsigned)given_or(s->s3_sign_version, DEFAULT_VERSION),
    };
    if (place->version == 3)
        return err_say(e, "-s3-sign-ver: '3' is not accepted; expected 4 or 2");
    if (!endpoints)
        return err_say(e, "no store is given: use -s3-endpoint=URL, or AWS_ENDPOINT_URL in the "
                          "environment");
    if (!place->bucket)
        return err_say(e, "no bucket is given: use -s3-bucket=NAME");
    int rc = find_keys(place, s, e);
    return rc ? rc : take_endpoints(place, endpoints, s->as_goader, e);
}
