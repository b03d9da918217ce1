#ifndef BONLOAD_TARGETS_PROFILE_MAILBOX_H
#define BONLOAD_TARGETS_PROFILE_MAILBOX_H

#include <stdatomic.h>

#include "bonload/targets/profile/gauge.h"
#include "bonload/targets/profile/storage.h"

/*
 * A mailbox as in maildir(5), in the private directory: each message is a file, and is delivered
 * when its name is in the directory `new`.
 */
struct mailbox {
    const struct storage *storage;
    const struct profile_file *file;
    struct gauge *gauge; /* gets the durations of syncs */
    int tmp_fd;          /* the directory `tmp`; -1: it does not exist */
    int new_fd;
    _Atomic uint64_t begun;   /* number of messages begun; messages are numbered from 1 */
    _Atomic uint64_t expired; /* number of the message that was removed last */
};

/* Makes the directories. Returns 0, or a negative errno with a line in e. */
int mailbox_open(struct mailbox *m, const struct storage *storage, const struct profile_file *file,
                 struct gauge *gauge, struct err *e);

/* Removes all messages and the directories. Returns 0, or a negative errno with a line in e. */
int mailbox_close(struct mailbox *m, struct err *e);

/*
 * Delivers a message. The buffer must have room for it. *longest_ns grows to the duration of the
 * longer of its two syncs. Returns 0 or a positive errno, with the failed call in *step, an enum
 * target_step.
 */
int mailbox_deliver(struct mailbox *m, unsigned char *buffer, uint64_t *longest_ns, unsigned *step);

/* Unlinks the oldest messages beyond those to keep. Returns 0 or a positive errno. */
int mailbox_expire(struct mailbox *m);

#endif
