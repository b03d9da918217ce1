#include "bonload/targets/web/web.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "measure/clock.h"
#include "util/units.h"

/* Approximate size of libcurl's buffers of all channels together. */
#define ALL_BUFFERS     (32 * MIB)
#define SMALLEST_BUFFER (16 * KIB)
#define LARGEST_BUFFER  (48 * KIB) /* malloc(3) would give larger blocks back each time */

/* An answer with more bytes of headers is refused. */
#define MOST_HEADER_BYTES (256 * 1024)

const char *const web_method_names[] = {
    [METHOD_GET] = "GET",       [METHOD_PUT] = "PUT",   [METHOD_HEAD] = "HEAD",
    [METHOD_DELETE] = "DELETE", [METHOD_POST] = "POST", [METHOD_PATCH] = "PATCH",
};

void web_exchange_send_text(struct web_exchange *x, const char *text)
{
    x->text = text;
    x->send_bytes = strlen(text);
}

void web_exchange_send_body(struct web_exchange *x, uint64_t from, uint64_t bytes)
{
    x->text = NULL;
    x->send_from = from;
    x->send_bytes = bytes;
}

void web_exchange_fill(const struct web_exchange *x, uint64_t at, void *to, size_t length)
{
    if (x->text)
        memcpy(to, x->text + at, length);
    else
        body_fill(&x->thread->shared->pattern, &x->expected.body, x->send_from + at, to, length);
}

static size_t on_read(char *to, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    uint64_t left = x->send_bytes - x->sent;
    size_t part = size * count < left ? size * count : (size_t)left;
    uint64_t before_ns = clock_ns();
    web_exchange_fill(x, x->sent, to, part);
    /* making the contents does not count as sending */
    x->request->aside_ns += clock_ns() - before_ns;
    x->sent += part;
    return part;
}

/*
 * Goes back to the start of the body: when the server has closed the connection, libcurl sends the
 * body again on a new one.
 */
static int on_seek(void *exchange, curl_off_t offset, int origin)
{
    struct web_exchange *x = exchange;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > x->send_bytes)
        return CURL_SEEKFUNC_FAIL;
    x->sent = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

bool web_is_success(const struct web_exchange *x)
{
    return x->status == 200 || x->status == 201 || x->status == 204 || x->status == 206 ||
           (x->status == 202 && method_changes(x->method));
}

static bool is_judged(const struct web_exchange *x)
{
    return x->expected.is_judged && x->thread->shared->setup.plan->verify != VERIFY_OFF;
}

void web_exchange_look(struct web_exchange *x)
{
    const struct web_shared *s = x->thread->shared;
    if (x->unit_used > 0)
        expected_look(&x->expected, s->setup.plan, &s->pattern,
                      x->range_from + x->received - x->unit_used, x->unit, x->unit_used);
    x->unit_used = 0;
}

/*
 * Collects a body in units. Checks each unit when the next one begins. A range may begin within a
 * unit.
 */
static void take_body(struct web_exchange *x, const char *part, size_t length)
{
    while (length > 0) {
        uint64_t begin = x->range_from + x->received - x->unit_used;
        size_t most = PATTERN_UNIT_MAX - (size_t)(begin % PATTERN_UNIT_MAX);
        if (x->unit_used == most) {
            web_exchange_look(x);
            continue;
        }
        size_t room = most - x->unit_used;
        size_t piece = length < room ? length : room;
        memcpy(x->unit + x->unit_used, part, piece);
        x->unit_used += piece;
        x->received += piece;
        part += piece;
        length -= piece;
    }
}

/* Takes a part of a body, and checks it in time that does not count as the server's. */
static void take_judged(struct web_exchange *x, const char *part, size_t length)
{
    if (x->unit_used + length <= PATTERN_UNIT_MAX) {
        take_body(x, part, length);
        return;
    }
    uint64_t before_ns = clock_ns();
    take_body(x, part, length);
    x->request->aside_ns += clock_ns() - before_ns;
}

static void keep_answer(struct web_exchange *x, const char *part, size_t length)
{
    size_t room = ANSWER_BYTES - x->answer_used;
    size_t piece = length < room ? length : room;
    memcpy(x->answer + x->answer_used, part, piece);
    x->answer_used += piece;
}

static size_t on_write(char *part, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t length = size * count;
    if (x->status == 0)
        curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (x->keeps_answer || !web_is_success(x))
        keep_answer(x, part, length);
    else if (is_judged(x))
        take_judged(x, part, length);
    else
        x->received += length;
    return length;
}

