#include "sync/ranks.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/kernel_file.h"
#include "util/message.h"
#include "util/rng.h"

/* All its bytes differ, so it shows the order of a rank's bytes. */
#define ORDER UINT64_C(0x0102030405060708)

/* A hash of a text. */
static uint64_t hash_text(uint64_t value, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        value = rng_mix(value ^ (unsigned char)text[i]);
    return value;
}

/*
 * A number for the clock that this process reads: each boot of a kernel has a random id, and each
 * time namespace a number (time_namespaces(7)).
 */
static uint64_t identify_clock(const struct host *host)
{
    char text[PATH_MAX];
    uint64_t clock = 0;
    int fd = kernel_file_open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0)
        close(fd);
    if (length <= 0) /* unknown, so it must differ from all others */
        return hash_text((uint64_t)getpid(), host->name, strlen(host->name));
    clock = hash_text(clock, text, (size_t)length);
    return kernel_file_link("/proc/self/ns/time", text, sizeof text)
               ? hash_text(clock, text, strlen(text))
               : clock;
}

void rank_card_fill(struct rank_card *card, const struct host *host)
{
    *card = (struct rank_card){.order = ORDER,
                               .clock = identify_clock(host),
                               .ram_bytes = host->ram_bytes,
                               .cpus = host->cpus};
    snprintf(card->host, sizeof card->host, "%.*s", RANK_HOST_SIZE - 1, host->name);
}

int ranks_check_order(const struct ranks *r, struct err *e)
{
    for (unsigned i = 1; r->cards && i < r->count; i++)
        if (r->cards[i].order != r->cards[0].order)
            return err_say(e,
                           "rank %u is of another architecture or build than rank 0 on %s, and the "
                           "ranks of a run must be of the same",
                           i, r->cards[0].host);
    return 0;
}

/*
 * The first rank on the host of `rank`. Usually the rank before is on that host; otherwise this
 * searches for the first rank with the name of the host.
 */
static uint32_t first_of_host(const struct ranks *r, uint32_t rank)
{
    const char *host = r->cards[rank].host;
    if (rank > 0 && strcmp(r->cards[rank - 1].host, host) == 0)
        return r->cards[rank - 1].host_first;
    for (uint32_t i = 0; i < rank; i++)
        if (r->cards[i].host_first == i && strcmp(r->cards[i].host, host) == 0)
            return i;
    return rank;
}

void ranks_find_hosts(struct ranks *r)
{
    r->ram_bytes = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        r->cards[i].host_first = first_of_host(r, i);
        if (ranks_is_first(r, i))
            r->ram_bytes += r->cards[i].ram_bytes;
    }
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

static uint64_t shift_time(uint64_t ns, const struct clock_offset *offset)
{
    return ns + (uint64_t)offset->ns;
}

uint64_t rank_clock_start(const struct ranks *r, unsigned rank, uint64_t ns)
{
    return r->cards ? shift_time(ns, &r->cards[rank].before) : ns;
}

uint64_t rank_clock_end(const struct ranks *r, unsigned rank, uint64_t ns)
{
    return r->cards ? shift_time(ns, &r->cards[rank].after) : ns;
}

void rank_span_add(struct rank_span *s, uint64_t start, uint64_t end)
{
    if (s->first_start == 0 || start < s->first_start)
        s->first_start = start;
    if (start > s->last_start)
        s->last_start = start;
    if (end > s->last_end)
        s->last_end = end;
}
