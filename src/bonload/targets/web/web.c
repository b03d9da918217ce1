#include "bonload/targets/web/web.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "util/units.h"

/* Gives ranges random numbers of their own, because others come from the same seed. */
#define RANGE_STREAM UINT64_C(0x72616e676573)

/* Time after its timeout at which a transfer counts as forgotten, and between two looks. */
#define FORGOTTEN_NS (100 * (uint64_t)MILLION)

/* Reads the bodies that the user gives. In a file of names, each line has its own. */
static int open_bodies(struct web_shared *s, struct err *e)
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

int web_add_header(struct web_shared *s, const char *line, struct err *e)
{
    struct curl_slist *more = curl_slist_append(s->headers, line);
    if (!more)
        return err_system(e, ENOMEM, "memory for the headers");
    s->headers = more;
    return 0;
}

/*
 * Hides a header's value in messages, without the blanks at its end, which servers drop, and also
 * the second word of "Basic c2VjcmV0" alone.
 */
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
static int add_given(struct web_shared *s, struct err *e)
{
    char *next = s->given = strdup(s->setup.plan->settings->headers);
    if (!next)
        return err_system(e, ENOMEM, "memory for the headers");
    int rc = web_add_header(s, "Expect:", e); /* keeps libcurl from adding its own */
    while (rc == 0 && next && *next) {
        const char *line = strsep(&next, "\n");
        char *colon = strchr(line, ':');
        char *value = colon + 1 + strspn(colon + 1, " \t");
        if (*value == '\0')
            strcpy(colon, ";"); /* as libcurl wants a header without a value */
        rc = web_add_header(s, line, e);
        hide_value(&s->reasons, value); /* libcurl has copied the line */
    }
    return rc;
}