/* Takes the header `ETag: "0123"`, which identifies a part of an upload. */
static void take_tag(struct web_exchange *x, const char *line, size_t length)
{
    static const char name[] = "etag:";
    size_t skipped = sizeof name - 1;
    if (length <= skipped || strncasecmp(line, name, skipped) != 0)
        return;
    while (skipped < length && line[skipped] == ' ')
        skipped++;
    while (length > skipped && strchr("\r\n ", line[length - 1]))
        length--;
    if (length - skipped < sizeof x->tag) {
        memcpy(x->tag, line + skipped, length - skipped);
        x->tag[length - skipped] = '\0';
    }
}

/*
 * Takes a line of headers. A blank line ends them; the first line of an answer begins them again if
 * an earlier answer came before.
 */
static size_t on_header(char *line, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t length = size * count;
    bool is_first = length >= 5 && memcmp(line, "HTTP/", 5) == 0;
    x->header_bytes += length;
    x->has_headers = !is_first && (x->has_headers || *line == '\r' || *line == '\n');
    if (x->method == METHOD_PUT)
        take_tag(x, line, length);
    return x->header_bytes <= MOST_HEADER_BYTES ? length : 0;
}

static long buffer_bytes(const struct plan *p)
{
    uint64_t channels = (uint64_t)p->kinds[LOAD_READ].channels + p->kinds[LOAD_WRITE].channels + 1;
    uint64_t bytes = ALL_BUFFERS / channels;
    return bytes < SMALLEST_BUFFER  ? (long)SMALLEST_BUFFER
           : bytes > LARGEST_BUFFER ? (long)LARGEST_BUFFER
                                    : (long)bytes;
}

static void set_callbacks(struct web_exchange *x)
{
    CURL *c = x->easy;
    curl_easy_setopt(c, CURLOPT_PRIVATE, x);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, x->error);
    curl_easy_setopt(c, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(c, CURLOPT_READDATA, x);
    curl_easy_setopt(c, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(c, CURLOPT_SEEKDATA, x);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_write);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
}

/* Sets basic authentication from the percent-encoded credentials of a URL; "": none. */
static void set_credentials(CURL *c, const char *credentials)
{
    char *plain = curl_easy_unescape(c, credentials, 0, NULL);
    curl_easy_setopt(c, CURLOPT_USERPWD, *credentials ? plain : NULL);
    curl_free(plain);
}

static void set_options(CURL *c, const struct web_shared *s)
{
    const struct plan *p = s->setup.plan;
    long version = p->settings->http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS;
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_PROXY, "");
    curl_easy_setopt(c, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "bonload/" PACKAGE_VERSION);
    curl_easy_setopt(c, CURLOPT_BUFFERSIZE, buffer_bytes(p));
    curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, buffer_bytes(p));
    curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE,
                     (curl_off_t)INT64_MAX); /* libcurl cannot express larger sizes */
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, s->headers);
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION, version);
    set_credentials(c, p->settings->credentials);
    web_tls_set(s, c);
}

bool web_exchange_open(struct web_exchange *x, struct web_thread *t)
{
    x->thread = t;
    x->easy = curl_easy_init();
    if (!x->easy)
        return false;
    set_options(x->easy, t->shared);
    web_exchange_limit(x, t->shared->setup.plan->timeout_ns);
    set_callbacks(x);
    web_loop_adopt(&t->loop, x->easy);
    return true;
}

static void set_method(struct web_exchange *x, enum web_method method)
{
    bool has_name = method == METHOD_DELETE || method_changes(method);
    if (x->method == method)
        return;
    x->method = method;
    curl_easy_setopt(x->easy, CURLOPT_HTTPGET, 1L); /* resets what the last method has set */
    if (method == METHOD_HEAD)
        curl_easy_setopt(x->easy, CURLOPT_NOBODY, 1L);
    if (method_sends(method))
        curl_easy_setopt(x->easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(x->easy, CURLOPT_CUSTOMREQUEST, has_name ? web_method_names[method] : NULL);
}

void web_exchange_identify(struct web_exchange *x, const char *credentials)
{
    if (credentials != x->credentials)
        set_credentials(x->easy, credentials ? credentials : "");
    x->credentials = credentials;
}

void web_exchange_limit(struct web_exchange *x, uint64_t timeout_ns)
{
    long timeout_ms = (long)(timeout_ns / MILLION) + 1; /* 0 would mean no limit */
    x->limit_ns = timeout_ns;
    curl_easy_setopt(x->easy, CURLOPT_TIMEOUT_MS, timeout_ms);
}

void web_exchange_set(struct web_exchange *x, enum web_method method, const char *url)
{
    set_method(x, method);
    curl_easy_setopt(x->easy, CURLOPT_URL, url);
    web_range_set(x);
    if (method_sends(method))
        curl_easy_setopt(x->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)x->send_bytes);
    x->sent = 0;
    x->status = 0;
    x->received = 0;
    x->header_bytes = 0;
    x->has_headers = false;
    x->unit_used = 0;
    x->keeps_answer = false;
    x->answer_used = 0;
    x->tag[0] = '\0';
    x->error[0] = '\0';
}
