#include "result.h"

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

double test_result_cpu_percent(const struct test_result *t)
{
    return per_second(t->cpu_ns, t) / 1e7;
}
