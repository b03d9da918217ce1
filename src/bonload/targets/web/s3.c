// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <ctype.h>
#include <fnmatch.h>
#include <strings.h>
#include <time.h>

#include "bonload/targets/web/web.h"
#include "sys/input.h"

/* ---- texts and signatures -------------------------------------------------------------------- */

void text_begin(struct text *t, char *memory, size_t size)
{
    *t = (struct text){.memory = memory, .size = size};
    memory[0] = '\0';
}

static void put_bytes(struct text *t, const char *more, size_t length)
{
    if (text_is_whole(t)) {
        size_t room = t->size - t->used - 1;
        size_t part = length < room ? length : room;
        memcpy(t->memory + t->used, more, part);
        t->memory[t->used + part] = '\0';
    }
    t->used += length;
}

void text_put_list(struct text *t, const char *const *list)
{
    for (; *list; list++)
        put_bytes(t, *list, strlen(*list));
}

static void text_put_byte(struct text *t, char byte)
{
    put_bytes(t, &byte, 1);
}

void text_put_encoded(struct text *t, const char *more, const char *kept)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *more; more++) {
        unsigned char c = (unsigned char)*more;
        const char code[] = {'%', digits[c >> 4], digits[c & 15]};
        if (isalnum(c) || strchr("-._~", c) || strchr(kept, c))
            text_put_byte(t, *more);
        else
            put_bytes(t, code, sizeof code);
    }
}

static const struct entity {
    const char *name;
    char byte;
} entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'},
};

bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size)
{
    char tag[32];
    int tag_length = snprintf(tag, sizeof tag, "<%s>", element);
    const char *at = memmem(xml, length, tag, (size_t)tag_length);
    const char *stop = NULL;
    size_t used = 0;
    if (at) {
        at += tag_length;
        stop = memchr(at, '<', (size_t)(xml + length - at));
    }
    while (stop && at < stop && used + 1 < size) {
        char byte = *at;
        size_t taken = 1;
        for (size_t i = 0; i < COUNT_OF(entities); i++) {
            size_t entity = strlen(entities[i].name);
            if (entity > (size_t)(stop - at) || memcmp(at, entities[i].name, entity) != 0)
                continue;
            byte = entities[i].byte;
            taken = entity;
        }
        text[used++] = byte;
        at += taken;
    }
    text[used] = '\0';
    return stop;
}

#define SHA1_BYTES 20
#define BLOCK      64 /* block size of both hashes, in bytes */

int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e)
{
    *s = (struct signer){.keys = *keys};
    char *memory = malloc(room);
    if (!memory)
        return err_system(e, ENOMEM, "allocate memory for signatures");
    text_begin(&s->canonical, memory, room);
    s->context = EVP_MD_CTX_new();
    s->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    s->sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    return s->context && s->sha256 && s->sha1
               ? 0
               : err_say(e, "libcrypto lacks SHA-256 or SHA-1, which signatures need");
}

void signer_close(struct signer *s)
{
    EVP_MD_CTX_free(s->context);
    EVP_MD_free(s->sha256);
    EVP_MD_free(s->sha1);
    free(s->canonical.memory);
    *s = (struct signer){0};
}

static void write_hex(const unsigned char hash[static SHA256_BYTES], char hex[static SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = digits[hash[i] >> 4];
        hex[2 * i + 1] = digits[hash[i] & 15];
    }
    hex[2 * SHA256_BYTES] = '\0';
}

/* Hashes one text after another. */
static void hash_both(struct signer *s, const EVP_MD *md, const void *first, size_t first_length,
                      const void *second, size_t second_length, unsigned char *hash)
{
    EVP_DigestInit_ex(s->context, md, NULL);
    EVP_DigestUpdate(s->context, first, first_length);
    EVP_DigestUpdate(s->context, second, second_length);
    EVP_DigestFinal_ex(s->context, hash, NULL);
}

