#include "boncut/campaign/bound.h"

#include <math.h>

/* Number of times that the interval from 0 to 1 is halved: more than a double has binary digits. */
#define HALVINGS 60

/*
 * Probability that at most `number` of `trials` trials succeed when each succeeds with probability
 * p.
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

/* Finds the p for which at_most() returns `probability`. */
static double solve_for_p(uint64_t number, uint64_t trials, double probability)
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
    return seen >= trials ? 1 : solve_for_p(seen, trials, probability);
}

double bound_lower(uint64_t seen, uint64_t trials, double probability)
{
    return seen == 0 ? 0 : solve_for_p(seen - 1, trials, 1 - probability);
}
