#include "bonload/targets/s3/s3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/units.h"

/* s3: a request's name is the key of an object, and every transfer is signed. */

/* Room for a URL besides the key: origin, root, and a query with a prefix or an upload's id. */
#define URL_EXTRA 4096

/* Room for a canonical request besides the URL and the user's headers. */
#define CANONICAL_EXTRA 4096

/* Most headers that the user may give, because each request adds up to five of its own. */
#define GIVEN_MOST (SIGN_HEADERS_MOST - 5)

enum { S3_LIST = WEB_COMMON, S3_LOOK };

static const char *const op_names[] = {WEB_COMMON_NAMES, [S3_LIST] = "list", NULL};
static const enum web_method methods[] = {
    WEB_COMMON_METHODS, [S3_LIST] = METHOD_GET, [S3_LOOK] = METHOD_HEAD};

#define PARTS_MOST 10000 /* by S3's documentation */

/* Longest time for the check that the bucket exists. */
#define LOOK_NS (5 * BILLION)

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
        atomic_store(&s3->turn, i);
        if (web_once(s, &r, LOOK_NS / s3->place.site_count) == 404)
            rc = err_say(e, "-s3-bucket: there is no bucket %.100s at %.200s", s3->place.bucket,
                         s3->place.sites[i].origin);
    }
    atomic_store(&s3->turn, s->setup.plan->stripe.index);
    return rc;
}

/* Counts the user's headers, because they are signed, too. The first line of the list is ours. */
static int check_headers(const struct web_shared *s, struct err *e)
{
    unsigned count = 0;
    for (const struct curl_slist *line = s->headers->next; line; line = line->next)
        count++;
    return count <= GIVEN_MOST ? 0 : err_say(e, "-header: more than %d headers", GIVEN_MOST);
}

/* Adds the session token to the headers of every request. */
static int add_token(struct web_shared *s, const char *token, struct err *e)
{
    char *line;
    if (asprintf(&line, "x-amz-security-token: %s", token) < 0)
        return err_system(e, ENOMEM, "memory for the headers");
    int rc = web_add_header(s, line, e);
    free(line);
    return rc;
}

static int s3_open_dialect(struct web_shared *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    struct s3_shared *s3 = s->own = calloc(1, sizeof *s3);
    if (!s3)
        return err_system(e, ENOMEM, "memory for the target");
    s3->url_bytes = 3 * s->setup.names->longest + URL_EXTRA;
    s3->part_bytes = settings->s3_part_bytes.value;
    uint64_t most = s->setup.bodies ? s->bodies.longest : s->setup.plan->most_body;
    if (s3->part_bytes > 0)
        s3->parts_most = most / s3->part_bytes + 1;
    int rc = s3_place_find(&s3->place, settings, e);
    s->servers = s3->place.site_count;
    web_reasons_hide(&s->reasons, s3->place.keys.secret);
    web_reasons_hide(&s->reasons, s3->place.keys.access);
    web_reasons_hide(&s->reasons, s3->place.token);
    if (rc == 0)
        rc = check_headers(s, e);
    if (rc == 0 && s3->place.token)
        rc = add_token(s, s3->place.token, e);
    return rc == 0 ? look_for_bucket(s, e) : rc;
}

/* Puts a channel's own headers before those that all channels share. */
static void link_lines(struct s3_exchange *own, struct web_exchange *x, struct s3_place *place)
{
    unsigned version = place->version;
    char *const texts[S3_LINES] = {
        [LINE_AUTHORIZATION] = version > 0 ? own->authorization : NULL,
        [LINE_HOST] = place->sites[0].host, /* choose_site() changes it */
        [LINE_DATE] = version > 0 ? own->date : NULL,
        [LINE_HASH] = version == 4 ? own->hash : NULL,
    };
    struct curl_slist *next = x->thread->shared->headers;
    for (unsigned i = S3_LINES; i-- > 0;) {
        if (!texts[i])
            continue;
        own->lines[i] = (struct curl_slist){texts[i], next};
        next = &own->lines[i];
    }
    curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, next);
}

static int s3_join(struct web_thread *t, struct err *e)
{
    struct s3_shared *s3 = t->shared->own;
    struct s3_place *place = &s3->place;
    size_t room = s3->url_bytes + CANONICAL_EXTRA + SETTINGS_HEADERS +
                  (place->token ? strlen(place->token) : 0);
    struct s3_thread *own = t->own = calloc(1, sizeof *own + t->channels * sizeof *own->exchanges);
    if (own)
        own->url = malloc(s3->url_bytes);
    bool is_complete = own && own->url;
    for (unsigned i = 0; is_complete && i < t->channels; i++) {
        t->exchanges[i].own = &own->exchanges[i];
        link_lines(&own->exchanges[i], &t->exchanges[i], place);
        is_complete = s3_upload_open(&own->exchanges[i].upload, s3->parts_most);
    }
    if (!is_complete)
        return err_system(e, ENOMEM, "memory for %u channels", t->channels);
    return place->version > 0 ? signer_open(&own->signer, &place->keys, room, e) : 0;
}

static void s3_leave(struct web_thread *t)
{
    struct s3_thread *own = t->own;
    if (!own)
        return;
    for (unsigned i = 0; i < t->channels; i++)
        free(own->exchanges[i].upload.list.memory);
    signer_close(&own->signer);
    free(own->url);
    free(own);
}

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

