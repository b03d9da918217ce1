#include "result.h"

#include <stdlib.h>

void result_release(struct result *r)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        free(r->tests[test].intervals);
        r->tests[test].intervals = NULL;
        r->tests[test].interval_count = 0;
    }
}

const char *limit_name(enum limit limit)
{
    static const char *const names[] = {
        [LIMITED_UNKNOWN] = "unknown",
        [LIMITED_DEVICE] = "device",
        [LIMITED_PAGE_CACHE] = "page cache",
        [LIMITED_CPU] = "cpu",
    };
    return names[limit];
}

bool test_counts_operations(enum test_id test)
{
    return test >= TEST_SEEKS;
}

bool test_result_is_long_enough(const struct test_result *t)
{
    return t->measured && t->elapsed_ns >= SHORTEST_MEASURED_NS;
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

const char *test_rate_unit(enum test_id test)
{
    return test_counts_operations(test) ? "ops/s" : "KiB/s";
}

double test_result_cpu_percent(const struct test_result *t)
{
    return per_second(t->cpu_ns, t) / 1e7;
}
