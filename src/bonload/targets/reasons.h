#ifndef BONLOAD_TARGETS_REASONS_H
#define BONLOAD_TARGETS_REASONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Why requests failed, in words that a server may have chosen. Failures of one kind have the same
 * key; the text is that of the first. There is room for a fixed number of kinds, those beyond it
 * are one kind together. Safe in threads; only a new kind takes a lock.
 */
#define REASONS_MOST 96
#define REASON_KEY   96
#define REASON_TEXT  192

/* What is told of a server: room for all that may have a secret across the end of REASON_TEXT. */
#define REASON_TOLD 1024

/* Words that a text must not have, whoever wrote it: they become stars. */
#define SECRETS_MOST 40

struct reason {
    char key[REASON_KEY];
    char text[REASON_TEXT];
};

struct reasons {
    pthread_mutex_t lock; /* held by who adds a kind */
    atomic_uint count;
    struct reason list[REASONS_MOST];
    const char *secrets[SECRETS_MOST]; /* up to a NULL; set before anybody fails */
    unsigned secret_count;
};

void reasons_open(struct reasons *r);
void reasons_close(struct reasons *r);

/* One more word that is not to be told; it must outlive the reasons. NULL and "" are none. */
void reasons_hide(struct reasons *r, const char *secret);

/*
 * The failure (failure_of()) of that kind. The text is made one line of valid UTF-8 without any
 * secret.
 */
uint32_t reasons_failure(struct reasons *r, const char *key, const char *text);

/* Puts such a failure into words. */
void reasons_describe(const struct reasons *r, uint32_t failure, char *text, size_t size);

#endif
