// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/result.h"

#include <math.h>

void result_release(struct result *r)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        struct test_result *t = &r->tests[test];
        free(t->intervals);
        free(t->together.hosts);
        free(t->corruption.entries);
        free(t->steady.rounds);
        tail_summary_release(&t->tail);
        *t = (struct test_result){0};
    }
}

size_t result_count_alike(const struct result runs[], size_t count)
{
    size_t i = count > 0;
    while (i < count && runs[i].plan->row == runs[0].plan->row)
        i++;
    return i;
}

const struct host_result *together_slowest(const struct joint_test *t)
{
    const struct host_result *slowest = t->hosts;
    double least = HUGE_VAL;
    for (size_t i = 0; i < t->host_count; i++) {
        const struct host_result *h = &t->hosts[i];
        double ops = h->elapsed_ns > 0 ? (double)h->ops / (double)h->elapsed_ns / h->ranks : 0;
        if (ops < least)
            slowest = h;
        least = fmin(least, ops);
    }
    return slowest;
}

static double per_second(uint64_t amount, const struct test_result *t)
{
    if (!t->measured || t->elapsed_ns == 0)
        return 0;
    return (double)amount * 1e9 / (double)t->elapsed_ns;
}

double test_result_ops_per_second(const struct test_result *t)
{
    return per_second(t->ops, t);
}

double test_result_kib_per_second(const struct test_result *t)
{
    return per_second(t->bytes, t) / 1024;
}

double test_result_rate(const struct test_result *t, enum test_id test)
{
    return test_counts_operations(test) ? test_result_ops_per_second(t)
                                        : test_result_kib_per_second(t);
}

double test_result_cpu_percent(const struct test_result *t)
{
    return per_second(t->cpu_ns, t) / 1e7;
}

int result_summarise(struct summary *s, const struct result runs[], size_t count, enum test_id test)
{
    double *rates = calloc(count + 1, sizeof *rates); /* calloc(0) may return NULL */
    if (!rates)
        return -ENOMEM;
    size_t measured = 0;
    for (size_t i = 0; i < count; i++) {
        const struct test_result *t = &runs[i].tests[test];
        if (t->measured)
            rates[measured++] = test_result_rate(t, test);
    }
    summary_of_rates(s, rates, measured);
    free(rates);
    return 0;
}
