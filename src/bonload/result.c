#include "bonload/result.h"

const char *const found_names[] = {[FOUND_LOAD] = "found",
                                   [FOUND_NONE] = "none",
                                   [FOUND_MOST] = "most",
                                   [FOUND_UNSURE] = "unsure"};

double result_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)tally_ended(k->tally) / k->elapsed : 0;
}

double result_good_rate(const struct kind_result *k)
{
    return k->elapsed > 0 ? (double)k->tally->response.count / k->elapsed : 0;
}
