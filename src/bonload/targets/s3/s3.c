#include "bonload/targets/s3/s3.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bonload/targets/s3/xml_text.h"
#include "bonload/targets/web/web_headers.h"
#include "util/units.h"

/* s3: a request's name is the key of an object, and every transfer is signed. */

/* Room for a URL besides the key: origin, root, and a query with a prefix or an upload's id. */
#define URL_EXTRA 4096

/*
 * Room for a canonical request and for an Authorization header, besides the URL and the user's
 * headers.
 */
#define CANONICAL_EXTRA     4096
#define AUTHORIZATION_EXTRA 2048

enum { S3_LIST = WEB_COMMON, S3_LOOK };

static const char *const op_names[] = {WEB_COMMON_NAMES, [S3_LIST] = "list", NULL};
static const enum web_method methods[] = {
    WEB_COMMON_METHODS, [S3_LIST] = METHOD_GET, [S3_LOOK] = METHOD_HEAD};

#define PARTS_MOST 10000 /* by S3's documentation */
#define LIST_KEYS  "1000"

/* Longest time for the check that the bucket exists. */
#define LOOK_NS (5 * BILLION)

struct s3_shared *s3_shared_of(const struct web_exchange *x)
{
    return x->thread->shared->own;
}

struct s3_exchange *s3_exchange_of(const struct web_exchange *x)
{
    return x->own;
}

/* ---- settings -------------------------------------------------------------------------------- */

static int s3_check(struct plan *p, const struct settings *s, struct err *e)
{
    struct s3_place place;
    uint64_t part = s->s3_part_bytes.given ? s->s3_part_bytes.value : 0;
    int rc = web_ops_check(p, s, op_names, methods, e);
    if (rc == 0)
        rc = s3_place_find(&place, s, e);
    if (rc == 0 && part > 0 && p->most_body / part >= PARTS_MOST)
        rc = err_say(e, "-s3-part-size: the largest object has more than %d parts", PARTS_MOST);
    return rc;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Takes the user's headers, lines of "NAME: VALUE", because they are signed, too. */
static int take_given(struct s3_shared *s3, const char *headers, struct err *e)
{
    s3->given_text = strdup(headers);
    if (!s3->given_text)
        return err_system(e, ENOMEM, "memory for the headers");
    char *next = s3->given_text;
    for (char *line = strsep(&next, "\n"); line && *line; line = strsep(&next, "\n")) {
        char *colon = strchr(line, ':');
        if (s3->given_count + S3_OWN_HEADERS > SIGN_PAIRS_MOST)
            return err_say(e, "-header: more than %d headers", SIGN_PAIRS_MOST - S3_OWN_HEADERS);
        *colon = '\0';
        s3->given[s3->given_count++] = (struct sign_pair){line, colon + 1};
    }
    return 0;
}

/*
 * Checks that the bucket exists on each site. Only 404 shows that it does not; other problems are
 * left to the load.
 */
static int look_for_bucket(struct web_shared *s, struct err *e)
{
    struct s3_shared *s3 = s->own;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < s3->place.site_count; i++) {
        struct request r = {.kind = LOAD_READ, .op = S3_LOOK, .number = 1};
        long status = 0;
        atomic_store(&s3->turn, i);
        web_once(s, &r, LOOK_NS / s3->place.site_count, &status);
        if (status == 404)
            rc = err_say(e, "-s3-bucket: there is no bucket %.100s at %.200s", s3->place.bucket,
                         s3->place.sites[i].origin);
    }
    atomic_store(&s3->turn, s->setup.plan->stripe.index);
    return rc;
}

static int s3_open_dialect(struct web_shared *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    struct s3_shared *s3 = s->own = calloc(1, sizeof *s3);
    if (!s3)
        return err_system(e, ENOMEM, "memory for the target");
    s3->url_bytes = 3 * s->setup.names->longest + URL_EXTRA;
    s3->part_bytes = settings->s3_part_bytes.given ? settings->s3_part_bytes.value : 0;
    uint64_t most = s->setup.bodies ? s->bodies.longest : s->setup.plan->most_body;
    if (s3->part_bytes > 0)
        s3->parts_most = most / s3->part_bytes + 1;
    int rc = s3_place_find(&s3->place, settings, e);
    s->servers = s3->place.site_count;
    if (rc == 0)
        rc = take_given(s3, settings->headers, e);
    web_reasons_hide(&s->reasons, s3->place.keys.secret);
    web_reasons_hide(&s->reasons, s3->place.keys.access);
    web_reasons_hide(&s->reasons, s3->place.token);
    if (rc == 0)
        rc = web_headers_add(s, settings->headers, e);
    return rc == 0 ? look_for_bucket(s, e) : rc;
}