/* A keyed hash (HMAC, RFC 2104). `hash` may overlap the key. */
static void make_hmac(struct signer *s, const EVP_MD *md, const void *key, size_t key_length,
                      const char *text, unsigned char *hash)
{
    unsigned char inner[BLOCK] = {0};
    unsigned char outer[BLOCK];
    if (key_length <= BLOCK)
        memcpy(inner, key, key_length);
    else
        hash_both(s, md, key, key_length, "", 0, inner);
    for (size_t i = 0; i < BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    hash_both(s, md, inner, BLOCK, text, strlen(text), hash);
    hash_both(s, md, outer, BLOCK, hash, (size_t)EVP_MD_get_size(md), hash);
}

struct header {
    const char *name;
    size_t length; /* of the name */
    const char *value;
};

static int compare_names(const struct header *a, const struct header *b)
{
    int order = strncasecmp(a->name, b->name, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Sorts the lines of libcurl's list by name; those with the same name keep their order. A line is
 * "NAME: VALUE", or "NAME;" without a value; "NAME:" is not sent. Returns their number. */
static size_t sort_headers(struct header sorted[static MAX_SIGN_HEADERS],
                           const struct curl_slist *lines)
{
    size_t count = 0;
    for (; lines && count < MAX_SIGN_HEADERS; lines = lines->next) {
        const char *colon = strchr(lines->data, ':');
        const char *end = colon ? colon : strchr(lines->data, ';');
        struct header h = {.name = lines->data, .length = (size_t)(end - lines->data)};
        h.value = end + 1 + strspn(end + 1, " \t");
        if (colon && !*h.value)
            continue;
        size_t at = count++;
        for (; at > 0 && compare_names(&sorted[at - 1], &h) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = h;
    }
    return count;
}

static void put_name(struct text *t, const struct header *h)
{
    for (size_t i = 0; i < h->length; i++)
        text_put_byte(t, (char)tolower((unsigned char)h->name[i]));
}

/* Appends a value without blanks at its end; with `joins`, also reduces those within it to one. */
static void put_value(struct text *t, const char *value, bool joins)
{
    size_t length = strlen(value);
    while (length > 0 && isblank((unsigned char)value[length - 1]))
        length--;
    for (size_t at = 0; at < length; at++) {
        if (!joins || !isblank((unsigned char)value[at]))
            text_put_byte(t, value[at]);
        else if (!isblank((unsigned char)value[at - 1]))
            text_put_byte(t, ' ');
    }
}

static bool has_same_name(const struct header sorted[], size_t i)
{
    return i > 0 && compare_names(&sorted[i - 1], &sorted[i]) == 0;
}

/* Appends "name:value\n" for each name, with the values of all headers that have it. */
static void put_headers(struct text *t, const struct header sorted[], size_t count, bool joins)
{
    for (size_t i = 0; i < count; i++) {
        if (has_same_name(sorted, i)) {
            text_put_byte(t, ',');
        } else {
            put_name(t, &sorted[i]);
            text_put_byte(t, ':');
        }
        put_value(t, sorted[i].value, joins);
        if (i + 1 == count || !has_same_name(sorted, i + 1))
            text_put_byte(t, '\n');
    }
}

static void put_names(struct text *t, const struct header sorted[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_same_name(sorted, i))
            continue;
        text_put(t, i > 0 ? ";" : "");
        put_name(t, &sorted[i]);
    }
}

/* Appends date, region and service. */
static void put_scope(struct text *t, const struct signer *s)
{
    text_put(t, s->day, "/", s->keys.region, "/", s->keys.service, "/aws4_request");
}

int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization)
{
    struct header sorted[MAX_SIGN_HEADERS];
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX];
    char first[600];
    struct text *canonical = &s->canonical;
    struct text t;
    size_t count = sort_headers(sorted, r->headers);
    text_begin(canonical, canonical->memory, canonical->size);
    text_put(canonical, r->method, "\n", r->path, "\n", r->query, "\n");
    put_headers(canonical, sorted, count, true);
    text_put_byte(canonical, '\n');
    put_names(canonical, sorted, count);
    text_put(canonical, "\n", r->body_hash);
    if (strncmp(s->day, r->time, 8) != 0) { /* the key for a day, region and service */
        snprintf(s->day, sizeof s->day, "%.8s", r->time);
        int length = snprintf(first, sizeof first, "AWS4%s", s->keys.secret);
        make_hmac(s, s->sha256, first, (size_t)length, s->day, s->key);
        make_hmac(s, s->sha256, s->key, SHA256_BYTES, s->keys.region, s->key);
        make_hmac(s, s->sha256, s->key, SHA256_BYTES, s->keys.service, s->key);
        make_hmac(s, s->sha256, s->key, SHA256_BYTES, "aws4_request", s->key);
    }
    if (!text_is_whole(canonical))
        return -ENOBUFS;
    hash_both(s, s->sha256, canonical->memory, canonical->used, "", 0, hash);
    write_hex(hash, hex);
    text_begin(&t, s->to_sign, sizeof s->to_sign);
    text_put(&t, "AWS4-HMAC-SHA256\n", r->time, "\n");
    put_scope(&t, s);
    text_put(&t, "\n", hex);
    if (!text_is_whole(&t))
        return -ENOBUFS;
    make_hmac(s, s->sha256, s->key, sizeof s->key, s->to_sign, hash);
    write_hex(hash, hex);
    text_put(authorization, "AWS4-HMAC-SHA256 Credential=", s->keys.access, "/");
    put_scope(authorization, s);
    text_put(authorization, ", SignedHeaders=");
    put_names(authorization, sorted, count);
    text_put(authorization, ", Signature=", hex);
    return text_is_whole(authorization) ? 0 : -ENOBUFS;
}

static bool begins_with(const struct header *h, const char *name)
{
    return strncasecmp(h->name, name, strlen(name)) == 0;
}

/* Appends the value of a header, if the request has it. `name` ends in a colon. */
static void put_value_of(struct text *t, const struct header sorted[], size_t count,
                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (begins_with(&sorted[i], name))
            put_value(t, sorted[i].value, false);
    text_put_byte(t, '\n');
}

int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization)
{
    struct header sorted[MAX_SIGN_HEADERS];
    unsigned char hash[SHA1_BYTES];
    unsigned char base64[2 * SHA1_BYTES];
    struct text *t = &s->canonical;
    size_t count = sort_headers(sorted, r->headers);
    size_t kept = 0;
    text_begin(t, t->memory, t->size);
    text_put(t, r->method, "\n");
    put_value_of(t, sorted, count, "content-md5:");
    put_value_of(t, sorted, count, "content-type:");
    text_put(t, r->time, "\n");
    for (size_t i = 0; i < count; i++) /* only Amazon's own headers are signed as a whole */
        if (begins_with(&sorted[i], "x-amz-"))
            sorted[kept++] = sorted[i];
    put_headers(t, sorted, kept, false);
    text_put(t, r->bucket, r->path, *r->subresource ? "?" : "", r->subresource);
    if (!text_is_whole(t))
        return -ENOBUFS;
    make_hmac(s, s->sha1, s->keys.secret, strlen(s->keys.secret), t->memory, hash);
    EVP_EncodeBlock(base64, hash, sizeof hash);
    text_put(authorization, "AWS ", s->keys.access, ":", (const char *)base64);
    return text_is_whole(authorization) ? 0 : -ENOBUFS;
}

