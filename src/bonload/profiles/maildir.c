// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"
#include "util/units.h"

enum { MAIL };

/*
 * A delivery to a maildir, as dovecot-lda makes it: it creates a message in tmp, writes and syncs
 * it, renames it to new, and syncs new. The reader of the mail unlinks the message later.
 */
const struct profile profile_maildir = {
    .name = "maildir",
    .program = "dovecot-lda 2.3.19",
    .request = "deliveries",
    .sync = "fsync",
    .files = {[MAIL] = {.name = "mail", .kind = PROFILE_MAILBOX, .bytes = 5437, .count = 1000}},
    .steps = {{.act = ACT_DELIVER, .file = MAIL}},
    .works = {{.name = "unlink",
               .period_ns = BILLION / 10,
               .steps = {{.act = ACT_EXPIRE, .file = MAIL}}}},
    .clients = 8,
};