static void s3_close_dialect(struct web_shared *s)
{
    struct s3_shared *s3 = s->own;
    if (s3)
        free(s3->given_text);
    free(s3);
}

/* Opens a channel's own headers, which precede those that all channels share. */
static int open_exchange(struct s3_exchange *own, struct web_exchange *x)
{
    const struct s3_shared *s3 = s3_shared_of(x);
    size_t given = strlen(x->thread->shared->setup.plan->settings->headers);
    const char *token = s3->place.token ? s3->place.token : "";
    size_t token_bytes = strlen(token) + 32;
    own->url = malloc(s3->url_bytes);
    own->token = malloc(token_bytes);
    own->authorization = malloc(AUTHORIZATION_EXTRA + given);
    if (!own->url || !own->token || !own->authorization ||
        s3_upload_open(&own->upload, s3->parts_most) != 0)
        return -ENOMEM;
    snprintf(own->token, token_bytes, "x-amz-security-token: %s", token);
    char *const texts[S3_OWN_HEADERS] = {NULL, own->date, own->authorization, own->hash,
                                         own->token};
    static const unsigned counts[] = {[0] = 1, [2] = 3, [4] = 4};
    unsigned count = counts[s3->place.version];
    struct curl_slist *next = x->thread->shared->headers;
    if (*token) {
        own->lines[S3_OWN_HEADERS - 1] = (struct curl_slist){own->token, next};
        next = &own->lines[S3_OWN_HEADERS - 1];
    }
    while (count-- > 0) {
        own->lines[count] = (struct curl_slist){texts[count], next};
        next = &own->lines[count];
    }
    curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, next);
    x->own = own;
    return 0;
}

static int s3_join(struct web_thread *t, struct err *e)
{
    const struct s3_shared *s3 = t->shared->own;
    size_t room = s3->url_bytes + CANONICAL_EXTRA +
                  strlen(t->shared->setup.plan->settings->headers) +
                  (s3->place.token ? strlen(s3->place.token) : 0);
    struct s3_thread *own = t->own = calloc(1, sizeof *own);
    if (!own)
        return err_system(e, ENOMEM, "memory for a thread");
    own->exchanges = calloc(t->channels, sizeof *own->exchanges);
    if (!own->exchanges)
        return err_system(e, ENOMEM, "memory for %u channels", t->channels);
    int rc = 0;
    if (s3->place.version > 0)
        rc = signer_open(&own->signer, &s3->place.keys, room, e);
    for (unsigned i = 0; rc == 0 && i < t->channels; i++)
        if (open_exchange(&own->exchanges[i], &t->exchanges[i]) != 0)
            rc = err_system(e, ENOMEM, "memory for %u channels", t->channels);
    return rc;
}

static void s3_leave(struct web_thread *t)
{
    struct s3_thread *own = t->own;
    if (!own)
        return;
    for (unsigned i = 0; own->exchanges && i < t->channels; i++) {
        free(own->exchanges[i].url);
        free(own->exchanges[i].token);
        free(own->exchanges[i].authorization);
        s3_upload_close(&own->exchanges[i].upload);
    }
    signer_close(&own->signer);
    free(own->exchanges);
    free(own);
    t->own = NULL;
}

/* ---- one transfer ---------------------------------------------------------------------------- */

/* The current time in the form that signatures need. Formats it once a second. */
static const char *time_text(struct s3_thread *own, unsigned version)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    if (own->time[0] && own->second == now.tv_sec)
        return own->time;
    own->second = now.tv_sec;
    gmtime_r(&now.tv_sec, &parts);
    strftime(own->time, sizeof own->time,
             version == 2 ? "%a, %d %b %Y %H:%M:%S GMT" : "%Y%m%dT%H%M%SZ", &parts);
    return own->time;
}

static void hash_body(struct web_exchange *x, const struct s3_transfer *t, char hex[SHA256_HEX])
{
    struct s3_thread *own = x->thread->own;
    uint64_t end = t->from + t->bytes;
    hasher_begin(&own->signer.hasher);
    if (t->text)
        hasher_add(&own->signer.hasher, t->text, strlen(t->text));
    for (uint64_t at = t->from; !t->text && at < end;) {
        size_t part = end - at < PATTERN_UNIT_MAX ? (size_t)(end - at) : PATTERN_UNIT_MAX;
        body_fill(&x->thread->shared->pattern, &x->expected.body, at, x->unit, part);
        hasher_add(&own->signer.hasher, x->unit, part);
        at += part;
    }
    hasher_end(&own->signer.hasher, hex);
}

