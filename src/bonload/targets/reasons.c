#include "bonload/targets/reasons.h"

#include <stdio.h>
#include <string.h>

#include "bonload/targets/target.h"
#include "report/sanitize.h"

/* A word as short as this hides nothing, and would make other words unreadable. */
#define SHORTEST_SECRET 4

void reasons_open(struct reasons *r)
{
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
}

void reasons_close(struct reasons *r)
{
    pthread_mutex_destroy(&r->lock);
}

void reasons_hide(struct reasons *r, const char *secret)
{
    if (secret && strlen(secret) >= SHORTEST_SECRET && r->secret_count < SECRETS_MOST)
        r->secrets[r->secret_count++] = secret;
}

static void hide(char *text, const char *secret)
{
    size_t length = strlen(secret);
    for (char *at = strstr(text, secret); at; at = strstr(at + length, secret))
        memset(at, '*', length); /* the secret itself may be stars */
}

/* The place of a key among the first `count`; `count` if it is not there. */
static unsigned find(const struct reasons *r, const char *key, unsigned count)
{
    unsigned at = 0;
    while (at < count && strcmp(r->list[at].key, key) != 0)
        at++;
    return at;
}

/* Adds a kind, unless somebody has done so meanwhile. */
static unsigned add(struct reasons *r, const char *key, const char *text)
{
    pthread_mutex_lock(&r->lock);
    unsigned count = atomic_load(&r->count);
    unsigned at = find(r, key, count);
    if (at == count && count < REASONS_MOST) {
        struct reason *reason = &r->list[at];
        snprintf(reason->key, sizeof reason->key, "%s", key);
        sanitize_clean(reason->text, sizeof reason->text, text);
        atomic_store_explicit(&r->count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&r->lock);
    return at;
}

uint32_t reasons_failure(struct reasons *r, const char *key, const char *text)
{
    char cut[REASON_KEY];
    char open[2 * REASON_TOLD];
    snprintf(cut, sizeof cut, "%s", key);
    unsigned count = atomic_load_explicit(&r->count, memory_order_acquire);
    unsigned at = find(r, cut, count);
    if (at == count && count < REASONS_MOST) {
        snprintf(open, sizeof open, "%s", text);
        for (unsigned i = 0; i < r->secret_count; i++)
            hide(open, r->secrets[i]);
        at = add(r, cut, open);
    }
    return failure_of(STEP_REASON, (int)at + 1);
}

void reasons_describe(const struct reasons *r, uint32_t failure, char *text, size_t size)
{
    unsigned at = (failure & 0xffff) - 1;
    bool is_known = at < atomic_load_explicit(&r->count, memory_order_acquire);
    snprintf(text, size, "%s", is_known ? r->list[at].text : "another reason");
}
