#ifndef BONLOAD_TARGETS_WEB_WEB_REASONS_H
#define BONLOAD_TARGETS_WEB_WEB_REASONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The reasons of failures, in words that may come from a server. Failures of one kind have the same
 * key; the text is that of the first. There is room for a fixed number of kinds, further ones form
 * a single kind. Safe in threads; only a new kind takes a lock.
 */
#define WEB_REASONS_MOST 96
#define WEB_REASON_KEY   96
#define WEB_REASON_TEXT  192

/* Room for a server's text, from which secrets are removed before it is cut to WEB_REASON_TEXT. */
#define WEB_REASON_TOLD 1024

/* Words that no text may contain, whoever wrote it: they are replaced by stars. */
#define SECRETS_MOST 40

struct web_reason {
    char key[WEB_REASON_KEY];
    char text[WEB_REASON_TEXT];
};

struct web_reasons {
    pthread_mutex_t lock; /* held while a kind is added */
    atomic_uint count;
    struct web_reason list[WEB_REASONS_MOST];
    const char *secrets[SECRETS_MOST]; /* with a NULL at the end; set before any failure */
    unsigned secret_count;
};

void web_reasons_open(struct web_reasons *r);
void web_reasons_close(struct web_reasons *r);

/* Adds a word to hide; it must outlive the reasons. NULL and "" are ignored. */
void web_reasons_hide(struct web_reasons *r, const char *secret);

/*
 * The failure code (failure_of()) of that kind. The text is converted to one line of valid UTF-8
 * without any secret.
 */
uint32_t web_reasons_failure(struct web_reasons *r, const char *key, const char *text);

/* Describes such a failure. */
void web_reasons_describe(const struct web_reasons *r, uint32_t failure, char *text, size_t size);

#endif
