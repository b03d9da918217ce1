#include "bonload/result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

/* Number of connections that a conclusion needs at least. */
#define RECONNECTS_LEAST 50

double result_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)tally_ended(k->tally) / k->elapsed : 0;
}

double result_good_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)k->tally->response.count / k->elapsed : 0;
}

/*
 * By Little's law, the mean number of requests in flight is the number that begin during one
 * request.
 */
bool result_reconnects(const struct kind_result *k)
{
    const struct tally *t = k->tally;
    uint64_t ended = tally_ended(t);
    double in_flight = result_rate(k) * histogram_mean(&t->response) / (double)BILLION;
    return t->connections >= RECONNECTS_LEAST && t->connections * 10 >= ended * 9 &&
           in_flight * 10 < (double)ended;
}

double result_error_share(const struct result *result)
{
    uint64_t all = 0;
    uint64_t errors = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        all += result->kinds[kind].made;
        errors += result->kinds[kind].made_errors;
    }
    return all > 0 ? 100 * (double)errors / (double)all : 0;
}

void reasons_add(struct reasons_found *r, enum load_kind kind, const char *text, uint64_t count)
{
    struct reason new = {.kind = kind};
    snprintf(new.text, sizeof new.text, "%s", text);
    size_t i = 0;
    while (i < r->count && (r->list[i].kind != kind || strcmp(r->list[i].text, new.text) != 0))
        i++;
    if (i == FAILURES_MOST) {
        r->others[kind] += count;
        return;
    }
    if (i == r->count)
        r->list[r->count++] = new;
    r->list[i].count += count;
}

static void release_slow(const struct slow_result *slow)
{
    free(slow->name);
    free(slow->outcome);
}

void result_add_slow(struct kind_result *k, const struct slow_result *slow)
{
    struct slow_result *list = k->slowest;
    unsigned at = k->slow_count;
    if (at == SLOWEST_KEPT) {
        const struct slow_result *shortest = &list[--at];
        if (slow->response_ns <= shortest->response_ns) {
            release_slow(slow);
            return;
        }
        release_slow(shortest);
    } else {
        k->slow_count++;
    }
    for (; at > 0 && list[at - 1].response_ns < slow->response_ns; at--)
        list[at] = list[at - 1];
    list[at] = *slow;
}

/* The mean latency of a host's requests, reads and writes together, in ns. */
static double mean_of(const struct host_result *h)
{
    double sum = 0;
    double count = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        sum += (double)h->kinds[kind].latency_sum_ns;
        count += (double)h->kinds[kind].good;
    }
    return count > 0 ? sum / count : 0;
}

const struct host_result *together_slowest(const struct together *t)
{
    const struct host_result *slowest = t->hosts;
    for (unsigned i = 1; i < t->ranks; i++)
        if (mean_of(&t->hosts[i]) > mean_of(slowest))
            slowest = &t->hosts[i];
    return slowest;
}

void result_release(struct result *result)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_result *k = &result->kinds[kind];
        for (unsigned i = 0; i < k->slow_count; i++)
            release_slow(&k->slowest[i]);
        free(k->tally);
        tail_summary_release(&k->tail);
    }
    for (size_t i = 0; i < result->op_count; i++)
        free(result->ops[i].tally);
    free(result->first_failure);
    free(result->together.hosts);
    memset(result, 0, sizeof *result);
}
