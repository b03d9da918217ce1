#include "bonload/result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/targets/target.h"

bool result_open(struct result *result)
{
    const char *const *ops = result->plan->target->ops;
    while (ops && ops[result->op_count])
        result->op_count++;
    result->figures = calloc(1, sizeof *result->figures);
    if (result->figures)
        result->figures->machine = busy_unknown;
    return result->figures;
}

void result_release(struct result *result)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct slow_results *slowest = &result->slowest[kind];
        for (unsigned i = 0; i < slowest->count; i++)
            free(slowest->list[i].name);
        tail_summary_release(&result->tails[kind]);
    }
    free(result->figures);
    free(result->first_failure);
    free(result->together.hosts);
    *result = (struct result){0};
}

double result_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)tally_ended(&k->tally) / k->elapsed : 0;
}

double result_good_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)k->tally.response.count / k->elapsed : 0;
}

double result_error_share(const struct figures *f)
{
    uint64_t all = 0;
    uint64_t errors = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        all += tally_ended(&f->kinds[kind].tally);
        errors += f->kinds[kind].tally.failed.count;
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

void result_add_slow(struct slow_results *all, const struct slow_result *slow)
{
    struct slow_result *list = all->list;
    unsigned at = 0;
    while (at < all->count && list[at].response_ns >= slow->response_ns)
        at++;
    if (at == SLOWEST_KEPT) {
        free(slow->name);
        return;
    }
    if (all->count == SLOWEST_KEPT)
        free(list[--all->count].name);
    memmove(&list[at + 1], &list[at], (all->count - at) * sizeof *list);
    list[at] = *slow;
    all->count++;
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
