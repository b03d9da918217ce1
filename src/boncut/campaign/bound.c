#include "boncut/campaign/bound.h"

#include <math.h>

/* Number of bisections of the interval from 0 to 1: more than a double has digits. */
#define HALVINGS 60

/*
 * The probability of at most `number` successes in that many trials, each of which succeeds with
 * probability p.
 */
static double at_most(uint64_t number, uint64_t trials, double p)
{
    double sum = 0;
    double n = (double)trials;
    if (p <= 0 || number >= trials)
        return 1;
    for (uint64_t i = 0; i <= number; i++) {
        double k = (double)i;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
                   (n - k) * log1p(-p));
    }
    return sum;
}

/* The p for which at_most() has that value. */
static double solve(uint64_t number, uint64_t trials, double probability)
{
    double low = 0;
    double high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (at_most(number, trials, middle) > probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double bound_upper(uint64_t seen, uint64_t trials, double probability)
{
    return seen >= trials ? 1 : solve(seen, trials, probability);
}

double bound_lower(uint64_t seen, uint64_t trials, double probability)
{
    return seen == 0 ? 0 : solve(seen - 1, trials, 1 - probability);
}
