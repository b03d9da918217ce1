// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/web/web.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/clock.h"
#include "sys/input.h"
#include "sys/output.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/units.h"

/* Shorter secrets are not hidden: that would protect nothing, and make other words unreadable. */
#define SHORTEST_SECRET 4

void web_reasons_hide(struct web_reasons *r, const char *secret)
{
    size_t length = secret ? strlen(secret) : 0;
    unsigned at = r->secret_count;
    if (length < SHORTEST_SECRET || at == SECRETS_MOST)
        return;
    for (; at > 0 && strlen(r->secrets[at - 1]) < length; at--)
        r->secrets[at] = r->secrets[at - 1]; /* the longest first: one may be part of another */
    r->secrets[at] = secret;
    r->secret_count++;
}

/* Stores a text as one line of valid UTF-8 without any secret. */
static void store_text(const struct web_reasons *r, char text[static WEB_REASON_TEXT],
                       const char *told)
{
    char open[2 * WEB_REASON_TOLD];
    snprintf(open, sizeof open, "%s", told);
    for (unsigned i = 0; i < r->secret_count; i++) {
        const char *secret = r->secrets[i];
        size_t length = strlen(secret);
        for (char *at = strstr(open, secret); at; at = strstr(at + length, secret))
            memset(at, '*', length); /* the secret itself may consist of stars */
    }
    sanitize_clean(text, WEB_REASON_TEXT, open);
}

/* The index of a key among the first `count`; `count` if it is not among them. */
static unsigned find_reason(const struct web_reasons *r, const char *key, unsigned count)
{
    unsigned at = 0;
    while (at < count && strncmp(r->list[at].key, key, WEB_REASON_KEY - 1) != 0)
        at++;
    return at;
}

