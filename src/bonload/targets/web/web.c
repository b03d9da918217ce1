// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/web/web.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "measure/clock.h"
#include "sys/input.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"

/* Shorter secrets are not hidden: that would protect nothing, and make other words unreadable. */
#define SHORTEST_SECRET 4

void web_reasons_hide(struct web_reasons *r, const char *secret)
{
    size_t length = secret ? strlen(secret) : 0;
    unsigned at = r->secret_count;
    if (length < SHORTEST_SECRET || at == MAX_SECRETS)
        return;
    for (; at > 0 && strlen(r->secrets[at - 1]) < length; at--)
        r->secrets[at] = r->secrets[at - 1]; /* the longest first: one may be part of another */
    r->secrets[at] = secret;
    r->secret_count++;
}

/* The index of a key among the first `count`; `count` if it is not among them. */
static unsigned find_reason(const struct web_reasons *r, const char *key, unsigned count)
{
    unsigned at = 0;
    while (at < count && strncmp(r->list[at].key, key, WEB_REASON_KEY - 1) != 0)
        at++;
    return at;
}

uint32_t web_reasons_failure(struct web_reasons *r, const char *key, const char *text)
{
    char told[2 * WEB_REASON_TOLD];
    unsigned count = atomic_load_explicit(&r->count, memory_order_acquire);
    unsigned at = find_reason(r, key, count);
    if (at < count || count == MAX_WEB_REASONS)
        return failure_of(CALL_REASON, (int)at + 1);
    pthread_mutex_lock(&r->lock);
    count = atomic_load(&r->count);
    at = find_reason(r, key, count); /* another thread may have added it meanwhile */
    if (at == count && count < MAX_WEB_REASONS) {
        struct web_reason *reason = &r->list[at];
        snprintf(reason->key, sizeof reason->key, "%s", key);
        snprintf(told, sizeof told, "%s", text);
        for (unsigned i = 0; i < r->secret_count; i++) {
            const char *secret = r->secrets[i];
            size_t length = strlen(secret);
            for (char *found = strstr(told, secret); found; found = strstr(found + length, secret))
                memset(found, '*', length); /* the secret itself may consist of stars */
        }
        sanitize_clean(reason->text, sizeof reason->text, told);
        atomic_store_explicit(&r->count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&r->lock);
    return failure_of(CALL_REASON, (int)at + 1);
}

void web_reasons_describe(const struct web_reasons *r, uint32_t failure, char *text, size_t size)
{
    unsigned at = (failure & 0xffff) - 1;
    bool is_known = at < atomic_load_explicit(&r->count, memory_order_acquire);
    snprintf(text, size, "%s", is_known ? r->list[at].text : "another reason");
}

struct phrase {
    long code;
    const char *text;
};

/* Usual phrases (RFC 9110). HTTP/2 has no phrases in its answers. */
static const struct phrase statuses[] = {
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {416, "Range Not Satisfiable"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
    {0, "not a success"},
};

/* libcurl reports the same error for a line of more than 100 KiB as for a lack of memory. */
#define LINE_TOO_LONG    "a line of headers is too long, or memory is short"
#define MAX_HEADER_BYTES (256 * 1024) /* an answer with more of them is refused */

/* Errors that are described more plainly than by libcurl. */
static const struct phrase transports[] = {
    {CURLE_UNSUPPORTED_PROTOCOL, "the answer is not HTTP"},
    {CURLE_WEIRD_SERVER_REPLY, "the answer is not HTTP"},
    {CURLE_URL_MALFORMAT, "the URL cannot be used"},
    {CURLE_COULDNT_RESOLVE_HOST, "the host name cannot be resolved"},
    {CURLE_PARTIAL_FILE, "the body is shorter than announced"},
    {CURLE_FILESIZE_EXCEEDED, "no body can have the announced length"},
    {CURLE_WRITE_ERROR, "the headers do not end"},
    {CURLE_OPERATION_TIMEDOUT, "timed out"},
    {CURLE_GOT_NOTHING, "closed without an answer"},
    {CURLE_ABORTED_BY_CALLBACK, "stopped before the server had answered"},
    {CURLE_OUT_OF_MEMORY, LINE_TOO_LONG}, /* libcurl up to 8.5 */
    {100, LINE_TOO_LONG},                 /* CURLE_TOO_LARGE */
    {0, NULL},
};

/* The phrase for a code, or that of the last row, whose code is 0. */
static const char *phrase_of(const struct phrase *list, long code)
{
    while (list->code != 0 && list->code != code)
        list++;
    return list->text;
}

/* Whether a transfer ended because the server ends connections, and began none of its requests: by
 * GOAWAY, it may do so whenever it likes. libcurl takes another connection by itself, but stops
 * after five with a message, and reports one that takes no new requests without any. */
static bool was_not_begun(const struct web_exchange *x, CURLcode code)
{
    bool is_closing = code == CURLE_HTTP2 && !*x->error && !method_changes(x->method);
    return x->header_bytes == 0 &&
           (is_closing || strncmp(x->error, "Connection died, tried", 22) == 0);
}

uint32_t web_failure(const struct web_exchange *x, const char *text)
{
    return web_reasons_failure(&x->thread->shared->reasons, text, text);
}

/* Whether the answer's status means success. Many servers answer 202 to a POST. */
static bool is_success(const struct web_exchange *x)
{
    return x->status == 200 || x->status == 201 || x->status == 204 || x->status == 206 ||
           (x->status == 202 && method_changes(x->method));
}

/* Judges a transfer that ended with `code`. Returns 0, or a failure. */
static uint32_t web_outcome(struct web_exchange *x, CURLcode code)
{
    struct web_state *s = x->thread->shared;
    char store_code[WEB_REASON_KEY];
    char message[WEB_REASON_TOLD];
    char key[2 * WEB_REASON_KEY];
    char text[2 * WEB_REASON_TOLD];
    if (code == CURLE_OK) {
        curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
        if (!x->has_headers) /* libcurl takes headers for complete when the connection ends */
            return web_failure(x, "closed within the headers");
        if (is_success(x))
            return 0;
        if (s->dialect->explain && s->dialect->explain(x, store_code, message)) {
            snprintf(key, sizeof key, "%ld %s", x->status, store_code);
            snprintf(text, sizeof text, "%s%s%s", key, *message ? ": " : "", message);
        } else {
            snprintf(key, sizeof key, "%ld", x->status);
            snprintf(text, sizeof text, "%s %s", key, phrase_of(statuses, x->status));
        }
        return web_reasons_failure(&s->reasons, key, text);
    }
    bool is_encoded = code == CURLE_BAD_CONTENT_ENCODING || /* libcurl 8 sees it first */
                      (code == CURLE_WRITE_ERROR && x->header_bytes <= MAX_HEADER_BYTES);
    const char *plain =
        is_encoded ? "it has a Transfer-Encoding but chunked" : phrase_of(transports, code);
    if (plain)
        return web_failure(x, plain);
    if (was_not_begun(x, code))
        return web_failure(x, "not begun: the server ended each connection first");
    const char *error = x->error[0] ? x->error : curl_easy_strerror(code);
    const char *system = strstr(error, "ailure: "); /* precedes the system's reason */
    const char *reason = system ? system + strlen("ailure: ") : error;
    long number = 0;
    curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number);
    if (code == CURLE_COULDNT_CONNECT && number != 0)
        snprintf(text, sizeof text, "connect: %s", portable_reason((int)number));
    else if (code == CURLE_RECV_ERROR)
        snprintf(text, sizeof text, "receive: %s", reason);
    else if (code == CURLE_SEND_ERROR)
        snprintf(text, sizeof text, "send: %s", reason);
    else if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
             code == CURLE_SSL_CACERT_BADFILE)
        snprintf(text, sizeof text, "TLS: %s%s", error,
                 strstr(error, "wrong version number") ? "; is it http?" : "");
    else
        snprintf(text, sizeof text, "%s", curl_easy_strerror(code));
    return web_failure(x, text);
}