int web_open(void **shared, const struct target_setup *setup, struct err *e)
{
    struct web_shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the target");
    s->setup = *setup;
    s->dialect = setup->plan->target->dialect;
    s->servers = 1;
    pattern_init(&s->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, setup->plan->seed, 0);
    web_reasons_open(&s->reasons);
    int rc = web_tls_open(s, e);
    if (rc == 0 && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        rc = err_say(e, "libcurl cannot be started");
    if (rc == 0)
        rc = open_bodies(s, e);
    if (rc == 0)
        rc = add_given(s, e);
    if (rc == 0)
        rc = s->dialect->open(s, e);
    if (rc == 0)
        *shared = s;
    else
        web_close(s);
    return rc;
}

void web_close(void *shared)
{
    struct web_shared *s = shared;
    if (s->aside)
        web_leave(s->aside);
    free(s->own);
    curl_slist_free_all(s->headers);
    free(s->given);
    web_reasons_close(&s->reasons);
    bodies_close(&s->bodies);
    web_tls_close(s);
    free(s);
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
    web_loop_close(&t->loop);
    if (dialect->leave)
        dialect->leave(t);
    free(t->exchanges);
    free(t->names);
    free(t);
}

static int open_thread(struct web_thread *t, struct err *e)
{
    /* room for a dialect that percent-encodes the name */
    size_t room = 3 * t->shared->setup.names->longest + 1;
    t->exchanges = calloc(t->channels, sizeof *t->exchanges);
    t->names = malloc((t->channels + 1) * room);
    bool is_complete = t->exchanges && t->names;
    for (unsigned i = 0; is_complete && i < t->channels; i++) {
        t->exchanges[i].name = t->names + (i + 1) * room;
        is_complete = web_exchange_open(&t->exchanges[i], t);
    }
    if (!is_complete)
        return err_system(e, ENOMEM, "memory for %u channels", t->channels);
    return t->shared->dialect->join ? t->shared->dialect->join(t, e) : 0;
}

int web_join(void **thread, void *shared, unsigned channels, struct err *e)
{
    struct web_thread *t = calloc(1, sizeof *t);
    if (!t)
        return err_system(e, ENOMEM, "memory for a thread");
    t->shared = shared;
    t->channels = channels;
    rng_init(&t->rng, t->shared->setup.plan->rank_seed ^ RANGE_STREAM,
             atomic_fetch_add(&t->shared->threads, 1));
    int rc = web_loop_open(&t->loop, channels * t->shared->servers, e);
    if (rc == 0)
        rc = open_thread(t, e);
    if (rc == 0)
        *thread = t;
    else
        web_leave(t);
    return rc;
}

/* The exchange of a request. The channels of a thread have consecutive numbers. */
static struct web_exchange *exchange_of(struct web_thread *t, const struct request *r)
{
    return &t->exchanges[r->channel % t->channels];
}

/* Whether the request became a write because there was nothing to remove or to change. */
static bool has_become_write(const struct web_exchange *x)
{
    const struct request *r = x->request;
    const struct plan *p = x->thread->shared->setup.plan;
    return (r->op == WEB_DELETE && !r->removes) ||
           (method_changes(web_method_of(x)) && !p->puts_nothing && !r->changes);
}

void web_prepare(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    const struct target_setup *setup = &t->shared->setup;
    x->request = r;
    x->continues = x->asks_size = false;
    x->range_from = x->range_bytes = 0;
    if (has_become_write(x))
        r->op = WEB_PUT;
    names_format(setup->names, r->number, x->name);
    if (method_sends(web_method_of(x)))
        expected_of_write(&x->expected, setup, x->name, r->number);
    else
        expected_of_read(&x->expected, setup, x->name, r->number, t->names);
    if (r->op == WEB_GET && setup->plan->range_bytes > 0)
        web_range_prepare(x);
    x->failure = t->shared->dialect->address(x);
}

static bool begin_transfer(struct web_exchange *x, uint64_t begin_ns)
{
    if (x->failure == 0 && web_loop_begin(&x->thread->loop, x->easy) != CURLM_OK)
        x->failure = failure_of(STEP_OTHER, ENOMEM);
    if (x->failure == 0)
        x->overdue_ns = begin_ns + x->limit_ns + FORGOTTEN_NS;
    return x->failure == 0;
}

/*
 * Begins another transfer of the same request, for the rest of -timeout. After a failure it only
 * cleans up, and has a tenth of -timeout.
 */
static bool begin_next(struct web_exchange *x, bool has_failed)
{
    uint64_t all_ns = x->thread->shared->setup.plan->timeout_ns;
    uint64_t now_ns = clock_ns();
    uint64_t passed_ns = now_ns - x->request->start_ns;
    uint64_t left_ns = has_failed ? all_ns / 10 : passed_ns < all_ns ? all_ns - passed_ns : 0;
    web_exchange_limit(x, left_ns);
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
        versions_end(x->thread->shared->setup.versions, x->expected.body.object, x->begun,
                     r->number, is_good && !r->removes);
}

enum target_answer web_submit(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    if (r->kind == LOAD_WRITE)
        x->begun = versions_begin(t->shared->setup.versions, x->expected.body.object);
    if (x->is_limited)
        web_exchange_limit(x, t->shared->setup.plan->timeout_ns);
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

/* Begins to read a range when its object's size is known. Asking for the size does not count. */
static bool begin_range(struct web_exchange *x)
{
    struct request *r = x->request;
    if (!web_range_follow(x))
        return false;
    x->continues = true;
    x->failure = x->thread->shared->dialect->address(x);
    uint64_t passed_ns = clock_ns() - r->start_ns;
    r->aside_ns = passed_ns > r->connect_ns ? passed_ns - r->connect_ns : 0;
    return begin_next(x, false);
}

/* Handles the end of a transfer. Returns whether its request has ended. */
static bool end_transfer(struct web_exchange *x, CURLcode code)
{
    const struct web_dialect *dialect = x->thread->shared->dialect;
    x->overdue_ns = 0;
    take_times(x);
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
    CURLcode code;
    CURL *easy;
    while (ended < most && (easy = web_loop_ended(&t->loop, &code))) {
        struct web_exchange *x = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&x);
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
    if (now_ns < t->look_ns)
        return 0;
    for (unsigned i = 0; ended < most && i < t->channels; i++) {
        struct web_exchange *x = &t->exchanges[i];
        if (x->overdue_ns == 0 || x->overdue_ns > now_ns)
            continue;
        web_loop_abandon(&t->loop, x->easy);
        if (end_transfer(x, CURLE_OPERATION_TIMEDOUT))
            done[ended++] = x->request;
    }
    if (ended < most)
        t->look_ns = now_ns + FORGOTTEN_NS;
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

/*
 * Whether the run itself may have removed the object: its number was taken for removal, or its name
 * was written and removed meanwhile.
 */
static bool may_be_removed(const struct web_exchange *x)
{
    const struct target_setup *setup = &x->thread->shared->setup;
    const struct request *r = x->request;
    if (r->kind == LOAD_WRITE)
        return r->changes && written_is_removed(setup->written, r->number);
    if (!plan_reads_written(setup->plan))
        return false;
    return written_is_removed(setup->written, r->number) ||
           (setup->versions->places && !x->expected.is_judged) ||
           expected_is_overlapped(&x->expected, setup);
}

void web_inspect(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    struct web_shared *s = t->shared;
    bool is_missing = x->status == 404 && s->setup.plan->ops[LOAD_WRITE].weights[WEB_DELETE];
    bool is_shorter = x->status == 416 && x->range_bytes > 0;
    if (r->failure != 0 && (is_missing || is_shorter) && may_be_removed(x)) {
        r->miss = r->failure;
        r->failure = 0;
    }
    if (r->op != WEB_GET || r->failure != 0 || r->miss != 0)
        return;
    web_exchange_look(x);
    if (x->range_bytes > 0)
        r->failure = web_range_verdict(x);
    if (r->failure == 0 && s->setup.plan->verify != VERIFY_OFF) {
        r->failure = expected_verdict(&x->expected, &s->setup, r->bytes);
        atomic_fetch_add(&s->setup.verified->damaged, r->failure != 0);
    }
}

long web_once(struct web_shared *s, struct request *r, uint64_t timeout_ns)
{
    struct err e;
    void *thread = s->aside;
    err_init(&e);
    if (!thread)
        web_join(&thread, s, 1, &e);
    if (!thread) {
        r->failure = failure_of(STEP_OTHER, e.code);
        return 0;
    }
    struct web_thread *t = s->aside = thread;
    struct web_exchange *x = exchange_of(t, r);
    uint64_t most_ns = s->setup.plan->timeout_ns;
    struct request *done;
    web_exchange_limit(x, timeout_ns < most_ns ? timeout_ns : most_ns);
    r->start_ns = clock_ns();
    web_prepare(t, r);
    if (web_submit(t, r) == TARGET_QUEUED)
        while (web_poll(t, clock_ns() + BILLION, &done, 1) == 0)
            continue;
    return x->status;
}

int web_remove(void *shared, uint64_t number)
{
    struct web_shared *s = shared;
    struct request r = {.kind = LOAD_WRITE, .op = WEB_DELETE, .removes = true, .number = number};
    long status = web_once(s, &r, UINT64_MAX);
    if (r.failure == 0 || status == 404)
        return 0;
    return status == 401 || status == 403 ? -EACCES : status != 0 ? -EIO : -ENOTCONN;
}

void web_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    const struct web_shared *s = shared;
    if (failure >> 16 == STEP_REASON)
        web_reasons_describe(&s->reasons, failure, text, size);
    else
        failure_describe(NULL, failure, text, size);
}
