// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/coordinator.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/stop.h"
#include "util/rng.h"

const struct coordinator_ops coordinator_alone = {0};

int coordinator_join(struct coordinator *c, const struct coordinator_ops *ops, struct err *e)
{
    *c = (struct coordinator){.ops = ops, .ranks = {.count = 1}};
    return ops->join ? ops->join(c, e) : 0;
}

int coordinator_barrier(struct coordinator *c, const char *phase, struct err *e)
{
    return c->ops->barrier ? c->ops->barrier(c, phase, e) : 0;
}

int coordinator_meet(struct coordinator *c, const struct meeting *m, struct err *e)
{
    if (c->ops->meet)
        return c->ops->meet(c, m, e);
    if (m->take)
        m->take(m->context, 0, m->mine, m->bytes);
    if (m->decide)
        m->decide(m->context);
    return 0;
}

int coordinator_share(struct coordinator *c, const char *name, void *bytes, size_t count,
                      struct err *e)
{
    const struct meeting m = {.name = name, .answer = bytes, .answer_bytes = count};
    return coordinator_meet(c, &m, e);
}

int coordinator_exchange(struct coordinator *c, const struct parcel *p, struct err *e)
{
    return c->ops->exchange(c, p, e);
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

static void compare_calls(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct comparison *a = context;
    struct call theirs = {0};
    memcpy(&theirs, brought, bytes < sizeof theirs ? bytes : sizeof theirs);
    if (a->difference)
        return;
    a->rank = rank;
    if (bytes != sizeof theirs || theirs.version != a->ours.version)
        a->difference = "is of another version";
    else if (theirs.arguments != a->ours.arguments)
        a->difference = "was given other options";
}

int coordinator_agree(struct coordinator *c, int argc, char *argv[], struct err *e)
{
    struct comparison a = {.ours = {.version = hash_arguments(0, PACKAGE_VERSION)}};
    for (int i = 1; i < argc; i++)
        a.ours.arguments = hash_arguments(a.ours.arguments + 1, argv[i]);
    const struct meeting m = {.name = "Starting",
                              .mine = &a.ours,
                              .bytes = sizeof a.ours,
                              .take = compare_calls,
                              .context = &a};
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

void coordinator_await_leaving(struct coordinator *c, int rc, const struct err *e)
{
    if (c->ops->await_leaving)
        c->ops->await_leaving(c, rc, e);
}

int coordinator_leave(struct coordinator *c, int rc, struct err *e)
{
    return c->ops->leave ? c->ops->leave(c, rc, e) : rc;
}

/* Interval at which a wait for input looks for signals, in ms. */
#define LOOK_UP_MS 200

/* Waits for the end of a line on stdin. */
static int read_line(const char *phase, struct err *e)
{
    char byte = 0;
    while (byte != '\n') {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&input, 1, LOOK_UP_MS) <= 0) {
            if (stop_requested())
                return err_system(e, EINTR, "wait at the prompt");
            continue;
        }
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0)
            return err_system(e, errno, "read from standard input at the prompt");
        if (got == 0)
            return err_say(e, "-yp: standard input ended at the prompt for %s", phase);
    }
    return 0;
}

static int prompt_barrier(struct coordinator *c, const char *phase, struct err *e)
{
    (void)c;
    fprintf(stderr, "Press Enter to start %s: ", phase);
    fflush(stderr);
    int rc = read_line(phase, e);
    if (rc != 0)
        fputc('\n', stderr);
    return rc;
}

const struct coordinator_ops coordinator_prompt = {
    .asks = true,
    .barrier = prompt_barrier,
};