/* Opens the files for TLS that the user names: a certificate, its key, and authorities. libcurl
 * opens them again for every connection, so they are found once (sys/path.h) and kept open, and
 * libcurl gets the names that the kernel has for the descriptors. web_close() closes them. */
static int open_tls_files(struct web_state *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    /* Go programs take the authorities from the same variable */
    const char *authorities =
        settings->authorities ? settings->authorities : getenv("SSL_CERT_FILE");
    const char *const paths[TLS_FILES] = {settings->certificate, settings->key, authorities};
    struct stat facts;
    int rc = 0;
    for (unsigned i = 0; i < TLS_FILES; i++) {
        s->tls_files[i] = -1;
        if (rc != 0 || !paths[i] || !*paths[i])
            continue;
        int fd = s->tls_files[i] = input_open("open", paths[i], e);
        if (fd < 0)
            rc = fd;
        else if (fstat(fd, &facts) != 0)
            rc = err_system(e, errno, "open %s", paths[i]);
        else if (!S_ISREG(facts.st_mode))
            rc = err_say(e, "open %s: it is not a plain file", paths[i]);
    }
    return rc;
}

/* Files that libcurl, OpenSSL or glibc open because a variable names them: they are found here, and
 * the variable then names the descriptor, which stays open. A missing file is an empty one. */
static int open_files_of_environment(struct err *e)
{
    static const char *const read[] = {"OPENSSL_CONF", "HOSTALIASES", "RESOLV_HOST_CONF"};
    struct stat facts;
    for (size_t i = 0; i <= COUNT_OF(read); i++) {
        const char *name = i > 0 ? read[i - 1] : "SSLKEYLOGFILE";
        const char *path = getenv(name);
        if (!path || !*path)
            continue;
        int fd = i > 0 ? input_open(name, path, e) : output_open_live(path, true, e);
        if (i > 0 && fd == -ENOENT)
            err_init(e);
        else if (fd < 0)
            return fd;
        else if (fstat(fd, &facts) != 0 || S_ISFIFO(facts.st_mode))
            return err_say(e, "%s: %s is a pipe", name, path);
        if (setenv(name, fd >= 0 ? descriptor_path(fd).text : "/dev/null", 1) != 0)
            return err_system(e, errno, "set %s", name);
    }
    return 0;
}

