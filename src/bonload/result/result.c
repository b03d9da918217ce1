#include "bonload/result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/targets/target.h"

bool result_open(struct result *result)
{
    const char *const *ops = result->plan->target->ops;
    bool is_open = true;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        result->kinds[kind].tally = calloc(1, sizeof(struct tally));
        is_open = is_open && result->kinds[kind].tally;
    }
    while (ops && ops[result->op_count])
        result->op_count++;
    if (ops)
        result->ops = calloc(result->op_count, sizeof *result->ops);
    return is_open && (!ops || result->ops);
}

void result_release(struct result *result)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_result *k = &result->kinds[kind];
        for (unsigned i = 0; i < k->slow_count; i++)
            free(k->slowest[i].name);
        free(k->tally);
        tail_summary_release(&k->tail);
    }
    free(result->ops);
    free(result->first_failure);
    free(result->together.hosts);
    *result = (struct result){0};
}

double result_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)tally_ended(k->tally) / k->elapsed : 0;
}

double result_good_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)k->tally->response.count / k->elapsed : 0;
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

void result_add_slow(struct kind_result *k, const struct slow_result *slow)
{
    struct slow_result *list = k->slowest;
    unsigned at = 0;
    while (at < k->slow_count && list[at].response_ns >= slow->response_ns)
        at++;
    if (at == SLOWEST_KEPT) {
        free(slow->name);
        return;
    }
    if (k->slow_count == SLOWEST_KEPT)
        free(list[--k->slow_count].name);
    memmove(&list[at + 1], &list[at], (k->slow_count - at) * sizeof *list);
    list[at] = *slow;
    k->slow_count++;
}

/* The mean latency of a host's requests, reads and writes together, in ns. */
static double mean_of(const struct host_result *h)
{
    double sum = 0;
    double count = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        sum += (double)h->kinds[kind].latency_sum_ns;
        count += (double)(h->kinds[kind].requests - h->kinds[kind].errors);
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
