// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/directories.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/rng.h"
#include "util/units.h"

/* A directory without a lock is checked this often, at this interval: for 200 ms. */
#define LOOKS   10
#define LOOK_NS 20000000

/* The number from which the name of a rank's directory is derived. */
static uint64_t number_of(uint64_t number, unsigned rank)
{
    return rng_mix(number + rank);
}

int directories_check_space(const struct plan *p, const struct scratch *s, struct err *e)
{
    struct scratch_space space;
    int rc = scratch_space(s, &space, e);
    if (rc != 0)
        return rc;
    if (space.is_read_only)
        return err_system(e, EROFS, "%s", p->settings->directory);
    uint64_t bytes = plan_bytes_needed(p, &space);
    uint64_t files = plan_files_needed(p, space.links_are_files);
    if (space.bytes < bytes) {
        char needed[UNITS_TEXT];
        char there[UNITS_TEXT];
        units_format_readable(needed, bytes);
        units_format_readable(there, space.bytes);
        return err_say(e, "%s: %s are needed, %s are free; a smaller %s needs less",
                       p->settings->directory, needed, there,
                       p->data.bytes >= bytes / 2 ? "-s" : "-n");
    }
    if (space.files < files)
        return err_say(
            e, "%s: %" PRIu64 " files are needed, %" PRIu64 " can be made; a smaller -n needs less",
            p->settings->directory, files, space.files);
    return 0;
}

/* What a meeting of all ranks about the first directory works on. */
struct visibility {
    const struct plan *plan;
    const struct ranks *ranks;
    bool all_see;   /* all ranks see the directory that rank 0 has made */
    unsigned rank;  /* the first rank that does not see it */
    unsigned shift; /* the shift for all ranks */
};

static void take_sight(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct visibility *l = context;
    const bool *sees = brought;
    if (bytes == sizeof *sees && *sees)
        return;
    if (l->all_see)
        l->rank = rank;
    l->all_see = false;
}

/*
 * The smallest shift with which most ranks read what another host wrote; 0 if there is only one
 * host.
 */
static unsigned shift_by_hosts(const struct ranks *r)
{
    unsigned best = 0;
    unsigned most = 0;
    for (unsigned shift = 1; shift < r->count && most < r->count; shift++) {
        unsigned count = 0; /* of ranks that would read what another host wrote */
        for (unsigned i = 0; i < r->count; i++)
            count += r->cards[i].host_first != r->cards[(i + shift) % r->count].host_first;
        if (count > most)
            best = shift;
        most = count > most ? count : most;
    }
    return best;
}

static void choose_shift(void *context)
{
    struct visibility *l = context;
    if (l->plan->settings->shift.given)
        l->shift = (unsigned)l->plan->settings->shift.value % l->ranks->count;
    else
        l->shift = l->all_see ? shift_by_hosts(l->ranks) : 0;
}

/*
 * Checks, in rank 0, that there is room for the data of all ranks, if all of them see one
 * directory.
 */
static int check_together(const struct visibility *l, const struct scratch *s, struct err *e)
{
    const struct plan *p = l->plan;
    if (!l->all_see && l->shift > 0)
        return err_say(e,
                       "--shift: rank %u on %s does not see what rank 0 makes in %s: the ranks do "
                       "not share one directory",
                       l->rank, l->ranks->cards[l->rank].host, p->settings->directory);
    if (!l->all_see)
        return 0;
    struct plan all = *plan_whole(p);
    all.files.directories = plan_all_directories(p);
    all.workers *= p->ranks;
    return directories_check_space(&all, s, e);
}

int directories_make(struct scratch *s, unsigned *shift, const struct plan *p,
                     struct coordinator *c, uint64_t number, struct err *e)
{
    struct visibility l = {.plan = p, .ranks = &c->ranks, .all_see = true};
    int rc = p->rank == 0 ? scratch_make_numbered(s, number_of(number, 0), e) : 0;
    *shift = 0;
    if (rc != 0 || p->ranks == 1)
        return rc;
    rc = coordinator_share(c, "Making a directory", NULL, 0, e);
    bool sees = rc == 0 && (p->rank == 0 || scratch_is_there(s, number_of(number, 0)));
    const struct meeting m = {.name = "Looking for the directory",
                              .mine = &sees,
                              .bytes = sizeof sees,
                              .take = take_sight,
                              .decide = choose_shift,
                              .context = &l,
                              .answer = &l.shift,
                              .answer_bytes = sizeof l.shift};
    if (rc == 0)
        rc = coordinator_meet(c, &m, e);
    if (rc == 0 && p->rank == 0)
        rc = check_together(&l, s, e);
    if (rc == 0) /* if rank 0 has refused, no rank goes on */
        rc = coordinator_share(c, "Making a directory", NULL, 0, e);
    if (rc == 0 && p->rank > 0)
        rc = l.shift > 0 ? scratch_join(s, number_of(number, 0), e)
                         : scratch_make_numbered(s, number_of(number, p->rank), e);
    if (rc == 0)
        *shift = l.shift;
    return rc;
}

int directories_meet_next(char host[RANK_HOST_SIZE], const struct plan *p, struct coordinator *c,
                          struct err *e)
{
    char mine[RANK_HOST_SIZE] = "";
    const struct parcel parcel = {.to = (p->rank + p->ranks - 1) % p->ranks,
                                  .from = (p->rank + 1) % p->ranks,
                                  .sent = mine,
                                  .got = host,
                                  .bytes = sizeof mine};
    if (p->ranks == 1)
        return 0;
    snprintf(mine, sizeof mine, "%.*s", RANK_HOST_SIZE - 1, p->host->name);
    return coordinator_exchange(c, &parcel, e);
}

/*
 * Whether a rank was killed and has left its directory. A rank that ends gives up the lock just
 * before it removes its directory, so a directory without a lock must stay for LOOKS looks. That
 * takes much less than the second after which Open MPI kills the others when one was killed.
 */
static bool has_left_directory(const struct plan *p, uint64_t number, char name[PRIVATE_NAME_SIZE])
{
    for (unsigned i = 1; scratch_is_abandoned(p->settings->directory, number, name); i++) {
        if (i == LOOKS)
            return true;
        clock_sleep(LOOK_NS);
    }
    return false;
}

void directories_report_abandoned(const struct plan *p, uint64_t number, const char *next_host)
{
    for (unsigned i = 1; i < p->ranks; i++) {
        char name[PRIVATE_NAME_SIZE];
        char text[PATH_MAX + PRIVATE_NAME_SIZE + RANK_HOST_SIZE + 80];
        unsigned rank = (p->rank + i) % p->ranks;
        if (!has_left_directory(p, number_of(number, rank), name))
            return;
        bool is_next = i == 1; /* a rank knows only the host of the next rank */
        snprintf(text, sizeof text,
                 "rank %u%s%s was killed and has left %s/%s; --cleanup removes it", rank,
                 is_next ? " on " : "", is_next ? next_host : "", p->settings->directory, name);
        stop_message(text);
    }
}