static int web_check(struct plan *p, const struct settings *s, struct err *e)
{
    static const char *const missing[LOAD_KINDS] = {
        [LOAD_WRITE] = "-ops has nothing that writes, but writes are asked for (-wt=0 or -wps=0 "
                       "turns them off)",
        [LOAD_READ] =
            "-ops has nothing that reads, but reads are asked for (-rt=0 or -rps=0 turns them off)",
    };
    const bool has_sizes =
        s->body_size.given || s->min_body_size.given || s->max_body_size.given || s->fair_random;
    const struct web_dialect *dialect = p->target->dialect;
    struct mix all = {0};
    int rc = mix_parse(&all, s->ops ? s->ops : "get,put", p->target->ops, "-ops", e);
    if (rc != 0)
        return rc;
    for (unsigned op = 0; p->target->ops[op]; op++) {
        enum web_method method = dialect->methods[op];
        bool writes = method_sends(method) || method == METHOD_DELETE;
        enum load_kind kind = writes ? LOAD_WRITE : LOAD_READ;
        p->ops[kind].weights[op] = all.weights[op];
        p->ops[kind].sum += all.weights[op];
        if (method_changes(method) && all.weights[op] > 0 && plan_has(p, LOAD_WRITE))
            p->has_changes = true;
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (plan_has(p, kind) && p->ops[kind].sum == 0)
            return err_say(e, "%s", missing[kind]);
    p->puts_nothing = plan_has(p, LOAD_WRITE) && p->ops[LOAD_WRITE].weights[METHOD_PUT] == 0;
    if (p->puts_nothing && p->reads_per_write > 0)
        return err_say(e, "-rpw makes reads follow writes, but -ops has no put");
    if (p->has_changes && s->verify != VERIFY_MODES && s->verify != VERIFY_OFF)
        return err_say(e, "-verify: what an object contains after post or patch is not known");
    if (p->has_changes && s->removes && p->puts_nothing)
        return err_say(e, "-remove removes what put has written, but -ops has no put");
    if (p->has_changes) /* only the server knows what they make of an object */
        p->verify = VERIFY_OFF;
    if (s->body_file && has_sizes)
        return err_say(e, "-body-file takes the size of the file, and cannot be combined with "
                          "other sizes");
    return dialect->check ? dialect->check(p, s, e) : 0;
}

static void web_choose(void *shared, struct request *r, uint64_t random)
{
    const struct web_state *s = shared;
    const struct plan *p = s->setup.plan;
    const struct mix *mix = &p->ops[r->kind];
    r->op = mix_at(mix, random % mix->sum);
    enum web_method method = s->dialect->methods[r->op];
    r->removes = method == METHOD_DELETE;
    r->changes = method_changes(method) && !p->puts_nothing;
}

#define NEVER       UINT64_MAX
#define MAX_EVENTS  64
#define MAX_WAIT_MS 1000 /* ms */

struct web_socket {
    uint32_t wanted; /* events that libcurl waits for, as bits of epoll */
    uint32_t set;    /* events that epoll watches; 0: the socket is not registered */
    bool is_lasting; /* belongs to a connection whose end libcurl reports */
};

/* The entry of a descriptor; NULL when there is no memory. */
static struct web_socket *socket_of(struct web_thread *t, int fd)
{
    if (fd < 0)
        return NULL;
    if ((unsigned)fd >= t->room) {
        unsigned room = 2 * (unsigned)fd + 64;
        struct web_socket *more = realloc(t->sockets, room * sizeof *more);
        if (!more)
            return NULL;
        memset(more + t->room, 0, (room - t->room) * sizeof *more);
        t->sockets = more;
        t->room = room;
    }
    return &t->sockets[fd];
}

static void watch_socket(struct web_thread *t, int fd, struct web_socket *s, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    int how = events == 0 ? EPOLL_CTL_DEL : s->set == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (s->set == events)
        return;
    s->set = epoll_ctl(t->epoll, how, fd, &event) == 0 ? events : 0;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *thread, void *unused)
{
    struct web_socket *s = socket_of(thread, fd);
    (void)easy, (void)unused;
    if (!s)
        return -1;
    s->wanted = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (s->wanted != 0 || !s->is_lasting)
        watch_socket(thread, fd, s, s->wanted);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *thread)
{
    struct web_thread *t = thread;
    (void)multi;
    t->timer_ns = milliseconds < 0    ? NEVER
                  : milliseconds == 0 ? 0
                                      : clock_ns() + (uint64_t)milliseconds * MILLION;
    return 0;
}

static curl_socket_t on_open(void *thread, curlsocktype purpose, struct curl_sockaddr *address)
{
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    struct web_socket *s = socket_of(thread, fd);
    (void)purpose;
    if (s)
        *s = (struct web_socket){.is_lasting = true};
    return fd;
}

static int on_close(void *thread, curl_socket_t fd)
{
    struct web_socket *s = socket_of(thread, fd);
    if (s)
        *s = (struct web_socket){0};
    return close(fd);
}

static void run_timer(struct web_thread *t)
{
    int running;
    t->timer_ns = NEVER;
    curl_multi_socket_action(t->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

/* Waits for events until clock_ns() reaches until_ns, and lets libcurl handle them. Stops watching
 * a socket that libcurl does not wait for: usually the server has closed an idle connection. */
static void wait_for_events(struct web_thread *t, uint64_t until_ns)
{
    struct epoll_event events[MAX_EVENTS];
    int running;
    uint64_t now_ns = clock_ns();
    until_ns = MIN(until_ns, t->timer_ns);
    uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    int left_ms = (int)MIN(left_ns / MILLION, MAX_WAIT_MS);
    if (left_ns > 0 && left_ms == 0) { /* the unit of epoll_wait(2) is a millisecond */
        struct pollfd self = {.fd = t->epoll, .events = POLLIN};
        const struct timespec left = {.tv_nsec = (long)left_ns};
        ppoll(&self, 1, &left, NULL);
    }
    int count = epoll_wait(t->epoll, events, MAX_EVENTS, left_ms);
    t->now_ns = clock_ns();
    for (int i = 0; i < count; i++) {
        uint32_t what = events[i].events;
        int fd = events[i].data.fd;
        struct web_socket *s = socket_of(t, fd);
        int bits = (what & EPOLLIN ? CURL_CSELECT_IN : 0) |
                   (what & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (what & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        if (s && s->wanted == 0)
            watch_socket(t, fd, s, 0);
        else
            curl_multi_socket_action(t->multi, fd, bits, &running);
    }
    if (t->timer_ns != NEVER && t->timer_ns <= t->now_ns)
        run_timer(t);
}

#define ALL_BUFFERS     (32 * MIB) /* approximate size of libcurl's, of all channels together */
#define SMALLEST_BUFFER (16 * KIB)
#define LARGEST_BUFFER  (48 * KIB) /* malloc(3) would give larger blocks back each time */

const char *const web_method_names[] = {
    [METHOD_GET] = "GET",       [METHOD_PUT] = "PUT",   [METHOD_HEAD] = "HEAD",
    [METHOD_DELETE] = "DELETE", [METHOD_POST] = "POST", [METHOD_PATCH] = "PATCH",
};

void web_exchange_send(struct web_exchange *x, const char *text, uint64_t from, uint64_t bytes)
{
    x->text = text;
    x->send_from = from;
    x->send_bytes = bytes;
}

void web_exchange_fill(const struct web_exchange *x, uint64_t at, void *to, size_t length)
{
    if (x->text)
        memcpy(to, x->text + x->send_from + at, length);
    else
        body_fill(x->thread->shared->setup.pattern, &x->expected.body, x->send_from + at, to,
                  length);
}

static size_t on_read(char *to, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t part = (size_t)MIN(size * count, x->send_bytes - x->sent);
    uint64_t before_ns = clock_ns();
    web_exchange_fill(x, x->sent, to, part);
    /* making the contents does not count as sending */
    x->request->aside_ns += clock_ns() - before_ns;
    x->sent += part;
    return part;
}

/* Goes back in the body, which libcurl sends again if the server has closed the connection. */
static int on_seek(void *exchange, curl_off_t offset, int origin)
{
    struct web_exchange *x = exchange;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > x->send_bytes)
        return CURL_SEEKFUNC_FAIL;
    x->sent = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

static void check_last_unit(struct web_exchange *x)
{
    if (x->unit_used > 0)
        expected_check(&x->expected, &x->thread->shared->setup, x->received - x->unit_used, x->unit,
                       x->unit_used);
    x->unit_used = 0;
}

static size_t on_write(char *part, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t length = size * count;
    if (x->overdue_ns <= clock_ns()) /* libcurl itself does not look between two pieces */
        return 0;
    if (x->status == 0)
        curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (x->keeps_answer || !is_success(x)) {
        size_t piece = MIN(length, ANSWER_BYTES - x->answer_used);
        memcpy(x->answer + x->answer_used, part, piece);
        x->answer_used += piece;
    } else if (x->expected.is_judged && x->thread->shared->setup.plan->verify != VERIFY_OFF) {
        /* units, each checked when the next begins, in time that does not count as the server's */
        bool checks = x->unit_used + length > PATTERN_UNIT_MAX;
        uint64_t before_ns = checks ? clock_ns() : 0;
        for (size_t left = length; left > 0;) {
            if (x->unit_used == PATTERN_UNIT_MAX)
                check_last_unit(x);
            size_t piece = MIN(left, PATTERN_UNIT_MAX - x->unit_used);
            memcpy(x->unit + x->unit_used, part, piece);
            x->unit_used += piece;
            x->received += piece;
            part += piece;
            left -= piece;
        }
        x->request->aside_ns += checks ? clock_ns() - before_ns : 0;
    } else {
        x->received += length;
    }
    return length;
}

/* The value of the header `name`, without blanks around it; NULL if the line is another header. */
static const char *header_value(const char *line, size_t length, const char *name,
                                size_t *value_length)
{
    size_t skipped = strlen(name);
    if (length <= skipped || strncasecmp(line, name, skipped) != 0)
        return NULL;
    while (skipped < length && strchr(" \t", line[skipped]))
        skipped++;
    while (length > skipped && strchr("\r\n\t ", line[length - 1]))
        length--;
    *value_length = length - skipped;
    return line + skipped;
}

/* Takes a line of headers. A blank line ends them; the first line of another answer begins them. */
static size_t on_header(char *line, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t length = size * count;
    size_t value;
    bool is_first = length >= 5 && memcmp(line, "HTTP/", 5) == 0;
    x->header_bytes += length;
    x->has_headers = !is_first && (x->has_headers || *line == '\r' || *line == '\n');
    const char *tag = x->method == METHOD_PUT ? header_value(line, length, "etag:", &value) : NULL;
    if (tag && value < sizeof x->tag) {
        memcpy(x->tag, tag, value);
        x->tag[value] = '\0';
    }
    /* the answer of a bucket that keeps versions */
    if (x->method == METHOD_DELETE &&
        header_value(line, length, "x-amz-delete-marker: true", &value))
        atomic_store(&x->thread->shared->has_markers, true);
    /* If the body is encoded in a way that nobody has asked for, what libcurl decodes is not what
     * the server has sent, and there is no limit on how much it may become. */
    const char *encoding = header_value(line, length, "transfer-encoding:", &value);
    bool is_encoded =
        encoding && (value != strlen("chunked") || strncasecmp(encoding, "chunked", value) != 0);
    return x->header_bytes <= MAX_HEADER_BYTES && !is_encoded ? length : 0;
}

/* Limits the duration of each of the next transfers. */
static void limit_transfers(struct web_exchange *x, uint64_t timeout_ns)
{
    x->limit_ns = timeout_ns; /* for libcurl, 0 would mean no limit */
    curl_easy_setopt(x->easy, CURLOPT_TIMEOUT_MS, (long)(timeout_ns / MILLION) + 1);
}

/* Sets basic authentication from the percent-encoded credentials of a URL; "": none. */
static void set_credentials(CURL *c, const char *credentials)
{
    char *plain = curl_easy_unescape(c, credentials, 0, NULL);
    curl_easy_setopt(c, CURLOPT_USERPWD, *credentials ? plain : NULL);
    curl_free(plain);
}

/* Time after its timeout at which a transfer counts as forgotten, and between two looks. */
#define FORGOTTEN_NS (100 * MILLION)
#define STUCK_NS     (5 * BILLION) /* after a signal, for a transfer that brings nothing */

/* Whether a transfer has no more time: it should have timed out, or a signal ends it, because it
 * has not reached its server, gets nothing that belongs to an answer (as in the extension of a
 * chunk that does not end), or is counted by nobody. */
static bool is_over(const struct web_exchange *x, uint64_t now_ns)
{
    curl_off_t reached = 0;
    if (x->overdue_ns == 0) /* there is no transfer */
        return false;
    if (x->overdue_ns <= now_ns)
        return true;
    if (x->outlives_signal || stop_signal() == 0)
        return false;
    if (x->thread != &x->thread->shared->aside && x->stuck_ns > now_ns)
        curl_easy_getinfo(x->easy, CURLINFO_PRETRANSFER_TIME_T, &reached);
    return reached == 0;
}

/* Gets each record of TLS. OpenSSL and libcurl take more and more of them without a look at a
 * clock, if they skip what is in them: messages in a handshake, HTTP/2's frames without data. When
 * this has taken long, and a transfer is over, the connection ends here. */
static void on_record(int is_sent, int version, int type, const void *part, size_t length, SSL *ssl,
                      void *thread)
{
    const struct web_thread *t = thread;
    uint64_t now_ns = clock_ns();
    (void)is_sent, (void)version, (void)type, (void)part, (void)length;
    for (unsigned i = 0; now_ns >= t->now_ns + FORGOTTEN_NS && i < t->channels; i++)
        if (is_over(&t->exchanges[i], now_ns))
            SSL_set0_rbio(ssl, BIO_new(BIO_s_null()));
}

static CURLcode on_tls(CURL *easy, void *context, void *thread)
{
    (void)easy;
    SSL_CTX_set_msg_callback(context, on_record);
    SSL_CTX_set_msg_callback_arg(context, thread);
    return CURLE_OK;
}

/* Makes a channel's handle, with all that stays the same for its transfers. False: no memory. */
static bool open_handle(struct web_exchange *x)
{
    static const CURLoption tls_options[TLS_FILES] = {CURLOPT_SSLCERT, CURLOPT_SSLKEY,
                                                      CURLOPT_CAINFO};
    const struct web_state *s = x->thread->shared;
    const struct plan *p = s->setup.plan;
    uint64_t channels = (uint64_t)p->kinds[LOAD_READ].channels + p->kinds[LOAD_WRITE].channels + 1;
    uint64_t share = MIN(ALL_BUFFERS / channels, LARGEST_BUFFER);
    long buffer_bytes = (long)MAX(share, SMALLEST_BUFFER);
    bool is_verified = !p->settings->insecure_https;
    const char *tls = curl_version_info(CURLVERSION_NOW)->ssl_version; /* NULL: it has no TLS */
    CURL *c = x->easy = curl_easy_init();
    if (!c)
        return false;
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L); /* does not wait for DNS after the timeout */
#endif
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_PROXY, "");
    curl_easy_setopt(c, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "bonload/" PACKAGE_VERSION);
    curl_easy_setopt(c, CURLOPT_BUFFERSIZE, buffer_bytes);
    curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, buffer_bytes);
    curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE,
                     (curl_off_t)INT64_MAX); /* libcurl cannot express larger sizes */
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, s->headers);
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION,
                     (long)(p->settings->http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
    set_credentials(c, p->settings->credentials);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, is_verified ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, is_verified ? 2L : 0L);
    for (unsigned i = 0; i < TLS_FILES; i++)
        if (s->tls_files[i] >= 0)
            curl_easy_setopt(c, tls_options[i], descriptor_path(s->tls_files[i]).text);
    limit_transfers(x, p->timeout_ns);
    curl_easy_setopt(c, CURLOPT_SSL_CTX_DATA, x->thread);
    if (tls && strncmp(tls, "OpenSSL/", 8) == 0)
        curl_easy_setopt(c, CURLOPT_SSL_CTX_FUNCTION, on_tls);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, x->thread);
    curl_easy_setopt(c, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(c, CURLOPT_CLOSESOCKETDATA, x->thread);
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
    return true;
}

