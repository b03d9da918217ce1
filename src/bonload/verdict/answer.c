#include "bonload/verdict/answer.h"

static double nearness(const struct judged *j)
{
    return (double)j->found_ns / (double)j->limit->nanoseconds;
}

const struct judged *answer_decider(const struct answer *a, const struct at_load **load)
{
    const struct judged *decider = NULL;
    *load = NULL;
    for (size_t i = 0; i < a->load_count; i++) {
        for (size_t k = 0; k < a->loads[i].judged_count; k++) {
            const struct judged *j = &a->loads[i].judged[k];
            bool is_worse = !decider || j->goodness > decider->goodness ||
                            (j->goodness == decider->goodness && nearness(j) > nearness(decider));
            if (!is_worse)
                continue;
            decider = j;
            *load = &a->loads[i];
        }
    }
    return decider;
}

void answer_release(struct answer *a)
{
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        gauge_close(&a->works[i]);
}

enum goodness answer_goodness(const struct answer *a)
{
    const struct at_load *load;
    const struct judged *j = answer_decider(a, &load);
    return j ? j->goodness : GOODNESS_NONE;
}
