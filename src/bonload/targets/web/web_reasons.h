#ifndef BONLOAD_TARGETS_WEB_WEB_REASONS_H
#define BONLOAD_TARGETS_WEB_WEB_REASONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reasons of failures, in words that may come from a server. All failures of one kind have the same
 * key; the text is that of the first one. There is room for WEB_REASONS_MOST kinds; all further
 * ones count as one kind. Safe in threads; only a new kind takes a lock.
 */
#define WEB_REASONS_MOST 96
#define WEB_REASON_KEY   96
#define WEB_REASON_TEXT  192

/* Room for a server's text. Secrets are removed from it before it is cut to WEB_REASON_TEXT. */
#define WEB_REASON_TOLD 1024

/*
 * Number of secrets: words that are replaced by stars in every text, whoever wrote it. The target
 * s3, which shows a server's text, has two for each of 59 headers, and three for its keys.
 */
#define SECRETS_MOST 128

struct web_reason {
    char key[WEB_REASON_KEY];
    char text[WEB_REASON_TEXT];
};

struct web_reasons {
    pthread_mutex_t lock; /* held while a thread adds a kind */
    atomic_uint count;
    struct web_reason list[WEB_REASONS_MOST];
    const char *secrets[SECRETS_MOST]; /* complete before the first failure */
    unsigned secret_count;
};

void web_reasons_open(struct web_reasons *r);
void web_reasons_close(struct web_reasons *r);

/* Adds a secret, which must outlive the reasons. Ignores NULL and "". */
void web_reasons_hide(struct web_reasons *r, const char *secret);

/*
 * Returns the code (failure_of()) of the failure with that key. Stores the text as one line of
 * valid UTF-8 without any secret.
 */
uint32_t web_reasons_failure(struct web_reasons *r, const char *key, const char *text);

/* Describes a failure by its code. */
void web_reasons_describe(const struct web_reasons *r, uint32_t failure, char *text, size_t size);

#endif