void web_exchange_set(struct web_exchange *x, enum web_method method, const char *url)
{
    bool has_name = method == METHOD_DELETE || method_changes(method);
    if (x->method != method) {
        x->method = method;
        curl_easy_setopt(x->easy, CURLOPT_HTTPGET, 1L); /* resets what the last method has set */
        if (method == METHOD_HEAD)
            curl_easy_setopt(x->easy, CURLOPT_NOBODY, 1L);
        if (method_sends(method))
            curl_easy_setopt(x->easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(x->easy, CURLOPT_CUSTOMREQUEST,
                         has_name ? web_method_names[method] : NULL);
    }
    curl_easy_setopt(x->easy, CURLOPT_URL, url);
    if (method_sends(method))
        curl_easy_setopt(x->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)x->send_bytes);
    x->repeats = 0;
    x->status = 0;
    x->sent = x->received = 0;
    x->header_bytes = x->unit_used = x->answer_used = 0;
    x->has_headers = x->keeps_answer = false;
    x->tag[0] = x->error[0] = '\0';
}

#define MAX_REPEATS    20  /* how often a transfer that no server has begun begins again */
#define MAX_BODY_BYTES GIB /* of the body that the user gives, which is kept in memory */

/* Reads the body of -body-file, if the user gives one. */
static int read_body(struct web_state *s, struct err *e)
{
    struct given_body *body = &s->given_body;
    const char *path = s->setup.plan->settings->body_file;
    struct stat facts;
    if (!path)
        return 0;
    int fd = input_open("open", path, e);
    if (fd < 0)
        return fd;
    int rc;
    if (fstat(fd, &facts) != 0)
        rc = err_system(e, errno, "read %s", path);
    else if (!S_ISREG(facts.st_mode))
        rc = err_say(e, "the body %s is not a plain file", path);
    else if (facts.st_size > (off_t)MAX_BODY_BYTES)
        rc = err_say(e, "the body %s is longer than 1 GiB; more is not kept in memory", path);
    else
        rc = input_contents(fd, "read", path, (size_t)facts.st_size, &body->bytes, &body->size, e);
    close(fd);
    if (rc == 0 && body->size != (size_t)facts.st_size) /* the file has become shorter */
        return err_system(e, EIO, "read %s", path);
    s->setup.given_body = body;
    return rc;
}

