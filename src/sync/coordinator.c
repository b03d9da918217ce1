// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/coordinator.h"

#include <poll.h>

#include "sys/stop.h"
#include "util/rng.h"

const struct coordinator_ops coordinator_alone = {0};

int coordinator_join(struct coordinator *c, const struct coordinator_ops *ops, struct err *e)
{
    *c = (struct coordinator){.ops = ops, .ranks = {.count = 1}};
    return ops->join ? ops->join(c, e) : 0;
}

void meeting_take(struct meeting *m, unsigned rank, const void *brought, size_t bytes)
{
    struct bundle_reader in = {.at = brought, .bytes = bytes};
    if (m->take && !m->take(m->context, rank, &in))
        m->is_damaged = true;
}

void meeting_decide(const struct meeting *m)
{
    if (m->decide && !m->is_damaged)
        m->decide(m->context);
}

int coordinator_meet(struct coordinator *c, struct meeting *m, struct err *e)
{
    int rc = 0;
    if (m->mine.is_short) {
        rc = err_system(e, ENOMEM, "allocate memory for the figures");
    } else if (c->ops->meet) {
        rc = c->ops->meet(c, m, e);
    } else {
        meeting_take(m, 0, m->mine.words, bundle_bytes(&m->mine));
        meeting_decide(m);
    }
    bundle_release(&m->mine);
    return rc == 0 && m->is_damaged ? err_say(e, "the figures of another rank cannot be read") : rc;
}

int coordinator_share(struct coordinator *c, const char *name, void *bytes, size_t count,
                      struct err *e)
{
    struct meeting m = {.name = name, .answer = bytes, .answer_bytes = count};
    return coordinator_meet(c, &m, e);
}

/* What must be the same in all ranks. */
struct call {
    uint64_t version;
    uint64_t arguments;
};

/* Rank 0's call, and how that of the first rank with another one differs; NULL: all are alike. */
struct comparison {
    struct call ours;
    const char *difference;
    unsigned rank;
};

static uint64_t hash_arguments(uint64_t value, const char *text)
{
    for (; *text; text++)
        value = rng_mix(value ^ (unsigned char)*text);
    return rng_mix(value);
}

static bool compare_calls(void *context, unsigned rank, struct bundle_reader *brought)
{
    struct comparison *a = context;
    struct call theirs;
    if (a->difference)
        return true;
    a->rank = rank;
    if (!bundle_take(brought, &theirs, sizeof theirs) || theirs.version != a->ours.version)
        a->difference = "is of another version";
    else if (theirs.arguments != a->ours.arguments)
        a->difference = "was given other options";
    return true;
}

int coordinator_agree(struct coordinator *c, int argc, char *argv[], struct err *e)
{
    struct comparison a = {.ours = {.version = hash_arguments(0, PACKAGE_VERSION)}};
    for (int i = 1; i < argc; i++)
        a.ours.arguments = hash_arguments(a.ours.arguments + 1, argv[i]);
    struct meeting m = {.name = "Starting", .take = compare_calls, .context = &a};
    bundle_put(&m.mine, &a.ours, sizeof a.ours);
    int rc = coordinator_meet(c, &m, e);
    if (rc != 0 || !a.difference)
        return rc;
    return err_say(e, "rank %u on %s %s than rank 0", a.rank, c->ranks.cards[a.rank].host,
                   a.difference);
}

void coordinator_poll(void *coordinator)
{
    const struct coordinator *c = coordinator;
    if (c->ops->poll)
        c->ops->poll(coordinator);
}

int coordinator_leave(struct coordinator *c, int rc, struct err *e)
{
    return c->ops->leave ? c->ops->leave(c, rc, e) : rc;
}

/* Interval at which a wait for input looks for signals, in ms. */
#define LOOK_UP_MS 200

static int prompt_barrier(struct coordinator *c, const char *phase, struct err *e)
{
    (void)c;
    int rc = 0;
    fprintf(stderr, "Press Enter to start %s: ", phase);
    fflush(stderr);
    for (char byte = 0; rc == 0 && byte != '\n';) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        bool has_input = poll(&input, 1, LOOK_UP_MS) > 0;
        ssize_t got = has_input ? read(STDIN_FILENO, &byte, 1) : 1;
        if (!has_input && stop_requested())
            rc = err_system(e, EINTR, "wait at the prompt");
        else if (got < 0)
            rc = err_system(e, errno, "read from standard input at the prompt");
        else if (got == 0)
            rc = err_say(e, "-yp: standard input ended at the prompt for %s", phase);
    }
    if (rc != 0)
        fputc('\n', stderr);
    return rc;
}

const struct coordinator_ops coordinator_prompt = {
    .asks = true,
    .barrier = prompt_barrier,
};
