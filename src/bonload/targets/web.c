#include "bonload/targets/web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/targets/web_outcome.h"
#include "measure/clock.h"
#include "util/units.h"

const char *const web_op_names[] = {
    [WEB_GET] = "get", [WEB_PUT] = "put", [WEB_HEAD] = "head", [WEB_DELETE] = "delete", NULL};
const char *const web_s3_op_names[] = {
    [WEB_GET] = "get",       [WEB_PUT] = "put",   [WEB_HEAD] = "head",
    [WEB_DELETE] = "delete", [WEB_LIST] = "list", NULL};

const enum web_method web_methods[] = {
    [WEB_GET] = METHOD_GET,       [WEB_PUT] = METHOD_PUT,  [WEB_HEAD] = METHOD_HEAD,
    [WEB_DELETE] = METHOD_DELETE, [WEB_LIST] = METHOD_GET, [WEB_LOOK] = METHOD_HEAD};

#define BIT(op) (1U << (op))

static const unsigned ops_of[LOAD_KINDS] = {
    [LOAD_WRITE] = BIT(WEB_PUT) | BIT(WEB_DELETE),
    [LOAD_READ] = BIT(WEB_GET) | BIT(WEB_HEAD) | BIT(WEB_LIST),
};

int web_available(struct err *e)
{
    (void)e;
    return 0;
}

/* ---- what is asked for -------------------------------------------------------------------------
 */