/* Adds a kind of failure, unless another thread has added it meanwhile. Returns its index. */
static unsigned add_reason(struct web_reasons *r, const char *key, const char *text)
{
    pthread_mutex_lock(&r->lock);
    unsigned count = atomic_load(&r->count);
    unsigned at = find_reason(r, key, count);
    if (at == count && count < WEB_REASONS_MOST) {
        struct web_reason *reason = &r->list[at];
        snprintf(reason->key, sizeof reason->key, "%s", key);
        store_text(r, reason->text, text);
        atomic_store_explicit(&r->count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&r->lock);
    return at;
}

uint32_t web_reasons_failure(struct web_reasons *r, const char *key, const char *text)
{
    unsigned count = atomic_load_explicit(&r->count, memory_order_acquire);
    unsigned at = find_reason(r, key, count);
    if (at == count && count < WEB_REASONS_MOST)
        at = add_reason(r, key, text);
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
#define LINE_TOO_LONG "a line of headers is too long, or memory is short"

/* An answer with more bytes of headers is refused. */
#define MOST_HEADER_BYTES (256 * 1024)

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

static uint32_t of_status(struct web_exchange *x)
{
    struct web_state *s = x->thread->shared;
    char code[WEB_REASON_KEY];
    char message[WEB_REASON_TOLD];
    char key[2 * WEB_REASON_KEY];
    char text[2 * WEB_REASON_TOLD];
    if (s->dialect->explain && s->dialect->explain(x, code, message)) {
        snprintf(key, sizeof key, "%ld %s", x->status, code);
        snprintf(text, sizeof text, "%s%s%s", key, *message ? ": " : "", message);
    } else {
        snprintf(key, sizeof key, "%ld", x->status);
        snprintf(text, sizeof text, "%s %s", key, phrase_of(statuses, x->status));
    }
    return web_reasons_failure(&s->reasons, key, text);
}

/* The system's reason at the end of libcurl's message. */
static const char *reason_in(const char *error)
{
    const char *colon = strstr(error, "ailure: ");
    return colon ? colon + strlen("ailure: ") : error;
}

/*
 * Whether a transfer ended because the server ends connections, and began none of its requests: by
 * GOAWAY, it may do so whenever it likes. libcurl takes another connection by itself, but stops
 * after five with a message, and reports one that takes no new requests without any.
 */
static bool was_not_begun(const struct web_exchange *x, CURLcode code)
{
    bool is_closing = code == CURLE_HTTP2 && !*x->error && !method_changes(x->method);
    return x->header_bytes == 0 &&
           (is_closing || strncmp(x->error, "Connection died, tried", 22) == 0);
}

static void describe_transport(const struct web_exchange *x, CURLcode code,
                               char text[static WEB_REASON_TOLD])
{
    bool is_encoded = code == CURLE_BAD_CONTENT_ENCODING || /* libcurl 8 sees it first */
                      (code == CURLE_WRITE_ERROR && x->header_bytes <= MOST_HEADER_BYTES);
    const char *plain =
        is_encoded ? "it has a Transfer-Encoding but chunked" : phrase_of(transports, code);
    const char *error = x->error[0] ? x->error : curl_easy_strerror(code);
    long number = 0;
    curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number);
    if (plain)
        snprintf(text, WEB_REASON_TOLD, "%s", plain);
    else if (was_not_begun(x, code))
        snprintf(text, WEB_REASON_TOLD, "not begun: the server ended each connection first");
    else if (code == CURLE_COULDNT_CONNECT && number != 0)
        snprintf(text, WEB_REASON_TOLD, "connect: %s", portable_reason((int)number));
    else if (code == CURLE_RECV_ERROR)
        snprintf(text, WEB_REASON_TOLD, "receive: %s", reason_in(error));
    else if (code == CURLE_SEND_ERROR)
        snprintf(text, WEB_REASON_TOLD, "send: %s", reason_in(error));
    else if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION)
        snprintf(text, WEB_REASON_TOLD, "TLS: %s%s", error,
                 strstr(error, "wrong version number") ? "; is it http?" : "");
    else
        snprintf(text, WEB_REASON_TOLD, "%s", curl_easy_strerror(code));
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

/*
 * Judges a transfer that ended with `code`. Returns 0, or a failure whose kind is the HTTP status
 * with the store's own code, or what happened to the connection.
 */
static uint32_t web_outcome(struct web_exchange *x, CURLcode code)
{
    char text[WEB_REASON_TOLD];
    if (code != CURLE_OK) {
        describe_transport(x, code, text);
        return web_failure(x, text);
    }
    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (!x->has_headers) /* libcurl takes headers for complete when the connection ends */
        return web_failure(x, "closed within the headers");
    return is_success(x) ? 0 : of_status(x);
}

/*
 * Reads of a part of an object at a random place, -ops=get:range=1MiB. If the object's size is
 * unknown, a HEAD asks for it first, in time that does not count. A run that only reads remembers
 * the sizes. An object may displace another one, whose size must then be asked for again.
 * The lowest SIZE_BITS bits of a slot are the size + 1, as far as it fits. The bits above are part
 * of the name's hash. 0: the slot is empty.
 */
#define SIZE_BITS 40

#define SIZE_MASK ((UINT64_C(1) << SIZE_BITS) - 1)

/* Whether the size of the object is known. A run that writes knows what it wrote. */
static bool knows_size(struct web_exchange *x, uint64_t *size)
{
    struct web_state *s = x->thread->shared;
    const struct plan *p = s->setup.plan;
    uint64_t hash = x->expected.body.object;
    if (!plan_has(p, LOAD_WRITE)) {
        uint64_t slot = atomic_load_explicit(&s->sizes[hash % WEB_SIZES], memory_order_relaxed);
        *size = (slot & SIZE_MASK) - 1;
        return slot != 0 && slot >> SIZE_BITS == hash >> SIZE_BITS;
    }
    *size = x->expected.size;
    return plan_reads_written(p) && !p->has_changes && *size != UINT64_MAX;
}

static void choose_range(struct web_exchange *x, uint64_t size)
{
    uint64_t most = x->thread->shared->setup.plan->range_bytes;
    x->range_bytes = most < size ? most : size;
    x->range_from = rng_below(&x->thread->rng, size - x->range_bytes + 1);
    x->expected.size = x->range_bytes;
}

/* Writes a number that ends before `end`. Returns a pointer to its first digit. */
static char *put_digits(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

/* Sets the header Range of the next transfer, whose method is set, or removes the last one. */
static void web_range_set(struct web_exchange *x)
{
    bool has_range = x->method == METHOD_GET && x->range_bytes > 0;
    char text[48];
    char *at = text + sizeof text;
    if (has_range) {
        *--at = '\0';
        at = put_digits(at, x->range_from + x->range_bytes - 1);
        *--at = '-';
        at = put_digits(at, x->range_from);
    }
    if (has_range || x->has_range)
        curl_easy_setopt(x->easy, CURLOPT_RANGE, has_range ? at : NULL);
    x->has_range = has_range;
}

/* Judges a successful answer to a request for a range. Returns 0 or a failure. */
static uint32_t web_range_verdict(const struct web_exchange *x)
{
    const struct target_setup *setup = &x->thread->shared->setup;
    if (x->status != 206)
        return web_failure(x, "200 instead of 206: the server does not support ranges");
    if (x->received == x->range_bytes || expected_is_overlapped(&x->expected, setup))
        return 0;
    if (x->received < x->range_bytes)
        return failure_of(CALL_SHORT, 0);
    return web_failure(x, "the server sent more than the range that was asked for");
}

static int open_plain(int *fd, const char *path, struct err *e)
{
    struct stat facts;
    *fd = input_open("open", path, e);
    if (*fd < 0)
        return *fd;
    if (fstat(*fd, &facts) != 0)
        return err_system(e, errno, "open %s", path);
    return S_ISREG(facts.st_mode) ? 0 : err_say(e, "open %s: it is not a plain file", path);
}

/*
 * Opens the files for TLS that the user names: a certificate, its key, and authorities. libcurl
 * opens them again for every connection, so they are found once (sys/path.h) and kept open, and
 * libcurl gets the names that the kernel has for the descriptors. web_close() closes them.
 */
static int open_tls_files(struct web_state *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    /* Go programs take the authorities from the same variable */
    const char *authorities =
        settings->authorities ? settings->authorities : getenv("SSL_CERT_FILE");
    const char *const paths[TLS_FILES] = {settings->certificate, settings->key, authorities};
    int rc = 0;
    for (unsigned i = 0; i < TLS_FILES; i++) {
        s->tls_files[i] = -1;
        if (rc == 0 && paths[i] && *paths[i])
            rc = open_plain(&s->tls_files[i], paths[i], e);
    }
    return rc;
}

/*
 * Files that libcurl, OpenSSL or glibc open because a variable names them: they are found here, and
 * the variable then names the descriptor, which stays open. To them, a missing file is an empty
 * one.
 */
static int open_files_of_environment(struct err *e)
{
    static const char *const read[] = {"OPENSSL_CONF", "HOSTALIASES", "RESOLV_HOST_CONF"};
    struct stat facts;
    for (size_t i = 0; i <= sizeof read / sizeof *read; i++) {
        const char *name = i > 0 ? read[i - 1] : "SSLKEYLOGFILE";
        const char *path = getenv(name);
        if (!path || !*path)
            continue;
        int fd = i > 0 ? input_open(name, path, e) : output_open_appended(path, e);
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

/* Makes a handle use the files, and verify servers if the user wants that. */
static void use_tls_files(const struct web_state *s, CURL *c)
{
    static const CURLoption options[TLS_FILES] = {CURLOPT_SSLCERT, CURLOPT_SSLKEY, CURLOPT_CAINFO};
    bool is_verified = !s->setup.plan->settings->insecure_https;
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, is_verified ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, is_verified ? 2L : 0L);
    for (unsigned i = 0; i < TLS_FILES; i++) {
        const struct descriptor_path path = descriptor_path(s->tls_files[i]);
        if (s->tls_files[i] >= 0)
            curl_easy_setopt(c, options[i], path.text);
    }
}

#define DEFAULT_OPS "get,put"

/* Takes ":range=SIZE", from `range` on, out of the item of get, which must be the only one. */
static int take_range(struct plan *p, const char *list, char *range, struct err *e)
{
    char *value = range + strlen(":range=");
    char *end = value + strcspn(value, ":,");
    char after = *end;
    const char *item = list;
    unsigned gets = 0;
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        gets += strncmp(at, "get", 3) == 0;
        item = at < range ? at : item;
    }
    *end = '\0';
    if (strncmp(item, "get:", 4) != 0 ||
        units_parse_size(value, UNITS_AS_GO, &p->range_bytes) != 0 || p->range_bytes == 0 ||
        p->range_bytes > TIB)
        return err_say(e,
                       "-ops: '%.100s' is not accepted; expected get:range=SIZE or "
                       "get:WEIGHT:range=SIZE, with a size from 1 to 1TiB",
                       item);
    if (gets > 1)
        return err_say(e, "-ops: get with a range is accepted once, and not beside another get");
    *end = after;
    memmove(range, end, strlen(end) + 1);
    return 0;
}

/* Parses -ops, with the range. */
static int parse_ops(struct plan *p, struct mix *mix, const char *ops, struct err *e)
{
    char *list = strdup(ops);
    if (!list)
        return err_system(e, ENOMEM, "allocate memory for -ops");
    char *range = strstr(list, ":range=");
    int rc = range ? take_range(p, list, range, e) : 0;
    if (rc == 0)
        rc = mix_parse(mix, list, p->target->ops, "-ops", e);
    free(list);
    return rc;
}

/* Divides the operations among reads and writes, and sets p->has_changes. */
static void divide_ops(struct plan *p, const struct mix *all)
{
    const struct web_dialect *dialect = p->target->dialect;
    for (unsigned op = 0; p->target->ops[op]; op++) {
        enum web_method method = dialect->methods[op];
        bool writes = method_sends(method) || method == METHOD_DELETE;
        enum load_kind kind = writes ? LOAD_WRITE : LOAD_READ;
        p->ops[kind].weights[op] = all->weights[op];
        p->ops[kind].sum += all->weights[op];
        if (method_changes(method) && all->weights[op] > 0 && plan_has(p, LOAD_WRITE))
            p->has_changes = true;
    }
}

/* Refuses what needs known contents: after post or patch, only the server knows them. */
static int check_changes(struct plan *p, const struct settings *s, struct err *e)
{
    if (s->verify != VERIFY_MODES && s->verify != VERIFY_OFF)
        return err_say(e, "-verify: what an object contains after post or patch is not known");
    if (s->removes && p->puts_nothing)
        return err_say(e, "-remove removes what put has written, but -ops has no put");
    p->verify = VERIFY_OFF;
    return 0;
}

int web_check(struct plan *p, const struct settings *s, struct err *e)
{
    static const char *const missing[LOAD_KINDS] = {
        [LOAD_WRITE] = "-ops has nothing that writes, but writes are asked for (-wt=0 or -wps=0 "
                       "turns them off)",
        [LOAD_READ] =
            "-ops has nothing that reads, but reads are asked for (-rt=0 or -rps=0 turns them off)",
    };
    const bool has_sizes =
        s->body_size.given || s->min_body_size.given || s->max_body_size.given || s->fair_random;
    struct mix all = {0};
    int rc = parse_ops(p, &all, s->ops ? s->ops : DEFAULT_OPS, e);
    if (rc == 0)
        divide_ops(p, &all);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        if (plan_has(p, kind) && p->ops[kind].sum == 0)
            rc = err_say(e, "%s", missing[kind]);
    p->puts_nothing = plan_has(p, LOAD_WRITE) && p->ops[LOAD_WRITE].weights[WEB_PUT] == 0;
    if (rc == 0 && p->puts_nothing && p->reads_per_write > 0)
        rc = err_say(e, "-rpw makes reads follow writes, but -ops has no put");
    if (rc == 0 && p->has_changes)
        rc = check_changes(p, s, e);
    if (rc == 0 && s->body_file && s->body_source)
        rc = err_say(e, "-body-file and -body-source cannot be combined");
    else if (rc == 0 && (s->body_file || s->body_source) && has_sizes)
        rc = err_say(e, "-body-file and -body-source take the sizes of the files, and cannot be "
                        "combined with other sizes");
    return rc;
}

void web_choose(void *shared, struct request *r, uint64_t random)
{
    const struct web_state *s = shared;
    const struct plan *p = s->setup.plan;
    const struct mix *mix = &p->ops[r->kind];
    r->op = mix_at(mix, random % mix->sum);
    enum web_method method = s->dialect->methods[r->op];
    r->removes = method == METHOD_DELETE;
    r->changes = method_changes(method) && !p->puts_nothing;
}

#define NEVER        UINT64_MAX
#define EVENTS_MOST  64
#define LONGEST_WAIT 1000 /* ms */

struct web_socket {
    uint32_t wanted; /* events that libcurl waits for, as bits of epoll */
    uint32_t set;    /* events that epoll watches; 0: the socket is not registered */
    bool is_lasting; /* belongs to a connection whose end libcurl reports */
};

/* The entry of a descriptor; NULL when there is no memory. */
static struct web_socket *socket_of(struct web_loop *l, int fd)
{
    if (fd < 0)
        return NULL;
    if ((unsigned)fd >= l->room) {
        unsigned room = 2 * (unsigned)fd + 64;
        struct web_socket *more = realloc(l->sockets, room * sizeof *more);
        if (!more)
            return NULL;
        memset(more + l->room, 0, (room - l->room) * sizeof *more);
        l->sockets = more;
        l->room = room;
    }
    return &l->sockets[fd];
}

static void watch_socket(struct web_loop *l, int fd, struct web_socket *s, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    int how = events == 0 ? EPOLL_CTL_DEL : s->set == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (s->set == events)
        return;
    s->set = epoll_ctl(l->epoll, how, fd, &event) == 0 ? events : 0;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *loop, void *unused)
{
    struct web_socket *s = socket_of(loop, fd);
    (void)easy, (void)unused;
    if (!s)
        return -1;
    s->wanted = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (s->wanted != 0 || !s->is_lasting)
        watch_socket(loop, fd, s, s->wanted);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *loop)
{
    struct web_loop *l = loop;
    (void)multi;
    l->timer_ns = milliseconds < 0    ? NEVER
                  : milliseconds == 0 ? 0
                                      : clock_ns() + (uint64_t)milliseconds * MILLION;
    return 0;
}

static curl_socket_t on_open(void *loop, curlsocktype purpose, struct curl_sockaddr *address)
{
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    struct web_socket *s = socket_of(loop, fd);
    (void)purpose;
    if (s)
        *s = (struct web_socket){.is_lasting = true};
    return fd;
}

static int on_close(void *loop, curl_socket_t fd)
{
    struct web_socket *s = socket_of(loop, fd);
    if (s)
        *s = (struct web_socket){0};
    return close(fd);
}

/* Opens a loop that keeps up to `connections` connections alive. web_leave() closes it. */
static int web_loop_open(struct web_loop *l, unsigned connections, struct err *e)
{
    *l = (struct web_loop){.timer_ns = NEVER};
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (l->epoll < 0)
        return err_system(e, errno, "open an epoll");
    l->multi = curl_multi_init();
    if (!l->multi)
        return err_system(e, ENOMEM, "allocate memory for libcurl");
    curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
    curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
    curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, (long)connections + 1);
    return 0;
}

static void run_timer(struct web_loop *l)
{
    int running;
    l->timer_ns = NEVER;
    curl_multi_socket_action(l->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

/* Waits with epoll_wait(2), whose unit is a millisecond, and with ppoll(2) for less than one. */
static int loop_watch(struct web_loop *l, struct epoll_event *events, uint64_t until_ns)
{
    uint64_t now_ns = l->now_ns = clock_ns();
    uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    uint64_t left_ms = left_ns / MILLION;
    if (left_ns > 0 && left_ms == 0) {
        struct pollfd self = {.fd = l->epoll, .events = POLLIN};
        const struct timespec left = {.tv_nsec = (long)left_ns};
        ppoll(&self, 1, &left, NULL);
    }
    return epoll_wait(l->epoll, events, EVENTS_MOST,
                      (int)(left_ms < LONGEST_WAIT ? left_ms : LONGEST_WAIT));
}

/*
 * Waits for events until clock_ns() reaches until_ns, and lets libcurl handle them. Stops watching
 * a socket that libcurl does not wait for, which is usually an idle connection that the server has
 * closed.
 */
static void web_loop_wait(struct web_loop *l, uint64_t until_ns)
{
    struct epoll_event events[EVENTS_MOST];
    int running;
    int count = loop_watch(l, events, l->timer_ns < until_ns ? l->timer_ns : until_ns);
    for (int i = 0; i < count; i++) {
        uint32_t what = events[i].events;
        int fd = events[i].data.fd;
        struct web_socket *s = socket_of(l, fd);
        int bits = (what & EPOLLIN ? CURL_CSELECT_IN : 0) |
                   (what & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (what & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        if (s && s->wanted == 0)
            watch_socket(l, fd, s, 0);
        else
            curl_multi_socket_action(l->multi, fd, bits, &running);
    }
    if (l->timer_ns != NEVER && l->timer_ns <= clock_ns())
        run_timer(l);
}

/* Approximate size of libcurl's buffers of all channels together. */
#define ALL_BUFFERS (32 * MIB)

#define SMALLEST_BUFFER (16 * KIB)
#define LARGEST_BUFFER  (48 * KIB) /* malloc(3) would give larger blocks back each time */

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

/* Goes back in the body, which libcurl sends again if the server has closed the connection. */
static int on_seek(void *exchange, curl_off_t offset, int origin)
{
    struct web_exchange *x = exchange;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > x->send_bytes)
        return CURL_SEEKFUNC_FAIL;
    x->sent = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* Checks the last unit of a body that was read. */
static void check_last_unit(struct web_exchange *x)
{
    const struct web_state *s = x->thread->shared;
    if (x->unit_used > 0)
        expected_check(&x->expected, s->setup.plan, &s->pattern,
                       x->range_from + x->received - x->unit_used, x->unit, x->unit_used);
    x->unit_used = 0;
}

/* Collects a body in units, each checked when the next begins. A range may begin within one. */
static void take_body(struct web_exchange *x, const char *part, size_t length)
{
    while (length > 0) {
        uint64_t begin = x->range_from + x->received - x->unit_used;
        size_t most = PATTERN_UNIT_MAX - (size_t)(begin % PATTERN_UNIT_MAX);
        if (x->unit_used == most) {
            check_last_unit(x);
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

static size_t on_write(char *part, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t length = size * count;
    if (x->status == 0)
        curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (x->keeps_answer || !is_success(x)) {
        size_t room = ANSWER_BYTES - x->answer_used;
        size_t piece = length < room ? length : room;
        memcpy(x->answer + x->answer_used, part, piece);
        x->answer_used += piece;
    } else if (x->expected.is_judged && x->thread->shared->setup.plan->verify != VERIFY_OFF) {
        /* checking a unit does not count as the server's time */
        bool checks = x->unit_used + length > PATTERN_UNIT_MAX;
        uint64_t before_ns = checks ? clock_ns() : 0;
        take_body(x, part, length);
        x->request->aside_ns += checks ? clock_ns() - before_ns : 0;
    } else {
        x->received += length;
    }
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
 * Whether the line announces that the body is encoded in a way that nobody has asked for: then what
 * libcurl decodes is not what the server has sent, and there is no limit on how much it may become.
 */
static bool has_encoding(const char *line, size_t length)
{
    static const char name[] = "transfer-encoding:";
    static const char chunked[] = "chunked";
    size_t skipped = sizeof name - 1;
    if (length <= skipped || strncasecmp(line, name, skipped) != 0)
        return false;
    while (skipped < length && strchr(" \t", line[skipped]))
        skipped++;
    while (length > skipped && strchr("\r\n\t ", line[length - 1]))
        length--;
    return length - skipped != sizeof chunked - 1 ||
           strncasecmp(line + skipped, chunked, length - skipped) != 0;
}

/* The answer to a DELETE in a bucket of an object store that keeps versions. */
#define MARKER "x-amz-delete-marker: true"

/* Takes a line of headers. A blank line ends them; the first line of another answer begins them. */
static size_t on_header(char *line, size_t size, size_t count, void *exchange)
{
    struct web_exchange *x = exchange;
    size_t length = size * count;
    bool is_first = length >= 5 && memcmp(line, "HTTP/", 5) == 0;
    x->header_bytes += length;
    x->has_headers = !is_first && (x->has_headers || *line == '\r' || *line == '\n');
    if (x->method == METHOD_PUT)
        take_tag(x, line, length);
    if (x->method == METHOD_DELETE && length >= strlen(MARKER) &&
        strncasecmp(line, MARKER, strlen(MARKER)) == 0)
        atomic_store(&x->thread->shared->has_markers, true);
    return x->header_bytes <= MOST_HEADER_BYTES && !has_encoding(line, length) ? length : 0;
}

static long buffer_bytes(const struct plan *p)
{
    uint64_t channels = (uint64_t)p->kinds[LOAD_READ].channels + p->kinds[LOAD_WRITE].channels + 1;
    uint64_t bytes = ALL_BUFFERS / channels;
    return bytes < SMALLEST_BUFFER  ? (long)SMALLEST_BUFFER
           : bytes > LARGEST_BUFFER ? (long)LARGEST_BUFFER
                                    : (long)bytes;
}

/* Sets what receives a transfer's data, and lets the loop of the thread watch its sockets. */
static void set_callbacks(struct web_exchange *x)
{
    CURL *c = x->easy;
    struct web_loop *l = &x->thread->loop;
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, l);
    curl_easy_setopt(c, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(c, CURLOPT_CLOSESOCKETDATA, l);
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

static void set_options(CURL *c, const struct web_state *s)
{
    const struct plan *p = s->setup.plan;
    long version = p->settings->http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS;
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L); /* does not wait for DNS after the timeout */
#endif
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
    use_tls_files(s, c);
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

/* Limits the duration of each of the next transfers. */
static void limit_transfers(struct web_exchange *x, uint64_t timeout_ns)
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
    x->repeats = 0;
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

/* Gives ranges random numbers of their own, because others come from the same seed. */
#define RANGE_STREAM UINT64_C(0x72616e676573)

/* Time after its timeout at which a transfer counts as forgotten, and between two looks. */
#define FORGOTTEN_NS (100 * (uint64_t)MILLION)

/* Reads the bodies that the user gives. In a file of names, each line has its own. */
static int open_bodies(struct web_state *s, struct err *e)
{
    const struct settings *settings = s->setup.plan->settings;
    const struct names *names = s->setup.names;
    int rc = bodies_open(&s->bodies, settings->body_file, settings->body_source, e);
    if (rc == 0 && settings->body_source && names->lines && names->line_count != s->bodies.count)
        rc =
            err_say(e, "-body-source has %" PRIu64 " bodies, but -url-source has %" PRIu64 " names",
                    s->bodies.count, names->line_count);
    if (s->bodies.count > 0)
        s->setup.bodies = &s->bodies;
    return rc;
}

int web_check_names(const struct web_state *s, int (*check)(char *name, struct err *e),
                    struct err *e)
{
    const struct names *names = s->setup.names;
    uint64_t count = names->lines ? names->line_count : 1;
    char *name = malloc(names->longest + 1);
    if (!name)
        return err_system(e, ENOMEM, "allocate memory for a name");
    int rc = 0;
    for (uint64_t number = 1; rc == 0 && number <= count; number++) {
        names_format(names, number, name);
        rc = check(name, e);
    }
    free(name);
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

/* Hides a value without the blanks at its end, and the second word of "Basic c2VjcmV0" alone. */
static void hide_value(struct web_reasons *r, char *value)
{
    size_t length = strlen(value);
    while (length > 0 && strchr(" \t", value[length - 1]))
        value[--length] = '\0';
    const char *blank = strrchr(value, ' ');
    web_reasons_hide(r, value);
    web_reasons_hide(r, blank ? blank + 1 : NULL);
}

/* Adds the user's headers to every request, and hides their values in messages from now on. */
static int add_given(struct web_state *s, struct err *e)
{
    char *next = s->given = strdup(s->setup.plan->settings->headers);
    if (!next)
        return err_system(e, ENOMEM, "allocate memory for the headers");
    int rc = web_add_header(s, "Expect:", e); /* keeps libcurl from adding its own */
    while (rc == 0 && next && *next) {
        char *line = strsep(&next, "\n");
        char *colon = strchr(line, ':');
        char *value = colon + 1 + strspn(colon + 1, " \t");
        if (*value == '\0')
            strcpy(colon, ";"); /* libcurl expects this form of a header without a value */
        rc = web_add_header(s, line, e);
        hide_value(&s->reasons, value); /* libcurl has copied the line */
    }
    return rc;
}

int web_open(void *shared, const struct target_setup *setup, struct err *e)
{
    struct web_state *s = shared;
    s->setup = *setup;
    s->dialect = setup->plan->target->dialect;
    s->servers = 1;
    pattern_init(&s->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, setup->plan->seed, 0);
    pthread_mutex_init(&s->reasons.lock, NULL);
    int rc = open_tls_files(s, e);
    if (rc == 0)
        rc = open_files_of_environment(e);
    if (rc == 0 && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        rc = err_say(e, "libcurl cannot be started");
    if (rc == 0)
        rc = open_bodies(s, e);
    if (rc == 0)
        rc = add_given(s, e);
    return rc == 0 ? s->dialect->open(s, e) : rc;
}

void web_close(void *shared)
{
    struct web_state *s = shared;
    if (s->aside)
        web_leave(s->aside);
    free(s->aside);
    if (atomic_load(&s->has_markers))
        message("the bucket keeps versions: deletes only added delete markers, and what was "
                "written before them is still there");
    free(s->own);
    curl_slist_free_all(s->headers);
    free(s->given);
    pthread_mutex_destroy(&s->reasons.lock);
    bodies_close(&s->bodies);
    for (unsigned i = 0; i < TLS_FILES; i++)
        descriptor_close(&s->tls_files[i]);
    curl_global_cleanup();
}

void web_leave(void *thread)
{
    struct web_thread *t = thread;
    const struct web_dialect *dialect = t->shared->dialect;
    for (unsigned i = 0; t->exchanges && i < t->channels; i++) {
        atomic_fetch_add(&t->shared->setup.verified->bytes, t->exchanges[i].expected.checked_bytes);
        curl_easy_cleanup(t->exchanges[i].easy);
    }
    if (t->loop.multi)
        curl_multi_cleanup(t->loop.multi);
    descriptor_close(&t->loop.epoll);
    free(t->loop.sockets);
    if (dialect->leave)
        dialect->leave(t);
    free(t->exchanges);
    free(t->names);
}

static int open_thread(struct web_thread *t, struct err *e)
{
    /* room for a dialect that percent-encodes the name */
    size_t room = 3 * t->shared->setup.names->longest + 1;
    t->exchanges = calloc(t->channels, sizeof *t->exchanges);
    t->names = malloc((t->channels + 1) * room);
    bool is_complete = t->exchanges && t->names;
    for (unsigned i = 0; is_complete && i < t->channels; i++) {
        struct web_exchange *x = &t->exchanges[i];
        x->thread = t;
        x->name = t->names + (i + 1) * room;
        x->easy = curl_easy_init();
        is_complete = x->easy;
        if (!is_complete)
            break;
        set_options(x->easy, t->shared);
        limit_transfers(x, t->shared->setup.plan->timeout_ns);
        set_callbacks(x);
    }
    if (!is_complete)
        return err_system(e, ENOMEM, "allocate memory for %u channels", t->channels);
    return t->shared->dialect->join ? t->shared->dialect->join(t, e) : 0;
}

int web_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct web_thread *t = thread;
    t->shared = shared;
    t->channels = channels;
    rng_init(&t->rng, t->shared->setup.plan->rank_seed ^ RANGE_STREAM,
             atomic_fetch_add(&t->shared->threads, 1));
    int rc = web_loop_open(&t->loop, channels * t->shared->servers, e);
    return rc == 0 ? open_thread(t, e) : rc;
}

/* The exchange of a request. The channels of a thread have consecutive numbers. */
static struct web_exchange *exchange_of(struct web_thread *t, const struct request *r)
{
    return &t->exchanges[r->channel % t->channels];
}

void web_prepare(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    const struct target_setup *setup = &t->shared->setup;
    x->request = r;
    x->continues = x->asks_size = false;
    x->range_from = x->range_bytes = 0;
    if ((r->op == WEB_DELETE && !r->removes) ||
        (method_changes(web_method_of(x)) && !setup->plan->puts_nothing && !r->changes))
        r->op = WEB_PUT; /* it became a write: there was nothing to remove or to change */
    names_format(setup->names, r->number, x->name);
    if (method_sends(web_method_of(x)))
        expected_of_write(&x->expected, setup, x->name, r->number);
    else
        expected_of_read(&x->expected, setup, x->name, r->number, t->names);
    uint64_t size;
    if (r->op == WEB_GET && setup->plan->range_bytes > 0) {
        x->asks_size = !knows_size(x, &size);
        if (!x->asks_size)
            choose_range(x, size);
    }
    x->failure = t->shared->dialect->address(x);
}

/* Begins a transfer. If there is a connection, its request is sent at once. */
static bool begin_transfer(struct web_exchange *x, uint64_t begin_ns)
{
    struct web_loop *l = &x->thread->loop;
    if (x->failure == 0 && curl_multi_add_handle(l->multi, x->easy) != CURLM_OK)
        x->failure = failure_of(CALL_OTHER, ENOMEM);
    if (x->failure != 0)
        return false;
    if (l->timer_ns == 0)
        run_timer(l);
    x->overdue_ns = begin_ns + x->limit_ns + FORGOTTEN_NS;
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

enum target_answer web_submit(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    if (r->kind == LOAD_WRITE)
        x->begun = versions_begin(t->shared->setup.written, x->expected.body.object);
    if (x->is_limited)
        limit_transfers(x, t->shared->setup.plan->timeout_ns);
    x->is_limited = false;
    if (begin_transfer(x, r->start_ns))
        return TARGET_QUEUED;
    end_exchange(x);
    return TARGET_ENDED;
}

/* Adds the times of a transfer to its request: those of a new connection, and of the first byte. */
static void take_times(struct web_exchange *x)
{
    struct request *r = x->request;
    long connections = 0;
    curl_off_t first = 0;
    curl_off_t connect = 0;
    curl_off_t tls = 0;
    curl_easy_getinfo(x->easy, CURLINFO_NUM_CONNECTS, &connections);
    curl_easy_getinfo(x->easy, CURLINFO_STARTTRANSFER_TIME_T, &first);
    if (connections > 0) {
        curl_easy_getinfo(x->easy, CURLINFO_CONNECT_TIME_T, &connect);
        curl_easy_getinfo(x->easy, CURLINFO_APPCONNECT_TIME_T, &tls);
    }
    curl_off_t all = tls > connect ? tls : connect;
    if (all > 0) {
        r->connections += (unsigned)connections;
        r->connect_ns += (uint64_t)all * 1000;
        r->tls_ns += (uint64_t)(all - connect) * 1000;
    }
    if (r->kind == LOAD_READ && first > all)
        r->first_byte_ns = (uint64_t)(first - all) * 1000;
}

/*
 * Begins to read a range after a HEAD for its object's size. Otherwise sets x->failure and returns
 * false. Asking for the size does not count.
 */
static bool begin_range(struct web_exchange *x)
{
    struct web_state *s = x->thread->shared;
    struct request *r = x->request;
    uint64_t hash = x->expected.body.object;
    curl_off_t size = -1;
    x->asks_size = false;
    curl_easy_getinfo(x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    if (x->failure == 0 && size < 0)
        x->failure = web_failure(x, "the answer to HEAD does not give the size");
    if (x->failure != 0)
        return false;
    uint64_t known = (uint64_t)size < SIZE_MASK ? (uint64_t)size + 1 : SIZE_MASK;
    atomic_store_explicit(&s->sizes[hash % WEB_SIZES], (hash & ~SIZE_MASK) | known,
                          memory_order_relaxed);
    choose_range(x, (uint64_t)size);
    x->continues = true;
    x->failure = s->dialect->address(x);
    uint64_t passed_ns = clock_ns() - r->start_ns;
    r->aside_ns = passed_ns > r->connect_ns ? passed_ns - r->connect_ns : 0;
    return begin_next(x, false);
}

/* How often a transfer that no server has begun is given to libcurl again. */
#define REPEATS_MOST 20

/* Begins a transfer again that no server has begun, in the request's own time. */
static bool begin_again(struct web_exchange *x)
{
    if (x->repeats == REPEATS_MOST)
        return false;
    x->repeats++;
    x->sent = 0;
    x->error[0] = '\0';
    return begin_next(x, false);
}

/* Handles the end of a transfer. Returns whether its request has ended. */
static bool end_transfer(struct web_exchange *x, CURLcode code)
{
    const struct web_dialect *dialect = x->thread->shared->dialect;
    x->overdue_ns = 0;
    take_times(x);
    if (was_not_begun(x, code) && begin_again(x))
        return false;
    x->failure = web_outcome(x, code);
    bool has_failed = x->failure != 0;
    if (x->asks_size && begin_range(x))
        return false;
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
    while (ended < most && (message = curl_multi_info_read(t->loop.multi, &left))) {
        struct web_exchange *x = NULL;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&x);
        curl_multi_remove_handle(t->loop.multi, x->easy);
        if (end_transfer(x, code))
            done[ended++] = x->request;
    }
    return ended;
}

/*
 * Ends transfers that should have timed out. libcurl 7.88 forgets the timeout of a transfer
 * that gets data in the last millisecond before it, and waits for ever if nothing else comes.
 * Called when all transfers that libcurl has ended are collected.
 */
static unsigned end_forgotten(struct web_thread *t, struct request *done[], unsigned most)
{
    unsigned ended = 0;
    uint64_t now_ns = t->loop.now_ns;
    if (now_ns < t->next_search_ns)
        return 0;
    for (unsigned i = 0; ended < most && i < t->channels; i++) {
        struct web_exchange *x = &t->exchanges[i];
        if (x->overdue_ns == 0 || x->overdue_ns > now_ns)
            continue;
        curl_multi_remove_handle(t->loop.multi, x->easy); /* and closes its connection */
        if (end_transfer(x, CURLE_OPERATION_TIMEDOUT))
            done[ended++] = x->request;
    }
    if (ended < most)
        t->next_search_ns = now_ns + FORGOTTEN_NS;
    return ended;
}

unsigned web_poll(void *thread, uint64_t until_ns, struct request *done[], unsigned most)
{
    struct web_thread *t = thread;
    unsigned ended = collect_ended(t, done, most);
    if (ended == 0) {
        web_loop_wait(&t->loop, until_ns);
        ended = collect_ended(t, done, most);
    }
    return ended < most ? ended + end_forgotten(t, &done[ended], most - ended) : ended;
}

/* Whether the run may have removed the object: by its number, or meanwhile by its name. */
static bool may_be_removed(const struct web_exchange *x)
{
    const struct target_setup *setup = &x->thread->shared->setup;
    const struct request *r = x->request;
    if (r->kind == LOAD_WRITE)
        return r->changes && written_is_removed(setup->written, r->number);
    if (!plan_reads_written(setup->plan))
        return false;
    return written_is_removed(setup->written, r->number) ||
           (setup->written->names && !x->expected.is_judged) ||
           expected_is_overlapped(&x->expected, setup);
}

void web_inspect(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    struct web_state *s = t->shared;
    bool is_missing = x->status == 404 && s->setup.plan->ops[LOAD_WRITE].weights[WEB_DELETE];
    bool is_shorter = x->status == 416 && x->range_bytes > 0;
    if (r->failure != 0 && (is_missing || is_shorter) && may_be_removed(x)) {
        r->miss = r->failure;
        r->failure = 0;
    }
    if (r->op != WEB_GET || r->failure != 0 || r->miss != 0)
        return;
    check_last_unit(x);
    if (x->range_bytes > 0)
        r->failure = web_range_verdict(x);
    if (r->failure == 0 && s->setup.plan->verify != VERIFY_OFF) {
        r->failure = expected_verdict(&x->expected, &s->setup, r->bytes);
        atomic_fetch_add(&s->setup.verified->damaged, r->failure != 0);
    }
}

long web_once(struct web_state *s, struct request *r, uint64_t timeout_ns)
{
    struct err e = {0};
    int rc = 0;
    if (!s->aside) {
        s->aside = calloc(1, sizeof *s->aside);
        rc = s->aside ? web_join(s->aside, s, 1, &e) : -ENOMEM;
    }
    if (rc != 0) {
        if (s->aside)
            web_leave(s->aside);
        free(s->aside);
        s->aside = NULL;
        r->failure = failure_of(CALL_OTHER, -rc);
        return 0;
    }
    struct web_thread *t = s->aside;
    struct web_exchange *x = exchange_of(t, r);
    uint64_t most_ns = s->setup.plan->timeout_ns;
    struct request *done;
    limit_transfers(x, timeout_ns < most_ns ? timeout_ns : most_ns);
    r->start_ns = clock_ns();
    web_prepare(t, r);
    if (web_submit(t, r) == TARGET_QUEUED)
        while (web_poll(t, clock_ns() + BILLION, &done, 1) == 0)
            continue;
    return x->status;
}

int web_remove(void *shared, uint64_t number)
{
    struct web_state *s = shared;
    struct request r = {.kind = LOAD_WRITE, .op = WEB_DELETE, .removes = true, .number = number};
    long status = web_once(s, &r, UINT64_MAX);
    if (r.failure == 0 || status == 404)
        return 0;
    return status == 401 || status == 403 ? -EACCES : status != 0 ? -EIO : -ENOTCONN;
}

void web_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    const struct web_state *s = shared;
    if (failure >> 16 == CALL_REASON)
        web_reasons_describe(&s->reasons, failure, text, size);
    else
        failure_describe(NULL, failure, text, size);
}

/* ---- http: the name of a request is its URL -------------------------------------------------- */

enum { HTTP_POST = WEB_COMMON, HTTP_PATCH };

static const char *const http_ops[] = {
    WEB_COMMON_NAMES, [HTTP_POST] = "post", [HTTP_PATCH] = "patch", NULL};
static const enum web_method http_methods[] = {
    WEB_COMMON_METHODS, [HTTP_POST] = METHOD_POST, [HTTP_PATCH] = METHOD_PATCH};

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

/* Hides the credentials as a whole, and the password alone, in all messages. */
static void hide_credentials(struct web_state *s, const char *credentials)
{
    const char *colon = strchr(credentials, ':');
    web_reasons_hide(&s->reasons, credentials);
    web_reasons_hide(&s->reasons, colon ? colon + 1 : NULL);
}

/*
 * Hides the credentials of all names, and checks the names. Servers' messages are not shown at all,
 * because they may contain other secrets.
 */
static int http_open(struct web_state *s, struct err *e)
{
    const struct names *names = s->setup.names;
    hide_credentials(s, s->setup.plan->settings->credentials);
    for (uint64_t i = 0; names->credentials && i < names->line_count; i++)
        if (names->credentials[i])
            hide_credentials(s, names->credentials[i]);
    return web_check_names(s, check_url, e);
}

/* Replaces each blank, which URLs cannot have, by "%20". `url` must have room for that. */
static void encode_blanks(char *url)
{
    for (char *at = strchr(url, ' '); at; at = strchr(at, ' ')) {
        memmove(at + 3, at + 1, strlen(at));
        memcpy(at, "%20", 3);
    }
}

static uint32_t http_address(struct web_exchange *x)
{
    const struct names *names = x->thread->shared->setup.names;
    enum web_method method = web_method_of(x);
    encode_blanks(x->name);
    const char *credentials = credentials_of(names, x->request->number);
    if (credentials != x->credentials)
        set_credentials(x->easy, credentials ? credentials : "");
    x->credentials = credentials;
    web_exchange_send_body(x, 0, method_sends(method) ? x->expected.size : 0);
    web_exchange_set(x, method, x->name);
    return 0;
}

static const struct web_dialect http_dialect = {
    .methods = http_methods, .open = http_open, .address = http_address};

const struct target_ops target_http = {
    .name = "http",
    .traits = TARGET_NAMES | TARGET_URLS,
    .ops = http_ops,
    .dialect = &http_dialect,
    .check = web_check,
    WEB_OPERATIONS,
};