/* Writes origin, path and query; *query is the start of the query. */
static bool make_url(struct web_exchange *x, const struct s3_transfer *t, char **path, char **query)
{
    const struct s3_shared *s3 = s3_shared_of(x);
    const struct s3_site *site = s3_exchange_of(x)->site;
    struct text url;
    text_begin(&url, s3_exchange_of(x)->url, s3->url_bytes);
    text_put(&url, site->origin);
    *path = url.memory + url.used;
    text_put(&url, site->root);
    if (t->key)
        text_put_encoded(&url, t->key, "/");
    *query = url.memory + url.used;
    if (t->query_count > 0) {
        text_put_byte(&url, '?');
        sign_query(&url, t->query, t->query_count);
    }
    return text_is_whole(&url);
}

/* Collects the headers to sign, and returns their number. */
static size_t signed_headers(const struct s3_shared *s3, const struct s3_exchange *own,
                             struct sign_pair pairs[static SIGN_PAIRS_MOST])
{
    size_t count = 0;
    if (s3->place.version == 4) {
        pairs[count++] = (struct sign_pair){"host", own->site->host};
        pairs[count++] = (struct sign_pair){"x-amz-date", strchr(own->date, ':') + 2};
        pairs[count++] = (struct sign_pair){"x-amz-content-sha256", strchr(own->hash, ':') + 2};
    }
    if (s3->place.token)
        pairs[count++] = (struct sign_pair){"x-amz-security-token", s3->place.token};
    memcpy(pairs + count, s3->given, s3->given_count * sizeof *pairs);
    return count + s3->given_count;
}

/* Appends what version 2 signs: the path, and the query's parts that do not name the object. */
static void make_resource(struct text *to, const struct s3_site *site, const char *path,
                          const struct s3_transfer *t, const char *upload_id)
{
    static const char *const names[] = {"partNumber", "uploadId", "uploads", NULL};
    char separator = '?';
    text_put(to, site->resource);
    text_put(to, path + strlen(site->root));
    for (size_t i = 0; i < t->query_count; i++) {
        for (size_t n = 0; names[n]; n++) {
            if (strcmp(t->query[i].name, names[n]) != 0)
                continue;
            text_put_byte(to, separator);
            text_put(to, names[n]);
            text_put(to, *t->query[i].value ? "=" : "");
            text_put(to, strcmp(names[n], "uploadId") == 0 ? upload_id : t->query[i].value);
            separator = '&';
        }
    }
}

/* Signs the URL that make_url() wrote. `path` does not include the query. */
static int s3_sign_transfer(struct web_exchange *x, const struct s3_transfer *t, const char *path,
                            const char *query)
{
    const struct s3_shared *s3 = s3_shared_of(x);
    struct s3_thread *thread = x->thread->own;
    struct s3_exchange *own = s3_exchange_of(x);
    struct sign_pair pairs[SIGN_PAIRS_MOST];
    char resource[URL_EXTRA];
    struct text to;
    struct text authorization;
    size_t given = strlen(x->thread->shared->setup.plan->settings->headers);
    text_begin(&to, resource, sizeof resource);
    if (s3->place.version == 2)
        make_resource(&to, own->site, path, t, own->upload.plain_id);
    const struct sign_request r = {
        .method = web_method_names[t->method],
        .path = path,
        .query = query,
        .headers = pairs,
        .header_count = signed_headers(s3, own, pairs),
        .body_hash = strchr(own->hash, ':') + 2,
        .time = thread->time,
        .resource = resource,
    };
    text_begin(&authorization, own->authorization, AUTHORIZATION_EXTRA + given);
    text_put(&authorization, "Authorization: ");
    if (!text_is_whole(&to))
        return -ENOBUFS;
    return s3->place.version == 2 ? sign_version2(&thread->signer, &r, &authorization)
                                  : sign_version4(&thread->signer, &r, &authorization);
}

/* Removes the "=" after a parameter without a value: "?uploads=" is only signed, and not sent. */

static void restore_query(char *query)
{
    *query = '?';
    char *last = query + strlen(query) - 1;
    if (*last == '=')
        *last = '\0';
}