int web_add_header(struct web_state *s, const char *line, struct err *e)
{
    struct curl_slist *more = curl_slist_append(s->headers, line);
    if (!more)
        return err_system(e, ENOMEM, "allocate memory for the headers");
    s->headers = more;
    return 0;
}

/* Hides the credentials as a whole, and the password alone, in all messages. */
static void hide_credentials(struct web_state *s, const char *credentials)
{
    const char *colon = strchr(credentials, ':');
    web_reasons_hide(&s->reasons, credentials);
    web_reasons_hide(&s->reasons, colon ? colon + 1 : NULL);
}

static int web_open(void *shared, const struct target_setup *setup, struct err *e)
{
    struct web_state *s = shared;
    const struct names *names = setup->names;
    s->setup = *setup;
    s->dialect = setup->plan->target->dialect;
    s->servers = 1;
    pthread_mutex_init(&s->reasons.lock, NULL);
    int rc = open_tls_files(s, e);
    if (rc == 0)
        rc = open_files_of_environment(e);
    if (rc == 0 && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        rc = err_say(e, "libcurl cannot be started");
    if (rc == 0)
        rc = read_body(s, e);
    if (rc != 0)
        return rc;
    /* the user's headers, whose values are hidden in messages from now on */
    char *next = s->given = strdup(setup->plan->settings->headers);
    if (!next)
        return err_system(e, ENOMEM, "allocate memory for the headers");
    rc = web_add_header(s, "Expect:", e); /* keeps libcurl from adding its own */
    while (rc == 0 && next && *next) {
        char *line = strsep(&next, "\n");
        char *colon = strchr(line, ':');
        char *value = colon + 1 + strspn(colon + 1, " \t");
        if (*value == '\0')
            strcpy(colon, ";");          /* libcurl expects this form of a header without a value */
        rc = web_add_header(s, line, e); /* copies the line */
        size_t length = strlen(value);
        while (length > 0 && strchr(" \t", value[length - 1]))
            value[--length] = '\0';
        const char *blank = strrchr(value, ' ');
        web_reasons_hide(&s->reasons, value);
        web_reasons_hide(&s->reasons, blank ? blank + 1 : NULL); /* of "Basic c2VjcmV0" */
    }
    hide_credentials(s, setup->plan->settings->credentials);
    for (uint64_t i = 0; names->credentials && i < names->line_count; i++)
        if (names->credentials[i])
            hide_credentials(s, names->credentials[i]);
    /* all names of a file, or one of a template, which differ only in letters and digits */
    uint64_t count = names->lines ? names->line_count : 1;
    char *name = malloc(names->longest + 1);
    if (!name)
        return err_system(e, ENOMEM, "allocate memory for a name");
    for (uint64_t number = 1; rc == 0 && number <= count; number++) {
        names_format(names, number, name);
        rc = s->dialect->check_name(name, e);
    }
    free(name);
    return rc == 0 && s->dialect->open ? s->dialect->open(s, e) : rc;
}

static void web_leave(void *thread)
{
    struct web_thread *t = thread;
    const struct web_dialect *dialect = t->shared->dialect;
    for (unsigned i = 0; t->exchanges && i < t->channels; i++) {
        atomic_fetch_add(&t->shared->setup.verified->bytes, t->exchanges[i].expected.checked_bytes);
        curl_easy_cleanup(t->exchanges[i].easy);
    }
    if (t->multi)
        curl_multi_cleanup(t->multi);
    descriptor_close(&t->epoll);
    free(t->sockets);
    if (dialect->leave)
        dialect->leave(t);
    free(t->exchanges);
    free(t->names);
}

static void web_close(void *shared)
{
    struct web_state *s = shared;
    if (s->aside.shared)
        web_leave(&s->aside);
    if (atomic_load(&s->has_markers))
        message("the bucket keeps versions: deletes only added delete markers, and what was "
                "written before them is still there");
    free(s->own);
    curl_slist_free_all(s->headers);
    free(s->given);
    free(s->given_body.bytes);
    for (unsigned i = 0; i < TLS_FILES; i++)
        descriptor_close(&s->tls_files[i]);
    curl_global_cleanup();
}

static int web_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct web_thread *t = thread;
    struct web_state *s = t->shared = shared;
    size_t room = 3 * s->setup.names->longest + 1; /* a dialect may percent-encode the name */
    t->channels = channels;
    t->timer_ns = NEVER;
    t->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (t->epoll < 0)
        return err_system(e, errno, "open an epoll");
    t->multi = curl_multi_init();
    if (!t->multi)
        return err_system(e, ENOMEM, "allocate memory for libcurl");
    curl_multi_setopt(t->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(t->multi, CURLMOPT_SOCKETDATA, t);
    curl_multi_setopt(t->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(t->multi, CURLMOPT_TIMERDATA, t);
    curl_multi_setopt(t->multi, CURLMOPT_MAXCONNECTS, (long)(channels * s->servers) + 1);
    t->exchanges = calloc(channels, sizeof *t->exchanges);
    t->names = malloc((channels + 1) * room);
    bool is_complete = t->exchanges && t->names;
    for (unsigned i = 0; is_complete && i < channels; i++) {
        struct web_exchange *x = &t->exchanges[i];
        x->thread = t;
        x->name = t->names + (i + 1) * room;
        is_complete = open_handle(x);
    }
    if (!is_complete)
        return err_system(e, ENOMEM, "allocate memory for %u channels", channels);
    return s->dialect->join ? s->dialect->join(t, e) : 0;
}

/* The exchange of a request. The channels of a thread have consecutive numbers. */
static struct web_exchange *exchange_of(struct web_thread *t, const struct request *r)
{
    return &t->exchanges[r->channel % t->channels];
}

static void web_prepare(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    const struct target_setup *setup = &t->shared->setup;
    const struct plan *plan = setup->plan;
    x->request = r;
    if ((r->op == METHOD_DELETE && !r->removes) ||
        (method_changes(web_method_of(x)) && !plan->puts_nothing && !r->changes))
        r->op = METHOD_PUT; /* it became a write: there was nothing to remove or to change */
    names_format(setup->names, r->number, x->name);
    if (method_sends(web_method_of(x)))
        expected_of_write(&x->expected, setup, x->name, r->number);
    else
        expected_of_read(&x->expected, setup, x->name, r->number, t->names);
    x->failure = t->shared->dialect->address(x);
}

/* Begins a transfer. If there is a connection, its request is sent at once. */
static bool begin_transfer(struct web_exchange *x, uint64_t begin_ns)
{
    struct web_thread *t = x->thread;
    if (x->failure == 0 && curl_multi_add_handle(t->multi, x->easy) != CURLM_OK)
        x->failure = failure_of(CALL_OTHER, ENOMEM);
    if (x->failure != 0)
        return false;
    x->overdue_ns = begin_ns + x->limit_ns + FORGOTTEN_NS;
    x->stuck_ns = begin_ns + STUCK_NS;
    if (t->timer_ns == 0)
        run_timer(t);
    return true;
}

/* Begins a further transfer for the rest of -timeout or, to clean up after a failure, a tenth. */
static bool begin_next(struct web_exchange *x, bool has_failed)
{
    uint64_t all_ns = x->thread->shared->setup.plan->timeout_ns;
    uint64_t now_ns = clock_ns();
    uint64_t passed_ns = now_ns - x->request->start_ns;
    uint64_t left_ns = has_failed ? all_ns / 10 : passed_ns < all_ns ? all_ns - passed_ns : 0;
    limit_transfers(x, left_ns);
    x->is_limited = true;
    x->outlives_signal = true; /* a server is there */
    return begin_transfer(x, now_ns);
}

static void end_exchange(struct web_exchange *x)
{
    struct request *r = x->request;
    bool is_good = x->failure == 0;
    r->failure = x->failure;
    r->bytes = !is_good ? 0 : method_sends(web_method_of(x)) ? x->expected.size : x->received;
    if (r->kind == LOAD_WRITE)
        versions_end(x->thread->shared->setup.written, x->expected.body.object, x->begun, r->number,
                     is_good && !r->removes);
}

static enum target_answer web_submit(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    if (r->kind == LOAD_WRITE)
        x->begun = versions_begin(t->shared->setup.written, x->expected.body.object);
    if (x->is_limited)
        limit_transfers(x, t->shared->setup.plan->timeout_ns);
    x->is_limited = false;
    x->outlives_signal = t == &t->shared->aside && stop_signal() != 0;
    if (begin_transfer(x, r->start_ns))
        return TARGET_QUEUED;
    end_exchange(x);
    return TARGET_ENDED;
}

/* Handles the end of a transfer. Returns whether its request has ended. */
static bool end_transfer(struct web_exchange *x, CURLcode code)
{
    const struct web_dialect *dialect = x->thread->shared->dialect;
    struct request *r = x->request;
    long connections = 0;
    curl_off_t first = 0, connect = 0, tls = 0;
    uint64_t now_ns = clock_ns();
    if (code != CURLE_OK && is_over(x, now_ns)) /* on_write(), on_record() or web_poll() ended it */
        code = x->overdue_ns <= now_ns ? CURLE_OPERATION_TIMEDOUT : CURLE_ABORTED_BY_CALLBACK;
    x->overdue_ns = 0;
    curl_easy_getinfo(x->easy, CURLINFO_NUM_CONNECTS, &connections);
    curl_easy_getinfo(x->easy, CURLINFO_STARTTRANSFER_TIME_T, &first);
    if (connections > 0) {
        curl_easy_getinfo(x->easy, CURLINFO_CONNECT_TIME_T, &connect);
        curl_easy_getinfo(x->easy, CURLINFO_APPCONNECT_TIME_T, &tls);
    }
    curl_off_t all = MAX(tls, connect);
    if (all > 0) {
        r->connections += (unsigned)connections;
        r->connect_ns += (uint64_t)all * 1000;
        r->tls_ns += (uint64_t)(all - connect) * 1000;
    }
    if (r->kind == LOAD_READ && first > all)
        r->first_byte_ns = (uint64_t)(first - all) * 1000;
    if (was_not_begun(x, code) && x->repeats < MAX_REPEATS) {
        x->repeats++;
        x->sent = 0;
        x->error[0] = '\0';
        if (begin_next(x, false)) /* in the request's own time */
            return false;
    }
    x->failure = web_outcome(x, code);
    bool has_failed = x->failure != 0;
    if (dialect->follow && dialect->follow(x) && begin_next(x, has_failed))
        return false;
    end_exchange(x);
    return true;
}

static unsigned collect_ended(struct web_thread *t, struct request *done[], unsigned most)
{
    unsigned ended = 0;
    int left;
    CURLMsg *message; /* of a transfer that has ended; there are no others */
    while (ended < most && (message = curl_multi_info_read(t->multi, &left))) {
        struct web_exchange *x = NULL;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&x);
        curl_multi_remove_handle(t->multi, x->easy);
        if (end_transfer(x, code))
            done[ended++] = x->request;
    }
    return ended;
}

static unsigned web_poll(void *thread, uint64_t until_ns, struct request *done[], unsigned most)
{
    struct web_thread *t = thread;
    unsigned ended = collect_ended(t, done, most);
    if (ended == 0) {
        wait_for_events(t, until_ns);
        ended = collect_ended(t, done, most);
    }
    uint64_t now_ns = t->now_ns;
    if (ended == most || now_ns < t->next_search_ns)
        return ended;
    /* libcurl 7.88 forgets a timeout if data come in its last millisecond, and may wait for ever */
    for (unsigned i = 0; ended < most && i < t->channels; i++) {
        struct web_exchange *x = &t->exchanges[i];
        uint64_t moved = x->sent + x->header_bytes + x->received + x->answer_used;
        if (moved != x->moved || stop_signal() == 0)
            x->stuck_ns = now_ns + STUCK_NS;
        x->moved = moved;
        if (!is_over(x, now_ns))
            continue;
        curl_multi_remove_handle(t->multi, x->easy); /* and closes its connection */
        if (end_transfer(x, CURLE_ABORTED_BY_CALLBACK))
            done[ended++] = x->request;
    }
    if (ended < most)
        t->next_search_ns = now_ns + FORGOTTEN_NS;
    return ended;
}

static void web_inspect(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    const struct target_setup *setup = &t->shared->setup;
    if (r->failure != 0 && x->status == 404 &&
        setup->plan->ops[LOAD_WRITE].weights[METHOD_DELETE]) {
        /* whether the run may have removed the object: by its number, or meanwhile by its name */
        bool may_be_removed = written_is_removed(setup->written, r->number);
        if (r->kind == LOAD_WRITE)
            may_be_removed &= r->changes;
        else
            may_be_removed = plan_reads_written(setup->plan) &&
                             (may_be_removed || (setup->written->names && !x->expected.is_judged) ||
                              expected_is_overlapped(&x->expected, setup));
        r->miss = may_be_removed ? r->failure : 0;
        r->failure = may_be_removed ? 0 : r->failure;
    }
    if (r->op != METHOD_GET || r->failure != 0 || r->miss != 0)
        return;
    check_last_unit(x);
    if (setup->plan->verify != VERIFY_OFF)
        r->failure = expected_verdict(&x->expected, setup, r->bytes);
}

long web_once(struct web_state *s, struct request *r, uint64_t timeout_ns)
{
    struct err e = {0};
    struct web_thread *t = &s->aside;
    int rc = t->shared ? 0 : web_join(t, s, 1, &e);
    if (rc != 0) {
        web_leave(t);
        *t = (struct web_thread){0};
        r->failure = failure_of(CALL_OTHER, -rc);
        return 0;
    }
    struct web_exchange *x = exchange_of(t, r);
    struct request *done;
    limit_transfers(x, MIN(timeout_ns, s->setup.plan->timeout_ns));
    r->start_ns = clock_ns();
    web_prepare(t, r);
    if (web_submit(t, r) == TARGET_QUEUED)
        while (web_poll(t, clock_ns() + BILLION, &done, 1) == 0)
            continue;
    return x->status;
}

static int web_remove(void *shared, uint64_t number)
{
    struct web_state *s = shared;
    struct request r = {.kind = LOAD_WRITE, .op = METHOD_DELETE, .removes = true, .number = number};
    long status = web_once(s, &r, UINT64_MAX);
    if (r.failure == 0 || status == 404)
        return 0;
    return status == 401 || status == 403 ? -EACCES : status != 0 ? -EIO : -ENOTCONN;
}

static void web_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    const struct web_state *s = shared;
    if (failure >> 16 == CALL_REASON)
        web_reasons_describe(&s->reasons, failure, text, size);
    else
        failure_describe(NULL, failure, text, size);
}

