// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/ranks.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

/* All its bytes differ, so it shows the order of a rank's bytes. */
#define ORDER UINT64_C(0x0102030405060708)

void rank_card_fill(struct rank_card *card, const struct host *host)
{
    *card = (struct rank_card){.order = ORDER, .ram_bytes = host->ram_bytes, .cpus = host->cpus};
    snprintf(card->host, sizeof card->host, "%.*s", RANK_HOST_SIZE - 1, host->full_name);
    snprintf(card->boot_id, sizeof card->boot_id, "%.*s", RANK_HOST_SIZE - 1,
             *host->boot_id ? host->boot_id : host->full_name);
}

int ranks_check_order(const struct ranks *r, struct err *e)
{
    for (unsigned i = 1; r->cards && i < r->count; i++)
        if (r->cards[i].order != r->cards[0].order)
            return err_say(e,
                           "rank %u has another architecture or build than rank 0 on %s; all ranks "
                           "of a run need the same",
                           i, r->cards[0].host);
    return 0;
}

/*
 * The first rank on the host of `rank`. Usually the rank before is on that host; otherwise this
 * searches for the first rank with the same kernel.
 */
static uint32_t first_of_host(const struct ranks *r, uint32_t rank)
{
    const char *id = r->cards[rank].boot_id;
    if (rank > 0 && strcmp(r->cards[rank - 1].boot_id, id) == 0)
        return r->cards[rank - 1].host_first;
    for (uint32_t i = 0; i < rank; i++)
        if (r->cards[i].host_first == i && strcmp(r->cards[i].boot_id, id) == 0)
            return i;
    return rank;
}

/* Whether another host has the same short name. */
static bool has_namesake(const struct ranks *r, uint32_t rank)
{
    const char *host = r->cards[rank].host;
    size_t length = host_short_length(host);
    for (uint32_t i = 0; i < r->count; i++)
        if (ranks_is_first(r, i) && i != r->cards[rank].host_first &&
            host_short_length(r->cards[i].host) == length &&
            strncmp(r->cards[i].host, host, length) == 0)
            return true;
    return false;
}

void ranks_find_hosts(struct ranks *r)
{
    r->ram_bytes = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        r->cards[i].host_first = first_of_host(r, i);
        if (ranks_is_first(r, i))
            r->ram_bytes += r->cards[i].ram_bytes;
    }
    for (uint32_t i = 0; i < r->count; i++)
        if (!has_namesake(r, i))
            r->cards[i].host[host_short_length(r->cards[i].host)] = '\0';
}

static unsigned count_on_host(const struct ranks *r, uint32_t first)
{
    unsigned count = 0;
    for (uint32_t i = first; i < r->count; i++)
        count += r->cards[i].host_first == first;
    return count;
}

unsigned ranks_beside(const struct ranks *r, unsigned rank)
{
    return r->cards ? count_on_host(r, r->cards[rank].host_first) : 1;
}

unsigned ranks_per_cpu(const struct ranks *r)
{
    unsigned most = 1;
    for (uint32_t i = 0; i < r->count; i++) {
        unsigned cpus = r->cards[i].cpus > 0 ? r->cards[i].cpus : 1;
        unsigned share = ranks_is_first(r, i) ? (count_on_host(r, i) + cpus - 1) / cpus : 0;
        most = share > most ? share : most;
    }
    return most;
}

bool ranks_is_first(const struct ranks *r, unsigned rank)
{
    return !r->cards || r->cards[rank].host_first == rank;
}

/*
 * A kernel slews its clock by a tenth at most (the tick of adjtimex(2)), so two clocks move apart
 * by at most a fifth of the time.
 */
#define DRIFT_PART 5

int ranks_check_clock(const struct ranks *r, unsigned rank, struct err *e)
{
    const struct clock_offset *before = &r->cards[rank].before;
    const struct clock_offset *after = &r->cards[rank].after;
    uint64_t passed_ns = after->at_ns - before->at_ns;
    uint64_t moved_ns = after->ns > before->ns ? (uint64_t)after->ns - (uint64_t)before->ns
                                               : (uint64_t)before->ns - (uint64_t)after->ns;
    uint64_t most_ns = passed_ns / DRIFT_PART + before->uncertainty_ns + after->uncertainty_ns;
    if (before->at_ns == 0 || moved_ns <= most_ns)
        return 0;
    return err_say(e,
                   "the clock of rank %u on %s moved by %.3g s against that of rank 0 within %.3g "
                   "s, so the times of the ranks cannot be compared",
                   rank, r->cards[rank].host, (double)moved_ns / (double)BILLION,
                   (double)passed_ns / (double)BILLION);
}

uint64_t rank_clock_start(const struct ranks *r, unsigned rank, uint64_t ns)
{
    return r->cards ? ns + (uint64_t)r->cards[rank].before.ns : ns;
}

uint64_t rank_clock_end(const struct ranks *r, unsigned rank, uint64_t ns)
{
    return r->cards ? ns + (uint64_t)r->cards[rank].after.ns : ns;
}

void rank_clock_span(const struct ranks *r, unsigned rank, uint64_t *start, uint64_t *end)
{
    uint64_t own_ns = *end > *start ? *end - *start : 0;
    *start = rank_clock_start(r, rank, *start);
    *end = rank_clock_end(r, rank, *end);
    if (*end < *start + own_ns)
        *end = *start + own_ns;
}

void rank_span_add(struct rank_span *s, uint64_t start, uint64_t end)
{
    if (s->first_start == 0 || start < s->first_start)
        s->first_start = start;
    if (start > s->last_start)
        s->last_start = start;
    if (end < start) /* it has not ended */
        end = start;
    if (end > s->last_end)
        s->last_end = end;
}

/* Rounds up to microseconds, so that the printed number is never too small. */
static double milliseconds(uint64_t nanoseconds)
{
    return (double)mul_div_up(nanoseconds, 1, 1000) / 1000;
}

void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns)
{
    int used =
        snprintf(text, STARTS_TEXT, "within %.3f ms of one another", milliseconds(spread_ns));
    if (clock_uncertainty_ns > 0)
        snprintf(text + used, STARTS_TEXT - (size_t)used,
                 " (their clocks could be compared to within %.3f ms)",
                 milliseconds(clock_uncertainty_ns));
}