/* ---- where the store is ---------------------------------------------------------------------- */

/* The first of three texts that is neither NULL nor empty, or NULL. */
static const char *first_of(const char *one, const char *two, const char *three)
{
    return one && *one ? one : two && *two ? two : three && *three ? three : NULL;
}

/* What a profile may have, as patterns of fnmatch(3); those after the endpoint have no effect. */
static const char *const profile_keys[] = {
    [PROFILE_ACCESS] = "aws_access_key_id",
    [PROFILE_SECRET] = "aws_secret_access_key",
    [PROFILE_TOKEN] = "aws_session_token",
    [PROFILE_REGION] = "region",
    [PROFILE_ENDPOINT] = "endpoint_url",
    "output",
    "cli_*",
    "retry_mode",
    "max_attempts",
};

/* Ends a text before the blanks at its end, and returns what follows those at its start. */
static char *trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    return text + strspn(text, " \t");
}

/* Takes a section of one of Amazon's two files, which need not exist. Lines that begin with a blank
 * belong to the setting before. Returns 1 if it has the section, 0, or a negative errno. */
static int read_profile(struct s3_place *place, const char *variable, const char *usual,
                        const char *section, struct err *e)
{
    char path[4096];
    char *text;
    size_t length;
    int found = 0;
    bool is_inside = false;
    const char *given = first_of(getenv(variable), NULL, NULL);
    const char *home = first_of(getenv("HOME"), "/", NULL);
    snprintf(path, sizeof path, "%s%s", given ? given : home, given ? "" : usual);
    int rc = input_read("read", path, MIB, &text, &length, e);
    if (rc == -ENOENT)
        err_init(e);
    char *next = text;
    for (char *line; rc == 0 && (line = strsep(&next, "\n"));) {
        char *value = strchr(line, '=');
        if (*line == '[') {
            line[strcspn(line, "]")] = '\0';
            is_inside = strcmp(trim(line + 1), section) == 0;
            found |= is_inside;
            continue;
        }
        if (!is_inside || !value || strchr(" \t#;", *line))
            continue;
        *value++ = '\0';
        const char *key = trim(line);
        size_t i = 0;
        value = trim(value);
        while (i < COUNT_OF(profile_keys) && fnmatch(profile_keys[i], key, 0) != 0)
            i++;
        if (i == COUNT_OF(profile_keys))
            rc = err_say(e,
                         "%.200s: the profile has %.60s, but only static keys, region and "
                         "endpoint_url are supported",
                         path, key);
        else if (i < PROFILE_VALUES && strlen(value) >= PROFILE_VALUE)
            rc = err_say(e, "%.200s: %s is too long", path, key);
        else if (i < PROFILE_VALUES)
            strcpy(place->profile[i], value);
    }
    free(text);
    return rc == 0 || rc == -ENOENT ? found : rc;
}

/* Finds keys and region. A profile counts only if neither options nor the environment have keys. */
static int find_keys(struct s3_place *place, const struct settings *s, struct err *e)
{
    struct sign_keys *keys = &place->keys;
    const char *access = getenv("AWS_ACCESS_KEY_ID");
    *keys = (struct sign_keys){
        .access = first_of(s->s3_api_key, access, NULL),
        .secret = first_of(s->s3_secret_key, getenv("AWS_SECRET_ACCESS_KEY"), NULL),
        .service = "s3",
    };
    const char *name = first_of(getenv("AWS_PROFILE"), NULL, NULL);
    if (!keys->access && !keys->secret) {
        if (name) {
            char section[256];
            snprintf(section, sizeof section, "%s%s", strcmp(name, "default") ? "profile " : "",
                     name);
            int in_config = read_profile(place, "AWS_CONFIG_FILE", "/.aws/config", section, e);
            int rc = in_config < 0 ? in_config
                                   : read_profile(place, "AWS_SHARED_CREDENTIALS_FILE",
                                                  "/.aws/credentials", name, e);
            if (rc < 0)
                return rc;
            if (in_config == 0 && rc == 0)
                return err_say(e, "AWS_PROFILE: there is no profile '%.100s'", name);
        }
        keys->access = first_of(place->profile[PROFILE_ACCESS], NULL, NULL);
        keys->secret = first_of(place->profile[PROFILE_SECRET], NULL, NULL);
        place->token = first_of(place->profile[PROFILE_TOKEN], NULL, NULL);
    } else if (access && keys->access && strcmp(access, keys->access) == 0) {
        /* a token belongs to one access key */
        place->token = first_of(getenv("AWS_SESSION_TOKEN"), NULL, NULL);
    }
    const char *region = first_of(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"),
                                  place->profile[PROFILE_REGION]);
    keys->region = first_of(s->s3_region, region, "us-east-1");
    if (s->as_goader && !keys->access && !keys->secret) {
        place->version = 0;
        return 0;
    }
    if (!keys->access || !keys->secret)
        return err_say(e, "no keys are given: use -s3-api-key and -s3-secret-key, or "
                          "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE in the "
                          "environment");
    if (strlen(keys->secret) >= SETTINGS_SECRET || strlen(keys->access) >= SETTINGS_SECRET ||
        strlen(keys->region) > 64)
        return err_say(e, "a key has more than %d characters, or the region more than 64",
                       SETTINGS_SECRET - 1);
    return 0;
}

