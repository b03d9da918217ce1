#include "bonload/targets/web/web_reasons.h"

#include <stdio.h>
#include <string.h>

#include "bonload/targets/target.h"
#include "util/printable.h"

/* Shorter secrets are not hidden: that would protect nothing, and make other words unreadable. */
#define SHORTEST_SECRET 4

void web_reasons_open(struct web_reasons *r)
{
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
}

void web_reasons_close(struct web_reasons *r)
{
    pthread_mutex_destroy(&r->lock);
}

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

static void hide_secret(char *text, const char *secret)
{
    size_t length = strlen(secret);
    for (char *at = strstr(text, secret); at; at = strstr(at + length, secret))
        memset(at, '*', length); /* the secret itself may consist of stars */
}

/* Stores a text as one line of valid UTF-8 without any secret. */
static void store_text(const struct web_reasons *r, char text[static WEB_REASON_TEXT],
                       const char *told)
{
    char open[2 * WEB_REASON_TOLD];
    snprintf(open, sizeof open, "%s", told);
    for (unsigned i = 0; i < r->secret_count; i++)
        hide_secret(open, r->secrets[i]);
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
    return failure_of(STEP_REASON, (int)at + 1);
}

void web_reasons_describe(const struct web_reasons *r, uint32_t failure, char *text, size_t size)
{
    unsigned at = (failure & 0xffff) - 1;
    bool is_known = at < atomic_load_explicit(&r->count, memory_order_acquire);
    snprintf(text, size, "%s", is_known ? r->list[at].text : "another reason");
}