/* ---- http: the name of a request is its URL -------------------------------------------------- */

static const char *const http_ops[] = {"get", "put", "head", "delete", "post", "patch", NULL};
static const enum web_method http_methods[] = {METHOD_GET,    METHOD_PUT,  METHOD_HEAD,
                                               METHOD_DELETE, METHOD_POST, METHOD_PATCH};

/* Checks that a URL has a known scheme, and no password, which reports would show. */
static int check_url(char *url, struct err *e)
{
    if (!name_is_url(url))
        return err_say(e, "'%.100s' is not a URL; expected http://HOST/PATH or https://HOST/PATH",
                       url);
    if (credentials_end(url))
        return err_say(
            e, "a URL must not contain a user's name or password, which reports would show; "
               "use -header='Authorization: ...'");
    return 0;
}

static uint32_t http_address(struct web_exchange *x)
{
    const struct names *names = x->thread->shared->setup.names;
    enum web_method method = web_method_of(x);
    for (char *at = strchr(x->name, ' '); at; at = strchr(at, ' ')) { /* there is room for this */
        memmove(at + 3, at + 1, strlen(at));
        memcpy(at, "%20", 3);
    }
    const char *credentials = NULL;
    if (names->credentials)
        credentials =
            names->credentials[(names_number(names, x->request->number) - 1) % names->line_count];
    if (credentials != x->credentials)
        set_credentials(x->easy, credentials ? credentials : "");
    x->credentials = credentials;
    web_exchange_send(x, NULL, 0, method_sends(method) ? x->expected.size : 0);
    web_exchange_set(x, method, x->name);
    return 0;
}

/* Servers' messages are not explained, because they may contain secrets. */
static const struct web_dialect http_dialect = {
    .methods = http_methods, .check_name = check_url, .address = http_address};

#define WEB_OPERATIONS                                                                             \
    .shared_bytes = sizeof(struct web_state), .thread_bytes = sizeof(struct web_thread),           \
    .check = web_check, .open = web_open, .join = web_join, .choose = web_choose,                  \
    .prepare = web_prepare, .submit = web_submit, .inspect = web_inspect, .poll = web_poll,        \
    .leave = web_leave, .describe = web_describe, .remove = web_remove, .close = web_close

const struct target_ops target_http = {
    .name = "http",
    .traits = TARGET_NAMES | TARGET_URLS,
    .ops = http_ops,
    .dialect = &http_dialect,
    WEB_OPERATIONS,
};

const struct target_ops target_s3 = {
    .name = "s3",
    .traits = TARGET_NAMES,
    .ops = s3_op_names,
    .dialect = &s3_dialect,
    WEB_OPERATIONS,
};