static void hash_body(struct web_exchange *x, struct signer *s, char hex[SHA256_HEX])
{
    size_t part;
    sign_hash_begin(s);
    for (uint64_t at = 0; at < x->send_bytes; at += part) {
        uint64_t left = x->send_bytes - at;
        part = left < PATTERN_UNIT_MAX ? (size_t)left : PATTERN_UNIT_MAX;
        web_exchange_fill(x, at, x->unit, part);
        sign_hash_add(s, x->unit, part);
    }
    sign_hash_end(s, hex);
}

/* Makes the headers that the version of signatures needs. Returns false when there is no room. */
static bool make_headers(struct web_exchange *x, unsigned version, struct sign_request *r)
{
    struct s3_thread *thread = x->thread->own;
    struct s3_exchange *own = x->own;
    struct text authorization;
    r->time = time_text(thread, version);
    r->headers = &own->lines[LINE_HOST];
    snprintf(own->date, sizeof own->date, "%s: %s", version == 2 ? "Date" : "x-amz-date", r->time);
    text_begin(&authorization, own->authorization, sizeof own->authorization);
    text_put(&authorization, "Authorization: ");
    if (version == 2)
        return sign_version2(&thread->signer, r, &authorization) == 0;
    char *hash = stpcpy(own->hash, "x-amz-content-sha256: ");
    hash_body(x, &thread->signer, hash);
    r->body_hash = hash;
    return sign_version4(&thread->signer, r, &authorization) == 0;
}

uint32_t s3_set(struct web_exchange *x, enum web_method method, const char *key, const char *query,
                const char *subresource)
{
    const struct s3_shared *s3 = x->thread->shared->own;
    const struct s3_thread *thread = x->thread->own;
    const struct s3_site *site = ((const struct s3_exchange *)x->own)->site;
    struct text url;
    text_begin(&url, thread->url, s3->url_bytes);
    text_put_all(&url, site->origin, site->root);
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
    text_put_all(&url, *query ? "?" : "", query);
    if (!is_signed || !text_is_whole(&url))
        return failure_of(STEP_OTHER, ENAMETOOLONG);
    if (url.memory[url.used - 1] == '=') /* "?uploads=" is only signed, and not sent */
        url.memory[url.used - 1] = '\0';
    web_exchange_set(x, method, url.memory);
    return 0;
}

/* Lists the keys with the prefix that all keys of the template share. */
static uint32_t s3_address_list(struct web_exchange *x)
{
    const struct names *names = x->thread->shared->setup.names;
    const struct name_part *first = names->parts;
    char prefix[1025] = "";
    char memory[3 * sizeof prefix + 40];
    struct text query;
    if (names->part_count > 0 && first->kind == NAME_LITERAL)
        snprintf(prefix, sizeof prefix, "%.*s", (int)first->length, first->text);
    text_begin(&query, memory, sizeof memory);
    text_put(&query, "list-type=2&max-keys=1000&prefix=");
    text_put_encoded(&query, prefix, "");
    return s3_set(x, methods[S3_LIST], NULL, memory, "");
}

/* Chooses the next site in turn. All transfers of a request go to the same site. */
static void choose_site(struct web_exchange *x)
{
    struct s3_shared *s3 = x->thread->shared->own;
    struct s3_exchange *own = x->own;
    struct s3_site *site = s3->place.sites;
    if (s3->place.site_count > 1)
        site += atomic_fetch_add(&s3->turn, 1) % s3->place.site_count;
    own->site = site;
    own->lines[LINE_HOST].data = site->host;
}

static uint32_t s3_address(struct web_exchange *x)
{
    const struct s3_shared *s3 = x->thread->shared->own;
    struct s3_exchange *own = x->own;
    unsigned op = x->request->op;
    if (!x->continues) {
        choose_site(x);
        own->upload.step = UPLOAD_NONE;
    }
    if (op == WEB_PUT && s3->part_bytes > 0 && x->expected.size > s3->part_bytes)
        return s3_upload_begin(x);
    web_exchange_send_body(x, 0, op == WEB_PUT ? x->expected.size : 0);
    if (op == S3_LIST)
        return s3_address_list(x);
    return s3_set(x, web_method_of(x), op == S3_LOOK ? NULL : x->name, "", "");
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
    .join = s3_join,
    .leave = s3_leave,
    .address = s3_address,
    .follow = s3_upload_follow,
    .explain = s3_explain,
};

static int s3_check(struct plan *p, const struct settings *s, struct err *e)
{
    struct s3_place place;
    uint64_t part = s->s3_part_bytes.value;
    int rc = web_check(p, s, e);
    if (rc == 0)
        rc = s3_place_find(&place, s, e);
    if (rc == 0 && part > 0 && p->most_body / part >= PARTS_MOST)
        rc = err_say(e, "-s3-part-size: the largest object has more than %d parts", PARTS_MOST);
    return rc;
}

const struct target_ops target_s3 = {
    .name = "s3",
    .traits = TARGET_NAMES,
    .ops = op_names,
    .dialect = &dialect,
    .check = s3_check,
    WEB_OPERATIONS,
};