uint32_t s3_set(struct web_exchange *x, const struct s3_transfer *t)
{
    const struct s3_shared *s3 = s3_shared_of(x);
    struct s3_exchange *own = s3_exchange_of(x);
    char *path;
    char *query;
    char hash[SHA256_HEX] = "";
    const char *now = time_text(x->thread->own, s3->place.version);
    if (!make_url(x, t, &path, &query))
        return failure_of(STEP_OTHER, ENAMETOOLONG);
    if (s3->place.version == 4)
        hash_body(x, t, hash);
    snprintf(own->hash, sizeof own->hash, "x-amz-content-sha256: %s", hash);
    snprintf(own->date, sizeof own->date, "%s: %s", s3->place.version == 2 ? "Date" : "x-amz-date",
             now);
    bool has_query = *query != '\0';
    *query = '\0';
    int rc = s3->place.version > 0 ? s3_sign_transfer(x, t, path, has_query ? query + 1 : "") : 0;
    if (has_query)
        restore_query(query);
    web_exchange_set(x, t->method, own->url);
    if (t->text)
        web_exchange_send_text(x, t->text);
    else
        web_exchange_send_body(x, t->from, t->bytes);
    return rc == 0 ? 0 : failure_of(STEP_OTHER, ENAMETOOLONG);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Finds the prefix that all keys of the template share. */
static void prefix_of(const struct names *names, char *prefix, size_t size)
{
    struct text t;
    bool has_literal = names->part_count > 0 && names->parts[0].kind == NAME_LITERAL;
    char literal[1025];
    int length = has_literal ? (int)names->parts[0].length : 0;
    snprintf(literal, sizeof literal, "%.*s", length, has_literal ? names->parts[0].text : "");
    text_begin(&t, prefix, size);
    text_put_encoded(&t, literal, "");
}

static uint32_t s3_address_list(struct web_exchange *x)
{
    char prefix[3 * 1024 + 1];
    prefix_of(x->thread->shared->setup.names, prefix, sizeof prefix);
    const struct sign_pair query[] = {
        {"list-type", "2"}, {"max-keys", LIST_KEYS}, {"prefix", prefix}};
    const struct s3_transfer t = {
        .method = methods[S3_LIST], .query = query, .query_count = sizeof query / sizeof *query};
    return s3_set(x, &t);
}

/* Chooses the next site in turn. All transfers of a request go to the same site. */
static void choose_site(struct web_exchange *x)
{
    struct s3_shared *s3 = s3_shared_of(x);
    struct s3_exchange *own = s3_exchange_of(x);
    struct s3_site *site = s3->place.sites;
    if (s3->place.site_count > 1)
        site += atomic_fetch_add(&s3->turn, 1) % s3->place.site_count;
    own->site = site;
    own->lines[0].data = site->host_header;
}

static uint32_t s3_address(struct web_exchange *x)
{
    const struct s3_shared *s3 = s3_shared_of(x);
    unsigned op = x->request->op;
    if (!x->continues)
        choose_site(x);
    if (op == S3_LIST)
        return s3_address_list(x);
    if (op == WEB_PUT && s3->part_bytes > 0 && x->expected.size > s3->part_bytes)
        return s3_upload_begin(x);
    const struct s3_transfer t = {
        .method = web_method_of(x),
        .key = op == S3_LOOK ? NULL : x->name,
        .bytes = op == WEB_PUT ? x->expected.size : 0,
    };
    return s3_set(x, &t);
}

static bool s3_explain(const struct web_exchange *x, char code[static WEB_REASON_KEY],
                       char message[static WEB_REASON_TOLD])
{
    xml_text(x->answer, x->answer_used, "Message", message, WEB_REASON_TOLD);
    return xml_text(x->answer, x->answer_used, "Code", code, WEB_REASON_KEY);
}

static const struct web_dialect dialect = {
    .methods = methods,
    .open = s3_open_dialect,
    .close = s3_close_dialect,
    .join = s3_join,
    .leave = s3_leave,
    .address = s3_address,
    .follow = s3_upload_follow,
    .explain = s3_explain,
};

static int s3_open(void **shared, const struct target_setup *setup, struct err *e)
{
    return web_open(shared, setup, &dialect, e);
}

const struct target_ops target_s3 = {
    .name = "s3",
    .summary = "objects of a store, with signatures",
    .traits = TARGET_NAMES | TARGET_STORES,
    .ops = op_names,
    WEB_OPERATIONS,
    .check = s3_check,
    .open = s3_open,
};