/* Gets a part of a URL, but no default port. Returns false, with "" in `text`, if it is missing. */
static bool get_part(CURLU *url, CURLUPart part, char *text, size_t size)
{
    char *value = NULL;
    text[0] = '\0';
    if (curl_url_get(url, part, &value, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
        snprintf(text, size, "%s", value);
    curl_free(value);
    return text[0] != '\0';
}

/* Returns Amazon's own endpoint at the end of a host, "s3.REGION.amazonaws.com" or "s3-...", or
 * NULL. Endpoints in a VPC have names of their own before that. */
static const char *amazon_in(const char *host)
{
    const char *found = NULL;
    const char *domain = strcasestr(host, ".amazonaws.com");
    if (!domain || strcasestr(host, ".vpce.") ||
        !(strlen(domain) == 14 || strcasecmp(domain + 14, ".cn") == 0))
        return NULL;
    for (const char *label = host; label < domain; label += strcspn(label, ".") + 1)
        if (strncasecmp(label, "s3.", 3) == 0 || strncasecmp(label, "s3-", 3) == 0)
            found = label;
    return found;
}

/* Puts the bucket before the host, once, with -s3-virtual, or at Amazon's own endpoints where their
 * certificates allow that and -s3-virtual=false does not. No name is guessed to be a bucket. */
static int take_host(struct s3_site *site, const struct settings *s, bool is_encrypted,
                     char host[static S3_HOST_SIZE], struct err *e)
{
    char store[S3_HOST_SIZE];
    struct in_addr address;
    const char *bucket = s->s3_bucket;
    const char *amazon = amazon_in(host);
    size_t length = strlen(bucket);
    /* by Amazon's rules for names */
    bool fits = strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789.-") == length && length >= 3 &&
                length <= 63 && !strstr(bucket, "..") && !strchr(".-", bucket[0]) &&
                !strchr(".-", bucket[length - 1]);
    bool is_there = strncasecmp(host, bucket, length) == 0 && host[length] == '.' &&
                    (!amazon || amazon == host + length + 1);
    bool is_default = amazon && (is_there || (fits && !(is_encrypted && strchr(bucket, '.'))));
    bool is_virtual = optional_or(s->s3_virtual, is_default);
    bool is_address = *host == '[' || inet_pton(AF_INET, host, &address) == 1;
    if (amazon && amazon > host && !(is_there && fits && is_virtual))
        return err_say(e, "-s3-endpoint: %.200s is the host of %s bucket; expected %.200s", host,
                       is_there && fits ? "the" : "another", amazon);
    if (is_virtual && (!fits || is_address))
        return err_say(e, "-s3-virtual: the bucket '%.100s' cannot precede the host %.200s", bucket,
                       host);
    site->is_there = is_there;
    if (!is_virtual)
        return 0;
    snprintf(store, sizeof store, "%s", host + (is_there ? length + 1 : 0));
    if (snprintf(host, S3_HOST_SIZE, "%s.%s", bucket, store) >= S3_HOST_SIZE)
        return err_say(e, "-s3-endpoint: the host is too long");
    return 1;
}

/* Finds a site. Before a key come the endpoint's own path and the bucket, unless that is part of
 * the host. The zone of an IPv6 address is part of the URL, but not of the header Host. */
static int take_site(struct s3_site *site, const struct settings *s, const char *endpoint,
                     CURLU *url, struct err *e)
{
    char scheme[16];
    char host[S3_HOST_SIZE];
    char zone[64];
    char port[16];
    char user[8];
    char path[sizeof site->root];
    struct text root;
    struct text alone;
    unsigned flags = strstr(endpoint, "://") ? 0
                     : s->as_goader          ? CURLU_GUESS_SCHEME
                                             : CURLU_DEFAULT_SCHEME;
    if (curl_url_set(url, CURLUPART_URL, endpoint, flags) != CURLUE_OK)
        return err_say(e, "-s3-endpoint: this value is not accepted; expected a URL: "
                          "http://HOST:PORT or https://HOST");
    if (get_part(url, CURLUPART_USER, user, sizeof user) ||
        get_part(url, CURLUPART_PASSWORD, user, sizeof user))
        return err_say(e, "-s3-endpoint: the URL must not contain a user's name or password");
    get_part(url, CURLUPART_SCHEME, scheme, sizeof scheme);
    get_part(url, CURLUPART_HOST, host, sizeof host);
    get_part(url, CURLUPART_PATH, path, sizeof path);
    const char *colon = get_part(url, CURLUPART_PORT, port, sizeof port) ? ":" : "";
    const char *percent = get_part(url, CURLUPART_ZONEID, zone, sizeof zone) ? "%25" : "";
    int is_virtual = take_host(site, s, strcasecmp(scheme, "https") == 0, host, e);
    if (is_virtual < 0)
        return is_virtual;
    int before = (int)(strlen(host) - (*zone != '\0')); /* the zone precedes the "]" */
    snprintf(site->host, sizeof site->host, "Host: %s%s%s", host, colon, port);
    snprintf(site->origin, sizeof site->origin, "%s://%.*s%s%s%s%s%s", scheme, before, host,
             percent, zone, host + before, colon, port);
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        path[--length] = '\0';
    text_begin(&root, site->root, sizeof site->root);
    text_begin(&alone, site->bucket, sizeof site->bucket);
    text_put(&root, path);
    text_put(is_virtual ? &alone : &root, "/");
    text_put_encoded(is_virtual ? &alone : &root, s->s3_bucket, "");
    text_put(&root, "/");
    if (text_is_whole(&root) && strncmp(scheme, "http", 4) == 0)
        return 0;
    return err_say(e,
                   "-s3-endpoint: '%.100s' is not accepted; expected a URL: http://HOST:PORT or "
                   "https://HOST",
                   endpoint);
}

int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e)
{
    *place = (struct s3_place){
        .bucket = s->s3_bucket,
        .version = (unsigned)optional_or(s->s3_sign_version, 4),
    };
    if (place->version == 3)
        return err_say(e, "-s3-sign-ver: '3' is not accepted; expected 4 or 2");
    int rc = find_keys(place, s, e);
    if (rc != 0)
        return rc;
    const char *other =
        first_of(getenv("AWS_ENDPOINT_URL"), place->profile[PROFILE_ENDPOINT], NULL);
    const char *endpoints = first_of(s->s3_endpoint, getenv("AWS_ENDPOINT_URL_S3"), other);
    if (!endpoints)
        return err_say(e, "no store is given: use -s3-endpoint=URL, or AWS_ENDPOINT_URL in the "
                          "environment");
    if (!place->bucket)
        return err_say(e, "no bucket is given: use -s3-bucket=NAME");
    /* servers disagree about other names in a path: "", "a/b" or ".." may lead elsewhere */
    size_t length = strspn(place->bucket, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789.-_:");
    if (place->bucket[length] || length > 255 || strspn(place->bucket, ".") == length)
        return err_say(e,
                       "-s3-bucket: '%.100s' is not accepted; expected up to 255 letters, "
                       "digits and . - _ :",
                       place->bucket);
    for (; rc == 0 && *endpoints; endpoints += length + (endpoints[length] == ',')) {
        char one[512];
        length = strcspn(endpoints, ",");
        if (place->site_count == MAX_S3_SITES || length >= sizeof one)
            return err_say(e, "-s3-endpoint: up to %d URLs of up to %zu characters are accepted",
                           MAX_S3_SITES, sizeof one - 1);
        snprintf(one, sizeof one, "%.*s", (int)length, endpoints);
        CURLU *url = curl_url();
        rc = url ? take_site(&place->sites[place->site_count++], s, one, url, e)
                 : err_system(e, ENOMEM, "allocate memory for a URL");
        curl_url_cleanup(url);
    }
    return rc;
}

/* ---- requests -------------------------------------------------------------------------------- */

struct s3_state {
    struct s3_place place;
    _Atomic unsigned turn; /* number of requests that have chosen a site */
    size_t url_bytes;      /* room for a URL */
    char within[264];      /* "BUCKET/", which no host of a bucket should have in its path */
    uint64_t part_bytes;   /* 0: objects are uploaded as a whole */
    uint64_t parts_most;
};

enum upload_step { UPLOAD_NONE, UPLOAD_BEGIN, UPLOAD_PART, UPLOAD_END, UPLOAD_ABORT };

struct upload {
    enum upload_step step;
    uint64_t part; /* number of the current part, counted from 1 */
    char id[256];
    struct text list; /* the uploaded parts, as XML */
    uint32_t failure; /* why the upload is being aborted */
};

/* The headers that differ between transfers. All but the first one are signed. */
enum s3_line { LINE_AUTHORIZATION, LINE_HOST, LINE_DATE, LINE_HASH, S3_LINES };

struct s3_exchange {
    const struct s3_site *site; /* where the request goes */
    char date[64];
    char hash[32 + SHA256_HEX];
    char authorization[2048 + SETTINGS_HEADERS]; /* names all headers */
    struct curl_slist lines[S3_LINES]; /* those that the version needs precede the shared headers */
    struct upload upload;
};

struct s3_thread {
    struct signer signer;
    char *url;                      /* of the transfer that is being prepared */
    char *lists;                    /* memory of all channels' lists of parts */
    int64_t second;                 /* the second, since 1970, that `time` is about */
    char time[40];                  /* that second in the form that signatures need */
    struct s3_exchange exchanges[]; /* one for each channel */
};

#define URL_EXTRA       4096 /* besides the key: origin, root, and a query with a prefix or an id */
#define CANONICAL_EXTRA 4096 /* besides the URL and the user's headers */
#define MAX_GIVEN       (MAX_SIGN_HEADERS - 6) /* the user's headers; a request adds up to six */
#define MAX_PARTS       10000                  /* by S3's documentation */
#define PROBE_NS        (5 * BILLION) /* longest time for the check that the bucket exists */

enum { S3_LIST = METHOD_DELETE + 1, S3_PROBE, S3_PROBE_WITHIN };

const char *const s3_op_names[] = {"get", "put", "head", "delete", "list", NULL};
static const enum web_method methods[] = {METHOD_GET, METHOD_PUT,  METHOD_HEAD, METHOD_DELETE,
                                          METHOD_GET, METHOD_HEAD, METHOD_HEAD};

/* Makes one request to a site. Returns the HTTP status, or 0 without an answer. */
static long probe_site(struct web_state *s, unsigned site, unsigned op)
{
    struct s3_state *s3 = s->own;
    struct request r = {.kind = LOAD_READ, .op = op, .number = 1};
    atomic_store(&s3->turn, site);
    return web_once(s, &r, PROBE_NS / s3->place.site_count);
}

/* A key must stay below the bucket, also where a server tidies paths: DELETE would remove that. */
static int check_key(char *key, struct err *e)
{
    int depth = 0;
    for (const char *at = key; depth >= 0 && *at; at += *at == '/') {
        size_t length = strcspn(at, "/");
        bool is_up = length == 2 && strncmp(at, "..", 2) == 0;
        depth += is_up ? -1 : length > 0 && strncmp(at, ".", length) != 0;
        at += length;
    }
    return depth > 0 ? 0 : err_say(e, "the key '%.100s' may lead out of its bucket", key);
}

static int s3_open_dialect(struct web_state *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    struct s3_state *s3 = s->own = calloc(1, sizeof *s3);
    unsigned headers = 0;
    char *line;
    if (!s3)
        return err_system(e, ENOMEM, "allocate memory for the target");
    s3->url_bytes = 3 * s->setup.names->longest + URL_EXTRA;
    s3->part_bytes = settings->s3_part_bytes.value;
    uint64_t most = s->setup.given_body ? s->given_body.size : s->setup.plan->most_body;
    if (s3->part_bytes > 0)
        s3->parts_most = most / s3->part_bytes + 1;
    int rc = s3_place_find(&s3->place, settings, e);
    const char *token = s3->place.token;
    s->servers = s3->place.site_count;
    snprintf(s3->within, sizeof s3->within, "%s/", settings->s3_bucket);
    web_reasons_hide(&s->reasons, s3->place.keys.secret);
    web_reasons_hide(&s->reasons, s3->place.keys.access);
    web_reasons_hide(&s->reasons, token);
    if (rc != 0)
        return rc;
    /* the user's headers are signed, too; the first line of the list is ours */
    for (const struct curl_slist *given = s->headers->next; given; given = given->next)
        headers++;
    if (headers > MAX_GIVEN)
        return err_say(e, "-header: %d headers are the most", MAX_GIVEN);
    if (token) {
        if (asprintf(&line, "x-amz-security-token: %s", token) < 0)
            return err_system(e, ENOMEM, "allocate memory for the headers");
        rc = web_add_header(s, line, e);
        free(line);
    }
    if (rc != 0)
        return rc;
    /* The bucket must exist on each site. Only 404 shows that it does not; other problems are left
     * to the load. A store that has the bucket in its path, too, would take keys for buckets. */
    for (unsigned i = 0; i < s3->place.site_count; i++) {
        const struct s3_site *site = &s3->place.sites[i];
        bool is_virtual = *site->bucket;
        if (probe_site(s, i, S3_PROBE) == 404)
            return err_say(e, "-s3-bucket: there is no bucket %.100s at %.200s%s", s3->place.bucket,
                           site->origin,
                           site->is_there && !is_virtual ? "; if this is its host, use -s3-virtual"
                                                         : "");
        if (is_virtual && probe_site(s, i, S3_PROBE_WITHIN) == 200)
            return err_say(e,
                           "-s3-virtual: %.200s has the bucket %.100s in its path; leave out "
                           "-s3-virtual",
                           site->origin, s3->place.bucket);
    }
    atomic_store(&s3->turn, s->setup.plan->stripe.index);
    return 0;
}

/* Makes the headers that the version of signatures needs. Returns false when there is no room. */
static bool make_headers(struct web_exchange *x, unsigned version, struct sign_request *r)
{
    struct s3_thread *thread = x->thread->own;
    struct s3_exchange *own = x->own;
    unsigned char sum[SHA256_BYTES];
    struct text authorization;
    struct tm parts;
    time_t now = time(NULL);
    if (!thread->time[0] || thread->second != now) {
        thread->second = now;
        gmtime_r(&now, &parts);
        strftime(thread->time, sizeof thread->time,
                 version == 2 ? "%a, %d %b %Y %H:%M:%S GMT" : "%Y%m%dT%H%M%SZ", &parts);
    }
    r->time = thread->time;
    r->headers = &own->lines[LINE_HOST];
    snprintf(own->date, sizeof own->date, "%s: %s", version == 2 ? "Date" : "x-amz-date", r->time);
    text_begin(&authorization, own->authorization, sizeof own->authorization);
    text_put(&authorization, "Authorization: ");
    if (version == 2)
        return sign_version2(&thread->signer, r, &authorization) == 0;
    char *hash = stpcpy(own->hash, "x-amz-content-sha256: ");
    struct signer *signer = &thread->signer;
    EVP_DigestInit_ex(signer->context, signer->sha256, NULL);
    size_t part;
    for (uint64_t at = 0; at < x->send_bytes; at += part) {
        uint64_t left = x->send_bytes - at;
        part = left < PATTERN_UNIT_MAX ? (size_t)left : PATTERN_UNIT_MAX;
        web_exchange_fill(x, at, x->unit, part);
        EVP_DigestUpdate(signer->context, x->unit, part);
    }
    EVP_DigestFinal_ex(signer->context, sum, NULL);
    write_hex(sum, hash);
    r->body_hash = hash;
    return sign_version4(signer, r, &authorization) == 0;
}

/* Addresses and signs a transfer of x->request, whose body has been set. `key` is not encoded yet;
 * NULL: the bucket itself. `query` and `subresource` are those of sign_request. 0 or a failure. */
static uint32_t s3_set(struct web_exchange *x, enum web_method method, const char *key,
                       const char *query, const char *subresource)
{
    const struct s3_state *s3 = x->thread->shared->own;
    struct s3_thread *thread = x->thread->own;
    struct s3_exchange *own = x->own;
    const struct s3_site *site = own->site;
    struct text url;
    ASSUME(site);
    text_begin(&url, thread->url, s3->url_bytes);
    text_put(&url, site->origin, site->root);
    if (key)
        text_put_encoded(&url, key, "/");
    struct sign_request r = {
        .method = web_method_names[method],
        .path = url.memory + strlen(site->origin),
        .query = query,
        .bucket = site->bucket,
        .subresource = subresource,
    };
    unsigned version = s3->place.version;
    bool is_signed = version == 0 || make_headers(x, version, &r);
    text_put(&url, *query ? "?" : "", query);
    if (!is_signed || !text_is_whole(&url))
        return failure_of(CALL_OTHER, ENAMETOOLONG);
    if (url.memory[url.used - 1] == '=') /* "?uploads=" is only signed, and not sent */
        url.memory[url.used - 1] = '\0';
    web_exchange_set(x, method, url.memory);
    return 0;
}

#define LIST_BEGIN "<CompleteMultipartUpload>"
#define LIST_END   "</CompleteMultipartUpload>"
#define PART_TEXT  768 /* of a part in the list: a tag has up to 95 characters, of 6 if escaped */

/* web_dialect.follow for an upload in parts: its beginning returns an id, each part a tag, and the
 * list of the tags completes it. One that fails is aborted, which removes its parts. */
static bool follow_upload(struct web_exchange *x)
{
    static const enum web_method of_steps[] = {
        [UPLOAD_PART] = METHOD_PUT, [UPLOAD_END] = METHOD_POST, [UPLOAD_ABORT] = METHOD_DELETE};
    const struct s3_state *s3 = x->thread->shared->own;
    struct s3_exchange *own = x->own;
    struct upload *u = &own->upload;
    char number[24];
    char code[WEB_REASON_KEY];
    char text[WEB_REASON_KEY + 32];
    char part[48] = "";
    char plain[sizeof u->id + 64];
    char encoded[3 * sizeof u->id + 64];
    struct text query;
    bool has_all = u->part * s3->part_bytes >= x->expected.size;
    if (u->step == UPLOAD_NONE)
        return false;
    if (u->step == UPLOAD_ABORT) {
        x->failure = u->failure;
    } else if (x->failure == 0 && u->step == UPLOAD_BEGIN) {
        if (!xml_text(x->answer, x->answer_used, "UploadId", u->id, sizeof u->id))
            x->failure = web_failure(x, "the answer has no upload ID");
    } else if (x->failure == 0 && u->step == UPLOAD_PART) {
        snprintf(number, sizeof number, "%" PRIu64, u->part);
        text_put(&u->list, "<Part><PartNumber>", number, "</PartNumber><ETag>");
        for (const char *at = x->tag; *at; at++) {
            if (*at == '&' || *at == '<' || *at == '"')
                text_put(&u->list, *at == '&' ? "&amp;" : *at == '<' ? "&lt;" : "&quot;");
            else
                text_put_byte(&u->list, *at);
        }
        text_put(&u->list, "</ETag></Part>", has_all ? LIST_END : "");
        if (has_all && !text_is_whole(&u->list))
            x->failure = web_failure(x, "the tags of the parts are too long");
    } else if (x->failure == 0 && xml_text(x->answer, x->answer_used, "Code", code, sizeof code)) {
        /* an answer of 200: the store could not complete the upload */
        snprintf(text, sizeof text, "200 with an error: %s", code);
        x->failure = web_failure(x, text);
    }
    enum upload_step last = u->step;
    u->step = UPLOAD_NONE;
    if (last == UPLOAD_ABORT || (last == UPLOAD_BEGIN && x->failure != 0) ||
        (last == UPLOAD_END && x->failure == 0))
        return false;
    if (x->failure != 0) {
        u->step = UPLOAD_ABORT;
        u->failure = x->failure;
        web_exchange_send(x, "", 0, 0);
    } else if (has_all) {
        u->step = UPLOAD_END;
        web_exchange_send(x, u->list.memory, 0, u->list.used);
    } else {
        uint64_t from = u->part * s3->part_bytes;
        uint64_t left = x->expected.size - from;
        u->step = UPLOAD_PART;
        snprintf(part, sizeof part, "partNumber=%" PRIu64 "&", ++u->part);
        web_exchange_send(x, NULL, from, left < s3->part_bytes ? left : s3->part_bytes);
    }
    text_begin(&query, encoded, sizeof encoded);
    text_put(&query, part, "uploadId=");
    text_put_encoded(&query, u->id, "");
    snprintf(plain, sizeof plain, "%suploadId=%s", part, u->id);
    x->failure = s3_set(x, of_steps[u->step], x->name, encoded, plain);
    x->keeps_answer = u->step != UPLOAD_PART;
    return true;
}

static int s3_join(struct web_thread *t, struct err *e)
{
    struct s3_state *s3 = t->shared->own;
    struct s3_place *place = &s3->place;
    size_t room = s3->url_bytes + CANONICAL_EXTRA + SETTINGS_HEADERS +
                  (place->token ? strlen(place->token) : 0);
    size_t list_size = sizeof LIST_BEGIN + sizeof LIST_END + s3->parts_most * 256 + PART_TEXT;
    struct s3_thread *own = t->own = calloc(1, sizeof *own + t->channels * sizeof *own->exchanges);
    if (own) {
        own->url = malloc(s3->url_bytes);
        own->lists = malloc(t->channels * list_size);
    }
    if (!own || !own->url || !own->lists)
        return err_system(e, ENOMEM, "allocate memory for %u channels", t->channels);
    for (unsigned i = 0; i < t->channels; i++) {
        struct s3_exchange *x = t->exchanges[i].own = &own->exchanges[i];
        char *const texts[S3_LINES] = {
            [LINE_AUTHORIZATION] = place->version > 0 ? x->authorization : NULL,
            [LINE_HOST] = place->sites[0].host, /* s3_address() changes it */
            [LINE_DATE] = place->version > 0 ? x->date : NULL,
            [LINE_HASH] = place->version == 4 ? x->hash : NULL,
        };
        struct curl_slist *next = t->shared->headers; /* those that all channels share */
        for (unsigned k = S3_LINES; k-- > 0;) {
            if (!texts[k])
                continue;
            x->lines[k] = (struct curl_slist){texts[k], next};
            next = &x->lines[k];
        }
        curl_easy_setopt(t->exchanges[i].easy, CURLOPT_HTTPHEADER, next);
        x->upload.list = (struct text){.memory = own->lists + i * list_size, .size = list_size};
    }
    return signer_open(&own->signer, &place->keys, room, e);
}

static void s3_leave(struct web_thread *t)
{
    struct s3_thread *own = t->own;
    if (!own)
        return;
    free(own->lists);
    signer_close(&own->signer);
    free(own->url);
    free(own);
}

static uint32_t s3_address(struct web_exchange *x)
{
    struct s3_state *s3 = x->thread->shared->own;
    const struct names *names = x->thread->shared->setup.names;
    struct s3_exchange *own = x->own;
    struct upload *u = &own->upload;
    unsigned op = x->request->op;
    struct s3_site *site = s3->place.sites; /* the next in turn, for all transfers of the request */
    if (s3->place.site_count > 1)
        site += atomic_fetch_add(&s3->turn, 1) % s3->place.site_count;
    own->site = site;
    own->lines[LINE_HOST].data = site->host;
    u->step = UPLOAD_NONE;
    if (op == METHOD_PUT && s3->part_bytes > 0 && x->expected.size > s3->part_bytes) {
        u->step = UPLOAD_BEGIN;
        u->part = 0;
        text_begin(&u->list, u->list.memory, u->list.size);
        text_put(&u->list, LIST_BEGIN);
        web_exchange_send(x, "", 0, 0);
        uint32_t failure = s3_set(x, METHOD_POST, x->name, "uploads=", "uploads");
        x->keeps_answer = true;
        return failure;
    }
    web_exchange_send(x, NULL, 0, op == METHOD_PUT ? x->expected.size : 0);
    if (op == S3_LIST) { /* the keys with the prefix that all keys of the template share */
        char prefix[1025] = "";
        char memory[3 * sizeof prefix + 40];
        struct text query;
        if (names->part_count > 0 && names->parts->kind == NAME_LITERAL)
            snprintf(prefix, sizeof prefix, "%.*s", (int)names->parts->length, names->parts->text);
        text_begin(&query, memory, sizeof memory);
        text_put(&query, "list-type=2&max-keys=1000&prefix=");
        text_put_encoded(&query, prefix, "");
        return s3_set(x, methods[S3_LIST], NULL, memory, "");
    }
    const char *key = op == S3_PROBE ? NULL : op == S3_PROBE_WITHIN ? s3->within : x->name;
    return s3_set(x, web_method_of(x), key, "", "");
}

static bool s3_explain(const struct web_exchange *x, char code[static WEB_REASON_KEY],
                       char message[static WEB_REASON_TOLD])
{
    xml_text(x->answer, x->answer_used, "Message", message, WEB_REASON_TOLD);
    return xml_text(x->answer, x->answer_used, "Code", code, WEB_REASON_KEY);
}

static int s3_check(const struct plan *p, const struct settings *s, struct err *e)
{
    struct s3_place place;
    uint64_t part = s->s3_part_bytes.value;
    int rc = s3_place_find(&place, s, e);
    if (rc == 0 && part > 0 && p->most_body / part >= MAX_PARTS)
        rc = err_say(e, "-s3-part-size: the largest object has more than %d parts", MAX_PARTS);
    return rc;
}

const struct web_dialect s3_dialect = {
    .methods = methods,
    .check = s3_check,
    .check_name = check_key,
    .open = s3_open_dialect,
    .join = s3_join,
    .leave = s3_leave,
    .address = s3_address,
    .follow = follow_upload,
    .explain = s3_explain,
};
