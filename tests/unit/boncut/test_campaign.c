// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boncut/campaign/campaign.h"

static void expect(double value, double expected)
{
    if (fabs(value - expected) > 1e-6)
        fail_msg("%.9g instead of %.9g", value, expected);
}

/* Without a fault the bound solves (1 - p)^n = probability. */
static void nothing_seen(void **state)
{
    (void)state;
    for (uint64_t trials = 1; trials <= 100000; trials *= 10)
        expect(bound_upper(0, trials, 0.05), 1 - pow(0.05, 1 / (double)trials));
    expect(bound_lower(0, 60, 0.025), 0);
    expect(bound_upper(60, 60, 0.025), 1);
    expect(bound_lower(60, 60, 0.025), pow(0.025, 1.0 / 60));
}

/* Compared with quantiles of the beta distribution, by scipy.stats.beta.ppf. */
static void some_seen(void **state)
{
    (void)state;
    expect(bound_lower(3, 60, 0.025), 0.010432330);
    expect(bound_upper(3, 60, 0.025), 0.139243247);
    expect(bound_lower(1, 2, 0.025), 0.012579117);
    expect(bound_upper(1, 2, 0.025), 0.987420883);
    expect(bound_lower(500, 1000, 0.025), 0.468549173);
    expect(bound_upper(500, 1000, 0.025), 0.531450827);
}

static struct campaign_sum sum_of(unsigned kept, unsigned lost, unsigned not_known)
{
    struct campaign_sum sum = {0};
    while (kept-- > 0)
        campaign_sum_add(&sum, VERDICT_KEPT, LAYER_DRIVE, 208, 0);
    while (lost-- > 0)
        campaign_sum_add(&sum, VERDICT_LOST, LAYER_DRIVE, 208, 0);
    while (not_known-- > 0)
        campaign_sum_add(&sum, VERDICT_NOT_KNOWN, LAYER_NONE, 208, 0);
    campaign_sum_end(&sum);
    return sum;
}

static void in_words(void **state)
{
    (void)state;
    struct campaign_sum sum = sum_of(60, 0, 5);
    assert_string_equal(sum.reason.text,
                        "0 of 12480 promises lost in 60 cuts, so fewer than 4.9 % of "
                        "cuts lose anything (95 % confidence, one-sided); all of these cuts "
                        "reached the drive's cache; not known: 5 of all 65 cuts.");
    assert_non_null(strstr(sum_of(10, 0, 0).reason.text,
                           "fewer than 25.9 % of cuts lose anything (95 % confidence, "
                           "one-sided); 60 cuts would make it 4.9 %; all"));
    sum = sum_of(57, 3, 0);
    assert_string_equal(sum.reason.text,
                        "lost in 3 of 60 cuts (95 % interval: 1.0 to 13.9 %); all of these "
                        "cuts reached the drive's cache.");
    sum = sum_of(4999, 1, 0);
    assert_non_null(strstr(sum.reason.text, "cuts (95 % interval: 0.001 to 0.1 %)"));
    sum = sum_of(0, 0, 4);
    assert_int_equal(sum.verdict, VERDICT_NOT_KNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_seen),
        cmocka_unit_test(some_seen),
        cmocka_unit_test(in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