int web_check(struct plan *p, const struct settings *s, const char *const names[], struct err *e)
{
    static const char *const missing[LOAD_KINDS] = {
        [LOAD_WRITE] =
            "-ops has neither put nor delete, so writes have nothing to do (-wt=0: none)",
        [LOAD_READ] = "-ops has nothing that reads, so reads have nothing to do (-rt=0: none)",
    };
    struct mix all = {0};
    int rc = mix_parse(&all, s->ops ? s->ops : "get,put", names, "-ops", e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++) {
        p->ops[kind] = mix_part(&all, ops_of[kind]);
        if (plan_has(p, kind) && p->ops[kind].sum == 0)
            rc = err_say(e, "%s", missing[kind]);
    }
    p->only_removes = plan_has(p, LOAD_WRITE) && p->ops[LOAD_WRITE].weights[WEB_PUT] == 0;
    if (rc == 0 && p->only_removes && p->reads_per_write > 0)
        rc = err_say(e, "-rpw makes reads follow writes, but -ops has no put");
    return rc;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

int web_open(void **shared, const struct target_setup *setup, const struct web_dialect *dialect,
             struct err *e)
{
    struct web_shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the target");
    s->setup = *setup;
    s->dialect = dialect;
    pattern_init(&s->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, setup->plan->seed, 0);
    reasons_open(&s->reasons);
    int rc = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK
                 ? dialect->open(s, e)
                 : err_say(e, "libcurl cannot be started");
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
    if (s->dialect->close)
        s->dialect->close(s);
    curl_slist_free_all(s->headers);
    reasons_close(&s->reasons);
    free(s);
    curl_global_cleanup();
}

void web_leave(void *thread)
{
    struct web_thread *t = thread;
    const struct web_dialect *dialect = t->shared->dialect;
    for (unsigned i = 0; t->exchanges && i < t->channels; i++) {
        atomic_fetch_add(&t->shared->checked_bytes, t->exchanges[i].expected.checked_bytes);
        web_exchange_close(&t->exchanges[i]);
        free(t->exchanges[i].name);
    }
    web_loop_close(&t->loop);
    if (dialect->leave)
        dialect->leave(t);
    free(t->exchanges);
    free(t->units);
    free(t->other_name);
    free(t);
}

static int open_exchanges(struct web_thread *t)
{
    size_t longest = t->shared->setup.names->longest;
    for (unsigned i = 0; i < t->channels; i++) {
        struct web_exchange *x = &t->exchanges[i];
        x->unit = t->units + (size_t)i * PATTERN_UNIT_MAX;
        x->name = malloc(longest + 1);
        int rc = x->name ? web_exchange_open(x, t) : -ENOMEM;
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int open_thread(struct web_thread *t, struct err *e)
{
    t->exchanges = calloc(t->channels, sizeof *t->exchanges);
    t->units = aligned_alloc(PATTERN_UNIT_MAX, (size_t)t->channels * PATTERN_UNIT_MAX);
    t->other_name = malloc(t->shared->setup.names->longest + 1);
    if (!t->exchanges || !t->units || !t->other_name || open_exchanges(t) != 0)
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
    int rc = web_loop_open(&t->loop, channels, e);
    if (rc == 0)
        rc = open_thread(t, e);
    if (rc == 0)
        *thread = t;
    else
        web_leave(t);
    return rc;
}

/* ---- a request ---------------------------------------------------------------------------------
 */

void web_choose(void *shared, struct request *r, uint64_t random)
{
    const struct mix *mix = &((struct web_shared *)shared)->setup.plan->ops[r->kind];
    r->op = mix_at(mix, random % mix->sum);
    r->removes = r->op == WEB_DELETE;
}

/* The channels of a thread are numbered one after the other. */
static struct web_exchange *exchange_of(struct web_thread *t, const struct request *r)
{
    return &t->exchanges[r->channel % t->channels];
}

void web_prepare(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    const struct target_setup *setup = &t->shared->setup;
    if (r->op == WEB_DELETE && !r->removes)
        r->op = WEB_PUT;
    x->request = r;
    names_format(setup->names, r->number, x->name);
    if (r->op == WEB_PUT)
        expected_of_write(&x->expected, setup, x->name, r->number);
    else
        expected_of_read(&x->expected, setup, x->name, r->number, t->other_name);
    x->failure = t->shared->dialect->address(x);
}

static bool begin_transfer(struct web_exchange *x)
{
    if (x->failure == 0 && web_loop_begin(&x->thread->loop, x->easy) != CURLM_OK)
        x->failure = failure_of(STEP_OTHER, ENOMEM);
    return x->failure == 0;
}

enum target_answer web_submit(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    if (r->kind == LOAD_WRITE)
        x->begun = versions_begin(t->shared->setup.versions, x->expected.body.object);
    if (begin_transfer(x))
        return TARGET_QUEUED;
    r->failure = x->failure;
    if (r->kind == LOAD_WRITE)
        versions_end(t->shared->setup.versions, x->expected.body.object, x->begun, r->number,
                     false);
    return TARGET_ENDED;
}

/* The times of a transfer: a connection that it made, and its first byte. */
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

static void end_request(struct web_exchange *x)
{
    struct request *r = x->request;
    bool is_good = x->failure == 0;
    r->failure = x->failure;
    r->bytes = !is_good ? 0 : r->op == WEB_PUT ? x->expected.size : x->received;
    if (r->kind == LOAD_WRITE)
        versions_end(x->thread->shared->setup.versions, x->expected.body.object, x->begun,
                     r->number, is_good && !r->removes);
}

/* A transfer has ended; true when its request has. */
static bool end_transfer(struct web_exchange *x, CURLcode code)
{
    const struct web_dialect *dialect = x->thread->shared->dialect;
    take_times(x);
    x->failure = web_outcome(x, code);
    if (dialect->follow && dialect->follow(x) && begin_transfer(x))
        return false;
    end_request(x);
    return true;
}

static unsigned collect(struct web_thread *t, struct request *done[], unsigned most)
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

unsigned web_poll(void *thread, uint64_t until_ns, struct request *done[], unsigned most)
{
    struct web_thread *t = thread;
    unsigned ended = collect(t, done, most);
    if (ended > 0)
        return ended;
    web_loop_wait(&t->loop, until_ns);
    return collect(t, done, most);
}

/*
 * True when it is the run's own doing that there is nothing under that name: the object was taken
 * to be removed, or its name was written and removed meanwhile.
 */
static bool may_be_removed(const struct web_exchange *x)
{
    const struct target_setup *setup = &x->thread->shared->setup;
    const struct request *r = x->request;
    if (r->kind == LOAD_WRITE || !plan_reads_written(setup->plan))
        return false;
    return written_is_removed(setup->written, r->number) ||
           (x->expected.has_version && !x->expected.is_judged) ||
           expected_is_overlapped(&x->expected, setup);
}

void web_inspect(void *thread, struct request *r)
{
    struct web_thread *t = thread;
    struct web_exchange *x = exchange_of(t, r);
    struct web_shared *s = t->shared;
    if (r->failure != 0 && x->status == 404 && s->setup.plan->ops[LOAD_WRITE].weights[WEB_DELETE] &&
        may_be_removed(x)) {
        r->miss = r->failure;
        r->failure = 0;
    }
    if (r->op != WEB_GET || r->failure != 0 || r->miss != 0)
        return;
    web_exchange_look(x);
    r->failure = expected_verdict(&x->expected, &s->setup, r->bytes);
    if (r->failure != 0 && s->setup.plan->verify != VERIFY_OFF)
        atomic_fetch_add(&s->damaged, 1);
}

/* ---- apart from the load -----------------------------------------------------------------------
 */

uint32_t web_once(struct web_shared *s, struct request *r, uint64_t timeout_ns, long *status)
{
    struct err e;
    void *thread = s->aside;
    err_init(&e);
    *status = 0;
    if (!thread)
        web_join(&thread, s, 1, &e);
    if (!thread)
        return failure_of(STEP_OTHER, e.code);
    struct web_thread *t = s->aside = thread;
    struct web_exchange *x = exchange_of(t, r);
    uint64_t most_ns = s->setup.plan->timeout_ns;
    uint64_t timeout_ms = (timeout_ns < most_ns ? timeout_ns : most_ns) / MILLION + 1;
    struct request *done;
    curl_easy_setopt(x->easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    web_prepare(t, r);
    if (web_submit(t, r) == TARGET_QUEUED)
        while (web_poll(t, clock_ns() + BILLION, &done, 1) == 0)
            continue;
    *status = x->status;
    return r->failure;
}

int web_remove(void *shared, uint64_t number)
{
    struct web_shared *s = shared;
    struct request r = {.kind = LOAD_WRITE, .op = WEB_DELETE, .removes = true, .number = number};
    long status;
    uint32_t failure = web_once(s, &r, s->setup.plan->timeout_ns, &status);
    if (failure == 0 || status == 404)
        return 0;
    return status == 401 || status == 403 ? -EACCES : status != 0 ? -EIO : -ENOTCONN;
}

void web_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    const struct web_shared *s = shared;
    if (failure >> 16 == STEP_REASON)
        reasons_describe(&s->reasons, failure, text, size);
    else
        failure_describe(NULL, failure, text, size);
}

void web_verified(void *shared, uint64_t *checked_bytes, uint64_t *damaged)
{
    const struct web_shared *s = shared;
    *checked_bytes += atomic_load(&s->checked_bytes);
    *damaged += atomic_load(&s->damaged);
}
